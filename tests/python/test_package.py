"""The package itself: its types, docstrings and errors, that it prints nothing, its examples, and Ctrl-C during long work."""

from __future__ import annotations

import ast
import inspect
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import fugu
from conftest import ROOT, output_alone, run_alone


PACKAGE = ROOT / "src" / "python" / "fugu"
BUILT = pathlib.Path(fugu.__file__).parent  # with the types that the build wrote


def typed(package: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the package in `folder`, with the types of the extension module as nanobind states them."""
    pytest.importorskip("nanobind")
    copy = shutil.copytree(package, folder / "fugu", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "fugu._fugu", "-o", copy / "_fugu.pyi"]
    subprocess.run(list(map(str, command)), check=True, env=os.environ | {"PYTHONPATH": str(package.parent)})
    return copy


def mypy(*arguments: str | pathlib.Path) -> list[list[str]]:
    """The path and the line of each error."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", *arguments]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=ROOT / "src" / "python")
    return [line.split(":")[:2] for line in (done.stdout + done.stderr).splitlines() if ": error:" in line]


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
    assert mypy(typed(BUILT, tmp_path), PACKAGE.parent / "examples", user) == [[str(user), line] for line in ("3", "4", "5", "6")]


def test_a_property_is_a_function_and_a_row(tmp_path: pathlib.Path) -> None:
    """The package under FUGU_TOY has one more row in the library's table of properties."""
    toy = os.environ.get("FUGU_TOY")
    if not toy:
        pytest.skip("FUGU_TOY does not name the package with a toy property")
    code = "import fugu; s = fugu.SBox.sum_of_values; print(fugu.SBox([3, 1, 0, 2]).sum_of_values, s.__doc__)"
    done = run_alone(code, env=os.environ | {"PYTHONPATH": str(pathlib.Path(toy).parent)})
    assert (done.stdout, done.stderr) == ("6 Sum of S(x) over all x (This test 2026).\n", "")
    assert not hasattr(fugu.SBox, "sum_of_values")
    user = tmp_path / "user.py"
    user.write_text("import fugu\nn: int = fugu.SBox([0, 1]).sum_of_values\nt: str = fugu.SBox([0, 1]).sum_of_values\n")
    assert mypy(typed(pathlib.Path(toy), tmp_path), user) == [[str(user), "3"]]


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
    code = """
        import numpy, pathlib, threading, time, fugu
        def threads(): return len(list(pathlib.Path("/proc/self/task").iterdir()))
        before = threads()
        fugu.walsh(numpy.zeros(1 << 20, numpy.int32))
        fugu.open(fugu.seal(b"x", key=bytes(16)), key=bytes(16))
        fugu.SBox(range(256)).linearity
        assert threading.active_count() == 1
        while threads() > before: time.sleep(0.05)  # those of transforms wait a second for the next
    """
    assert output_alone(code, 60) == ""


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
    done = run_alone(f"import resource, numpy as np, fugu\nresource.setrlimit(resource.RLIMIT_CPU, (10, 10))\n{call}")
    assert done.stderr.splitlines()[-1].endswith(says), done.returncode


def test_a_copy_without_the_library_says_so_first(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("scikit_build_core")
    shutil.copy(PACKAGE.parent / "sdist_backend.py", tmp_path)
    hook = "import sdist_backend; sdist_backend.get_requires_for_build_wheel()"
    for folder, fails in ((tmp_path, True), (PACKAGE.parent, False)):
        done = subprocess.run([sys.executable, "-B", "-c", hook], capture_output=True, text=True, check=False, cwd=folder)
        assert (done.returncode != 0) == fails
        assert done.stderr.startswith("The package needs the library's sources") == fails, done.stderr


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


# Each call takes minutes on any machine unless it is interrupted, or takes 4 GB.
WORK = {
    "gamma_rank": "box.gamma_rank",
    "exhaustive": "fugu.blowfish_sboxes(b'key')[0].exhaustive_nonlinearity_histogram",
    "polynomial": "function.polynomial",
    "pbkdf2": "[fugu.seal(b'', passphrase='p', format='openssl', options={'pbkdf2': True, 'iter': 10**5}) for _ in range(10**6)]",
    "scrypt": "[fugu.seal(b'', passphrase='p', options={'scrypt-cost': 20}) for _ in range(10**6)]",
    "immunity": "fugu.BooleanFunction(random.integers(0, 2, 1 << 16)).algebraic_immunity",
    "boomerang": "fugu.SBox(random.permutation(1 << 16)).boomerang_uniformity",
    "transforms": "[fugu.walsh(x, out=x) for _ in range(10**6)]",
    "cipher": "[cipher.update(data) for _ in range(10**6)]",
    "chain": "fugu.seal_file('/dev/zero', folder.name + '/never', key=b'k' * 16, format='raw', options={'mode': 'cfb8', 'iv': '00' * 8})",
    "sealing": "fugu.seal_file('/dev/zero', folder.name + '/never', key=b'k' * 16)",
    "silent_pipe": "fugu.open_file(f'/dev/fd/{os.pipe()[0]}', folder.name + '/never', key=b'k' * 16)",
    "characters": "[fugu.character_table('3^8', dtype=np.uint8) for _ in range(10**6)]",
    "seal": "[fugu.seal(data, key=b'k' * 16, format='raw', options={'mode': 'cbc', 'iv': '00' * 8}) for _ in range(10**6)]",
}

# Before it.
FIRST = {
    "polynomial": "function = fugu.BooleanFunction(packed=random.bytes(1 << 24), variables=27); function.algebraic_normal_form",
}

PROGRAM = """
import os, resource, tempfile, numpy as np, fugu
random = np.random.default_rng(1)
box = fugu.SBox(random.permutation(256))
x = np.zeros(1 << 22, np.float32)
data = bytes(1 << 26)
cipher = fugu.Blowfish(b"key", "cbc", bytes(8))
folder = tempfile.TemporaryDirectory()
{first}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 21  # KiB
assert not os.listdir(folder.name)
box.linearity, fugu.walsh(np.ones(4))
assert len(cipher.update(bytes(64))) == 64
print("usable")
"""


def heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs, and what they start, ignore it


@pytest.mark.parametrize("work", WORK)
def test_ctrl_c(work: str) -> None:
    code = textwrap.dedent(PROGRAM).format(first=FIRST.get(work, ""), work=WORK[work])
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (out, err, process.returncode) == ("interrupted\nusable\n", "", 0)
