"""Arrays of other libraries in host memory: the result is one of theirs, and what NumPy cannot hold is a TypeError."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

import fugu


class Tensor:
    """An array of a library that has DLPack and from_dlpack(), as PyTorch's are."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.array


class Standard(Tensor):
    """The same of a library that has the array API standard, as JAX does."""

    def __array_namespace__(self) -> Any:
        return types.SimpleNamespace(from_dlpack=lambda x: Standard(np.from_dlpack(x)))


Tensor.__module__ = "tensors"


@pytest.fixture(params=("a library", "the standard", "torch"))
def tensor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes an array of a library of an array of NumPy, in the same memory."""
    if request.param == "torch":
        return pytest.importorskip("torch").from_numpy
    library: Any = types.ModuleType("tensors")
    library.from_dlpack = lambda x: Tensor(np.from_dlpack(x))
    monkeypatch.setitem(sys.modules, "tensors", library)
    return Standard if request.param == "the standard" else Tensor


def calls(make: Any) -> dict[str, tuple[Any, np.ndarray]]:
    """Calls as functions of `out`, and their results for arrays of NumPy."""
    x, g = np.arange(8, dtype=np.float64), np.arange(8)[::-1].astype(np.float64)
    complex_values = np.arange(9, dtype=np.complex128)
    numbers = np.arange(9)
    return {
        "walsh": (lambda out: fugu.walsh(make(x), out=out), fugu.walsh(x)),
        "inverse_walsh": (lambda out: fugu.inverse_walsh(make(x), out=out), fugu.inverse_walsh(x)),
        "convolve": (lambda out: fugu.convolve(make(x), make(g), out=out), fugu.convolve(x, g)),
        "autocorrelate": (lambda out: fugu.autocorrelate(make(x), out=out), fugu.autocorrelate(x)),
        "convolve over a group": (
            lambda out: fugu.convolve(make(complex_values), make(complex_values), group="3^2", out=out),
            fugu.convolve(complex_values, complex_values, group="3^2"),
        ),
        "autocorrelate over a group": (
            lambda out: fugu.autocorrelate(make(numbers), group="3^2", out=out), fugu.autocorrelate(numbers, group="3^2"),
        ),
        "vilenkin_chrestenson": (
            lambda out: fugu.vilenkin_chrestenson(make(complex_values), "3^2", out=out),
            fugu.vilenkin_chrestenson(complex_values, "3^2"),
        ),
        "counts": (
            lambda out: fugu.vilenkin_chrestenson(make(numbers), "3^2", values="counts", out=out),
            fugu.vilenkin_chrestenson(numbers, "3^2", values="counts"),
        ),
        "residues": (
            lambda out: fugu.vilenkin_chrestenson(make(numbers), "3^2", values="residues", out=out),
            fugu.vilenkin_chrestenson(numbers, "3^2", values="residues"),
        ),
    }


@pytest.mark.parametrize("name", calls(np.asarray))
def test_the_result_is_of_the_callers_library(tensor: Any, name: str) -> None:
    call, expected = calls(tensor)[name]
    result = call(None)
    assert type(result) is type(tensor(expected))
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("name", calls(np.asarray))
def test_out_is_returned_as_it_was_given(tensor: Any, name: str) -> None:
    call, expected = calls(tensor)[name]
    memory = np.zeros_like(expected)
    out = tensor(memory)
    assert call(out) is out
    np.testing.assert_array_equal(memory, expected)


def test_other_outputs_are_returned_as_they_were_given(tensor: Any) -> None:
    table = np.zeros((9, 9), np.complex64)
    out = tensor(table)
    assert fugu.character_table("3^2", out=out) is out
    np.testing.assert_array_equal(table, fugu.character_table("3^2", dtype=np.complex64))
    spectrum = np.zeros(8, np.int32)
    out = tensor(spectrum)
    assert fugu.BooleanFunction("01101001").walsh_spectrum(out=out) is out
    np.testing.assert_array_equal(spectrum, fugu.BooleanFunction("01101001").walsh_spectrum())


def test_work_in_place(tensor: Any) -> None:
    memory = np.arange(8)
    x = tensor(memory)
    assert fugu.walsh(x, out=x) is x
    np.testing.assert_array_equal(memory, fugu.walsh(np.arange(8)))


def test_functions_and_boxes_of_tensors(tensor: Any) -> None:
    assert fugu.BooleanFunction(packed=tensor(np.array([150], np.uint8))).to_bits() == "01101001"
    assert fugu.BooleanFunction(tensor(np.array([0, 1, 1, 0]))).to_bits() == "0110"
    assert fugu.SBox(tensor(np.array([0, 3, 1, 2]))).values.tolist() == [0, 3, 1, 2]


class Foreign(Tensor):
    """Elements of a type that NumPy does not have."""

    def __init__(self, error: Exception) -> None:
        super().__init__(np.zeros(8, np.int16))
        self.dtype, self.error = "bfloat16", error

    def __dlpack__(self, **options: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("error", (RuntimeError("Unsupported dtype in DLTensor."), BufferError("no such type in DLPack")))
def test_types_that_numpy_does_not_have(error: Exception) -> None:
    x, f = Foreign(error), np.zeros(8)
    for call in (
        lambda: fugu.walsh(x), lambda: fugu.inverse_walsh(x), lambda: fugu.convolve(f, x), lambda: fugu.autocorrelate(x),
    ):
        with pytest.raises(TypeError, match="is a Foreign of bfloat16: .*; int32, int64, (float16, )?float32, float64"):
            call()
    with pytest.raises(TypeError, match="out is a Foreign of bfloat16: .*; float64 are possible"):
        fugu.walsh(f, out=x)
    with pytest.raises(TypeError, match="x is a Foreign of bfloat16: .* complex128 are possible"):
        fugu.vilenkin_chrestenson(x, "2^3")
    with pytest.raises(TypeError, match="packed is a Foreign of bfloat16: .* arrays of uint8 are possible"):
        fugu.BooleanFunction(packed=x)


@pytest.mark.parametrize("name", ("bfloat16", "float8_e4m3fn", "float8_e5m2"))
def test_narrow_floats_of_pytorch(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.zeros(8, dtype=getattr(torch, name))
    with pytest.raises(TypeError, match=f"x is a Tensor of torch.{name}: .*; int32, int64, float16, float32, float64"):
        fugu.walsh(x)
