"""fugu sbox table, spectrum and equations, of tables, univariate polynomials, the boxes of key schedules and weak keys. Values of the boomerang
family are compared with other programs' and with the definitions in tests/python/test_box_values.py."""

import json
import random
import struct

import support
from sbox_support import SBox, VECTORS, histogram, parity, records


def sign(bits):
    return 1 - 2 * parity(bits)


class TablesOfBoxes(SBox):
    def test_spectra_count_the_entries_of_tables(self):
        rng = random.Random(7)
        for n, m in support.some(((1, 1), (1, 5), (2, 3), (3, 2), (4, 4), (5, 1), (4, 6))):
            given = ["--outputs", str(m), "--from", "text"]
            box = " ".join(str(rng.randrange(1 << m)) for _ in range(1 << n)).encode()
            for name, counts in (("ddt", lambda a, b: a), ("lat", lambda a, b: b), ("act", lambda a, b: a and b), ("dlct", lambda a, b: a and b),
                                 ("bct", lambda a, b: a and b), ("fbct", lambda a, b: a and b and a != b)):
                rows = [list(map(int, line.split())) for line in self.output("table", name, *given, input=box).splitlines()]
                entries = [v for a, row in enumerate(rows) for b, v in enumerate(row) if counts(a, b)]
                self.gives(histogram(entries).replace(" ", "\n") + "\n" * bool(entries), "spectrum", name, *given, input=box)

    def test_a_table_that_does_not_exist(self):
        self.expect(1, b"", "fugu: no table 'lad' (did you mean lat?); choose from ddt, lat, act, dlct, bct, fbct, dbct, sac, ubct, lbct, ebct, division_trails, quasidifferential, undisturbed_bits, nonlinear_invariants\n",
                    "sbox", "table", "lad", "AES")
        self.assertIn("no table 'AES': name a table before the box; choose from ddt, ", self.fails(1, "sbox", "spectrum", "AES"))

    def test_scales_and_formats(self):
        row = "16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"  # a = 0: a permutation's components are balanced
        first = ["--rows", "0:1", "PRESENT"]
        self.gives(row, "table", "lat", *first)
        self.gives(row.replace("16", "8"), "table", "lat", "--scale", "bias", *first)
        self.gives(row.replace("16", "1"), "table", "lat", "--scale", "correlation", *first)
        # The row in Heys' tutorial, which has halves of these entries
        heys = ["--rows", "1:1", "--scale", "bias"]
        self.gives("0 0 -2 -2 0 0 -2 6 2 2 0 0 2 2 0 0\n", "table", "lat", *heys, input=b"E4D12FB83A6C5907")
        self.gives("0 0 -1/4 -1/4\n",
                   "table", "lat", "--rows", "1:1", "--columns", "0:4", "--scale", "correlation", input=b"E4D12FB83A6C5907")
        self.gives("matrix(ZZ, [[4, 0],\n[0, 4]])\n", "table", "ddt", "--to", "sage", "--rows", "0:2", "--columns", "0:2", input=b"0 1 2 3")
        rows = json.loads(self.output("table", "lat", "--json", *heys, input=b"E4D12FB83A6C5907"))["rows"]
        self.assertEqual(rows, [[0, 0, -2, -2, 0, 0, -2, 6, 2, 2, 0, 0, 2, 2, 0, 0]])
        self.gives("row,2,3,4\n1,-2,-2,0\n", "table", "lat", "--csv", "--columns", "2:3", *heys, input=b"E4D12FB83A6C5907")
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
        self.gives("0 8 16 6 2 0 0 12 6 0 0 0 0 8 0 6\n", "table", "ddt", "--rows", "52:1", "DES_S1")

    def test_columns_of_tables_too_wide_for_a_row(self):
        rng = random.Random(9)
        values = [rng.randrange(1 << 24) for _ in range(32)]
        lat = lambda a, b: sum(sign(b & values[x]) * sign(a & x) for x in range(32))
        act = lambda a, b: sum(sign(b & (values[x] ^ values[x ^ a])) for x in range(32))
        part = ["--outputs", "24", "--rows", "3:2", "--columns", "9000000:3"]
        for name, entry, scale in (("lat", lat, 1), ("act", act, 1), ("dlct", act, 2)):
            rows = [(a, b, entry(a, b) // scale) for a in (3, 4) for b in range(9000000, 9000003)]
            for kind, first, text in ([], "", "%d %d %d\n"), (["--csv"], "row,column,value\n", "%d,%d,%d\n"):
                self.gives(first + "".join(text % row for row in rows if row[2]),
                           "table", name, *part, *kind, input=" ".join(map(str, values)).encode())
        self.stops(1, "this table has 2^24 columns; choose at most 8388608 with --columns",
                   "table", "lat", "--outputs", "24", input=" ".join(map(str, values)).encode())

    def test_rows_keep_their_numbers_where_few_are_made_at_once(self):
        # Four rows of 2^20 values at a time
        values = [random.Random(5 + x).randrange(1 << 20) for x in range(8)]
        rows = [(a, b, sum(sign(b & values[x]) * sign(a & x) for x in range(8))) for a in range(8) for b in range(77777, 77787)]
        self.gives("".join("%d %d %d\n" % row for row in rows if row[2]),
                   "table", "lat", "--outputs", "20", "--columns", "77777:10", input=" ".join(map(str, values)).encode())

    def test_sparse_text_of_many_outputs(self):
        self.gives("0 0 2\n1 4294967294 2\n", "table", "ddt", "--outputs", "32", input=b"1 4294967295")
        self.gives("0 0 2\n", "table", "ddt", "--outputs", "32", "--columns", "0:5", input=b"0 5")

    def test_lists_are_counted_by_their_last_value(self):
        """Of S(x) = x, where bit j is that of a."""
        self.gives("0:2\n1:4\n", "spectrum", "undisturbed_bits", input=b"0 1 2 3")
        self.stops(1, "only boxes with n <= 16 have the undisturbed_bits", "table", "undisturbed_bits", "chi:17")

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
        self.stops(1, "no table 'sac'; choose from ddt, lat, act, dlct, bct, division_trails", "model", "sac", "AES")
        self.stops(1, "--to npy: models are written as dimacs, lp, minizinc or python", "model", "ddt", "--to", "npy", "AES")
        self.stops(1, "a model of 18 variables: at most 16 are possible", "model", "ddt", "chi:9")


class Univariate(SBox):
    def box(self, polynomial, field="0xb", *options, status=0):
        found, out, err = self.run_fugu("sbox", "table", "ddt", "--from", "univariate", "--field", field, *options, polynomial)
        self.assertEqual(found, status, err)
        return out if status == 0 else err

    def test_a_file_holds_one_and_a_batch_many(self):
        self.write("p", "x^3 + g x^5\n")
        expected = self.box("x^3 + g x^5", "0x13")
        self.assertEqual(self.box("p", "0x13"), expected)
        found = self.rows("--batch", "--only", "du", "--from", "univariate", "--field", "0x13", "-", input=b"x^3\nx^14  # inversion\nx^4\n")
        self.assertEqual([row["du"] for row in found], ["2", "4", "16"])
        self.gives("# y0: degree 1, 1 terms\nx0\n# y1: degree 1, 1 terms\nx2\n# y2: degree 1, 2 terms\nx1 + x2\n",
                   "anf", "--from", "univariate", "--field", "0xb", "x^2")

    def test_what_is_no_polynomial_is_refused(self):
        for polynomial, message in (("x^3 + ", "the polynomial, character 6: it ends too early"), ("x0 x1", "the polynomial, character 2: a power is written x^0"),
                                    ("8 x", "the polynomial, character 2: a coefficient does not fit 3 bits"), ("x^", "the polynomial, character 3: not a number of at most 64 bits"),
                                    ("x)", "the polynomial, character 2: ')' opens nowhere"), ("x - 1", "the polynomial, character 3: '-' is not expected"),
                                    ("(x + 1", "the polynomial, character 7: it ends too early"), ("q", "the polynomial, character 1: 'q' is not expected"),
                                    ("x*", "the polynomial, character 3: it ends too early"), ("(" * 200, "the polynomial, character 102: more than 100 parentheses are open")):
            self.assertEqual(self.box(polynomial, status=1), f"fugu: {message}\n")
        self.assertEqual(self.box("x", "0x1b", status=1), "fugu: the polynomial is not irreducible\n")
        self.assertEqual(self.box("x", "x^3", status=1), "fugu: --field takes a polynomial such as 0x11b, not 'x^3'\n")
        self.assertEqual(self.box("x", "0xb", "--inputs", "4", status=1), "fugu: --inputs 4: the field has 2^3 elements\n")
        self.stops(1, "--from univariate needs a --field such as 0x11b", "report", "--from", "univariate", "x")
        self.fails(1, "sbox", "table", "ddt", "--field", "0xb", "AES", says="fugu: --field does not apply to table, which takes --")


class Objects(SBox):
    def test_columns_that_large_boxes_leave_out(self):
        row = self.row("--only", "rto,snr", "--engine", "cpu", "random:14:13:1")
        self.assertEqual((row["rto"], row["snr"] != "-"), ("-", True))
        self.assertNotIn("revised", self.output("report", "--only", "sidechannel", "--engine", "cpu", "random:14:13:1"))
        self.assertEqual(self.json("--only", "cdu", "DES_S1")["cdu"], None)

    def test_entries_are_lines_in_the_order_of_their_differences(self):
        """Of S(x) = x, by the definition: b = a and c = d, for every x."""
        for name, places in (("ubct", "aad"), ("lbct", "add"), ("ebct", "aadd")):
            entries = [" ".join({"a": a, "d": d}[place] for place in places) for a in "123" for d in "123"]
            self.gives("".join(f"{entry} 4\n" for entry in entries), "table", name, input=b"0 1 2 3")

    def test_parts_of_tables_of_three_differences(self):
        whole = self.output("table", "ebct", "PRESENT").splitlines(True)
        self.gives("".join(line for line in whole if line.split()[0] in "45"), "table", "ebct", "--rows", "4:2", "PRESENT")
        self.stops(1, "--columns is not for the ubct (a list)", "table", "ubct", "--columns", "0:1", "PRESENT")
        self.stops(1, "--plot is not for the ubct (a list)", "table", "ubct", "--plot", "u.svg", "PRESENT")
        self.stops(1, "the ubct is a list, and written only as text", "table", "ubct", "--to", "npy", "PRESENT")

    def test_other_boxes_have_none(self):
        for box in (["DES_S1"], ["--outputs", "2", "-"]):
            found = self.json("--only", "ubct,dbct_max,cdu", *box, input=b"0 1 1 2")
            self.assertEqual([found["ubct"], found["dbct_max"]], [None, None])
        for table in ("dbct", "ubct", "lbct", "ebct"):
            for operation in ("table", "spectrum"):
                self.stops(1, f"only permutations of up to 8 bits have the {table}", operation, table, "DES_S1")
        self.assertNotIn("UBCT", self.output("report", "--only", "boomerang", "DES_S1"))

    def test_the_extended_line(self):
        cdu = self.json("--only", "cdu", "PRESENT")["cdu"]
        self.gives(f"PRESENT, 4 inputs, 4 outputs\nextended      c-differential uniformity 1 for c = 0, 4 for 1, {min(cdu[2:])}..{max(cdu[2:])} for others; second-order nonlinearity 0; degrees of products 3 3 3 4; dimensions of nonlinear invariants 0 0; vanishing flats 8\n",
                   "report", "--only", "extended", "PRESENT")

    def test_the_field_is_the_users(self):
        self.assertNotEqual(self.json("--only", "cdu", "--field", "0x1f", "PRESENT")["cdu"], self.json("--only", "cdu", "PRESENT")["cdu"])

    def test_equations(self):
        """Of S(x) = x."""
        self.gives("x0 + y0\nx1 + y1\n", "equations", "1", input=b"0 1 2 3")
        for degree in ("0", "4", "x"):
            self.stops(1, "equations takes a degree, 1 to 3, and a box", "equations", degree, "AES")
        self.stops(1, "degree 2 takes at most 24 inputs and outputs together, not 13 and 13", "equations", "2", "chi:13")


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
            self.gives(" ".join(key.values()) + "\n", "report", "--weak-keys", "%d:1" % int(key["key hex"], 16), "-q")
        self.gives(" ".join(keys[0].values()) + "\n", "report", "--weak-keys", "8000:400", "-q")
        self.stops(6, "the search for weak keys runs only on the CPU; use --engine cpu",
                   "report", "--weak-keys", "0:9", "--engine", "cuda:0")
        self.write("key", bytes.fromhex("000000000000201e"))
        rows = self.rows("--only", "basic", "--key", "file:key", "blowfish:1", "blowfish:2")
        self.assertEqual([(row["name"], row["collisions"]) for row in rows], [("blowfish:1", "1"), ("blowfish:2", "0")])
        out = self.output("make", "blowfish:1", "--key", "file:key", "--to", "hex")
        entries = [out[8 * i : 8 * i + 8] for i in range(256)]
        self.assertEqual((entries[156], entries[176]), ("df219847", "df219847"))
        self.stops(1, "blowfish:1 needs --key", "make", "blowfish:1")

    def test_verbose_names_what_worked(self):
        self.write("boxes", "0 1 2 3\n3 2 1 0\n")
        for expected, arguments in (("report: cpu, 1 threads", ["report", "boxes", "--batch", "--csv", "--only", "nl"]),
                                    ("report: cpu, 1 threads", ["report", "PRESENT", "AES"]),
                                    ("report: cpu, 1 threads", ["report", "--random-keys", "1"]),
                                    ("keys: cpu, 1 threads", ["report", "--weak-keys", "0:9"]),
                                    ("spectrum: cpu, 1 threads", ["spectrum", "ddt", "PRESENT"])):
            self.expect(0, b"", f"fugu: {expected}\n", "sbox", *arguments, "-v", "-T", "1", "--engine", "auto", "-o", "out", "-f")

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
