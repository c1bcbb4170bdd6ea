"""The table of the samples that tools/bench/openssl_speed takes."""

import pathlib
from statistics import median

import figures


def cell(samples: dict[str, list[float]]) -> str:
    """MB/s, and the ratio to legacy: the median over the pairs that ran in turn."""
    fugu, legacy = samples["fugu"], samples.get("legacy")
    if legacy is None:
        return f"{median(fugu):.0f}"
    times = median(ours / theirs for ours, theirs in zip(fugu, legacy, strict=True))
    return f"{median(fugu):.0f} ({times:.2f})"


def provider_table(path: pathlib.Path) -> str:
    rows = figures.rows_of(path)
    cases: dict[str, dict[int, dict[str, list[float]]]] = {}
    for row in rows:
        sizes = cases.setdefault(f"{row['cipher']} {row['direction']}", {})
        speeds = sizes.setdefault(int(row["bytes"]), {})
        speeds.setdefault(row["provider"], []).append(float(row["megabytes_per_second"]))
    sizes = sorted({size for taken in cases.values() for size in taken})
    caption = (
        f"{figures.stamp_text(rows[0])}. `openssl speed` on one core with fugu.so in calls of so many bytes: decimal MB/s of "
        "processor time, and in brackets how many times the legacy provider's, which has no CTR. "
        f"Raw samples: `tools/bench/results/{path.name}`.\n\n"
    )
    return caption + figures.table(
        ["", *(f"{size} bytes" for size in sizes)],
        ([case, *(cell(taken[size]) for size in sizes)] for case, taken in cases.items()),
    )
