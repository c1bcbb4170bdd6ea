"""Common parts of the scripts that take, print and draw measured figures: the one layout of samples, that of `fugu bench
--csv`; tables as Markdown; and the stamp of every sample."""

import csv
import math
import pathlib
import re
import sys
from collections.abc import Iterable
from statistics import median

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "tools/bench/results"
PRINTED = ROOT / "tools/bench/printed"
STAMP = ["machine", "date", "commit", "command"]
# Scripts that time whole programs add peak_mib.
LAYOUT = [*STAMP, "scope", "engine", "threads", "mode", "direction", "place", "bytes", "thread_blocks", "threads_per_block",
          "sample", "seconds", "cpu_seconds", "gb_per_s"]  # fmt: skip

Row = dict[str, str]


def rows_of(path: pathlib.Path) -> list[Row]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"{path}: no samples")
    return rows


def n_of(row: Row) -> int:
    """The parameter at the end of a variant, such as n=24."""
    return int(re.search(r"\d+$", row["direction"])[0])


def work_of(row: Row) -> str:
    return f"{row['mode']} {row['direction']}".strip()


def rates(rows: Iterable[Row], unit: float) -> list[float]:
    return [int(row["bytes"]) / float(row["seconds"]) / unit for row in rows]


def spread(samples: list[float], digits: int = 0) -> str:
    return f"{median(samples):.{digits}f} ({min(samples):.{digits}f}-{max(samples):.{digits}f})" if samples else "-"


def significant(value: float) -> str:
    """Three digits, never with an exponent."""
    return f"{value:.{max(2 - math.floor(math.log10(abs(value))), 0)}f}" if value else "0"


def size_text(size_bytes: float) -> str:
    power = min(max(int(size_bytes).bit_length() - 1, 0) // 10, 3)
    return f"{size_bytes / 1024**power:g} {['B', 'KiB', 'MiB', 'GiB'][power]}"


def table(header: list[str], rows: Iterable[list[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, ["---"] * len(header), *rows))


def stamp_text(row: Row) -> str:
    return f"{row['machine']}, {row['date']}, commit {row['commit']}"
