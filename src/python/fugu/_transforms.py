"""Transforms and convolutions of arrays.

Functions are the last dimension of an array, of 2^n values in natural order; the other dimensions are a batch.
bool arrays are truth tables with a value per byte, uint8 arrays packed ones: bit i of byte k is f(8 k + i).
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol, overload

import numpy as np
import numpy.typing as npt

from . import _arrays, _fugu, _short_way
from ._groups import Group, convolve_over_group
from ._errors import UsageError
from ._names import device_of

Order = Literal["natural", "dyadic", "sequency"]
Array = npt.NDArray[Any]

# The threads of transforms wait a second for the next call, but end before a fork. Another thread may call while that begins.
atexit.register(_fugu.end_threads)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fugu.end_threads, after_in_child=_fugu.forget_threads)

ORDERS: Final[Mapping[str, int]] = {"natural": 0, "dyadic": 1, "sequency": 2}
_POSSIBLE: Final = "int32, int64, float32, float64, bool and packed uint8"
_POSSIBLE_WALSH: Final = _POSSIBLE.replace("int64,", "int64, float16,")


class OnGpu(Protocol):
    """An array of CuPy, PyTorch or another library that has __dlpack__ or __cuda_array_interface__."""

    @property
    def shape(self) -> Any: ...


def order_index(order: str) -> int:
    if order not in ORDERS:
        raise UsageError(f"no order {order!r}; choose from {', '.join(ORDERS)}")
    return ORDERS[order]


def _result(x: Array, name: str, table_type: type[np.generic], packed: bool) -> tuple[tuple[int, ...], type[np.generic]]:
    """Shape and type of the result for ``x``."""
    char = x.dtype.char
    if char in _arrays.NUMBERS:
        return x.shape, _arrays.NUMBERS[char]
    if char == "?":
        return x.shape, table_type
    if char == "B":
        _arrays.check_packed(x, name, packed)
        return (*x.shape[:-1], 8 * x.shape[-1]), table_type
    raise _arrays.wrong_type(x, name, _POSSIBLE)


@overload
def walsh(
    x: Array, *, order: Order = ..., scale: float = ..., out: Array | None = ..., engine: str = ..., packed: bool = ...,
    stream: object = ...
) -> Array: ...
@overload
def walsh(
    x: OnGpu, *, order: Order = ..., scale: float = ..., out: OnGpu | None = ..., engine: str = ..., packed: bool = ...,
    stream: object = ...
) -> Any: ...
def walsh(
    x: Any, *, order: str = "natural", scale: float = 1.0, out: Any = None, engine: str = "auto", packed: bool = False,
    stream: object = None
) -> Any:
    """The Walsh transform W(a) = sum over x of (-1)^{popcount(a & x)} f(x) of every row.

    ``x``: shape (..., 2^n), of int32, int64, float16, float32 or float64, on a GPU also bfloat16, or a truth table f
    (bool; packed uint8 of shape (..., 2^n / 8)), which is transformed as (-1)^f and has an int32 spectrum. 16-bit
    values are computed in float32 and rounded once; on a GPU their rows have 2 to 2^21 values.
    ``scale``: what results are multiplied by; for floating-point types.
    ``order``: where W(a) is written: "natural" (Hadamard), "dyadic" (Paley) or "sequency" (Walsh).
    ``out``: what to write to and return; ``x`` itself for work in place. A new result is of the library of ``x``.
    ``engine``: "auto" is the GPU that ``x`` is on, otherwise the CPU; "cpu"; "cuda:N" uploads.
    ``packed``: says that uint8 values which are all 0 or 1 are packed all the same.
    ``stream``: for arrays on a GPU, the CUDA stream to work on; the current one of their library by default. The
    call returns when the work is queued there, like those of CuPy and PyTorch; arrays must stay until it is done.

    Integers are exact: UsageError where a coefficient might not fit, before anything is written. Finite floats that
    overflow are refused as well, after the work: ``out`` then holds no result. Arrays on a GPU are not looked
    through; there, integers wrap and floats become infinite.
    """
    return _transform(x, order, out, engine, packed, stream, inverse=False, scale=scale)


@overload
def inverse_walsh(x: Array, *, order: Order = ..., out: Array | None = ..., engine: str = ..., stream: object = ...) -> Array: ...
@overload
def inverse_walsh(x: OnGpu, *, order: Order = ..., out: OnGpu | None = ..., engine: str = ..., stream: object = ...) -> Any: ...
def inverse_walsh(x: Any, *, order: str = "natural", out: Any = None, engine: str = "auto", stream: object = None) -> Any:
    """The inverse f(x) = 2^-n sum over a of (-1)^{popcount(a & x)} W(a) of every row, read in ``order``.

    Arguments and result as of walsh(), for numbers, 16-bit ones too. Integers: UsageError where the input is no spectrum of an
    integer function; ``out`` is then unspecified.
    """
    return _transform(x, order, out, engine, False, stream, inverse=True)


def _transform(
    x: Any, order: str, out: Any, engine: str, packed: bool, stream: object, inverse: bool, scale: float = 1.0
) -> Any:
    index = order_index(order)
    if stream is None and engine == "auto":
        result = _short_way.walsh(x, out, index, None if inverse else scale)
        if result is not None:
            return result
    if _arrays.is_on_gpu(x):
        result = _transform_on_gpu(x, index, out, engine, stream, inverse, scale)
        _short_way.open_for(x)
        return result
    array = _arrays.host_array(x, "x", _POSSIBLE_WALSH)
    if inverse and array.dtype.char in _arrays.TABLES:
        raise _arrays.wrong_type(array, "x", "int32, int64, float16, float32 and float64")
    if array.dtype.char == "e":
        return _arrays.returned(_transform_halves(array, index, out, engine, inverse, scale), out, x)
    shape, dtype = _result(array, "x", np.int32, packed)
    _check_scale(scale, dtype.__name__)
    may_become_x = out is None or out is x
    to = _arrays.host_output(out, shape, dtype, array)
    _fugu.transform(array, to, index, inverse, may_become_x, device_of(engine))
    if scale != 1:
        np.multiply(to, scale, out=to)
    return _arrays.returned(to, out, x)


def _transform_halves(x: Array, order: int, out: Any, engine: str, inverse: bool, scale: float) -> Array:
    to = _arrays.host_output(out, x.shape, np.float16, x)
    log2_size = _log2(x.shape[-1])
    if inverse:
        scale = 2.0**-log2_size  # the matrices of all orders are symmetric
    device = device_of(engine)
    if device is None:
        finite = _fugu.walsh_halves(x.view(np.uint16), to.view(np.uint16), False, order, log2_size, scale)
    else:
        wide = x.astype(np.float32)
        inputs = np.isfinite(wide).all()
        _fugu.transform(wide, wide, order, False, True, device)
        with np.errstate(over="ignore"):
            np.multiply(wide, scale, out=to, casting="same_kind")
        finite = bool(np.isfinite(to).all() or not inputs)
    if not finite:
        raise UsageError("finite values have results that float16 does not hold; give float32, or scale=")
    return to


def _check_scale(scale: float, type_name: str) -> None:
    if scale != 1 and "float" not in type_name:
        raise UsageError(f"a spectrum of {type_name} cannot be scaled; floating-point values can")


def _transform_on_gpu(
    x: Any, order: int, out: Any, engine: str, stream: object, inverse: bool, scale: float
) -> Any:
    view, handle = _arrays.view_for_call(x, "x", engine, stream)
    is_table = view.type == "uint8" and not inverse
    shape = (*view.shape[:-1], 8 * view.shape[-1]) if is_table else view.shape
    dtype = "int32" if is_table else _gpu_number(view, "x", ("float16", "bfloat16"))
    _check_scale(scale, dtype)
    out = _arrays.gpu_output(out, x, shape, dtype)
    to = _arrays.gpu_view(out, "out", handle)
    _arrays.check_gpu_output(to, shape, dtype, view)
    n = _log2(shape[-1])
    place = _fugu.Place(view.device, handle)
    if is_table:
        _arrays.check_gpu_table(view)
        if order != 0:
            raise UsageError("spectra of packed truth tables on a GPU come in natural order")
        _fugu.gpu_boolean_spectrum(view.handle(), to.handle(), n, place)
    elif inverse and "float" not in dtype:
        _fugu.gpu_inverse_walsh(view.handle(), to.handle(), n, order, place)
    else:  # the matrices of all orders are symmetric
        _fugu.gpu_walsh(view.handle(), to.handle(), n, order, 2.0**-n if inverse else scale, place)
    return out


def _gpu_number(view: _arrays.GpuView, name: str, more: tuple[str, ...]) -> str:
    possible = ("int32", "int64", *more, "float32", "float64")
    if view.type in possible:
        return view.type
    if view.type == "bool":
        raise TypeError(f"{name} is of bool; on a GPU a truth table is packed: packbits({name}, bitorder='little')")
    raise TypeError(f"{name} is of {view.type}; {', '.join(possible)} and packed uint8 are possible")


def _log2(size: int) -> int:
    if size < 1 or size & (size - 1):
        raise UsageError(f"{size} values are not a power of two")
    return size.bit_length() - 1


@overload
def convolve(
    f: Array, g: Array, *, group: Group | None = ..., out: Array | None = ..., engine: str = ..., packed: bool = ...,
    stream: object = ...
) -> Array: ...
@overload
def convolve(f: OnGpu, g: OnGpu, *, out: OnGpu | None = ..., engine: str = ..., packed: bool = ..., stream: object = ...) -> Any: ...
def convolve(
    f: Any, g: Any, *, group: Group | None = None, out: Any = None, engine: str = "auto", packed: bool = False,
    stream: object = None
) -> Any:
    """The dyadic convolution C(s) = sum over x of f(x) g(x ^ s), row by row (Gajic and Stankovic 2011).

    ``f``, ``g``: one shape (..., 2^n). Integers and truth tables, which are taken as 0 and 1, have an int64 result;
    float32 and float64 keep their type. The rest as of walsh(). Integers are exact: UsageError where the result
    might not fit 64 bits. On a GPU arrays are of int64, float32 or float64, and integers are exact while the
    bound of fugu/spectral/dyadic.hpp times 2^n is below 2^63.

    ``group``: over another finite Abelian group, "3^4" or its orders: C(s) = sum over x of f(x) g(s - x), for shapes
    (..., N) and for complex values too. Integers, uint8 as numbers, have an int64 result, others a complex one. On the CPU.
    """
    if group is not None:
        return convolve_over_group(f, g, group, out, engine)
    if _arrays.is_on_gpu(f):
        return _convolve_on_gpu(f, g, out, engine, stream)
    first, second = _arrays.host_array(f, "f", _POSSIBLE), _arrays.host_array(g, "g", _POSSIBLE)
    shape, dtype = _convolution_result(first, "f", packed)
    if _convolution_result(second, "g", packed) != (shape, dtype):
        raise TypeError(
            f"f has shape {first.shape} and {first.dtype}, g {second.shape} and {second.dtype}; give both the same shape and type"
        )
    to = _arrays.host_output(out, shape, dtype, first)
    _fugu.convolve(first, second, to, device_of(engine))
    return _arrays.returned(to, out, f)


@overload
def autocorrelate(
    x: Array, *, group: Group | None = ..., out: Array | None = ..., engine: str = ..., packed: bool = ...,
    stream: object = ...
) -> Array: ...
@overload
def autocorrelate(x: OnGpu, *, out: OnGpu | None = ..., engine: str = ..., packed: bool = ..., stream: object = ...) -> Any: ...
def autocorrelate(
    x: Any, *, group: Group | None = None, out: Any = None, engine: str = "auto", packed: bool = False,
    stream: object = None
) -> Any:
    """The dyadic autocorrelation r(s) = sum over x of f(x) f(x ^ s), row by row.

    As convolve(x, x), but that truth tables are taken as (-1)^f. With ``group``: r(s) = sum over x of
    f(x + s) conj(f(x)).
    """
    if group is not None:
        return convolve_over_group(x, None, group, out, engine)
    if _arrays.is_on_gpu(x):
        return _convolve_on_gpu(x, None, out, engine, stream)
    array = _arrays.host_array(x, "x", _POSSIBLE)
    to = _arrays.host_output(out, *_convolution_result(array, "x", packed), array)
    _fugu.convolve(array, None, to, device_of(engine))
    return _arrays.returned(to, out, x)


def _convolution_result(x: Array, name: str, packed: bool) -> tuple[tuple[int, ...], type[np.generic]]:
    shape, dtype = _result(x, name, np.int64, packed)
    _log2(shape[-1])
    return shape, np.int64 if dtype is np.int32 else dtype


def _convolve_on_gpu(f: Any, g: Any, out: Any, engine: str, stream: object) -> Any:
    handle = _arrays.stream_handle(f, stream)
    views = [_arrays.gpu_view(x, name, handle) for name, x in (("f", f), ("g", g)) if x is not None]
    for view in views:
        _arrays.check_gpu_engine(view, "f", engine)
        if view.type not in ("int64", "float32", "float64"):
            raise TypeError(f"convolutions on a GPU take int64, float32 and float64, not {view.type}; convert it")
        if (view.shape, view.type) != (views[0].shape, views[0].type):
            raise TypeError("f and g differ in shape or type; give both the same shape and type")
    out = _arrays.gpu_output(out, f, views[0].shape, views[0].type)
    to = _arrays.gpu_view(out, "out", handle)
    _arrays.check_gpu_output(to, views[0].shape, views[0].type, *views)
    second = views[1].handle() if g is not None else None
    columns = to.shape[-1]
    _log2(columns)
    _fugu.gpu_convolve(views[0].handle(), second, to.handle(), columns, _fugu.Place(to.device, handle))
    return out
