"""fugu sbox: univariate polynomials, the boomerang family, second order and equations, as they are read and written. Their values are
compared with other programs' and with the definitions in tests/python/test_box_values.py."""

from sbox_support import SBox


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
        self.expect(0, "# y0: degree 1, 1 terms\nx0\n# y1: degree 1, 1 terms\nx2\n# y2: degree 1, 2 terms\nx1 + x2\n", "", "sbox", "anf", "--from",
                    "univariate", "--field", "0xb", "x^2")

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
        self.expect(1, "", "fugu: --from univariate needs a --field such as 0x11b\n", "sbox", "report", "--from", "univariate", "x")
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
            self.expect(0, "".join(f"{entry} 4\n" for entry in entries), "", "sbox", "table", name, input=b"0 1 2 3")

    def test_parts_of_tables_of_three_differences(self):
        whole = self.output("table", "ebct", "PRESENT").splitlines(True)
        self.expect(0, "".join(line for line in whole if line.split()[0] in "45"), "", "sbox", "table", "ebct", "--rows", "4:2", "PRESENT")
        self.expect(1, "", "fugu: --columns is not for the ubct (a list)\n", "sbox", "table", "ubct", "--columns", "0:1", "PRESENT")
        self.expect(1, "", "fugu: --plot is not for the ubct (a list)\n", "sbox", "table", "ubct", "--plot", "u.svg", "PRESENT")
        self.expect(1, "", "fugu: the ubct is a list, and written only as text\n", "sbox", "table", "ubct", "--to", "npy",
                    "PRESENT")

    def test_other_boxes_have_none(self):
        for box in (["DES_S1"], ["--outputs", "2", "-"]):
            found = self.json("--only", "ubct,dbct_max,cdu", *box, input=b"0 1 1 2")
            self.assertEqual([found["ubct"], found["dbct_max"]], [None, None])
        for table in ("dbct", "ubct", "lbct", "ebct"):
            for operation in ("table", "spectrum"):
                self.expect(1, "", f"fugu: only permutations of up to 8 bits have the {table}\n", "sbox", operation, table, "DES_S1")
        self.assertNotIn("UBCT", self.output("report", "--only", "boomerang", "DES_S1"))

    def test_the_extended_line(self):
        cdu = self.json("--only", "cdu", "PRESENT")["cdu"]
        self.expect(0, "PRESENT, 4 inputs, 4 outputs\nextended      c-differential uniformity 1 for c = 0, 4 for 1, "
                    f"{min(cdu[2:])}..{max(cdu[2:])} for others; second-order nonlinearity 0; "
                    "degrees of products 3 3 3 4; dimensions of nonlinear invariants 0 0; vanishing flats 8\n", "", "sbox", "report", "--only", "extended", "PRESENT")

    def test_the_field_is_the_users(self):
        self.assertNotEqual(self.json("--only", "cdu", "--field", "0x1f", "PRESENT")["cdu"], self.json("--only", "cdu", "PRESENT")["cdu"])

    def test_equations(self):
        """Of S(x) = x."""
        self.expect(0, "x0 + y0\nx1 + y1\n", "", "sbox", "equations", "1", input=b"0 1 2 3")
        for degree in ("0", "4", "x"):
            self.expect(1, "", "fugu: equations takes a degree, 1 to 3, and a box\n", "sbox", "equations", degree, "AES")
        self.expect(1, "", "fugu: degree 2 takes at most 24 inputs and outputs together, not 13 and 13\n", "sbox", "equations", "2", "chi:13")
