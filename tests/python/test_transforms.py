"""walsh, inverse_walsh, convolve, autocorrelate, character_table, vilenkin_chrestenson."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import fugu

NUMBERS = (np.int32, np.int64, np.float32, np.float64)


def parities(n: int) -> np.ndarray:
    """The matrix (-1)^{popcount(a & x)}, from its definition."""
    index = np.arange(1 << n)
    return 1 - 2 * (np.bitwise_count(index[:, None] & index[None, :]).astype(np.int64) % 2)


def reversed_bits(k: int, n: int) -> int:
    return int(f"{k:0{n}b}"[::-1], 2) if n else 0


POSITIONS = {
    "natural": lambda k, n: k,
    "dyadic": lambda k, n: reversed_bits(k, n),
    "sequency": lambda k, n: reversed_bits(k ^ k >> 1, n),
}


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("order", POSITIONS)
@pytest.mark.parametrize("n", range(8))
def test_walsh_equals_its_definition(dtype: Any, order: str, n: int, random: np.random.Generator) -> None:
    x = random.integers(-1000, 1000, 1 << n).astype(dtype)
    spectrum = fugu.walsh(x, order=order)
    expected = (parities(n) @ x.astype(np.int64))[[POSITIONS[order](k, n) for k in range(1 << n)]]
    assert spectrum.dtype == dtype
    np.testing.assert_array_equal(spectrum, expected)
    np.testing.assert_array_equal(fugu.inverse_walsh(spectrum, order=order), x)


def test_sequency_counts_changes_of_sign() -> None:
    for k in range(16):
        row = fugu.inverse_walsh(np.eye(16, dtype=np.int64)[k] * 16, order="sequency")
        assert np.count_nonzero(np.diff(row)) == k


def test_walsh_equals_scipy(random: np.random.Generator) -> None:
    linalg = pytest.importorskip("scipy.linalg")
    for n in range(10):
        x = random.standard_normal(1 << n)
        np.testing.assert_allclose(fugu.walsh(x), linalg.hadamard(1 << n) @ x, rtol=1e-12, atol=1e-9)
        integers = random.integers(-9, 9, 1 << n)
        np.testing.assert_array_equal(fugu.walsh(integers), linalg.hadamard(1 << n) @ integers)


def test_walsh_equals_sympy(random: np.random.Generator) -> None:
    transforms = pytest.importorskip("sympy.discrete.transforms")
    for n in range(7):
        x = random.integers(-(10**6), 10**6, 1 << n)
        assert fugu.walsh(x).tolist() == transforms.fwht(x.tolist())
        assert fugu.inverse_walsh(fugu.walsh(x)).tolist() == transforms.ifwht(transforms.fwht(x.tolist()))


def test_convolve_equals_sympy(random: np.random.Generator) -> None:
    convolutions = pytest.importorskip("sympy.discrete.convolutions")
    f, g = random.integers(-99, 99, (2, 32))
    assert fugu.convolve(f, g).tolist() == convolutions.convolution_fwht(f.tolist(), g.tolist())


def test_batches_are_rows() -> None:
    x = np.arange(2 * 3 * 8, dtype=np.int32).reshape(2, 3, 8)
    expected = x @ parities(3)
    np.testing.assert_array_equal(fugu.walsh(x), expected)
    np.testing.assert_array_equal(fugu.inverse_walsh(fugu.walsh(x)), x)
    f = x.astype(np.int64)
    rows = [fugu.convolve(a, b) for a, b in zip(f.reshape(-1, 8), f[::-1].reshape(-1, 8), strict=True)]
    np.testing.assert_array_equal(fugu.convolve(f, np.ascontiguousarray(f[::-1])), np.reshape(rows, f.shape))


def test_truth_tables_are_transformed_as_polarity(random: np.random.Generator) -> None:
    bits = random.integers(0, 2, (5, 64)).astype(bool)
    expected = fugu.walsh(1 - 2 * bits.astype(np.int32))
    assert fugu.walsh(bits).dtype == np.int32
    np.testing.assert_array_equal(fugu.walsh(bits), expected)
    packed = np.packbits(bits, axis=-1, bitorder="little")
    np.testing.assert_array_equal(fugu.walsh(packed), expected)
    np.testing.assert_array_equal(fugu.autocorrelate(packed), fugu.autocorrelate(1 - 2 * bits.astype(np.int64)))
    np.testing.assert_array_equal(fugu.convolve(packed, packed), fugu.autocorrelate(bits.astype(np.int64)))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_convolutions_equal_their_definition(dtype: Any, random: np.random.Generator) -> None:
    f, g = random.integers(-20, 20, (2, 32)).astype(dtype)
    index = np.arange(32)
    expected = [int(np.sum(f * g[index ^ s])) for s in index]
    result = fugu.convolve(f, g)
    assert result.dtype == (dtype if np.issubdtype(dtype, np.floating) else np.int64)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(fugu.autocorrelate(f), [int(np.sum(f * f[index ^ s])) for s in index])


def test_out_is_written_and_returned() -> None:
    x = np.arange(16, dtype=np.int32)
    out = np.empty_like(x)
    assert fugu.walsh(x, out=out) is out
    np.testing.assert_array_equal(x, np.arange(16))
    assert fugu.walsh(x, out=x) is x
    np.testing.assert_array_equal(x, out)
    f = np.arange(8, dtype=np.int64)
    expected = fugu.convolve(f, f)
    assert fugu.convolve(f, f.copy(), out=f) is f
    np.testing.assert_array_equal(f, expected)
    g = np.arange(8, dtype=np.int64)
    assert fugu.convolve(np.arange(8), g, out=g) is g
    np.testing.assert_array_equal(g, expected)


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ([1, 2, 3, 4], r"x is a list; numpy.asarray\(x, dtype=numpy.int32\)"),
        (np.arange(8)[::2], r"x is not contiguous in memory; numpy.ascontiguousarray\(x\)"),
        (np.asfortranarray(np.ones((4, 4))), "not contiguous"),
        (np.arange(8, dtype=np.int16), r"x is of int16; .* are possible: x.astype\(numpy.int64\)"),
        (np.arange(8, dtype=np.complex128), "x is of complex128"),
        (np.arange(8, dtype=">i4"), "x has the other byte order"),
        (np.array(5, np.int32), r"x is a single number; x.reshape\(1\)"),
        (np.array([0, 1, 1, 0], np.uint8), r"holds only 0 and 1; x.astype\(bool\) .* packed=True"),
    ],
)
def test_wrong_arrays_are_type_errors_that_say_what_to_do(argument: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        fugu.walsh(argument)


@pytest.mark.parametrize(
    ("out", "says"),
    [
        (np.empty(8, np.int64), r"out is of int64 .* numpy.empty\(\(8,\), numpy.int32\) is needed"),
        (np.empty(4, np.int32), "is needed"),
        (np.empty(16, np.int32)[::2], "out is not contiguous"),
        ([0] * 8, "out is a list"),
    ],
)
def test_a_wrong_out_says_what_is_needed(out: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        fugu.walsh(np.arange(8, dtype=np.int32), out=out)


def test_an_out_that_overlaps_or_is_read_only_is_refused() -> None:
    memory = np.arange(16, dtype=np.int32)
    with pytest.raises(TypeError, match="in part the memory of an input"):
        fugu.walsh(memory[:8], out=memory[4:12])
    memory.flags.writeable = False
    with pytest.raises(TypeError, match="out cannot be written to"):
        fugu.walsh(np.arange(16, dtype=np.int32), out=memory)


def test_packed_says_that_bytes_of_0_and_1_are_meant() -> None:
    packed = np.array([0, 1], np.uint8)
    bits = np.unpackbits(packed, bitorder="little").astype(bool)
    np.testing.assert_array_equal(fugu.walsh(packed, packed=True), fugu.walsh(bits))


def test_what_would_not_be_exact_is_refused_before_anything_is_written() -> None:
    x = np.full(4, 1 << 29, np.int32)
    with pytest.raises(fugu.UsageError, match="coefficients may exceed int32; give int64"):
        fugu.walsh(x, out=x)
    np.testing.assert_array_equal(x, 1 << 29)
    np.testing.assert_array_equal(fugu.walsh(x.astype(np.int64)), [1 << 31, 0, 0, 0])
    with pytest.raises(fugu.UsageError, match="give float64"):
        fugu.walsh(np.full(4, 1 << 62))
    with pytest.raises(fugu.UsageError, match="the convolution may exceed 64-bit integers"):
        fugu.convolve(np.full(4, 1 << 40), np.full(4, 1 << 40))


def test_the_inverse_of_int32_is_exact_where_sums_exceed_it() -> None:
    x = np.array([1 << 30, -(1 << 30), 5, -7], np.int32)
    spectrum = fugu.walsh(x.astype(np.int64))
    assert np.abs(spectrum).max() > np.iinfo(np.int32).max  # so only 64 bits hold it
    narrow = np.array([1 << 30, 1 << 30, 1 << 30, -(1 << 30)], np.int32)
    np.testing.assert_array_equal(fugu.inverse_walsh(narrow), np.array([1, 1, 1, -1]) @ parities(2) * (1 << 28))


def test_what_is_no_spectrum_is_refused() -> None:
    with pytest.raises(fugu.UsageError, match="not the spectrum of an integer function"):
        fugu.inverse_walsh(np.array([1, 0, 0, 0], np.int32))


@pytest.mark.parametrize("call", [fugu.walsh, fugu.autocorrelate])
def test_lengths_are_powers_of_two(call: Any) -> None:
    with pytest.raises(fugu.UsageError, match="power of"):
        call(np.arange(6))


def test_unknown_names_are_usage_errors() -> None:
    x = np.arange(4)
    with pytest.raises(fugu.UsageError, match="no order 'paley'; there are natural, dyadic, sequency"):
        fugu.walsh(x, order="paley")  # type: ignore[call-overload]
    with pytest.raises(fugu.UsageError, match="no engine 'gpu'; there are auto, cpu and cuda:N"):
        fugu.walsh(x, engine="gpu")
    with pytest.raises(fugu.NoDeviceError, match="no gpu|there is no gpu"):
        fugu.walsh(x, engine="cuda:99")


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("order", POSITIONS)
def test_transforms_equal_the_programs_byte_for_byte(program: Any, dtype: Any, order: str, random: np.random.Generator) -> None:
    x = (random.standard_normal((3, 256)) * 1000).astype(dtype)
    assert program("spectral", "walsh", "--order", order, stdin=npy(x)) == npy(fugu.walsh(x, order=order))
    spectrum = fugu.walsh(x, order=order)
    assert program("spectral", "inverse", "--order", order, stdin=npy(spectrum)) == npy(
        fugu.inverse_walsh(spectrum, order=order)
    )


@pytest.mark.parametrize("dtype", (np.int64, np.float32, np.float64))
def test_convolutions_equal_the_programs_byte_for_byte(program: Any, dtype: Any, tmp_path: Any, random: np.random.Generator) -> None:
    f, g = (random.standard_normal((2, 4096)) * 1000).astype(dtype)
    np.save(tmp_path / "f.npy", f)
    np.save(tmp_path / "g.npy", g)
    assert program("spectral", "convolve", "f.npy", "g.npy") == npy(fugu.convolve(f, g))
    assert program("spectral", "autocorrelate", "f.npy") == npy(fugu.autocorrelate(f))


def test_spectra_of_truth_tables_equal_the_programs(program: Any, random: np.random.Generator) -> None:
    bits = random.integers(0, 2, 1 << 12).astype(bool)
    text = "".join("01"[int(bit)] for bit in bits).encode()
    numbers = "".join(f"{w}\n" for w in fugu.walsh(bits)).encode()
    assert program("spectral", "walsh", "--from", "bits", stdin=text) == numbers


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
    with pytest.raises(fugu.UsageError, match="is not a group"):
        fugu.character_table("3^")
    with pytest.raises(TypeError, match="complex64, complex128, uint8 and uint16 are possible"):
        fugu.character_table("3", dtype=np.float64)


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
    with pytest.raises(TypeError, match="is needed"):
        fugu.character_table("3^2", out=out)
    with pytest.raises(TypeError, match="dtype is float64"):
        fugu.character_table("3^2", out=np.zeros((9, 9)))


def test_vilenkin_chrestenson_equals_numpys_transforms(random: np.random.Generator) -> None:
    x = random.standard_normal((3, 4, 5))
    np.testing.assert_allclose(fugu.vilenkin_chrestenson(x.ravel(), "3x4x5"), np.fft.fftn(x).ravel(), atol=1e-12)
    bits = random.integers(-9, 9, 64)
    np.testing.assert_array_equal(fugu.vilenkin_chrestenson(bits, "2^6"), fugu.walsh(bits))
    with pytest.raises(fugu.UsageError, match="the group has 9 elements, and x has the shape \\(8,\\)"):
        fugu.vilenkin_chrestenson(np.ones(8), "3^2")


def combined(orders: tuple[int, ...], sign: int) -> np.ndarray:
    """The index of s + sign x over the group, at [s, x]."""
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
        ({"values": "real"}, fugu.UsageError, "there are complex, counts, integers and residues"),
        ({"modulus": 7}, fugu.UsageError, "modulus is for residues"),
        ({"values": "counts", "inverse": True}, fugu.UsageError, "the inverse is of complex values and residues"),
        ({"values": "residues", "modulus": 5}, fugu.UsageError, "5"),
        ({"table": True}, fugu.UsageError, "the integers 0 to 2"),
    ],
)
def test_what_no_transform_over_groups_is(options: Any, kind: Any, says: str) -> None:
    with pytest.raises(kind, match=says):
        fugu.vilenkin_chrestenson([0, 1, 3], "3", **options)


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
    with pytest.raises(TypeError, match=says):
        OVER_GROUPS[call](x)


def test_convolutions_over_groups_are_the_cpus() -> None:
    with pytest.raises(fugu.UsageError, match="convolutions over a group are computed on the CPU"):
        fugu.convolve(np.ones(4), np.ones(4), group="2^2", engine="cuda:0")
    with pytest.raises(fugu.UsageError, match="no engine 'gpu'"):
        fugu.autocorrelate(np.ones(4), group="2^2", engine="gpu")


@pytest.mark.parametrize("dtype", (np.int32, np.float64, bool))
def test_large_results_begin_where_a_cache_line_does(dtype: Any) -> None:
    x = np.zeros((4, 1 << 19), dtype)
    for result in (fugu.walsh(x), fugu.autocorrelate(x), fugu.SBox(range(2048)).ddt()):
        assert result.ctypes.data % 64 == 0
        assert result.flags.c_contiguous and result.flags.writeable
    assert fugu.walsh(x).shape == x.shape


def test_rows_of_no_values_are_refused() -> None:
    for call in (fugu.walsh, fugu.inverse_walsh, fugu.autocorrelate, lambda x: fugu.convolve(x, x)):
        with pytest.raises(fugu.UsageError, match="not a power of two|are not a power of two"):
            call(np.empty((4, 0)))
        assert call(np.empty((0, 4))).shape == (0, 4)
