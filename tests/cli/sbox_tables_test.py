"""fugu sbox table and spectrum."""

import json
import random
import struct

from sbox_support import SBox, histogram, parity


def sign(bits):
    return 1 - 2 * parity(bits)


class TablesOfBoxes(SBox):
    def test_spectra_count_the_entries_of_tables(self):
        rng = random.Random(7)
        for n, m in ((1, 1), (1, 5), (2, 3), (3, 2), (4, 4), (5, 1), (4, 6)):
            given = ["--outputs", str(m), "--from", "text"]
            box = " ".join(str(rng.randrange(1 << m)) for _ in range(1 << n)).encode()
            for name, counts in (("ddt", lambda a, b: a), ("lat", lambda a, b: b), ("act", lambda a, b: a and b), ("dlct", lambda a, b: a and b),
                                 ("bct", lambda a, b: a and b), ("fbct", lambda a, b: a and b and a != b)):
                rows = [list(map(int, line.split())) for line in self.output("table", name, *given, input=box).splitlines()]
                entries = [v for a, row in enumerate(rows) for b, v in enumerate(row) if counts(a, b)]
                self.expect(0, histogram(entries).replace(" ", "\n") + "\n" * bool(entries), "", "sbox", "spectrum",
                            name, *given, input=box)

    def test_a_table_that_does_not_exist(self):
        self.expect(1, b"", "fugu: no table 'lad' (did you mean lat?); choose from ddt, lat, act, dlct, bct, fbct, dbct, sac, ubct, lbct, ebct, division_trails, quasidifferential, undisturbed_bits, nonlinear_invariants\n",
                    "sbox", "table", "lad", "AES")
        self.assertIn("no table 'AES': name a table before the box; choose from ddt, ", self.fails(1, "sbox", "spectrum", "AES"))

    def test_scales_and_formats(self):
        row = "16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"  # a = 0: a permutation's components are balanced
        first = ["--rows", "0:1", "PRESENT"]
        self.expect(0, row, "", "sbox", "table", "lat", *first)
        self.expect(0, row.replace("16", "8"), "", "sbox", "table", "lat", "--scale", "bias", *first)
        self.expect(0, row.replace("16", "1"), "", "sbox", "table", "lat", "--scale", "correlation", *first)
        # The row in Heys' tutorial, which has halves of these entries
        heys = ["--rows", "1:1", "--scale", "bias"]
        self.expect(0, "0 0 -2 -2 0 0 -2 6 2 2 0 0 2 2 0 0\n", "", "sbox", "table", "lat", *heys,
                    input=b"E4D12FB83A6C5907")
        self.expect(0, "0 0 -1/4 -1/4\n", "", "sbox", "table", "lat", "--rows", "1:1", "--columns", "0:4", "--scale",
                    "correlation", input=b"E4D12FB83A6C5907")
        self.expect(0, "matrix(ZZ, [[4, 0],\n[0, 4]])\n", "", "sbox", "table", "ddt", "--to", "sage", "--rows", "0:2",
                    "--columns", "0:2", input=b"0 1 2 3")
        rows = json.loads(self.output("table", "lat", "--json", *heys, input=b"E4D12FB83A6C5907"))["rows"]
        self.assertEqual(rows, [[0, 0, -2, -2, 0, 0, -2, 6, 2, 2, 0, 0, 2, 2, 0, 0]])
        self.expect(0, "row,2,3,4\n1,-2,-2,0\n", "", "sbox", "table", "lat", "--csv", "--columns", "2:3", *heys, input=b"E4D12FB83A6C5907")
        for refused in (["--to", "npy"], ["--scale", "correlation"]):
            for kind in ("--json", "--csv"):
                self.fails(1, "sbox", "table", "lat", kind, *refused, "PRESENT")
        boxes = json.loads(self.output("list", "--json"))["boxes"]
        self.assertIn(["AES", "8 x 8"], [[box["name"], box["size"]] for box in boxes])
        self.assertEqual([box["name"] for box in boxes if " " not in box["name"]],
                         [line.split()[0] for line in self.output("list").splitlines() if " to _" not in line])
        out = self.run_fugu("sbox", "table", "ddt", "--to", "npy16", "AES")[1]
        self.assertIn(b"'<i2'", out[:80])
        self.assertEqual(struct.unpack("<65536h", out[-131072:])[0], 256)

    def test_ddt_row_of_des(self):
        """Biham and Shamir 1991: S1, row 34h."""
        self.expect(0, "0 8 16 6 2 0 0 12 6 0 0 0 0 8 0 6\n", "", "sbox", "table", "ddt", "--rows", "52:1", "DES_S1")

    def test_columns_of_tables_too_wide_for_a_row(self):
        rng = random.Random(9)
        values = [rng.randrange(1 << 24) for _ in range(32)]
        lat = lambda a, b: sum(sign(b & values[x]) * sign(a & x) for x in range(32))
        act = lambda a, b: sum(sign(b & (values[x] ^ values[x ^ a])) for x in range(32))
        part = ["--outputs", "24", "--rows", "3:2", "--columns", "9000000:3"]
        for name, entry, scale in (("lat", lat, 1), ("act", act, 1), ("dlct", act, 2)):
            rows = [(a, b, entry(a, b) // scale) for a in (3, 4) for b in range(9000000, 9000003)]
            for kind, first, text in ([], "", "%d %d %d\n"), (["--csv"], "row,column,value\n", "%d,%d,%d\n"):
                self.expect(0, first + "".join(text % row for row in rows if row[2]), "", "sbox", "table", name, *part, *kind,
                            input=" ".join(map(str, values)).encode())
        self.expect(1, "", "fugu: this table has 2^24 columns; choose at most 8388608 with --columns\n", "sbox", "table", "lat",
                    "--outputs", "24", input=" ".join(map(str, values)).encode())

    def test_rows_keep_their_numbers_where_few_are_made_at_once(self):
        # Four rows of 2^20 values at a time
        values = [random.Random(5 + x).randrange(1 << 20) for x in range(8)]
        rows = [(a, b, sum(sign(b & values[x]) * sign(a & x) for x in range(8))) for a in range(8) for b in range(77777, 77787)]
        self.expect(0, "".join("%d %d %d\n" % row for row in rows if row[2]), "", "sbox", "table", "lat", "--outputs", "20",
                    "--columns", "77777:10", input=" ".join(map(str, values)).encode())

    def test_sparse_text_of_many_outputs(self):
        self.expect(0, "0 0 2\n1 4294967294 2\n", "", "sbox", "table", "ddt", "--outputs", "32", input=b"1 4294967295")
        self.expect(0, "0 0 2\n", "", "sbox", "table", "ddt", "--outputs", "32", "--columns", "0:5", input=b"0 5")

    def test_lists_are_counted_by_their_last_value(self):
        """Of S(x) = x, where bit j is that of a."""
        self.expect(0, "0:2\n1:4\n", "", "sbox", "spectrum", "undisturbed_bits", input=b"0 1 2 3")
        self.expect(1, "", "fugu: only boxes with n <= 16 have the undisturbed_bits\n", "sbox", "table", "undisturbed_bits", "chi:17")

    def test_models_are_true_of_the_possible_transitions_alone(self):
        """The Python package's tests read all forms, of more tables."""
        rows = self.output("table", "ddt", "PRESENT").splitlines()
        expected = {(a, b) for a, row in enumerate(rows) for b, entry in enumerate(row.split()) if entry != "0"}
        text = self.output("model", "ddt", "PRESENT").splitlines()
        clauses = [[int(literal) for literal in line.split()[:-1]] for line in text if line[0] not in "cp"]
        self.assertRegex(text[0], "^c ddt: 97 possible of 256; [0-9]+ inequalities: clauses, the fewest found of 157 prime implicants$")
        true = lambda literal, point: (point >> abs(literal) - 1 & 1) == (literal > 0)
        points = [point for point in range(256) if all(any(true(literal, point) for literal in clause) for clause in clauses)]
        self.assertEqual({(point & 15, point >> 4) for point in points}, expected)
        self.assertIn("\\ w1 is 1 where |T(a,b)| <= 4; the largest is 16\n", self.output("model", "ddt", "--weights", "--to", "lp", "PRESENT"))

    def test_models_that_there_are_not(self):
        self.expect(1, "", "fugu: no table 'sac'; choose from ddt, lat, act, dlct, bct, division_trails\n", "sbox", "model", "sac", "AES")
        self.expect(1, "", "fugu: --to npy: models are written as dimacs, lp, minizinc or python\n", "sbox", "model", "ddt", "--to", "npy", "AES")
        self.expect(1, "", "fugu: a model of 18 variables: at most 16 are possible\n", "sbox", "model", "ddt", "chi:9")
