"""Arrays of other libraries in host memory: the result is one of theirs, and what NumPy cannot hold is a TypeError. The short way of
walsh() for plain arrays on a GPU, with arrays that stand for CuPy's and PyTorch's."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import refused
from fugu import _fugu, _short_way


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


FLOATS, COMPLEX, NUMBERS = np.arange(8, dtype=np.float64), np.arange(9, dtype=np.complex128), np.arange(9)
CALLS: dict[str, tuple[Any, list[np.ndarray], dict[str, Any]]] = {
    "walsh": (fugu.walsh, [FLOATS], {}),
    "inverse_walsh": (fugu.inverse_walsh, [FLOATS], {}),
    "convolve": (fugu.convolve, [FLOATS, FLOATS[::-1].copy()], {}),
    "autocorrelate": (fugu.autocorrelate, [FLOATS], {}),
    "convolve over a group": (fugu.convolve, [COMPLEX, COMPLEX], {"group": "3^2"}),
    "autocorrelate over a group": (fugu.autocorrelate, [NUMBERS], {"group": "3^2"}),
    "vilenkin_chrestenson": (fugu.vilenkin_chrestenson, [COMPLEX], {"group": "3^2"}),
    "counts": (fugu.vilenkin_chrestenson, [NUMBERS], {"group": "3^2", "values": "counts"}),
    "residues": (fugu.vilenkin_chrestenson, [NUMBERS], {"group": "3^2", "values": "residues"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_result_is_of_the_callers_library(tensor: Any, name: str) -> None:
    function, arrays, options = CALLS[name]
    expected, result = function(*arrays, **options), function(*map(tensor, arrays), **options)
    assert type(result) is type(tensor(expected))
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("name", CALLS)
def test_out_is_returned_as_it_was_given(tensor: Any, name: str) -> None:
    function, arrays, options = CALLS[name]
    expected = function(*arrays, **options)
    memory = np.zeros_like(expected)
    out = tensor(memory)
    assert function(*map(tensor, arrays), **options, out=out) is out
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
        refused(TypeError, "is a Foreign of bfloat16: .*; int32, int64, (float16, )?float32, float64", call)
    refused(TypeError, "out is a Foreign of bfloat16: .*; float64 are possible", fugu.walsh, f, out=x)
    refused(TypeError, "x is a Foreign of bfloat16: .* complex128 are possible", fugu.vilenkin_chrestenson, x, "2^3")
    refused(TypeError, "packed is a Foreign of bfloat16: .* arrays of uint8 are possible", fugu.BooleanFunction, packed=x)


@pytest.mark.parametrize("name", ("bfloat16", "float8_e4m3fn", "float8_e5m2"))
def test_narrow_floats_of_pytorch(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.zeros(8, dtype=getattr(torch, name))
    refused(TypeError, f"x is a Tensor of torch.{name}: .*; int32, int64, float16, float32, float64", fugu.walsh, x)


class ndarray:  # noqa: N801 - CuPy's name
    """Memory of the host that claims to be a GPU's."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, memory: np.ndarray | None = None) -> None:
        array = np.empty(shape, dtype) if memory is None else memory
        self.array, self.flags = array, types.SimpleNamespace(c_contiguous=array.flags.c_contiguous)
        self.shape, self.dtype, self.size = array.shape, array.dtype, array.size
        self.data = types.SimpleNamespace(ptr=array.ctypes.data, device_id=3)
        self.device = types.SimpleNamespace(id=3)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 3


ndarray.__module__ = "cupy"


class Device:
    id = 3

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


Made = list[tuple[str, tuple[Any, ...]]]


@pytest.fixture(params=[3, 0])
def made(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Made:
    """The calls that would go to a GPU. The way is open for arrays of a library that stands for CuPy, on its current device or not."""
    calls: Made = []
    library: Any = types.ModuleType("cupy")
    library.ndarray = ndarray
    library.empty = ndarray
    runtime = types.SimpleNamespace(getDevice=lambda: request.param)
    library.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=9), runtime=runtime)
    monkeypatch.setitem(sys.modules, "cupy", library)
    monkeypatch.setattr(_short_way, "_ways", {})
    monkeypatch.setattr(ndarray, "device", Device(), raising=False)
    monkeypatch.setattr(_fugu, "GpuArray", lambda *fields: fields)
    monkeypatch.setattr(_fugu, "Place", lambda *fields: fields)
    for name in ("gpu_walsh", "gpu_walsh_at", "gpu_inverse_walsh"):
        monkeypatch.setattr(_fugu, name, lambda *arguments, name=name: calls.append((name, arguments)))
    return calls


def array(values: np.ndarray) -> ndarray:
    made = ndarray(values.shape, values.dtype, values)
    made.device = Device()
    return made


def test_the_first_call_opens_the_way_and_the_next_goes_it(made: Made) -> None:
    x = array(np.zeros((3, 16), np.float32))
    for _ in range(2):
        result = fugu.walsh(x, order="sequency", scale=0.5)
        assert type(result) is ndarray and result.shape == (3, 16) and result.dtype == np.float32
    (slow, general), (fast, short) = made
    assert (slow, fast) == ("gpu_walsh", "gpu_walsh_at")
    assert general[0] == (x.data.ptr, 48, "float32") and general[2:] == (4, 2, 0.5, (3, 9))
    assert short[0] == x.data.ptr and short[2:] == (48, "float32", 4, 2, 0.5, 3, 9)
    fugu.inverse_walsh(x, out=x)
    assert made[2] == ("gpu_walsh_at", (x.data.ptr, x.data.ptr, 48, "float32", 4, 0, 1 / 16, 3, 9))


def test_other_calls_go_the_general_way(made: Made) -> None:
    x = array(np.zeros((2, 8), np.int32))
    fugu.walsh(x)
    del made[:]
    memory = np.zeros(32, np.int32)
    whole = array(memory[:16].reshape(2, 8))
    fugu.inverse_walsh(x)
    fugu.walsh(x, stream=9)
    fugu.walsh(x, engine="cuda:3")
    assert [name for name, _ in made] == ["gpu_inverse_walsh", "gpu_walsh", "gpu_walsh"]
    for wrong in (np.zeros(12, np.float32), np.zeros((8, 8))[:, ::2], np.zeros(8, np.int16)):
        refused((TypeError, fugu.UsageError), "", fugu.walsh, array(wrong))
    for options in ({"scale": 2.0}, {"order": "random"}, {"engine": "cpu"}):
        refused((TypeError, fugu.UsageError), "", fugu.walsh, x, **options)
    for given, out in ((x, np.zeros((2, 8), np.float32)), (x, np.zeros((4, 8), np.int32)), (whole, memory[8:24].reshape(2, 8))):
        refused((TypeError, fugu.UsageError), "", fugu.walsh, given, out=array(out))
    assert len(made) == 3


def test_arrays_of_pytorch_on_the_cpu_do_not_go_it() -> None:
    torch = pytest.importorskip("torch")
    _short_way.open_for(torch.ones(2))
    assert torch.equal(fugu.walsh(torch.ones(2)), torch.tensor([2.0, 0.0]))
