"""Classifies arguments: arrays in host memory, or in GPU memory.

GPU arrays are taken through DLPack (``__dlpack__``) and the CUDA Array Interface, version 3, without a copy.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _fugu
from ._names import device_of
from ._short_way import ITEM_BYTES, LEGACY_DEFAULT_STREAM

Host = npt.NDArray[Any]

# By NumPy's type characters, which are fast to query. uint8 is packed: eight values of a truth table per byte.
NUMBERS: Final[Mapping[str, type[np.generic]]] = {"i": np.int32, "l": np.int64, "q": np.int64, "f": np.float32, "d": np.float64}
TABLES: Final = "?B"

_DLPACK_CPU: Final = (1, 3)  # kDLCPU, kDLCUDAHost
_DLPACK_CUDA: Final = (2, 13)  # kDLCUDA, kDLCUDAManaged

_LINE: Final = 64  # bytes of a cache line, and of the widest vectors
_MANY_VALUES: Final = 1 << 21


class GpuView(NamedTuple):
    """An array in a GPU's memory. ``owner`` keeps the memory alive."""

    owner: object
    pointer: int
    shape: tuple[int, ...]
    type: str
    device: int

    @property
    def values(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.values * ITEM_BYTES.get(self.type, 0) or self.values * np.dtype(self.type).itemsize

    def handle(self) -> _fugu.GpuArray:
        return _fugu.GpuArray(self.pointer, self.values, self.type)


def is_on_gpu(x: object) -> bool:
    """Whether ``x`` declares that its memory is a GPU's."""
    if isinstance(x, np.ndarray):
        return False
    ask = getattr(x, "__dlpack_device__", None)
    if ask is None:
        return hasattr(x, "__cuda_array_interface__")
    return ask()[0] in _DLPACK_CUDA


def host_array(x: object, name: str, wanted: str = "bool, integers and floating-point numbers") -> Host:
    """``x`` as NumPy's. Raises TypeError, with a remedy, for anything but a contiguous array in host memory.

    ``wanted``: the possible types, for those that NumPy does not have."""
    if not isinstance(x, np.ndarray):
        x = _shared_with_numpy(x, name, wanted)
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} has a mask; {name}.filled(0) has a value everywhere")
    if not x.flags.c_contiguous:
        raise TypeError(f"{name} is not contiguous in memory; numpy.ascontiguousarray({name}) makes a copy that is")
    if not x.flags.aligned:
        raise TypeError(f"{name} is not aligned to its elements' size; {name}.copy() is")
    if not x.dtype.isnative:
        raise TypeError(f"{name} has the other byte order; {name}.astype({name}.dtype.newbyteorder('=')) has this machine's")
    if x.ndim == 0:
        raise TypeError(f"{name} is a single number; {name}.reshape(1) is an array")
    return x


def _shared_with_numpy(x: object, name: str, wanted: str) -> Host:
    if is_on_gpu(x):
        raise TypeError(f"{name} is on a GPU, where this call does not work; copy it to the host")
    ask = getattr(x, "__dlpack_device__", None)
    if ask is None:
        raise TypeError(f"{name} is a {type(x).__name__}; numpy.asarray({name}, dtype=numpy.int32) makes an array of it")
    if ask()[0] not in _DLPACK_CPU:
        raise TypeError(f"{name} is neither in the host's memory nor in a CUDA GPU's; copy it to the host")
    try:
        shared: Host = np.from_dlpack(x)  # type: ignore[arg-type]
    except (RuntimeError, BufferError) as error:  # NumPy's for bfloat16, PyTorch's for float8
        kind = f"{type(x).__name__} of {getattr(x, 'dtype', 'a type')}"
        raise TypeError(f"{name} is a {kind}: {error}; {wanted} are possible") from None
    return shared


def returned(result: Host, out: object, x: Any) -> Any:
    """``out`` as it was given; without one, ``result`` as an array of the library of ``x``, in the same memory."""
    if out is not None:
        return out
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__"):
        return result
    has_standard = hasattr(x, "__array_namespace__")
    library: Any = x.__array_namespace__() if has_standard else sys.modules.get(_library_of(x))
    return library.from_dlpack(result) if hasattr(library, "from_dlpack") else result


def wrong_type(x: Host, name: str, wanted: str) -> TypeError:
    if x.dtype.kind == "c":
        return TypeError(f"{name} is of {x.dtype}; {wanted} are possible; vilenkin_chrestenson() takes complex values")
    example = "float64" if x.dtype.kind == "f" else "int64"
    return TypeError(f"{name} is of {x.dtype}; {wanted} are possible: {name}.astype(numpy.{example}), for example")


def check_packed(x: Host, name: str, packed: bool) -> None:
    """Refuses bytes that look like one value each: packed, they would be another function."""
    if not packed and x.size > 1 and x.max() <= 1:
        raise TypeError(
            f"{name} is of uint8, eight values per byte, but holds only 0 and 1; {name}.astype(bool) has a value "
            f"per byte, and packed=True says that it is packed"
        )


def new_array(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Host:
    """An uninitialised array. A large one is aligned to a cache line, which makes transforms faster; small ones gain nothing."""
    values = math.prod(shape)
    if values < _MANY_VALUES:
        return np.empty(shape, dtype)
    size = values * np.dtype(dtype).itemsize
    whole = np.empty(size + _LINE, np.uint8)
    first = -whole.ctypes.data % _LINE
    return whole[first : first + size].view(dtype).reshape(shape)


def host_output(out: object, shape: tuple[int, ...], dtype: type[np.generic], *inputs: Host) -> Host:
    """``out`` as it is, or a new array."""
    if out is None:
        return new_array(shape, dtype)
    array = host_array(out, "out", np.dtype(dtype).name)
    if (array.dtype.type is not dtype and array.dtype != dtype) or array.shape != shape:  # != alone is slow
        wanted = f"numpy.empty({shape}, numpy.{np.dtype(dtype).name})"
        raise TypeError(f"out is of {array.dtype} and shape {array.shape}; {wanted} is needed")
    if not array.flags.writeable:
        raise TypeError("out cannot be written to; out.copy() can")
    for x in inputs:
        if x is not array and np.may_share_memory(x, array) and not _is_same(x, array):
            raise TypeError("out is in part the memory of an input; give the input itself or other memory")
    return array


def _is_same(x: Host, out: Host) -> bool:
    return bool(x.ctypes.data == out.ctypes.data and x.nbytes == out.nbytes)


def gpu_view(x: object, name: str, stream: int) -> GpuView:
    """``x`` without a copy, ready for work on ``stream``."""
    view = _of_known_library(x, name, stream)
    if view is None:
        view = _by_dlpack(x, name, stream) if hasattr(x, "__dlpack__") else _by_cuda_array_interface(x, name)
    if not view.shape:
        raise TypeError(f"{name} is a single number; {name}.reshape(1) is an array")
    return view


def view_for_call(x: object, name: str, engine: str, stream: object) -> tuple[GpuView, int]:
    """``x`` and the stream of a call that works where it is."""
    handle = stream_handle(x, stream)
    view = gpu_view(x, name, handle)
    check_gpu_engine(view, name, engine)
    return view, handle


def kept_view(x: object, name: str, engine: str, stream: object) -> tuple[GpuView, int, object]:
    """The same for a session that outlives the call, and what it keeps for the stream to live."""
    owner_of_stream = current_stream(x) if stream is None else stream
    return *view_for_call(x, name, engine, owner_of_stream), owner_of_stream


def _of_known_library(x: Any, name: str, stream: int) -> GpuView | None:
    """The fields of an ordinary array of PyTorch or CuPy, whose current stream is ``stream``: DLPack takes 20 us."""
    library = sys.modules.get(_library_of(x))
    if library is None or library.__name__ not in ("torch", "cupy") or stream_handle(x, None) != stream:
        return None
    if library.__name__ == "cupy":
        fields = (x.data.ptr, x.shape, x.dtype.name, x.device.id)
        contiguous = x.flags.c_contiguous
    elif type(x) is not library.Tensor or x.requires_grad or x.is_complex():
        return None  # DLPack knows what can be shared
    else:
        fields = (x.data_ptr(), tuple(x.shape), str(x.dtype).removeprefix("torch."), x.get_device())
        contiguous = x.is_contiguous()
    if not contiguous:
        raise _not_contiguous(name)
    return GpuView(x, *fields)


def _not_contiguous(name: str) -> TypeError:
    return TypeError(f"{name} is not contiguous in memory; {name}.contiguous() or ascontiguousarray({name}) is")


def _by_dlpack(x: Any, name: str, stream: int) -> GpuView:
    view = _fugu.DlpackView(x.__dlpack__(stream=stream))
    if not view.is_contiguous:
        raise _not_contiguous(name)
    return GpuView(view, view.pointer, view.shape, view.type, view.device)


def _by_cuda_array_interface(x: Any, name: str) -> GpuView:
    fields = x.__cuda_array_interface__
    if fields.get("mask") is not None:
        raise TypeError(f"{name} has a mask; fill it in")
    dtype, shape = np.dtype(fields["typestr"]), tuple(fields["shape"])
    pointer, read_only = fields["data"]
    if name == "out" and read_only:
        raise TypeError("out cannot be written to; a copy can")
    if not dtype.isnative:
        raise TypeError(f"{name} has the other byte order; convert it to this machine's")
    strides = fields.get("strides")
    if strides is not None and tuple(strides) != _contiguous_strides(shape, dtype.itemsize):
        raise _not_contiguous(name)
    return GpuView(x, pointer, shape, dtype.name, _fugu.device_of(pointer))


def _contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides = []
    for size in reversed(shape):
        strides.append(itemsize)
        itemsize *= size
    return tuple(reversed(strides))


def stream_handle(x: Any, stream: object) -> int:
    """The CUDA stream to work on: ``stream``, or the current one of the library of ``x``."""
    if stream is None and _library_of(x) == "torch":
        raw: int = sys.modules["torch"]._C._cuda_getCurrentRawStream(x.get_device())  # takes a fifth of current_stream()'s time
        return raw or LEGACY_DEFAULT_STREAM
    return handle_of(stream if stream is not None else current_stream(x))


def handle_of(stream: Any) -> int:
    """A handle, 0 being the default stream's."""
    return _handle_of(stream) or LEGACY_DEFAULT_STREAM


def _handle_of(stream: Any) -> int:
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):  # cuda.core's protocol: (version, handle)
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for attribute in ("cuda_stream", "ptr"):  # torch.cuda.Stream, cupy.cuda.Stream
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    raise TypeError(f"stream is a {type(stream).__name__}; give a stream of CuPy or PyTorch, or its handle as an int")


def _library_of(x: object) -> str:
    return type(x).__module__.partition(".")[0]


def current_stream(x: Any) -> object:
    """A stream or its handle. The stream lives at least as long as this object."""
    library = sys.modules.get(_library_of(x))
    if library is not None and library.__name__ == "torch":
        return library.cuda.current_stream(x.device)
    if library is not None and library.__name__ == "cupy":
        return library.cuda.get_current_stream()
    fields = getattr(x, "__cuda_array_interface__", {})
    return int(fields.get("stream") or 0)  # None: no work in progress


def gpu_output(out: object, x: Any, shape: tuple[int, ...], dtype: str) -> object:
    """``out``, or a new array of the same library as ``x``."""
    if out is not None:
        if not is_on_gpu(out):
            raise TypeError(f"out is a {type(out).__name__} in host memory, but x is on a GPU; give one there")
        return out
    library: Any = sys.modules.get(_library_of(x))
    if library is not None and library.__name__ == "torch":
        return library.empty(shape, dtype=getattr(library, dtype), device=x.device)
    if library is not None and library.__name__ == "cupy":
        with x.device:
            return library.empty(shape, dtype=dtype)
    raise TypeError(f"out is needed for a {type(x).__name__}: an array of {dtype} and shape {shape} on the same GPU")


def check_gpu_output(out: GpuView, shape: tuple[int, ...], dtype: str, *inputs: GpuView) -> None:
    if out.type != dtype or out.shape != shape:
        raise TypeError(f"out is of {out.type} and shape {out.shape}; {dtype} and shape {shape} are needed")
    size = out.bytes
    for x in inputs:
        if x.device != out.device:
            raise TypeError(f"out is on cuda:{out.device}, an input on cuda:{x.device}; they must be on one GPU")
        extent = x.bytes
        overlap = x.pointer < out.pointer + size and out.pointer < x.pointer + extent
        if overlap and (x.pointer, extent) != (out.pointer, size):
            raise TypeError("out is in part the memory of an input; give the input itself or other memory")


def check_gpu_table(view: GpuView) -> None:
    if view.shape[-1] < 4 or view.pointer % 4 != 0:
        raise TypeError("packed truth tables on a GPU are rows of 4 bytes or more, at an address that 4 divides")


def copy_to_host(view: GpuView, stream: int) -> Host:
    values = np.empty(view.shape, view.type)
    _fugu.gpu_copy_to_host(view.handle(), values, _fugu.Place(view.device, stream))
    return values


def check_gpu_engine(x: GpuView, name: str, engine: str) -> None:
    device = device_of(engine)
    if engine == "cpu" or (device is not None and device != x.device):
        raise TypeError(f"{name} is on cuda:{x.device}, not where engine={engine!r} works; copy it there, or leave engine out")
