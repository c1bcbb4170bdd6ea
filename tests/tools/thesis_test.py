"""tools/report on samples of the thesis: medians, sums and speed-ups worked out by hand, and figures as the thesis prints them.

usage: thesis_test.py TOOL
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
HEADER = ("machine,date,commit,command,scope,engine,threads,mode,direction,place,bytes,thread_blocks,threads_per_block,sample,seconds,"
          "cpu_seconds,gb_per_s\n")  # fmt: skip
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


def printed_by(text: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "thesis.csv")
        path.write_text(text)
        return subprocess.run([sys.executable, TOOL, path], capture_output=True, text=True)


def row_after(text: str, title: str, first_cell: str) -> list[str]:
    lines = text[text.index(title) :].splitlines()
    return next(line for line in lines if line.startswith(f"| {first_cell} |")).strip("| ").split(" | ")


class Thesis(unittest.TestCase):
    def test_table_one_holds_medians(self):
        result = printed_by(samples({1: 0.009, 2: 0.002, 6: 0.004}))
        row = row_after(result.stdout, "Table I:", "1000")
        self.assertEqual(row[:8], ["1000", "4000", "1.00", "1.00", "4.00", "1.00", "7.00", "1.00"])
        self.assertIn("14.3", row)  # OpenSSL takes 100 ms, the steps 7 ms
        self.assertEqual(row[-5:], ["7.630848", "0.015232", "7.64608", "305.3618", "39.93704"])

    def test_the_misprint_stands_as_printed(self):
        result = printed_by(samples({6: 0.004}))
        row = row_after(result.stdout, "Table VIII:", "6")
        self.assertEqual(row[-5:], ["7.048288", "0.015232", "7.06352", "3317594", "469679.99"])


if __name__ == "__main__":
    unittest.main()
