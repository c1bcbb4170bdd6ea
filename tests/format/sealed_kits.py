"""The second implementation of the sealed format, tools/sealed_twin.py, finds in every record of its kits what the record says.

usage: sealed_kits.py TOOLS VECTORS              SEALED.md, "Test vectors", says what the fields mean.
       sealed_kits.py TOOLS DIRECTORY files      opens every *.fugu of a directory, and seals it again
"""

import functools
import hashlib
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
try:
    import sealed_twin as twin
except ImportError as missing:
    print(f"skipped: {missing} (python3-cryptography)")
    sys.exit(77)

EXIT = {"success": 0, "wrong_key": 3, "damaged_header": 4, "damaged_payload": 4, "truncated": 4, "unknown_format": 5, "unsupported": 5}
KITS = ("golden/sealed", "golden/sealed2", "bad/sealed", "bad/sealed2", "golden/sealed_steps", "golden/sealed_ranges")


def records_of(path):
    paragraphs = path.read_text().split("\n\n")
    records = [dict(line.split(" =", 1) for line in part.splitlines() if " =" in line and line[0] != "#") for part in paragraphs]
    return [{field: value.strip() for field, value in record.items()} for record in records if record]


def pattern(first, count):
    return (bytes(range(251)) * (count // 251 + 2))[first % 251:first % 251 + count]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def secret_of(record):
    return bytes.fromhex(record["secret"]), {"key": twin.KEY_SLOT, "passphrase": twin.PASSPHRASE_SLOT}[record["slot"]]


def check_file(record):
    """Opened, the file fails in its class, after it released what the record says."""
    out, code = [], 0
    try:
        twin.open_sealed(bytes.fromhex(record["file"]), *secret_of(record), out.append, int(record["min_segment_log2"]))
    except twin.Refusal as refusal:
        code = refusal.exit_code
    released = b"".join(out)
    assert (code, len(released), sha256(released)) == (EXIT[record["class"]], int(record["released"]), record["released_sha256"])


def check_step(record):
    """Every value from the secret to the tag of a segment."""
    header = twin.parse_header(bytes.fromhex(record["header"]))
    kek = twin.slot_kek(secret_of(record)[0], header.slot_type, header.body)
    pad = twin.wrap_pad(kek, header.version)
    file_key = twin.xor(header.body[-32:], pad)
    prk = twin.hmac_sha256(header.salt, file_key)
    index, size = int(record["index"]), int(record["content_bytes"])
    cipher_key, tag_key = twin.segment_keys(prk, index)
    stored = twin.seal_segment(prk, index, pattern(index << header.segment_log2, size))
    values = {"kek": kek, "pad": pad, "fk": file_key, "prk": prk, "header_key": twin.header_key(kek, prk, header.version),
              "blowfish_key": cipher_key, "poly1305_key": tag_key, "keystream_0": twin.ctr(cipher_key, bytes(8)), "tag": stored[-16:]}
    assert {field: value.hex() for field, value in values.items()} == {field: record[field] for field in values}
    assert (header.version, header.segment_log2) == (int(record["version"]), int(record["segment_log2"]))
    assert sha256(stored[:-16]) == record["content_sha256"]


def edited(file, edit):
    """Zeros after the end change nothing of what can be had."""
    what, number = edit.split()[0], int(edit.split()[-1] if " " in edit else 0)
    if what == "flip":
        return file[:number] + bytes([file[number] ^ 1]) + file[number + 1:]
    return file[:len(file) - number] if what == "cut" else file


def salvaged(file, record):
    """Verified segments, and zeros for full ones before them that do not verify."""
    prk, at, segment_bytes = twin.unlock(file, *secret_of(record), int(record["min_segment_log2"]))
    out = b""
    for index, start in enumerate(range(at, len(file), segment_bytes + 16)):
        try:
            good = twin.open_segment(prk, index, file[start:start + segment_bytes + 16])
            out = out.ljust(index * segment_bytes, b"\0") + good
        except twin.Refusal:
            continue
    return out


def check_range(record, files):
    """What succeeds is a slice of the pattern, and salvage what the twin finds."""
    of = files[record["of"]]
    file, expected = edited(bytes.fromhex(of["file"]), record["edit"]), b""
    if record["range"] == "salvage":
        expected = salvaged(file, of)
    elif record["class"] == "success":
        first, count = map(int, record["range"].split(":"))
        expected = pattern(0, int(of["released"]))[first:first + count]
    assert (len(expected), sha256(expected)) == (int(record["released"]), record["released_sha256"])


def check_kits(vectors):
    kits = {name: records_of(vectors / f"{name}.kit") for name in KITS}
    files = {record["name"]: record for record in kits["golden/sealed2"]}
    twin.derive = functools.cache(twin.derive)  # takes up to seconds
    for name, records in kits.items():
        assert records and len({record["name"] for record in records}) == len(records), name
        for record in records:
            try:
                check = check_step if "index" in record else check_file if "file" in record else functools.partial(check_range, files=files)
                check(record)
            except Exception:
                print(f"{name}: {record['name']}")
                raise
        print(f"{name}: {len(records)} records")


def open_files(directory):
    """NAME.fugu is opened with the secret in NAME.key or NAME.pass and must give NAME.plain. The twin then seals it again as NAME.twin1
    and NAME.twin2, of version 1 and 2, and under a passphrase as NAME.twin3, of a run that shares a salt."""
    files = sorted(directory.glob("*.fugu"))
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
    sys.exit((open_files if sys.argv[3:] == ["files"] else check_kits)(pathlib.Path(sys.argv[2])))
