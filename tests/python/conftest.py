"""What the tests of the Python package share.

Expected values were computed outside this project (vectors/, SageMath's documentation) or come from the definitions
in NumPy. FUGU_PROGRAM names the built program, whose output must equal the package's byte for byte.
"""

from __future__ import annotations

import io
import os
import pathlib
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fugu

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "vectors"
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import sbox_support  # noqa: E402 - what the tests of the program share

Program = Callable[..., bytes]
PRESENT = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2]


def refused(kind: Any, says: str, call: Callable[..., object], /, *arguments: Any, **options: Any) -> None:
    """The call raises an error of the kind, whose text has what this regular expression says."""
    with pytest.raises(kind, match=says):
        call(*arguments, **options)


def run_alone(code: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs the code in a process of its own."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code)]  # a fork with threads warns
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def output_alone(code: str, timeout: int) -> str:
    done = run_alone(code, timeout=timeout)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def program(tmp_path: pathlib.Path) -> Program:
    """Runs the program in an empty directory and returns what it writes to standard output."""
    path = os.environ.get("FUGU_PROGRAM")
    if not path:
        pytest.skip("FUGU_PROGRAM does not name the built program")

    def run(*arguments: str, stdin: bytes = b"") -> bytes:
        done = subprocess.run([path, *arguments], input=stdin, capture_output=True, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    return run


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(20260131)


def records(name: str) -> list[dict[str, str]]:
    """The rows of a file of vectors/ as dicts, with the names in its line '# record: ...'."""
    return list(sbox_support.records(VECTORS / name))


def lines(name: str) -> list[list[str]]:
    """The fields of each row of a file of vectors/sbox/."""
    return [line.split("|") for line in (VECTORS / "sbox" / name).read_text().splitlines() if not line.startswith("#")]


def histogram_of(text: str) -> dict[int, int]:
    """'-4:3,0:5' as a dict."""
    return {int(value): int(count) for value, count in (pair.split(":") for pair in text.split(","))}


def check_power_map(record: dict[str, str], **options: str) -> fugu.SBox:
    """Compares the box of a row of vectors/sbox/powers.txt. The rows of its DDT are permutations of row 1."""
    n = int(record["n"])
    box = fugu.SBox.named(f"power:{n}:{record['d']}:{record['modulus']}", **options)
    for column, name in (("du", "du"), ("linearity", "linearity"), ("nl", "nl"), ("ac", "absac")):
        assert box._session.value(column) == int(record[name]), record
    magnitudes: Counter[int] = Counter()
    for value, count in box.walsh_histogram.items():
        magnitudes[abs(value)] += count
    assert magnitudes == histogram_of(record["abswalsh"])
    assert box.ddt_histogram == {value: count * (2**n - 1) for value, count in histogram_of(record["ddt row 1"]).items()}
    return box


def text_of(value: Any) -> str:
    """A value as the files of vectors/ write it; - for None."""
    if value is None:
        return "-"
    if isinstance(value, dict):
        return ",".join(f"{v}:{count}" for v, count in value.items())
    if isinstance(value, (list, tuple)):
        return (":" if isinstance(value, tuple) else ",").join(map(str, value))
    return f"{value:.6f}" if isinstance(value, float) else str(int(value))


def columns_compared(subject: Any, record: dict[str, str], others: set[str], uncomputed: set[str] = frozenset()) -> int:
    """How many columns of a record are the program's columns of the subject: all but `others`, and those that the other program
    left out of `uncomputed`."""
    fields = [field for field in record.keys() - others if (field, record[field]) not in {(name, "-") for name in uncomputed}]
    for field in fields:
        assert text_of(subject._session.value(field)) == record[field], field
    return len(fields)


def splitmix(state: int, count: int) -> list[int]:
    """splitmix64 as its authors print it."""
    outputs = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % (1 << 64)
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % (1 << 64)
        z = (z ^ z >> 27) * 0x94D049BB133111EB % (1 << 64)
        outputs.append(z ^ z >> 31)
    return outputs


def shuffled(numbers: list[int]) -> list[int]:
    """0 to the count of numbers, exchanged from the last on."""
    values = list(range(len(numbers) + 1))
    for i, number in zip(range(len(numbers), 0, -1), numbers, strict=True):
        j = number % (i + 1)
        values[i], values[j] = values[j], values[i]
    return values


def npy(array: np.ndarray) -> bytes:
    """The array as an .npy file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


class Interface:
    """Has the CUDA Array Interface, with memory of the host."""

    def __init__(self, array: np.ndarray, stream: int | None = 7, **changes: Any) -> None:
        self.array = array
        self.shape = array.shape
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, False),
            "strides": None,
            "version": 3,
            "stream": stream,
        } | changes
