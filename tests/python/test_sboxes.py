"""Arrays of boxes, univariate polynomials and objects of boxes and functions, compared with vectors/sbox/, the definitions and the
program; other programs' names; pictures on axes."""

from __future__ import annotations

import hashlib
import itertools
import json
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import ROOT, Interface, Program, lines, refused, shuffled, splitmix
from fugu._names import SAGE_FUNCTION, SAGE_SBOX


BATCH = lines("batch_permutations_8.txt")


@pytest.fixture(scope="module")
def batch() -> np.ndarray:
    rows = [shuffled(splitmix(int(record[0]), 255)) for record in BATCH]
    for row, record in zip(rows, BATCH, strict=True):
        assert hashlib.sha256(bytes(row)).hexdigest()[:16] == record[1]
    return np.array(rows, np.uint8)


def test_a_batch_equals_values_computed_elsewhere(batch: np.ndarray) -> None:
    boxes = fugu.sboxes(batch)
    du = np.array([int(record[2]) for record in BATCH])
    assert (len(boxes), boxes.inputs, boxes.outputs) == (len(BATCH), 8, 8)
    np.testing.assert_array_equal(boxes.differential_uniformity, du)
    np.testing.assert_array_equal(boxes.linearity, [int(record[3]) for record in BATCH])
    for bound in (-1, 0, 8, 9, 10, 12, 14, 1 << 40):
        found = boxes.uniformity_at_most(bound)
        assert found.dtype == np.bool_
        np.testing.assert_array_equal(found, du <= bound)
    assert boxes.du is boxes.differential_uniformity  # type: ignore[attr-defined]


@pytest.mark.parametrize("dtype", (np.uint8, np.int16, np.uint16, np.uint32, np.int64, ">u2"))
@pytest.mark.parametrize(("n", "m"), ((1, 1), (3, 5), (4, 4), (5, 2), (7, 8)))
def test_each_property_is_that_of_each_box(n: int, m: int, dtype: Any) -> None:
    values = np.random.default_rng(n).integers(0, 1 << m, (5, 1 << n)).astype(dtype)
    boxes = fugu.sboxes(values, outputs=m)
    single = [fugu.SBox(row, n, m) for row in values]
    assert list(boxes) == single and boxes[4] == single[4]
    for name in ("differential_uniformity", "linearity", "degree", "boomerang_uniformity", "permutation", "transparency_order",
                 "order", "ddt_histogram", "nonlinearity", "first_collision"):
        found = getattr(boxes, name)
        assert list(found) == [getattr(box, name) for box in single], name
        assert getattr(boxes, name) is found
    for bound in (2, 4, 6):
        assert list(boxes.uniformity_at_most(bound)) == [box.uniformity_at_most(bound) for box in single]
        assert [box.uniformity_at_most(bound) for box in single] == [box.differential_uniformity <= bound for box in single]


def test_uniformity_of_other_sizes() -> None:
    for name in ("CAST_S1", "power:9:3", "permutation:10:1", "random:9:17:1", "random:2:9:3"):
        box = fugu.SBox.named(name)
        du = box.differential_uniformity
        assert (box.uniformity_at_most(du), box.uniformity_at_most(du - 1)) == (True, False), name


def test_what_is_no_array_of_boxes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for values in ([1, 2], np.zeros((2, 4)), np.zeros((1, 2, 4), int)):
        refused(TypeError, "rows of integers", fugu.sboxes, values)
    for values, says in (([[0, 1, 2]], "power of two"), ([[0, -1]], "below 0"), ([[0, 1 << 32]], "above 32 bits")):
        refused(fugu.UsageError, says, fugu.sboxes, np.array(values))
    refused(fugu.UsageError, "does not fit 2 outputs", fugu.sboxes, [[0, 4]], 2)
    assert fugu.sboxes([[0, 4]]).outputs == 3
    refused(AttributeError, "no attribute 'dux'", lambda: fugu.sboxes([[0, 1]]).dux)
    assert fugu.sboxes(np.zeros((0, 4), np.uint8)).linearity.shape == (0,)
    there = Interface(np.zeros((2, 4), np.uint8))
    refused((TypeError, fugu.Error), "", fugu.sboxes, there)
    refused(fugu.NoDeviceError, "no GPU|there is no GPU", lambda: fugu.sboxes([[0, 1]], engine="cuda:99").linearity)


def test_univariate_polynomials() -> None:
    for _, terms, values, _ in lines("univariate_8.txt"):
        box = fugu.SBox(univariate=terms, field=0x11D)
        assert list(box) == list(bytes.fromhex(values))
        assert fugu.SBox(univariate=" + ".join(f"{c} x^{k}" for k, c in enumerate(box.univariate(0x11D)) if c), field=0x11D) == box
    for arguments in ({}, {"univariate": "x"}, {"field": 7}, {"values": [0, 1], "univariate": "x", "field": 7}, {"inputs": 2, "univariate": "x", "field": 7}):
        refused(TypeError, "univariate=", fugu.SBox, **arguments)
    refused(fugu.UsageError, "character 3: '-' is not expected", fugu.SBox, univariate="x - 1", field=7)
    for field in (0, 1, 0x1B, 1 << 21):
        refused(fugu.UsageError, "", fugu.SBox, univariate="x", field=field)


def test_objects_of_a_box(program: Program) -> None:
    box = fugu.SBox.named("PRESENT")
    for degree in (1, 2, 3):
        assert box.equations_of_degree(degree) == program("sbox", "equations", str(degree), "PRESENT").decode().splitlines()
    assert box.dbct().tolist() == [list(map(int, line.split())) for line in program("sbox", "table", "dbct", "PRESENT").splitlines()]
    for table in ("ubct", "lbct", "ebct"):
        entries = [list(map(int, line.split())) for line in program("sbox", "table", table, "PRESENT").splitlines()]
        assert getattr(box, table)().tolist() == entries
    assert box.c_differential_uniformity().tolist() == json.loads(program("sbox", "report", "--json", "--only", "cdu", "PRESENT"))["cdu"]
    inverse = fugu.SBox.named("power:5:30:0x25")
    assert list(inverse.c_differential_uniformity(0x25)) == [1, 2, *[3] * 30] or inverse.c_differential_uniformity()[0] == 1
    for wrong in (lambda: box.equations_of_degree(4), lambda: fugu.SBox.named("DES_S1").dbct(), lambda: fugu.SBox.named("DES_S1").c_differential_uniformity()):
        refused(fugu.UsageError, "", wrong)


def test_linear_structures_by_definition() -> None:
    box = fugu.SBox(np.random.default_rng(3).integers(0, 4, 8), outputs=2)
    linear = fugu.SBox([x ^ (5 if x & 2 else 0) for x in range(8)])
    for s in (box, linear):
        expected = []
        for a, b in itertools.product(range(1, 8), range(1, 1 << s.outputs)):
            parities = {((s[x] ^ s[x ^ a]) & b).bit_count() % 2 for x in range(8)}
            expected += [(a, b, *parities)] if len(parities) == 1 else []
        assert s.linear_structures() == expected
        assert s.linear_structures(2) == expected[:2]
        assert len(expected) == s.positive_structures + s.negative_structures


def test_arithmetic_of_functions() -> None:
    rng = np.random.default_rng(5)
    f, g = (fugu.BooleanFunction(rng.integers(0, 2, 16)) for _ in range(2))
    for x in range(16):
        bits = [x >> i & 1 for i in range(4)]
        assert f(x) == f(bits) == f[x]
        assert ((f + g)(x), (f * g)(x), (~f)(x)) == (f(x) ^ g(x), f(x) & g(x), 1 - f(x))
        assert ((f + 1)(x), (1 + f)(x), (f * 0)(x), (0 + f)(x)) == (1 - f(x), 1 - f(x), 0, f(x))
        for a in range(16):
            assert f.derivative(a)(x) == f(x) ^ f(x ^ a)
    assert f.concatenate(g) == f | g
    assert list((f | g).truth_table) == [*f.truth_table, *g.truth_table]
    x0, x1, x2 = (fugu.BooleanFunction(polynomial=f"x{i}", variables=3) for i in range(3))
    assert (x0 * x1 + x2 + 1).polynomial == "1 + x0 x1 + x2"
    for wrong in (lambda: x0 + f, lambda: x0.concatenate(f), lambda: f.derivative(16), lambda: f([0, 1]), lambda: f([0, 1, 2, 0])):
        refused(fugu.UsageError, "", wrong)
    refused(TypeError, "", lambda: f + 2)
    refused(IndexError, "", f, 16)


def test_annihilators_by_definition() -> None:
    rng = np.random.default_rng(8)
    for n in (0, 1, 3, 5):
        for values in (rng.integers(0, 2, 1 << n), np.ones(1 << n, int), np.zeros(1 << n, int)):
            f = fugu.BooleanFunction(values)
            degree, dimension = f.annihilators
            basis = f.annihilator_basis()
            assert len(basis) == dimension
            span = {tuple([False] * (1 << n))}
            for g in basis:
                assert g.degree <= degree and not (f * g).truth_table.any()
                span |= {tuple(np.logical_xor(member, g.truth_table)) for member in span}
            assert len(span) == 1 << dimension
            if basis:
                assert max(g.degree for g in basis) == degree


def test_second_order_nonlinearity() -> None:
    for name, n, table, _, second in lines("second_order_nonlinearity.txt"):
        assert fugu.BooleanFunction(hex=table).second_order_nonlinearity == int(second), name
    for bits in range(256):  # of three variables, those of degree 2 and less have even weight
        table = [bits >> x & 1 for x in range(8)]
        assert fugu.BooleanFunction(table).second_order_nonlinearity == sum(table) % 2
    refused(fugu.UsageError, "of 10 variables: at most 9", lambda: fugu.BooleanFunction([0] * 1024).second_order_nonlinearity)


def test_other_names_say_which_is_meant() -> None:
    page = (ROOT / "src" / "python" / "SAGE.md").read_text()
    for subject, names in ((fugu.SBox([0, 1]), SAGE_SBOX), (fugu.BooleanFunction("01"), SAGE_FUNCTION)):
        for name, ours in names.items():
            assert f"| `{name}` | {ours} |" in page
            with pytest.raises(AttributeError) as error:
                getattr(subject, name)
            assert str(error.value) == f"{type(subject).__name__} has no {name}, SageMath's name; here: {ours}"
            first = ours.split("(")[0].split()[0].rstrip(",;:")
            assert hasattr(type(subject), first) or " " in ours, ours
    assert page.count("| `") == len(SAGE_SBOX) + len(SAGE_FUNCTION)
    refused(AttributeError, "SBox has no du, the program's name; here: differential_uniformity", lambda: fugu.SBox([0, 1]).du)
    refused(AttributeError, "no attribute 'nothing'", lambda: fugu.SBox([0, 1]).nothing)
    refused(fugu.UsageError, r"no box 'Kuznyechick' \(did you mean Kuznyechik\?\)", fugu.SBox.named, "Kuznyechick")


class Axes:
    """Notes what is drawn, as matplotlib's axes would draw it."""

    def __init__(self) -> None:
        self.calls: dict[str, Any] = {}
        self.figure = self

    def imshow(self, table: np.ndarray, **options: Any) -> str:
        self.calls["table"], self.calls["options"] = table, options
        return "image"

    def colorbar(self, image: str, ax: Axes, extend: str) -> None:
        self.calls["colorbar"] = image, ax is self

    def __getattr__(self, name: str) -> Any:
        return lambda text: self.calls.__setitem__(name, text)


def test_pictures_on_axes() -> None:
    box = fugu.SBox.named("PRESENT")
    for plot, table, title, largest, options in (
        (fugu.plot_lat, abs(box.lat()), "LAT, absolute values of W", 8, {}),
        (fugu.plot_lat, box.lat("bias"), "LAT, signed values of W/2", 4, {"scale": "bias", "signed": True}),
        (fugu.plot_ddt, box.ddt(), "DDT, counts", 4, {}),
        (fugu.plot_act, box.act(), "ACT, signed values", 16, {"signed": True}),
        (fugu.plot_bct, box.bct(), "BCT, counts", 16, {}),
    ):
        axes = Axes()
        assert plot(box, axes, **options) is axes
        np.testing.assert_array_equal(axes.calls["table"], table)
        assert axes.calls["set_title"] == title
        assert (axes.calls["set_xlabel"], axes.calls["set_ylabel"], axes.calls["colorbar"]) == ("b", "a", ("image", True))
        drawn = axes.calls["options"]
        assert (drawn["vmin"], drawn["vmax"]) == (-largest if options.get("signed") else 0, largest)


def test_pictures_make_axes_of_their_own() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib, which is optional, is not installed")
    matplotlib.use("Agg")
    assert fugu.plot_lat(fugu.SBox.named("PRESENT")).get_title() == "LAT, absolute values of W"
