"""Which boxes are equivalent: witnesses are checked here by the definitions."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest

import fugu
from conftest import PRESENT, lines, refused
from sbox_support import image_of

Map = fugu.AffineMap

# The CCZ classes of APN functions of 6 variables: over GF(2^6) modulo 0x5b, with the ranks by which Edel and Pott (Advances in
# Mathematics of Communications 3, 2009) tell most of them apart.
APN6 = (
    ("x^3", 1102, 94),
    ("x^3 + g^11 x^6 + g x^9", 1146, 94),
    ("g x^5 + x^9 + g^4 x^17 + g x^18 + g^4 x^20 + g x^24 + g^4 x^34 + g x^40", 1158, 96),
    ("g^7 x^3 + x^5 + g^3 x^9 + g^4 x^10 + x^17 + g^6 x^18", 1166, 94),
    ("x^3 + g x^24 + x^10", 1166, 96),
    ("x^3 + g^17 (x^17 + x^18 + x^20 + x^24)", 1168, 96),
    ("x^3 + g^11 x^5 + g^13 x^9 + x^17 + g^11 x^33 + x^48", 1170, 96),
    ("g^25 x^5 + x^9 + g^38 x^12 + g^25 x^18 + g^25 x^36", 1170, 96),
    ("g^40 x^5 + g^10 x^6 + g^62 x^20 + g^35 x^33 + g^15 x^34 + g^29 x^48", 1170, 96),
    ("g^34 x^6 + g^52 x^9 + g^48 x^12 + g^6 x^20 + g^9 x^33 + g^23 x^34 + g^25 x^40", 1170, 96),
    ("x^9 + g^4 (x^10 + x^18) + g^9 (x^12 + x^20 + x^40)", 1172, 96),
    ("g^52 x^3 + g^47 x^5 + g x^6 + g^9 x^9 + g^44 x^12 + g^47 x^33 + g^10 x^34 + g^33 x^40", 1172, 96),
    ("g (x^6 + x^10 + x^24 + x^33) + x^9 + g^4 x^17", 1174, 96),
    ("x^3 + g^17 (x^17 + x^18 + x^20 + x^24) + g^14 (Tr(g^52 x^3 + g^6 x^5 + g^19 x^7 + g^28 x^11 + g^2 x^13) + (g^2 x)^9"
     " + (g^2 x)^18 + (g^2 x)^36 + x^21 + x^42)", 1300, 152),
)


def values_of(map: Map | None, bits: int) -> list[int]:
    assert map is not None and map.matrix.dtype == np.uint8
    powers = 1 << np.arange(len(map.matrix))
    values = [map.constant ^ int(map.matrix @ [x >> j & 1 for j in range(bits)] % 2 @ powers) for x in range(1 << bits)]
    assert [map(x) for x in (0, 1, (1 << bits) - 1)] == [values[x] for x in (0, 1, (1 << bits) - 1)]
    return values


def is_permutation(values: list[int]) -> bool:
    return sorted(values) == list(range(len(values)))


def check_witness(found: fugu.Equivalence, s: list[int], t: list[int], n: int, m: int) -> None:
    assert found.holds and found
    if found.relation == "CCZ":
        assert found.a is None and found.graph is not None
        graph = {found.graph(s[x] + (x << m)) for x in range(1 << n)}
        assert graph == {t[x] + (x << m) for x in range(1 << n)}
        assert is_permutation(values_of(found.graph, n + m))
        return
    a, b = values_of(found.a, n), values_of(found.b, m)
    c = values_of(found.c, n) if found.relation == "EA" else [0] * (1 << n)
    assert is_permutation(a) and is_permutation(b)
    assert [b[s[a[x]]] ^ c[x] for x in range(1 << n)] == t


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 4), (5, 3), (6, 6), (4, 7)])
def test_images_of_random_boxes_are_equivalent(n: int, m: int) -> None:
    generator = np.random.default_rng(n * m)
    for relation in ("affine", "EA"):
        s = [int(y) for y in generator.integers(0, 1 << m, 1 << n)]
        t = image_of(s, m, extended=relation == "EA")
        boxes = fugu.SBox(s, outputs=m), fugu.SBox(t, outputs=m)
        found = fugu.equivalent(*boxes, relation.lower())
        assert found.relation == relation
        check_witness(found, s, t, n, m)
        check_witness(fugu.equivalent(*boxes, "CCZ"), s, t, n, m)


def test_the_strongest_relation_that_holds_is_named() -> None:
    inverse = [PRESENT.index(y) for y in range(16)]
    assert fugu.equivalent(fugu.SBox(PRESENT), fugu.SBox(PRESENT)).relation == "linear"
    box = fugu.SBox.named("AES")
    found = fugu.equivalent(box, fugu.SBox.named("power:8:254:0x1f5"))
    assert found.relation == "affine"
    check_witness(found, list(box), list(fugu.SBox.named("power:8:254:0x1f5")), 8, 8)
    found = fugu.equivalent(fugu.SBox(PRESENT), fugu.SBox(inverse))
    check_witness(found, PRESENT, inverse, 4, 4)
    other = fugu.equivalent(box, fugu.SBox.named("power:8:3"))
    assert (other.relation, other.holds, other.a, other.steps) == ("CCZ", False, None, 0)
    assert other.difference is not None and other.difference.name == "differential spectrum"


def test_undecided_is_neither_true_nor_false() -> None:
    s = list(fugu.SBox.named("power:8:17"))
    t = image_of(s, 8, extended=True)
    found = fugu.equivalent(fugu.SBox(s), fugu.SBox(t), "ea", seconds=0.01)
    assert found.holds is None
    refused(ValueError, r"EA-equivalence is undecided after \d+ guesses", bool, found)


def test_seconds_are_seconds() -> None:
    s = list(fugu.SBox.named("power:8:17"))
    box, other = fugu.SBox(s), fugu.SBox(image_of(s, 8, extended=True))
    for seconds in (0.1, 0.3):
        begin = time.monotonic()
        assert fugu.equivalent(box, other, seconds=seconds).holds is None
        assert time.monotonic() - begin >= seconds
    # Gold functions of different exponents (Budaghyan, Carlet and Leander 2008); 0 is no limit.
    gold = fugu.SBox.named("power:9:3"), fugu.SBox.named("power:9:17")
    for seconds in (60, 0, 1e300):
        assert fugu.equivalent(*gold, "ccz", seconds=seconds).holds is False
    for wrong in (-1, float("nan")):
        refused(fugu.UsageError, "the time limit must be 0 seconds, for none, or more", fugu.equivalent, *gold, "ccz", seconds=wrong)
        refused(fugu.UsageError, "the time limit must be 0", fugu.walsh_zero_spaces, box, seconds=wrong)
        refused(fugu.UsageError, "the time limit must be 0", fugu.self_equivalences, box, seconds=wrong)


def test_self_equivalences_are_counted() -> None:
    assert fugu.self_equivalences(fugu.SBox.named("AES")) == 8 * 255
    assert fugu.self_equivalences(fugu.SBox.named("power:6:62"), "linear") == 6 * 63
    identity = fugu.SBox(list(range(16)))
    order = (16 - 1) * (16 - 2) * (16 - 4) * (16 - 8)
    assert [fugu.self_equivalences(identity, relation) for relation in ("linear", "affine")] == [order, 16 * order]
    assert fugu.self_equivalences(fugu.SBox.named("power:8:17"), seconds=1e-5) is None


def test_what_is_refused() -> None:
    box = fugu.SBox(PRESENT)
    refused(fugu.UsageError, "relation is linear, affine, ea or ccz, not 'extended'", fugu.equivalent, box, box, "extended")
    refused(fugu.UsageError, "relation is linear or affine", fugu.self_equivalences, box, "ccz")
    refused(fugu.MismatchError, "different sizes: 4 x 4 and 8 x 8", fugu.equivalent, box, fugu.SBox.named("AES"))


def test_walsh_zero_spaces_are_what_they_are_called() -> None:
    box = fugu.SBox.named("power:5:3")
    lat = box.lat()
    spaces = fugu.walsh_zero_spaces(box)
    for space in spaces:
        span = [0]
        for v in space.basis:
            span += [u ^ v for u in span]
        assert len(set(span)) == 32 and all(v == 0 or lat[v >> 5, v & 31] == 0 for v in span)
        assert len({v & 31 for v in span}) == 1 << space.thickness
    assert fugu.thickness_spectrum(box) == {t: sum(space.thickness == t for space in spaces) for t in {space.thickness for space in spaces}}


def test_members_of_a_ccz_class() -> None:
    permutation = fugu.SBox.named("power:5:3")
    extended = fugu.SBox([permutation[x] ^ (x >> 1) for x in range(32)])
    assert not extended.permutation
    found = fugu.ccz_permutation(extended)
    assert found is not None and found.permutation and fugu.equivalent(extended, found, "ccz")
    assert fugu.ccz_permutation(fugu.SBox.named("power:6:3")) is None
    classes = fugu.ea_classes(extended)
    for s, t in combinations(classes, 2):
        assert fugu.equivalent(s, t, "ccz") and not fugu.equivalent(s, t, "ea")


def test_tu_decompositions_have_permutations() -> None:
    box = fugu.SBox.named("power:6:3")
    found = fugu.tu_decomposition(box, 2)
    assert found is not None
    assert all(len({found.box[x + 4 * y] % 4 for x in range(4)}) == 4 for y in range(16))
    added = [0] * 64 if found.c is None else values_of(found.c, 6)
    a, b = values_of(found.a, 6), values_of(found.b, 6)
    assert [b[box[a[z]]] ^ added[z] for z in range(64)] == list(found.box)
    assert fugu.tu_decomposition(box, 4) is None


def test_unfinished_searches_of_spaces_are_errors() -> None:
    refused(ValueError, "undecided: the search was not finished", fugu.walsh_zero_spaces, fugu.SBox([0] * 64, outputs=6), seconds=1e-4)


def test_apn_classes_of_six_variables() -> None:
    """All 14: two images of each are equivalent, with a witness, and no two classes are."""
    boxes = [fugu.SBox(univariate=terms, field=0x5B) for terms, _, _ in APN6]
    for box, (_, gamma, delta) in zip(boxes, APN6, strict=True):
        assert (box.apn, box.gamma_rank, box.delta_rank) == (True, gamma, delta)
        s, t = image_of(list(box), 6, extended=False), image_of(image_of(list(box), 6, extended=True), 6, extended=True)
        check_witness(fugu.equivalent(fugu.SBox(s), fugu.SBox(t), "ea"), s, t, 6, 6)
    for one, other in combinations(boxes, 2):
        assert fugu.equivalent(one, other, "ea").holds is False


def test_ea_classes_of_quadratic_apn_functions() -> None:
    """By sboxU 2.0: thickness_spectrum and enumerate_ea_classes_apn_quadratic. Dillon's class has 13, x^3 of 8 bits two."""
    published = {
        1: (3, {0: 1, 1: 63, 2: 126}), 3: (19, {0: 1, 1: 63, 2: 30}), 5: (13, {0: 1, 1: 63, 2: 126, 3: 32}),
        7: (19, {0: 1, 1: 63, 2: 30}), 9: (91, {0: 1, 1: 63, 2: 54}), 11: (86, {0: 1, 1: 63, 2: 42, 3: 8}),
        13: (85, {0: 1, 1: 63, 2: 42}),
    }  # fmt: skip
    for number, (classes, thickness) in published.items():
        box = fugu.SBox(univariate=APN6[number - 1][0], field=0x5B)
        found = fugu.ea_classes(box)
        assert (len(found), fugu.thickness_spectrum(box)) == (classes, thickness), number
        assert sum(member.degree == 2 for member in found) == 1 and all(member.differential_uniformity == 2 for member in found)
    eight = fugu.ea_classes(fugu.SBox.named("power:8:3"))
    assert sorted(member.degree for member in eight) == [2, 3]


def test_what_decided_is_named() -> None:
    gold, twist = fugu.SBox.named("power:7:3"), fugu.SBox(image_of(fugu.SBox.named("power:7:5").values.tolist(), 7, extended=True))
    assert fugu.equivalent(gold, fugu.SBox.named("power:7:5"), "ccz").by == "exponents of power maps (Dempwolff 2018)"
    found = fugu.equivalent(gold, twist, "ccz")
    assert not found and found.by.endswith("quadratic APN functions being EA-equivalent (Yoshiara 2012)")
    assert fugu.equivalent(gold, fugu.SBox.named("power:7:126"), "ccz").by == "exponents of power maps (Dempwolff 2018)"
    first, last = (fugu.SBox(bytes.fromhex(lines("univariate_8.txt")[i][2])) for i in (0, 5))  # of one differential and Walsh spectrum
    found = fugu.equivalent(first, last, "ccz")
    assert (found.by, found.difference and found.difference.name) == ("invariants (Kaleyski 2021)", "sums of four points")
    found = fugu.equivalent(*(fugu.SBox(univariate=APN6[i][0], field=0x5B) for i in (0, 1)), "ccz")
    assert (found.by, found.difference and found.difference.name) == ("invariants (Edel, Pott 2009)", "Gamma rank")
    assert fugu.equivalent(gold, fugu.SBox.named("random:7:7:1"), "ccz").by == "invariants (Carlet, Charpin, Zinoviev 1998)"


def test_classes_have_the_numbers_of_their_lists() -> None:
    for number, (polynomial, _, _) in enumerate(APN6, 1):
        box = fugu.SBox(univariate=polynomial, field=0x5B)
        twist = fugu.SBox(image_of(box.values.tolist(), 6, extended=True))
        for one in (box, twist) if number in (2, 14) else (box,):
            (found,) = fugu.class_of(one)
            assert (found.number, found.classes, found.relation) == (number, 14, "CCZ")
    assert fugu.class_of(fugu.SBox.named("APN_6"))[0].number == 5  # Dillon's permutation, of Kim's class
    assert [one.number for one in fugu.class_of(fugu.SBox.named("PRESENT"))[1:]] == [1]  # Leander and Poschmann 2007
    assert fugu.class_of(fugu.SBox.named("AES")) == []


def test_quadratic_apn_functions_of_seven_variables_have_numbers() -> None:
    """Those with coefficients 0 and 1 that Edel and Pott 2009 list: pairwise inequivalent."""
    polynomials = (
        "x^3", "x^5", "x^9", "x^3 + Tr(x^9)", "x^34 + x^18 + x^5", "x^3 + x^17 + x^33 + x^34", "x^65 + x^10 + x^3", "x^3 + x^9 + x^18 + x^66",
        "x^3 + x^12 + x^17 + x^33", "x^3 + x^17 + x^20 + x^34 + x^66", "x^3 + x^20 + x^34 + x^66", "x^3 + x^12 + x^40 + x^72",
        "x^3 + x^5 + x^10 + x^33 + x^34", "x^3 + x^6 + x^34 + x^40 + x^72", "x^3 + x^5 + x^6 + x^12 + x^33 + x^34",
    )  # fmt: skip
    numbers = set()
    for polynomial in polynomials:
        box = fugu.SBox(univariate=polynomial, field=0x83)
        twist = image_of(fugu.SBox(univariate=polynomial, field=0x89)[:], 7, extended=True)
        (found,), (other,) = fugu.class_of(box), fugu.class_of(twist)
        assert box.apn and found == other._replace(by=found.by) and found.classes == 488
        numbers.add(found.number)
    assert len(numbers) == len(polynomials)


def test_least_representatives_have_maps() -> None:
    for relation in ("linear", "affine"):
        least, a, b = fugu.canonical(fugu.SBox(PRESENT), relation)
        values_a, values_b = values_of(a, 4), values_of(b, 4)
        assert least.values.tolist() == [values_b[PRESENT[values_a[x]]] for x in range(16)]
        assert is_permutation(values_a) and is_permutation(values_b)
    assert fugu.canonical(fugu.SBox(image_of(PRESENT, 4, extended=False))).box == least
    refused(ValueError, "undecided", fugu.canonical, fugu.SBox.named("random:8:1:1"), seconds=1e-9)
    refused(fugu.UsageError, "linear or affine", fugu.canonical, fugu.SBox(PRESENT), "ea")


def test_quadratic_apn_functions_of_eight_variables() -> None:
    boxes = [fugu.SBox(list(bytes.fromhex(values))) for _, _, values, _ in lines("univariate_8.txt")]
    for box in boxes:
        t = image_of(list(box), 8, extended=True)
        for relation in ("ea", "ccz"):
            check_witness(fugu.equivalent(box, fugu.SBox(t), relation), list(box), t, 8, 8)
    for one, other in combinations(boxes, 2):
        assert [fugu.equivalent(one, other, relation).holds for relation in ("ea", "ccz")] == [False, False]


def test_an_apn_permutation_of_six_variables() -> None:
    """x^3 + x^10 + g x^24 has one in its CCZ class (Browning, Dillon, McQuistan and Wolfe 2010); ten bits are decided too."""
    kim = fugu.SBox(univariate="x^3 + x^10 + g x^24", field=0x5B)
    found = fugu.ccz_permutation(kim)
    assert found is not None and found.permutation and found.apn and fugu.equivalent(kim, found, "ccz")
    assert min(fugu.thickness_spectrum(fugu.SBox.named("power:10:3"))) == 0
