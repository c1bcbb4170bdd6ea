"""The short way of walsh() for plain arrays on a GPU, with arrays that stand for CuPy's and PyTorch's."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

import fugu
from fugu import _fugu, _short_way


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
    for wrong in (
        lambda: fugu.walsh(x, scale=2.0),
        lambda: fugu.walsh(x, order="random"),  # type: ignore[arg-type]
        lambda: fugu.walsh(array(np.zeros(12, np.float32))),
        lambda: fugu.walsh(array(np.zeros((8, 8))[:, ::2])),
        lambda: fugu.walsh(array(np.zeros(8, np.int16))),
        lambda: fugu.walsh(x, out=array(np.zeros((2, 8), np.float32))),
        lambda: fugu.walsh(x, out=array(np.zeros((4, 8), np.int32))),
        lambda: fugu.walsh(whole, out=array(memory[8:24].reshape(2, 8))),
        lambda: fugu.walsh(x, engine="cpu"),
    ):
        with pytest.raises((TypeError, fugu.UsageError)):
            wrong()
    assert len(made) == 3


def test_arrays_of_pytorch_on_the_cpu_do_not_go_it() -> None:
    torch = pytest.importorskip("torch")
    _short_way.open_for(torch.ones(2))
    assert torch.equal(fugu.walsh(torch.ones(2)), torch.tensor([2.0, 0.0]))
