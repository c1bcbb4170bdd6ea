"""Every file of vectors/ has a row in SOURCES.md with its sha256, and every row has its file.

usage: check_sources.py VECTORS_DIR
"""

import hashlib
import pathlib
import re
import sys

ROW = re.compile(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|", re.MULTILINE)


def main() -> int:
    directory = pathlib.Path(sys.argv[1])
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
    if not present:
        faults.append(f"{directory} holds no vectors")
    print("\n".join(sorted(faults)) or f"{len(present)} files, every one listed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
