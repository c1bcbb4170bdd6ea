"""fugu sbox: the boxes of Blowfish's and CAST's key schedules, and weak keys."""

from sbox_support import SBox, VECTORS, records


class Blowfish(SBox):
    def test_initial_boxes_and_cast(self):
        sheet = self.output("report", "--only", "basic,differential,linear", "Blowfish_initial_S1")
        self.assertIn("injective; collisions 0 (a random box has one with probability 2^-17.0)", sheet)
        self.assertIn("uniformity 2, 32640 entries of it", sheet)
        self.assertIn("coordinates: nonlinearity 96..108; all 2^32-1 components: only with --exhaustive", sheet)
        # The designers of CAST made every coordinate bent.
        sheets = self.output("report", "--only", "linear", "CAST_S1", "CAST_S8")
        self.assertEqual(sheets.count("coordinates: nonlinearity 120..120"), 2)

    def test_weak_keys(self):
        """The method is published (Vaudenay, FSE 1996); the keys were found with OpenSSL's BF_set_key."""
        keys = list(records(VECTORS / "weak_keys.txt"))
        self.assertGreater(len(keys), 10)
        for key in keys:
            self.expect(0, " ".join(key.values()) + "\n", "", "sbox", "report", "--weak-keys", "%d:1" % int(key["key hex"], 16), "-q")
        self.expect(0, " ".join(keys[0].values()) + "\n", "", "sbox", "report", "--weak-keys", "8000:400", "-q")
        self.expect(6, "", "fugu: the search for weak keys runs only on the CPU; use --engine cpu\n", "sbox", "report", "--weak-keys", "0:9",
                    "--engine", "cuda:0")
        self.write("key", bytes.fromhex("000000000000201e"))
        rows = self.rows("--only", "basic", "--key", "file:key", "blowfish:1", "blowfish:2")
        self.assertEqual([(row["name"], row["collisions"]) for row in rows], [("blowfish:1", "1"), ("blowfish:2", "0")])
        out = self.output("make", "blowfish:1", "--key", "file:key", "--to", "hex")
        entries = [out[8 * i : 8 * i + 8] for i in range(256)]
        self.assertEqual((entries[156], entries[176]), ("df219847", "df219847"))
        self.expect(1, "", "fugu: blowfish:1 needs --key\n", "sbox", "make", "blowfish:1")

    def test_verbose_names_what_worked(self):
        self.write("boxes", "0 1 2 3\n3 2 1 0\n")
        for expected, arguments in (("report: cpu, 1 threads", ["report", "boxes", "--batch", "--csv", "--only", "nl"]),
                                    ("report: cpu, 1 threads", ["report", "PRESENT", "AES"]),
                                    ("report: cpu, 1 threads", ["report", "--random-keys", "1"]),
                                    ("keys: cpu, 1 threads", ["report", "--weak-keys", "0:9"]),
                                    ("spectrum: cpu, 1 threads", ["spectrum", "ddt", "PRESENT"])):
            status, _, err = self.run_fugu("sbox", *arguments, "-v", "-T", "1", "--engine", "auto", "-o", "out", "-f")
            self.assertEqual((status, err), (0, f"fugu: {expected}\n"))

    def test_statistics_over_random_keys(self):
        out = self.output("report", "--random-keys", "5", "--seed", "3")
        lines = out.splitlines()
        self.assertEqual((lines[0], lines[4]), ("Blowfish under random keys: 20 boxes", "random, 8 x 32: 20 boxes"))
        for ddt, nonlinearities in ((lines[2], lines[3]), (lines[6], lines[7])):
            pairs = [tuple(map(int, pair.split(":"))) for pair in ddt.split("DDT ")[1].split()]
            self.assertEqual(sum(value * count for value, count in pairs), 20 * 255 * 256)
            self.assertEqual(sum(int(pair.split(":")[1]) for pair in nonlinearities.split("nonlinearity ")[1].split()),
                             20 * 32)
        self.assertEqual(self.output("report", "--random-keys", "5", "--seed", "3", "-T", "1"), out)
