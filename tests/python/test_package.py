"""The package itself: its types, docstrings and errors, and that it prints nothing."""

from __future__ import annotations

import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import fugu
from conftest import ROOT

PACKAGE = ROOT / "src" / "python" / "fugu"
BUILT = pathlib.Path(fugu.__file__).parent  # with the types that the build wrote


def typed(package: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the package in `folder`, with the types of the extension module as nanobind states them."""
    pytest.importorskip("nanobind")
    copy = shutil.copytree(package, folder / "fugu", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "fugu._fugu", "-o", copy / "_fugu.pyi"]
    subprocess.run(list(map(str, command)), check=True, env=os.environ | {"PYTHONPATH": str(package.parent)})
    return copy


def mypy(*arguments: str | pathlib.Path) -> str:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", *arguments]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=ROOT / "src" / "python")
    return done.stdout + done.stderr


def test_mypy_passes_the_package_and_sees_wrong_calls_of_users(tmp_path: pathlib.Path) -> None:
    user = tmp_path / "user.py"
    user.write_text(
        "import fugu; from collections.abc import Mapping\n"
        "n: int = fugu.SBox([0, 1]).linearity\n"
        "t: str = fugu.SBox([0, 1]).linearity\n"
        "fugu.BooleanFunction('01').nonlinearty\n"
        "fugu.Blowfish(b'k', 'ctr', direction='up')\n"
        "x: int = fugu.SBox([0, 1]).order\n"
        "d: Mapping[int, int] = fugu.SBox([0, 1]).ddt_histogram\n"
        "a: tuple[int, int] = fugu.BooleanFunction('01').annihilators\n"
    )
    errors = [line.split(":")[:2] for line in mypy(typed(BUILT, tmp_path), PACKAGE.parent / "examples", user).splitlines() if ": error:" in line]
    assert [line for path, line in errors] == ["3", "4", "5", "6"]
    assert {path for path, line in errors} == {str(user)}


def test_a_property_is_a_function_and_a_row(tmp_path: pathlib.Path) -> None:
    """The package under FUGU_TOY has one more row in the library's table of properties."""
    toy = os.environ.get("FUGU_TOY")
    if not toy:
        pytest.skip("FUGU_TOY does not name the package with a toy property")
    code = "import fugu; s = fugu.SBox.sum_of_values; print(fugu.SBox([3, 1, 0, 2]).sum_of_values, s.__doc__)"
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(toy).parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.stderr) == ("6 Sum of S(x) over all x (This test 2026).\n", "")
    assert not hasattr(fugu.SBox, "sum_of_values")
    user = tmp_path / "user.py"
    user.write_text("import fugu\nn: int = fugu.SBox([0, 1]).sum_of_values\nt: str = fugu.SBox([0, 1]).sum_of_values\n")
    errors = [line.split(":")[:2] for line in mypy(typed(pathlib.Path(toy), tmp_path), user).splitlines() if ": error:" in line]
    assert errors == [[str(user), "3"]]


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


# A length that is refused at once, long before its values could be looked at.
LONG = {
    "box": ("fugu.SBox(np.broadcast_to(np.uint32(0), (1 << 30,)))", "30 inputs: 1 to 20 are possible"),
    "box of a size": ("fugu.SBox(np.broadcast_to(np.uint32(0), (1 << 60,)), 8)", "60 inputs: 1 to 20 are possible"),
    "box of a range": ("fugu.SBox(range(1 << 62))", "62 inputs: 1 to 20 are possible"),
    "box of no power": ("fugu.SBox(range((1 << 62) - 1))", "are not a power of two, 2 to 2^20"),
    "function": ("fugu.BooleanFunction(np.broadcast_to(np.int8(0), (1 << 60,)))", "60 variables: 0 to 30 are possible"),
    "function of a range": ("fugu.BooleanFunction(range(1 << 62))", "62 variables: 0 to 30 are possible"),
}


@pytest.mark.parametrize("name", LONG)
def test_lengths_are_looked_at_first(name: str) -> None:
    call, says = LONG[name]
    code = f"import resource, numpy as np, fugu\nresource.setrlimit(resource.RLIMIT_CPU, (10, 10))\n{call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith(says), done.returncode


def test_a_copy_without_the_library_says_so_first(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("scikit_build_core")
    shutil.copy(PACKAGE.parent / "sdist_backend.py", tmp_path)
    hook = "import sdist_backend; sdist_backend.get_requires_for_build_wheel()"
    for folder, fails in ((tmp_path, True), (PACKAGE.parent, False)):
        done = subprocess.run([sys.executable, "-B", "-c", hook], capture_output=True, text=True, check=False, cwd=folder)
        assert (done.returncode != 0) == fails
        assert done.stderr.startswith("The package needs the library's sources") == fails, done.stderr
