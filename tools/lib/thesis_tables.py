"""Tables I to XIII of the 2009 thesis: J. A. Feist, "Increasing performance of blowfish encryption using CUDA", University of
Louisville. What its columns are, and why three of those that it printed are void, stands in tables/thesis.md."""

import pathlib
from collections import defaultdict
from collections.abc import Iterator
from statistics import median

import figures

THREAD_BLOCKS = {65535: "II", 32000: "III", 16000: "IV", 8000: "V", 4000: "VI", 2000: "VII", 1000: "VIII", 500: "IX", 100: "X", 50: "XI",
                 25: "XII", 1: "XIII"}  # {of a table: its number}
STEPS = ["allocation", "to device", "kernel", "to host"]
PRINTED = {"transfer_ms": "transfer", "computation_ms": "computation†", "gpu_run_time_ms": "run time†", "cpu_run_time_ms": "CPU",
           "speed_up": "speed-up†"}  # fmt: skip

# (column, engine, place, threads: "" on a GPU, "1", or "all"; steps that are added up)
HOST, PINNED = "host memory", "pinned host memory"
MEASURED = [
    *((f"{short} {column}", engine, place, "", steps)
      for short, engine, place in (("2009", "thesis corrected", HOST), ("fugu", "fugu kernel as many thread-blocks", PINNED))
      for column, steps in [*((step, [step]) for step in STEPS), ("serial sum", STEPS)]),
    ("fugu own shape, kernel", "fugu kernel", PINNED, "", ["kernel"]),
    ("fugu overlapped", "cuda:0", HOST, "", ["whole"]),
    ("fugu overlapped, pinned", "cuda:0", PINNED, "", ["whole"]),
    ("OpenSSL 1 core", "openssl", HOST, "1", ["whole"]),
    ("OpenSSL all cores", "openssl", HOST, "all", ["whole"]),
    ("fugu CPU 1 core", "cpu", HOST, "1", ["whole"]),
    ("fugu CPU all cores", "cpu", HOST, "all", ["whole"]),
]  # fmt: skip
SPEED_UPS = {"2009 speed-up": "2009 serial sum", "fugu speed-up": "fugu overlapped", "fugu speed-up, pinned": "fugu overlapped, pinned"}
COLUMNS = [*(name for name, *_ in MEASURED), *SPEED_UPS]
Runs = dict[int, dict[str, float]]  # run: {column: milliseconds, or a ratio}


def variant_of(row: figures.Row) -> tuple[str, str, str]:
    """Engine, place and threads; engines without what depends on the machine."""
    engine = next((name for name in ("openssl", "cpu") if row["engine"].startswith(name)), row["engine"])
    return engine, row["place"], row["threads"] if row["threads"] in ("", "1") else "all"


def sizes_of(rows: list[figures.Row]) -> dict[int, Runs]:
    """By thread-blocks."""
    seconds = {
        (int(row["thread_blocks"]), int(row["sample"]) + 1, *variant_of(row), row["direction"]): float(row["seconds"]) for row in rows
    }
    sizes: dict[int, Runs] = defaultdict(dict)
    for size, run in sorted({key[:2] for key in seconds}):
        columns = {name: 1e3 * sum(seconds[size, run, *variant, step] for step in steps) for name, *variant, steps in MEASURED}
        columns |= {name: columns["OpenSSL 1 core"] / columns[time] for name, time in SPEED_UPS.items()}
        sizes[size][run] = columns
    return sizes


def tables(path: pathlib.Path) -> str:
    rows = figures.rows_of(path)
    sizes = dict(sorted(sizes_of(rows).items(), reverse=True))
    theirs = {(row["thread_blocks"], row["run"]): [row[field] for field in PRINTED] for row in figures.rows_of(figures.PRINTED / "thesis_2009.csv")}

    def table(*names: str, lines: Iterator[tuple[list[str], list[float], tuple[str, str]]]) -> str:
        cells = ([*line, *map(figures.significant, values), *theirs.get(key, [""] * len(PRINTED))] for line, values, key in lines)
        return figures.table([*names, *COLUMNS, *(f"printed {name}" for name in PRINTED.values())], cells)

    out = [f"{figures.stamp_text(rows[0])}. Raw samples: `{path.name}`.\n", "#### Table I: medians for various data sizes\n"]
    out.append(table("thread-blocks", "KiB", lines=(
        ([str(size), str(4 * size)], [median(run[column] for run in runs.values()) for column in COLUMNS], (str(size), ""))
        for size, runs in sizes.items())))  # fmt: skip
    for size, runs in sizes.items():
        out.append(f"#### Table {THREAD_BLOCKS.get(size, '-')}: {size} thread-block{'s' if size > 1 else ''}\n")
        out.append(table("run", lines=(([str(run)], list(columns.values()), (str(size), str(run))) for run, columns in runs.items())))
    return "\n".join(out)
