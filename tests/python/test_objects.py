"""Boxes and functions as values of Python: nobody can write to them, and they are copied, pickled, hashed and compared."""

from __future__ import annotations

import copy
import multiprocessing
import operator
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import fugu

PRESENT = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2]


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
        with pytest.raises(AttributeError, match=f"{name} follows from the values and cannot be set"):
            setattr(subject, name, value)
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


def test_arguments_of_another_kind_are_named() -> None:
    box = fugu.SBox(PRESENT)
    calls: list[Any] = [
        lambda wrong: fugu.invariants(wrong),
        lambda wrong: fugu.compare(wrong, box),
        lambda wrong: fugu.compare(box, wrong),
        lambda wrong: fugu.equivalent(wrong, box),
        lambda wrong: fugu.equivalent(box, wrong),
        lambda wrong: fugu.self_equivalences(wrong),
        lambda wrong: fugu.walsh_zero_spaces(wrong),
        lambda wrong: fugu.thickness_spectrum(wrong),
        lambda wrong: fugu.ccz_permutation(wrong),
        lambda wrong: fugu.ea_classes(wrong),
        lambda wrong: fugu.tu_decomposition(wrong, 2),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="^(box|first|second) is a list; an SBox is needed$"):
            call(PRESENT)
        with pytest.raises(TypeError, match="is a BooleanFunction; an SBox is needed$"):
            call(fugu.BooleanFunction("0110"))
    with pytest.raises(TypeError, match="values are a text; give integers"):
        fugu.SBox("0 1 2 3")
    assert list(fugu.SBox(bytes(range(256)))) == list(fugu.SBox(bytearray(range(256)))) == list(range(256))
    univariate: Any = {3: 1}
    field: Any = "0x13"
    for wrong in ((univariate, 0x13), ("x^3", field)):
        with pytest.raises(TypeError, match="univariate= is a text, such as .*, and field= an integer"):
            fugu.SBox(univariate=wrong[0], field=wrong[1])


def test_scales_of_the_lat() -> None:
    box = fugu.SBox(PRESENT)
    lat, correlation = box.lat(), box.lat("correlation")
    assert correlation.dtype == np.float64 and correlation[0, 0] == 1
    np.testing.assert_array_equal(correlation * 16, lat)
    np.testing.assert_array_equal(box.lat("correlation", rows=range(2, 4), columns=range(3, 9)), correlation[2:4, 3:9])
    with pytest.raises(fugu.UsageError, match="no scale 'Walsh'; there are walsh, bias and correlation"):
        box.lat("Walsh")  # type: ignore[arg-type]
