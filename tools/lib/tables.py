"""Tables of samples as Markdown: cells, TABLES of RESULTS.md and its pages by their markers, and those of `fugu bench`. A new table
is one row of TABLES."""

import pathlib
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from typing import NamedTuple

import figures
from figures import RESULTS, ROOT, Row, n_of, rates, significant, spread, stamp_text, table, work_of

Cell = Callable[[list[Row]], str]
Column = tuple[str, Cell]
shown: set[str] = set()  # the files of samples that a table showed


def samples_of(path: pathlib.Path) -> list[Row]:
    shown.add(path.name)
    return figures.rows_of(path)


def grouped(rows: Iterable[Row], key: Callable[[Row], object]) -> dict[object, list[Row]]:
    groups: dict[object, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


KEY = ["engine", "threads", "mode", "direction", "bytes", "thread_blocks", "threads_per_block", "place"]


def key_of(row: Row) -> tuple[str, ...]:
    """What the samples of one row have in common."""
    return tuple(row.get(column, "") for column in KEY)


# Cells.


def rate(unit: float, digits: int = 0) -> Cell:
    return lambda rows: spread(rates(rows, unit), digits)


MB_PER_S = rate(1e6)


def best_gb_per_s(rows: list[Row]) -> str:
    """The best of the shapes in which a kernel was timed."""
    shapes = grouped(rows, lambda row: (row["thread_blocks"], row["threads_per_block"], row["bytes"]))
    return spread(max((rates(samples, 1e9) for samples in shapes.values()), key=median), 1)


def time(unit: float, digits: int | None = None) -> Cell:
    """`digits`: None for as many as the time needs."""

    def cell(rows: list[Row]) -> str:
        times = [float(row["seconds"]) * unit for row in rows]
        needed = sum(bound > min(times, default=100) for bound in (100, 10))
        return spread(times, needed if digits is None else digits)

    return cell


def peak(rows: list[Row]) -> str:
    return f"{max(float(row['peak_mib'] or 0) for row in rows):.0f}"


def where(wanted: Callable[[Row], bool], cell: Cell) -> Cell:
    return lambda rows: cell(list(filter(wanted, rows)))


def cpu_seconds_per_gb(rows: list[Row]) -> str:
    return f"{median(float(row['cpu_seconds']) / int(row['bytes']) * 1e9 for row in rows):.2f}"


def over_legacy(rows: list[Row]) -> str:
    """MB/s, and the ratio to legacy: the median over the pairs that ran in turn."""
    engines = grouped(rows, lambda row: row["engine"])
    own = rates(engines["fugu"], 1e6)
    if "legacy" not in engines:
        return f"{median(own):.0f}"
    times = median(a / b for a, b in zip(own, rates(engines["legacy"], 1e6), strict=True))
    return f"{median(own):.0f} ({times:.2f})"


def per_box(rows: list[Row]) -> str:
    microseconds = [256e6 * float(row["seconds"]) / int(row["bytes"]) for row in rows]
    return spread(microseconds, 1 if microseconds and median(microseconds) < 100 else 0)


def engine_is(name: str) -> Callable[[Row], bool]:
    return lambda row: row["engine"] == name


def times(own: Callable[[Row], bool], peer: Callable[[Row], bool], digits: int, missing: str) -> Cell:
    """The rate of own rows over that of the peer's."""

    def cell(rows: list[Row]) -> str:
        over, under = (rates(filter(wanted, rows), 1e9) for wanted in (own, peer))
        return f"{median(over) / median(under):.{digits}f}" if over and under else missing

    return cell


def errors(rows: list[Row]) -> str:
    return "".join(f"{float(row['largest_ulps']):.2f}, {float(row['mean_ulps']):.3f}" for row in rows)


def is_call(row: Row) -> bool:
    return row["mode"].startswith("call ")


def is_beside(row: Row) -> bool:
    return " beside " in row["engine"]


def is_peer(row: Row) -> bool:
    return not is_beside(row)


# Tables: a line for each value of `line`, and columns.


def across(key: Callable[[Row], object], cell: Cell, name: Callable[[object], str] = str) -> Callable[[list[Row]], list[Column]]:
    """A column for each value of `key`."""
    return lambda rows: [
        (name(value), lambda line, value=value: cell([row for row in line if key(row) == value])) for value in grouped(rows, key)
    ]


class Table(NamedTuple):
    files: str  # a pattern in results/
    caption: str
    heads: list[str]  # of `line`
    line: Callable[[Row], tuple[str, ...]]
    columns: Callable[[list[Row]], list[Column]]
    wanted: Callable[[Row], bool] = lambda _: True

    def text(self, path: pathlib.Path) -> str:
        rows = [row for row in samples_of(path) if self.wanted(row)]
        columns = self.columns(rows)
        lines = [[*line, *(cell(taken) for _, cell in columns)] for line, taken in grouped(rows, self.line).items()]
        caption = self.caption.format(size=figures.size_text(int(rows[0].get("bytes", 0))), runs=min(map(len, grouped(rows, key_of).values())))
        head = f"{stamp_text(rows[0])}. {caption} Raw samples: `{path.relative_to(ROOT)}`.\n\n"
        return head + table([*self.heads, *(name for name, _ in columns)], lines)


def engine_and_threads(row: Row) -> tuple[str, ...]:
    return row["engine"], row["threads"]


def of_size(row: Row) -> int:
    return int(row["bytes"])


TOOLS = [("encrypt", where(lambda row: row["direction"] != "decrypt", MB_PER_S)), ("decrypt", where(lambda row: row["direction"] == "decrypt", MB_PER_S)),
         ("CPU seconds a GB", cpu_seconds_per_gb), ("peak MiB", peak)]  # fmt: skip
TOOL_TABLE = Table(
    "tools_*.csv",
    "Tools on a file of {size}, whole programs: MB/s, median (slowest-fastest) of {runs}.",
    ["", "cores", "file system"], lambda row: (*engine_and_threads(row), row["place"]), lambda _: TOOLS,
)  # fmt: skip
PROVIDER_TABLE = Table(
    "provider_*.csv",
    "`openssl speed` on one core with fugu.so in calls of so many bytes: decimal MB/s of processor time, and in brackets how many "
    "times the legacy provider's, which has no CTR.",
    [""], lambda row: (work_of(row),), across(of_size, over_legacy, "{} bytes".format),
)  # fmt: skip
LEAST_FILE_BYTES = 256 << 20  # the smallest one shown
TABLES = {
    "kernels": [
        Table("gpu_kernel_*.csv", "GB/s, median (slowest-fastest).", ["what", "where"], lambda row: (work_of(row), row["place"]),
              lambda _: [("GB/s", best_gb_per_s)]),
    ],
    "peers of transforms": [
        Table("walsh_peers_*.csv", "Other people's transforms of 2^n float32, FFHT on one core and NVIDIA's cuda-samples, and fugu's beside "
              "them: microseconds, median (fastest-slowest).", ["peer", "n"],
              lambda row: (row["engine"].split(" beside ")[-1], str(n_of(row))),
              lambda _: [("peer", where(is_peer, time(1e6))), ("fugu", where(is_beside, time(1e6))), ("times", times(is_beside, is_peer, 1, "-"))]),
    ],
    "peers of boxes": [
        Table("boxes_*.csv", "Random boxes of 8 x 8 bits, for the equivalence permutations and affine images of them: microseconds of processor "
              "time per box or pair, one core, median (fastest-slowest) of {runs}; fugu's whole program, but for du <= 8, which is from "
              "arrays in Python, the others without their start.", [""], lambda row: (row["mode"],),
              lambda _: [*((name, where(engine_is(name), per_box)) for name in ("Sage", "PEIGEN", "sboxU", "fugu")), ("sboxU / fugu", times(engine_is("fugu"), engine_is("sboxU"), 1, "-"))]),
    ],
    "memory": [
        Table("cpu_*.csv", "Decimal MB/s in memory, median of {runs} (slowest-fastest).", ["", "threads"], engine_and_threads,
              across(work_of, MB_PER_S)),
        Table("sealed_*.csv", "What keys and tags cost: {size} in memory, MB/s, median (slowest-fastest).", [""],
              lambda row: (work_of(row),), across(lambda row: row["threads"], MB_PER_S, lambda count: "1 thread" if count == "1" else f"{count} threads")),
        Table("gpu_sweep_*.csv", "ECB encryption of {size} by launch shape, GB/s, median (slowest-fastest).",
              ["tables", "threads"], lambda row: (row["place"], row["threads_per_block"]),
              across(lambda row: row["thread_blocks"], rate(1e9, 1), "{} thread-blocks".format)),
        Table("gpu_copy_*.csv", "Host memory to host memory, and the link alone: GB/s, median (slowest-fastest).", ["", "what"],
              lambda row: (row["engine"], work_of(row)), lambda _: [("GB/s", best_gb_per_s)]),
        Table("gpu_size_*.csv", "CTR from host memory to host memory over sizes: GB/s, median (slowest-fastest).", ["size"],
              lambda row: (figures.size_text(of_size(row)),), across(lambda row: row["engine"], rate(1e9, 2))),
    ],
    "files": [
        TOOL_TABLE,
        Table("large_file_*.csv", "A file of {size}, sealed; whole programs: seconds, median (fastest-slowest).", [""],
              lambda row: (row["mode"],), lambda _: [("seconds", time(1, 3)), ("peak MiB", peak)]),
        Table("gpu_file_*.csv", "File to file in memory-backed storage, the whole program with its start; CTR where not sealed, GB/s, "
              "median (slowest-fastest).", [""], lambda row: (row["engine"],),
              lambda rows: across(of_size, rate(1e9, 2), figures.size_text)(rows) + [("peak MiB", peak)],
              lambda row: of_size(row) >= LEAST_FILE_BYTES),
        Table("file_to_answer_*.csv", "From file to answer in memory-backed storage, the whole program with its start: seconds, median "
              "(fastest-slowest) of {runs}.", ["", "2^n values"], lambda row: (row["mode"], str(n_of(row))),
              across(lambda row: row["engine"], time(1, 3))),
        Table("auto_*.csv", "What auto chooses, by the built-in figures and calibrated, beside the engines that it chooses from: whole "
              "programs in memory-backed storage, seconds, median (fastest-slowest) of {runs}.", ["", "bytes"],
              lambda row: (row["mode"], figures.size_text(of_size(row)) if of_size(row) else ""),
              across(lambda row: row["engine"], time(1, 3))),
    ],
    "transforms": [
        Table("hadamard_*.csv", "Hadamard transforms of float16, bfloat16 and float32 tensors out of place, HadaCore's in place, rows of 2^n values or of "
              "m x 2^n: the speed of a copy of the same tensor, of {size}, is 1; medians of {runs}.", ["", "n"],
              lambda row: (row["mode"].removeprefix("hadamard "), str(n_of(row))), lambda _: [(name, times(engine_is(name), engine_is("copy"), 2, "")) for name in ("fugu", "Dao", "HadaCore")],
              lambda row: not is_call(row)),
        Table("hadamard_*.csv", "Calls on a row of 2^10 values in a GPU's memory, one after the other: microseconds, median (fastest-slowest) of {runs}.",
              ["", ""], lambda row: (row["mode"].removeprefix("call "), row["engine"]), lambda _: [("us", time(1e6))], is_call),
        Table("tensor_errors_*.csv", "Errors of the transform divided by the square root of its size, of normal random values, against float64: the "
              "largest and the mean in ulps of the exact value, or of 1/8 where that is smaller.", ["", "n"],
              lambda row: (row["mode"].removeprefix("hadamard "), str(n_of(row))), across(lambda row: row["engine"], errors)),
    ],
    "boxes": [
        Table("sbox_nvidia_h100.csv", "S-boxes on a GPU, from values in host memory to results there: milliseconds, median (fastest-slowest) of "
              "{runs}.", ["", ""], lambda row: (row["mode"], row["direction"]), lambda _: [("ms", time(1e3))]),
    ],
}  # fmt: skip


def tables(chosen: Iterable[Table]) -> Iterator[str]:
    for each in chosen:
        yield from (each.text(path) for path in sorted(RESULTS.glob(each.files)))


# The tables of `fugu bench`.

SCOPES = {
    "kernel": "Kernel: data where the engine works on it; for a CPU that is host memory",
    "copy": "Copy: host memory to host memory",
    "file": "File: read, cipher, write, fsync",
    "spectral": "Walsh transforms",
}


def bench_line(samples: list[Row]) -> list[str]:
    row, speeds = samples[0], rates(samples, 1e9)
    cpu = significant(median(float(row["cpu_seconds"] or 0) for row in samples))
    launch = f"{row['thread_blocks']} x {row['threads_per_block']}" if row["thread_blocks"] else ""
    speed = f"{significant(median(speeds))} ({significant(min(speeds))}-{significant(max(speeds))})"
    return [row["engine"], row["threads"], work_of(row), figures.size_text(of_size(row)), launch, speed, str(len(samples)), cpu,
            row["place"]]  # fmt: skip


def bench_tables(path: pathlib.Path) -> str:
    """One table per scope, in the order of the file."""
    rows = samples_of(path)
    header = ["engine", "threads", "work", "size", "blocks x threads", "GB/s", "runs", "CPU seconds", "where"]
    out = [f"{stamp_text(rows[0])}, `{rows[0]['command']}`. Raw samples: `tools/bench/results/{path.name}`.\n"]
    for scope, cases in grouped(rows, lambda row: row["scope"]).items():
        lines = grouped(cases, key_of).values()
        out += [SCOPES.get(scope, scope) + ".\n", table(header, map(bench_line, lines))]
    return "\n".join(out)
