"""The sealed format as a user meets it: the default, its messages, ranges and salvage.

The second implementation, tools/sealed_twin.py, checks the files if python3-cryptography is installed.
"""

import json
import os
import resource
import subprocess
import sys
import unittest

import support
from support import CHEAP, KEY, KEY_HEADER, PASS, SALVAGE, SEGMENT, STORED, Sealed, WRONG, pattern

TWIN = os.path.join(os.path.dirname(__file__), "../../tools/sealed_twin.py")


def has_twin():
    return subprocess.run([sys.executable, TWIN, "--help"], capture_output=True, check=False).returncode == 0


class ThereAndBack(Sealed):
    def test_it_is_the_default(self):
        self.gives("", "encrypt", *PASS, "a")
        self.assertEqual(self.read("a.fugu")[:9], b"\x89FUGU\r\n\x1a\x02")
        self.assertEqual(len(self.read("a.fugu")), 151 + self.SIZE + 3 * 16)
        os.rename(self.path("a"), self.path("was"))
        self.gives("", "decrypt", *PASS, "a.fugu")
        self.assertEqual(self.read("a"), self.read("was"))

    def test_sizes_files_and_pipes(self):
        for size in (0, 1, 7, 8, SEGMENT - 1, SEGMENT, SEGMENT + 1, 9 * SEGMENT):
            with self.subTest(size=size):
                sealed = self.output("encrypt", *KEY, input=pattern(size))
                self.assertEqual(len(sealed), KEY_HEADER + size + 16 * (size // SEGMENT + 1))
                self.gives(pattern(size), "decrypt", *KEY, input=sealed)
                self.write("f.fugu", sealed)
                self.gives("", "decrypt", "-f", *KEY, "f.fugu")
                self.assertEqual(self.read("f"), pattern(size))

    def test_threads_engines_and_chunks_agree(self):
        self.seal()
        engines = json.loads(self.run_fugu("engines", "--json")[1])["engines"]
        names = [engine["name"] for engine in engines if engine["available"]]
        self.assertIn("cpu/scalar", names)
        for options in [["-T", "1"], ["-T", "3"], ["--chunk", "4K"], *(["--engine", name] for name in names)]:
            self.gives(self.read("a"), "decrypt", *KEY, *options, "a.fugu", "-o", "-")

    @unittest.skipUnless(has_twin(), "python3-cryptography is not installed")
    def test_the_second_implementation_agrees(self):
        self.write("pass", "the first line\nanother\n")
        self.seal()
        self.gives("", "encrypt", *PASS, "--scrypt-cost", "10", "a", "-o", "p.fugu")
        for secret, name in ((["--key", "key"], "a.fugu"), (["--pass", "pass"], "p.fugu")):
            subprocess.run([sys.executable, TWIN, *secret, name, "out"], cwd=self.directory, check=True)
            self.assertEqual(self.read("out"), self.read("a"))
        for secret, status in ((["--pass", "pass"], 3), (["--key", "none"], 1)):
            run = subprocess.run([sys.executable, TWIN, *secret, "a.fugu", "out"], cwd=self.directory, stderr=subprocess.PIPE, check=False)
            self.assertEqual((run.returncode, run.stderr[:16]), (status, b"sealed_twin.py: "))


class Messages(Sealed):
    BY_KEY = ["decrypt", *KEY, "a.fugu", "-o", "out.txt"]
    BY_PASS = ["decrypt", *PASS, "a.fugu", "-o", "out.txt"]

    def test_a_cost_of_deriving_nothing_is_refused(self):
        self.write("a", "data")
        self.stops(1, "a: --scrypt-cost is for passphrases: nothing is derived from a key; a.fugu was not created",
                   "encrypt", *KEY, "--scrypt-cost", "12", "a")

    @support.in_little_memory
    def test_too_little_memory_for_the_cost(self):
        self.write("a", "data")
        self.stops(2, "a: the key derivation needs 1024 MiB of memory, which is not available; a.fugu was not created",
                   "encrypt", *PASS, "--scrypt-cost", "20", "a", preexec_fn=support.limited(resource.RLIMIT_AS, 1 << 30))

    def test_wrong_passphrase(self):
        self.gives("", "encrypt", *CHEAP, "a")
        self.write("wrong", "wrong\n")
        self.stops(3, f"a.fugu: {WRONG}; nothing was written", "decrypt", "--pass", "file:wrong", "a.fugu", "-o", "out.txt")
        self.stops(3, "a.fugu: is sealed with a passphrase (--pass), not with a key; nothing was written", *self.BY_KEY)
        self.assertIn("; it begins like a file of the format sealed: leave out --format; out.txt was not created\n",
                      self.fails(5, "decrypt", *PASS, "--format", "openssl", "a.fugu", "-o", "out.txt"))
        self.write("line", "a key\n")  # its line feed is not what is wrong
        self.stops(3, "a.fugu: is sealed with a passphrase (--pass), not with a key; nothing was written",
                   "decrypt", "--key", "file:line", "a.fugu", "-o", "out.txt")
        self.stops(1, "a.fugu: is in the format sealed: --max-output does not apply to it, only to odf, bfa, openpgp or bfe; out.txt was "
                   "not created", "decrypt", *PASS, "--max-output", "1", "a.fugu", "-o", "out.txt")
        self.assertNotIn("out.txt", self.names())

    def test_wrong_key(self):
        self.seal()
        self.write("wrong", bytes(32))
        self.stops(3, f"a.fugu: {WRONG}; nothing was written", "decrypt", "--key", "file:wrong", "a.fugu", "-o", "out.txt")
        self.stops(3, "a.fugu: is sealed with a key (--key), not with a passphrase; nothing was written", *self.BY_PASS)

    def test_damaged_header(self):
        self.gives("", "encrypt", *CHEAP, "a")
        self.alter("a.fugu", 30)
        self.stops(4, "a.fugu: header is damaged (checksum); the passphrase was not tried", *self.BY_PASS)
        self.stops(4, "a.fugu: header is damaged (checksum)", "info", "a.fugu")
        for size in (100, 12, 5):
            self.cut("a.fugu", size)
            self.stops(4, "a.fugu: file ends inside its header: it was truncated; the passphrase was not tried", *self.BY_PASS)
        self.assertNotIn("out.txt", self.names())

    def test_damaged_segment(self):
        self.seal()
        self.alter("a.fugu", KEY_HEADER + STORED + 77)
        text = f"segment 1 (bytes 1048576-2097151) failed authentication{SALVAGE}"
        self.stops(4, f"a.fugu: {text}; out.txt was not created", *self.BY_KEY)
        self.stops(4, f"a.fugu: {text}", "verify", *KEY, "a.fugu")
        self.write("out.txt", "as it was")
        self.stops(4, f"a.fugu: {text}; out.txt was not changed", "decrypt", "-f", *KEY, "a.fugu", "-o", "out.txt")
        self.assertEqual(self.read("out.txt"), b"as it was")

    def test_truncated(self):
        self.seal()
        self.cut("a.fugu", KEY_HEADER + 2 * STORED)
        self.stops(4, f"a.fugu: file ends early after segment 1: it was truncated{SALVAGE}; out.txt was not created", *self.BY_KEY)
        self.cut("a.fugu", KEY_HEADER)
        self.stops(4, "a.fugu: file ends early, before its first segment: it was truncated; out.txt was not created", *self.BY_KEY)

    def test_a_pipe_has_had_only_what_was_verified(self):
        self.write("a", pattern(40 * SEGMENT))
        self.seal()
        self.alter("a.fugu", KEY_HEADER + 38 * STORED)
        code, out, err = self.run_fugu("decrypt", *KEY, "--chunk", "1M", input=self.read("a.fugu"))
        self.assertEqual(code, 4)
        self.assertEqual(out, self.read("a")[:len(out)])
        self.assertLessEqual(len(out), 38 * SEGMENT)
        self.assertIn("segment 38 (bytes 39845888-40894463) failed authentication", err)

    def test_short_keys_are_refused(self):
        self.write("short", bytes(15))
        self.fails(1, "encrypt", "--key", "file:short", "a",
                   says="a sealed file's key has 16 to 1024 random bytes; seal with a passphrase instead")
        self.assertNotIn("a.fugu", self.names())

    def test_a_newer_version(self):
        import hashlib
        self.seal()
        data = bytearray(self.read("a.fugu"))
        data[8] = 3
        data[100:116] = hashlib.sha256(bytes(data[:100])).digest()[:16]
        self.write("a.fugu", bytes(data))
        self.stops(5, "a.fugu: is sealed with format version 3; this program reads sealed files of versions 1 and 2; out.txt was not created",
                   *self.BY_KEY)


class VersionOne(Sealed):
    """A file of version 1, which nothing writes any more, opens as before."""

    def setUp(self):
        super().setUp()
        self.plain = support.version_one(self.path("old.fugu"))

    def test_decrypt_range_verify_info(self):
        self.gives(self.plain, "decrypt", *KEY, "old.fugu", "-o", "-")
        self.gives(self.plain[65530:65541], "decrypt", *KEY, "--range", "65530:11", "old.fugu", "-o", "-")
        self.gives(b"old.fugu: 65541 bytes of plaintext, sealed, every segment authentic\n", "verify", *KEY, "old.fugu")
        self.assertEqual(self.output("info", "old.fugu").split(b"\n")[0], b"old.fugu: sealed, version 1")


class SegmentSize(Sealed):
    def test_sizes(self):
        for text, log2 in (("64K", 16), ("65536", 16), ("1MiB", 20), ("16M", 24)):
            self.gives("", "encrypt", *KEY, "--segment-size", text, "-f", "a")
            self.assertEqual(self.read("a.fugu")[10], log2)
            self.gives(self.read("a"), "decrypt", *KEY, "a.fugu", "-o", "-")
        for text in ("32K", "32M", "65537", "96K", "0", "x"):
            self.stops(1, "--segment-size takes 64K, 128K, 256K, 512K, 1M, 2M, 4M, 8M or 16M",
                       "encrypt", *KEY, "--segment-size", text, "a", "-o", "b")
        self.stops(1, "--segment-size and --format openssl cannot be combined: --segment-size belongs to --format sealed",
                   "encrypt", *PASS, "--format", "openssl", "--segment-size", "64K", "a", "-o", "b")


class Info(Sealed):
    def test_text(self):
        self.gives("", "encrypt", *PASS, "a")
        self.gives("a.fugu: sealed, version 2\n  plaintext: 2097157 bytes in 3 segments of 1048576 (not verified)\n  opens with: a passphrase (scrypt, N = 2^17, r = 8, p = 1)\n  cipher: Blowfish-448 CTR, a key per segment\n  authentication: Poly1305 a segment\n",
                   "info", "a.fugu")

    def test_json(self):
        self.seal()
        self.assertEqual(json.loads(self.output("info", "--json", "a.fugu"))["files"], [{
            "file": "a.fugu", "format": "sealed", "encoding": "binary", "version": 2, "slot": "key",
            "segment_bytes": SEGMENT, "header_bytes": KEY_HEADER, "claimed_plaintext_bytes": self.SIZE,
            "authentication": "poly1305"}])

    def test_a_size_that_is_not_known(self):
        self.seal()
        lines = ("  plaintext: unknown: {}\n  opens with: a key\n  cipher: Blowfish-448 CTR, a key per segment\n"
                 "  authentication: Poly1305 a segment\n")
        self.gives("standard input: sealed, version 2\n" + lines.format("not a file"), "info", input=self.read("a.fugu"))
        for size in (KEY_HEADER, KEY_HEADER + 15, KEY_HEADER + STORED, KEY_HEADER + STORED + 15):
            self.cut("a.fugu", KEY_HEADER + 3 * STORED)
            self.cut("a.fugu", size)
            self.gives("a.fugu: sealed, version 2\n" + lines.format("the file was truncated"), "info", "a.fugu")
            self.assertIsNone(self.rows_of(0, "info", "--json", "a.fugu")[0]["claimed_plaintext_bytes"])

    def test_verify(self):
        self.seal()
        self.gives("a.fugu: 2097157 bytes of plaintext, sealed, every segment authentic, same as a\n",
                   "verify", *KEY, "--against", "a", "a.fugu")
        self.write("b", pattern(self.SIZE - 1) + b"?")
        self.stops(7, "a.fugu: its plaintext differs at byte 2097156", "verify", *KEY, "--against", "b", "a.fugu")


class Range(Sealed):
    def test_ranges(self):
        self.seal()
        plain = self.read("a")
        for text, begin, end in [("0:10", 0, 10), ("1048570:12", 1048570, 1048582), ("2097150:", 2097150, None),
                                 ("2097157:", 2097157, None), ("2097147:10", 2097147, None), ("1048576:0", 0, 0)]:
            self.gives(plain[begin:end], "decrypt", *KEY, "--range", text, "a.fugu", "-o", "-")
        for begin, length, said in ((0, "99999999", "2097157 of its 99999999"), (2097157, "1K", "0 of its 1024")):
            self.expect(0, plain[begin:], f"fugu: a.fugu: the data ends inside the range: {said} bytes were written\n", "decrypt", *KEY, "--range",
                        f"{begin}:{length}", "a.fugu", "-o", "-")
        self.gives("", "decrypt", *KEY, "--range", "5:7", "a.fugu", "-o", "part")
        self.assertEqual(self.read("part"), plain[5:12])

    def test_refusals(self):
        self.seal()
        for text in ("5", ":5", "a:b", "1:2:3", "-1:2", "1:-2", "18446744073709551616:1"):
            self.stops(1, "--range takes OFF:LEN or OFF:, sizes such as 4096, 64K or 1GiB", "decrypt", *KEY, f"--range={text}", "a.fugu")
        self.stops(1, "--range needs -o: a part does not get the name of the whole", "decrypt", *KEY, "--range", "0:1", "a.fugu")
        self.stops(1, "--range and --salvage cannot be combined: give one of them",
                   "decrypt", *KEY, "--range", "0:1", "--salvage", "a.fugu")
        self.stops(1, "standard input: a range needs a file that can be read at any place, not a pipe; nothing was written",
                   "decrypt", *KEY, "--range", "0:1", input=self.read("a.fugu"))
        self.stops(1, "a.fugu: the range begins at byte 2097158 and the file holds 2097157; nothing was written",
                   "decrypt", *KEY, "--range", "2097158:", "a.fugu", "-o", "-")


class Salvage(Sealed):
    def test_every_range_is_told(self):
        self.write("a", bytes(40 * SEGMENT))
        self.seal()
        ranges = []
        for segment in range(0, 40, 2):
            self.alter("a.fugu", KEY_HEADER + segment * STORED)
            ranges.append(f"{segment * SEGMENT}-{(segment + 1) * SEGMENT - 1}")
        self.stops(4, f"a.fugu: bytes {', '.join(ranges)} failed authentication; out has zeros there, and is authentic elsewhere",
                   "decrypt", *KEY, "--salvage", "a.fugu", "-o", "out")

    def test_a_lost_end(self):
        self.seal()
        self.alter("a.fugu", KEY_HEADER + 2 * STORED + 1)
        self.stops(4, "a.fugu: bytes 2097152-2097156 failed authentication; the end of the file is missing or damaged; out has zeros there "
                   "as far as it goes, and is authentic elsewhere", "decrypt", *KEY, "--salvage", "a.fugu", "-o", "out")
        self.assertEqual(self.read("out"), self.read("a")[:2 * SEGMENT])
        self.cut("a.fugu", KEY_HEADER + STORED)
        self.stops(4, "a.fugu: the end of the file is missing or damaged; out is authentic as far as it goes",
                   "decrypt", *KEY, "--salvage", "-f", "a.fugu", "-o", "out")
        self.assertEqual(self.read("out"), self.read("a")[:SEGMENT])

    def test_another_format(self):
        """Its plaintext, and what openssl itself wrote, up to the cut."""
        text = b"".join(b"line %d of a letter that somebody wrote long ago\n" % i for i in range(60))
        self.write("plain", text)
        self.write("pass", b"secret\n")
        given = [*PASS, "--md", "sha256", "--no-pbkdf2", "--cipher", "bf-cbc", "--key-bytes", "16"]
        self.gives("", "encrypt", "--format", "openssl", *given, "plain", "-o", "old.bf")
        self.cut("old.bf", 1003)
        self.ends(4, None, "decrypt", "--format", "openssl", *given, "old.bf", "-o", "out",
                  says="the passphrase fits (a wrong one does once in 2^100), but the file does not end as it should")
        self.assertNotIn("out", self.names())
        status, out, err = self.run_fugu("decrypt", "--format", "openssl", *given, "--salvage", "--json", "old.bf", "-o", "out")
        self.assertEqual(status, 4)
        self.assertEqual(self.read("out"), text[:984])
        self.assertIn("out has the 984 bytes that were found, and nothing vouches for them", err)
        row = json.loads(out)["files"][0]
        self.assertFalse(row["ok"])
        self.assertEqual((row["salvage"]["bytes"], row["salvage"]["lost"], row["salvage"]["authenticated"]), (984, [], False))
        self.assertIn("inside a block", " ".join(row["salvage"]["damage"]))

    def test_a_damaged_tag_is_told_from_a_wrong_key_where_the_first_segment_tells(self):
        self.seal()
        self.alter("a.fugu", KEY_HEADER - 1)
        self.assertIn("the secret fits, but the header is damaged (tag)", self.fails(4, "decrypt", *KEY, "a.fugu", "-o", "out"))
        self.stops(3, f"standard input: {WRONG}; nothing was written", "decrypt", *KEY, "-o", "out", input=self.read("a.fugu"))
        self.alter("a.fugu", KEY_HEADER)
        self.stops(3, f"a.fugu: {WRONG}; nothing was written", "decrypt", *KEY, "--salvage", "a.fugu", "-o", "out")

    def test_a_damaged_magic_is_told_by_the_checksum_behind_it(self):
        self.seal()
        for at in range(8):
            self.alter("a.fugu", at, 0x81)
            damage = "a.fugu: the first 8 bytes of the sealed file are damaged; the rest of its header is whole"
            self.stops(4, f"{damage}", "info", "a.fugu")
            self.fails(4, "rekey", *KEY, "--new-key", "file:key", "a.fugu")
            self.assertIn(damage, self.fails(4, "decrypt", *KEY, "a.fugu", "-o", "none"))
            self.stops(4, f"{damage}; out is authentic", "decrypt", *KEY, "--salvage", "-f", "a.fugu", "-o", "out")
            self.assertEqual(self.read("out"), self.read("a"))
        self.alter("a.fugu", 20)
        self.fails(5, "info", "a.fugu")

    def test_what_cannot_be_salvaged_says_why(self):
        self.write("word", b"0123456789abcdef")
        self.stops(1, "word: is in the format jboss, of which nothing can be salvaged: it holds one password; out was not created",
                   "decrypt", "--format", "jboss", "--salvage", "word", "-o", "out")

    def test_the_input_is_kept(self):
        self.seal()
        self.stops(1, "--salvage and --rm cannot be combined: give one of them",
                   "decrypt", *KEY, "--salvage", "--rm", "a.fugu", "-o", "out")


class Sizes(Sealed):
    def test_more_than_a_sealed_file_holds_is_refused_before_the_work(self):
        with open(self.path("long"), "wb") as file:
            file.truncate((1 << 40) + 1)
        self.stops(1, "long: a sealed file holds at most 1 TiB; nothing was written", "encrypt", *KEY, "long", "-o", "-")
