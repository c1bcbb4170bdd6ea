"""tools/report: tables for figures worked out by hand, figures as the papers print them, and samples that nothing shows.

usage: report_test.py TOOL
"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("report", str(TOOL))
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", loader))
loader.exec_module(report)
import figures
import paper_tables
import tables

HEADER = ",".join(figures.LAYOUT) + "\n"
SAMPLES = HEADER + """\
M,2026-01-01,abcdef0,it,kernel,cuda:0,,ecb,encrypt,device memory,536870912,132,1024,0,0.5,0.5,1
M,2026-01-01,abcdef0,it,kernel,cuda:0,,ecb,encrypt,device memory,536870912,132,1024,1,0.25,0.1,2
M,2026-01-01,abcdef0,it,kernel,cuda:0,,ecb,encrypt,device memory,536870912,132,1024,2,1,0.2,0.5
M,2026-01-01,abcdef0,it,copy,openssl 3.0.13,16,ctr,encrypt,host memory,4096,,,0,0.001,0.5,1.5
"""
SPECTRA = HEADER + """\
M,2026-01-01,abcdef0,it,paper,cuda:0,,walsh algorithm 6,n=18,device memory,1,,,0,30e-6,,1
M,2026-01-01,abcdef0,it,paper,cuda:0,,walsh algorithm 6,n=18,device memory,1,,,1,10e-6,,1
M,2026-01-01,abcdef0,it,paper,cuda:0,,walsh algorithm 6,n=18,device memory,1,,,2,11e-6,,1
M,2026-01-01,abcdef0,it,paper,cpu,1,walsh algorithm 0,n=18,host memory,1,,,0,550e-6,,1
M,2026-01-01,abcdef0,it,spectral,cuda:0,,convolution int64,n=25,device memory,1,,,0,1000e-6,,1
M,2026-01-01,abcdef0,it,spectral,floor,,convolution int64,n=25,device memory,1,,,0,500e-6,,1
"""
TOOLS = HEADER.strip() + """,peak_mib
M,2026-01-01,abcdef0,cp a b,program,cp,1,,copy,tmpfs,1073741824,,,0,0.5,0.4,,2.0
M,2026-01-01,abcdef0,x,program,tool,1,,encrypt,tmpfs,1073741824,,,0,2.0,2.0,,4.0
M,2026-01-01,abcdef0,x,program,tool,1,,encrypt,tmpfs,1073741824,,,1,4.0,2.0,,6.0
M,2026-01-01,abcdef0,x,program,tool,1,,encrypt,tmpfs,1073741824,,,2,1.0,2.0,,5.0
M,2026-01-01,abcdef0,x,program,tool,1,,decrypt,tmpfs,1073741824,,,0,1.0,2.0,,5.0
"""
PROVIDER = HEADER + """\
M,2026-01-01,abcdef0,it,provider,fugu,1,bf-ecb,encrypt,host memory,1000,,,0,1e-5,,0.1
M,2026-01-01,abcdef0,it,provider,legacy,1,bf-ecb,encrypt,host memory,1000,,,0,2e-5,,0.05
M,2026-01-01,abcdef0,it,provider,fugu,1,bf-ctr,encrypt,host memory,1000,,,0,1e-5,,0.1
"""


class Figures(unittest.TestCase):
    def path(self, text: str, name: str = "samples.csv") -> pathlib.Path:
        folder = tempfile.TemporaryDirectory(dir=figures.ROOT / "tools/bench")  # captions say where samples lie in the repository
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, name)
        path.write_text(text)
        return path

    def printed(self, path: pathlib.Path) -> str:
        return subprocess.run([sys.executable, TOOL, path], check=True, capture_output=True, text=True).stdout


class Tables(Figures):
    def test_medians_of_fugu_bench_by_scope(self):
        for text in (tables.bench_tables(self.path(SAMPLES)), self.printed(self.path(SAMPLES))):
            self.assertIn("| cuda:0 |  | ecb encrypt | 512 MiB | 132 x 1024 | 1.07 (0.537-2.15) | 3 | 0.200 | device memory |", text)
            self.assertIn("| openssl 3.0.13 | 16 | ctr encrypt | 4 KiB |  | 0.00410 (0.00410-0.00410) | 1 | 0.500 | host memory |", text)
            self.assertLess(text.index("Kernel:"), text.index("Copy:"))

    def test_tools(self):
        text = tables.TOOL_TABLE.text(self.path(TOOLS))
        self.assertIn("on a file of 1 GiB", text)
        self.assertIn("of 1.", text)  # the fewest samples of a row
        self.assertIn("| cp | 1 | tmpfs | 2147 (2147-2147) | - | 0.37 | 2 |", text)
        self.assertIn("| tool | 1 | tmpfs | 537 (268-1074) | 1074 (1074-1074) | 1.86 | 6 |", text)

    def test_the_provider_beside_legacy(self):
        text = tables.PROVIDER_TABLE.text(self.path(PROVIDER))
        self.assertIn("|  | 1000 bytes |\n", text)
        self.assertIn("| bf-ecb encrypt | 100 (2.00) |\n| bf-ctr encrypt | 100 |\n", text)

    def test_the_best_shape_of_a_kernel(self):
        slow, fast = ("M,2026-01-01,abcdef0,it,kernel,cuda:0,,ecb,encrypt,device memory,1000000000,%d,1024,0,%s,,1\n" % shape
                      for shape in ((66, 0.5), (132, 0.25)))  # fmt: skip
        table = next(table for table in tables.TABLES["kernels"] if table.files == "gpu_kernel_*.csv")
        self.assertIn("| ecb encrypt | device memory | 4.0 (4.0-4.0) |", table.text(self.path(HEADER + slow + fast)))


class Papers(Figures):
    def setUp(self):
        self.spectra = paper_tables.Spectra([self.path(SPECTRA)])

    def row(self, name: str, n: int) -> list[str]:
        lines = paper_tables.TABLES[name](self.spectra).splitlines()
        return [cell.strip() for cell in next(line for line in lines if line.startswith(f"| {n} |")).split("|")[1:-1]]

    def test_walsh_beside_the_paper(self):
        row = self.row("Walsh transforms", 18)
        self.assertEqual(row[7], "0.0110")
        self.assertEqual(row[9:11], ["50.0", ""])
        self.assertEqual(row[11:], ["14.81", "3.571", "2.058", "1.207", "1.1187", "0.142", "13.245", "104.30"])

    def test_convolution_beside_the_paper(self):
        self.assertEqual(self.row("convolution", 25), ["25", "", "", "1.00", "", "5002", "998", "147"])

    def test_ratio_to_the_floor(self):
        self.assertIn("| convolution int64 | 25 | 1000 (1000-1000) | 500 | 2.00 |", paper_tables.TABLES["spectra on a GPU"](self.spectra))


class Pages(Figures):
    def test_samples_that_nothing_shows_are_found(self):
        for path in report.MARKED:
            report.with_figures(path)
        self.assertEqual(report.unshown(), [])
        with self.assertRaisesRegex(SystemExit, "PROVIDER.md has markers"):
            report.MARKED[report.ROOT / "src/provider/PROVIDER.md"]["more"] = str
            report.with_figures(report.ROOT / "src/provider/PROVIDER.md")
        tables.shown.discard("gpu_size_h200.csv")
        self.assertEqual(report.unshown(), ["gpu_size_h200.csv"])


STEPS = ["allocation", "to device", "kernel", "to host"]
STEP_VARIANTS = [("thesis corrected", "host memory"), ("fugu kernel", "pinned host memory"),
                 ("fugu kernel as many thread-blocks", "pinned host memory")]  # fmt: skip
WHOLE = [  # engine, threads, place, seconds
    ("cuda:0", "", "host memory", 0.002), ("cuda:0", "", "pinned host memory", 0.001), ("openssl 3.0.13", "1", "host memory", 0.1),
    ("openssl 3.0.13", "16", "host memory", 0.05), ("cpu/scalar", "1", "host memory", 0.04), ("cpu/scalar", "16", "host memory", 0.02),
]  # fmt: skip


def samples(runs: dict[int, float]) -> str:
    """{run: kernel seconds}; every other step takes 1 ms."""
    rows = []
    for run, kernel in runs.items():
        for engine, place in STEP_VARIANTS:
            rows += [(engine, "", step, place, run, kernel if step == "kernel" else 0.001) for step in STEPS]
        rows += [(engine, threads, "whole", place, run, seconds) for engine, threads, place, seconds in WHOLE]
    return HEADER + "".join(
        f"GPU,2026-01-01,abcdef0,it,thesis,{engine},{threads},ecb,{step},{place},4096000,1000,512,{run - 1},{seconds},,1\n"
        for engine, threads, step, place, run, seconds in rows
    )


def row_after(text: str, title: str, first_cell: str) -> list[str]:
    lines = text[text.index(title) :].splitlines()
    return next(line for line in lines if line.startswith(f"| {first_cell} |")).strip("| ").split(" | ")


class Thesis(Figures):
    """Medians, sums and speed-ups worked out by hand, and figures as the thesis prints them."""

    def test_table_one_holds_medians(self):
        text = self.printed(self.path(samples({1: 0.009, 2: 0.002, 6: 0.004}), "thesis.csv"))
        row = row_after(text, "Table I:", "1000")
        self.assertEqual(row[:8], ["1000", "4000", "1.00", "1.00", "4.00", "1.00", "7.00", "1.00"])
        self.assertIn("14.3", row)  # OpenSSL takes 100 ms, the steps 7 ms
        self.assertEqual(row[-5:], ["7.630848", "0.015232", "7.64608", "305.3618", "39.93704"])

    def test_the_misprint_stands_as_printed(self):
        text = self.printed(self.path(samples({6: 0.004}), "thesis.csv"))
        row = row_after(text, "Table VIII:", "6")
        self.assertEqual(row[-5:], ["7.048288", "0.015232", "7.06352", "3317594", "469679.99"])


if __name__ == "__main__":
    unittest.main()
