"""tools/check_text on a tree of a few files.

usage: check_text_test.py CHECK_TEXT
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECK = str(pathlib.Path(sys.argv.pop()).resolve())


class CheckText(unittest.TestCase):
    def faults(self, name: str, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src").mkdir()
            (root / "src/there.hpp").write_text("")
            (root / name).write_text(text)
            done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
        found = [line.split(": ")[0] for line in done.stdout.splitlines() if line.startswith(name)]
        self.assertEqual(done.returncode, int(bool(found)), done.stdout + done.stderr)
        return found

    def test_names_in_comments_and_pages(self) -> None:
        self.assertEqual(self.faults("src/a.cpp", "// As there.hpp and src/there.hpp.\n// Not as gone.hpp.\n"), ["src/a.cpp:2"])
        self.assertEqual(self.faults("a.js", '"gone.js";  // as gone.js\n'), ["a.js:1"])
        self.assertEqual(self.faults("a.md", "Samples: `gone.csv`, other/there.hpp.\n"), ["a.md:1"] * 2)

    def test_what_the_history_has_is_cited_with_a_commit(self) -> None:
        for text in ("// (gone.csv at 25ce3044)\n", "// (gone.csv\n// at 25ce3044)\n", "// `gone.csv` (at\n// 25ce3044)\n"):
            self.assertEqual(self.faults("a.cpp", text), [])
        self.assertEqual(self.faults("a.cpp", "// (gone.csv in the history)\n"), ["a.cpp:1"])

    @unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is missing")
    def test_the_layout_of_cpp(self) -> None:
        self.assertEqual(self.faults("a.cpp", "int  a;\n"), ["a.cpp:1"])
        self.assertEqual(self.faults("a.cpp", "int a;\n"), [])


if __name__ == "__main__":
    unittest.main()
