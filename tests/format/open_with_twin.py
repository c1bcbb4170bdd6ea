"""Opens every *.fugu of a directory with the second implementation, and seals every *.plain for the first one.

usage: open_with_twin.py TOOLS DIRECTORY

NAME.fugu is opened with the secret in NAME.key or NAME.pass and must give NAME.plain. The twin then seals it again as NAME.twin1
and NAME.twin2, of version 1 and 2, and under a passphrase as NAME.twin3, of a run that shares a salt.
Prints how many files agreed.
"""
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
try:
    import sealed_twin as twin
except ImportError as missing:
    print(f"skipped: {missing} (python3-cryptography)")
    sys.exit(77)


def main():
    files = sorted(pathlib.Path(sys.argv[2]).glob("*.fugu"))
    for file in files:
        key = file.with_suffix(".key")
        slot = twin.KEY_SLOT if key.exists() else twin.PASSPHRASE_SLOT
        secret = (key if key.exists() else file.with_suffix(".pass")).read_bytes()
        data, plain, out = file.read_bytes(), file.with_suffix(".plain").read_bytes(), []
        twin.open_sealed(data, secret, slot, out.append, 4)
        if b"".join(out) != plain:
            print(f"{file.name}: another plaintext")
            return 1
        for version in (1, 2):
            sealed = twin.seal(secret, slot, plain, data[10], log2_n=11, version=version)
            file.with_suffix(f".twin{version}").write_bytes(sealed)
        if slot == twin.PASSPHRASE_SLOT:
            file.with_suffix(".twin3").write_bytes(twin.seal(secret, twin.SHARED_SLOT, plain, data[10], 11, 2, b"salt of this run"))
    print(f"{len(files)} files agree")
    return 0 if files else 1


if __name__ == "__main__":
    sys.exit(main())
