"""tools/bench/spectral_tables: medians worked out by hand, and figures as the papers print them.

usage: spectral_tables_test.py TOOL
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
SAMPLES = """\
machine,date,commit,command,what,variant,n,sample,microseconds,floor_microseconds
M,2026-01-01,abcdef0,it,paper,algorithm 6,18,0,30,0
M,2026-01-01,abcdef0,it,paper,algorithm 6,18,1,10,0
M,2026-01-01,abcdef0,it,paper,algorithm 6,18,2,11,0
M,2026-01-01,abcdef0,it,walsh,algorithm 0,18,0,550,0
M,2026-01-01,abcdef0,it,convolution,int64,25,0,1000,500
"""


class SpectralTables(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "spectral.csv")
            path.write_text(SAMPLES)
            self.text = subprocess.run([sys.executable, TOOL, path], check=True, capture_output=True, text=True).stdout

    def row(self, title: str, n: int) -> list[str]:
        lines = self.text[self.text.index(title) :].splitlines()
        return [cell.strip() for cell in next(line for line in lines if line.startswith(f"| {n} |")).split("|")[1:-1]]

    def test_walsh_beside_the_paper(self):
        row = self.row("Tables 2 and 3", 18)
        self.assertEqual(row[7], "0.0110")
        self.assertEqual(row[9:11], ["50.0", ""])
        self.assertEqual(row[11:], ["14.81", "3.571", "2.058", "1.207", "1.1187", "0.142", "13.245", "104.30"])

    def test_convolution_beside_the_paper(self):
        self.assertEqual(self.row("dyadic convolution", 25), ["25", "", "", "1.00", "", "5002", "998", "147"])

    def test_ratio_to_the_floor(self):
        self.assertIn("| int64 | 25 | 1000 | 1000 - 1000 | 500 | 2.00 |", self.text)


if __name__ == "__main__":
    unittest.main()
