"""seal, open, files, recognise and Blowfish: published vectors, the program, errors, threads."""

from __future__ import annotations

import hashlib
import math
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import refused
from support import fields_of

PASSPHRASE = "correct horse battery staple"
KEY = bytes(range(32))  # used instead of a passphrase, since nothing has to be derived
FAST = {"cipher": "bf-cbc", "md": "sha256", "iter": 1000}  # openssl enc with a fast key derivation


@pytest.mark.parametrize("name", ("variable_key.vec", "chains.vec", "ctr.vec", "cfb8.vec"))
def test_published_vectors(name: str) -> None:
    used = 0
    for vector in map(dict, fields_of(name)):
        if not vector.keys() <= {"mode", "key", "iv", "plaintext", "ciphertext"}:
            continue
        key, iv = bytes.fromhex(vector["key"]), bytes.fromhex(vector.get("iv", ""))
        plain, ciphered = bytes.fromhex(vector["plaintext"]), bytes.fromhex(vector["ciphertext"])
        for direction, given, wanted in (("encrypt", plain, ciphered), ("decrypt", ciphered, plain)):
            cipher = fugu.Blowfish(key, vector["mode"], iv, direction=direction, padding="none")  # type: ignore[arg-type]
            assert cipher.update(given) + cipher.finish() == wanted
        used += 1
    assert used


@pytest.mark.parametrize("format, options, secret, says", (
    ("raw", None, {"key": KEY}, 'format="raw" needs options["mode"]: ecb, cbc, cfb, cfb8, ofb, ctr, ofb8 or pcbc'),
    ("raw", {"mode": "ecb", "iv": "zero"}, {"key": KEY}, 'options["iv"] and options={"mode": "ecb"} cannot be combined: this mode has no IV'),
    ("openssl", None, {"key": KEY}, "is in the format openssl, which takes a passphrase (passphrase=)"),
    ("mcrypt", {"noiv": True}, {"passphrase": "x"}, 'options["noiv"] needs options["bare"]: otherwise the header says it'),
    ("raw", {"mode": "ecb"}, {"key": KEY}, "this is hexadecimal text: give bytes.fromhex(data)")))  # fmt: skip
def test_errors_name_arguments_of_python(format: str, options: dict[str, str | bool] | None, secret: dict[str, Any], says: str) -> None:
    data = b"05c3febb9970204a" if "hexadecimal" in says else bytes(range(64))
    refused(fugu.Error, f"^{re.escape(says)}$", fugu.open, data, format=format, options=options, **secret)


def test_any_buffer_object_in_pieces_of_any_size() -> None:
    data = bytes(range(251)) * 7
    whole = fugu.Blowfish(b"a key of some bytes", "ctr", bytes(8)).update(data)
    for step in (1, 7, 8, 100):
        cipher = fugu.Blowfish(bytearray(b"a key of some bytes"), "ctr", memoryview(bytes(8)))
        pieces = [cipher.update(memoryview(data)[i : i + step]) for i in range(0, len(data), step)]
        assert b"".join(pieces) + cipher.finish() == whole
    assert fugu.Blowfish(b"a key of some bytes", "ctr", bytes(8)).update(np.frombuffer(data, np.uint8)) == whole
    later = fugu.Blowfish(b"a key of some bytes", "ctr", bytes(8), offset=1001)
    assert later.update(data[1001:]) == whole[1001:]


def test_long_updates_equal_short_ones() -> None:
    data = np.arange(3 << 20, dtype=np.uint32).tobytes()
    for mode in ("cbc", "ctr"):
        long, short = (fugu.Blowfish(b"key", mode, bytes(8)) for _ in range(2))
        expected = b"".join(short.update(data[i : i + 65536]) for i in range(0, len(data), 65536)) + short.finish()
        assert long.update(data) + long.finish() == expected


def test_padding_and_the_end_of_a_message() -> None:
    cipher = fugu.Blowfish(b"key", "cbc", bytes(8))
    sealed = cipher.update(b"hello") + cipher.finish()
    assert len(sealed) == 8
    refused(fugu.UsageError, "", cipher.update, b"more")
    back = fugu.Blowfish(b"key", "cbc", bytes(8), direction="decrypt")
    assert back.update(sealed) + back.finish() == b"hello"
    short = fugu.Blowfish(b"key", "cbc", bytes(8), direction="decrypt")
    short.update(sealed[:5])
    refused(fugu.DamagedError, "", short.finish)


@pytest.mark.parametrize(
    ("arguments", "options", "kind"),
    [
        ((b"", "ctr", bytes(8)), {}, fugu.UsageError),
        ((b"key", "gcm", bytes(8)), {}, fugu.UsageError),
        ((b"key", "ctr", bytes(7)), {}, fugu.UsageError),
        ((b"key", "ecb"), {"padding": "iso"}, fugu.UsageError),
        ((b"key", "ecb"), {"direction": "both"}, ValueError),
        (("key", "ecb"), {}, TypeError),
        ((np.arange(8)[::2], "ecb"), {}, TypeError),
    ],
)
def test_what_is_no_cipher_is_refused(arguments: Any, options: Any, kind: Any) -> None:
    refused(kind, "", fugu.Blowfish, *arguments, **options)


@pytest.mark.parametrize("passphrase", (PASSPHRASE, PASSPHRASE.encode(), bytearray(PASSPHRASE.encode()), "пароль ☃", "é", "p", "🐡 \x7f\x80\u07ff\u0800\uffff\U00020000\U0010ffff"))
def test_seal_and_open(passphrase: Any) -> None:
    data = bytes(range(256)) * 3
    sealed = fugu.seal(data, passphrase=passphrase, format="openssl", options=FAST)
    assert fugu.open(sealed, passphrase=passphrase, format="openssl", options=FAST) == data
    if isinstance(passphrase, str):
        assert fugu.open(sealed, passphrase=passphrase.encode(), format="openssl", options=FAST) == data


def test_a_passphrase_leaves_pythons_own_objects_as_they_are() -> None:
    fugu.seal(b"data", passphrase="p", format="openssl", options=FAST)
    assert "p".encode() == bytes([112])  # Python has one object for each single byte
    fugu.seal(b"data", passphrase="\udce9", format="openssl", options=FAST)
    assert bytes([233]).hex() == "e9"
    passphrase = "пароль" + str(len(sys.argv))  # which no other code has encoded
    before = sys.getsizeof(passphrase)
    fugu.seal(b"data", passphrase=passphrase, format="openssl", options=FAST)
    assert sys.getsizeof(passphrase) == before  # it would hold its UTF-8 form too


@pytest.mark.parametrize("passphrase", ("\ud83d", "p\udbff", "\udc7f", "\udd00", "\udfff"))
def test_half_a_character_is_no_part_of_a_passphrase(passphrase: str) -> None:
    refused(ValueError, "half of a surrogate pair", fugu.seal, b"data", passphrase=passphrase, format="openssl", options=FAST)


def test_a_sealed_file_is_recognised_and_tells_wrong_from_damaged() -> None:
    sealed = fugu.seal(b"secret", key=KEY)
    assert fugu.recognise(sealed) == ("sealed",)
    assert fugu.recognise(b"nothing in particular") == ()
    assert fugu.open(sealed, key=KEY) == b"secret"
    with pytest.raises(fugu.WrongKeyError) as wrong:
        fugu.open(sealed, key=KEY[::-1])
    assert wrong.value.exit_status == 3
    refused(fugu.DamagedError, "", fugu.open, sealed[:-1], key=KEY)
    refused(fugu.UnknownFormatError, "not recognised", fugu.open, b"nothing in particular", key=KEY)


def test_errors_hold_no_secret() -> None:
    sealed = fugu.seal(b"secret", passphrase=PASSPHRASE)
    with pytest.raises(fugu.WrongKeyError) as wrong:
        fugu.open(sealed, passphrase="another")
    assert PASSPHRASE not in str(wrong.value) and "another" not in str(wrong.value)


def test_keys_in_place_of_passphrases() -> None:
    options = {"mode": "cbc", "iv": "0102030405060708"}
    sealed = fugu.seal(b"data", key=b"0123456789abcdef", format="raw", options=options)
    cipher = fugu.Blowfish(b"0123456789abcdef", "cbc", bytes(range(1, 9)))
    assert sealed == cipher.update(b"data") + cipher.finish()
    back = fugu.open(sealed, key=b"0123456789abcdef", format="raw", options=options, accept_weak_evidence=True)
    assert back == b"data"


def test_secrets_are_given_in_one_way() -> None:
    for options in ({}, {"passphrase": "p", "key": b"k"}):
        refused(TypeError, "give passphrase= or key=", fugu.seal, b"", **options)
    refused(TypeError, "key is a str", fugu.seal, b"", key="6b6579")
    refused(fugu.UsageError, "takes a passphrase", fugu.seal, b"", key=b"key", format="openssl")
    refused(fugu.UsageError, "there is no format 'zip'", fugu.seal, b"", passphrase="p", format="zip")
    refused(fugu.UsageError, "no engine", fugu.seal, b"", passphrase="p", engine="gpu")


def test_files_appear_whole_or_not_at_all(tmp_path: pathlib.Path) -> None:
    plain, sealed, same = tmp_path / "plain", tmp_path / "sealed", tmp_path / "same"
    plain.write_bytes(b"content" * 1000)
    fugu.seal_file(plain, sealed, key=KEY)
    refused(fugu.WrongKeyError, "", fugu.open_file, sealed, same, key=KEY[::-1])
    assert not same.exists()
    found = fugu.open_file(sealed, same, key=KEY)
    assert same.read_bytes() == plain.read_bytes()
    assert found.authenticated and found.all_content and math.isinf(found.evidence_bits)
    with pytest.raises(fugu.FileError) as there:
        fugu.open_file(sealed, same, key=KEY)
    assert there.value.exit_status == 2
    refused(fugu.FileError, "", fugu.open_file, tmp_path / "missing", tmp_path / "other", key=KEY)


def test_what_padding_alone_proves_is_finite(tmp_path: pathlib.Path) -> None:
    plain, enc, same = tmp_path / "plain", tmp_path / "enc", tmp_path / "same"
    plain.write_bytes(b"content" * 1000)
    fugu.seal_file(plain, enc, passphrase="p", format="openssl")
    found = fugu.open_file(enc, same, passphrase="p", format="openssl")
    assert same.read_bytes() == plain.read_bytes()
    assert not found.authenticated and 0 < found.evidence_bits < math.inf


class Volume:
    """The first volume of the kit, its passphrase, and the SHA-256 of each file in it."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.path, self.plain = folder / "volume", folder / "plain"
        fields = next(fields_of("trees/encfs.kit"))
        for field, value in fields:
            digits, _, path = value.partition(" ")
            if field == "directory":
                (self.path / value).mkdir(parents=True, exist_ok=True)
            elif field == "file":
                (self.path / path).parent.mkdir(parents=True, exist_ok=True)
                (self.path / path).write_bytes(bytes.fromhex(digits.strip("-")))
        self.passphrase = dict(fields)["passphrase"]
        self.digests = {path: digest for digest, path in (value.split(" ", 1) for field, value in fields if field == "plain_file")}

    def open(self) -> fugu.OpenedDirectory:
        found = fugu.open_directory(self.path, self.plain, passphrase=self.passphrase)
        assert {path: hashlib.sha256((self.plain / path).read_bytes()).hexdigest() for path in self.digests} == self.digests
        return found


@pytest.fixture
def volume(tmp_path: pathlib.Path) -> Volume:
    made = Volume(tmp_path)
    try:
        refused(fugu.WrongKeyError, "", fugu.open_directory, made.path, made.plain, passphrase="another")
    except fugu.UnknownFormatError:
        pytest.skip("this build has no containers")
    return made


def test_directories(program: Any, volume: Volume) -> None:
    found = volume.open()
    assert found.opened.parameters.startswith("EncFS") and found.failed == ()
    again = volume.open()
    assert {path.rsplit(" (", 1)[0] for path, _ in again.failed} == set(volume.digests)  # the stored names in parentheses
    assert "exists; not overwritten" in again.failed[0][1]


def test_the_program_opens_what_the_package_seals_and_the_other_way_round(program: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    data = bytes(range(256)) * 1000
    sealed = fugu.seal(data, key=KEY)
    assert program("decrypt", "--key", "file:key", "-o", "-", stdin=sealed) == data
    back = program("encrypt", "--key", "file:key", "-o", "-", stdin=data)
    assert fugu.open(back, key=KEY) == data
    assert fugu.recognise(back) == ("sealed",)


def test_the_gil_is_released_and_threads_take_turns() -> None:
    data, results = bytes(4 << 20), dict[int, bytes]()
    expected = [fugu.Blowfish(bytes([key + 1]), "cbc", bytes(8)).update(data) for key in range(4)]

    def work(key: int) -> None:
        results[key] = fugu.Blowfish(bytes([key + 1]), "cbc", bytes(8)).update(data)

    threads = [threading.Thread(target=work, args=(key,)) for key in range(4)]
    for thread in threads:
        thread.start()
    turns = 0
    while any(thread.is_alive() for thread in threads):
        turns += 1  # this thread runs while the others work
        threads[0].join(0.001)
        if not threads[0].is_alive():
            threads = threads[1:] or threads
    assert turns > 1
    assert [results[key] for key in range(4)] == expected
    shared = fugu.Blowfish(b"key", "ctr", bytes(8))
    sizes: list[int] = []
    users = [threading.Thread(target=lambda: sizes.append(len(shared.update(data)))) for _ in range(4)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    one = fugu.Blowfish(b"key", "ctr", bytes(8))
    one.update(data * 4)
    assert sizes == [len(data)] * 4 and shared.update(b"end") == one.update(b"end")


def test_a_short_call_that_waits_for_a_long_one_holds_up_nobody() -> None:
    cipher = fugu.Blowfish(b"key", "cbc", bytes(8))
    data = bytes(1 << 28)  # a serial chain of some seconds
    users = [threading.Thread(target=lambda part=part: cipher.update(part)) for part in (data, bytes(8))]
    for user in users:
        user.start()
        time.sleep(0.2)
    assert users[1].is_alive(), "this thread ran only when the long call had ended"
    for user in users:
        user.join()


def structure() -> np.ndarray:
    return np.zeros(2, [("a", "u1"), ("b", "i4")])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (np.array(["text"], object), "elements of the format 'O'"),
        (structure(), "elements of the format 'T"),
        (np.array(["text"]), "elements of the format '4w'"),
        (np.zeros(2, "V3"), "elements of the format '3x'"),
        (np.zeros(2, "M8[s]"), "elements that no buffer can hold"),
        (np.zeros((4, 4), np.uint8)[:, :2], r"not contiguous: pass bytes\(\) of it"),
    ],
    ids=lambda value: "" if isinstance(value, str) else str(value.dtype),
)
def test_only_plain_elements_are_bytes(data: Any, says: str) -> None:
    calls: list[Any] = [
        lambda: fugu.seal(data, key=KEY),
        lambda: fugu.open(data, key=KEY),
        lambda: fugu.seal(b"", key=data),
        lambda: fugu.open(b"", passphrase=data),
        lambda: fugu.recognise(data),
        lambda: fugu.Blowfish(data, "ecb"),
        lambda: fugu.Blowfish(b"key", "cbc", data),
        lambda: fugu.Blowfish(b"key", "ctr", bytes(8)).update(data),
        lambda: fugu.blowfish_sboxes(data),
    ]
    for call in calls:
        refused(TypeError, says, call)


@pytest.mark.parametrize("dtype", ("?", "i1", "u8", "<f2", ">i4", "f8", "c8", "c16", "S5", "g"))
def test_plain_elements_are_sealed_as_their_bytes(dtype: str) -> None:
    data = np.arange(6).astype(dtype)
    assert fugu.open(fugu.seal(data, key=KEY), key=KEY) == data.tobytes()
    unaligned = np.frombuffer(bytes(1) + data.tobytes(), np.uint8)[1:].view(dtype)
    assert fugu.open(fugu.seal(unaligned, key=KEY), key=KEY) == data.tobytes()


@pytest.mark.parametrize("seal", ("seal", "seal_file"))
@pytest.mark.parametrize("form", (None, "openssl", "vim", "cryptcbc"))
def test_no_passphrase_that_the_program_refuses_seals(tmp_path: pathlib.Path, form: str | None, seal: str) -> None:
    (tmp_path / "plain").write_bytes(b"x")
    given = (b"x",) if seal == "seal" else (tmp_path / "plain", tmp_path / "sealed")
    for passphrase, says in ((b"", "the passphrase is empty"), ("", "is empty"), (b"a" * 4097, "more than 4096 bytes")):
        refused(fugu.UsageError, says, getattr(fugu, seal), *given, passphrase=passphrase, format=form)
    assert not (tmp_path / "sealed").exists()


def test_the_longest_passphrase_is_the_programs(program: Any, tmp_path: pathlib.Path) -> None:
    passphrase = "a" * 4096
    (tmp_path / "pass").write_text(passphrase)
    sealed = fugu.seal(b"x", passphrase=passphrase)
    assert program("decrypt", "--pass", "file:pass", "-o", "-", stdin=sealed) == b"x"


def test_what_was_sealed_under_an_empty_passphrase_can_be_opened(program: Any) -> None:
    # openssl enc -bf-cbc -md sha256 -S 0102030405060708 -provider legacy -provider default -pass pass: (OpenSSL 3.0.19)
    sealed = bytes.fromhex("53616c7465645f5f0102030405060708123f9c1496dcac7a9a6de865787cdf27")
    assert fugu.open(sealed, passphrase="", format="openssl", options={"md": "sha256"}, accept_weak_evidence=True) == b"old text"


def test_damaged_data_are_salvaged() -> None:
    text = b"a letter that somebody wrote long ago\n" * 40
    options: dict[str, str | int | bytes | bool] = {"cipher": "bf-cbc", "md": "sha256", "no-pbkdf2": True, "key-bytes": 16}
    sealed = fugu.seal(text, passphrase="secret", format="openssl", options=options)
    refused(fugu.DamagedError, "the passphrase fits", fugu.open, sealed[:1003], passphrase="secret", format="openssl", options=options)
    saved, found = fugu.open(sealed[:1003], passphrase="secret", format="openssl", options=options, salvage=True)
    assert saved == text[:984]
    assert "inside a block" in found.lost
    assert not found.authenticated and not found.all_content
    whole, found = fugu.open(sealed, passphrase="secret", format="openssl", options=options, salvage=True)
    assert (whole, found.lost) == (text, "")


def test_names_that_are_not_utf_8(tmp_path: pathlib.Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    open(os.fsencode(name), "wb").write(b"content")
    for source in (name, os.fsencode(name), pathlib.Path(name)):
        for target in (name + "1", os.fsencode(name) + b"2", pathlib.Path(name + "3")):
            fugu.seal_file(source, target, key=KEY)
            fugu.open_file(target, tmp_path / "same", key=KEY)
            assert (tmp_path / "same").read_bytes() == b"content"
            (tmp_path / "same").unlink()
            os.unlink(target)
    refused(fugu.FileError, "cannot open", fugu.open_file, name + "\udcff", tmp_path / "same", key=KEY)
    refused(ValueError, "null byte", fugu.open_file, name + "\0", tmp_path / "same", key=KEY)
    refused(TypeError, "expected str, bytes or os.PathLike", fugu.open_file, 5, tmp_path / "same", key=KEY)


def test_a_passphrase_of_the_environment_has_the_bytes_it_has_there(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environb, b"FUGU_TEST_PASSPHRASE", b"caf\xe9")
    sealed = fugu.seal(b"data", passphrase=os.environ["FUGU_TEST_PASSPHRASE"])
    assert fugu.open(sealed, passphrase=b"caf\xe9") == b"data"
    assert program("decrypt", "--pass", "env:FUGU_TEST_PASSPHRASE", "-o", "-", stdin=sealed) == b"data"


def test_failed_parts_keep_names_that_are_not_utf_8(volume: Volume) -> None:
    open(os.path.join(os.fsencode(volume.path), b"caf\xe9"), "wb").write(b"none of the volume's")
    assert [path for path, _ in volume.open().failed] == [os.fsdecode(b"caf\xe9")]


CHILD = """
import sys, fugu
key, data = bytes.fromhex(sys.stdin.readline()), bytes.fromhex(sys.stdin.readline())
cipher = fugu.Blowfish(key, "ctr", bytes(8), direction="decrypt")
kept = {call}
print(len(kept), flush=True)
sys.stdin.readline()
"""


def times_in_memory(process: int, needle: bytes) -> int:
    """How often the writable memory of a child has it."""
    found = 0
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in maps:
            span, access = line.split()[:2]
            if not access.startswith("rw"):
                continue
            first, last = (int(end, 16) for end in span.split("-"))
            memory.seek(first)
            found += memory.read(last - first).count(needle)
    return found


@pytest.mark.parametrize("call", ("cipher.update(data)", "fugu.open(data, key=key)"))
def test_plaintext_is_in_memory_once_where_the_caller_has_it(call: str, random: np.random.Generator) -> None:
    key, plain = random.bytes(16), random.bytes(5000)
    encrypted = fugu.seal(plain, key=key) if "open" in call else fugu.Blowfish(key, "ctr", bytes(8)).update(plain)
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(call=call)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{key.hex()}\n{encrypted.hex()}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "5000\n"
    try:
        found = times_in_memory(process.pid, plain[2000:2100])  # the allocator writes into what was freed
    except PermissionError as error:
        pytest.skip(f"the memory of a child cannot be read here: {error}")
    finally:
        process.communicate("\n")
    assert found == 1
