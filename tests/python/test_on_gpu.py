"""Work on a GPU, if there is one. FUGU_REQUIRE_GPU makes a missing GPU a failure instead of a skip."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import Interface, check_power_map, output_alone, records, refused
from fugu import _fugu, _transforms


class CudaArray:
    """Memory of cudaMalloc with only the CUDA Array Interface."""

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
    assert not f._session.is_on_host  # nothing was copied so far
    assert f == same


@pytest.mark.parametrize("dtype", (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64))
def test_s_boxes_stay_on_their_gpu(cudart: Any, stream: int | None, dtype: Any, random: np.random.Generator) -> None:
    values = random.permutation(1 << min(8 * np.dtype(dtype).itemsize - 1, 12)).astype(dtype)
    there = CudaArray(cudart, values, stream)
    box, on_cpu = fugu.SBox(there), fugu.SBox(values)
    del there  # the box has its own copy of the values
    for field in (name for _, name, _, _, on_gpu in _fugu.box_properties() if name and on_gpu and not name.startswith("exhaustive")):
        assert getattr(box, field) == getattr(on_cpu, field), field
    assert not box._session.is_on_host  # nothing was copied so far
    assert box == on_cpu
    assert box.cycle_lengths == on_cpu.cycle_lengths
    assert box.inverse().ddt_histogram == on_cpu.ddt_histogram
    assert box.component(1).walsh_histogram == on_cpu.component(1).walsh_histogram


def test_boomerangs_of_what_is_no_permutation_on_a_gpu(cudart: Any, stream: int | None) -> None:
    values = np.arange(256) // 2
    there, here = fugu.SBox(CudaArray(cudart, values, stream), outputs=8), fugu.SBox(values, outputs=8)
    assert (there.bct_histogram, there.fbct_histogram) == (here.bct_histogram, here.fbct_histogram)


def test_what_is_no_s_box_is_seen_on_the_gpu(cudart: Any, stream: int | None) -> None:
    refused(fugu.UsageError, "a value is below 0 or above 32 bits", fugu.SBox, CudaArray(cudart, np.array([0, 1, -1, 2]), stream))
    refused(fugu.UsageError, "3 values are not a power of two, 2 to 2\\^20", fugu.SBox, CudaArray(cudart, np.array([0, 1, 2]), stream))
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
    assert max(check_power_map(row, engine="cuda:0").degree_histogram) == int(row["degree"])


def test_errors_on_a_gpu(cudart: Any) -> None:
    spectrum = CudaArray(cudart, np.array([1, 0, 0, 0], np.int32), None)
    refused(fugu.UsageError, "not the spectrum", fugu.inverse_walsh, spectrum, out=spectrum)
    here = Interface(np.zeros(8), None)
    refused(fugu.UsageError, "not to memory that a GPU can access", fugu.walsh, here, out=Interface(np.zeros(8), None))
    refused(TypeError, "works; copy it there", fugu.walsh, spectrum, out=spectrum, engine="cpu")


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


@pytest.mark.parametrize("dtype", ("int32", "float16", "float32"))
def test_captured_in_a_graph_of_cupy(cudart: Any, dtype: str) -> None:
    cupy = pytest.importorskip("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        for n in (5, 12, 15, 18):
            x = cupy.zeros((3, 1 << n), dtype)
            out = cupy.empty_like(x)
            fugu.walsh(x, out=out)
            stream.begin_capture()
            assert fugu.walsh(x, out=out) is out
            graph = stream.end_capture()
            x[...] = cupy.asarray(np.random.default_rng(n).integers(-3, 4, x.shape).astype(dtype))
            graph.launch(stream)
            result = cupy.asnumpy(out)
            np.testing.assert_array_equal(result, fugu.walsh(cupy.asnumpy(x)))
            if n == 5 or dtype != "float16":  # which does not hold longer rows' spectra
                back = fugu.inverse_walsh(fugu.walsh(x, order="dyadic"), order="dyadic")
                np.testing.assert_array_equal(cupy.asnumpy(back), cupy.asnumpy(x))


def test_the_callers_stream_is_not_waited_for(cudart: Any) -> None:
    """The stream is held up by a function of the host until the calls have returned."""
    handle = ctypes.c_void_p()
    check(cudart.cudaStreamCreate(ctypes.byref(handle)))
    host = np.arange(1 << 12, dtype=np.float64)
    packed = np.arange(512).astype(np.uint8)
    x, out = CudaArray(cudart, host, handle.value), CudaArray(cudart, np.zeros_like(host), handle.value)
    table, spectrum = CudaArray(cudart, packed, handle.value), CudaArray(cudart, np.zeros(1 << 12, np.int32), handle.value)
    go_on = threading.Event()
    hold = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: go_on.wait(60) and None)
    fugu.walsh(x, out=out)  # whatever is loaded at first use waits for the device
    fugu.walsh(table, out=spectrum)
    fugu.convolve(x, x, out=out)
    check(cudart.cudaDeviceSynchronize())
    check(cudart.cudaLaunchHostFunc(handle, hold, None))
    fugu.walsh(x, out=out)
    fugu.inverse_walsh(out, out=out)
    fugu.walsh(table, out=spectrum)
    fugu.convolve(x, x, out=out)
    held = cudart.cudaStreamQuery(handle)
    go_on.set()
    assert held == 600, "a call waited for the stream"  # cudaErrorNotReady
    np.testing.assert_array_equal(out.get(), fugu.convolve(host, host))
    np.testing.assert_array_equal(spectrum.get(), fugu.walsh(packed))
    check(cudart.cudaStreamDestroy(handle))


def test_a_gpu_is_started_once(cudart: Any) -> None:
    code = """
        import ctypes, numpy as np, fugu
        fugu.walsh(np.ones(8), engine="cuda:0")
        flags, active = ctypes.c_uint(), ctypes.c_int()
        assert ctypes.CDLL("libcuda.so.1").cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == 0
        print(active.value)
        """
    assert output_alone(code, 300) == "1\n"


def test_threads_that_start_a_gpu_at_once(cudart: Any) -> None:
    code = """
        import threading, numpy as np, fugu
        x = np.arange(1 << 16)
        expected, results = fugu.walsh(x), []
        start = threading.Barrier(8)
        def work():
            start.wait()
            for _ in range(20):
                results.append(np.array_equal(fugu.walsh(x, engine="cuda:0"), expected))
        threads = [threading.Thread(target=work) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(len(results), all(results))
        """
    assert output_alone(code, 300) == "160 True\n"


def test_a_forked_child_is_told_that_it_has_no_gpu(cudart: Any) -> None:
    code = """
        import os, numpy as np, fugu
        fugu.walsh(np.ones(8), engine="cuda:0")
        if os.fork() == 0:
            try:
                fugu.walsh(np.ones(8), engine="cuda:0")
            except fugu.EngineError:
                os._exit(3)
            os._exit(4)
        assert os.waitstatus_to_exitcode(os.wait()[1]) == 3
        fugu.walsh(np.ones(8), engine="cuda:0")
        print("done")
        """
    assert output_alone(code, 300) == "done\n"


def test_a_box_that_is_not_square_on_a_gpu(cudart: Any, stream: int | None) -> None:
    values = np.arange(256)
    values[1] = 300
    refused(fugu.UsageError, "entry 1 is 300, .*; give the number of outputs: 8 or 9", fugu.SBox, CudaArray(cudart, values, stream))
    refused(fugu.UsageError, "no value has more than 2 bits", fugu.SBox, CudaArray(cudart, np.arange(8) % 4, stream))
    assert fugu.SBox(CudaArray(cudart, values, stream), outputs=9).outputs == 9
