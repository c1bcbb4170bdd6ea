"""The boxes of fugu sbox list, compared with their specifications, with published properties and with other collections."""

import hashlib
import re

import support
from sbox_support import Field, SBox, VECTORS, parity, records


def rotated(x, by, bits=8):
    return (x << by | x >> bits - by) & (1 << bits) - 1


def linear(rows, x):
    """Bit i of the result is the parity of rows[i] & x."""
    return sum(parity(row & x) << i for i, row in enumerate(rows))


def circulant(row, bits=8):
    return [rotated(row, i, bits) for i in range(bits)]


class Named(SBox):
    def names(self):
        rows = [re.match(r"(\S+) +(\d+) x (\d+), (.+)", line) for line in self.output("list").splitlines()]
        return {row[1]: (int(row[2]), int(row[3]), row[4]) for row in rows if row}

    def test_each_has_a_size_and_an_origin(self):
        names = self.names()
        self.assertGreater(len(names), 300)
        for name in ("AES", "Kuznyechik", "SM4", "Skipjack", "Midori_Sb1", "3-Way", "KASUMI_S9", "DES_S5_2", "Optimal_S15"):
            inputs, outputs, origin = names[name]
            values = self.values(name)
            self.assertEqual((len(values), max(values) >> outputs, origin != ""), (1 << inputs, 0, True))

    def test_published_properties(self):
        for box in {record["box"] for record in records(VECTORS / "published.txt")}:
            claims = [record for record in records(VECTORS / "published.txt") if record["box"] == box]
            row = self.row("--only", ",".join(claim["field"] for claim in claims), box)
            for claim in claims:
                self.assertEqual(row[claim["field"]], claim["value"], claim)

    def test_values_of_specifications(self):
        """The algebra that the standards print beside their tables."""
        inverse = [Field(0x11B).power(x, 254) for x in range(256)]
        self.assertEqual(self.values("AES"), [linear(circulant(0xF1), y) ^ 0x63 for y in inverse])
        # GB/T 32907: I(A x + C) in GF(2^8) modulo x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1.
        affine = [linear([0xA7, 0x4F, 0x9E, 0x3D, 0x7A, 0xF4, 0xE9, 0xD3], x) ^ 0xD3 for x in range(256)]
        for name in ("SMS4", "SM4"):
            self.assertEqual(self.values(name), [affine[Field(0x1F5).power(affine[x], 254)] for x in range(256)])
        # SAFER: powers of 45 modulo 257; MAGENTA: powers of X; MD2 and others have no such form.
        self.assertEqual(self.values("Safer"), [pow(45, x, 257) % 256 for x in range(256)])
        self.assertEqual(self.values("MAGENTA")[:255], [Field(0x165).power(2, x) for x in range(255)])
        for name in ("KASUMI_S9", "MISTY_S7", "KASUMI_S7"):
            values = self.values(name)
            self.assertEqual(sorted(values), list(range(len(values))))
        # ISO/IEC 10118-3: Whirlpool's box from two mini-boxes and E's inverse.
        e, r = self.values("Whirlpool_E"), self.values("Whirlpool_R")
        back = [e.index(y) for y in range(16)]
        expected = []
        for x in range(256):
            upper, lower = e[x >> 4], back[x & 15]
            middle = r[upper ^ lower]
            expected.append(e[upper ^ middle] << 4 | back[lower ^ middle])
        self.assertEqual(self.values("Whirlpool"), expected)
        # The first values, as the ciphers' specifications print them
        for name, first in (("Camellia", [112, 130, 44, 236]), ("CLEFIA_S0", [0x57, 0x49, 0xD1, 0xC6]), ("CLEFIA_S1", [0x6C, 0xDA, 0xC3, 0xE9]),
                            ("ARIA_s2", [0xE2, 0x4E, 0x54, 0xFC]), ("SEED_S0", [0xA9, 0x85, 0xD6, 0xD3]), ("MD2", [41, 46, 67, 201]),
                            ("Kuznyechik", [252, 238, 221, 17]), ("Skipjack", [0xA3, 0xD7, 0x09, 0x83]), ("BelT", [0xB1, 0x94, 0xBA, 0xC8]),
                            *((name, [12, 10, 13, 3]) for name in ("Midori_Sb0", "MANTIS", "CRAFT", "WARP"))):
            self.assertEqual(self.values(name)[:4], first, name)

    def test_boxes_of_the_ciphers_definitions(self):
        """In bits, as their specifications define them."""
        def gascon(words):  # DryGASCON, 2019, for 5 and 9 words
            for value in range(1 << words):
                x = [value >> i & 1 for i in range(words)]
                for i in range(0, words, 2):
                    x[i] ^= x[i - 1]
                x = [x[i] ^ (x[(i + 1) % words] ^ 1) & x[(i + 2) % words] for i in range(words)]
                for i in range(0, words, 2):
                    x[(i + 1) % words] ^= x[i]
                x[words // 2] ^= 1
                yield sum(bit << i for i, bit in enumerate(x))
        self.assertEqual(self.values("DryGASCON128"), list(gascon(5)))
        self.assertEqual(self.values("DryGASCON256"), list(gascon(9)))

        def robin(x):  # Grosso, Leurent, Standaert and Varici, FSE 2014: three rounds with a box of class 13
            halves = [x & 15, x >> 4]
            for to in (0, 1, 0):
                a, b, c, d = (halves[1 - to] >> i & 1 for i in range(4))
                first, third = a & b ^ c, (b | c) ^ d
                halves[to] ^= first | (third & a ^ b) << 1 | third << 2 | (first & d ^ a) << 3
            return halves[0] | halves[1] << 4
        self.assertEqual(self.values("Robin"), [robin(x) for x in range(256)])
        # RFC 2994: quadratic, and as nonlinear as 9 bits can be (Matsui, FSE 1997).
        self.assertEqual(self.values("MISTY_S9")[:4] + self.values("MISTY_S9")[-4:], [451, 203, 339, 415, 278, 348, 76, 450])
        row = self.row("--only", "basic,differential,linear,algebra", "MISTY_S9")
        self.assertEqual([row[name] for name in ("permutation", "du", "linearity", "deg")], ["1", "2", "32", "2"])

    def test_names_in_either_case(self):
        for name, given in (("Rectangle", "RECTANGLE"), ("AES", "aes"), ("3-Way", "3-WAY"), ("Blowfish_initial_S2", "BLOWFISH_initial_s2"),
                            ("FlexAEAD", "flexaead"), ("power:4:7", "Power:4:7"), ("power:4:7:0x19", "POWER:4:7:0X19")):
            self.assertEqual(self.values(given), self.values(name))
        names = [name.lower() for name in self.names()]
        self.assertEqual(len(set(names)), len(names))

    def test_rows_of_des(self):
        for i in range(1, 9):
            box = self.values(f"DES_S{i}")
            for row in range(4):
                self.assertEqual(self.values(f"DES_S{i}_{row + 1}"), [box[(row & 2) << 4 | column << 1 | row & 1] for column in range(16)])

    def test_digests_of_another_program(self):
        for record in (line.split("|") for line in (VECTORS / "sidechannel.txt").read_text().splitlines() if line[0] != "#"):
            self.assertEqual(hashlib.sha256(bytes(self.values(record[0]))).hexdigest(), record[3], record[0])

    def test_unknown_names(self):
        for name, nearest in (("Kuznyechick", "Kuznyechik"), ("PRINCES", "PRINCE"), ("Camelia", "Camellia")):
            self.expect(2, "", f"fugu: {name}: no file and no named box (did you mean {nearest}?); see fugu sbox list\n", "sbox", "report", name)


if __name__ == "__main__":
    support.main()
