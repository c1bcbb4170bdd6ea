"""Every file of samples has the layout of `fugu bench --csv`, and says on which machine, when, from which commit and by which
command each was taken.

usage: check_results.py ROOT
"""

import csv
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1], "tools/lib")))
from figures import LAYOUT, STAMP

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
        layout = STAMP if path.name.startswith(COUNTS) else LAYOUT
        if header[: len(layout)] != layout or not {*header[len(LAYOUT) :]} <= {"peak_mib"}:
            return [f"begins with {header}, not {layout}"]
        rows = list(reader)
    if not rows:
        return ["no samples"]
    faults = [
        f"line {i}: {len(row)} cells under {len(header)} names"
        for i, row in enumerate(rows, 2)
        if len(row) != len(header)
    ]
    for machine, date, commit, command in sorted({tuple(row[: len(STAMP)]) for row in rows}):
        if not machine or not command:
            faults.append("a row without machine or command")
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
            faults.append(f"date {date!r}")
        known = re.fullmatch(r"[0-9a-f]{7,40}", commit)
        if not known or (commits is not None and not any(c.startswith(commit) for c in commits)):
            faults.append(f"commit {commit!r} is not in this history")
    return faults


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    commits = commits_of(root)
    paths = sorted((root / "tools/bench/results").glob("*.csv"))
    faults = [f"{path.name}: {fault}" for path in paths for fault in faults_of(path, commits)]
    print("\n".join(faults) or f"{len(paths)} files of samples are stamped")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
