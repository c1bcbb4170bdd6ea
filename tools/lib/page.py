"""Puts the page together: one HTML file that holds its style, its scripts, the library, compressed, and licences.

usage: page.py SOURCES BUILT NOTICES OUTPUT        SOURCES: src/web; BUILT: the folder of fugu_web.js and fugu_web.wasm
"""

import base64
import gzip
import html
import pathlib
import re
import sys

MOST_BYTES = 3_000_000
SCRIPTS = ("dom.js", "engine.js", "saving.js", "vault.js", "files.js", "lab.js", "page.js")


def version() -> str:
    text = pathlib.Path("CMakeLists.txt").read_text()
    return re.search(r"project\(fugu VERSION ([\d.]+)", text).group(1)


def assemble(sources: pathlib.Path, built: pathlib.Path, notices: pathlib.Path) -> str:
    def text(name: str) -> str:
        return (sources / name).read_text()

    parts = {
        "style.css": text("style.css"),
        "version": version(),
        "worker": (built / "fugu_web.js").read_text() + text("worker.js"),
        "wasm": base64.b64encode(gzip.compress((built / "fugu_web.wasm").read_bytes(), mtime=0)).decode(),
        "notices": html.escape(notices.read_text()),
        "script": "".join(text(name) for name in SCRIPTS),
    }
    for name, part in parts.items():
        if "</script" in part.lower() or "</style" in part.lower():
            raise SystemExit(f"page.py: {name} would end its element early")
    return re.sub(r"\{\{([\w.]+)\}\}", lambda found: parts[found.group(1)], text("page.html"))


def main() -> None:
    sources, built, notices, output = map(pathlib.Path, sys.argv[1:])
    page = assemble(sources, built, notices).encode()
    if len(page) > MOST_BYTES:
        raise SystemExit(f"page.py: the page has {len(page)} bytes, more than {MOST_BYTES}")
    output.write_bytes(page)


if __name__ == "__main__":
    main()
