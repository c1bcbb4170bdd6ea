"""Values that vectors/sbox/properties.txt does not have: of boxes by name, of side channels, boomerangs, anomalies and large boxes,
compared with other files of vectors/sbox/, with specifications and with the definitions."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import struct
from collections import Counter
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import check_power_map, histogram_of, lines, records, shuffled, splitmix, text_of
from sbox_support import parity

named = fugu.SBox.named


def value(box: fugu.SBox, column: str) -> Any:
    return box._session.value(column)


class GF:
    """GF(2^n) by its polynomial."""

    def __init__(self, polynomial: int) -> None:
        self.bits, self.polynomial = polynomial.bit_length() - 1, polynomial

    def product(self, a: int, b: int) -> int:
        result = 0
        while b:
            result ^= a if b & 1 else 0
            a <<= 1
            a ^= self.polynomial if a >> self.bits & 1 else 0
            b >>= 1
        return result

    def power(self, a: int, exponent: int) -> int:
        return self.product(a, self.power(a, exponent - 1)) if exponent else 1

    def trace(self, a: int) -> int:
        result = a
        for _ in range(self.bits - 1):
            a = self.product(a, a)
            result ^= a
        return result


@pytest.mark.parametrize("record", records("sbox/published.txt"), ids=lambda record: f"{record['box']}-{record['field']}")
def test_published_properties(record: dict[str, str]) -> None:
    assert text_of(value(named(record["box"]), record["field"])) == record["value"], record


def linear(rows: list[int], x: int) -> int:
    """Bit i of the result is the parity of rows[i] & x."""
    return sum(parity(row & x) << i for i, row in enumerate(rows))


def test_values_of_specifications() -> None:
    """The algebra that the standards print beside their tables."""
    circulant = [(0xF1 << i | 0xF1 >> 8 - i) & 0xFF for i in range(8)]
    assert list(named("AES")) == [linear(circulant, GF(0x11B).power(x, 254)) ^ 0x63 for x in range(256)]
    # GB/T 32907: I(A x + C) in GF(2^8) modulo x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1.
    affine = [linear([0xA7, 0x4F, 0x9E, 0x3D, 0x7A, 0xF4, 0xE9, 0xD3], x) ^ 0xD3 for x in range(256)]
    for name in ("SMS4", "SM4"):
        assert list(named(name)) == [affine[GF(0x1F5).power(affine[x], 254)] for x in range(256)]
    # SAFER: powers of 45 modulo 257; MAGENTA: powers of X; MD2 and others have no such form.
    assert list(named("Safer")) == [pow(45, x, 257) % 256 for x in range(256)]
    assert list(named("MAGENTA"))[:255] == [GF(0x165).power(2, x) for x in range(255)]
    for name in ("KASUMI_S9", "MISTY_S7", "KASUMI_S7"):
        assert sorted(named(name)) == list(range(len(named(name))))
    # ISO/IEC 10118-3: Whirlpool's box from two mini-boxes and E's inverse.
    e, r = named("Whirlpool_E"), named("Whirlpool_R")
    back, expected = e.inverse(), []
    for upper, lower in itertools.product(e, back):
        middle = r[upper ^ lower]
        expected.append(e[upper ^ middle] << 4 | back[lower ^ middle])
    assert list(named("Whirlpool")) == expected


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Camellia", "7082 2cec"), ("CLEFIA_S0", "5749 d1c6"), ("CLEFIA_S1", "6cda c3e9"), ("ARIA_s2", "e24e 54fc"), ("SEED_S0", "a985 d6d3"),
        ("MD2", "292e 43c9"), ("Kuznyechik", "fcee dd11"), ("Skipjack", "a3d7 0983"), ("BelT", "b194 bac8"),
        *((name, "0c0a 0d03") for name in ("Midori_Sb0", "MANTIS", "CRAFT", "WARP")),
    ],
)  # fmt: skip
def test_first_values_as_specifications_print_them(name: str, first: str) -> None:
    assert bytes(list(named(name))[:4]) == bytes.fromhex(first)


def gascon(words: int) -> list[int]:
    """DryGASCON, 2019, for 5 and 9 words."""
    values = []
    for given in range(1 << words):
        x = [given >> i & 1 for i in range(words)]
        for i in range(0, words, 2):
            x[i] ^= x[i - 1]
        x = [x[i] ^ (x[(i + 1) % words] ^ 1) & x[(i + 2) % words] for i in range(words)]
        for i in range(0, words, 2):
            x[(i + 1) % words] ^= x[i]
        x[words // 2] ^= 1
        values.append(sum(bit << i for i, bit in enumerate(x)))
    return values


def robin(x: int) -> int:
    """Grosso, Leurent, Standaert and Varici, FSE 2014: three rounds with a box of class 13."""
    halves = [x & 15, x >> 4]
    for to in (0, 1, 0):
        a, b, c, d = (halves[1 - to] >> i & 1 for i in range(4))
        first, third = a & b ^ c, (b | c) ^ d
        halves[to] ^= first | (third & a ^ b) << 1 | third << 2 | (first & d ^ a) << 3
    return halves[0] | halves[1] << 4


def test_boxes_of_the_ciphers_definitions() -> None:
    assert list(named("DryGASCON128")) == gascon(5)
    assert list(named("DryGASCON256")) == gascon(9)
    assert list(named("Robin")) == [robin(x) for x in range(256)]
    # RFC 2994: quadratic, and as nonlinear as 9 bits can be (Matsui, FSE 1997).
    misty = named("MISTY_S9")
    assert list(misty)[:4] + list(misty)[-4:] == [451, 203, 339, 415, 278, 348, 76, 450]
    assert (misty.permutation, misty.differential_uniformity, misty.linearity, misty.degree) == (True, 2, 32, 2)
    for i in range(1, 9):
        box = named(f"DES_S{i}")
        for row in range(4):
            assert list(named(f"DES_S{i}_{row + 1}")) == [box[(row & 2) << 4 | column << 1 | row & 1] for column in range(16)]


@pytest.mark.parametrize("record", records("sbox/sidechannel.txt"), ids=lambda record: record["name"])
def test_side_channels_computed_elsewhere(record: dict[str, str]) -> None:
    box = named(record["name"])
    assert hashlib.sha256(bytes(box)).hexdigest() == record["LUT sha256"]
    for column in ("rto", "snr", "cc_mean", "cc_var", "cc_min"):
        assert value(box, column) == pytest.approx(float(record[column]), abs=6e-10)
    assert value(box, "snr") == pytest.approx(box.outputs * 4**box.inputs / math.sqrt(int(record["snr4"])), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), ((3, 2), (4, 5), (2, 1)))
def test_side_channels_by_definition(n: int, m: int) -> None:
    size = 1 << n
    s = np.random.default_rng(n).integers(0, 1 << m, size)
    signs = (-1.0) ** (s[:, None] >> np.arange(m) & 1)
    cross = [[[signs[:, i] @ signs[np.arange(size) ^ a, j] for a in range(size)] for j in range(m)] for i in range(m)]
    rto = max(m - sum(abs(sum((-1) ** (beta >> i & 1 ^ beta >> j & 1) * cross[i][j][a] for i in range(m)))
                      for a in range(1, size) for j in range(m)) / (size * size - size) for beta in range(1 << m))  # fmt: skip
    fourth = sum(sum((-1) ** parity(a & x) * signs[x].sum() for x in range(size)) ** 4 for a in range(size))
    weights = signs.sum(axis=1) / 2
    kappa = [np.mean((weights - weights[np.arange(size) ^ d]) ** 2) for d in range(1, size)]
    found = [value(fugu.SBox(s, outputs=m), column) for column in ("rto", "snr", "cc_mean", "cc_var", "cc_min")]
    assert found == pytest.approx([rto, m * size * size / math.sqrt(fourth), np.mean(kappa), np.var(kappa), min(kappa)], abs=1e-12)


def test_side_channels_of_16_bits() -> None:
    """Of 0, W(0,2^j) = 2^16 for all j: the ratio is 16 2^32 / 2^40. Of 2^16 - 1 in half of the inputs, kappa(d) is 256 for the 2^15 d
    that leave the half, else 0. Fourth powers exceed 64 bits."""
    box = fugu.SBox(np.zeros(1 << 16, int), outputs=16)
    assert [value(box, column) for column in ("snr", "cc_mean", "cc_var", "cc_min")] == [0.0625, 0, 0, 0]
    step = fugu.SBox(np.repeat([0, 65535], 1 << 15), outputs=16)
    kappa = np.repeat([0.0, 256], [(1 << 15) - 1, 1 << 15])
    assert [value(step, column) for column in ("cc_mean", "cc_var", "cc_min")] == pytest.approx([kappa.mean(), kappa.var(), 0])


@pytest.mark.parametrize("record", records("sbox/boomerang_family.txt"), ids=lambda record: record["name"])
def test_boomerang_family_computed_elsewhere(record: dict[str, str]) -> None:
    n, lut = int(record["n"]), record["LUT"]
    digits = (n + 3) // 4
    box = fugu.SBox([int(lut[i : i + digits], 16) for i in range(0, len(lut), digits)])
    names = list(record)
    for column in ("ubct", "lbct", "dbct"):
        at = next(i for i, name in enumerate(names) if name.startswith(column.upper()))
        assert text_of(value(box, column)) == record[names[at]]
        assert value(box, column + "_max") == max(histogram_of(record[names[at]]))
    assert hashlib.sha256(box.dbct().astype("<i8").tobytes()).hexdigest() == record["SHA-256 of DBCT int64 LE row-major"]


@pytest.mark.parametrize("s", ([5, 2, 7, 0, 1, 6, 4, 3], [3, 4, 0, 6, 1, 7, 2, 5], [0, 1, 2, 3], [1, 0]))
def test_boomerang_family_by_definition(s: list[int]) -> None:
    """In the second box, some a, c and d have several b."""
    everything, others = range(len(s)), range(1, len(s))
    back = [s.index(y) for y in everything]
    tables: dict[str, Counter[tuple[int, ...]]] = {name: Counter() for name in ("ubct", "lbct", "ebct")}
    for a, d, x in itertools.product(everything, repeat=3):
        t, u = back[s[x] ^ d], back[s[x ^ a] ^ d]
        if t ^ u == a:
            b, c = s[x] ^ s[x ^ a], x ^ t
            for name, key in (("ubct", (a, b, d)), ("lbct", (a, c, d)), ("ebct", (a, b, c, d))):
                tables[name][key] += 1
    ubct, lbct = tables["ubct"], tables["lbct"]
    dbct = np.array([[sum(ubct[a, b, c] * lbct[b, c, d] for b in everything for c in everything) for d in everything] for a in everything])
    box = fugu.SBox(s)
    np.testing.assert_array_equal(box.dbct(), dbct)
    assert value(box, "dbct") == dict(sorted(Counter(dbct[1:, 1:].ravel().tolist()).items()))
    for name, table in tables.items():
        assert getattr(box, name)().tolist() == [[*key, count] for key, count in sorted(table.items()) if all(key)]
        keys = itertools.product(others, repeat=4 if name == "ebct" else 3)
        histogram = dict(sorted(Counter(table[key] for key in keys).items()))
        assert (value(box, name), value(box, name + "_max")) == (histogram, max(histogram))


def test_c_differentials() -> None:
    for n, polynomial, exponent, values in lines("c_differential.txt"):
        assert text_of(value(named(f"power:{n}:{exponent}:{polynomial}"), "cdu")) == values
    f, s = GF(0x1F), np.random.default_rng(7).integers(0, 16, 16).tolist()
    expected = [max(sum(s[x ^ a] ^ f.product(c, s[x]) == b for x in range(16)) for a in range(c == 1, 16) for b in range(16)) for c in range(16)]
    assert fugu.SBox(s, outputs=4).c_differential_uniformity(0x1F).tolist() == expected


def test_second_order_nonlinearity_of_a_box_is_the_least_of_its_components() -> None:
    least = min(int(second) for name, *_, second in lines("second_order_nonlinearity.txt") if name.startswith("PRESENT"))
    assert value(named("PRESENT"), "nl2") == least
    assert {fugu.BooleanFunction([bits >> x & 1 for x in range(1 << n)]).second_order_nonlinearity
            for n in range(3) for bits in range(1 << (1 << n))} == {0}  # fmt: skip


def anomaly(bits: int, chances: dict[int, float], spectrum: dict[int, int]) -> float:
    """Bonnetain, Perrin, Tian 2019: the probability that no entry is larger and at most as many are equal, from its terms."""
    entries, largest = (2**bits - 1) ** 2, max(map(abs, spectrum))
    below = sum(chance for entry, chance in chances.items() if entry < largest)
    attained = sum(count for entry, count in spectrum.items() if abs(entry) == largest)
    terms = [math.lgamma(entries + 1) - math.lgamma(k + 1) - math.lgamma(entries - k + 1)
             + k * math.log(chances[largest]) + (entries - k) * math.log(below) for k in range(attained + 1)]  # fmt: skip
    return -(max(terms) + math.log(sum(math.exp(term - max(terms)) for term in terms))) / math.log(2)


def binomial(count: int, chance: float) -> dict[int, float]:
    return {k: math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(min(count, 12) + 1)}


@pytest.mark.parametrize(("name", "bits"), (("AES", 8), ("PRESENT", 4)))
def test_anomalies(name: str, bits: int) -> None:
    box, size = named(name), 2**bits
    ddt = {2 * k: math.exp(-0.5) / 2**k / math.factorial(k) for k in range(12)}
    lat = {4 * z: (2 if z else 1) * math.comb(size // 2, size // 4 + z) ** 2 / math.comb(size, size // 2) for z in range(size // 4 + 1)}
    bct: Counter[int] = Counter()
    for (i, one), (j, two) in itertools.product(binomial(size // 2, 1 / (size - 1)).items(),
                                                binomial(size * size // 4 - size // 2, (size - 1) ** -2).items()):  # fmt: skip
        bct[2 * i + 4 * j] += one * two  # type: ignore[assignment]
    for column, chances, spectrum in (("anomaly_d", ddt, "ddt"), ("anomaly_l", lat, "walsh"), ("anomaly_b", dict(bct), "bct")):
        assert value(box, column) == pytest.approx(max(0, anomaly(bits, chances, value(box, spectrum))), rel=1e-3, abs=1e-3)  # type: ignore[arg-type]


def test_distance_to_linear_structures() -> None:
    """Meier and Staffelbach 1989: 2^(n-2) - ac / 4, with the published ac = 32 of AES; 0 if there is a linear structure."""
    assert (value(named("AES"), "lin_dist"), value(named("chi:5"), "lin_dist")) == (2**6 - 32 // 4, 0)


def random_values(record: dict[str, str]) -> list[int]:
    n, m, numbers = int(record["n"]), int(record["m"]), splitmix(int(record["seed"]), 1 << int(record["n"]))
    if record["kind"] == "func":
        return [number >> 64 - m for number in numbers]
    return shuffled(numbers[:0:-1])


@pytest.mark.parametrize("record", [record for record in records("sbox/large.txt") if int(record["n"]) <= 12], ids=lambda record: record["seed"])
def test_large_boxes_computed_elsewhere(record: dict[str, str]) -> None:
    box = fugu.SBox(random_values(record), outputs=int(record["m"]))
    columns = ["collisions", "du", "linearity", "nl", "ddt", "nl_dist", "ac_dist"]
    if box.outputs <= 12:  # the other program counted all components then
        columns.append("deg_dist")
    assert {column: text_of(value(box, column)) for column in columns} == {column: record[column] for column in columns}
    assert (value(box, "ac"), box.walsh_histogram.get(0, 0)) == (int(record["absac"]), int(record["zeros"]))


def test_power_maps_computed_elsewhere() -> None:
    for record in records("sbox/powers.txt"):
        if int(record["n"]) <= 8:
            check_power_map(record)


@pytest.mark.parametrize("n", (2, 3))
def test_how_many_functions_have_which_properties(n: int) -> None:
    columns = {"nl": "nonlinearity", "deg": "degree", "ci": "ci", "balanced": "balanced", "pc": "pc", "absind": "absind", "ai": "ai"}
    expected = {tuple(int(row[name]) for name in columns): int(row["functions"]) for row in records("sbox/functions.txt") if int(row["n"]) == n}
    functions = (fugu.BooleanFunction([bits >> x & 1 for x in range(1 << n)]) for bits in range(1 << (1 << n)))
    assert Counter(tuple(int(f._session.value(column)) for column in columns.values()) for f in functions) == expected


def fnv(words: Any) -> int:
    state = 0xCBF29CE484222325
    for byte in b"".join(struct.pack("<Q", word) for word in words):
        state = (state ^ byte) * 0x100000001B3 % (1 << 64)
    return state


def digest_of(histograms: list[Counter[int]]) -> int:
    """The sorted digests of histograms, digested."""
    return fnv(sorted(fnv(number for pair in sorted(of_one.items()) for number in pair) for of_one in histograms))


def test_digests_of_invariants_by_their_definition() -> None:
    s = np.random.default_rng(1).integers(0, 16, 32).tolist()
    found = {name: value for _, name, value in fugu.invariants(fugu.SBox(s, outputs=4))}
    rows = [Counter(s[x] ^ s[x ^ a] for x in range(32)) for a in range(1, 32)]
    assert found["rows of the DDT"] == digest_of([Counter(row.values()) for row in rows])
    columns = [[sum((-1) ** (parity(b & s[x]) ^ parity(a & x)) for x in range(32)) for a in range(32)] for b in range(1, 16)]
    assert found["columns of the LAT"] == digest_of([Counter(map(abs, column)) for column in columns])
    assert found["Walsh spectrum"] == dict(sorted(Counter(itertools.chain(*columns)).items()))


CUBE = [GF(0xB).power(x, 3) for x in range(8)]


@pytest.mark.parametrize(
    "spelling",
    ("x^3", "x*x^2", "x x x", " X ^ 3 ", "x^10", "x^(-4)", "x^-4", "1 x^3", "0x1*x^3", "x^3 + 5 + 5", "g^7 x^3", "(x)^3", "a^0x7*x^3",
     "(g^3 + g) x^3 + 0", "x^3 + 1 + g^0", "z3^7 * x^3"),
)  # fmt: skip
def test_every_spelling_of_a_univariate_polynomial(spelling: str) -> None:
    assert list(fugu.SBox(univariate=spelling, field=0xB)) == CUBE


def test_univariate_polynomials_by_definition() -> None:
    f = GF(0xB)
    for polynomial, expected in (
        ("g^2 x^6 + 3x + g", [f.product(4, f.power(x, 6)) ^ f.product(3, x) ^ 2 for x in range(8)]),
        ("x^0", [1] * 8),
        ("x^7", [0] + [1] * 7),
        ("x^-1", [0] + [f.power(x, 6) for x in range(1, 8)]),
        ("x^3 + a^-1 Tr(a^3 x^5)", [CUBE[x] ^ f.product(f.power(2, 6), f.trace(f.product(f.power(2, 3), f.power(x, 5)))) for x in range(8)]),
    ):
        assert list(fugu.SBox(univariate=polynomial, field=0xB)) == expected, polynomial
    assert list(fugu.SBox(univariate="x", field=3)) == [0, 1]
    wide = fugu.SBox(univariate="x^7", field=0x100009)
    assert (wide.permutation, wide.degree, wide.inputs, wide.outputs) == (True, 3, 20, 20)


def test_apn_functions_of_eight_variables_have_the_published_ortho_derivatives() -> None:
    """The spectra are those that the wiki of the University of Bergen prints."""
    for _, _, values, ortho in lines("univariate_8.txt"):
        box = fugu.SBox(list(bytes.fromhex(values)))
        assert (box.apn, text_of(value(box, "ortho_ddt"))) == (True, ortho)


@pytest.mark.parametrize("record", records("sbox/apn6.txt"), ids=lambda record: record["name"])
def test_apn_functions_of_six_variables_have_the_published_invariants(record: dict[str, str]) -> None:
    box = fugu.SBox(list(bytes.fromhex(record["LUT 2 hex digits"])))
    assert (box.gamma_rank, box.delta_rank) == (int(record["gamma rank"]), int(record["delta rank"]))
    assert (text_of(value(box, "ortho_ddt")), text_of(value(box, "ortho_walsh"))) == (record["ortho ddt hist"], record["ortho walsh hist"])


@pytest.mark.parametrize(("name", "outputs"), (("PRESENT", 4), ("", 3), ("DES_S2", 4), ("chi:3", 3)))
def test_equations_hold_and_are_independent(name: str, outputs: int) -> None:
    box = named(name) if name else fugu.SBox(np.random.default_rng(3).integers(0, 8, 16), outputs=outputs)
    for degree, count in zip((1, 2, 3), box.equations, strict=True):
        pivots: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        for equation in box.equations_of_degree(degree):
            monomials = [tuple(re.findall(r"[xy]\d+", monomial)) for monomial in equation.split(" + ")]
            assert max(map(len, monomials)) <= degree
            for x in range(len(box)):
                bits = {"x": x, "y": box[x]}
                assert sum(all(bits[v[0]] >> int(v[1:]) & 1 for v in monomial) for monomial in monomials) % 2 == 0, equation
            vector = set(monomials)
            while vector and max(vector) in pivots:
                vector ^= pivots[max(vector)]
            pivots[max(vector)] = vector  # fails for an equation that depends on others
        assert len(pivots) == count
