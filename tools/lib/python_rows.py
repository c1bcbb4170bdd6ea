"""The rows of tools/peers that Python computes: arrays by fugu and by the transforms of others, and S-boxes by Sage and sboxU. A
new row is one line of PYTHON_ROWS or of BOX_PEERS."""

from typing import NamedTuple

# Python: rows {engine, mode, sizes, preparation, call}. The name `n` is log2 of a row's size; `check(y)` compares with the definition.

PRELUDE = """\
import sys, time
import numpy as np
n = int(sys.argv[1])
def aligned(dtype):  # as fugu_bench has it: if vectors cross cache lines, transforms take longer
    whole = np.zeros((1 << n) + 1024, dtype)
    return whole[-whole.ctypes.data % 4096 // whole.itemsize :][: 1 << n]
def rows(dtype, values=28):
    import torch
    torch.manual_seed(0)
    return torch.randn(1 << values - n, 1 << n, device="cuda").to(getattr(torch, dtype))
def check(y):  # the first row, unscaled, within the roundings of 16 bits
    want = x[0].double().cpu().numpy()
    for step in range(n):
        a = want.reshape(-1, 2, 1 << step)
        want = np.stack([a[:, 0] + a[:, 1], a[:, 0] - a[:, 1]], 1).reshape(-1)
    got = y[0].double().cpu().numpy()
    error = min(np.abs(got * scale - want).max() for scale in (1, np.sqrt(len(want))))  # HadaCore divides by the root
    assert error <= np.abs(want).max() / 30, "wrong values"
def seconds(call, calls, on_gpu):
    call()
    if on_gpu:
        import torch
        torch.cuda.synchronize()
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls): call()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) / 1e3 / calls
    begin = time.process_time()
    for _ in range(calls): call()
    return (time.process_time() - begin) / calls
"""
MEASURE = """
on_gpu = not isinstance(x, np.ndarray)
for _ in range(int(sys.argv[2])): print(seconds(lambda: {call}, {calls}, on_gpu), x.nbytes)
"""


class PythonRow(NamedTuple):
    engine: str
    mode: str
    sizes: dict[int, int]  # {n: calls per sample}
    prepare: str
    call: str


SMALL_AND_LARGE = {10: 20000, 24: 10}
HADAMARD = dict.fromkeys(range(1, 16), 5)
PYTHON_ROWS = [
    PythonRow("python", "walsh int32 in place", SMALL_AND_LARGE, "import fugu; x = aligned(np.int32)", "fugu.walsh(x, out=x)"),
    PythonRow("python", "walsh int32", SMALL_AND_LARGE, "import fugu; x = aligned(np.int32)", "fugu.walsh(x)"),
    PythonRow("python", "walsh rows float32", HADAMARD, "import fugu, torch; x = rows('float32', 27); y = x.clone()", "fugu.walsh(x, out=y)"),
    *(row for dtype in ("float16", "bfloat16") for row in (
        PythonRow("copy", f"hadamard {dtype}", HADAMARD, f"import torch; x = rows('{dtype}'); y = torch.empty_like(x)", "y.copy_(x)"),
        PythonRow("fugu", f"hadamard {dtype}", HADAMARD, f"import fugu.torch; x = rows('{dtype}'); check(fugu.torch.hadamard(x))", "fugu.torch.hadamard(x)"),
        PythonRow("Dao", f"hadamard {dtype}", HADAMARD, f"from fast_hadamard_transform import hadamard_transform as h; x = rows('{dtype}'); check(h(x))", "h(x)"),
        PythonRow("HadaCore", f"hadamard {dtype}", HADAMARD, f"from faster_hadamard_transform import hadamard_transform as h; x = rows('{dtype}'); check(h(x.clone(), inplace=True))", "h(x, inplace=True)"),
    )),
]  # fmt: skip

# S-boxes: expressions of `box`, a list of values; a new object per call, since Sage caches the tables of an old one.

FIELDS = ["linearity", "du", "deg"]
BOX_PEERS = {
    "Sage": ("""
import importlib
for part in ("sage.all__sagemath_modules", "sage.all__sagemath_brial"):
    try:
        importlib.import_module(part)
    except ModuleNotFoundError:
        import sage.all
from sage.crypto.sbox import SBox
""", {"linearity": "SBox(box).linearity()", "du": "SBox(box).differential_uniformity()", "deg": "SBox(box).max_degree()"}),
    "sboxU": ("from sage.all import *\nfrom sboxUv2 import *", {
        "linearity": "walsh_spectrum(Sb(box)).maximum()", "du": "differential_spectrum(Sb(box)).maximum()"}),
}  # fmt: skip
BOX_CODE = """
import sys, time
{imports}
boxes = [list(bytes.fromhex(line)) for line in sys.stdin]
value = lambda box: {expression}
value(boxes[0])
begin = time.process_time()
values = [int(value(box)) for box in boxes]
print(time.process_time() - begin, *values)
"""
PEER_BOXES, FUGU_BOXES = 10, 10000  # of a sample; the first of them are the same
