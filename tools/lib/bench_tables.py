"""Tables of the output of `fugu bench --csv`."""

import pathlib
from statistics import median

import figures

SCOPES = {
    "kernel": "Kernel: data where the engine works on it; for a CPU that is host memory",
    "copy": "Copy: host memory to host memory",
    "file": "File: read, cipher, write, fsync",
    "spectral": "Walsh transforms",
}
KEY = ["engine", "threads", "mode", "direction", "bytes", "thread_blocks", "threads_per_block", "place"]
SIZES = ["B", "KiB", "MiB", "GiB"]


def size_text(size_bytes: int) -> str:
    power = min(max(size_bytes.bit_length() - 1, 0) // 10, len(SIZES) - 1)
    return f"{size_bytes / 1024**power:g} {SIZES[power]}"


def line(key: tuple[str, ...], rows: list[dict[str, str]]) -> list[str]:
    engine, threads, mode, direction, size, blocks, block_threads, place = key
    rates = [float(row["gb_per_s"]) for row in rows]
    spread = (
        f"{figures.significant(median(rates))} ({figures.significant(min(rates))}-{figures.significant(max(rates))})"
    )
    cpu = figures.significant(median(float(row["cpu_seconds"]) for row in rows))
    launch = f"{blocks} x {block_threads}" if blocks else ""
    return [
        engine,
        threads,
        f"{mode} {direction}".strip(),
        size_text(int(size)),
        launch,
        spread,
        str(len(rows)),
        cpu,
        place,
    ]


def bench_tables(path: pathlib.Path) -> str:
    """One table per scope, in the order of the file."""
    rows = figures.rows_of(path)
    scopes: dict[str, dict[tuple[str, ...], list[dict[str, str]]]] = {}
    for row in rows:
        scopes.setdefault(row["scope"], {}).setdefault(tuple(row[column] for column in KEY), []).append(row)
    header = ["engine", "threads", "work", "size", "blocks x threads", "GB/s", "runs", "CPU seconds", "where"]
    out = [f"{figures.stamp_text(rows[0])}, `{rows[0]['command']}`. Raw samples: `tools/bench/results/{path.name}`.\n"]
    for scope, cases in scopes.items():
        out.append(SCOPES.get(scope, scope) + ".\n")
        out.append(figures.table(header, [line(key, samples) for key, samples in cases.items()]))
    return "\n".join(out)
