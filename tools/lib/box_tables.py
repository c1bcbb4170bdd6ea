"""Tables of src/fugu/spectral/BLOWFISH_BOXES.md from the samples of `fugu sbox report --random-keys`."""

from figures import RESULTS, rows_of, stamp_text, table

SAMPLES = RESULTS / "blowfish_boxes_h200.csv"
COLLISION_CHANCE = 7.59956e-6  # of a random box of 8 x 32: 1 - prod(1 - i / 2^32), i < 256


def counts(source: str, field: str) -> dict[int, int]:
    """{value: count}, for "blowfish" boxes under random keys or for "random" ones."""
    rows = (row for row in rows_of(SAMPLES) if (row["source"], row["field"]) == (source, field))
    return {int(row["value"] or 0): int(row["count"]) for row in rows}


def mean(histogram: dict[int, int]) -> float:
    return sum(value * count for value, count in histogram.items()) / sum(histogram.values())


def chi_square(a: dict[int, int], b: dict[int, int], least: int) -> tuple[float, int]:
    """Chi-squared for equal numbers of boxes, and its degrees of freedom; values below `least` are one class."""
    def classes(histogram: dict[int, int]) -> dict[int, int]:
        joined: dict[int, int] = {}
        for value, count in histogram.items():
            joined[max(value, least)] = joined.get(max(value, least), 0) + count
        return joined

    a, b = classes(a), classes(b)
    values = a.keys() | b.keys()
    return sum((a.get(v, 0) - b.get(v, 0)) ** 2 / (a.get(v, 0) + b.get(v, 0)) for v in values), len(values) - 1


def smallest() -> str:
    both = [counts(source, "smallest_nonlinearity") for source in ("blowfish", "random")]
    values = sorted(both[0].keys() | both[1].keys())
    rows = [[str(value), *(str(histogram.get(value, 0)) for histogram in both)] for value in values]
    return table(["smallest nonlinearity", "boxes of Blowfish", "random boxes"],
                 [*rows, ["mean", *(f"{mean(histogram):.2f}" for histogram in both)]]) + (
        "\nChi square of the two columns, values up to 67 joined: {:.1f} with {} degrees of freedom.\n".format(*chi_square(*both, 67))
    )  # fmt: skip


def others() -> str:
    def row(name: str, text) -> list[str]:
        return [name, text("blowfish"), text("random")]

    boxes = {source: counts(source, "boxes")[0] for source in ("blowfish", "random")}
    return table(
        ["", "Blowfish", "random"],
        [
            row("boxes", lambda source: str(boxes[source])),
            row("with a collision", lambda source: str(counts(source, "boxes_with_collisions")[0])),
            row("expected of random boxes", lambda source: f"{boxes[source] * COLLISION_CHANCE:.3f}"),
            row("entries of the DDT, a not 0: 2", lambda source: str(counts(source, "ddt")[2])),
            row("4", lambda source: str(counts(source, "ddt").get(4, 0))),
            row("mean nonlinearity of a coordinate", lambda source: f"{mean(counts(source, 'coordinate_nonlinearity')):.3f}"),
            row("of all components", lambda source: f"{mean(counts(source, 'nonlinearity')):.5f}"),
        ],
    )


def box_tables() -> str:
    return f"{stamp_text(rows_of(SAMPLES)[0])}; `{SAMPLES.name}`:\n\n{smallest()}\n{others()}"
