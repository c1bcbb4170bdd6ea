"""Checks of what no compiler reads: each prints its faults, or how much it looked at, and has exit status 1 after a fault.

usage: check_tree.py vectors VECTORS    every file has a row in SOURCES.md with its sha256, and every row has its file
       check_tree.py results ROOT       every file of samples has the layout of `fugu bench --csv`, and says on which machine, when, from which
                                        commit and by which command each was taken
       check_tree.py instances PROGRAM  no two files have an instance of one name for different objects of their unnamed namespaces (needs nm)
       check_tree.py texts ROOT         prints all texts that a user can meet, in the order of the sources: FILE:LINE: TEXT. Those of one kind
                                        have the same wording: none is one that INSTEAD replaces
"""

import collections
import csv
import hashlib
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/lib"))
import figures

ROW = re.compile(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|", re.MULTILINE)


def vectors(directory: pathlib.Path) -> tuple[list[str], int, str]:
    rows = ROW.findall((directory / "SOURCES.md").read_text())
    listed = dict(rows)
    present = {
        path.relative_to(directory).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.rglob("*")
        if path.is_file() and path.name != "SOURCES.md"
    }
    faults = [f"two rows: {name}" for name in listed if [row[0] for row in rows].count(name) > 1]
    faults += [f"no such file: {name}" for name in listed.keys() - present.keys()]
    faults += [f"no row: | `{name}` | `{present[name]}` |" for name in present.keys() - listed.keys()]
    faults += [
        f"sha256 differs: {name} is {present[name]}"
        for name in listed.keys() & present.keys()
        if listed[name] != present[name]
    ]
    return sorted(faults), len(present), "files, every one listed"


COUNTS = ("blowfish_boxes_", "tensor_errors_")  # no times


def commits_of(root: pathlib.Path) -> list[str] | None:
    """Full names of the commits before this one; None without git or a complete checkout."""
    git = ["git", "-C", str(root)]
    try:
        shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
    except OSError:
        return None
    if shallow.returncode != 0 or shallow.stdout.strip() != "false":
        return None
    return subprocess.run([*git, "rev-list", "HEAD"], check=True, capture_output=True, text=True).stdout.split()


def faults_of(path: pathlib.Path, commits: list[str] | None) -> list[str]:
    with path.open(newline="") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        layout = figures.STAMP if path.name.startswith(COUNTS) else figures.LAYOUT
        if header[: len(layout)] != layout or not {*header[len(figures.LAYOUT) :]} <= {"peak_mib"}:
            return [f"begins with {header}, not {layout}"]
        rows = list(reader)
    if not rows:
        return ["no samples"]
    faults = [
        f"line {i}: {len(row)} cells under {len(header)} names"
        for i, row in enumerate(rows, 2)
        if len(row) != len(header)
    ]
    for machine, date, commit, command in sorted({tuple(row[: len(figures.STAMP)]) for row in rows}):
        if not machine or not command:
            faults.append("a row without machine or command")
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
            faults.append(f"date {date!r}")
        known = re.fullmatch(r"[0-9a-f]{7,40}", commit)
        if not known or (commits is not None and not any(c.startswith(commit) for c in commits)):
            faults.append(f"commit {commit!r} is not in this history")
    return faults


def results(root: pathlib.Path) -> tuple[list[str], int, str]:
    commits = commits_of(root)
    paths = sorted((root / "tools/bench/results").glob("*.csv"))
    return [f"{path.name}: {fault}" for path in paths for fault in faults_of(path, commits)], len(paths), "files of samples are stamped"


# g++ 14 gives such instances, `recognise_if<(anonymous namespace)::is_mine>`, external linkage, and the linker keeps only one of them: other
# compilers keep them apart, and show here that there are two.
# The mangled name of a template that is in no unnamed namespace, with an argument that is.
INSTANCE = re.compile(r"_ZN((?!_GLOBAL__N_)[^I])*I.*L_ZN.*_GLOBAL__N_")


def instances(program: pathlib.Path) -> tuple[list[str], int, str]:
    listing = subprocess.run(["nm", "--defined-only", program], check=True, capture_output=True, text=True).stdout
    names = collections.Counter(line.split()[-1] for line in listing.splitlines())
    found = [name for name in names if INSTANCE.match(name)]
    return [name for name in found if names[name] > 1], len(found), "instances, each with a name of its own"


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'|\s+|(?P<code>\w+|.)', re.S)
SEVERAL_WORDS = re.compile(r"[a-z]{2,} [a-z{('-]")
INSTEAD = {r"(?<![Tt]here )\b(is|are) no (?!longer)": "is not a", r"\b(is|are) none\b|\bthat none\b": "has no valid, or cannot",
           r"\bsay (with )?-": "give", r"\bknows? nothing\b": "cannot, or has no", r"\bhas not (its|a|\d)": "does not have",
           r"\bmeans nothing to\b": "does not apply to", r"\bcut off\b": "truncated", r"\bno end\b|without end\b": "its end is missing",
           r"\bcomes? out\b": "the plaintext is", r"\bin clear\b": "unencrypted", r"\bdata (are|do)\b": "the data is", r"\b(an|no|the) iv\b": "IV"}


def literals(source):
    """(line, text) of each run of string literals."""
    parts, begin, line = [], 0, 1
    for found in TOKEN.finditer(source):
        literal = found["text"] if found["raw"] is None else found["raw"]
        if literal is not None:
            begin = begin if parts else line
            parts.append(literal)
        elif found["code"] and parts:
            yield begin, "".join(parts)
            parts = []
        line += found[0].count("\n")


def texts(root: pathlib.Path) -> tuple[list[str], int, str]:
    faults, count = [], 0
    for path in sorted([*root.glob("src/**/*.cpp"), *root.glob("src/**/*.hpp")]):
        for line, text in literals(path.read_text()):
            if SEVERAL_WORDS.search(text):
                count += 1
                print(row := f"{path.relative_to(root)}:{line}: {text}")
                faults += [f"{row}\n    better: {better}" for worse, better in INSTEAD.items() if re.search(worse, text)]
    return faults, count if count >= 1000 else 0, "texts"


def main() -> int:
    check = {"vectors": vectors, "results": results, "instances": instances, "texts": texts}[sys.argv[1]]
    faults, count, what = check(pathlib.Path(sys.argv[2]))
    print("\n".join(faults) or f"{count} {what}")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
