"""character_table, vilenkin_chrestenson, and convolutions over finite Abelian groups."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import npy, refused


@pytest.mark.parametrize("dtype", ("complex64", "complex128", "uint8", "uint16"))
@pytest.mark.parametrize("row_order", ("kronecker", "equation1"))
def test_character_tables_equal_the_programs_byte_for_byte(program: Any, dtype: str, row_order: str) -> None:
    table = fugu.character_table("2x3^2", dtype=dtype, row_order=row_order)  # type: ignore[arg-type]
    options = ("--values", dtype, "--row-order", row_order, "--to", "npy")
    assert program("spectral", "characters", "2x3^2", *options) == npy(table)
    part = fugu.character_table([2, 3, 3], rows=(2, 5), columns=(1, 9), dtype=dtype, row_order=row_order)  # type: ignore[arg-type]
    np.testing.assert_array_equal(part, table[2:7, 1:10])


def test_characters_equal_their_definition() -> None:
    exponents = fugu.character_table([4], dtype=np.uint8)
    np.testing.assert_array_equal(exponents, np.outer(range(4), range(4)) % 4)
    np.testing.assert_array_equal(fugu.character_table([4])[1], [1, 1j, -1, -1j])
    refused(fugu.UsageError, "is not a group", fugu.character_table, "3^")
    refused(TypeError, "complex64, complex128, uint8 and uint16 are possible", fugu.character_table, "3", dtype=np.float64)


@pytest.mark.parametrize("group", ("3^3", "2x3x5", "4^2", [6, 2]))
@pytest.mark.parametrize("dtype", (np.complex64, np.complex128))
def test_vilenkin_chrestenson_equals_its_definition(group: Any, dtype: Any, random: np.random.Generator) -> None:
    characters = fugu.character_table(group)
    x = (random.standard_normal((2, len(characters), 2)) @ [1, 1j]).astype(dtype)
    spectrum = fugu.vilenkin_chrestenson(x, group)
    tolerance = 1e-4 if dtype is np.complex64 else 1e-12
    assert spectrum.dtype == dtype
    np.testing.assert_allclose(spectrum, x @ characters.conj().T, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(fugu.vilenkin_chrestenson(spectrum, group, inverse=True), x, rtol=tolerance, atol=tolerance)


def test_character_tables_are_written_to_out() -> None:
    out = np.zeros((3, 9), np.uint8)
    assert fugu.character_table("3^2", rows=(2, 3), out=out) is out
    np.testing.assert_array_equal(out, fugu.character_table("3^2", rows=(2, 3), dtype=np.uint8))
    refused(TypeError, "is needed", fugu.character_table, "3^2", out=out)
    refused(TypeError, "dtype is float64", fugu.character_table, "3^2", out=np.zeros((9, 9)))


def test_vilenkin_chrestenson_equals_numpys_transforms(random: np.random.Generator) -> None:
    x = random.standard_normal((3, 4, 5))
    np.testing.assert_allclose(fugu.vilenkin_chrestenson(x.ravel(), "3x4x5"), np.fft.fftn(x).ravel(), atol=1e-12)
    bits = random.integers(-9, 9, 64)
    np.testing.assert_array_equal(fugu.vilenkin_chrestenson(bits, "2^6"), fugu.walsh(bits))
    refused(fugu.UsageError, "the group has 9 elements, and x has the shape \\(8,\\)", fugu.vilenkin_chrestenson, np.ones(8), "3^2")


def combined(orders: tuple[int, ...], sign: int) -> np.ndarray:
    """The index of s + sign x in the group, at [s, x]."""
    digits = np.array(np.unravel_index(np.arange(np.prod(orders)), orders))
    moved = (digits[:, :, None] + sign * digits[:, None, :]) % np.array(orders)[:, None, None]
    return np.ravel_multi_index(tuple(moved), orders)


@pytest.mark.parametrize("dtype", (np.int32, np.int64, np.float64, np.complex64))
def test_convolutions_over_groups_equal_their_definition(dtype: Any, random: np.random.Generator) -> None:
    orders, tolerance = (2, 3, 3), 1e-3 if dtype is np.complex64 else 1e-9
    f, g = random.integers(-20, 20, (2, 2, 18)).astype(dtype)
    f = (f * (1 + 2j)).astype(dtype) if dtype is np.complex64 else f
    result = fugu.convolve(f, g, group="2x3^2")
    types = {np.int32: np.int64, np.int64: np.int64, np.complex64: np.complex64}
    assert result.dtype == types.get(dtype, np.complex128)
    convolution = [[np.sum(a * b[row]) for row in combined(orders, -1)] for a, b in zip(f, g, strict=True)]
    np.testing.assert_allclose(result, convolution, atol=tolerance)
    correlation = [[np.sum(a[row] * np.conj(a)) for row in combined(orders, 1)] for a in f]
    np.testing.assert_allclose(fugu.autocorrelate(f, group=orders), correlation, atol=tolerance)


def test_exact_transforms_over_groups_agree_with_the_complex_one(random: np.random.Generator) -> None:
    f = random.integers(-50, 50, (2, 27))
    expected = fugu.vilenkin_chrestenson(f, "3^3")
    zeta = np.exp(2j * np.pi / 3)
    counts = fugu.vilenkin_chrestenson(f, "3^3", values="counts")
    assert (counts.shape, counts.dtype) == ((2, 27, 3), np.int64)
    np.testing.assert_allclose(counts @ zeta ** np.arange(3), expected, atol=1e-9)
    integers = fugu.vilenkin_chrestenson(f, "3^3", values="integers")
    np.testing.assert_array_equal(integers, counts[..., :2] - counts[..., 2:])
    residues = fugu.vilenkin_chrestenson(f, "3^3", values="residues", modulus=103)
    root = next(r for r in (pow(g, 34, 103) for g in range(2, 103)) if r != 1)
    assert any(np.array_equal(residues, counts @ [1, r, r * r] % 103) for r in (root, root * root % 103))
    back = fugu.vilenkin_chrestenson(residues, "3^3", values="residues", modulus=103, inverse=True)
    np.testing.assert_array_equal(back, f % 103)


def test_functions_of_p_values(program: Any, random: np.random.Generator) -> None:
    f = np.array([x * x + y * y for x in range(3) for y in range(3)]) % 3
    spectrum = fugu.vilenkin_chrestenson(f, "3^2", table=True)
    np.testing.assert_allclose(np.abs(spectrum) ** 2, 9)  # x^2 + y^2 is bent
    found = fugu.p_valued_properties(f, "3^2")
    assert found == fugu.PValued(balanced=False, bent=True, plateaued=True, largest_square=9)
    assert not fugu.p_valued_properties(np.arange(9) % 3, [3, 3]).bent
    counts = fugu.vilenkin_chrestenson(f, "3^2", values="counts", table=True)
    np.testing.assert_allclose(counts @ np.exp(2j * np.pi / 3) ** np.arange(3), spectrum, atol=1e-9)
    text = " ".join(map(str, f)).encode()
    options = ("--group", "3^2", "--as", "table", "--values", "counts", "--to", "npy")
    assert program("spectral", "vilenkin-chrestenson", *options, stdin=text) == npy(counts)


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"values": "real"}, fugu.UsageError, "choose from complex, counts, integers and residues"),
        ({"modulus": 7}, fugu.UsageError, "modulus is for residues"),
        ({"values": "counts", "inverse": True}, fugu.UsageError, "the inverse takes complex values and residues only"),
        ({"values": "residues", "modulus": 5}, fugu.UsageError, "5"),
        ({"table": True}, fugu.UsageError, "the integers 0 to 2"),
    ],
)
def test_what_no_transform_over_groups_is(options: Any, kind: Any, says: str) -> None:
    refused(kind, says, fugu.vilenkin_chrestenson, [0, 1, 3], "3", **options)


OVER_GROUPS: dict[str, Any] = {
    "transform": lambda x: fugu.vilenkin_chrestenson(x, "2^2"),
    "counts": lambda x: fugu.vilenkin_chrestenson(x, "2^2", values="counts"),
    "convolution": lambda x: fugu.convolve(x, x, group="2^2"),
    "autocorrelation": lambda x: fugu.autocorrelate(x, group="2^2"),
    "properties": lambda x: fugu.p_valued_properties(x, "2^2"),
}


@pytest.mark.parametrize("call", OVER_GROUPS)
@pytest.mark.parametrize(
    ("x", "says"),
    [
        (np.zeros(4, np.uint64), r"is of uint64; bool, int8 to int64.*astype\(numpy.complex128\)"),
        (np.zeros(4, "M8[s]"), "is of datetime64"),
        (np.zeros(4, np.longdouble), "is of (float128|longdouble|float96)"),
        (np.zeros(8, np.int64)[::2], "is not contiguous"),
        (np.zeros((4, 4), np.int64, order="F")[:, :], "is not contiguous"),
        (np.zeros(4, ">i4"), "has the other byte order"),
    ],
)
def test_what_no_function_over_a_group_is(call: str, x: Any, says: str) -> None:
    refused(TypeError, says, OVER_GROUPS[call], x)


def test_convolutions_over_groups_are_the_cpus() -> None:
    says, four = "are computed on the CPU", np.ones(4)
    refused(fugu.UsageError, f"convolutions over a group {says}", fugu.convolve, four, four, group="2^2", engine="cuda:0")
    refused(fugu.UsageError, "no engine 'gpu'", fugu.autocorrelate, np.ones(4), group="2^2", engine="gpu")
    for values in ("counts", "integers", "residues"):
        refused(fugu.UsageError, f"{values} {says}", fugu.vilenkin_chrestenson, np.arange(4), "2^2", values=values, engine="cuda:0")
