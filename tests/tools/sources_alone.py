#!/usr/bin/env python3
"""Compiles each source by itself, without code: the builds of tools/check compile those of a folder together, where one
finds what another includes.

usage: sources_alone.py LIST COMPILER [OPTION...]      LIST is a file with one source per line
Headers of the standard library are precompiled, so that a missing one of these is not noticed.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

STANDARD = """algorithm array atomic bit charconv chrono cmath condition_variable cstdint cstdio cstdlib cstring exception filesystem
functional iterator limits map memory mutex numeric optional random set span string string_view thread tuple type_traits utility
variant vector""".split()


def main() -> int:
    sources, compiler, *options = sys.argv[1:]
    sources = pathlib.Path(sources).read_text().split()
    command = [compiler, "-std=c++20", *options]
    with tempfile.TemporaryDirectory() as directory:
        header = pathlib.Path(directory, "standard.hpp")
        header.write_text("".join(f"#include <{name}>\n" for name in STANDARD))
        gnu = b"Free Software Foundation" in subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout
        precompiled = f"{header}.{'gch' if gnu else 'pch'}"
        subprocess.run([*command, "-x", "c++-header", header, "-o", precompiled], check=True)
        use = ["-include", header] if gnu else ["-include-pch", precompiled]

        def compiles(source: str) -> bool:
            return subprocess.run([*command, *use, "-fsyntax-only", source]).returncode == 0

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = [source for source, fine in zip(sources, pool.map(compiles, sources), strict=True) if not fine]
    for source in failed:
        print(f"does not compile by itself: {source}")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
