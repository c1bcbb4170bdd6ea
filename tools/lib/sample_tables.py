"""The tables that tools/report makes of tools/bench/results/*.csv, in Markdown."""

import pathlib
from collections.abc import Iterable
from statistics import median

from figures import RESULTS, ROOT, rows_of, spread, stamp_text, table
from peer_tables import box_table, tool_table
from provider_tables import provider_table

WORKS = {
    "ecb_encrypt": "ECB enc", "ecb_decrypt": "ECB dec", "cbc_encrypt": "CBC enc", "cbc_decrypt": "CBC dec",
    "cfb_encrypt": "CFB enc", "cfb_decrypt": "CFB dec", "ofb": "OFB", "ctr": "CTR",
}  # fmt: skip
LEAST_FILE_BYTES = 256 << 20  # the smallest one shown
GPU_SCOPES = {"kernel": "on the device", "copy": "host memory to host memory", "link": "the link alone"}
SPECTRAL = [
    ("walsh", "int32", 18, "Walsh transform, int32, n = 18"),
    ("walsh", "int32", 24, "n = 24"),
    ("walsh", "int32", 25, "n = 25"),
    ("walsh", "int32", 26, "n = 26"),
    ("walsh", "int32", 27, "n = 27"),
    ("walsh", "int32", 30, "n = 30"),
    ("walsh", "int32", 35, "n = 35, 128 GiB"),
    ("boolean", "spectrum", 30, "spectrum of a Boolean function given as bits, n = 30"),
    ("boolean", "nonlinearity", 30, "its nonlinearity alone"),
    ("boolean", "histogram", 30, "with the histogram of its values"),
    ("convolution", "float32", 27, "dyadic convolution, float32, n = 27"),
    ("convolution", "int64", 27, "the same, int64, exact"),
    ("characters", "C_3^m complex64", 8, "character table of C_3^8, complex64"),
]


def number(samples: list[float]) -> str:
    return f"{median(samples):.{0 if median(samples) >= 100 else 2}f}" if samples else "-"


def markdown(caption: str, path: pathlib.Path, header: list[str], rows: Iterable[list[str]]) -> str:
    return f"{caption} Raw samples: `{path.relative_to(ROOT)}`.\n\n" + table(header, rows)


def cpu(path: pathlib.Path) -> str:
    rows = rows_of(path)
    samples: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        key = (row["threads"], row["subject"], row["work"])
        samples.setdefault(key, []).append(float(row["megabytes_per_second"]))
    subjects = sorted({key[:2] for key in samples}, key=lambda s: (s[0], not s[1].startswith("fugu"), s[1]))
    works = [work for work in WORKS if any(key[2] == work for key in samples)]
    return markdown(
        f"{stamp_text(rows[0])}. Decimal MB/s in memory, median of {max(map(len, samples.values()))} (slowest-fastest).",
        path,
        ["", "threads", *(WORKS[work] for work in works)],
        ([subject, threads, *(spread(samples.get((threads, subject, work), [])) for work in works)]
         for threads, subject in subjects),
    )  # fmt: skip


def gpu(path: pathlib.Path) -> str:
    """The best of the shapes in which a kernel was timed."""
    rows = rows_of(path)
    samples: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    for row in rows:
        shapes = samples.setdefault((row["scope"], row["case"]), {})
        shapes.setdefault((row["shape"], row["bytes"]), []).append(float(row["gb_per_s"]))
    return markdown(
        f"{stamp_text(rows[0])}. GB/s, median (slowest-fastest).",
        path,
        ["what", "where", "GB/s"],
        ([what, GPU_SCOPES[scope], spread(max(shapes.values(), key=median), 1)]
         for (scope, what), shapes in samples.items() if scope in GPU_SCOPES),
    )  # fmt: skip


def files(path: pathlib.Path) -> str:
    rows = [row for row in rows_of(path) if int(row["bytes"]) >= LEAST_FILE_BYTES]
    samples: dict[tuple[str, int], list[float]] = {}
    peaks: dict[str, float] = {}
    for row in rows:
        case, size_bytes = row["case"], int(row["bytes"])
        samples.setdefault((case, size_bytes), []).append(size_bytes / float(row["seconds"]) / 1e9)
        peaks[case] = max(peaks.get(case, 0), float(row["peak_mib"]))
    sizes = sorted({size_bytes for _, size_bytes in samples})
    return markdown(
        f"{stamp_text(rows[0])}. File to file in memory-backed storage, the whole program with its start; CTR where not sealed, "
        f"GB/s, median of {min(map(len, samples.values()))} or more (slowest-fastest).",
        path,
        ["", *(f"{size_bytes >> 20} MiB" for size_bytes in sizes), "peak MiB"],
        ([case, *(spread(samples.get((case, size_bytes), []), 2) for size_bytes in sizes), f"{peak:.0f}"]
         for case, peak in sorted(peaks.items())),
    )  # fmt: skip


def large_file(path: pathlib.Path) -> str:
    rows = rows_of(path)
    samples: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        samples.setdefault(row["case"], []).append(row)
    return markdown(
        f"{stamp_text(rows[0])}. A file of {int(rows[0]['bytes']) >> 30} GiB, sealed; whole programs: seconds, median "
        "(fastest-slowest).",
        path,
        ["", "seconds", "peak MiB"],
        ([case, spread([float(row["seconds"]) for row in taken], 3), f"{max(float(row['peak_mib']) for row in taken):.0f}"]
         for case, taken in samples.items()),
    )  # fmt: skip


def file_writes(path: pathlib.Path) -> str:
    """The best of the numbers of threads and sizes with which a method was timed."""
    samples: dict[str, dict[tuple[str, ...], list[float]]] = {}
    rows = rows_of(path)
    for row in rows:
        is_fugu = row["what"] == "encrypt" and row["cipher_threads"] == "16"
        if row["file_system"] == "tmpfs" and (is_fugu or row["how"] == "cp"):
            shape = tuple(row[name] for name in ("run", "readers", "writers", "chunk_mib", "piece_kib"))
            samples.setdefault(row["how"], {}).setdefault(shape, []).append(float(row["gb_per_s"]))
    return markdown(
        f"{rows[0]['machine']}, {rows[0]['date']}, experiments. How `fugu encrypt --mode ctr` on 16 cores may write one file "
        "in memory-backed storage, and cp beside it: GB/s, median (slowest-fastest), with what threads and sizes suit best.",
        path,
        ["written by", "GB/s"],
        ([how, spread(max(shapes.values(), key=median), 1)] for how, shapes in samples.items()),
    )  # fmt: skip


def sealed(path: pathlib.Path) -> str:
    rows = rows_of(path)
    samples: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        samples.setdefault(row["work"], {}).setdefault(row["threads"], []).append(float(row["megabytes_per_second"]))
    return markdown(
        f"{stamp_text(rows[0])}. What keys and tags cost: 512 MiB in memory through the pump, MB/s, median (slowest-fastest).",
        path,
        ["", "1 thread", "all threads"],
        ([work.replace("_", " "), spread(threads.get("1", [])), spread(threads.get("all", []))]
         for work, threads in sorted(samples.items())),
    )  # fmt: skip


def spectral_samples(path: pathlib.Path) -> dict[tuple[str, str, int], tuple[list[float], float]]:
    samples: dict[tuple[str, str, int], tuple[list[float], float]] = {}
    for row in rows_of(path):
        key = (row["what"], row["variant"], int(row["n"]))
        samples.setdefault(key, ([], float(row["floor_microseconds"])))[0].append(float(row["microseconds"]))
    return samples


def spectral_gpu(path: pathlib.Path) -> str:
    samples = spectral_samples(path)
    chosen = [(name, *samples[what, variant, n]) for what, variant, n, name in SPECTRAL]
    return markdown(
        "Spectra on one H200, microseconds, median (fastest-slowest); the floor is the bytes that the passes move to and "
        "from memory (two in one launch: once) over the copy bandwidth of the same run. `tools/bench/spectral_tables` "
        "prints all of them.",
        path,
        ["what", "time", "floor"],
        ([name, spread(times, 0 if min(times) >= 100 else 1), f"{floor:.0f}" if floor >= 1 else "-"]
         for name, times, floor in chosen),
    )  # fmt: skip


def spectral_cpu(path: pathlib.Path) -> str:
    samples = {key[1:]: times for key, (times, _) in spectral_samples(path).items() if key[0] == "walsh cpu"}
    variants = list(dict.fromkeys(variant for variant, _ in samples))
    return markdown(
        "Walsh transforms of 2^n values on one core unless stated, microseconds, medians of one run: compare columns only.",
        path,
        ["n", *variants],
        ([str(n), *(number(samples.get((variant, n), [])) for variant in variants)]
         for n in sorted({n for _, n in samples})),
    )  # fmt: skip


# In the report's order; files of results/ that match no pattern are in no table.
TABLES = [
    ("cpu_*.csv", cpu), ("sealed_*.csv", sealed), ("tools_*.csv", tool_table), ("foreign_*.csv", tool_table),
    ("provider_*.csv", provider_table),
    ("large_file_*.csv", large_file), ("gpu_kernel_*.csv", gpu), ("gpu_copy_*.csv", gpu), ("gpu_file_*.csv", files),
    ("file_writes_*.csv", file_writes), ("spectral_cpu.csv", spectral_cpu), ("spectral_h200.csv", spectral_gpu),
    ("sbox_peers_*.csv", box_table),
]  # fmt: skip


def all_tables() -> str:
    return "\n".join(printed(path) for pattern, printed in TABLES for path in sorted(RESULTS.glob(pattern)))
