"""Arrays of a GPU: how they are taken, with objects that only say to be on one; and on a GPU, where there is one.

FUGU_REQUIRE_GPU makes a missing GPU a failure in place of a skip.
"""

from __future__ import annotations

import ctypes
import os
import sys
import types
import weakref
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import histogram_of, records
from fugu import _arrays, _fugu, _transforms


class Interface:
    """Has the CUDA Array Interface, over the host's memory."""

    def __init__(self, array: np.ndarray, stream: int | None = 7, **changes: Any) -> None:
        self.array = array
        self.shape = array.shape
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, False),
            "strides": None,
            "version": 3,
            "stream": stream,
        } | changes


class Dlpack:
    """Has DLPack, over the host's memory."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (2, 0)) -> None:
        self.array, self.device_pair, self.streams = array, device, []
        self.shape = array.shape

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_pair

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        self.streams.append(stream)
        return self.array.__dlpack__()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...]]]:
    """What would be called on a GPU."""
    made: list[tuple[str, tuple[Any, ...]]] = []
    monkeypatch.setattr(_fugu, "device_of", lambda pointer: 0)
    monkeypatch.setattr(_fugu, "GpuArray", lambda *fields: fields)
    monkeypatch.setattr(_fugu, "Place", lambda *fields: fields)
    for name in ("gpu_transform", "gpu_boolean_spectrum", "gpu_convolve", "gpu_vilenkin_chrestenson", "gpu_character_table"):
        monkeypatch.setattr(_fugu, name, lambda *arguments, name=name: made.append((name, arguments)))
    return made


def test_the_cuda_array_interface_is_taken_without_a_copy_on_its_stream(calls: list[Any]) -> None:
    x, out = np.arange(32, dtype=np.int32).reshape(2, 16), np.empty((2, 16), np.int32)
    given = Interface(out)
    assert fugu.walsh(Interface(x), out=given, order="dyadic") is given
    pointers = (x.ctypes.data, 32, "int32"), (out.ctypes.data, 32, "int32")
    assert calls == [("gpu_transform", (*pointers, 4, 1, False, (0, 7)))]


def test_dlpack_is_taken_without_a_copy_and_told_the_stream(calls: list[Any]) -> None:
    x, out = Dlpack(np.ones(8)), Dlpack(np.empty(8))
    assert fugu.inverse_walsh(x, out=out, stream=42) is out
    assert (x.streams, out.streams) == ([42], [42])
    pointers = (x.array.ctypes.data, 8, "float64"), (out.array.ctypes.data, 8, "float64")
    assert calls == [("gpu_transform", (*pointers, 3, 0, True, (0, 42)))]


def test_complex_arrays_are_transformed_over_groups_where_they_are(calls: list[Any]) -> None:
    x, out = np.ones((2, 15), np.complex64), np.empty((2, 15), np.complex64)
    given = Interface(out)
    assert fugu.vilenkin_chrestenson(Interface(x), "3x5", out=given, inverse=True) is given
    pointers = (x.ctypes.data, 30, "complex64"), (out.ctypes.data, 30, "complex64")
    assert calls == [("gpu_vilenkin_chrestenson", ([3, 5], *pointers, True, (0, 7)))]
    with pytest.raises(fugu.UsageError, match="only complex values"):
        fugu.vilenkin_chrestenson(Interface(x), "3x5", values="counts")
    with pytest.raises(TypeError, match="x is of float64; complex64 and complex128"):
        fugu.vilenkin_chrestenson(Interface(np.ones(15)), "3x5")
    for call in (
        lambda: fugu.autocorrelate(given, group="3x5"),
        lambda: fugu.convolve(x, given, group="3x5"),
        lambda: fugu.convolve(np.ones(8), Dlpack(np.ones(8))),
        lambda: fugu.walsh(np.ones(8), out=Dlpack(np.ones(8))),
        lambda: fugu.p_valued_properties(given, "3x5"),
    ):
        with pytest.raises(TypeError, match="is on a GPU, where this call does not work; copy it to the host"):
            call()
    with pytest.raises(fugu.UsageError, match="15 elements"):
        fugu.vilenkin_chrestenson(Interface(np.ones(14, np.complex64)), "3x5")


def test_character_tables_are_written_where_the_output_is(calls: list[Any]) -> None:
    out = np.empty((2, 9), np.uint8)
    given = Interface(out)
    assert fugu.character_table("3^2", rows=(4, 2), out=given) is given
    assert calls == [("gpu_character_table", ([3, 3], (4, 2), (0, 9), False, (out.ctypes.data, 18, "uint8"), (0, 7)))]
    with pytest.raises(TypeError, match="dtype is float64"):
        fugu.character_table("3^2", out=Interface(np.empty((9, 9))))
    with pytest.raises(TypeError, match="needed"):
        fugu.character_table("3^2", out=Interface(np.empty((9, 8), np.uint8)))


def test_work_in_place(calls: list[Any]) -> None:
    x = Dlpack(np.ones(8, np.int64))
    assert fugu.autocorrelate(x, out=x) is x
    pointer = (x.array.ctypes.data, 8, "int64")
    assert calls == [("gpu_convolve", (pointer, None, pointer, 8, (0, 1)))]


def test_packed_truth_tables(calls: list[Any]) -> None:
    x, out = np.zeros((3, 8), np.uint8), np.empty((3, 64), np.int32)
    fugu.walsh(Interface(x), out=Interface(out))
    assert calls == [
        ("gpu_boolean_spectrum", ((x.ctypes.data, 24, "uint8"), (out.ctypes.data, 192, "int32"), 6, (0, 7)))
    ]
    with pytest.raises(TypeError, match="rows of 4 bytes or more"):
        fugu.walsh(Interface(np.zeros(2, np.uint8)), out=Interface(np.empty(16, np.int32)))
    with pytest.raises(fugu.UsageError, match="natural order"):
        fugu.walsh(Interface(x), out=Interface(out), order="dyadic")


def test_a_boolean_function_reads_its_packed_values_where_they_are(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # x0 x1 + x2 x3 of eight variables: nonlinearity 2^7 - 2^5 = 96
    packed = np.packbits([(x & 3 == 3) ^ (x & 12 == 12) for x in range(256)], bitorder="little")
    given = Dlpack(packed)
    f = fugu.BooleanFunction(packed=given, stream=5)
    table = (packed.ctypes.data, 32, "uint8"), 8, (0, 5)
    assert (given.streams, len(f), f.variables) == ([5], 256, 8)
    monkeypatch.setattr(_fugu, "gpu_boolean_summary", lambda *of: types.SimpleNamespace(nonlinearity=of))
    monkeypatch.setattr(_fugu, "gpu_boolean_degree", lambda *of: of)
    assert (f.nonlinearity, f.degree) == (table, table)
    out = Dlpack(np.empty(256, np.int32))
    assert f.walsh_spectrum(out=out) is out
    assert calls == [("gpu_boolean_spectrum", (table[0], (out.array.ctypes.data, 256, "int32"), 8, (0, 5)))]

    monkeypatch.setattr(_fugu, "gpu_copy_to_host", lambda x, to, place: np.copyto(to, packed))
    assert (f.polynomial, f[3], f[15], f.algebraic_immunity) == ("x0 x1 + x2 x3", 1, 0, 2)
    assert f == fugu.BooleanFunction(packed=packed)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"values": Dlpack(np.zeros(64, bool))}, r"packed=packbits\(values, bitorder='little'\)"),
        ({"packed": Dlpack(np.zeros(8, np.int8))}, "packed is of int8"),
        ({"packed": Dlpack(np.zeros((2, 8), np.uint8))}, r"shape \(2, 8\); a row of uint8"),
        ({"packed": Dlpack(np.zeros(2, np.uint8))}, "rows of 4 bytes or more"),
        ({"packed": Dlpack(np.zeros(12, np.uint8))}, "12 bytes are not a packed truth table"),
        ({"packed": Dlpack(np.zeros(8, np.uint8)), "engine": "cpu"}, "packed is on cuda:0"),
        ({"packed": Dlpack(np.zeros(8, np.uint8)), "variables": 5}, "has 6 variables, not 5"),
    ],
)
def test_what_is_no_truth_table_on_a_gpu(calls: list[Any], given: dict[str, Any], says: str) -> None:
    with pytest.raises((TypeError, fugu.UsageError), match=says):
        fugu.BooleanFunction(*[given.pop("values")] if "values" in given else [], **given)


class BoxThere:
    """Stands for _fugu.DeviceBox."""

    made: list[Any] = []
    inputs, outputs = 4, 4

    @classmethod
    def of_values(cls, *given: Any) -> BoxThere:
        cls.made.append(given)
        return cls()

    def linear(self) -> Any:
        return types.SimpleNamespace(linearity="linear there", component_linearities=[0, *range(2, 32, 2)])

    def differential(self) -> Any:
        return types.SimpleNamespace(uniformity="differential there")

    def autocorrelation(self) -> Any:
        return types.SimpleNamespace(indicator="autocorrelation there")

    def component_degrees(self) -> list[int]:
        return [-1, 1, 2, 9, 1, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9, 9]

    def boomerang(self) -> Any:
        return types.SimpleNamespace(uniformity="boomerang there")

    def to_host(self) -> Any:
        raise AssertionError("copied to the host")


PRESENT = np.array([0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2], np.int64)


def test_an_s_box_of_a_gpu_is_measured_where_it_is(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fugu, "DeviceBox", BoxThere)
    monkeypatch.setattr(BoxThere, "made", [])
    box = fugu.SBox(Interface(PRESENT))
    assert (box.inputs, box.outputs, len(box), repr(box)) == (4, 4, 16, "<SBox of 4 inputs and 4 outputs>")
    assert (box.linearity, box.differential_uniformity) == ("linear there", "differential there")
    assert (box.absolute_indicator, box.degree_histogram) == ("autocorrelation there", {0: 1, 1: 2, 2: 1, 9: 11})
    assert (box.boomerang_uniformity, box.degree) == ("boomerang there", 2)
    assert (box.coordinate_nonlinearities, box.pair_nonlinearities) == ([7, 6, 4, 0], [5, 3, 2, -1, -2, -4])
    with pytest.raises(AssertionError, match="copied to the host"):
        box.fixed_points
    monkeypatch.setattr(BoxThere, "to_host", lambda box: _fugu.SBox.of_values(PRESENT.astype(np.uint32), 4, 4))
    assert (box.fixed_points, list(box)) == (0, PRESENT.tolist())
    other = fugu.SBox(Interface(PRESENT))
    monkeypatch.setattr(BoxThere, "boomerang", lambda box: None)  # as of what is no permutation
    assert other.boomerang_uniformity == 16
    fugu.SBox(Interface(PRESENT), outputs=9, stream=9)
    read = (PRESENT.ctypes.data, 16, "int64")
    assert BoxThere.made == [(read, None, (0, 7), 7), (read, None, (0, 7), 7), (read, 9, (0, 9), 9)]
    with pytest.raises(fugu.UsageError, match="16 values are those of 4 inputs, not 5"):
        fugu.SBox(Interface(PRESENT), 5)


@pytest.mark.parametrize(
    ("values", "options", "says"),
    [
        (np.zeros(4), {}, r"values are of float64 and shape \(4,\); one dimension of integers"),
        (np.zeros((2, 2), np.int32), {}, r"of int32 and shape \(2, 2\)"),
        (np.zeros(4, np.int32), {"engine": "cpu"}, "values is on cuda:0"),
    ],
)
def test_what_is_no_s_box_on_a_gpu_is_not_read(calls: list[Any], values: Any, options: Any, says: str) -> None:
    with pytest.raises((TypeError, fugu.UsageError), match=says):
        fugu.SBox(Interface(values), **options)


def test_a_boolean_function_keeps_the_stream_that_it_works_on(calls: list[Any]) -> None:
    class Stream:
        ptr = 5

    stream = Stream()
    alive = weakref.ref(stream)
    f = fugu.BooleanFunction(packed=Dlpack(np.zeros(8, np.uint8)), stream=stream)
    del stream
    assert alive() is not None
    del f
    assert alive() is None


@pytest.mark.parametrize(
    ("x", "out", "options", "says"),
    [
        (Dlpack(np.arange(16)[::2]), None, {}, "not contiguous"),
        (Interface(np.arange(8), strides=(16,)), None, {}, "not contiguous"),
        (Interface(np.arange(8), mask=object()), None, {}, "has a mask"),
        (Interface(np.arange(8, dtype=">i4")), None, {}, "other byte order"),
        (Dlpack(np.zeros(8, bool)), None, {}, r"packbits\(x, bitorder='little'\)"),
        (Dlpack(np.zeros(8, np.int16)), None, {}, "x is of int16"),
        (Dlpack(np.zeros(8)), None, {}, "out is needed for a Dlpack: an array of float64"),
        (Dlpack(np.zeros(8)), np.zeros(8), {}, "host's memory, but x is on a GPU"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8, np.float32)), {}, "out is of float32"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8)), {"engine": "cpu"}, "x is on cuda:0"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8)), {"engine": "cuda:1"}, "x is on cuda:0"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8)), {"stream": "fast"}, "stream is a str"),
        (Dlpack(np.zeros(8), (10, 0)), None, {}, "neither in the host's memory nor in a CUDA GPU's"),
    ],
)
def test_what_cannot_be_taken_says_what_to_do(calls: list[Any], x: Any, out: Any, options: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        fugu.walsh(x, out=out, **options)
    assert not calls


def test_an_output_that_overlaps_or_is_read_only_is_refused(calls: list[Any]) -> None:
    memory = np.zeros(12)
    with pytest.raises(TypeError, match="in part the memory of an input"):
        fugu.walsh(Dlpack(memory[:8]), out=Dlpack(memory[4:]))
    out = np.zeros(8)
    with pytest.raises(TypeError, match="cannot be written to"):
        fugu.walsh(Dlpack(np.zeros(8)), out=Interface(out, data=(out.ctypes.data, True)))


def test_arrays_of_one_call_are_alike(calls: list[Any]) -> None:
    with pytest.raises(TypeError, match="differ in shape or type"):
        fugu.convolve(Dlpack(np.zeros(8)), Dlpack(np.zeros(4)), out=Dlpack(np.zeros(8)))
    with pytest.raises(TypeError, match="int64, float32 and float64, not of int32"):
        fugu.convolve(Dlpack(np.zeros(8, np.int32)), Dlpack(np.zeros(8, np.int32)))


class Protocol:
    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 11


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (5, 5),
        (0, 1),
        (types.SimpleNamespace(cuda_stream=6), 6),
        (types.SimpleNamespace(ptr=0), 1),
        (types.SimpleNamespace(ptr=8), 8),
        (Protocol(), 11),
    ],
)
def test_streams_of_other_libraries(stream: Any, handle: int) -> None:
    assert _arrays.stream_handle(Dlpack(np.zeros(1)), stream) == handle


def test_without_a_stream_it_is_the_librarys_current_one(monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=(21, device)[0]))
    torch.int32 = "torch.int32"
    torch.empty = lambda shape, dtype, device: (shape, dtype, device)
    monkeypatch.setitem(sys.modules, "torch", torch)
    tensor = type("Tensor", (Dlpack,), {"__module__": "torch", "device": "cuda:0"})(np.zeros(4))
    assert _arrays.stream_handle(tensor, None) == 21
    assert _arrays.gpu_output(None, tensor, (4,), "int32") == ((4,), "torch.int32", "cuda:0")
    assert _arrays.stream_handle(Interface(np.zeros(4), stream=9), None) == 9
    assert _arrays.stream_handle(Interface(np.zeros(4), stream=None), None) == 1


def test_host_memory_that_others_share_is_taken_as_it_is() -> None:
    x = np.arange(8)
    np.testing.assert_array_equal(fugu.walsh(Dlpack(x, (1, 0))), fugu.walsh(x))


# On a GPU.


class CudaArray:
    """Memory of cudaMalloc with the CUDA Array Interface and nothing else."""

    def __init__(self, cudart: Any, host: np.ndarray, stream: int | None) -> None:
        self.cudart, self.pointer, self.shape = cudart, ctypes.c_void_p(), host.shape
        self.dtype, self.bytes = host.dtype, host.nbytes
        check(cudart.cudaMalloc(ctypes.byref(self.pointer), ctypes.c_size_t(self.bytes)))
        check(cudart.cudaMemcpy(self.pointer, host.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.bytes), 1))
        self.__cuda_array_interface__ = {
            "shape": host.shape,
            "typestr": host.dtype.str,
            "data": (self.pointer.value, False),
            "version": 3,
            "stream": stream,
        }

    def get(self) -> np.ndarray:
        host = np.empty(self.shape, self.dtype)
        check(self.cudart.cudaDeviceSynchronize())
        check(self.cudart.cudaMemcpy(host.ctypes.data_as(ctypes.c_void_p), self.pointer, ctypes.c_size_t(self.bytes), 2))
        return host

    def __del__(self) -> None:
        self.cudart.cudaFree(self.pointer)


def check(status: int) -> None:
    assert status == 0, f"CUDA error {status}"


def no_gpu(reason: str) -> None:
    if os.environ.get("FUGU_REQUIRE_GPU"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def cudart() -> Any:
    try:
        fugu.walsh(np.ones(2), engine="cuda:0")
    except fugu.EngineError as error:
        no_gpu(str(error))
    for name in ("libcudart.so", "libcudart.so.12", "libcudart.so.13", "/usr/local/cuda/lib64/libcudart.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return no_gpu("libcudart.so is not here")


@pytest.fixture(params=("none", "legacy", "per thread", "own"))
def stream(request: pytest.FixtureRequest, cudart: Any) -> int | None:
    if request.param == "own":
        handle = ctypes.c_void_p()
        check(cudart.cudaStreamCreate(ctypes.byref(handle)))
        return handle.value
    return {"none": None, "legacy": 1, "per thread": 2}[request.param]


@pytest.mark.parametrize("dtype", (np.int32, np.int64, np.float32, np.float64))
@pytest.mark.parametrize("order", _transforms.ORDERS)
def test_transforms_on_a_gpu(cudart: Any, stream: int | None, dtype: Any, order: Any, random: np.random.Generator) -> None:
    host = random.integers(-1000, 1000, (3, 4096)).astype(dtype)
    x, out = CudaArray(cudart, host, stream), CudaArray(cudart, np.zeros_like(host), stream)
    assert fugu.walsh(x, order=order, out=out) is out
    np.testing.assert_array_equal(out.get(), fugu.walsh(host, order=order))
    np.testing.assert_array_equal(x.get(), host)
    assert fugu.inverse_walsh(out, order=order, out=out) is out
    np.testing.assert_array_equal(out.get(), host)


def test_the_same_through_dlpack_and_an_engines_name(cudart: Any, random: np.random.Generator) -> None:
    host = random.integers(-1000, 1000, 1 << 16)
    np.testing.assert_array_equal(fugu.walsh(host, engine="cuda:0"), fugu.walsh(host))
    np.testing.assert_array_equal(fugu.convolve(host, host, engine="cuda:0"), fugu.convolve(host, host))
    f = fugu.BooleanFunction(host & 1, engine="cuda:0")
    same = fugu.BooleanFunction(host & 1)
    assert (f.nonlinearity, f.degree, f.walsh_histogram) == (same.nonlinearity, same.degree, same.walsh_histogram)
    np.testing.assert_array_equal(f.walsh_spectrum(), same.walsh_spectrum())
    box = fugu.SBox(random.integers(0, 1 << 12, 256), outputs=12, engine="cuda:0")
    on_cpu = fugu.SBox(box.values, outputs=12)
    assert box.exhaustive_nonlinearity_histogram == on_cpu.nonlinearity_histogram
    for field in ("walsh_histogram", "first_linearity", "ddt_histogram", "absolute_indicator_histogram", "degree_histogram"):
        assert getattr(box, field) == getattr(on_cpu, field), field
    table = fugu.character_table("3^5", engine="cuda:0")
    np.testing.assert_array_equal(table, fugu.character_table("3^5"))


@pytest.mark.parametrize("dtype", (np.complex64, np.complex128))
def test_group_transforms_on_a_gpu(cudart: Any, stream: int | None, dtype: Any, random: np.random.Generator) -> None:
    x = (random.normal(size=(3, 60)) + 1j * random.normal(size=(3, 60))).astype(dtype)
    out = CudaArray(cudart, np.zeros_like(x), stream)
    tolerance = 1e-4 if dtype == np.complex64 else 1e-12
    fugu.vilenkin_chrestenson(CudaArray(cudart, x, stream), "3x4x5", out=out)
    np.testing.assert_allclose(out.get(), np.fft.fftn(x.reshape(3, 3, 4, 5), axes=(1, 2, 3)).reshape(3, 60), atol=tolerance)
    fugu.vilenkin_chrestenson(out, "3x4x5", out=out, inverse=True)
    np.testing.assert_allclose(out.get(), x, atol=tolerance)
    np.testing.assert_allclose(fugu.vilenkin_chrestenson(x, "3x4x5", engine="cuda:0"),
                               fugu.vilenkin_chrestenson(x, "3x4x5"), atol=tolerance)
    numbers = random.integers(0, 99, 81)
    np.testing.assert_array_equal(fugu.vilenkin_chrestenson(numbers, "3^4", values="residues", engine="cuda:0"),
                                  fugu.vilenkin_chrestenson(numbers, "3^4", values="residues"))


@pytest.mark.parametrize("dtype", (np.complex64, np.complex128, np.uint8, np.uint16))
def test_character_tables_on_a_gpu(cudart: Any, stream: int | None, dtype: Any) -> None:
    out = CudaArray(cudart, np.zeros((7, 60), dtype), stream)
    fugu.character_table("3x4x5", rows=(8, 7), out=out)
    np.testing.assert_array_equal(out.get(), fugu.character_table("3x4x5", rows=(8, 7), dtype=dtype))


@pytest.mark.parametrize("dtype", (np.int64, np.float64))
def test_convolutions_on_a_gpu(cudart: Any, stream: int | None, dtype: Any, random: np.random.Generator) -> None:
    f, g = random.integers(-99, 99, (2, 2, 1024)).astype(dtype)
    out = CudaArray(cudart, np.zeros_like(f), stream)
    fugu.convolve(CudaArray(cudart, f, stream), CudaArray(cudart, g, stream), out=out)
    np.testing.assert_array_equal(out.get(), fugu.convolve(f, g))
    fugu.autocorrelate(CudaArray(cudart, f, stream), out=out)
    np.testing.assert_array_equal(out.get(), fugu.autocorrelate(f))


def test_packed_truth_tables_on_a_gpu(cudart: Any, stream: int | None, random: np.random.Generator) -> None:
    packed = random.integers(0, 256, (3, 512)).astype(np.uint8)
    out = CudaArray(cudart, np.zeros((3, 4096), np.int32), stream)
    fugu.walsh(CudaArray(cudart, packed, stream), out=out)
    np.testing.assert_array_equal(out.get(), fugu.walsh(packed))


@pytest.mark.parametrize("variables", (5, 12, 20))
def test_boolean_functions_on_a_gpu(
    cudart: Any, stream: int | None, variables: int, random: np.random.Generator
) -> None:
    packed = random.integers(0, 256, (1 << variables) // 8).astype(np.uint8)
    f, same = fugu.BooleanFunction(packed=CudaArray(cudart, packed, stream)), fugu.BooleanFunction(packed=packed)
    out = CudaArray(cudart, np.zeros(1 << variables, np.int32), stream)
    assert (f.nonlinearity, f.degree, f.walsh_histogram) == (same.nonlinearity, same.degree, same.walsh_histogram)
    np.testing.assert_array_equal(f.walsh_spectrum(out=out).get(), same.walsh_spectrum())
    assert "_table" not in vars(f)  # nothing was copied so far
    assert f == same


@pytest.mark.parametrize("dtype", (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64))
def test_s_boxes_stay_on_their_gpu(cudart: Any, stream: int | None, dtype: Any, random: np.random.Generator) -> None:
    values = random.permutation(1 << min(8 * np.dtype(dtype).itemsize - 1, 12)).astype(dtype)
    there = CudaArray(cudart, values, stream)
    box, on_cpu = fugu.SBox(there), fugu.SBox(values)
    del there  # the box has the values
    for field in (
        "walsh_histogram", "first_linearity", "one_bit_approximations", "ddt_histogram", "one_bit_differences",
        "absolute_indicator_histogram", "degree_histogram", "bct_histogram", "fbct_histogram", "degree",
        "coordinate_nonlinearities", "pair_nonlinearities", "transparency_order",
    ):
        assert getattr(box, field) == getattr(on_cpu, field), field
    assert "_box" not in vars(box)  # nothing was copied so far
    assert box == on_cpu
    assert box.cycle_lengths == on_cpu.cycle_lengths
    assert box.inverse().ddt_histogram == on_cpu.ddt_histogram
    assert box.component(1).walsh_histogram == on_cpu.component(1).walsh_histogram


def test_boomerangs_of_what_is_no_permutation_on_a_gpu(cudart: Any, stream: int | None) -> None:
    values = np.arange(256) // 2
    there, here = fugu.SBox(CudaArray(cudart, values, stream)), fugu.SBox(values)
    assert (there.bct_histogram, there.fbct_histogram) == (here.bct_histogram, here.fbct_histogram)


def test_what_is_no_s_box_is_seen_on_the_gpu(cudart: Any, stream: int | None) -> None:
    with pytest.raises(fugu.UsageError, match="a value is below 0 or above 32 bits"):
        fugu.SBox(CudaArray(cudart, np.array([0, 1, -1, 2]), stream))
    with pytest.raises(fugu.UsageError, match="3 values are not a power of two, 2 to 2\\^20"):
        fugu.SBox(CudaArray(cudart, np.array([0, 1, 2]), stream))
    with pytest.raises(fugu.UsageError, match="a value of 2 bits does not fit 1 outputs"):
        fugu.SBox(CudaArray(cudart, np.array([0, 1, 3, 2]), stream), outputs=1)
    wide = np.array([0, 1 << 19, 5, (1 << 20) - 1])
    assert fugu.SBox(CudaArray(cudart, wide, stream)).outputs == 20
    eight = np.arange(256) * 257 % 65536
    there, here = fugu.SBox(CudaArray(cudart, eight, stream)), fugu.SBox(eight)
    assert there.exhaustive_nonlinearity_histogram == here.exhaustive_nonlinearity_histogram
    assert there.exhaustive_masks == here.exhaustive_masks


@pytest.mark.parametrize("row", [row for row in records("sbox/powers.txt") if row["n"] == "18"], ids=lambda row: row["family"])
def test_power_maps_of_18_bits_on_a_gpu(cudart: Any, row: dict[str, str]) -> None:
    box = fugu.SBox.named(f"power:18:{row['d']}:{row['modulus']}", engine="cuda:0")
    assert (box.differential_uniformity, box.linearity) == (int(row["du"]), int(row["linearity"]))
    assert (box.nonlinearity, box.absolute_indicator) == (int(row["nl"]), int(row["absac"]))
    assert max(box.degree_histogram) == int(row["degree"])
    magnitudes: dict[int, int] = {}
    for value, count in box.walsh_histogram.items():
        magnitudes[abs(value)] = magnitudes.get(abs(value), 0) + count
    assert magnitudes == histogram_of(row["abswalsh"])
    # The rows of the DDT are permutations of row 1.
    assert box.ddt_histogram == {value: count * (2**18 - 1) for value, count in histogram_of(row["ddt row 1"]).items()}


def test_weak_keys_on_a_gpu(cudart: Any) -> None:
    for record in records("sbox/weak_keys.txt"):
        key, box, x, y, value = (int(text, base) for text, base in zip(record.values(), (16, 10, 10, 10, 16), strict=True))
        assert (key, box, x, y, value) in fugu.weak_keys(key - 1, 3, engine="cuda:0")
    assert fugu.weak_keys(3, 0xA017, engine="cuda:0") == fugu.weak_keys(3, 0xA017)


def test_errors_on_a_gpu(cudart: Any) -> None:
    spectrum = CudaArray(cudart, np.array([1, 0, 0, 0], np.int32), None)
    with pytest.raises(fugu.UsageError, match="not the spectrum"):
        fugu.inverse_walsh(spectrum, out=spectrum)
    with pytest.raises(fugu.UsageError, match="no memory that a gpu knows"):
        fugu.walsh(Interface(np.zeros(8), None), out=Interface(np.zeros(8), None))
    with pytest.raises(TypeError, match="works; copy it there"):
        fugu.walsh(spectrum, out=spectrum, engine="cpu")


@pytest.mark.parametrize("name", ("torch", "cupy"))
def test_arrays_of_gpu_libraries(cudart: Any, name: str) -> None:
    library = pytest.importorskip(name)
    host = np.arange(4096, dtype=np.float32).reshape(4, 1024)
    x = library.asarray(host, device="cuda:0") if name == "torch" else library.asarray(host)
    result = fugu.walsh(x)
    assert type(result) is type(x)
    permutation = np.random.default_rng(3).permutation(256)
    box = library.asarray(permutation, device="cuda:0") if name == "torch" else library.asarray(permutation)
    assert fugu.SBox(box).ddt_histogram == fugu.SBox(permutation).ddt_histogram
    np.testing.assert_array_equal(result.cpu().numpy() if name == "torch" else result.get(), fugu.walsh(host))
