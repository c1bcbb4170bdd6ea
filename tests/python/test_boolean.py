"""BooleanFunction, compared with vectors/sbox/boolean.txt, and the ways to make one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fugu
from conftest import columns_compared, records, refused

# In boolean.txt, f of eight variables or more is hexadecimal; f of fewer has one digit per value, or less than a whole digit.
BOOLEANS = records("sbox/boolean.txt")


def function_of(record: dict[str, str]) -> fugu.BooleanFunction:
    n, text = int(record["n"]), record["tt"]
    return fugu.BooleanFunction(bits=text) if len(text) == 1 << n else fugu.BooleanFunction(hex=text)


@pytest.mark.parametrize("record", BOOLEANS, ids=lambda record: record["name"])
def test_properties_equal_those_computed_elsewhere(record: dict[str, str]) -> None:
    f = function_of(record)
    assert f.variables == int(record["n"])
    assert columns_compared(f, record, {"name", "n", "tt", "source"}) > 20


class LikeSages:
    """Values with the names of SageMath's BooleanFunction."""

    def nvariables(self) -> int:
        return 2

    def truth_table(self) -> tuple[bool, ...]:
        return (False, True, True, True)


def test_every_way_in_gives_the_same_function() -> None:
    expected = fugu.BooleanFunction([0, 0, 0, 1, 1, 0, 1, 1])
    bits = np.array([0, 0, 0, 1, 1, 0, 1, 1])
    for f in (
        fugu.BooleanFunction("0001 1011"),
        fugu.BooleanFunction(bits="00011011"),
        fugu.BooleanFunction(bits.astype(bool)),
        fugu.BooleanFunction(bits.astype(np.int8)),
        fugu.BooleanFunction(hex="1b"),
        fugu.BooleanFunction(hex="d8", bit_order="sage"),
        fugu.BooleanFunction(packed=bytes([0b11011000])),
        fugu.BooleanFunction(packed=np.packbits(bits, bitorder="little")),
        fugu.BooleanFunction(polynomial="x2 + x0 x1 + x0 x2", variables=3),
    ):
        assert f == expected
        assert hash(f) == hash(expected)
    assert expected != fugu.BooleanFunction([0, 1])
    assert fugu.BooleanFunction(LikeSages()).to_bits() == "0111"
    assert fugu.BooleanFunction(packed=b"\x02", variables=1).to_bits() == "01"
    assert fugu.BooleanFunction(expected.algebraic_normal_form.truth_table).algebraic_normal_form == expected


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "says"),
    [
        ((), {}, TypeError, "one of them only"),
        (([0, 1],), {"hex": "1"}, TypeError, "one of them only"),
        ((b"\x01",), {}, TypeError, "packed=values"),
        (([0, 2],), {}, TypeError, "not all 0 or 1"),
        (([1, -1],), {}, TypeError, "give s < 0"),
        (([[0, 1]],), {}, TypeError, "2 dimensions"),
        (([0, 1, 1],), {}, fugu.UsageError, "3 values are not a power of two"),
        ((), {"hex": "1g"}, fugu.UsageError, "g"),
        ((), {"polynomial": "x0"}, TypeError, "needs variables="),
        ((), {"polynomial": "x3", "variables": 2}, fugu.UsageError, "x3"),
        ((), {"packed": b"\0\0\0"}, fugu.UsageError, "power of two"),
        ((), {"packed": b"\0\0", "variables": 3}, fugu.UsageError, "2 bytes are not a packed truth table"),
        ((), {"hex": "1b", "variables": 4}, fugu.UsageError, "has 3 variables, not 4"),
        ((), {"hex": "1b", "bit_order": "lsb"}, fugu.UsageError, "choose from msb and sage"),
    ],
)
def test_what_is_no_function_is_refused(arguments: Any, options: Any, kind: Any, says: str) -> None:
    refused(kind, says, fugu.BooleanFunction, *arguments, **options)


def test_values_are_indexed_and_refused_beyond_the_end() -> None:
    f = fugu.BooleanFunction("0111")
    assert [f[x] for x in range(len(f))] == [0, 1, 1, 1]
    refused(IndexError, "", lambda: f[4])
    assert list(f) == [0, 1, 1, 1]


def test_spectra_in_other_orders(random: np.random.Generator) -> None:
    f = fugu.BooleanFunction(random.integers(0, 2, 512))
    for order in ("natural", "dyadic", "sequency"):
        np.testing.assert_array_equal(f.walsh_spectrum(order), fugu.walsh(f.truth_table, order=order))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("packed", "says"),
    [
        (np.array(["text"], object), "packed is of object"),
        (np.zeros(2, "M8[s]"), "packed is of datetime64"),
        (np.zeros(2, [("a", "u1")]), "packed is of "),
        (np.zeros(8, bool), "packed is of bool"),
        (np.zeros(2, np.int64), "packed is of int64"),
        (memoryview(np.zeros(2, np.int64)), "packed is of int64"),
        (np.zeros(8, np.uint8)[::2], "not contiguous"),
        (5, "bytes-like"),
    ],
)
def test_only_bytes_are_packed(packed: Any, says: str) -> None:
    refused(TypeError, says, fugu.BooleanFunction, packed=packed)


def test_a_bool_is_whatever_is_not_zero() -> None:
    values = np.zeros(128, np.uint8)
    values[[3, 70]] = 2, 255
    bits = fugu.BooleanFunction(values.view(bool)).to_bits()
    assert [x for x, bit in enumerate(bits) if bit == "1"] == [3, 70]


@pytest.mark.parametrize("variables", range(9))
def test_packed_and_unpacked_values_are_the_same(variables: int, random: np.random.Generator) -> None:
    bits = random.integers(0, 2, 1 << variables).astype(bool)
    packed = np.packbits(bits, bitorder="little")
    f, same = fugu.BooleanFunction(bits), fugu.BooleanFunction(packed=packed, variables=variables)
    assert f == same and f.to_bits() == "".join("01"[bit] for bit in bits.astype(int))
    np.testing.assert_array_equal(f.truth_table, bits)
    if variables >= 3:
        np.testing.assert_array_equal(fugu.walsh(packed, packed=True), fugu.walsh(bits))
        np.testing.assert_array_equal(fugu.convolve(packed, packed, packed=True), fugu.convolve(bits, bits))
