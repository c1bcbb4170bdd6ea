"""The shared library exports what src/fugu/exports.map lists, and no more than users need.

usage: check_symbols.py DIRECTORY       with one libfugu.so.* below it
"""

import pathlib
import re
import subprocess
import sys

MOST_SYMBOLS = 350

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
    "fugu::stream::OutputFile::commit()",
    "typeinfo for fugu::Error",
    "typeinfo for fugu::engine::Engine",
    "typeinfo for fugu::stream::Source",
]
OURS = re.compile(r"((typeinfo|typeinfo name|vtable|VTT|guard variable) for )?(\w[\w:<>,* ]*)?\bfugu::")
# Parts of fugu for fugu alone.
PRIVATE = re.compile(r"fugu::(engine::(cpu|cuda)|threads|kernels|cipher|mode)::\w+\(|fugu::auth::(pbkdf2|scrypt|Digest|Hmac)|"
                     r"fugu::format::\w*(sealed|openssl|_raw)\w*\(|fugu::spectral::(\w+::)?paper_")


def main() -> int:
    libraries = [path for path in pathlib.Path(sys.argv[1]).rglob("libfugu.so.*") if not path.is_symlink()]
    if len(libraries) != 1:
        print(f"{len(libraries)} shared libraries, not one: {libraries}")
        return 1
    listing = subprocess.run(["nm", "-DC", "--defined-only", libraries[0]], check=True, capture_output=True, text=True)
    names = [line.split(maxsplit=2)[2] for line in listing.stdout.splitlines()]
    faults = [f"missing: {name}" for name in NEEDED if not any(name in found for found in names)]
    faults += [f"not ours: {name}" for name in names if not OURS.match(name)]
    faults += [f"private: {name}" for name in names if PRIVATE.search(name.split("(")[0] + "(")]
    if len(names) > MOST_SYMBOLS:
        faults.append(f"{len(names)} symbols: more than {MOST_SYMBOLS}")
    print("\n".join(faults) or f"{len(names)} symbols, all of the interface")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
