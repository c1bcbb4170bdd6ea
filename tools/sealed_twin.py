#!/usr/bin/env python3
"""A second, independent implementation of the sealed format, versions 1 and 2
(src/fugu/format/sealed/SEALED.md).

It shares no code with the C++ library: the two are run against each other, and it must find in the kits of vectors/ what
they say. It keeps whole files in memory: a reference, not a tool for large files.

  sealed_twin.py (--key FILE | --pass FILE) IN OUT        opens a sealed file

A key file is taken byte for byte; a passphrase is the first line of its file, without the LF.
Exit codes: 0 ok, 1 a file cannot be read or written, 2 usage, 3 wrong passphrase or key, 4 damaged, 5 unknown format. OUT of a
failure holds the segments that authenticated before it.
"""

import argparse
import collections
import functools
import hashlib
import hmac
import itertools
import os
import pathlib
import struct
import sys
import warnings

from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.poly1305 import Poly1305

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Blowfish is deprecated there, and moves to `decrepit` in later releases
    try:
        from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
    except ImportError:
        from cryptography.hazmat.primitives.ciphers.algorithms import Blowfish

WRONG_SECRET, DAMAGED, UNKNOWN_FORMAT = 3, 4, 5

MAGIC = b"\x89FUGU\r\n\x1a"
PREFIX = struct.Struct("<8sBBBBI")  # magic, version, suite, segment_log2, flags, header_bytes
SLOT_HEAD = struct.Struct("<BBH")  # slots, slot type, slot bytes
SALT_BYTES, SLOT_SALT_BYTES, CHECK_BYTES, TAG_BYTES = 32, 16, 16, 32
END_BYTES = CHECK_BYTES + TAG_BYTES
SEGMENT_TAG_BYTES = 16
KEY_SLOT, PASSPHRASE_SLOT, SHARED_SLOT = 1, 2, 3
SLOT_BYTES = {KEY_SLOT: 48, PASSPHRASE_SLOT: 51, SHARED_SLOT: 67}
MIN_SEGMENT_LOG2, MAX_SEGMENT_LOG2 = 16, 24

Header = collections.namedtuple("Header", "version segment_log2 header_bytes salt slot_type body")


class Refusal(Exception):
    """The file or the secret was refused; exit_code says why."""

    def __init__(self, exit_code, text):
        super().__init__(text)
        self.exit_code = exit_code


def hmac_sha256(key, data):
    """HMAC-SHA256, which is also Extract(salt=key, input=data)."""
    return hmac.digest(key, data, "sha256")


def expand(prk, info, length):
    """The second step of HKDF-SHA256."""
    output = block = b""
    for number in range(1, -(-length // 32) + 1):
        block = hmac_sha256(prk, block + info + bytes([number]))
        output += block
    return output[:length]


def xor(a, b):
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")


def ctr(key, data):
    """XOR with the Blowfish keystream that starts at counter 0; encrypts and decrypts."""
    blocks = -(-len(data) // 8)
    counters = struct.pack(f">{blocks}Q", *range(blocks))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        encryptor = Cipher(Blowfish(key), modes.ECB()).encryptor()
    return xor(data, encryptor.update(counters)[:len(data)])


@functools.lru_cache  # the files of a run share it
def derive(passphrase, parameters):
    log2_n, r, p = parameters[:3]
    return hashlib.scrypt(passphrase, salt=parameters[3:], n=1 << log2_n, r=r, p=p, maxmem=2**31 - 1, dklen=32)


def slot_kek(secret, slot_type, body):
    """The key-encryption key of a slot, whose body starts at slot_salt or, for a passphrase, at log2N."""
    if slot_type == KEY_SLOT:
        return hmac_sha256(body[:SLOT_SALT_BYTES], secret)
    derived = derive(secret, body[:3 + SLOT_SALT_BYTES])
    return hmac_sha256(derived, body[19:19 + SLOT_SALT_BYTES]) if slot_type == SHARED_SLOT else derived


def wrap_pad(kek, version):
    return expand(kek, b"fugu%d wrap" % version, 32)


def header_key(kek, prk, version):
    if version == 1:
        return expand(prk, b"fugu1 header", 32)
    return expand(hmac_sha256(kek, prk), b"fugu2 header", 32)


def segment_keys(prk, index):
    """(Blowfish key, Poly1305 key) of one segment; the label is the same in both versions."""
    keys = expand(prk, b"fugu1 segment" + struct.pack("<Q", index), 88)
    return keys[:56], keys[56:]


def tag_input(ciphertext):
    """What Poly1305 is given: the input of RFC 8439 section 2.8 without associated data."""
    return ciphertext + bytes(-len(ciphertext) % 16) + struct.pack("<QQ", 0, len(ciphertext))


def seal_segment(prk, index, plain):
    cipher_key, tag_key = segment_keys(prk, index)
    ciphertext = ctr(cipher_key, plain)
    return ciphertext + Poly1305.generate_tag(tag_key, tag_input(ciphertext))


def open_segment(prk, index, stored):
    ciphertext, tag = stored[:-SEGMENT_TAG_BYTES], stored[-SEGMENT_TAG_BYTES:]
    cipher_key, tag_key = segment_keys(prk, index)
    if not hmac.compare_digest(Poly1305.generate_tag(tag_key, tag_input(ciphertext)), tag):
        raise Refusal(DAMAGED, f"segment {index} is damaged")
    return ctr(cipher_key, ciphertext)


def make_header(secret, slot_type, segment_log2, log2_n, version, run_salt=b""):
    """(header, prk); the files of a run share run_salt, in slots of type 3."""
    salt, file_key, slot_salt = os.urandom(SALT_BYTES), os.urandom(32), os.urandom(SLOT_SALT_BYTES)
    prk = hmac_sha256(salt, file_key)
    body = slot_salt if slot_type == KEY_SLOT else bytes([log2_n, 8, 1]) + run_salt + slot_salt
    kek = slot_kek(secret, slot_type, body)
    body += xor(file_key, wrap_pad(kek, version))
    slots = SLOT_HEAD.pack(1, slot_type, len(body)) + body
    header_bytes = PREFIX.size + SALT_BYTES + len(slots) + END_BYTES
    header = PREFIX.pack(MAGIC, version, 1, segment_log2, 0, header_bytes) + salt + slots
    header += hashlib.sha256(header).digest()[:CHECK_BYTES]
    return header + hmac_sha256(header_key(kek, prk, version), header), prk


def parse_header(data, min_segment_log2=MIN_SEGMENT_LOG2):
    """The reader's rules 1 to 7, in their order: everything that can be refused without a secret."""
    if not data or data[:len(MAGIC)] != MAGIC[:len(data)]:
        raise Refusal(UNKNOWN_FORMAT, "not a sealed file")
    if len(data) < PREFIX.size:
        raise Refusal(DAMAGED, "truncated in the prefix")
    _, version, suite, segment_log2, flags, header_bytes = PREFIX.unpack_from(data)

    if not PREFIX.size + END_BYTES <= header_bytes <= 65536:
        raise Refusal(DAMAGED, "the header is damaged: impossible size")
    if len(data) < header_bytes:
        raise Refusal(DAMAGED, "truncated in the header")
    check_at = header_bytes - END_BYTES
    if hashlib.sha256(data[:check_at]).digest()[:CHECK_BYTES] != data[check_at:check_at + CHECK_BYTES]:
        raise Refusal(DAMAGED, "the header is damaged: its check does not match")

    if version not in (1, 2) or suite != 1 or flags != 0:
        raise Refusal(UNKNOWN_FORMAT, f"unsupported version {version}, suite {suite} or flags {flags}")
    if not min_segment_log2 <= segment_log2 <= MAX_SEGMENT_LOG2:
        raise Refusal(UNKNOWN_FORMAT, f"unsupported segment size 2^{segment_log2}")

    slots_at = PREFIX.size + SALT_BYTES
    salt, slots = data[PREFIX.size:slots_at], data[slots_at:check_at]
    if len(slots) < 2:
        raise Refusal(DAMAGED, "the header is damaged: no slot")
    slot_count, slot_type = slots[:2]
    if slot_count != 1 or slot_type not in SLOT_BYTES or (slot_type == SHARED_SLOT and version == 1):
        raise Refusal(UNKNOWN_FORMAT, f"unsupported: {slot_count} slots, the first of type {slot_type}")
    body = slots[SLOT_HEAD.size:]
    # Where the length field itself is cut short, the body is empty, and that is refused here as well.
    if int.from_bytes(slots[2:4], "little") != SLOT_BYTES[slot_type] or len(body) != SLOT_BYTES[slot_type]:
        raise Refusal(DAMAGED, "the header is damaged: the slot does not fill it")
    if slot_type != KEY_SLOT and not (10 <= body[0] <= 20 and body[1] == 8 and body[2] == 1):
        raise Refusal(UNKNOWN_FORMAT, f"unsupported scrypt cost: log2N {body[0]}, r {body[1]}, p {body[2]}")
    return Header(version, segment_log2, header_bytes, salt, slot_type, body)


def unlock(data, secret, slot_type, min_segment_log2=MIN_SEGMENT_LOG2):
    """(prk, offset of the first segment, bytes per segment): rules 1 to 9."""
    header = parse_header(data, min_segment_log2)
    if (slot_type == KEY_SLOT) != (header.slot_type == KEY_SLOT):
        raise Refusal(WRONG_SECRET, f"the file is sealed with a {'key' if header.slot_type == KEY_SLOT else 'passphrase'}")
    kek = slot_kek(secret, header.slot_type, header.body)
    file_key = xor(header.body[-32:], wrap_pad(kek, header.version))
    prk = hmac_sha256(header.salt, file_key)
    tag_at = header.header_bytes - TAG_BYTES
    tag = hmac_sha256(header_key(kek, prk, header.version), data[:tag_at])
    if not hmac.compare_digest(tag, data[tag_at:header.header_bytes]):
        raise Refusal(WRONG_SECRET, "wrong passphrase or key")
    return prk, header.header_bytes, 1 << header.segment_log2


def seal(secret, slot_type, plain, segment_log2=20, log2_n=17, version=2, run_salt=b""):
    header, prk = make_header(secret, slot_type, segment_log2, log2_n, version, run_salt)
    # The range goes one past the end: when segments divide the plaintext evenly, an empty one marks the end.
    starts = range(0, len(plain) + 1, 1 << segment_log2)
    return header + b"".join(seal_segment(prk, i, plain[at:at + (1 << segment_log2)]) for i, at in enumerate(starts))


def open_sealed(data, secret, slot_type, release, min_segment_log2=MIN_SEGMENT_LOG2):
    """Call release(plain) for each authentic segment in order; Refusal at the first fault."""
    prk, at, segment_bytes = unlock(data, secret, slot_type, min_segment_log2)
    for index in itertools.count():
        stored = data[at:at + segment_bytes + SEGMENT_TAG_BYTES]
        if len(stored) < SEGMENT_TAG_BYTES:
            raise Refusal(DAMAGED, f"truncated: segment {index} is missing")
        release(open_segment(prk, index, stored))
        if len(stored) < segment_bytes + SEGMENT_TAG_BYTES:
            return
        at += len(stored)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    secrets = parser.add_mutually_exclusive_group(required=True)
    secrets.add_argument("--key", metavar="FILE", type=pathlib.Path)
    secrets.add_argument("--pass", metavar="FILE", type=pathlib.Path, dest="passphrase")
    parser.add_argument("input", metavar="IN", type=pathlib.Path)
    parser.add_argument("output", metavar="OUT", type=pathlib.Path)
    options = parser.parse_args()
    try:
        slot_type = KEY_SLOT if options.key else PASSPHRASE_SLOT
        secret = options.key.read_bytes() if options.key else options.passphrase.read_bytes().split(b"\n", 1)[0]
        data = options.input.read_bytes()
        with options.output.open("wb") as file:
            open_sealed(data, secret, slot_type, file.write)
    except (Refusal, OSError) as error:
        print(f"sealed_twin.py: {error}", file=sys.stderr)
        return getattr(error, "exit_code", 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
