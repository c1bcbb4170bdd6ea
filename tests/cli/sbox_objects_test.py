"""fugu sbox: univariate polynomials, the boomerang family, side channels, second order, equations; from the definitions, and from a
program outside this project (vectors/sbox)."""

import hashlib
import itertools
import math
import random
import struct

import support
from sbox_support import Field, SBox, VECTORS, histogram, parity


def rows(name):
    return [line.split("|") for line in (VECTORS / name).read_text().splitlines() if not line.startswith("#")]


def text(values):
    return " ".join(map(str, values)).encode()


class Univariate(SBox):
    def box(self, polynomial, field="0xb", *options, status=0):
        found, out, err = self.run_fugu("sbox", "table", "ddt", "--from", "univariate", "--field", field, *options, polynomial)
        self.assertEqual(found, status, err)
        return out if status == 0 else err

    def test_published_apn_functions(self):
        """The ortho-derivatives' spectra are those that the wiki of the University of Bergen prints."""
        for name, terms, lut, ortho in rows("univariate_8.txt"):
            common = ["--from", "univariate", "--field", "0x11d"]
            row = self.row("--exhaustive", "--only", "apn,ortho_ddt", *common, terms)
            self.assertEqual((row["apn"], row["ortho_ddt"]), ("1", ortho.replace(",", " ")), name)
            values = list(bytes.fromhex(lut))
            self.assertEqual(self.output("derivative", "0x80", *common, terms).split(), [str(values[x] ^ values[x ^ 0x80]) for x in range(256)])

    def expect_values(self, polynomial, values, field="0xb"):
        self.assertEqual(self.components(int(field, 16).bit_length() - 1, "--from", "univariate", "--field", field, polynomial), values, polynomial)

    def test_every_spelling(self):
        f = Field(0xB)
        cube = [f.power(x, 3) for x in range(8)]
        for spelling in ("x^3", "x*x^2", "x x x", " X ^ 3 ", "x^10", "x^(-4)", "x^-4", "1 x^3", "0x1*x^3", "x^3 + 5 + 5", "g^7 x^3", "(x)^3",
                         "a^0x7*x^3", "(g^3 + g) x^3 + 0", "x^3 + 1 + g^0", "z3^7 * x^3"):
            self.expect_values(spelling, cube)
        self.expect_values("g^2 x^6 + 3x + g", [f.product(4, f.power(x, 6)) ^ f.product(3, x) ^ 2 for x in range(8)])
        self.expect_values("x^0", [1] * 8)
        self.expect_values("x^7", [0] + [1] * 7)
        self.expect_values("x^-1", [0] + [f.power(x, 6) for x in range(1, 8)])
        self.expect_values("x^3 + a^-1 Tr(a^3 x^5)", [cube[x] ^ f.product(f.power(2, 6), f.trace(f.product(f.power(2, 3), f.power(x, 5)))) for x in range(8)])
        self.expect_values("x", [0, 1], "0x3")

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
                                    ("8 x", "the polynomial, character 2: a coefficient does not fit 3 bits"), ("x^", "the polynomial, character 3: no number, or one of more than 64 bits"),
                                    ("x)", "the polynomial, character 2: ')' opens nowhere"), ("x - 1", "the polynomial, character 3: '-' is not expected"),
                                    ("(x + 1", "the polynomial, character 7: it ends too early"), ("q", "the polynomial, character 1: 'q' is not expected"),
                                    ("x*", "the polynomial, character 3: it ends too early"), ("(" * 200, "the polynomial, character 102: more than 100 parentheses are open")):
            self.assertEqual(self.box(polynomial, status=1), f"fugu: {message}\n")
        self.assertEqual(self.box("x", "0x1b", status=1), "fugu: the polynomial is not irreducible\n")
        self.assertEqual(self.box("x", "x^3", status=1), "fugu: --field takes a polynomial such as 0x11b, not 'x^3'\n")
        self.assertEqual(self.box("x", "0xb", "--inputs", "4", status=1), "fugu: --inputs 4: the field has 2^3 elements\n")
        self.expect(1, "", "fugu: --from univariate needs --field, such as 0x11b\n", "sbox", "report", "--from", "univariate", "x")
        self.expect(1, "", "fugu: --field means nothing to table\n", "sbox", "table", "ddt", "--field", "0xb", "AES")

    def test_large_fields(self):
        row = self.row("--only", "permutation,deg", "--from", "univariate", "--field", "0x100009", "x^7")
        self.assertEqual(list(row.values())[1:], ["20", "20", "1", "3"])


class Values(SBox):
    def values_of(self, box, *only, n=None, m=None):
        shape = ["--from", "text", "--inputs", str(n), "--outputs", str(m)] if n else []
        found = self.json("--only", ",".join(only), *shape, *(["-"] if n else [box]), input=text(box) if n else b"")
        return [found[column] for column in only]


class SideChannels(Values):
    COLUMNS = ("rto", "snr", "cc_mean", "cc_var", "cc_min")

    def test_values_computed_elsewhere(self):
        for name, n, m, _, rto, snr, fourths, *confusion in rows("sidechannel.txt"):
            found = self.values_of(name, *self.COLUMNS)
            for value, expected in zip(found, (rto, snr, *confusion), strict=True):
                self.assertAlmostEqual(value, float(expected), delta=6e-10, msg=name)
            self.assertAlmostEqual(found[1], int(m) * 4 ** int(n) / math.sqrt(int(fourths)), places=12)

    def test_definitions(self):
        rng = random.Random(5)
        for n, m in ((3, 2), (4, 5), (2, 1)):
            s = [rng.randrange(1 << m) for _ in range(1 << n)]
            size = 1 << n
            sign = lambda x, j: (-1) ** (s[x] >> j & 1)
            cross = [[[sum(sign(x, i) * sign(x ^ a, j) for x in range(size)) for a in range(size)] for j in range(m)] for i in range(m)]
            rto = max(m - sum(abs(sum((-1) ** (beta >> i & 1 ^ beta >> j & 1) * cross[i][j][a] for i in range(m)))
                              for a in range(1, size) for j in range(m)) / (size * size - size) for beta in range(1 << m))
            fourth = sum(sum(sum(sign(x, j) * (-1) ** parity(a & x) for x in range(size)) for j in range(m)) ** 4 for a in range(size))
            kappa = [sum((bin(s[x]).count("1") - bin(s[x ^ d]).count("1")) ** 2 for x in range(size)) / size for d in range(1, size)]
            mean = sum(kappa) / len(kappa)
            expected = [rto, m * size * size / math.sqrt(fourth), mean, sum((k - mean) ** 2 for k in kappa) / len(kappa), min(kappa)]
            for value, wanted in zip(self.values_of(s, *self.COLUMNS, n=n, m=m), expected, strict=True):
                self.assertAlmostEqual(value, wanted, places=12)

    def test_a_constant_box_of_16_bits(self):
        """W(0,2^j) = 2^16 for all j: the ratio is 16 2^32 / 2^40. Its fourth power exceeds 64 bits."""
        self.write("zero", bytes(2 << 16))
        values = self.json("--only", "snr,cc_mean,cc_var,cc_min", "--from", "u16le", "--outputs", "16", "zero")
        self.assertEqual([values[name] for name in ("snr", "cc_mean", "cc_var", "cc_min")], [0.0625, 0, 0, 0])

    def test_a_step_of_16_bits(self):
        """h = 16 for x in half of the inputs, else 0: kappa(d) is 256 for the d that leave the half, 2^15 of them, else 0."""
        self.write("step", bytes(1 << 16) + b"\xff" * (1 << 16))
        values = self.json("--only", "cc_mean,cc_var,cc_min", "--from", "u16le", "--outputs", "16", "step")
        others = (1 << 16) - 1
        mean = 256 * (1 << 15) / others
        variance = ((1 << 15) * (256 - mean) ** 2 + (others - (1 << 15)) * mean**2) / others
        self.assertAlmostEqual(values["cc_mean"], mean, places=9)
        self.assertAlmostEqual(values["cc_var"], variance, places=6)
        self.assertEqual(values["cc_min"], 0)

    def test_the_longest_is_left_out_of_large_boxes(self):
        row = self.row("--only", "rto,snr", "--engine", "cpu", "random:14:13:1")
        self.assertEqual((row["rto"], row["snr"] != "-"), ("-", True))
        self.assertNotIn("revised", self.output("report", "--only", "sidechannel", "--engine", "cpu", "random:14:13:1"))


class BoomerangFamily(Values):
    COLUMNS = ("ubct", "ubct_max", "lbct", "lbct_max", "ebct", "ebct_max", "dbct", "dbct_max")

    def table(self, s, n):
        out = self.output("table", "dbct", "--from", "text", "--inputs", str(n), "--outputs", str(n), input=text(s))
        return [list(map(int, line.split())) for line in out.splitlines()]

    def test_values_computed_elsewhere(self):
        for name, n, lut, ubct, ubct_max, lbct, lbct_max, dbct, dbct_max, digest in rows("boomerang_family.txt"):
            size, digits = 1 << int(n), (int(n) + 3) // 4
            s = [int(lut[i:i + digits], 16) for i in range(0, len(lut), digits)]
            found = dict(zip(self.COLUMNS, self.values_of(s, *self.COLUMNS, n=n, m=n)))
            for column, expected, most in (("ubct", ubct, ubct_max), ("lbct", lbct, lbct_max), ("dbct", dbct, dbct_max)):
                self.assertEqual(",".join(f"{value}:{count}" for value, count in found[column]), expected, (name, column))
                self.assertEqual(found[column + "_max"], int(most))
            table = self.table(s, int(n))
            self.assertEqual(hashlib.sha256(struct.pack(f"<{size * size}q", *itertools.chain(*table))).hexdigest(), digest, name)

    def test_definitions(self):
        rng = random.Random(2)
        several_b = [3, 4, 0, 6, 1, 7, 2, 5]  # for some a, c and d
        for s in (rng.sample(range(8), 8), several_b, list(range(4)), [1, 0]):
            n, size = len(s).bit_length() - 1, len(s)
            back = [s.index(y) for y in range(size)]
            ubct, lbct, ebct = {}, {}, {}
            for a, d, x in itertools.product(range(size), repeat=3):
                t, u = back[s[x] ^ d], back[s[x ^ a] ^ d]
                if t ^ u == a:
                    b, c = s[x] ^ s[x ^ a], x ^ t
                    for table, key in ((ubct, (a, b, d)), (lbct, (a, c, d)), (ebct, (a, b, c, d))):
                        table[key] = table.get(key, 0) + 1
            everything = range(size)
            others = range(1, size)
            dbct = {(a, d): sum(ubct.get((a, b, c), 0) * lbct.get((b, c, d), 0) for b in everything for c in everything)
                    for a in everything for d in everything}
            expected = [histogram(table.get(key, 0) for key in itertools.product(others, repeat=k))
                        for table, k in ((ubct, 3), (lbct, 3), (ebct, 4), (dbct, 2))]
            found = self.values_of(s, *self.COLUMNS[::2], n=n, m=n)
            self.assertEqual([" ".join(f"{value}:{count}" for value, count in one) for one in found], expected)
            self.assertEqual(self.table(s, n), [[dbct[a, d] for d in everything] for a in everything])
            for name, table in (("ubct", ubct), ("lbct", lbct), ("ebct", ebct)):
                entries = [(*key, count) for key, count in sorted(table.items()) if all(key)]
                self.expect(0, "".join(" ".join(map(str, entry)) + "\n" for entry in entries), "", "sbox", "table", name, "--inputs", str(n),
                            "--outputs", str(n), input=text(s))
                self.assertEqual(self.output("spectrum", name, "--inputs", str(n), "--outputs", str(n), input=text(s)).split(), histogram(
                    table.get(key, 0) for key in itertools.product(others, repeat=4 if name == "ebct" else 3)).split())

    def test_parts_of_tables_of_three_differences(self):
        whole = self.output("table", "ebct", "PRESENT").splitlines(True)
        self.expect(0, "".join(line for line in whole if line.split()[0] in "45"), "", "sbox", "table", "ebct", "--rows", "4:2", "PRESENT")
        self.expect(1, "", "fugu: --columns is for tables of two differences\n", "sbox", "table", "ubct", "--columns", "0:1", "PRESENT")
        self.expect(1, "", "fugu: --plot is for tables of two differences\n", "sbox", "table", "ubct", "--plot", "u.svg", "PRESENT")
        self.expect(1, "", "fugu: tables of three and four differences are written as text only\n", "sbox", "table", "ubct", "--to", "npy",
                    "PRESENT")

    def test_other_boxes_have_none(self):
        self.assertEqual(self.values_of([0, 1, 1, 2], "ubct", "dbct_max", n=2, m=2), [None, None])
        self.assertEqual(self.values_of("DES_S1", "ubct"), [None])
        for table in ("dbct", "ubct", "lbct", "ebct"):
            for operation in ("table", "spectrum"):
                self.expect(1, "", f"fugu: only permutations of up to 8 bits have the {table}\n", "sbox", operation, table, "DES_S1")
        self.assertNotIn("UBCT", self.output("report", "--only", "boomerang", "DES_S1"))


class SecondOrder(Values):
    def nl2(self, bits):
        return self.functions("--from", "bits", input=bits.encode())[0]["nl2"]

    def test_values_computed_elsewhere(self):
        for name, n, tt, first, second in rows("second_order_nonlinearity.txt"):
            (row,) = self.functions("--from", "hex", input=tt.encode())
            self.assertEqual((row["nonlinearity"], row["nl2"]), (first, second), name)

    def test_all_functions_of_degree_two(self):
        """The distance to each of them, for random functions of up to four variables."""
        rng = random.Random(1)
        for n in (0, 1, 2, 3, 4):
            monomials = [mask for mask in range(1 << n) if bin(mask).count("1") <= 2]
            forms = [sum((x & mask == mask) << x for x in range(1 << n)) for mask in monomials]
            span = [0]
            for form in forms:
                span += [value ^ form for value in span]
            for _ in range(3):
                f = rng.getrandbits(1 << n)
                self.assertEqual(self.nl2("".join(str(f >> x & 1) for x in range(1 << n))), str(min(bin(f ^ g).count("1") for g in span)))

    def test_seven_variables(self):
        """Adding a function of degree 2, and an affine map of the variables, change nothing; x0 x1 x2 is at distance 2^(n-3)."""
        rng = random.Random(4)
        cube = lambda x: x & 7 == 7
        quadratic = lambda x: parity(x & x >> 1) ^ parity(x & 0x55)
        self.assertEqual(self.nl2("".join(str(int(cube(x ^ x << 1 & 127 ^ 9)) ^ quadratic(x)) for x in range(128))), "16")
        f = [rng.randrange(2) for _ in range(128)]
        self.assertEqual(self.nl2("".join(map(str, f))), self.nl2("".join(str(f[x ^ x << 2 & 127 ^ 5] ^ quadratic(x)) for x in range(128))))

    def test_boxes_have_that_of_their_components(self):
        names = {row[0]: row[4] for row in rows("second_order_nonlinearity.txt")}
        self.assertEqual(self.values_of("PRESENT", "nl2"), [min(int(value) for name, value in names.items() if name.startswith("PRESENT"))])
        cdu = self.values_of("PRESENT", "cdu")[0]
        self.expect(0, "PRESENT, 4 inputs, 4 outputs\nextended      c-differential uniformity 1 for c = 0, 4 for 1, "
                    f"{min(cdu[2:])}..{max(cdu[2:])} for others; second-order nonlinearity 0\n", "", "sbox", "report", "--only", "extended", "PRESENT")


class CDifferentials(Values):
    def test_values_computed_elsewhere(self):
        for n, polynomial, exponent, values in rows("c_differential.txt"):
            found = self.values_of(f"power:{n}:{exponent}:{polynomial}", "cdu")
            self.assertEqual(found[0], list(map(int, values.split(","))))

    def test_the_field_is_the_users(self):
        f, rng = Field(0x1F), random.Random(7)
        s = [rng.randrange(16) for _ in range(16)]
        expected = [max(sum(s[x ^ a] ^ f.product(c, s[x]) == b for x in range(16)) for a in range(1 if c == 1 else 0, 16) for b in range(16)) for c in range(16)]
        self.assertEqual(self.json("--only", "cdu", "--field", "0x1f", input=text(s))["cdu"], expected)
        self.assertEqual(self.values_of("DES_S1", "cdu"), [None])


class Equations(SBox):
    def test_each_holds_and_they_are_independent(self):
        rng = random.Random(3)
        self.write("box", " ".join(str(rng.randrange(8)) for _ in range(16)))
        for name, shape in (("PRESENT", (4, 4)), ("box", (4, 3)), ("DES_S2", (6, 4)), ("chi:3", (3, 3))):
            options = ["--outputs", "3"] if name == "box" else []
            row = self.row("--only", "eq1,eq2,eq3", *options, name)
            n, m = shape
            table = self.components(m, *options, name)
            for degree in (1, 2, 3):
                listed = self.output("equations", str(degree), *options, name).splitlines()
                self.assertEqual(str(len(listed)), row[f"eq{degree}"])
                basis = []
                for equation in listed:
                    monomials = [tuple(monomial.split()) for monomial in equation.split(" + ")]
                    self.assertLessEqual(max(len(monomial) for monomial in monomials if monomial != ("1",)), degree)
                    for x in range(1 << n):
                        bit = lambda v: 1 if v == "1" else (x if v[0] == "x" else table[x]) >> int(v[1:]) & 1
                        self.assertEqual(sum(all(bit(v) for v in monomial) for monomial in monomials) % 2, 0, equation)
                    basis.append(set(monomials))
                self.assertEqual(self.rank(basis), len(basis))

    @staticmethod
    def rank(vectors):
        pivots = {}
        for vector in vectors:
            vector = set(vector)
            while vector and max(vector) in pivots:
                vector ^= pivots[max(vector)]
            if vector:
                pivots[max(vector)] = vector
        return len(pivots)

    def test_refusals(self):
        for degree in ("0", "4", "x"):
            self.expect(1, "", "fugu: equations takes a degree, 1 to 3, and a box\n", "sbox", "equations", degree, "AES")
        self.expect(1, "", "fugu: equations of degree 2 of 13 inputs and 13 outputs: n + m is at most 24\n", "sbox", "equations", "2", "chi:13")


if __name__ == "__main__":
    support.main()
