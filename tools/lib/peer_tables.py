"""Tables of the samples that tools/peers takes."""

import pathlib
from statistics import median

import figures


def rate(rows: list[dict[str, str]]) -> str:
    return figures.spread([int(row["bytes"]) / float(row["seconds"]) / 1e6 for row in rows])


def tool_table(path: pathlib.Path) -> str:
    rows = figures.rows_of(path)
    subjects: dict[tuple[str, str], dict[str, list[dict[str, str]]]] = {}
    for row in rows:
        subjects.setdefault((row["cores"], row["subject"]), {}).setdefault(row["direction"], []).append(row)
    lines = []
    for (cores, subject), directions in sorted(subjects.items(), key=lambda item: item[0][0]):
        both = [row for samples in directions.values() for row in samples]
        lines.append([
            subject,
            cores,
            rate(directions.get("encrypt") or directions.get("copy", [])),
            rate(directions.get("decrypt", [])),
            f"{median(float(row['cpu_seconds']) / int(row['bytes']) * 1e9 for row in both):.2f}",
            f"{max(float(row['peak_mib']) for row in both):.0f}",
        ])  # fmt: skip
    caption = (
        f"{figures.stamp_text(rows[0])}. Tools on a file of {int(rows[0]['bytes']) >> 20} MiB in memory-backed storage, whole "
        f"programs: MB/s, median (slowest-fastest) of {len(next(iter(next(iter(subjects.values())).values())))}. "
        f"Raw samples: `tools/bench/results/{path.name}`.\n\n"
    )
    return caption + figures.table(["", "cores", "encrypt", "decrypt", "CPU seconds a GB", "peak MiB"], lines)


def box_table(path: pathlib.Path) -> str:
    rows = figures.rows_of(path)
    samples: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        per_box = 1e6 * float(row["processor_seconds"]) / int(row["boxes"])
        samples.setdefault(row["field"], {}).setdefault(row["subject"], []).append(per_box)
    lines = [
        [field, figures.spread(of["Sage"]), figures.spread(of["fugu"]), f"{median(of['Sage']) / median(of['fugu']):.0f}"]
        for field, of in samples.items()
    ]
    caption = (
        f"{figures.stamp_text(rows[0])}. Random boxes of 8 x 8 bits: microseconds of processor time per box, one thread, median "
        f"(fastest-slowest) of {len(next(iter(samples.values()))['Sage'])}; Sage without its start, fugu's whole program. Raw "
        f"samples: `tools/bench/results/{path.name}`.\n\n"
    )
    return caption + figures.table(["", "Sage", "fugu", "times"], lines)
