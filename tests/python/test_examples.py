"""The examples run and print known values."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

import fugu
from conftest import ROOT

# The majority's nonlinearity and immunity: Dalai, Maitra and Sarkar, DCC 40 (2006). PRESENT: CHES 2007.
KNOWN = {
    "boolean_function.py": ("degree 4, algebraic immunity 3", "nonlinearity 10", "bent True, degree 2"),
    "sbox.py": ("differential uniformity 4, linearity 8, degree 3", "branch numbers 3 and 2", "[16  0  0  0"),
    "many_boxes.py": ("differential uniformity of 10000 boxes in ", "at most 8: "),
    "present_trails.py": ("3 rounds of PRESENT: at least 4 active S-boxes\n",),  # Sun et al., ASIACRYPT 2014, table 5
    "blowfish_key.py": ("S4: 0 collisions", "sealed\n", "attack at dawn\n"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_examples(name: str) -> None:
    if name == "present_trails.py":
        for package in ("highspy", "pysat"):
            pytest.importorskip(package)
    path = ROOT / "src" / "python" / "examples" / name
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for text in KNOWN[name]:
        assert text in done.stdout


def test_the_lecture() -> None:
    """Its cells, as Jupyter runs them: what stands last in one is shown."""
    text = (ROOT / "src" / "python" / "examples" / "lecture.py").read_text()
    assert re.findall(r"^# \*\*(\d+)\.", text, re.MULTILINE) == [str(number) for number in range(1, 11)]
    names: dict[str, object] = {}
    shown = []
    for cell in text.split("\n# %%\n")[1:]:
        *before, last = ast.parse(cell).body
        exec(compile(ast.Module(before, []), "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
        else:
            exec(compile(ast.Module([last], []), "cell", "exec"), names)
    assert len(shown) == 11 and all(value is not None for value in shown)
    assert sum("<img" in value._repr_html_() for value in shown if isinstance(value, fugu.SBox)) == 6


def test_the_readmes_lines_of_python() -> None:
    lines = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert lines is not None
    names: dict[str, object] = {}
    exec(lines[1], names)
    assert names["notes"] == b"notes"
