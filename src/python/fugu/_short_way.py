"""walsh() of plain arrays of PyTorch and CuPy on a GPU, whose work takes less time than the questions of a general call.

The way is open where the general one would do the same without an error; None stands for everything else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from . import _fugu

LEGACY_DEFAULT_STREAM: Final = 1

# The bytes of a value. NumPy has no bfloat16, and takes a microsecond for the others.
ITEM_BYTES: Final[Mapping[str, int]] = {"float16": 2, "bfloat16": 2, "int32": 4, "float32": 4, "int64": 8, "float64": 8}

Way = Callable[[Any, Any, int, "float | None"], Any]
_ways: dict[type, Way] = {}


def walsh(x: Any, out: Any, order: int, scale: float | None) -> Any:
    """The result, or None. ``scale``: None for that of the inverse."""
    way = _ways.get(type(x))
    return None if way is None else way(x, out, order, scale)


def open_for(x: Any) -> None:
    """Opens the way for arrays of the type of ``x``, if it is the plain one of its library."""
    library: Any = sys.modules.get(type(x).__module__.partition(".")[0])
    for name, plain, way in (("torch", "Tensor", way_of_torch), ("cupy", "ndarray", _way_of_cupy)):
        if library is not None and library.__name__ == name and type(x) is getattr(library, plain):
            _ways[type(x)] = way(library)


def way_of_torch(torch: Any, names: Iterable[str] = ITEM_BYTES) -> Way:
    types = {getattr(torch, name): name for name in names}
    stream_of: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # a build without CUDA has no such arrays
    empty_like = torch.empty_like

    def way(x: Any, out: Any, order: int, scale: float | None) -> Any:
        if not x.is_cuda or x.requires_grad or not x.is_contiguous():
            return None
        device = x.get_device()
        if out is None:
            out = empty_like(x)
        elif out is not x and (
            type(out) is not type(x) or out.dtype != x.dtype or out.shape != x.shape or out.get_device() != device
            or out.requires_grad or not out.is_contiguous()
        ):  # fmt: skip
            return None
        pointers = x.data_ptr(), out.data_ptr()
        done = _run(pointers, x.numel(), x.shape, types.get(x.dtype), order, scale, device, stream_of(device))
        return out if done else None

    return way


def _way_of_cupy(cupy: Any) -> Way:
    types = {"e": "float16", "i": "int32", "l": "int64", "f": "float32", "d": "float64"}
    current_stream = cupy.cuda.get_current_stream
    current_device = cupy.cuda.runtime.getDevice

    def like(x: Any, device: int) -> Any:  # 3 us less than empty() on a device that is entered
        if device == current_device():
            return cupy.ndarray(x.shape, x.dtype.char)
        with x.device:
            return cupy.ndarray(x.shape, x.dtype.char)

    def way(x: Any, out: Any, order: int, scale: float | None) -> Any:
        if not x.flags.c_contiguous:
            return None
        device = x.data.device_id
        if out is None:
            out = like(x, device)
        elif out is not x and (
            type(out) is not type(x) or out.dtype != x.dtype or out.shape != x.shape or out.data.device_id != device
            or not out.flags.c_contiguous
        ):  # fmt: skip
            return None
        pointers = x.data.ptr, out.data.ptr
        done = _run(pointers, x.size, x.shape, types.get(x.dtype.char), order, scale, device, current_stream().ptr)
        return out if done else None

    return way


def _run(
    pointers: tuple[int, int], values: int, shape: tuple[int, ...], name: str | None, order: int, scale: float | None,
    device: int, stream: int,
) -> bool:  # fmt: skip
    size = shape[-1] if shape else 0
    apart = abs(pointers[0] - pointers[1])
    if name is None or size < 2 or size & (size - 1) or 0 < apart < values * ITEM_BYTES[name] or pointers[0] % 4:
        return False
    if scale != 1 and name in ("int32", "int64"):
        return False
    if scale is None:
        scale = 1 / size
    _fugu.gpu_walsh_at(*pointers, values, name, size.bit_length() - 1, order, scale, device, stream or LEGACY_DEFAULT_STREAM)
    return True
