"""tools/thesis: medians, sums and speed-ups worked out by hand, and figures as the thesis prints them.

usage: thesis_test.py TOOL
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
HEADER = "machine,date,commit,command,variant,thread_blocks,bytes,run,step,seconds,verified\n"
STEPS = ["allocation", "to device", "kernel", "to host"]
STEP_VARIANTS = ["thesis corrected", "fugu kernel", "fugu kernel as many thread-blocks"]
WHOLE_VARIANTS = [
    ("cuda:0", "overlapped", 0.002), ("cuda:0 pinned", "overlapped", 0.001), ("openssl-3.0.13 1 core", "cpu", 0.1),
    ("openssl-3.0.13 all cores", "cpu", 0.05), ("cpu/scalar 1 core", "cpu", 0.04), ("cpu/scalar", "cpu", 0.02),
]  # fmt: skip


def samples(runs: dict[int, float], verified: str = "yes") -> str:
    """{run: kernel seconds}; every other step takes 1 ms."""
    rows = []
    for run, kernel in runs.items():
        for variant in STEP_VARIANTS:
            rows += [(variant, run, step, kernel if step == "kernel" else 0.001) for step in STEPS]
        rows += [(variant, run, step, seconds) for variant, step, seconds in WHOLE_VARIANTS]
    return HEADER + "".join(
        f"GPU,2026-01-01,abcdef0,it,{v},1000,4096000,{r},{s},{t},{verified}\n" for v, r, s, t in rows
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

    def test_unverified_samples_are_refused(self):
        self.assertNotEqual(printed_by(samples({1: 0.004}, verified="no")).returncode, 0)

    def test_outside_a_checkout_the_commit_is_unknown(self):
        root = pathlib.Path(TOOL).resolve().parent
        with tempfile.TemporaryDirectory() as folder:
            tools = pathlib.Path(folder, "tools")
            shutil.copytree(root / "lib", tools / "lib", ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copytree(root / "bench/printed", tools / "bench/printed")
            shutil.copy(TOOL, tools / "thesis")
            rows = samples({1: 0.009}).replace("GPU,2026-01-01,abcdef0,it,", "$2,")
            for name, text in (("program", f"cat >$1 <<END\n{rows}END\n"), ("nvidia-smi", "echo GPU\n")):
                script = pathlib.Path(folder, name)
                script.write_text("#!/bin/sh\n" + text)
                script.chmod(0o755)
            environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "GIT_CEILING_DIRECTORIES": folder}
            done = subprocess.run([sys.executable, "-B", tools / "thesis", "--run", f"{folder}/program", f"{folder}/a.csv"],
                                  env=environment, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("commit unknown", done.stdout)


if __name__ == "__main__":
    unittest.main()
