"""Boxes and functions as values of Python: nobody can write to them, and they are copied, pickled, hashed and compared."""

from __future__ import annotations

import base64
import copy
import multiprocessing
import operator
import pathlib
import pickle
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import PRESENT, refused


def subjects() -> list[Any]:
    function = fugu.BooleanFunction(polynomial="x0 x1 + x2 x3", variables=5)
    return [fugu.SBox(PRESENT), fugu.SBox.named("power:5:3"), function, fugu.sboxes([PRESENT, PRESENT[::-1]])]


def attributes(subject: Any) -> dict[str, Any]:
    """All that the class computes once."""
    names = [name for name in dir(type(subject)) if type(getattr(type(subject), name)).__name__ == "Field"]
    return {name: getattr(subject, name) for name in names}


def parts(value: Any) -> list[Any]:
    return [value, *(part for inner in value for part in parts(inner))] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("subject", subjects(), ids=repr)
def test_what_is_kept_cannot_be_written_to(subject: Any) -> None:
    kept = attributes(subject)
    assert len(kept) > 20
    for name, value in kept.items():
        assert getattr(subject, name) is value
        refused(AttributeError, f"{name} follows from the values and cannot be set", setattr, subject, name, value)
        for part in parts(value):
            assert not isinstance(part, (list, dict)), name
            if isinstance(part, np.ndarray):
                assert not part.flags.writeable and (part.base is None or not part.base.flags.writeable), name
            if isinstance(part, Mapping):
                with pytest.raises(TypeError):
                    part[0] = 1  # type: ignore[index]


def test_many_boxes_are_those_of_the_call() -> None:
    for values in (np.array([PRESENT, PRESENT[::-1]], np.uint8), np.array([[*PRESENT, 0], [*PRESENT[::-1], 0]], np.int64)[:, :16]):
        boxes = fugu.sboxes(values)
        values[:] = 0
        assert list(boxes[0]) == PRESENT and boxes.linearity.tolist() == [8, 8]


@pytest.mark.parametrize("subject", subjects(), ids=repr)
def test_copies_and_pickles_are_the_same(subject: Any) -> None:
    assert copy.copy(subject) is subject and copy.deepcopy([subject])[0] is subject
    before = attributes(subject)
    restored = pickle.loads(pickle.dumps(subject))
    assert type(restored) is type(subject)
    for name, value in attributes(restored).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, before[name])
        else:
            assert value == before[name], name


@pytest.mark.parametrize("variables", range(6))
def test_small_functions_are_pickled(variables: int) -> None:
    function = fugu.BooleanFunction("01101001100101101001011001101001"[: 1 << variables])
    assert pickle.loads(pickle.dumps(function)) == function


def test_the_shape_is_pickled() -> None:
    wide = fugu.SBox([0, 1, 2, 3], outputs=7)
    assert pickle.loads(pickle.dumps(wide)) == wide != fugu.SBox([0, 1, 2, 3], outputs=6)
    assert pickle.loads(pickle.dumps(fugu.sboxes([[0, 1, 2, 3]], outputs=7))).outputs == 7


def test_equal_objects_have_one_hash() -> None:
    pairs = [
        (fugu.SBox(PRESENT), fugu.SBox.named("present")),
        (fugu.SBox(bytes(PRESENT)), fugu.SBox(np.array(PRESENT, np.int64), outputs=4)),
        (fugu.BooleanFunction("0110"), fugu.BooleanFunction(polynomial="x0 + x1", variables=2)),
    ]
    for one, other in pairs:
        assert one == other and hash(one) == hash(other) and len({one, other, pickle.loads(pickle.dumps(one))}) == 1
    different = [fugu.SBox([0, 1]), fugu.SBox([0, 1], outputs=2), fugu.SBox([0, 1, 0, 1], outputs=1), fugu.BooleanFunction("01")]
    assert len(set(different)) == 4


def test_other_processes_measure_boxes() -> None:
    boxes = [fugu.SBox(PRESENT), fugu.SBox.named("power:5:3")]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(operator.attrgetter("linearity"), boxes) == [8, 8]
        assert pool.map(operator.methodcaller("inverse"), boxes) == [box.inverse() for box in boxes]


def test_values_are_boxes_where_boxes_are_meant() -> None:
    inverse = [PRESENT.index(y) for y in range(16)]
    assert fugu.equivalent(PRESENT, inverse, "ccz") and fugu.compare(bytes(PRESENT), np.array(PRESENT)).difference is None
    assert fugu.class_of(fugu.BooleanFunction("01101001"))[0].list == "functions of 3 variables"
    refused(fugu.UsageError, "3 values are not a power of two", fugu.invariants, [0, 1, 2])


def test_boxes_are_functions_and_lists() -> None:
    box = fugu.SBox(PRESENT)
    assert [box(x) for x in range(16)] == box[:] == PRESENT and box[-1] == PRESENT[-1] and box[1::5] == PRESENT[1::5]
    assert [box[x] for x in range(-16, 0)] == PRESENT
    for wrong in (16, -17):
        refused(IndexError, "", lambda: box[wrong])
    refused(fugu.UsageError, "x is -1; it goes from 0 to 15", box, -1)
    assert eval(repr(box), {"SBox": fugu.SBox}) == box and repr(fugu.SBox.named("AES")) == "<SBox of 8 inputs and 8 outputs>"


def test_boxes_and_maps_are_composed_and_added() -> None:
    box, other = fugu.SBox(PRESENT), fugu.SBox([x * x % 16 for x in range(32)], outputs=4)
    shear = fugu.AffineMap([[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 0], [0, 1, 1, 1]], 6)
    images = [6 ^ (x >> 1 & 1) ^ ((x ^ x >> 2) & 1) << 1 ^ (x & 4) ^ ((x >> 1 ^ x >> 2 ^ x >> 3) & 1) << 3 for x in range(16)]
    assert [shear(x) for x in range(16)] == shear.values().tolist() == images
    assert (box @ other)[:] == [PRESENT[y] for y in other] and (box @ box.inverse())[:] == list(range(16))
    assert (shear @ box)[:] == [images[y] for y in PRESENT] and (box @ shear)[:] == [PRESENT[y] for y in images]
    assert (shear @ shear).values().tolist() == [images[y] for y in images]
    assert (box ^ shear) == (shear ^ box) and (box ^ shear)[:] == [a ^ b for a, b in zip(PRESENT, images, strict=True)]
    assert (box ^ 5)[:] == [y ^ 5 for y in PRESENT] and (box ^ box)[:] == [0] * 16
    matrix, constant = shear
    assert fugu.AffineMap(matrix, constant) == shear == pickle.loads(pickle.dumps(shear)) and copy.deepcopy(shear) is shear
    assert hash(fugu.AffineMap(matrix, constant)) == hash(shear) and shear != fugu.AffineMap(matrix)
    assert eval(repr(shear), {"AffineMap": fugu.AffineMap}) == shear
    with pytest.raises(ValueError, match="read-only"):
        shear.matrix[0, 0] = 1
    for wrong, text in (
        (lambda: box @ fugu.SBox([0, 1]), "T has 1 outputs and S 4 inputs"),
        (lambda: box ^ other, "boxes of 4 x 4 and of 5 x 4"),
        (lambda: box ^ 16, "16 is not a constant of 4 bits"),
        (lambda: fugu.AffineMap([[2]]), "rows of 0 and 1"),
        (lambda: fugu.AffineMap([[1]], 2), "2 is not a constant of 1 bits"),
    ):
        refused(fugu.UsageError, text, wrong)
    f, g = fugu.BooleanFunction("0110"), fugu.BooleanFunction("0011")
    assert (f ^ g, f & g, 1 ^ f) == (f + g, f * g, ~f)


def test_reports_and_pictures_of_boxes() -> None:
    box = fugu.SBox(PRESENT)
    report = box.report()
    assert report["linearity"] == 8 and report["differential_uniformity"] == 4 and report["degree"] == 3
    assert "gamma_rank" not in fugu.SBox.named("AES").report() and "linearity" not in fugu.SBox([0] * 255 + [1 << 30], outputs=32).report()
    html = box._repr_html_()
    cells = re.findall("<td>(.)</td>", html)
    assert [int(cell, 16) for cell in cells] == PRESENT
    data = base64.b64decode(re.search("base64,([^\"]+)", html)[1])  # type: ignore[index]
    width, height, grey = png_of(data)
    assert (width, height) == (16, 16)
    walsh = abs(box.lat())
    walsh[:, 0] = 0
    assert (grey == 255 - (walsh * (255 / 8)).astype(np.uint8)).all()
    lines = box.latex("ddt").splitlines()
    assert lines[0] == r"\begin{tabular}{r|*{16}{r}}" and lines[-1] == r"\end{tabular}"
    assert [[int(cell) for cell in line[:-3].split(" & ")[1:]] for line in lines[3:-1]] == box.ddt().tolist()
    assert box.latex().splitlines()[3] == "0 & c & 5 & 6 & b & 9 & 0 & a & d & 3 & e & f & 8 & 4 & 7 & 1 & 2 " + r"\\"
    refused(fugu.UsageError, "no table 'latt'", box.latex, "latt")


def test_latex_typesets_the_tables(tmp_path: pathlib.Path) -> None:
    if not shutil.which("latex"):
        pytest.skip("no latex")
    texts = "\n\n".join(fugu.SBox(PRESENT).latex(table) for table in (None, "ddt", "lat"))
    (tmp_path / "t.tex").write_text("\\documentclass{article}\\begin{document}\n" + texts + "\\end{document}\n")
    done = subprocess.run(["latex", "-halt-on-error", "t.tex"], capture_output=True, text=True, check=False, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and "Output written on t.dvi (1 page" in done.stdout, done.stdout


def png_of(data: bytes) -> tuple[int, int, Any]:
    """The size and the bytes of a grey PNG without filters."""
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        size = struct.unpack(">I", data[at : at + 4])[0]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(data[at + 4 : at + 8 + size])
        packed += data[at + 8 : at + 8 + size] if data[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return width, height, rows[:, 1:]


def test_arguments_of_another_kind_are_named() -> None:
    box = fugu.SBox(PRESENT)
    for call, *arguments in (
        (fugu.compare, 0.5, box), (fugu.compare, box, 0.5), (fugu.equivalent, 0.5, box), (fugu.equivalent, box, 0.5),
        (fugu.tu_decomposition, 0.5, 2), (fugu.invariants, 0.5), (fugu.self_equivalences, 0.5), (fugu.walsh_zero_spaces, 0.5),
        (fugu.thickness_spectrum, 0.5), (fugu.ccz_permutation, 0.5), (fugu.ea_classes, 0.5),
    ):  # fmt: skip
        refused(TypeError, "^(box|first|second) is a float; an SBox, or its values, are needed$", call, *arguments)
    refused(TypeError, "values are a text; give integers", fugu.SBox, "0 1 2 3")
    assert list(fugu.SBox(bytes(range(256)))) == list(fugu.SBox(bytearray(range(256)))) == list(range(256))
    univariate: Any = {3: 1}
    field: Any = "0x13"
    for wrong in ((univariate, 0x13), ("x^3", field)):
        refused(TypeError, "univariate= is a text, such as .*, and field= an integer", fugu.SBox, univariate=wrong[0], field=wrong[1])


def test_scales_of_the_lat() -> None:
    box = fugu.SBox(PRESENT)
    lat, correlation = box.lat(), box.lat("correlation")
    assert correlation.dtype == np.float64 and correlation[0, 0] == 1
    np.testing.assert_array_equal(correlation * 16, lat)
    np.testing.assert_array_equal(box.lat("correlation", rows=range(2, 4), columns=range(3, 9)), correlation[2:4, 3:9])
    refused(fugu.UsageError, "no scale 'Walsh'; choose from walsh, bias and correlation", box.lat, "Walsh")
