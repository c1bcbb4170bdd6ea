"""tools/breaks --build, on a checkout of one file and with a ctest that looks at it: what is said, and that the file is as before.

usage: breaks_test.py TOOL
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TOOL = pathlib.Path(sys.argv.pop(1))
NAME = "a schedule is not wiped"
LINE = "core::wipe(this, sizeof *this);"


class Breaks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.source = self.root / "src/fugu/cipher/schedule.cpp"
        for path in (self.source.parent, self.root / "tools", self.root / "bin"):
            path.mkdir(parents=True)
        shutil.copy(TOOL, self.root / "tools/breaks")
        self.source.write_text(f"{{ {LINE} }}\n")

    def start(self, ctest: str, cmake: str = "exit 0") -> subprocess.Popen:
        for name, script in (("cmake", cmake), ("ctest", ctest)):
            (self.root / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.root / "bin" / name).chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        return subprocess.Popen([sys.executable, self.root / "tools/breaks", "--build", self.root, NAME], cwd=self.root, env=environment,
                                stdout=subprocess.PIPE, text=True)  # fmt: skip

    def expect(self, status: int, said: str, *scripts: str) -> None:
        process = self.start(*scripts)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, " ".join(out.split())), (status, f"{said} {1 - status} of 1 breaks seen"))
        self.assertIn(LINE, self.source.read_text())

    def test_what_is_said(self):
        grep = f"grep -q 'sizeof' {self.source}"
        self.expect(0, f"this build {NAME}", grep)
        self.expect(0, f"this build, at compile time {NAME}", "exit 0", grep)
        self.expect(1, f"UNSEEN {NAME}", "exit 0")
        self.expect(1, f"FAILS ({self.root.name}: without the break as well) {NAME}", "exit 1")
        self.expect(1, f"FAILS ({self.root.name}: without the break as well) {NAME}", "exit 0", "exit 1")

    def test_a_run_that_is_terminated(self):
        process = self.start(f"grep -q sizeof {self.source} || exec sleep 60")
        for _ in range(600):
            if LINE not in self.source.read_text():
                break
            time.sleep(0.05)
        self.assertNotIn(LINE, self.source.read_text())
        process.terminate()
        process.communicate(timeout=60)
        self.assertIn(LINE, self.source.read_text())


if __name__ == "__main__":
    unittest.main()
