"""The rows of tools/peers that Python computes: arrays by fugu and by the transforms of others, and S-boxes by Sage and sboxU. A
new row is one line of TENSOR_ROWS, of SAGE or of BOX_PROGRAMS."""

from typing import NamedTuple

# Python: rows {engine, mode, sizes, preparation, call}. Rows of one mode take turns, all in one process. The name `n` is log2 of a
# row's size, or of its repeats of m values. `result`: the transform of `x` divided by the square root of its size, whose errors are
# taken; a row whose values are wrong is left out.

PRELUDE = """
import numpy as np
import torch
m = 1
def rows(dtype, values=28):
    torch.manual_seed(0)
    return torch.randn(max(1, (1 << values) // (m << n)), m << n, device="cuda").to(getattr(torch, dtype))
def exact(x):
    from fugu import _fugu
    want = x.double().reshape(-1, m, 1 << n)
    if m > 1:
        want = torch.tensor(_fugu.hadamard_base(m), dtype=want.dtype, device=want.device) @ want
    for step in range(n):
        pairs = want.reshape(-1, 2, 1 << step)
        want = torch.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], 1)
    return want.reshape(x.shape) * (m << n) ** -0.5
def errors(y, rows):  # in ulps; results have a variance of 1, and ulps below 1/8 count as those there
    want = exact(x[:rows])
    digits = 11 if y.dtype.itemsize == 2 and "bf" not in str(y.dtype) else 8 if y.dtype.itemsize == 2 else 24
    ulp = 2.0 ** (np.floor(np.log2(np.maximum(want.abs().cpu().numpy(), 1 / 8))) + 1 - digits)
    found = np.abs(y[:rows].double().cpu().numpy() - want.cpu().numpy()) / ulp
    return found.max(), found.mean()
def seconds(call, calls):
    call()
    torch.cuda.synchronize()
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(calls): call()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) / 1e3 / calls
"""
RUN = """
import itertools, json, sys
prelude, rows, rounds = json.load(sys.stdin)
def prepared(i, n, calls, prepare, call, result):
    space = {"n": n, "calls": calls}
    exec(prelude + prepare, space)
    if result:
        y = eval(result, space)
        largest, mean = space["errors"](y, max(1, (1 << 18) // y.shape[-1]))
        assert largest < 1000, f"wrong values: {largest} ulps"
        print("erred", i, n, largest, mean)
    space["work"] = eval("lambda: " + call, space)
    return space
for mode, of_mode in itertools.groupby(enumerate(rows), key=lambda row: row[1][0]):
    of_mode = [(i, dict(sizes), work) for i, (_, sizes, *work) in of_mode]
    for n in sorted({n for _, sizes, _ in of_mode for n in sizes}):
        spaces = {}
        for i, sizes, work in of_mode:
            try:
                if n in sizes: spaces[i] = prepared(i, n, sizes[n], *work)
            except Exception as error:
                print("failed", i, n, f"{type(error).__name__}: {error}".splitlines()[0])
        for sample in range(rounds):
            for i, space in spaces.items():
                print("took", i, n, sample, space["seconds"](space["work"], space["calls"]), space["x"].nbytes, flush=True)
"""


class PythonRow(NamedTuple):
    engine: str
    mode: str
    sizes: dict[int, int]  # {n: calls per sample}
    prepare: str
    call: str
    result: str = ""


ROWS_OF = dict.fromkeys((1, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15), 5)
LONG_ROWS = dict.fromkeys(range(16, 21), 5)
REPEATS = dict.fromkeys((4, 6, 7, 8, 9, 10), 5)
SHORT_CALLS = {10: 2000}

DAO = "from fast_hadamard_transform.fast_hadamard_transform_interface import hadamard_transform{} as h"
HADACORE = "from faster_hadamard_transform import hadamard_transform as h"
ROOT = "(m << n) ** -0.5"


def tensor_rows(mode: str, dtype: str, sizes: dict[int, int], m: int, peers: bool, values: int = 28) -> list[PythonRow]:
    """fugu, its peers and a copy."""
    x = f"; m = {m}; x = rows('{dtype}', {values})"
    base = f", base={m}" if m > 1 else ""
    rows = [
        PythonRow("copy", mode, sizes, f"import torch{x}; y = torch.empty_like(x)", "y.copy_(x)"),
        PythonRow("fugu", mode, sizes, f"import fugu.torch{x}", f"fugu.torch.hadamard(x{base})", f"fugu.torch.hadamard(x, {ROOT}{base})"),
    ]
    if peers:
        rows.append(PythonRow("Dao", mode, sizes, DAO.format(f"_{m}N" if m > 1 else "") + x, "h(x)", f"h(x, {ROOT})"))
    if peers and m == 1 and dtype != "float32":  # divides by the root of its own accord
        rows.append(PythonRow("HadaCore", mode, sizes, HADACORE + x, "h(x, inplace=True)", "h(x.clone(), inplace=True)"))
    return rows


TENSOR_ROWS = [
    *(row for dtype in ("float16", "bfloat16") for row in tensor_rows(f"hadamard {dtype}", dtype, ROWS_OF, 1, True)),
    *tensor_rows("hadamard float16, long rows", "float16", LONG_ROWS, 1, False),
    *(row for m in (12, 20, 28, 40) for row in tensor_rows(f"hadamard float16 {m} x", "float16", REPEATS, m, True)),
    *tensor_rows("hadamard bfloat16 28 x", "bfloat16", REPEATS, 28, True),
    *tensor_rows("hadamard float32", "float32", ROWS_OF, 1, True, 27),
    *tensor_rows("hadamard float32 28 x", "float32", REPEATS, 28, True, 27),
    *tensor_rows("call float16", "float16", SHORT_CALLS, 1, True, 10),
    PythonRow("HadaCore out of place", "call float16", SHORT_CALLS, HADACORE + "; x = rows('float16', 10)", "h(x)"),
    PythonRow("fugu in place", "call float16", SHORT_CALLS, "import fugu.torch; x = rows('float16', 10)", f"fugu.torch.hadamard_(x, {ROOT})"),
    *(PythonRow(f"fugu.{call}", "call float32", SHORT_CALLS, "import fugu; x = rows('float32', 10)", f"fugu.{call}(x)")
      for call in ("walsh", "inverse_walsh")),
    *(PythonRow(f"fugu.{call}", "call CuPy float32", SHORT_CALLS, "import cupy, fugu; x = cupy.ones(1 << n, cupy.float32)", f"fugu.{call}(x)")
      for call in ("walsh", "inverse_walsh")),
]  # fmt: skip

# S-boxes: expressions of `box`, a list of values; a new object per call, since Sage caches the tables of an old one.

FIELDS = ["linearity", "du", "deg", "du <= 8", "affine equivalence"]  # of the last, pairs of permutations
SAGE = {"linearity": "SBox(box).linearity()", "du": "SBox(box).differential_uniformity()", "deg": "SBox(box).max_degree()"}
SAGE_CODE = """
import importlib, sys, time
for part in ("sage.all__sagemath_modules", "sage.all__sagemath_brial"):
    try:
        importlib.import_module(part)
    except ModuleNotFoundError:
        import sage.all
from sage.crypto.sbox import SBox
boxes = [list(bytes.fromhex(line)) for line in sys.stdin]
value = lambda box: {expression}
value(boxes[0])
begin = time.process_time()
values = [int(value(box)) for box in boxes]
print(time.process_time() - begin, *values)
"""
# The same by fugu, all boxes at once.
FUGU_AT_MOST = """
import sys, time, numpy, fugu
boxes = numpy.array([list(bytes.fromhex(line)) for line in sys.stdin], numpy.uint8)
fugu.sboxes(boxes[:1]).uniformity_at_most(8)
begin = time.process_time()
values = fugu.sboxes(boxes).uniformity_at_most(8)
print(time.process_time() - begin, *map(int, values))
"""

# What peer_boxes.cpp is compiled with, by peer: options, files of the peer's checkout; and the fields that it then has.
BOX_PROGRAMS = {
    "sboxU": ("-std=c++20 -fopenmp -Wno-narrowing -w", "sboxU/cpp", [
        "core/*.cpp", "statistics/linear.cpp", "statistics/differential.cpp", "ccz/linear_equivalence.cpp",
        "ccz/linear_representative.cpp"], ["linearity", "du", "du <= 8", "affine equivalence"]),
    "PEIGEN": ("-std=c++17 -fopenmp -w -DPEIGEN", ".", [], ["linearity", "du", "deg"]),
}  # fmt: skip
SOME, MANY = 10, 10000  # boxes of a sample, by subjects that take milliseconds per box, and by others
