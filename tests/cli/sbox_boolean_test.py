"""fugu spectral properties and anf."""

import json
import random

from sbox_support import SBox, VECTORS, records
from spectral_test import npy


class BooleanFunctions(SBox):
    def test_json_has_the_columns(self):
        function = next(row for row in records(VECTORS / "boolean.txt") if row["n"] == "4")
        found = json.loads(self.run_fugu("spectral", "properties", "--json", "--from", "hex", input=function["tt"].encode())[1])
        self.assertEqual([found["ann_f"], found["ai"], found["balanced"]],
                         [list(map(int, function["ann_f"].split(":"))), int(function["ai"]), function["balanced"] == "1"])

    def test_annihilators_are_left_out_where_they_take_minutes(self):
        for variables, found in ((14, "0,15:0,0:1"), (15, "-,-,-")):
            out = self.run_fugu("spectral", "properties", "--from", "bits", input=b"1" * 2**variables)[1].decode()
            self.assertIn(f",{found},", out.splitlines()[1])

    def test_batch_has_a_line_for_each_row(self):
        rows = self.functions(input=npy("|u1", [0, 0, 0, 1, 0, 1, 1, 0], "B", "(2, 4)"))
        self.assertEqual([(row["nonlinearity"], row["degree"], row["bent"]) for row in rows],
                         [("1", "2", "1"), ("0", "1", "0")])

    def test_hexadecimal_digits_in_sages_order(self):
        """Sage writes the number sum of f(x) 2^x in hexadecimal digits: 00010111 is e8."""
        sage = ["--from", "hex", "--bit-order", "sage"]
        self.expect(0, "e8\n", "", "spectral", "anf", "--from", "polynomial", "--variables", "3", "--to", "hex", "--bit-order",
                    "sage", input=b"x0 x1 + x0 x2 + x1 x2")
        self.expect(0, "x0 x1 + x0 x2 + x1 x2\n", "", "spectral", "anf", *sage, "--to", "polynomial", input=b"e8")
        self.expect(0, "e\n", "", "spectral", "anf", "--to", "hex", "--bit-order", "sage", input=b"0111")  # x0 + x1 + x0 x1
        rng = random.Random(5)
        for variables in (2, 3, 5, 6, 7, 9):
            rows = [[rng.randrange(2) for _ in range(1 << variables)] for _ in range(3)]
            digits = ["%0*x" % ((1 << variables) // 4, sum(bit << x for x, bit in enumerate(row))) for row in rows]
            bits = ["".join(map(str, row)) for row in rows]
            batch = ["--row-bits", str(variables)]
            plain = self.run_fugu("spectral", "walsh", "--from", "bits", *batch, input="\n".join(bits).encode())
            self.assertEqual(plain[0], 0)
            self.assertEqual(self.run_fugu("spectral", "walsh", *sage, *batch, input="\n".join(digits).encode()), plain)
            self.expect(0, "".join(row + "\n" for row in digits), "", "spectral", "inverse", "--to", "hex", "--bit-order", "sage",
                        *batch, input=plain[1])
        self.expect(1, "", "fugu: -: --bit-order is for hexadecimal digits: --from hex or --to hex\n".replace("-: --", "--"),
                    "spectral", "walsh", "--bit-order", "sage", input=b"0110")

    def test_second_order_nonlinearity_of_seven_variables_is_not_left_out(self):
        """A product of all of them is one value away from 0."""
        out = self.run_fugu("spectral", "properties", "--from", "polynomial", "--variables", "7", input=b"x0 x1 x2 x3 x4 x5 x6")[1]
        self.assertEqual(out.decode().rstrip().rpartition(",")[2], "1")

    def test_anf_both_ways(self):
        self.expect(0, "x0 x1 + x2\n", "", "spectral", "anf", input=b"00011110")
        self.expect(0, "00011110\n", "", "spectral", "anf", "--from", "polynomial", "--variables", "3", input=b"x0 x1 + x2")
        self.expect(0, "00011000\n", "", "spectral", "anf", "--to", "bits", input=b"00011110")
        self.expect(0, "0\n", "", "spectral", "anf", input=b"0000")
