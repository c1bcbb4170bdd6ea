"""The package itself: its types, docstrings and errors, and that it prints nothing."""

from __future__ import annotations

import inspect
import pathlib
import subprocess
import sys

import pytest

import fugu
from conftest import ROOT

PACKAGE = ROOT / "src" / "python" / "fugu"


def mypy(*arguments: str | pathlib.Path) -> str:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", *arguments]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=ROOT / "src" / "python")
    return done.stdout + done.stderr


def test_mypy_passes_the_package_and_sees_wrong_calls_of_users(tmp_path: pathlib.Path) -> None:
    user = tmp_path / "user.py"
    user.write_text(
        "import fugu\n"
        "n: int = fugu.SBox([0, 1]).linearity\n"
        "t: str = fugu.SBox([0, 1]).linearity\n"
        "fugu.BooleanFunction('01').nonlinearty\n"
        "fugu.Blowfish(b'k', 'ctr', direction='up')\n"
    )
    errors = [line.split(":")[:2] for line in mypy(PACKAGE, PACKAGE.parent / "examples", user).splitlines() if ": error:" in line]
    assert [line for path, line in errors] == ["3", "4", "5"]
    assert {path for path, line in errors} == {str(user)}


def test_everything_public_has_a_docstring() -> None:
    for name in fugu.__all__:
        thing = getattr(fugu, name)
        assert name == "__version__" or inspect.getdoc(thing), name
    for kind in (fugu.BooleanFunction, fugu.SBox, fugu.Blowfish):
        for name in dir(kind):
            assert name.startswith("_") or getattr(kind, name).__doc__, f"{kind.__name__}.{name}"


def test_errors_are_of_one_family() -> None:
    for name in fugu.__all__:
        thing = getattr(fugu, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            assert issubclass(thing, fugu.Error)
    assert issubclass(fugu.UsageError, ValueError)
    assert issubclass(fugu.NoDeviceError, fugu.EngineError)


def test_the_version_is_the_librarys() -> None:
    project = (PACKAGE.parent / "pyproject.toml").read_text()
    assert f'\nversion = "{fugu.__version__}"\n' in project


def test_nothing_is_printed_nor_left_running() -> None:
    code = (
        "import threading, numpy, fugu\n"
        "fugu.walsh(numpy.zeros(1 << 20, numpy.int32))\n"
        "fugu.open(fugu.seal(b'x', key=bytes(16)), key=bytes(16))\n"
        "fugu.SBox(range(256)).linearity\n"
        "assert threading.active_count() == 1\n"
        "assert len(list(__import__('pathlib').Path('/proc/self/task').iterdir())) <= before\n"
    )
    before = "before = len(list(__import__('pathlib').Path('/proc/self/task').iterdir()))\n"
    code = code.replace("fugu.walsh", before + "fugu.walsh", 1)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
