"""The shared library exports the symbols of namespace fugu, but none of its private namespaces.

usage: check_symbols.py DIRECTORY       with one libfugu.so.* below it
"""

import pathlib
import re
import subprocess
import sys

# Programs call it, so it must be there.
NEEDED = [
    "fugu::seal(",
    "fugu::open(",
    "fugu::recognise(",
    "fugu::version()",
    "fugu::Cipher::update(",
    "fugu::Secret::passphrase(",
    "fugu::engine::make(",
    "fugu::format::codecs()",
    "fugu::stream::open_file(",
    "fugu::spectral::walsh",
    "fugu::device::inventory()",
    "typeinfo for fugu::Error",
]
OURS = re.compile(r"((typeinfo|typeinfo name|vtable|VTT|guard variable) for )?(\w[\w:<>,* ]*)?\bfugu::")
PRIVATE = re.compile(r"^(typeinfo for |vtable for )?fugu::(engine::(cpu|cuda)|threads|kernels)::")
# Instantiations of the standard library over our own types are weak and harmless.
STANDARD = re.compile(r"^(void |bool |[\w: ]+ )?(std::|__gnu_cxx::|operator|non-virtual thunk|virtual thunk)|^(typeinfo|vtable).*\bstd::")


def main() -> int:
    libraries = [path for path in pathlib.Path(sys.argv[1]).rglob("libfugu.so.*") if not path.is_symlink()]
    if len(libraries) != 1:
        print(f"{len(libraries)} shared libraries, not one: {libraries}")
        return 1
    listing = subprocess.run(["nm", "-DC", "--defined-only", libraries[0]], check=True, capture_output=True, text=True)
    names = [line.split(maxsplit=2)[2] for line in listing.stdout.splitlines()]
    faults = [f"missing: {name}" for name in NEEDED if not any(name in found for found in names)]
    faults += [f"not ours: {name}" for name in names if not OURS.search(name) and not STANDARD.search(name)]
    faults += [f"private: {name}" for name in names if PRIVATE.search(name)]
    print("\n".join(faults) or f"{len(names)} symbols, all of the interface")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
