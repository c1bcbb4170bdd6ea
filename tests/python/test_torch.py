"""fugu.torch: the Hadamard transform as an operator of PyTorch, against x @ H in float64."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
import fugu.torch  # noqa: E402
from conftest import refused  # noqa: E402

HALVES = [torch.float16, torch.bfloat16]
ONE = torch.ones(1, 1)
BASES = [12, 20, 28, 40]
TYPES = [*HALVES, torch.float32, torch.float64]


def missing_gpu() -> str:
    """Why this build of the package cannot work on PyTorch's GPU; empty if it can."""
    if not torch.cuda.is_available():
        return "PyTorch sees no CUDA GPU"
    try:
        fugu.walsh(torch.ones(2, device="cuda"))
    except fugu.EngineError as error:
        return str(error)
    return ""


WITHOUT_GPU = "" if os.environ.get("FUGU_REQUIRE_GPU") else missing_gpu()
needs_gpu = pytest.mark.skipif(bool(WITHOUT_GPU), reason=WITHOUT_GPU or "a GPU is there")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_gpu)]
# Of the last result's rounding, and of n additions of float32 or float64.
ULP = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float32: 2.0**-24, torch.float64: 2.0**-53}


def published(rows: int) -> Any:
    """The matrix, which tests/core/core_test.cpp compares with the published one."""
    return torch.tensor(fugu._fugu.hadamard_base(rows), dtype=torch.float64)


def product(x: Any, scale: float = 1.0, base: Any = ONE) -> Any:
    """x @ H.T * scale in float64, H being the product of the base and of the factors [[1, 1], [1, -1]]."""
    wide = x.double().cpu()
    rows = base.shape[0]
    n = (wide.shape[-1] // rows).bit_length() - 1
    factor = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    parts = wide.reshape(-1, rows, *([2] * n))
    for axis in range(1, n + 2):
        matrix = factor if axis > 1 else base.double().cpu()
        parts = torch.tensordot(parts, matrix, dims=([axis], [1])).movedim(-1, axis)
    return parts.reshape(wide.shape) * scale


def expect_close(result: Any, x: Any, scale: float = 1.0, base: Any = ONE) -> None:
    """Within half an ulp of the type plus the error of sums in float32 or float64, as large as the sum of magnitudes."""
    right = product(x, scale, base)
    n = x.shape[-1].bit_length() + base.shape[0] - 2
    sums = x.double().abs().cpu().sum(-1, keepdim=True) * abs(scale)
    inner = 2.0**-53 if x.dtype == torch.float64 else 2.0**-24
    smallest = 2.0**-25 if x.dtype == torch.float16 else 0.0
    bound = right.abs() * ULP[x.dtype] * 1.001 + sums * inner * (n + 2) + smallest
    error = (result.double().cpu() - right).abs()
    assert bool((error <= bound).all()), f"{error.max()} {x.shape} {x.dtype}"


def values(shape: tuple[int, ...], dtype: Any, device: str, seed: int = 0) -> Any:
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype).to(device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", TYPES)
def test_equals_the_product_with_the_matrix(device: str, dtype: Any) -> None:
    for n in range(21 if device == "cuda" else 13):
        rows = max(3, 5000 >> n) if n < 17 else 1
        x = values((rows, 1 << n), dtype, device)
        before = x.clone()
        expect_close(fugu.torch.hadamard(x, 2.0 ** (-n / 2)), x, 2.0 ** (-n / 2))
        assert torch.equal(x, before)
        assert torch.equal(fugu.torch.hadamard_(x, 0.5), fugu.torch.hadamard(before, 0.5))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("rows", BASES)
def test_rows_of_m_times_a_power_of_two(device: str, dtype: Any, rows: int) -> None:
    base = published(rows)
    for k in range(12 if device == "cuda" else 8):
        x = values((max(3, 20000 // rows >> k), rows << k), dtype, device)
        before = x.clone()
        expect_close(fugu.torch.hadamard(x, 0.125, base=rows), x, 0.125, base)
        assert torch.equal(x, before)
        expect_close(fugu.torch.hadamard(x, 0.5, base=rows, transposed=True), x, 0.5, base.T)
        rotated = fugu.torch.hadamard(x.double(), 1 / x.shape[-1], base=rows)
        torch.testing.assert_close(fugu.torch.hadamard_(rotated, base=rows, transposed=True), x.double(), rtol=1e-12, atol=1e-12)
        assert torch.equal(fugu.torch.hadamard_(x, 0.5, base=rows), fugu.torch.hadamard(before, 0.5, base=rows))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("rows", [1, 3, 172, 256])
def test_rows_by_a_given_matrix(device: str, dtype: Any, rows: int) -> None:
    base = values((rows, rows), torch.float64, device, 1).sign().to(dtype)
    for k in (0, 1, 6, 9):
        x = values((5, rows << k), dtype, device)
        expect_close(fugu.torch.hadamard(x, 0.25, base=base), x, 0.25, base)
        expect_close(fugu.torch.hadamard(x, 0.25, base=base, transposed=True), x, 0.25, base.T)
        expect_close(fugu.torch.hadamard_(x.clone(), 0.25, base=base, transposed=True), x, 0.25, base.T)


@pytest.fixture(params=["high", "medium", "the newer setting"])
def rounding(request: pytest.FixtureRequest) -> Iterator[None]:
    """PyTorch rounds the factors of float32 products to 11 or 8 bits, where the machine has units for it."""
    backends = torch.backends.cuda.matmul, torch.backends.mkldnn.matmul
    if request.param != "the newer setting":
        torch.set_float32_matmul_precision(request.param)
        yield
        torch.set_float32_matmul_precision("highest")
        return
    if not hasattr(backends[0], "fp32_precision"):
        pytest.skip(f"PyTorch {torch.__version__} has no fp32_precision")
    before = [backend.fp32_precision for backend in backends]
    backends[0].fp32_precision, backends[1].fp32_precision = "tf32", "bf16"
    yield
    for backend, precision in zip(backends, before, strict=True):
        backend.fp32_precision = precision


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_products_are_not_rounded(device: str, dtype: Any, rounding: None) -> None:
    base = values((172, 172), torch.float32, device, 1)
    x = values((64, 172 << 6), dtype, device)
    result = fugu.torch.hadamard(x, 0.25, base=base)
    right = product(x, 0.25, base)
    bound = right.abs() * ULP[dtype] * 1.001 + product(x.abs(), 0.25, base.abs())[..., :1] * 2.0**-24 * 180
    assert bool(((result.double().cpu() - right).abs() <= bound).all())
    assert torch.equal(torch.compile(lambda t: fugu.torch.hadamard(t, 0.25, base=base), fullgraph=True, backend="eager")(x), result)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rows", BASES)
def test_gradients_of_rows_of_m_times_a_power_of_two(device: str, rows: int) -> None:
    x = values((1, rows), torch.float64, device).requires_grad_()
    matrix = values((3, 3), torch.float64, device).requires_grad_()
    assert torch.autograd.gradcheck(lambda t: fugu.torch.hadamard(t, 0.25, base=rows), (x,))
    if rows == 12:
        assert torch.autograd.gradgradcheck(lambda t: fugu.torch.hadamard(t, 0.25, base=12).pow(2), (x,))
        assert torch.autograd.gradcheck(lambda t, b: fugu.torch.hadamard(t, 0.25, base=b), (x[:, :6], matrix))
        assert torch.autograd.gradgradcheck(lambda t, b: fugu.torch.hadamard(t, 0.25, base=b), (x[:, :6], matrix))
    for dtype in (torch.bfloat16, torch.float32):
        y = values((4, rows << 5), dtype, device).requires_grad_()
        weights = values((4, rows << 5), dtype, device, 2)
        gradient = torch.autograd.grad((fugu.torch.hadamard(y, 0.25, base=rows) * weights).sum(), y)[0]
        expect_close(gradient, weights, 0.25, published(rows).T)


@needs_gpu
@pytest.mark.parametrize("rows", BASES)
@pytest.mark.parametrize("dtype", [*HALVES, torch.float32])
def test_equals_the_peers_rows_value_by_value(rows: int, dtype: Any) -> None:
    module = "fast_hadamard_transform.fast_hadamard_transform_interface"
    theirs = getattr(pytest.importorskip(module, reason="fast_hadamard_transform is not installed"), f"hadamard_transform_{rows}N")
    for k in range(3, 11):  # the peer pads rows that are shorter
        x = torch.randint(-3, 4, (7, rows << k), device="cuda").to(dtype)  # every sum of float32 is exact
        assert torch.equal(fugu.torch.hadamard(x, 0.5, base=rows), theirs(x.clone(), 0.5)), k


@pytest.mark.parametrize("dtype", HALVES)
def test_16_bit_values_are_rounded_once(dtype: Any) -> None:
    x = values((64, 4096), dtype, "cpu")
    exact = torch.randint(-8, 9, (64, 4096)).to(dtype)  # every sum of float32 is exact
    assert torch.equal(fugu.torch.hadamard(exact), product(exact).to(torch.float32).to(dtype))
    assert fugu.torch.hadamard(x).dtype == dtype


@needs_gpu
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("n", range(1, 22))
def test_16_bit_values_on_a_gpu_are_rounded_once(dtype: Any, n: int) -> None:
    for rows in (1, 2, 3, 131, 265):
        if rows << n > 1 << 24:
            continue
        x = torch.randint(-4, 5, (rows, 1 << n), device="cuda").to(dtype)  # every sum of float32 is exact
        right = fugu.walsh(x.to(torch.int32)).to(torch.float32).to(dtype)
        assert torch.equal(fugu.torch.hadamard(x), right), rows
        assert torch.equal(fugu.torch.hadamard(x, 2.0**-5), (fugu.walsh(x.to(torch.int32)).double() * 2.0**-5).to(dtype))


@pytest.mark.parametrize("device", DEVICES)
def test_gradients(device: str) -> None:
    x = values((3, 16), torch.float64, device).requires_grad_()
    assert torch.autograd.gradcheck(lambda t: fugu.torch.hadamard(t, 0.25), (x,))
    assert torch.autograd.gradgradcheck(lambda t: fugu.torch.hadamard(t, 0.25).pow(2), (x,))
    refused(RuntimeError, "gradient", fugu.torch.hadamard_, x)
    kept = values((3, 16), torch.float64, device)
    product_with = x * kept
    fugu.torch.hadamard_(kept)
    refused(RuntimeError, "modified by an inplace operation", product_with.sum().backward)
    with torch.no_grad():
        assert not fugu.torch.hadamard(x).requires_grad


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_is_an_operator(device: str, dtype: Any) -> None:
    for x in (values((3, 16), dtype, device), values((4, 3, 8), dtype, device).transpose(0, 1)):
        torch.library.opcheck(torch.ops.fugu.hadamard.default, (x, 0.5))
        torch.library.opcheck(torch.ops.fugu.hadamard.default, (x.clone().requires_grad_(), 0.5))
    torch.library.opcheck(torch.ops.fugu.hadamard_.default, (values((3, 16), dtype, device), 0.5))
    for transposed in (False, True):
        of_rows = (values((3, 80), dtype, device), 0.5, 20, transposed)
        torch.library.opcheck(torch.ops.fugu.hadamard.default, (of_rows[0].clone().requires_grad_(), *of_rows[1:]))
        torch.library.opcheck(torch.ops.fugu.hadamard_.default, of_rows)


@pytest.mark.parametrize("device", DEVICES)
def test_every_layout(device: str) -> None:
    base = values((4, 6, 5, 32), torch.float32, device)
    for x in (base, base.transpose(0, 2), base[:, 1:4], base[..., :16], base.movedim(-1, 0)[:16].movedim(0, -1), base[:0],
              base.transpose(-1, 0)[..., :4], base[0, 0, 0]):
        result = fugu.torch.hadamard(x)
        assert result.shape == x.shape and result.dtype == x.dtype and result.device == x.device
        expect_close(result, x)
        assert torch.equal(torch.ops.fugu.hadamard(x, 1.0), result)
    assert fugu.torch.hadamard(base.transpose(0, 2)).stride() == base.transpose(0, 2).stride()
    odd = values((2 * 64 + 1,), torch.bfloat16, device)[1:].view(2, 64)  # not at a multiple of 4 bytes
    expect_close(fugu.torch.hadamard(odd), odd)
    for dtype in (torch.bfloat16, torch.float32):
        odd = values((2 * 96 + 1,), dtype, device)[1:].view(2, 96)  # not at a multiple of two values' bytes
        expect_close(fugu.torch.hadamard(odd, base=12), odd, 1, published(12))
        x = values((4, 3, 5, 24), dtype, device)
        for layout in (x.transpose(0, 2), x[:, 1:], x[..., :12], x.movedim(-1, 0)[:12].movedim(0, -1), x[:0]):
            result = fugu.torch.hadamard(layout, base=12)
            assert result.shape == layout.shape
            expect_close(result, layout, 1, published(12))


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_refused(device: str) -> None:
    for wrong in (torch.zeros(12, device=device), torch.zeros((), device=device), torch.zeros(8, dtype=torch.int32, device=device)):
        refused(TypeError, "", fugu.torch.hadamard, wrong)
    x = torch.zeros(24, device=device)
    for base in (2, 24, 28, torch.zeros(3, 4, device=device), torch.zeros(3, device=device), torch.zeros(257, 257, device=device)):
        refused(TypeError, "", fugu.torch.hadamard, x, base=base)
    refused(TypeError, "24, which is not a power of two; base= is for others", fugu.torch.hadamard, x)
    refused(TypeError, "24, which is not 20 times a power of two", fugu.torch.hadamard, x, base=20)
    refused(TypeError, "contiguous", fugu.torch.hadamard_, torch.zeros(8, 8, device=device).t())


@needs_gpu
@pytest.mark.parametrize("base", [1, 20, "a matrix"])
def test_compiled(base: Any) -> None:
    weight = values((160, 64), torch.float32, "cuda")[: 64 if base == 1 else 160]
    rows = values((5, 5), torch.float32, "cuda").sign() if base == "a matrix" else base

    def layer(x: Any) -> Any:
        return fugu.torch.hadamard(x, 0.125, base=rows) @ weight

    x = values((10, weight.shape[0]), torch.float32, "cuda")
    compiled = torch.compile(layer, fullgraph=True)
    torch.testing.assert_close(compiled(x), layer(x))
    x.requires_grad_()
    compiled(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.autograd.grad(layer(x).sum(), x)[0])


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32])
def test_captured_in_a_graph(dtype: Any) -> None:
    for n in (5, 12, 14, 15, 16, 18):
        x = torch.zeros((3, 1 << n), dtype=dtype, device="cuda")
        call = fugu.walsh if dtype == torch.int32 else fugu.torch.hadamard
        call(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = call(x)
        x.copy_(torch.randint(-4, 5, x.shape, device="cuda").to(dtype))
        graph.replay()
        assert torch.equal(result, call(x)), n


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("k", [0, 7, 10, 11])
def test_rows_of_m_times_a_power_of_two_in_a_graph(dtype: Any, k: int) -> None:
    x = torch.zeros((3, 28 << k), dtype=dtype, device="cuda")
    fugu.torch.hadamard(x, base=28)  # the products' matrix, and PyTorch's own state, are made once
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = fugu.torch.hadamard(x, base=28)
    x.copy_(torch.randint(-4, 5, x.shape, device="cuda").to(dtype))
    graph.replay()
    assert torch.equal(result, fugu.torch.hadamard(x, base=28))


@needs_gpu
def test_goes_by_the_current_stream() -> None:
    x = torch.ones((1 << 14, 1 << 12), device="cuda")
    torch.cuda.synchronize()
    streams = torch.cuda.Stream(), torch.cuda.Stream()
    results = []
    for stream in streams:
        with torch.cuda.stream(stream):
            results.append(fugu.torch.hadamard(x.mul(2), 0.5))
    torch.cuda.synchronize()
    for result in results:
        assert bool((result[:, 0] == 4096).all()) and not result[:, 1:].any()


def test_the_pages_example() -> None:
    page = pathlib.Path(__file__).parents[2] / "src" / "python" / "HADAMARD.md"
    code = page.read_text().partition("```python\n")[2].partition("```")[0]
    exec(compile(code, str(page), "exec"), {})
