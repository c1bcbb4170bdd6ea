"""tools/peers: a short run with every tool that is installed, wrong outputs, and unknown sets.

usage: peers_test.py TOOL BUILD_FOLDER
"""

import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, TOOL = sys.argv.pop(2), pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOL.parent / "lib"))
import figures

NEEDED = ["taskset", "time"]
BENCH = ["bench", "--scope", "kernel", "--engine", "cpu/scalar", "--size", "8", "--runs", "1", "--csv"]


class Peers(unittest.TestCase):
    def setUp(self):
        missing = [name for name in NEEDED if not shutil.which(name)]
        if missing or not pathlib.Path("/dev/shm").is_dir():
            self.skipTest(f"needs {missing or '/dev/shm'}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def peers(self, status: int, *arguments: str, build: str | pathlib.Path = BUILD) -> tuple[str, list[dict[str, str]]]:
        """Compares the exit status. Returns standard error and the samples."""
        options = ["--no-install", "--rounds", "1", "--build", build, "--machine", "M", "--results", self.folder]
        result = subprocess.run([sys.executable, TOOL, *arguments, *options], capture_output=True, text=True)
        with (self.folder / f"{arguments[0]}_m.csv").open(newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
        self.assertEqual(reader.fieldnames, [*figures.LAYOUT, "peak_mib"])
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stderr, rows

    def test_every_tool_here_goes_both_ways(self):
        _, rows = self.peers(0, "tools", "--bytes", "1000003")
        both = {(row["engine"], row["direction"]) for row in rows}
        self.assertIn(("cp", "copy"), both)
        for engine in {engine for engine, _ in both} - {"cp"}:
            self.assertLessEqual({(engine, "encrypt"), (engine, "decrypt")}, both)
        self.assertGreaterEqual(len(rows), 1 + 6)
        bench = csv.DictReader(subprocess.run([f"{BUILD}/fugu", *BENCH], check=True, capture_output=True, text=True).stdout.splitlines())
        self.assertEqual({row["commit"] for row in rows}, {row["commit"] for row in bench})
        for row in rows:
            self.assertGreater(float(row["peak_mib"]), 0)
            self.assertAlmostEqual(float(row["gb_per_s"]) * float(row["seconds"]) * 1e9 / 1000003, 1, 3)

    def test_on_a_disk_outputs_are_waited_for(self):
        _, rows = self.peers(0, "file", "--bytes", "1000", "--directory", str(self.folder))
        for row in rows:
            self.assertEqual(row["command"].endswith((" && sync sealed", " && sync opened")), row["place"] != "tmpfs")

    def test_the_layout_is_that_of_fugu_bench(self):
        text = subprocess.run([f"{BUILD}/fugu", *BENCH], check=True, capture_output=True, text=True).stdout
        self.assertEqual(text.splitlines()[0].split(","), figures.LAYOUT)

    def fake(self, script: str) -> pathlib.Path:
        """A build whose fugu knows its engines and its machine, and does `script`."""
        folder = self.folder / "build"
        folder.mkdir()
        (folder / "fugu").write_text(f'#!/bin/sh\ncase $1 in engines | bench) exec "{BUILD}/fugu" "$@" ;; esac\n{script}\n')
        (folder / "fugu").chmod(0o755)
        return folder

    def test_auto_must_choose_well(self):
        slow = self.fake('case "$*" in *"--engine auto") sleep 0.5 ;; esac')
        err, rows = self.peers(1, "auto", "--bytes", "8192", build=slow)
        self.assertIn("peers: nonlinearity, 8192 bytes: auto takes 0.5", err)
        self.assertEqual({row["mode"] for row in rows}, {"nonlinearity"})

    def test_a_wrong_output_ends_the_run(self):
        wrong = self.fake('while [ "$1" != -o ]; do shift; done\necho wrong > "$2"')
        err, rows = self.peers(1, "tools", "--bytes", "1000", build=wrong)
        self.assertIn("peers: wrong output: ", err)
        self.assertEqual({row["direction"] for row in rows}, {"copy", "encrypt"})

    def test_boxes(self):
        err, rows = self.peers(0, "boxes")
        self.assertLessEqual({"linearity", "du", "deg", "affine equivalence"}, {row["mode"] for row in rows if row["engine"] == "fugu"})
        self.assertIn("peers: sboxU is left out: --sboxu names no checkout", err)

    def test_an_unknown_set_is_refused(self):
        result = subprocess.run([sys.executable, TOOL, "tool"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("invalid choice: 'tool'", result.stderr)


if __name__ == "__main__":
    unittest.main()
