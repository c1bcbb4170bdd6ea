"""Characters of finite Abelian groups, and transforms with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _fugu
from ._errors import UsageError
from ._names import device_of

Array = npt.NDArray[Any]
Group = str | Sequence[int]  # "2^3x5", or the orders of its cyclic factors
_POSSIBLE: Final = "bool, int8 to int64, uint8 to uint32, float32, float64, complex64 and complex128"
_NUMBERS: Final = "?bhilqBHIfdFD" + ("" if np.dtype("L").itemsize == 8 else "L")  # NumPy's type characters


def _orders_of(group: Group) -> list[int]:
    return _fugu.group_orders(group) if isinstance(group, str) else [int(order) for order in group]


def _check_rows(shape: tuple[int, ...], orders: list[int]) -> None:
    size = math.prod(orders)
    if not shape or shape[-1] != size:
        raise UsageError(f"the group has {size} elements, and x has the shape {shape}; its rows have one value for each")


def _numbers(x: Any, name: str) -> Array:
    """``x`` unchanged, or an array of a list. Integers must fit int64."""
    array = _arrays.host_array(np.asarray(x) if isinstance(x, (list, tuple)) else x, name, _POSSIBLE)
    if array.dtype.char not in _NUMBERS:
        raise TypeError(f"{name} is of {array.dtype}; {_POSSIBLE} are possible: {name}.astype(numpy.complex128), for example")
    return array


def convolve_over_group(f: Any, g: Any, group: Group, out: Any, engine: str) -> Any:
    if device_of(engine) is not None:
        raise UsageError("convolutions over a group are computed on the CPU; leave engine out")
    first = _numbers(f, "f")
    second = None if g is None else _numbers(g, "g")
    if second is not None and second.shape != first.shape:
        raise TypeError(f"f has shape {first.shape}, g {second.shape}; give both the same shape")
    types = [x.dtype for x in (first, second) if x is not None]
    if all(np.issubdtype(dtype, np.integer) or dtype == np.bool_ for dtype in types):
        result: type[np.generic] = np.int64
    else:
        result = np.complex64 if all(dtype == np.complex64 for dtype in types) else np.complex128
    orders = _orders_of(group)
    _check_rows(first.shape, orders)
    used = None if second is None else second.astype(result)
    target = _arrays.host_output(out, first.shape, result)
    target[...] = first
    _fugu.group_convolve(orders, target, used)
    return _arrays.returned(target, out, f)


_CHARACTER_TYPES: Final = "complex64, complex128, uint8 and uint16"


def character_table(
    group: Group, *, rows: tuple[int, int] | None = None, columns: tuple[int, int] | None = None,
    dtype: npt.DTypeLike = np.complex128, row_order: Literal["kronecker", "equation1"] = "kronecker", out: Any = None,
    engine: str = "auto", stream: object = None
) -> Any:
    """The characters chi_w(z) = exp(2 pi i e / L) of C_q1 x ... x C_qm, row w, column z (Gajic and Stankovic 2012).

    ``group``: "3^8", "2x3x4", or the orders q1, ..., qm; L is their least common multiple, at most 65536.
    ``rows``, ``columns``: (first, count) of a part; the whole table by default.
    ``dtype``: complex128 or complex64; uint8 (L at most 256) or uint16 for the exact exponents e.
    ``row_order``: "equation1" reads the digits of w the other way round, as equation (1) of the paper does.
    ``out``: what to write to and return, of one of these types; an array of CuPy or PyTorch on a GPU is written there.
    ``engine``, ``stream``: as of walsh().
    """
    orders = _orders_of(group)
    size = math.prod(orders)
    row_part, column_part = rows or (0, size), columns or (0, size)
    if row_order not in ("kronecker", "equation1"):
        raise UsageError(f"no row order {row_order!r}; choose from kronecker and equation1")
    shape, equation1 = (row_part[1], column_part[1]), row_order == "equation1"
    if _arrays.is_on_gpu(out):
        view, handle = _arrays.view_for_call(out, "out", engine, stream)
        _check_character_type(view.type)
        _arrays.check_gpu_output(view, shape, view.type)
        place = _fugu.Place(view.device, handle)
        _fugu.gpu_character_table(orders, row_part, column_part, equation1, view.handle(), place)
        return out
    wanted = np.dtype(dtype) if out is None else _arrays.host_array(out, "out", _CHARACTER_TYPES).dtype
    _check_character_type(wanted.name)
    table = _arrays.host_output(out, shape, wanted.type)
    _fugu.character_table(orders, row_part, column_part, equation1, table, device_of(engine))
    return table if out is None else out


def _check_character_type(name: str) -> None:
    if name not in ("complex64", "complex128", "uint8", "uint16"):
        raise TypeError(f"dtype is {name}; {_CHARACTER_TYPES} are possible")


Values = Literal["complex", "counts", "integers", "residues"]


def vilenkin_chrestenson(
    x: Any, group: Group, *, values: Values = "complex", table: bool = False, modulus: int | None = None, inverse: bool = False,
    out: Any = None, engine: str = "auto", stream: object = None
) -> Any:
    """The Fourier transform F(w) = sum over z of f(z) conj(chi_w(z)) over a finite Abelian group, row by row
    (Chrestenson 1955; Gajic and Stankovic 2013).

    ``x``: shape (..., N) for the group's order N, uint8 as numbers. Characters and orders as of character_table(); on C_2^n it is the
    Walsh transform in natural order. Complex arrays of CuPy and PyTorch on a GPU are transformed there, without a copy.
    ``values``: "complex": complex64 of complex64, otherwise complex128. Of integers, exactly: "counts", shape
    (..., N, L), int64: F(w) = sum over k of counts[k] zeta^k, zeta = exp(2 pi i / L); "integers", for a prime L, the
    coordinates to 1, zeta, ..., zeta^(L-2), shape (..., N, L - 1); "residues", shape (..., N), uint32: modulo a prime
    that is 1 modulo L, ``modulus`` or the largest below 2^31.
    ``table``: x are the values 0 to L - 1 of a function f, which is transformed as zeta^f. Not for residues.
    ``inverse``: f(z) = 1/N sum over w of F(w) chi_w(z), of complex values and residues.
    ``engine``: "auto" is the GPU that ``x`` is on, otherwise the CPU; "cuda:N" uploads complex values.
    ``stream``: as of walsh().
    """
    orders = _orders_of(group)
    if _arrays.is_on_gpu(x):
        if values != "complex" or table:
            raise UsageError("on a GPU only complex values are transformed; copy x to the host")
        return _complexes_on_gpu(x, orders, inverse, out, engine, stream)
    array = _numbers(x, "x")
    _check_rows(array.shape, orders)
    if values not in ("complex", "counts", "integers", "residues"):
        raise UsageError(f"no values {values!r}; choose from complex, counts, integers and residues")
    if modulus is not None and values != "residues":
        raise UsageError("modulus is for residues")
    if inverse and values in ("counts", "integers"):
        raise UsageError("the inverse takes complex values and residues only")
    device = device_of(engine)
    if values == "complex":
        result = _complexes(array, orders, table, inverse, out, device)
    elif device is not None:
        raise UsageError(f"{values} are computed on the CPU; leave engine out")
    elif values == "residues":
        result = _residues(array, orders, modulus, table, inverse, out)
    else:
        result = _counts(array, orders, table, values == "integers", out)
    return _arrays.returned(result, out, x)


def _modulus_of(orders: list[int]) -> int:
    return math.lcm(*orders)


def _exponents(f: Array, orders: list[int]) -> Array:
    largest = _modulus_of(orders) - 1
    if not _are_integers(f) or (f.size and not (0 <= f.min() and f.max() <= largest)):
        raise UsageError(f"the values of a function over this group are the integers 0 to {largest}")
    return np.ascontiguousarray(f, np.uint32)


def _are_integers(x: Array) -> bool:
    return bool(np.issubdtype(x.dtype, np.integer) or x.dtype == np.bool_)


def _complexes_on_gpu(x: Any, orders: list[int], inverse: bool, out: Any, engine: str, stream: object) -> Any:
    view, handle = _arrays.view_for_call(x, "x", engine, stream)
    if view.type not in ("complex64", "complex128"):
        raise TypeError(f"x is of {view.type}; complex64 and complex128 are possible on a GPU")
    _check_rows(view.shape, orders)
    out = _arrays.gpu_output(out, x, view.shape, view.type)
    to = _arrays.gpu_view(out, "out", handle)
    _arrays.check_gpu_output(to, view.shape, view.type, view)
    _fugu.gpu_vilenkin_chrestenson(orders, view.handle(), to.handle(), inverse, _fugu.Place(view.device, handle))
    return out


def _complexes(
    x: Array, orders: list[int], table: bool, inverse: bool, out: Array | None, device: int | None
) -> Array:
    target = _arrays.host_output(out, x.shape, np.complex64 if x.dtype == np.complex64 else np.complex128)
    if table:  # row 1 of the characters of C_L holds the powers of zeta
        x = character_table([_modulus_of(orders)])[min(1, _modulus_of(orders) - 1)][_exponents(x, orders)]
    target[...] = x
    _fugu.vilenkin_chrestenson(orders, target, inverse, device)
    return target


def _counts(x: Array, orders: list[int], table: bool, reduced: bool, out: Array | None) -> Array:
    if not _are_integers(x):
        raise TypeError(f"x is of {x.dtype}; counts and integers need integers")
    f = _exponents(x, orders) if table else np.ascontiguousarray(x, np.int64)
    target = _arrays.host_output(out, (*x.shape, _modulus_of(orders) - (1 if reduced else 0)), np.int64)
    _fugu.vilenkin_chrestenson_counts(orders, f, target, table, reduced)
    return target


def _residues(
    x: Array, orders: list[int], modulus: int | None, table: bool, inverse: bool, out: Array | None
) -> Array:
    if table:
        raise UsageError("table is not for residues; counts and integers are exact too")
    if not _are_integers(x):
        raise TypeError(f"x is of {x.dtype}; residues need integers")
    prime = _fugu.residue_prime(orders, modulus)
    target = _arrays.host_output(out, x.shape, np.uint32)
    target[...] = x % prime
    _fugu.vilenkin_chrestenson_residues(orders, target, inverse, prime)
    return target


@dataclass(frozen=True)
class PValued:
    """Properties of a function f: C_p^n -> C_p, from W(w) = sum over x of zeta^(f(x) - <w, x>)."""

    balanced: bool  #: every value p^(n-1) times
    bent: bool  #: |W(w)|^2 = p^n for every w (Kumar, Scholtz and Welch 1985)
    plateaued: bool  #: |W(w)|^2 takes one value besides 0
    largest_square: int | None  #: max |W(w)|^2 where all |W(w)|^2 are integers


def p_valued_properties(f: Any, group: Group) -> PValued:
    """Properties of a function on C_p^n with values 0 to p - 1, p prime: shape (p^n,), ``group`` "3^4" or [3, 3, 3, 3]."""
    array = _numbers(f, "f")
    orders = _orders_of(group)
    _check_rows(array.shape, orders)
    if array.ndim != 1:
        raise TypeError(f"f has {array.ndim} dimensions; a function has one")
    return PValued(*_fugu.summarize_p_valued(orders, _exponents(array, orders)))
