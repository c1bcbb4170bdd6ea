"""SBox, compared with vectors/sbox/properties.txt and tables.txt, SageMath's documentation and the program, and the ways to make
one."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import numpy as np
import pytest

import fugu
from fugu import _fugu
from conftest import PRESENT, columns_compared, records, refused

BOXES = [record for record in records("sbox/properties.txt") if int(record["n"]) <= 8]
TABLES = {record["name"]: record for record in records("sbox/tables.txt")}


def box_of(record: dict[str, str]) -> fugu.SBox:
    n, m, text = int(record["n"]), int(record["m"]), record["LUT"]
    digits = (m + 3) // 4
    return fugu.SBox([int(text[i : i + digits], 16) for i in range(0, len(text), digits)], n, m)


def identifier(record: dict[str, str]) -> str:
    return record["names"].split("=")[0]


@pytest.mark.parametrize("record", BOXES, ids=identifier)
def test_properties_equal_those_computed_elsewhere(record: dict[str, str]) -> None:
    box = box_of(record)
    assert columns_compared(box, record, {"names", "n", "m", "LUT", "LUT source"}, {"fbu", "fbct", "eq3"}) > 45


def test_attributes_are_the_columns() -> None:
    box = fugu.SBox(PRESENT)
    for column, attribute, *_ in _fugu.box_properties():
        if column and attribute:
            value = box._session.value(column)
            assert getattr(box, attribute) == (tuple(value) if isinstance(value, list) else value), attribute


def test_what_the_box_has_none_of_is_none() -> None:
    box = fugu.SBox([0, 1, 1, 2])
    assert (box.cycle_lengths, box.order, box.odd, box.involution, box.inverse_degree) == (None,) * 5
    assert fugu.SBox([0, 1, 3, 2, 1, 0, 2, 3], outputs=2).fixed_points is None
    assert fugu.SBox([0, 1, 1, 2]).first_collision == (1, 2)
    assert fugu.SBox([2, 1, 1, 2]).first_collision == (0, 3)  # the smallest x, not the smallest value
    wide = fugu.SBox.named("CAST_S1")
    assert (wide.differential_anomaly, wide.linear_anomaly, wide.boomerang_anomaly) == (None,) * 3


@pytest.mark.parametrize("name", ("AES", "DES_S5", "random:5:7:1"))
def test_values_of_other_shapes_equal_the_programs(program: Any, name: str) -> None:
    box = fugu.SBox.named(name)
    answer = json.loads(program("sbox", "report", name, "--json"))
    assert list(box.first_linearity) == answer["lin_first"]
    assert list(box.equations) == [answer["eq1"], answer["eq2"], answer["eq3"]]
    assert box.transparency_order == answer["to"]
    assert box.avalanche.shape == (box.inputs, box.outputs)
    assert int(box.avalanche.sum()) == answer["sac_sum"]
    assert (min(box.pair_nonlinearities), sum(box.pair_nonlinearities)) == (answer["bic_nl_min"], answer["bic_nl_sum"])
    values, counts = np.unique(box.act()[1:, 1:], return_counts=True)
    assert box.act_histogram == dict(zip(values.tolist(), counts.tolist(), strict=True))


@pytest.mark.parametrize("record", BOXES, ids=identifier)
def test_tables_have_the_digests_computed_elsewhere(record: dict[str, str]) -> None:
    digests = TABLES.get(identifier(record), {})
    box = box_of(record)
    for table in ("lat", "ddt", "act", "bct", "fbct"):
        if digests.get(table.upper(), "-") != "-":
            assert hashlib.sha256(getattr(box, table)().tobytes()).hexdigest() == digests[table.upper()], table


# These values are those of the examples in SageMath 10's reference manual, "S-Boxes and Their Algebraic Representations"
# (sage.crypto.sbox).


def test_sages_example_of_an_apn_function() -> None:
    box = fugu.SBox([0, 1, 3, 6, 7, 4, 5, 2])
    assert (box.apn, box.differential_uniformity) == (True, 2)
    assert (box.positive_structures, box.negative_structures) == (0, 7)
    assert fugu.SBox([0, 1, 2, 3]).derivative(1).values.tolist() == [1, 1, 1, 1]


class LikeSages:
    """Values with the names of SageMath's SBox."""

    def input_size(self) -> int:
        return 2

    def output_size(self) -> int:
        return 3

    def __iter__(self) -> Any:
        return iter([4, 1, 0, 2])


def test_ways_in() -> None:
    expected = fugu.SBox(PRESENT)
    assert (expected.inputs, expected.outputs, len(expected)) == (4, 4, 16)
    assert expected == fugu.SBox(tuple(PRESENT)) == fugu.SBox(np.array(PRESENT, np.uint8), 4, 4)
    assert hash(expected) == hash(fugu.SBox(np.array(PRESENT)))
    assert list(expected) == PRESENT
    assert [expected[x] for x in range(16)] == PRESENT
    assert expected.inverse().inverse() == expected
    assert fugu.SBox([0, 1 << 31]).outputs == 32
    like = fugu.SBox(LikeSages())
    assert (like.inputs, like.outputs, list(like)) == (2, 3, [4, 1, 0, 2])


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        (([0, 1, 2],), fugu.UsageError, "3 values are not a power of two"),
        (([0, -1],), fugu.UsageError, "below 0 or above 32 bits"),
        (([0, 1 << 32],), fugu.UsageError, "below 0 or above 32 bits"),
        (([0, 4], 1, 2), fugu.UsageError, "2"),
        (([0.0, 1.0],), TypeError, "integers"),
        (([[0, 1], [1, 0]],), TypeError, "one-dimensional"),
        (("0123",), TypeError, "integers"),
    ],
)
def test_what_is_no_box_is_refused(arguments: Any, kind: Any, says: str) -> None:
    refused(kind, says, fugu.SBox, *arguments)


def test_what_cannot_be_asked_for_is_refused() -> None:
    refused(fugu.UsageError, "permutation", fugu.SBox([0, 1, 1, 2]).inverse)
    refused(fugu.UsageError, "16 is not a mask of 4 bits", fugu.SBox(PRESENT).component, 16)
    refused(fugu.UsageError, "no scale", fugu.SBox(PRESENT).lat, "probability")
    for measured_there in ("linearity", "differential_uniformity", "absolute_indicator", "exhaustive_linearity"):
        refused(fugu.EngineError, "no GPU|there is no GPU", getattr, fugu.SBox(range(256), engine="cuda:99"), measured_there)
    box = fugu.SBox(range(256), engine="cuda:99")
    for measured_there in ("linearity", "linearity", "degree"):  # every time, and nothing on the CPU instead
        refused(fugu.EngineError, "no GPU|there is no GPU", getattr, box, measured_there)
    wide = fugu.SBox([0, 1 << 31])
    refused(fugu.UsageError, "at most 20", lambda: wide.linearity)
    refused(fugu.UsageError, "at most 2", wide.ddt)


def test_the_boxes_of_a_blowfish_key_equal_the_programs(program: Any, tmp_path: Any) -> None:
    (tmp_path / "key").write_bytes(b"sixteen byte key")
    for i, box in enumerate(fugu.blowfish_sboxes(b"sixteen byte key"), 1):
        made = program("sbox", "make", f"blowfish:{i}", "--key", "file:key", "--to", "npy")
        np.testing.assert_array_equal(np.load(io.BytesIO(made)), box.values)
    refused(fugu.UsageError, "", fugu.blowfish_sboxes, b"")


def test_the_ortho_derivative_equals_that_computed_elsewhere() -> None:
    record = records("sbox/apn6.txt")[0]
    box = fugu.SBox(bytes_of(record["LUT 2 hex digits"]))
    ortho = box.ortho_derivative()
    assert ortho is not None and list(ortho) == bytes_of(record["ortho LUT"])
    assert fugu.SBox(PRESENT).ortho_derivative() is None


def bytes_of(digits: str) -> list[int]:
    return list(bytes.fromhex(digits))


def test_exhaustive_profiles_equal_the_components() -> None:
    box = fugu.SBox(PRESENT)
    assert box.exhaustive_nonlinearity_histogram == box.nonlinearity_histogram
    assert box.exhaustive_linearity == box.linearity
    assert box.exhaustive_masks == tuple(b for b in range(1, 16) if box.component(b).linearity == box.linearity)


def test_reports_of_equivalence_and_of_all_components_equal_the_programs(program: Any) -> None:
    box = fugu.SBox.named("power:7:3")
    answer = json.loads(program("sbox", "report", "power:7:3", "--json", "--only", "ccz"))
    ortho = box.ortho_derivative()
    assert ortho is not None
    for found, field in ((ortho.ddt_histogram, "ortho_ddt"), (ortho.walsh_histogram, "ortho_walsh")):
        assert list(map(list, found.items())) == answer[field]
    listed = json.loads(program("sbox", "components", "PRESENT", "--exhaustive", "--json"))
    assert list(fugu.SBox(PRESENT).exhaustive_masks) == listed["masks"]


SQUARE = list(range(256))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([0, 300, *SQUARE[2:]], r"entry 1 is 300, and 255 of 256 entries fit 8 bits; give the number of outputs: 8 or 9"),
        ([0, 1, 2, 3, 3, 2, 1, 0], r"no value has more than 2 bits; give the number of outputs: 2 or 3"),
        ([0] * 4, r"no value has more than 1 bits; .*: 1 or 2"),
        (np.array([*SQUARE[:255], 1 << 31]), r"entry 255 is 2147483648, .*: 8 or 32"),
    ],
)
def test_outputs_are_not_guessed_from_stray_values(values: Any, says: str) -> None:
    refused(fugu.UsageError, says, fugu.SBox, values)
    assert fugu.SBox(values, outputs=32).outputs == 32


def test_unaligned_values_make_a_box() -> None:
    memory = np.zeros(17, np.uint8)
    values = memory[1:].view(np.uint32)
    values[:] = [3, 1, 0, 2]
    assert not values.flags.aligned
    assert fugu.SBox(values).values.tolist() == [3, 1, 0, 2]
