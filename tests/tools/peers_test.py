"""tools/peers: a short run with every tool that is installed, and its table for figures worked out by hand.

usage: peers_test.py TOOL BUILD_FOLDER
"""

import csv
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, TOOL = sys.argv.pop(2), sys.argv.pop(1)
LIBRARY = pathlib.Path(TOOL).parent / "lib"
NEEDED = ["taskset", "time"]

SAMPLES = """\
machine,date,commit,command,subject,direction,cores,bytes,sample,seconds,cpu_seconds,peak_mib
M,2026-01-01,abcdef0,cp a b,cp,copy,1,1073741824,0,0.5,0.4,2.0
M,2026-01-01,abcdef0,x,tool,encrypt,1,1073741824,0,2.0,2.0,4.0
M,2026-01-01,abcdef0,x,tool,encrypt,1,1073741824,1,4.0,2.0,6.0
M,2026-01-01,abcdef0,x,tool,encrypt,1,1073741824,2,1.0,2.0,5.0
M,2026-01-01,abcdef0,x,tool,decrypt,1,1073741824,0,1.0,2.0,5.0
"""


class Peers(unittest.TestCase):
    def test_table(self):
        sys.path.insert(0, str(LIBRARY))
        spec = importlib.util.spec_from_file_location("peer_tables", LIBRARY / "peer_tables.py")
        tables = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tables)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tools.csv")
            path.write_text(SAMPLES)
            text = tables.tool_table(path)
        self.assertIn("| cp | 1 | 2147 (2147-2147) | - | 0.37 | 2 |", text)
        self.assertIn("| tool | 1 | 537 (268-1074) | 1074 (1074-1074) | 1.86 | 6 |", text)

    def test_every_tool_here_goes_both_ways(self):
        missing = [name for name in NEEDED if not shutil.which(name)]
        if missing or not pathlib.Path("/dev/shm").is_dir():
            self.skipTest(f"needs {missing or '/dev/shm'}")
        with tempfile.TemporaryDirectory() as folder:
            options = ["--no-install", "--skip", "libraries", "--bytes", "1000003", "--rounds", "1"]
            result = subprocess.run(
                [sys.executable, TOOL, *options, "--build", BUILD, "--machine", "M", "--commit", "0", "--results", folder],
                capture_output=True, text=True)  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stderr)
            with pathlib.Path(folder, "tools_m.csv").open(newline="") as file:
                rows = list(csv.DictReader(file))
        both = {(row["subject"], row["direction"]) for row in rows}
        self.assertIn(("cp", "copy"), both)
        for subject in {subject for subject, _ in both} - {"cp"}:
            self.assertLessEqual({(subject, "encrypt"), (subject, "decrypt")}, both)
        self.assertGreaterEqual(len(rows), 1 + 6)
        self.assertTrue(all(float(row["peak_mib"]) > 0 for row in rows))


if __name__ == "__main__":
    unittest.main()
