"""No secret is left in the process's memory when its work is done.

image_test.py FUGU SHIM. The preloaded library stops the process at its very end, after everything was released. The test then
reads all its memory (as root, since the process is not dumpable). It looks for the passphrase, key, file key, prk, the wrap's KEK
and the keys of each segment, which the second implementation derives from the file; for the P-array and S-boxes of these keys,
which OpenSSL expands, as words and in the layout of the byte-sliced engine; and for the plaintext.
"""

import bz2
import ctypes
import ctypes.util
import functools
import hashlib
import json
import os
import re
import signal
import struct
import sys
import time
import zlib

import foreign_test as foreign
import support
from support import PASS, Case

SHIM = ""
twin = None
PASSPHRASE = b"a passphrase of no other use \xe2\x82\xac 7f3a, and longer than what the allocator writes over its beginning"
KEY = bytes((37 * i + 11) % 256 for i in range(64))
# No 24 consecutive bytes of it occur by chance.
PLAIN = b"".join(b"secret line %012d\n" % i for i in range(60_000))


def tail(secret):
    """Leaves out the beginning, which the allocator may overwrite in released memory with its lists; those of large pieces are
    longer."""
    return secret[32:] if len(secret) > 32 else secret[16:]


def memory_of(pid, stack):
    """Every readable page of a stopped process; without the stack, if that is not wanted."""
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        regions = [re.match(r"([0-9a-f]+)-([0-9a-f]+) r(w?)", line) for line in maps if stack or "[stack]" not in line]
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for region in filter(None, regions):
            begin, end = int(region[1], 16), int(region[2], 16)
            try:
                memory.seek(begin)
                yield begin, memory.read(end - begin)
            except (OSError, ValueError, OverflowError):
                pass  # vvar, vsyscall


def blowfish_schedule(key):
    """18 words of the P-array and 1024 of the S-boxes, from OpenSSL."""
    words = (ctypes.c_uint32 * (18 + 4 * 256))()
    ctypes.CDLL(ctypes.util.find_library("crypto")).BF_set_key(words, len(key), key)
    return words[:18], words[18:]


def parts_of_tables(key):
    """Names and bytes of parts of an expanded key, but not of its beginning, which the allocator overwrites."""
    p, s = blowfish_schedule(key)
    pack = lambda words: b"".join(word.to_bytes(4, sys.byteorder) for word in words)
    parts = {"P-array": pack(p[2:]), "S-boxes": pack(s[16:32]), "S-boxes' end": pack(s[-16:])}
    parts["repeated bytes of the P-array"] = b"".join(
        bytes([byte]) * 4 for word in p[4:9] for byte in word.to_bytes(4, "big"))
    for box in range(4):
        for place in range(4):
            entries = s[256 * box + 64:256 * box + 128]
            parts[f"byte {place} of S-box {box}"] = bytes(entry.to_bytes(4, "big")[place] for entry in entries)
    return parts


def swapped(data):
    """The bytes of each 32-bit word reversed."""
    return b"".join(data[i:i + 4][::-1] for i in range(0, len(data), 4))


NAME = "a name of no other use 51c9.txt"


def bfa(packed, kind):
    """A file of Blowfish Advanced CS: the layout is that of its sources, BFAFile.pas, CrptFile.pas and KeyCreator.pas."""
    salt, iv = b"eleven salt", b"8 octets"
    chain = b""
    while len(chain) < 60:
        chain += hashlib.sha1(salt + PASSPHRASE + chain).digest()
    key = bytes(a ^ b for a, b in zip(chain[:4], chain[56:60])) + chain[4:56]
    check = 0
    for word in struct.unpack("<4I", hashlib.md5(salt + PASSPHRASE).digest()):
        check ^= word
    name = NAME.encode("utf-16-le")
    inner = struct.pack("<IBBQIQHB", 0x75191114, 29, 0, 0, 0, len(PLAIN), len(NAME), kind) + name + packed
    inner += struct.pack("<I", zlib.crc32(PLAIN))
    header = bytes.fromhex("24081992") + struct.pack("<HHQHH", 35, 0x0115, len(inner), 8, 8) + salt + struct.pack("<I", check)
    padded = inner + bytes(-len(inner) % 8)
    work = twin.Cipher(twin.Blowfish(key), twin.modes.CBC(swapped(iv))).encryptor()
    return header + iv + swapped(work.update(swapped(padded)))


class Image(Case):
    FILES = {"pass": PASSPHRASE + b"\n", "key": KEY, "plain": PLAIN}

    def secrets_of(self, sealed, secret, slot):
        """Names and bytes of all secrets of the file."""
        header = twin.parse_header(sealed)
        kek = twin.slot_kek(secret, slot, header.body)
        pad = twin.wrap_pad(kek, header.version)
        prk, _, segment = twin.unlock(sealed, secret, slot)
        found = {"secret": tail(secret), "kek": tail(kek), "pad": tail(pad), "fk": tail(twin.xor(header.body[-32:], pad)),
                 "prk": tail(prk), "hk": tail(twin.header_key(kek, prk, header.version))}
        for i in range(len(PLAIN) // segment + 1):
            cipher_key, tag_key = twin.segment_keys(prk, i)
            found[f"key of segment {i}"] = tail(cipher_key)
            found[f"tag key of segment {i}"] = tail(tag_key)
            for name, part in parts_of_tables(cipher_key).items():
                found[f"{name} of segment {i}"] = part
        found["plaintext"] = PLAIN[5000:5048]
        found["plaintext's end"] = PLAIN[-48:]
        return found

    def look(self, arguments, secrets, status=0, stack=True):
        process = self.start(*arguments, variables={"LD_PRELOAD": SHIM, "FUGU_FAULT_STOP": "1"})
        try:
            for _ in range(600):
                with open(f"/proc/{process.pid}/stat", encoding="utf-8") as stat:
                    if stat.read().rsplit(")", 1)[1].split()[0] == "T":
                        break
                time.sleep(0.05)
            else:
                self.fail("did not stop at its end")
            pages = 0
            for begin, page in memory_of(process.pid, stack):
                pages += len(page)
                for name, secret in secrets().items():
                    self.assertFalse(secret in page, f"{name} in what begins at {begin:x}")
            self.assertGreater(pages, 1 << 20)
        finally:
            process.send_signal(signal.SIGCONT)
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, bool(err)), (status, status != 0), err)

    def both_ways(self, options, secret, slot):
        of_new = functools.cache(lambda: self.secrets_of(self.read("sealed"), secret, slot))
        self.look(["encrypt", *options, "plain", "-o", "sealed"], of_new)
        self.look(["decrypt", *options, "sealed", "-o", "out"], of_new)
        self.assertEqual(self.read("out"), PLAIN)

    def test_passphrase(self):
        self.both_ways(PASS, PASSPHRASE, twin.PASSPHRASE_SLOT)

    def test_passphrase_from_the_environment(self):
        os.environ["FUGU_TEST_SECRET"] = os.fsdecode(PASSPHRASE)
        self.addCleanup(os.environ.pop, "FUGU_TEST_SECRET")
        self.both_ways(["--pass", "env:FUGU_TEST_SECRET"], PASSPHRASE, twin.PASSPHRASE_SLOT)

    def test_key(self):
        self.both_ways(["--key", "file:key"], KEY, twin.KEY_SLOT)

    def test_tables_of_every_cpu_engine_and_mode(self):
        key = bytes((91 * i + 5) % 256 for i in range(56))
        self.write("key", key)
        secrets = {"key": tail(key), **parts_of_tables(key)}
        out = self.output("engines", "--json")
        for engine in (row["name"] for row in json.loads(out)["engines"] if row["available"] and row["name"].startswith("cpu/")):
            for mode in ("ecb", "cbc", "cfb", "ofb", "ctr"):
                with self.subTest(engine=engine, mode=mode):
                    options = ["-q", "-f", "--format", "raw", "--mode", mode, "--key", "file:key", "--engine", engine,
                               *(["--iv", "prefix"] if mode != "ecb" else [])]
                    self.look(["encrypt", *options, "plain", "-o", "raw"], lambda: secrets)
                    self.look(["decrypt", *options, "raw", "-o", "out"], lambda: secrets)
                    self.assertEqual(self.read("out"), PLAIN)

    def test_plaintext_of_bfa(self):
        """Every compression of it: none, LZSS (here of nothing but literals), zlib and bzip2."""
        lzss = b"".join(b"\xff" + PLAIN[at:at + 8] for at in range(0, len(PLAIN), 8))
        parts = {"beginning": PLAIN[96:144], "plaintext": PLAIN[500_000:500_048], "end": PLAIN[-48:], "name": NAME[8:].encode("utf-16-le")}
        for kind, packed in enumerate((PLAIN, lzss, zlib.compress(PLAIN, 1), bz2.compress(PLAIN))):
            with self.subTest(compression=kind):
                self.write("a.bfa", bfa(packed, kind))
                self.look(["decrypt", "-q", "-f", *PASS, "a.bfa", "-o", "out"], lambda: parts)
                self.assertEqual(self.read("out"), PLAIN)
                self.look(["decrypt", "-q", "-f", "--max-output", "100000", *PASS, "a.bfa", "-o", "none"], lambda: parts,
                          4 if kind else 0)

    def test_plaintext_of_other_formats(self):
        """The first sample of each kit whose plaintext is long enough. All of such a small file fits into registers, which any call
        may save on the stack: that is not searched."""
        for codec in ("openpgp", "mcrypt", "vim", "cryptcbc", "bfe", "pwsafe", "kwallet"):
            for name, parameters, secret, file in foreign.samples(codec):
                if " -b" in parameters or "bcrypt:" in parameters or len(secret) == 0 or len(file) > 8000:
                    continue
                self.write("file", file)
                self.write("pass", secret + b"\n")
                given = foreign.options_for(codec, parameters, file)
                given = given if "--format" in given else ["--format", codec, *given]
                command = ["decrypt", "-q", "-f", "--yes", *PASS, *given, "file", "-o", "out"]
                self.assertEqual(self.run_fugu(*command)[0], 0, name)
                plain = self.read("out")
                if len(plain) < 200 or len(set(plain[-64:-16])) < 12:
                    continue
                with self.subTest(codec=codec, name=name):
                    self.look(command, lambda: {"beginning": plain[32:64], "end": plain[-64:-16]}, stack=False)
                break
            else:
                self.fail(f"no sample of {codec}")

    def test_derived_iv(self):
        """What a derivation gives besides the key would prove a guess of the passphrase. EVP_BytesToKey from hashlib. The stack is
        not searched: eight bytes fit into a register, which any call may save there."""
        given = ["--cipher", "bf-cbc", "--md", "sha256", "--no-pbkdf2"]

        @functools.cache
        def of_new():
            stream = hashlib.sha256(PASSPHRASE + self.read("file")[8:16]).digest()
            return {"key": stream[:16], "iv": stream[16:24], "iv as a number": stream[16:24][::-1]}

        self.look(["encrypt", "-q", "--format", "openssl", *given, *PASS, "plain", "-o", "file"], of_new, stack=False)
        for options in (given, []):
            with self.subTest(options=options):
                self.look(["decrypt", "-q", "-f", *options, *PASS, "file", "-o", "out"], of_new, stack=False)
                self.assertEqual(self.read("out"), PLAIN)

    def test_what_is_there_is_found(self):
        """Tests the scan itself: it finds the output's name in the memory."""
        with self.assertRaises(AssertionError):
            self.look(["encrypt", "--key", "file:key", "plain", "-o", "a-rather-long-output-name"],
                      lambda: {"name": b"a-rather-long-output-name"})


if __name__ == "__main__":
    SHIM = os.path.abspath(sys.argv.pop(2))
    if os.environ.get("FUGU_SANITIZED") or os.geteuid() != 0:
        print("skipped: needs root to read the process's memory, and a build without sanitizers")
        sys.exit(support.SKIPPED)
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
    try:
        import sealed_twin as twin
    except ImportError as missing:
        print(f"skipped: {missing} (python3-cryptography)")
        sys.exit(support.SKIPPED)
    support.main()
