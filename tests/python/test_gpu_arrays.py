"""Arrays of a GPU: how they are taken, tested with objects that only claim to be on one."""

from __future__ import annotations

import sys
import types
import weakref
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import Interface, refused
from fugu import _arrays, _fugu


class Dlpack:
    """Has DLPack, with memory of the host."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (2, 0)) -> None:
        self.array, self.device_pair, self.streams = array, device, []
        self.shape = array.shape

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_pair

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        self.streams.append(stream)
        return self.array.__dlpack__()


class SessionThere:
    """Stands for a BoxSession or FunctionSession of values on a GPU."""

    inputs, outputs, variables = 4, 4, 8

    def __init__(self, *given: Any) -> None:
        self.given = given

    def value(self, name: str) -> str:
        return name + " there"

    @property
    def values(self) -> Any:
        raise AssertionError("copied to the host")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...]]]:
    """Records the calls that would go to a GPU."""
    made: list[tuple[str, tuple[Any, ...]]] = []
    monkeypatch.setattr(_fugu, "device_of", lambda pointer: 0)
    monkeypatch.setattr(_fugu, "GpuArray", lambda *fields: fields)
    monkeypatch.setattr(_fugu, "Place", lambda *fields: fields)
    for session in (_fugu.BoxSession, _fugu.FunctionSession):
        monkeypatch.setattr(session, "of_gpu_values", SessionThere)
    for name in ("gpu_walsh", "gpu_inverse_walsh", "gpu_boolean_spectrum", "gpu_convolve", "gpu_vilenkin_chrestenson", "gpu_character_table"):
        monkeypatch.setattr(_fugu, name, lambda *arguments, name=name: made.append((name, arguments)))
    return made


def test_the_cuda_array_interface_is_taken_without_a_copy_on_its_stream(calls: list[Any]) -> None:
    x, out = np.arange(32, dtype=np.int32).reshape(2, 16), np.empty((2, 16), np.int32)
    given = Interface(out)
    assert fugu.walsh(Interface(x), out=given, order="dyadic") is given
    pointers = (x.ctypes.data, 32, "int32"), (out.ctypes.data, 32, "int32")
    assert calls == [("gpu_walsh", (*pointers, 4, 1, 1.0, (0, 7)))]


def test_dlpack_is_taken_without_a_copy_and_told_the_stream(calls: list[Any]) -> None:
    x, out = Dlpack(np.ones(8, np.int64)), Dlpack(np.empty(8, np.int64))
    assert fugu.inverse_walsh(x, out=out, stream=42) is out
    assert (x.streams, out.streams) == ([42], [42])
    pointers = (x.array.ctypes.data, 8, "int64"), (out.array.ctypes.data, 8, "int64")
    assert calls == [("gpu_inverse_walsh", (*pointers, 3, 0, (0, 42)))]


def test_complex_arrays_are_transformed_over_groups_where_they_are(calls: list[Any]) -> None:
    x, out = np.ones((2, 15), np.complex64), np.empty((2, 15), np.complex64)
    given = Interface(out)
    assert fugu.vilenkin_chrestenson(Interface(x), "3x5", out=given, inverse=True) is given
    pointers = (x.ctypes.data, 30, "complex64"), (out.ctypes.data, 30, "complex64")
    assert calls == [("gpu_vilenkin_chrestenson", ([3, 5], *pointers, True, (0, 7)))]
    refused(fugu.UsageError, "only complex values", fugu.vilenkin_chrestenson, Interface(x), "3x5", values="counts")
    refused(TypeError, "x is of float64; complex64 and complex128", fugu.vilenkin_chrestenson, Interface(np.ones(15)), "3x5")
    eight, says = np.ones(8), "is on a GPU, where this call does not work; copy it to the host"
    for call, *arguments in ((fugu.autocorrelate, given), (fugu.convolve, x, given), (fugu.p_valued_properties, given)):
        refused(TypeError, says, call, *arguments, group="3x5")
    refused(TypeError, says, fugu.convolve, eight, Dlpack(eight))
    refused(TypeError, says, fugu.walsh, eight, out=Dlpack(np.ones(8)))
    refused(fugu.UsageError, "15 elements", fugu.vilenkin_chrestenson, Interface(np.ones(14, np.complex64)), "3x5")


def test_character_tables_are_written_where_the_output_is(calls: list[Any]) -> None:
    out = np.empty((2, 9), np.uint8)
    given = Interface(out)
    assert fugu.character_table("3^2", rows=(4, 2), out=given) is given
    assert calls == [("gpu_character_table", ([3, 3], (4, 2), (0, 9), False, (out.ctypes.data, 18, "uint8"), (0, 7)))]
    refused(TypeError, "dtype is float64", fugu.character_table, "3^2", out=Interface(np.empty((9, 9))))
    refused(TypeError, "needed", fugu.character_table, "3^2", out=Interface(np.empty((9, 8), np.uint8)))


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
    refused(TypeError, "rows of 4 bytes or more", fugu.walsh, Interface(np.zeros(2, np.uint8)), out=Interface(np.empty(16, np.int32)))
    refused(fugu.UsageError, "natural order", fugu.walsh, Interface(x), out=Interface(out), order="dyadic")


def test_a_boolean_function_reads_its_packed_values_where_they_are(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # x0 x1 + x2 x3 of eight variables: nonlinearity 2^7 - 2^5 = 96
    packed = np.packbits([(x & 3 == 3) ^ (x & 12 == 12) for x in range(256)], bitorder="little")
    given = Dlpack(packed)
    f = fugu.BooleanFunction(packed=given, stream=5)
    assert (given.streams, len(f), f.variables) == ([5], 256, 8)
    read = (packed.ctypes.data, 32, "uint8")
    assert f._session.given == (read, 8, (0, 5), (given, 5))  # type: ignore[attr-defined]
    assert (f.nonlinearity, f.degree) == ("nonlinearity there", "degree there")
    out = Dlpack(np.empty(256, np.int32))
    assert f.walsh_spectrum(out=out) is out
    assert calls == [("gpu_boolean_spectrum", (read, (out.array.ctypes.data, 256, "int32"), 8, (0, 5)))]
    refused(AssertionError, "copied to the host", lambda: f.polynomial)
    monkeypatch.setattr(SessionThere, "values", _fugu.TruthTable.of_values(packed, 8))
    assert (f.polynomial, f[3], f[15]) == ("x0 x1 + x2 x3", 1, 0)
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
        ({"packed": Dlpack(np.zeros(32, np.uint8)), "variables": 5}, "has 8 variables, not 5"),
    ],
)
def test_what_is_no_truth_table_on_a_gpu(calls: list[Any], given: dict[str, Any], says: str) -> None:
    refused((TypeError, fugu.UsageError), says, fugu.BooleanFunction, *[given.pop("values")] if "values" in given else [], **given)


PRESENT = np.array([0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2], np.int64)


def test_an_s_box_of_a_gpu_is_measured_where_it_is(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    box = fugu.SBox(Interface(PRESENT))
    assert (box.inputs, box.outputs, len(box), repr(box)) == (4, 4, 16, "<SBox of 4 inputs and 4 outputs>")
    assert (box.linearity, box.equations) == ("linearity there", ("eq1 there", "eq2 there", "eq3 there"))
    refused(AssertionError, "copied to the host", list, box)
    monkeypatch.setattr(SessionThere, "values", _fugu.SBox.of_values(PRESENT.astype(np.uint32), 4, 4))
    assert list(box) == PRESENT.tolist()
    read = (PRESENT.ctypes.data, 16, "int64")
    assert box._session.given == (read, None, (0, 7), 7)  # type: ignore[attr-defined]
    other = fugu.SBox(Interface(PRESENT), outputs=9, stream=9)
    assert other._session.given == (read, 9, (0, 9), 9)  # type: ignore[attr-defined]
    refused(fugu.UsageError, "16 values are those of 4 inputs, not 5", fugu.SBox, Interface(PRESENT), 5)


@pytest.mark.parametrize(
    ("values", "options", "says"),
    [
        (np.zeros(4), {}, r"values are of float64 and shape \(4,\); one dimension of integers"),
        (np.zeros((2, 2), np.int32), {}, r"of int32 and shape \(2, 2\)"),
        (np.zeros(4, np.int32), {"engine": "cpu"}, "values is on cuda:0"),
    ],
)
def test_what_is_no_s_box_on_a_gpu_is_not_read(calls: list[Any], values: Any, options: Any, says: str) -> None:
    refused((TypeError, fugu.UsageError), says, fugu.SBox, Interface(values), **options)


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
        (Dlpack(np.zeros(8)), np.zeros(8), {}, "host memory, but x is on a GPU"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8, np.float32)), {}, "out is of float32"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8)), {"engine": "cpu"}, "x is on cuda:0"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8)), {"engine": "cuda:1"}, "x is on cuda:0"),
        (Dlpack(np.zeros(8)), Dlpack(np.zeros(8)), {"stream": "fast"}, "stream is a str"),
        (Dlpack(np.zeros(8), (10, 0)), None, {}, "neither in the host's memory nor in a CUDA GPU's"),
    ],
)
def test_what_cannot_be_taken_says_what_to_do(calls: list[Any], x: Any, out: Any, options: Any, says: str) -> None:
    refused(TypeError, says, fugu.walsh, x, out=out, **options)
    assert not calls


def test_an_output_that_overlaps_or_is_read_only_is_refused(calls: list[Any]) -> None:
    memory = np.zeros(12)
    refused(TypeError, "in part the memory of an input", fugu.walsh, Dlpack(memory[:8]), out=Dlpack(memory[4:]))
    out = np.zeros(8)
    refused(TypeError, "cannot be written to", fugu.walsh, Dlpack(np.zeros(8)), out=Interface(out, data=(out.ctypes.data, True)))


def test_arrays_of_one_call_are_alike(calls: list[Any]) -> None:
    refused(TypeError, "differ in shape or type", fugu.convolve, Dlpack(np.zeros(8)), Dlpack(np.zeros(4)), out=Dlpack(np.zeros(8)))
    refused(TypeError, "int64, float32 and float64, not int32", fugu.convolve, Dlpack(np.zeros(8, np.int32)), Dlpack(np.zeros(8, np.int32)))


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
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 21 + device)
    torch.int32 = "torch.int32"
    torch.empty = lambda shape, dtype, device: (shape, dtype, device)
    monkeypatch.setitem(sys.modules, "torch", torch)
    tensor = type("Tensor", (Dlpack,), {"__module__": "torch", "device": "cuda:0", "get_device": lambda self: 0})(np.zeros(4))
    assert _arrays.stream_handle(tensor, None) == 21
    assert _arrays.gpu_output(None, tensor, (4,), "int32") == ((4,), "torch.int32", "cuda:0")
    assert _arrays.stream_handle(Interface(np.zeros(4), stream=9), None) == 9
    assert _arrays.stream_handle(Interface(np.zeros(4), stream=None), None) == 1


def test_host_memory_that_others_share_is_taken_as_it_is() -> None:
    x = np.arange(8)
    np.testing.assert_array_equal(fugu.walsh(Dlpack(x, (1, 0))), fugu.walsh(x))
