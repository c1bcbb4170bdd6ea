"""The Hadamard transform as an operator of PyTorch, with gradients, for ``torch.compile`` and CUDA graphs.

``import fugu.torch`` needs PyTorch; the rest of the package does not.
"""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from . import _fugu
from ._transforms import walsh

__all__ = ["hadamard", "hadamard_"]

_TYPES = {torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float32: "float32", torch.float64: "float64"}


def hadamard(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """``scale`` times the Hadamard transform of the last dimension: ``x @ H * scale``.

    ``x``: shape (..., 2^n), of float16, bfloat16, float32 or float64, on the CPU or a CUDA GPU. H is the symmetric
    matrix of +1 and -1 with H[i, j] = (-1)^popcount(i & j), so that ``scale=2 ** (-n / 2)`` makes the transform its own
    inverse. 16-bit values are computed in float32 and rounded once. The result has the type, device and order of
    dimensions of ``x``. On a GPU the work is queued on the current stream. Gradients flow of any order.
    """
    _check(x)
    if type(x) is torch.Tensor and not torch.compiler.is_compiling() and not _is_watched(x):
        return _hadamard(x, scale)  # the dispatcher would double the time of a short call
    result: torch.Tensor = torch.ops.fugu.hadamard(x, scale)
    return result


def hadamard_(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """hadamard() in place; returns ``x``, which is contiguous and needs no gradient."""
    _check(x)
    if x.requires_grad and torch.is_grad_enabled():
        raise RuntimeError("x needs a gradient, which hadamard_() would lose; use hadamard()")
    if not x.is_contiguous():
        raise TypeError("x is not contiguous in memory; hadamard() takes it")
    torch.ops.fugu.hadamard_(x, scale)
    return x


def _check(x: torch.Tensor) -> None:
    if x.dtype not in _TYPES:
        raise TypeError(f"x is of {x.dtype}; float16, bfloat16, float32 and float64 are possible; fugu.walsh() is for integers")
    size = x.shape[-1] if x.dim() else 0
    if size < 1 or size & (size - 1):
        raise TypeError(f"x has a last dimension of {size}, which is not a power of two")


def _is_watched(x: torch.Tensor) -> bool:
    """Whether autograd, or a mode such as that of fake tensors, has to see the call."""
    return bool((x.requires_grad and torch.is_grad_enabled()) or torch._C._len_torch_dispatch_stack() > 0)


def _hadamard(x: torch.Tensor, scale: float) -> torch.Tensor:
    if x.is_contiguous():
        out = torch.empty_like(x)
        _run(x, out, scale)
        return out
    out = _empty_like(x)
    dense, out_rows = _rows(x), _rows(out)
    if dense is None or x.stride() != out.stride():
        out.copy_(x)
        dense = out_rows
    _run(dense, out_rows, scale)
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
    if not x.is_cuda:
        wide = walsh(x.detach().to(torch.float32 if x.element_size() == 2 else x.dtype).numpy(), scale=scale)
        out.copy_(torch.from_numpy(wide))
    elif x.shape[-1] == 1 or x.data_ptr() % 4 != 0:  # 16-bit rows are read in words of two
        out.copy_(x.double() * scale if x.shape[-1] == 1 else hadamard(x.clone(), scale))
    else:
        device, n = x.get_device(), x.shape[-1].bit_length() - 1
        stream = torch._C._cuda_getCurrentRawStream(device) or 1  # a microsecond less than torch.cuda.current_stream()
        _fugu.gpu_hadamard(x.data_ptr(), out.data_ptr(), x.numel(), _TYPES[x.dtype], n, scale, device, stream)


def _in_place(x: torch.Tensor, scale: float) -> None:
    _run(x, x, scale)


def _keep_scale(ctx: Any, inputs: tuple[torch.Tensor, float], output: torch.Tensor) -> None:
    ctx.scale = inputs[1]


def _backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
    return torch.ops.fugu.hadamard(gradient, ctx.scale), None  # H is symmetric


torch.library.define("fugu::hadamard", "(Tensor x, float scale) -> Tensor")
torch.library.define("fugu::hadamard_", "(Tensor(a!) x, float scale) -> ()")
for _device in ("CPU", "CUDA"):
    torch.library.impl("fugu::hadamard", _device)(_hadamard)
    torch.library.impl("fugu::hadamard_", _device)(_in_place)
torch.library.register_fake("fugu::hadamard")(lambda x, scale: _empty_like(x))
torch.library.register_fake("fugu::hadamard_")(lambda x, scale: None)
torch.library.register_autograd("fugu::hadamard", _backward, setup_context=_keep_scale)
