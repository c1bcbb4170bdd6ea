"""walsh, inverse_walsh, convolve and autocorrelate."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import npy, output_alone, refused

NUMBERS = (np.int32, np.int64, np.float32, np.float64)


def parities(n: int) -> np.ndarray:
    """The matrix (-1)^{popcount(a & x)}, by its definition."""
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


@pytest.mark.parametrize("order", POSITIONS)
def test_float16_is_rounded_once(order: str, random: np.random.Generator) -> None:
    for n in (0, 1, 5, 9):
        x = random.integers(-100, 100, (3, 1 << n)).astype(np.float16)
        right = (x.astype(np.float64) @ parities(n))[:, [POSITIONS[order](k, n) for k in range(1 << n)]]
        spectrum = fugu.walsh(x, order=order, scale=0.25)
        assert spectrum.dtype == np.float16
        np.testing.assert_array_equal(spectrum, (right / 4).astype(np.float16))
        small = random.integers(-3, 3, (3, 1 << n)).astype(np.float16)
        np.testing.assert_array_equal(fugu.inverse_walsh(fugu.walsh(small, order=order), order=order), small)
        assert fugu.walsh(small, out=small, order=order) is small


def test_float16_that_overflows_is_refused() -> None:
    x = np.full((2, 2), 60000, np.float16)
    refused(fugu.UsageError, "float16 does not hold", fugu.walsh, x.copy())
    np.testing.assert_array_equal(fugu.walsh(x, scale=0.5), [[60000, 0], [60000, 0]])
    x[0, 0] = np.inf
    refused(fugu.UsageError, "float16 does not hold", fugu.walsh, x)  # in the other row
    x[1] = 1
    np.testing.assert_array_equal(fugu.walsh(x), [[np.inf, np.inf], [2, 0]])
    refused(TypeError, "int32, int64, float16, float32 and float64 are possible", fugu.inverse_walsh, np.zeros(8, bool))


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
        (np.zeros(65, np.uint8)[1:].view(np.int64), r"x is not aligned .*; x.copy\(\) is"),
        (np.array(["text"] * 4, object), "x is of object"),
        (np.array(["text"] * 4), "x is of <U4"),
        (np.zeros(4, "M8[s]"), "x is of datetime64"),
        (np.zeros(4, [("a", "i4")]), "x is of "),
        (np.array(5, np.int32), r"x is a single number; x.reshape\(1\)"),
        (np.array([0, 1, 1, 0], np.uint8), r"holds only 0 and 1; x.astype\(bool\) .* packed=True"),
    ],
)
def test_wrong_arrays_are_type_errors_that_say_what_to_do(argument: Any, says: str) -> None:
    refused(TypeError, says, fugu.walsh, argument)


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
    refused(TypeError, says, fugu.walsh, np.arange(8, dtype=np.int32), out=out)


def test_an_out_that_overlaps_or_is_read_only_is_refused() -> None:
    memory = np.arange(16, dtype=np.int32)
    refused(TypeError, "in part the memory of an input", fugu.walsh, memory[:8], out=memory[4:12])
    memory.flags.writeable = False
    refused(TypeError, "out cannot be written to", fugu.walsh, np.arange(16, dtype=np.int32), out=memory)


def test_packed_says_that_bytes_of_0_and_1_are_meant() -> None:
    packed = np.array([0, 1], np.uint8)
    bits = np.unpackbits(packed, bitorder="little").astype(bool)
    np.testing.assert_array_equal(fugu.walsh(packed, packed=True), fugu.walsh(bits))


def test_what_would_not_be_exact_is_refused_before_anything_is_written() -> None:
    x = np.full(4, 1 << 29, np.int32)
    refused(fugu.UsageError, "coefficients may exceed int32; give int64", fugu.walsh, x, out=x)
    np.testing.assert_array_equal(x, 1 << 29)
    out = np.full(4, 7, np.int32)
    refused(fugu.UsageError, "coefficients may exceed int32", fugu.walsh, x, out=out)
    np.testing.assert_array_equal(out, 7)
    np.testing.assert_array_equal(fugu.walsh(x.astype(np.int64)), [1 << 31, 0, 0, 0])
    refused(fugu.UsageError, "give float64", fugu.walsh, np.full(4, 1 << 62))
    refused(fugu.UsageError, "the convolution may exceed 64-bit integers", fugu.convolve, np.full(4, 1 << 40), np.full(4, 1 << 40))


def test_floats_that_overflow_are_refused() -> None:
    large = np.full(4, 1e308)
    for call, *arguments in ((fugu.walsh, large), (fugu.inverse_walsh, large), (fugu.convolve, large, large), (fugu.autocorrelate, large),
                             (fugu.vilenkin_chrestenson, large.astype(complex), "2^2")):  # fmt: skip
        refused(fugu.UsageError, "the result exceeds float64: give smaller values", call, *arguments)
    refused(fugu.UsageError, "the result exceeds float32: give float64", fugu.walsh, np.full(2, 3e38, np.float32))
    assert np.isnan(fugu.walsh(np.array([np.nan, 1.0]))).all()


def test_the_inverse_of_int32_is_exact_where_sums_exceed_it() -> None:
    x = np.array([1 << 30, -(1 << 30), 5, -7], np.int32)
    spectrum = fugu.walsh(x.astype(np.int64))
    assert np.abs(spectrum).max() > np.iinfo(np.int32).max  # so only 64 bits can hold it
    narrow = np.array([1 << 30, 1 << 30, 1 << 30, -(1 << 30)], np.int32)
    np.testing.assert_array_equal(fugu.inverse_walsh(narrow), np.array([1, 1, 1, -1]) @ parities(2) * (1 << 28))


def test_what_is_no_spectrum_is_refused() -> None:
    refused(fugu.UsageError, "not the spectrum of an integer function", fugu.inverse_walsh, np.array([1, 0, 0, 0], np.int32))


@pytest.mark.parametrize("call", [fugu.walsh, fugu.autocorrelate])
def test_lengths_are_powers_of_two(call: Any) -> None:
    refused(fugu.UsageError, "power of", call, np.arange(6))


def test_unknown_names_are_usage_errors() -> None:
    x = np.arange(4)
    refused(fugu.UsageError, "no order 'paley'; choose from natural, dyadic, sequency", fugu.walsh, x, order="paley")
    refused(fugu.UsageError, "no engine 'gpu'; choose from auto, cpu and cuda:N", fugu.walsh, x, engine="gpu")
    refused(fugu.NoDeviceError, "no GPU|there is no GPU", fugu.walsh, x, engine="cuda:99")


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("order", POSITIONS)
def test_transforms_equal_the_programs_byte_for_byte(program: Any, dtype: Any, order: str, random: np.random.Generator) -> None:
    x = (random.standard_normal((3, 256)) * 1000).astype(dtype)
    spectrum = fugu.walsh(x, order=order)
    assert program("spectral", "walsh", "--order", order, stdin=npy(x)) == npy(spectrum)
    back = fugu.inverse_walsh(spectrum, order=order)
    assert program("spectral", "inverse", "--order", order, stdin=npy(spectrum)) == npy(back)


@pytest.mark.parametrize("dtype", (np.int32, np.float64, bool))
def test_large_results_begin_where_a_cache_line_does(dtype: Any) -> None:
    x = np.zeros((4, 1 << 19), dtype)
    for result in (fugu.walsh(x), fugu.autocorrelate(x), fugu.SBox(range(2048)).ddt()):
        assert result.ctypes.data % 64 == 0
        assert result.flags.c_contiguous and result.flags.writeable
    assert fugu.walsh(x).shape == x.shape


def test_rows_of_no_values_are_refused() -> None:
    for call in (fugu.walsh, fugu.inverse_walsh, fugu.autocorrelate, lambda x: fugu.convolve(x, x)):
        refused(fugu.UsageError, "not a power of two|are not a power of two", call, np.empty((4, 0)))
        assert call(np.empty((0, 4))).shape == (0, 4)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2 if sys.platform == "linux" else True, reason="needs two processors under Linux")
def test_threads_stay_from_call_to_call_but_not_over_a_fork() -> None:
    code = """
        import os, numpy as np, fugu
        def threads(): return len(os.listdir("/proc/self/task"))
        x = np.arange(1 << 18, dtype=np.int32) % 251
        before, expected = threads(), np.zeros(1 << 18, np.int64) + x
        for bit in range(18):
            pairs = expected.reshape(-1, 2, 1 << bit)
            expected = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], 1)
        right = lambda: (fugu.walsh(x) == expected.ravel()).all()
        more = len(os.sched_getaffinity(0)) - 1
        assert right() and threads() == before + more and right()
        child = os.fork()
        if child == 0: os._exit(0 if right() and threads() == 1 + more else 1)
        assert os.waitpid(child, 0)[1] == 0 and right()
    """
    assert output_alone(code, 120) == ""
