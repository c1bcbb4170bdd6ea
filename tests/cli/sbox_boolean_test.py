"""Boolean functions, and invariants of boxes."""

import itertools
import json
import random
import struct
from collections import Counter

import support
from sbox_support import SBox, VECTORS, histogram, parity, records
from spectral_test import npy


class Invariants(SBox):
    def invariants(self, *options):
        return dict(line[8:].split(": ") for line in self.output("invariants", *options, "box").splitlines())

    def test_apn_classes_of_six_variables(self):
        for box in records(VECTORS / "apn6.txt"):
            self.write("box", box["LUT 2 hex digits"])
            lines = self.invariants("--from", "hex", "--outputs", "6")
            self.assertEqual((lines["Gamma rank"], lines["Delta rank"]), (box["gamma rank"], box["delta rank"]))
            row = self.row("--only", "ccz", "--from", "hex", "--outputs", "6", "box")
            self.assertEqual((row["gamma_rank"], row["ortho_walsh"]), (box["gamma rank"], box["ortho walsh hist"].replace(",", " ")))
            self.assertEqual(lines["differential spectrum of the ortho-derivative"],
                             box["ortho ddt hist"].replace(",", " "))


    def test_digests_by_their_definition(self):
        numbers = random.Random(1)
        s = [numbers.randrange(16) for _ in range(32)]
        self.write("box", " ".join(map(str, s)))
        lines = self.invariants("--outputs", "4")
        rows = [Counter(s[x] ^ s[x ^ a] for x in range(32)) for a in range(1, 32)]
        self.assertEqual(lines["rows of the DDT"], digest_of([Counter(row.values()) for row in rows]))
        columns = [[sum((-1) ** (parity(b & s[x]) ^ parity(a & x)) for x in range(32)) for a in range(32)] for b in range(1, 16)]
        self.assertEqual(lines["columns of the LAT"], digest_of([Counter(map(abs, column)) for column in columns]))
        self.assertEqual(lines["Walsh spectrum"], histogram(itertools.chain(*columns)))
        row = self.row("--only", "bct,fbct", "--outputs", "4", "box")
        self.assertEqual([lines["boomerang spectrum"], lines["Feistel boomerang spectrum"]], [row["bct"], row["fbct"]])


def fnv(words):
    state = 0xcbf29ce484222325
    for byte in b"".join(struct.pack("<Q", word) for word in words):
        state = (state ^ byte) * 0x100000001b3 % (1 << 64)
    return state


def digest_of(histograms):
    """The sorted digests of histograms, digested."""
    return f"{fnv(sorted(fnv(number for pair in sorted(of_one.items()) for number in pair) for of_one in histograms)):016x}"


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

    def test_anf_both_ways(self):
        self.expect(0, "x0 x1 + x2\n", "", "spectral", "anf", input=b"00011110")
        self.expect(0, "00011110\n", "", "spectral", "anf", "--from", "polynomial", "--variables", "3",
                    input=b"x0 x1 + x2")
        self.expect(0, "00011000\n", "", "spectral", "anf", "--to", "bits", input=b"00011110")
        self.expect(0, "0\n", "", "spectral", "anf", input=b"0000")


if __name__ == "__main__":
    support.main()
