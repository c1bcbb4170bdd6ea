"""Tables of the spectral module, and of the papers about it with what they print (tools/bench/printed). tables/transforms.md explains them."""

import pathlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median

import figures
from figures import PRINTED, n_of, significant, stamp_text, table
from tables import samples_of, time

Times = dict[int, list[float]]  # n: seconds


class Spectra:
    """Samples by engine (cpu on all threads and on one, cuda:0, floor) and mode."""

    def __init__(self, paths: Iterable[pathlib.Path]) -> None:
        self.times: dict[tuple[str, str], Times] = defaultdict(lambda: defaultdict(list))
        self.stamps = ""
        for path in paths:
            rows = samples_of(path)
            self.stamps += f"- {stamp_text(rows[0])}: `{path.name}`\n"
            for row in rows:
                engine = "cpu, 1 thread" if (row["engine"], row["threads"]) == ("cpu", "1") else row["engine"]
                if row["direction"]:
                    self.times[engine, row["mode"]][n_of(row)].append(float(row["seconds"]))

    def milliseconds(self, engine: str, mode: str) -> Callable[[int], str]:
        times = self.times.get((engine, mode), {})
        return lambda n: significant(1e3 * median(times[n])) if n in times else ""

    def speed_up(self, slow: tuple[str, str], fast: tuple[str, str]) -> Callable[[int], str]:
        over, under = (self.times.get(key, {}) for key in (slow, fast))
        return lambda n: significant(median(over[n]) / median(under[n])) if n in over and n in under else ""

    def beside_floor(self) -> str:
        """All that runs on the GPU, microseconds."""
        lines = []
        for (engine, mode), sizes in self.times.items():
            floors = self.times.get(("floor", mode), {})
            for n, times in sizes.items() if engine == "cuda:0" and not is_printed(mode) else ():
                floor = floors[n][0] if n in floors else 0
                lines.append([mode, str(n), time(1e6)([{"seconds": t} for t in times]),
                              significant(1e6 * floor) if floor >= 1e-8 else "",
                              f"{median(times) / floor:.2f}" if floor >= 1e-6 else ""])  # fmt: skip
        return table(["", "n", "time", "floor", "ratio"], lines)

    def on_cpu(self) -> str:
        modes = {key: sizes for key, sizes in self.times.items() if key[0].startswith("cpu") and "walsh " in key[1] and not is_printed(key[1])}
        sizes = sorted({n for times in modes.values() for n in times})
        return over_sizes(sizes, [(f"{mode}, {engine}", self.milliseconds(engine, mode)) for engine, mode in modes])


def is_printed(mode: str) -> bool:
    """Whether a paper's table has it."""
    return "algorithm" in mode or "transfers" in mode or mode.startswith("figure")


def over_sizes(sizes: Iterable[int], columns: list[tuple[str, Callable[[int], str]]], name: str = "n") -> str:
    return table([name, *(title for title, _ in columns)], ([str(n), *(cell(n) for _, cell in columns)] for n in sizes))


def printed(file: str, value: str, **where: str) -> Callable[[int], str]:
    """`where`: columns and how their values end."""
    rows = figures.rows_of(PRINTED / file)
    cells = {int(row["n"]): row[value] for row in rows if all(row[column].endswith(end) for column, end in where.items())}
    return lambda n: cells.get(n, "")


def walsh_table(spectra: Spectra) -> str:
    algorithm_0, fast = ("cpu, 1 thread", "walsh algorithm 0"), ("cuda:0", "walsh int32")

    def theirs(platform: str, algorithm: str, value: str = "milliseconds") -> Callable[[int], str]:
        return printed("walsh_2018.csv", value, platform=platform, algorithm=algorithm)

    return over_sizes(range(7, 19), [
        ("A0 on a CPU", spectra.milliseconds(*algorithm_0)),
        *((f"A{i}", spectra.milliseconds("cuda:0", f"walsh algorithm {i}")) for i in range(1, 7)),
        ("fast", spectra.milliseconds(*fast)),
        ("A0 / A6", spectra.speed_up(algorithm_0, ("cuda:0", "walsh algorithm 6"))),
        ("A0 / fast", spectra.speed_up(algorithm_0, fast)),
        ("printed CPU", theirs("3110M", "CPU")),
        *((f"printed A{i}", theirs("740M", f"A{i}")) for i in (1, 4, 5, 6)),
        ("printed A6, TITAN", theirs("TITAN", "A6")),
        ("printed speed-up of A6", theirs("740M", "A6", "speed_up")),
        ("printed speed-up of A6, TITAN", theirs("TITAN", "A6", "speed_up")),
    ])  # fmt: skip


def convolution_table(spectra: Spectra) -> str:
    return over_sizes([4, 8, 10, 16, 18, 20, 23, 24, 25], [
        ("CPU", spectra.milliseconds("cpu", "convolution int64")),
        ("algorithm", spectra.milliseconds("cuda:0", "convolution algorithm 1")),
        ("fast", spectra.milliseconds("cuda:0", "convolution int64")),
        ("transfers", spectra.milliseconds("cuda:0", "convolution transfers")),
        ("printed CPU", printed("convolution.csv", "cpu_ms")),
        ("printed GPU computation", printed("convolution.csv", "gpu_computation_ms")),
        ("printed GPU memory", printed("convolution.csv", "gpu_memory_ms")),
    ])  # fmt: skip


def characters_table(spectra: Spectra) -> str:
    return over_sizes(range(1, 9), [
        ("CPU", spectra.milliseconds("cpu", "characters of C_3^m")),
        ("Kronecker", spectra.milliseconds("cuda:0", "characters of C_3^m by Kronecker products")),
        ("fast", spectra.milliseconds("cuda:0", "characters of C_3^m")),
    ], "m")  # fmt: skip


def figure_table(figure: str, spectra: Spectra) -> str:
    modes = [key for key in spectra.times if key[1].startswith(figure)]
    columns = [(mode.split(": ")[1], spectra.milliseconds(engine, mode)) for engine, mode in modes]
    return over_sizes(sorted({n for key in modes for n in spectra.times[key]}), columns)


TABLES: dict[str, Callable[[Spectra], str]] = {
    "spectra": lambda spectra: spectra.stamps,
    "Walsh transforms": walsh_table,
    "figure 6": partial(figure_table, "figure 6"),
    "figure 7": partial(figure_table, "figure 7"),
    "convolution": convolution_table,
    "characters": characters_table,
    "spectra on a CPU": Spectra.on_cpu,
    "spectra on a GPU": Spectra.beside_floor,
}
