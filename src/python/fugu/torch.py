"""The Hadamard transform as an operator of PyTorch, with gradients, for ``torch.compile`` and CUDA graphs.

``import fugu.torch`` needs PyTorch; the rest of the package does not.
"""

from __future__ import annotations

import functools
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from . import _fugu, _short_way
from ._transforms import walsh

__all__ = ["hadamard", "hadamard_"]

_TYPES = {torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float32: "float32", torch.float64: "float64"}
_BASES = (1, 12, 20, 28, 40)
_MOST_ROWS = 256  # of a matrix that the caller gives
_MOST_KERNEL_BITS = 10
_short = _short_way.way_of_torch(torch, _TYPES.values())
# By names of their own, which take less time in a call.
_Tensor, _is_compiling, _modes = torch.Tensor, torch.compiler.is_compiling, torch._C._len_torch_dispatch_stack


def hadamard(
    x: torch.Tensor, scale: float = 1.0, *, base: int | torch.Tensor = 1, transposed: bool = False
) -> torch.Tensor:
    """``scale`` times the Hadamard transform of the last dimension: ``x @ H.T * scale``, or ``x @ H * scale`` if ``transposed``.

    ``x``: shape (..., m 2^n), of float16, bfloat16, float32 or float64, on the CPU or a CUDA GPU. H is the Kronecker
    product of ``base`` and the symmetric matrix with (-1)^popcount(i & j) in row i and column j, of 2^n rows.
    ``base``: 1, so that ``scale=2 ** (-n / 2)`` makes the transform its own inverse; 12, 20, 28 or 40: the matrix of m
    rows by which fast_hadamard_transform's hadamard_transform_12N, 20N, 28N and 40N rotate; or an m x m matrix on the
    device of ``x``, of up to 256 rows. Except for 1 and 12, these are not symmetric: the inverse is ``transposed``.

    16-bit values are computed in float32 and rounded once. The result has the type, device and order of dimensions of
    ``x``. On a GPU the work is queued on the current stream. Gradients flow of any order, also to a matrix.
    """
    plain = type(x) is _Tensor and not _is_compiling() and not _modes()
    if plain and type(base) is int and base == 1:
        out: torch.Tensor | None = _short(x, None, 0, scale)
        if out is not None:
            return out
    _check(x, base)
    if isinstance(base, torch.Tensor):
        return _by_matrix(x, base.T if transposed else base, scale)
    if plain and not (x.requires_grad and torch.is_grad_enabled()):
        return _hadamard(x, scale, base, transposed)  # the dispatcher would double the time of a short call
    result: torch.Tensor = torch.ops.fugu.hadamard(x, scale, base, transposed)
    return result


def hadamard_(
    x: torch.Tensor, scale: float = 1.0, *, base: int | torch.Tensor = 1, transposed: bool = False
) -> torch.Tensor:
    """hadamard() in place; returns ``x``, which is contiguous and needs no gradient."""
    if type(x) is _Tensor and type(base) is int and base == 1 and not _is_compiling() and not _modes():
        torch.autograd.graph.increment_version(x)  # tells a backward pass that kept x
        if _short(x, x, 0, scale) is not None:
            return x
    _check(x, base)
    if x.requires_grad and torch.is_grad_enabled():
        raise RuntimeError("x needs a gradient, which hadamard_() would lose; use hadamard()")
    if not x.is_contiguous():
        raise TypeError("x is not contiguous in memory; hadamard() takes it")
    if isinstance(base, torch.Tensor):
        return x.copy_(_by_matrix(x, base.T if transposed else base, scale))
    torch.ops.fugu.hadamard_(x, scale, base, transposed)
    return x


def _check(x: torch.Tensor, base: int | torch.Tensor) -> None:
    if x.dtype not in _TYPES:
        raise TypeError(f"x is of {x.dtype}; float16, bfloat16, float32 and float64 are possible; fugu.walsh() is for integers")
    rows = _rows_of(base) if isinstance(base, torch.Tensor) else base
    if rows not in _BASES and not isinstance(base, torch.Tensor):
        raise TypeError(f"base is {base}; 1, 12, 20, 28, 40 and square matrices are possible")
    size = x.shape[-1] if x.dim() else 0
    repeats = size // rows
    if repeats < 1 or size % rows or repeats & (repeats - 1):
        what = "a power of two; base= is for others" if rows == 1 else f"{rows} times a power of two"
        raise TypeError(f"x has a last dimension of {size}, which is not {what}")


def _rows_of(base: torch.Tensor) -> int:
    if base.dim() != 2 or base.shape[0] != base.shape[1] or not 1 <= base.shape[0] <= _MOST_ROWS:
        raise TypeError(f"base has shape {tuple(base.shape)}; a square matrix of up to {_MOST_ROWS} rows is needed")
    return int(base.shape[0])


def _by_matrix(x: torch.Tensor, base: torch.Tensor, scale: float) -> torch.Tensor:
    wide = torch.float32 if x.dtype.itemsize == 2 else x.dtype
    rows = base.shape[0]
    parts = x.to(wide).unflatten(-1, (rows, x.shape[-1] // rows))
    return hadamard(torch.ops.fugu.product(base.to(wide), parts), scale).flatten(-2).to(x.dtype)


def _product(matrix: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """``matrix @ x``, with products as exact as the type where PyTorch may round those of float32 to TF32 or bfloat16."""
    wide = torch.float64 if _may_round(torch.backends.cuda.matmul if x.is_cuda else torch.backends.mkldnn.matmul) else x.dtype
    return (matrix.to(wide) @ x.to(wide)).to(x.dtype)


def _may_round(backend: Any) -> bool:
    precision = getattr(backend, "fp32_precision", None)  # PyTorch 2.9 and newer has it; the older query may raise there
    return torch.get_float32_matmul_precision() != "highest" if precision is None else precision not in ("ieee", "none")


def _keep_factors(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _product_backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    matrix, x = ctx.saved_tensors
    of_matrix, of_x = ctx.needs_input_grad
    rows, columns = (tensor.movedim(-2, 0).flatten(1) for tensor in (gradient, x))
    product = torch.ops.fugu.product
    return product(rows, columns.T) if of_matrix else None, product(matrix.T, gradient) if of_x else None


@functools.cache
def _matrix(rows: int, transposed: bool, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    matrix = torch.tensor(_fugu.hadamard_base(rows), dtype=dtype, device=device)
    return matrix.T.contiguous() if transposed else matrix


def _hadamard(x: torch.Tensor, scale: float, base: int = 1, transposed: bool = False) -> torch.Tensor:
    run = _run if base == 1 else functools.partial(_run_base, base=base, transposed=transposed)
    if x.is_contiguous():
        out = torch.empty_like(x)
        run(x, out, scale)
        return out
    out = _empty_like(x)
    dense, out_rows = _rows(x), _rows(out)
    if dense is None or x.stride() != out.stride():
        out.copy_(x)
        dense = out_rows
    run(dense, out_rows, scale)
    return out


def _empty_like(x: torch.Tensor) -> torch.Tensor:
    """Like ``x``, and with neighbours in the last dimension."""
    return torch.empty_like(x) if x.stride(-1) == 1 else torch.empty_like(x, memory_format=torch.contiguous_format)


def _rows(x: torch.Tensor) -> torch.Tensor | None:
    """``x`` with its dimensions in the order of memory, or None if that leaves gaps."""
    if x.is_contiguous():
        return x
    order = sorted(range(x.dim() - 1), key=x.stride, reverse=True)
    moved = x.permute(*order, -1)
    return moved if moved.is_contiguous() else None


def _run(x: torch.Tensor, out: Any, scale: float) -> None:
    if x.numel() == 0:
        return
    n = x.shape[-1].bit_length() - 1
    if not x.is_cuda:
        _run_on_cpu(x.detach(), out.detach(), n, scale)
    elif x.shape[-1] == 1 or x.data_ptr() % 4 != 0:  # 16-bit rows are read in words of two
        out.copy_(x.double() * scale if x.shape[-1] == 1 else hadamard(x.clone(), scale))
    else:
        device = x.get_device()
        _fugu.gpu_walsh_at(
            x.data_ptr(), out.data_ptr(), x.numel(), _TYPES[x.dtype], n, 0, scale, device, _current_stream(device)
        )


def _run_on_cpu(x: torch.Tensor, out: torch.Tensor, n: int, scale: float) -> None:
    if x.dtype.itemsize == 2:  # what 16 bits do not hold becomes infinite, as in PyTorch's own operators
        bits = x.view(torch.int16).numpy(), out.view(torch.int16).numpy()
        _fugu.walsh_halves(*bits, x.dtype == torch.bfloat16, 0, n, scale)
        return
    walsh(x.numpy(), out=out.numpy())
    if scale != 1:
        out.mul_(scale)


def _run_base(x: torch.Tensor, out: Any, scale: float, base: int, transposed: bool) -> None:
    if x.numel() == 0 or (x.is_cuda and _run_kernel(x, out, scale, base, transposed)):
        return
    x = x.detach()
    wide = torch.float32 if x.dtype.itemsize == 2 else x.dtype
    out.copy_(_by_matrix(x, _matrix(base, transposed, wide, x.device), scale))


def _run_kernel(x: torch.Tensor, out: torch.Tensor, scale: float, base: int, transposed: bool) -> bool:
    """Whether the GPU has a kernel for such rows, which then computes them."""
    log2_size = (x.shape[-1] // base).bit_length() - 1
    aligned = (x.data_ptr() | out.data_ptr()) % (2 * x.element_size()) == 0
    if x.dtype == torch.float64 or not 1 <= log2_size <= _MOST_KERNEL_BITS or not aligned:
        return False
    given, to = (_fugu.GpuArray(tensor.data_ptr(), tensor.numel(), _TYPES[x.dtype]) for tensor in (x, out))
    place = _fugu.Place(x.get_device(), _current_stream(x.get_device()))
    return _fugu.gpu_hadamard_rows(given, to, base, transposed, log2_size, scale, place)


def _current_stream(device: int) -> int:
    stream: int = torch._C._cuda_getCurrentRawStream(device)  # a microsecond less than torch.cuda.current_stream()
    return stream or 1


def _in_place(x: torch.Tensor, scale: float, base: int = 1, transposed: bool = False) -> None:
    _run(x, x, scale) if base == 1 else _run_base(x, x, scale, base, transposed)


def _keep(ctx: Any, inputs: tuple[torch.Tensor, float, int, bool], output: torch.Tensor) -> None:
    _, ctx.scale, ctx.base, ctx.transposed = inputs


def _backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
    return torch.ops.fugu.hadamard(gradient, ctx.scale, ctx.base, not ctx.transposed), None, None, None


_ARGUMENTS = "x, float scale, int base=1, bool transposed=False"
torch.library.define("fugu::hadamard", f"(Tensor {_ARGUMENTS}) -> Tensor")
torch.library.define("fugu::hadamard_", f"(Tensor(a!) {_ARGUMENTS}) -> ()")
torch.library.define("fugu::product", "(Tensor matrix, Tensor x) -> Tensor")
for _device in ("CPU", "CUDA"):
    torch.library.impl("fugu::hadamard", _device)(_hadamard)
    torch.library.impl("fugu::hadamard_", _device)(_in_place)
    torch.library.impl("fugu::product", _device)(_product)
torch.library.register_fake("fugu::hadamard")(lambda x, scale, base=1, transposed=False: _empty_like(x))
torch.library.register_fake("fugu::hadamard_")(lambda x, scale, base=1, transposed=False: None)
torch.library.register_fake("fugu::product")(lambda matrix, x: matrix @ x)
torch.library.register_autograd("fugu::hadamard", _backward, setup_context=_keep)
torch.library.register_autograd("fugu::product", _product_backward, setup_context=_keep_factors)
