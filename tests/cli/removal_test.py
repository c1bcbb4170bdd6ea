"""What is refused before anything is read, and when --rm removes an input."""

import os
import random
import re
import signal
import unittest
from unittest.mock import ANY

import support
from support import CHEAP, PASS, SALVAGE, Case, as_nobody, pattern, salted

SAME = "fugu: {}: is the input as well; a file cannot be written over itself\n"


class Refusals(Case):
    FILES = {"a": pattern(1000)}

    def encrypt_fails(self, err, *arguments, **options):
        before = {name: self.read(name) for name in self.names() if os.path.isfile(self.path(name))}
        out = b"" if "stdout" not in options else None
        self.expect(2, out, err, "encrypt", "-q", *PASS, *arguments, **options)
        self.assertEqual({name: self.read(name) for name in before}, before)

    def test_existing_output(self):
        self.write("a.fugu", "precious")
        names = self.names()
        self.encrypt_fails("fugu: a.fugu: exists; not overwritten (use -f)\n", "a")
        self.encrypt_fails("fugu: a.fugu: exists; not overwritten (use -f)\n", "-o", "a.fugu", input=b"")
        self.assertEqual(self.names(), names)
        self.encrypt("-f", "a")
        self.assertEqual(self.read("a.fugu")[:8], b"Salted__")

    def test_missing_input(self):
        self.encrypt_fails("fugu: none: cannot open: No such file or directory\n", "none")
        self.assertEqual(self.names(), ["a", "pass"])

    def test_the_place_of_the_output_is_looked_at_before_a_passphrase_is_asked_for(self):
        os.mkdir(self.path("closed"), 0o555)
        nobody = as_nobody(self)
        for out, reason in (("none/b", "cannot open its directory: No such file or directory"),
                            ("a/b", "cannot open its directory: Not a directory"),
                            ("closed/b", "cannot create a file in its directory: Permission denied")):
            self.expect(2, b"", f"fugu: {out}: {reason}\n", "encrypt", "-q", "a", "-o", out, **nobody)

    def test_directories(self):
        os.mkdir(self.path("d"))
        self.encrypt_fails("fugu: d: is a directory; -r --output-dir DIR encrypts the files in it, `tar c d | fugu encrypt` all as one\n", "d")
        self.fails(2, "encrypt", "-q", *CHEAP, "a", "-o", "d", matches="^fugu: d: .*directory.*\n$")
        self.fails(2, "encrypt", "-q", *CHEAP, "a", "-o", "no/such/place", matches="^fugu: no/such/place: .*No such file or directory.*\n$")
        directory = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, directory)
        self.encrypt_fails("fugu: standard input: is a directory\n", stdin=directory)

    def test_same_file_by_redirection(self):
        same = SAME.format("standard output")
        with open(self.path("a"), "ab") as appending:
            self.encrypt_fails(same, "a", "-o", "-", stdout=appending)
        with open(self.path("a"), "rb") as reading, open(self.path("a"), "ab") as appending:
            self.encrypt_fails(same, stdin=reading, stdout=appending)
        with open(self.path("a"), "rb") as reading:
            self.expect(2, b"", SAME.format("a"), "encrypt", "-q", "-f", *CHEAP, "-o", "a", stdin=reading)
        self.assertEqual(self.read("a"), pattern(1000))

    def test_permissions(self):
        nobody = as_nobody(self)
        os.chmod(self.path("a"), 0)
        self.expect(2, b"", "fugu: a: cannot open: Permission denied\n", "encrypt", "-q", *CHEAP, "a", **nobody)
        os.chmod(self.path("a"), 0o644)
        os.chmod(self.directory, 0o555)
        self.addCleanup(os.chmod, self.directory, 0o755)
        self.expect(2, b"", "fugu: a.fugu: cannot create a file in its directory: Permission denied\n", "encrypt", "-q", *CHEAP, "a", **nobody)
        self.assertNotIn("a.fugu", self.names())

    def test_rm_that_is_not_permitted(self):
        nobody = as_nobody(self)
        os.mkdir(self.path("mine"), 0o755)
        self.write("mine/a", b"x")
        if not nobody:
            os.chmod(self.path("mine"), 0o555)
        self.expect(2, b"", "fugu: mine/a: cannot remove: Permission denied; b is complete\n",
                    "encrypt", "-q", "--rm", *CHEAP, "mine/a", "-o", "b", **nobody)
        os.chmod(self.path("mine"), 0o755)
        self.assertEqual(self.read("mine/a"), b"x")


class Remove(Case):
    def test_keep_is_the_default(self):
        self.write("a", "x")
        self.encrypt("-k", "a")
        self.assertIn("a", self.names())

    def test_rm(self):
        self.write("a", "x")
        self.encrypt("--rm", "a")
        self.assertEqual(self.names(), ["a.fugu", "pass"])
        self.decrypt("--rm", "a.fugu")
        self.assertEqual(self.names(), ["a", "pass"])
        self.assertEqual(self.read("a"), b"x")

    def test_rm_fast(self):
        self.write("a", "x")
        note = "fugu: --rm=fast: outputs are not read back before their inputs are removed\n"
        self.expect(0, b"", note, "encrypt", "--rm=fast", *CHEAP, "a")
        self.assertEqual(self.names(), ["a.fugu", "pass"])
        self.expect(0, b"", "", "decrypt", "-q", "--rm=fast", *PASS, "--", "a.fugu")
        for both in (["--rm=fast", "--rm"], ["--rm", "--rm=fast"]):  # the stricter counts
            self.expect(0, b"", "", "encrypt", *both, *CHEAP, "a")
            self.expect(0, b"", note, "decrypt", "--rm=fast", *PASS, "--", "a.fugu")
        self.assertEqual(self.names(), ["a", "pass"])
        for word, near in (("slow", ""), ("", ""), ("fast=", " (did you mean fast?)"), ("-q", "")):
            self.expect(1, b"", f"fugu: --rm takes fast, not '{word}'{near}\n", "encrypt", f"--rm={word}", *CHEAP, "a")

    def test_rm_takes_no_file_name_for_its_value(self):
        self.write("fast", "x")
        self.expect(0, b"", "", "encrypt", "--rm", "fast", *CHEAP)
        self.assertEqual(self.names(), ["fast.fugu", "pass"])

    def test_every_format_is_read_back(self):
        self.write("key", bytes(range(32)))
        raw = ["--format", "raw", "--key", "file:key", "--mode"]
        for arguments in (["--key", "file:key"], ["--key", "file:key", "--base64"], [*raw, "ecb"], [*raw, "ctr", "--iv", "prefix"],
                          [*raw, "cbc", "--iv", "0011223344556677", "--hex"], [*PASS, "--format", "openssl", "-A"],
                          [*PASS, "--format", "openssl", "--cipher", "bf-ofb", "--salt", "0011223344556677"],
                          [*PASS, "--format", "openssl", "--pbkdf2", "--iter", "5", "--md", "sha512", "--nosalt"],
                          [*PASS, "--format", "vim"], [*PASS, "--format", "cryptcbc"]):
            self.write("a", pattern(2000))
            self.expect(0, b"", "", "encrypt", "-q", "--rm", *arguments, "a", "-o", "b")
            self.assertEqual(self.names(), ["b", "key", "pass"], arguments)
            os.unlink(self.path("b"))

    def test_failure_removes_nothing(self):
        self.write("a", "x")
        self.write("b.fugu", salted(b"text that is long enough to tell", self.directory))
        self.write("wrong", "wrong\n")
        self.expect(3, b"", ANY, "decrypt", "-q", "--rm", "--pass", "file:wrong", "b.fugu")
        self.assertEqual(self.names(), ["a", "b.fugu", "pass", "wrong"])
        self.write("a.fugu", "exists")
        self.expect(2, b"", "fugu: a.fugu: exists; not overwritten (use -f)\n", "encrypt", "-q", "--rm", *CHEAP, "a")
        self.assertIn("a", self.names())

    def kept(self, err, *arguments, output=None):
        """The input stays although the output is complete."""
        self.expect(2, b"", err, *arguments)
        if output is not None:
            self.assertIn(output, self.names())

    def test_a_part_of_the_content_is_not_enough(self):
        self.write("a", pattern(1000))
        self.expect(0, b"", "", "encrypt", "-q", *CHEAP, "a")
        before = self.names()
        for option in (["--range", "0:5"], ["--salvage"]):
            self.expect(1, b"", f"fugu: {option[0]} and --rm cannot be combined: give one of them\n", "decrypt", "-q", "--rm", *PASS,
                        *option, "a.fugu", "-o", "b")
        self.write("key", "k")
        raw = ["--format", "raw", "--mode", "cbc", "--iv", "zero", "--key", "file:key"]
        for padding in ("zero", "space", "rijndael_compat"):
            for command, name in (("encrypt", "a"), ("decrypt", "a.fugu")):
                self.stops(1, f"--pad {padding} and --rm cannot be combined: content that ends in such bytes would come back without them; "
                           "compare, then remove the input", command, "-q", "--rm", *raw, "--pad", padding, name, "-o", "b")
        self.assertEqual(self.names(), sorted(before + ["key"]))

    def test_a_secret_that_nothing_proves_is_not_enough(self):
        unproven = "fugu: {}: nothing proves that the passphrase or key was the right one; not removed; b is complete\n"
        self.write("key", "k")
        self.write("a", pattern(1000))
        raw = ["--format", "raw", "--mode", "cbc", "--iv", "zero", "--key", "file:key"]
        self.expect(0, b"", "", "encrypt", "-q", "--rm", *raw, "a", "-o", "a.raw")
        self.kept(unproven.format("a.raw"), "decrypt", "-q", "--rm", *raw, "a.raw", "-o", "b", output="b")
        self.write("wrong", "wrong\n")
        for cipher in ("bf-cfb", "bf-ofb"):
            given = ["--format", "openssl", "--cipher", cipher, "--md", "sha256", "--pbkdf2", "--key-bytes", "16"]
            self.write("a", pattern(1000))
            self.expect(0, b"", "", "encrypt", "-q", "--rm", *PASS, *given, "a", "-o", "a.fugu")
            self.kept(unproven.format("a.fugu"), "decrypt", "-q", "-f", "--rm", "--pass", "file:wrong", *given, "a.fugu",
                      "-o", "b", output="b")
            os.unlink(self.path("a.fugu"))

    def test_links_are_refused_before_the_work(self):
        self.write("a", pattern(1000))
        os.symlink("a", self.path("link"))
        self.stops(2, "link: is a symbolic link, which --rm does not remove", "encrypt", "-q", "--rm", *CHEAP, "link")
        os.unlink(self.path("link"))
        os.link(self.path("a"), self.path("other"))
        self.expect(2, b"", "fugu: a: has other hard links, which --rm would leave\n", "encrypt", "-q", "--rm", *CHEAP, "a")
        self.assertEqual(self.names(), ["a", "other", "pass"])

    @unittest.skipIf(support.strace_problem(), support.strace_problem())
    def test_no_failing_call_removes_the_key(self):
        self.write("key", bytes(range(32)))
        runs = 0
        for index, code, _, err in support.failing_calls(self, "newfstatat", ["encrypt", "-q", "--rm", "--key", "file:key", "key"]):
            runs += 1
            with self.subTest(index=index):
                self.assertNotEqual(code, 0)
                self.assertEqual(self.names(), ["key", "pass"], err)
        self.assertGreater(runs, 1)

    def test_an_input_that_changed_meanwhile_stays(self):
        self.write("another", "another")
        a, size = self.path("a"), 64 << 20
        for name, change in (("replace", lambda: os.rename(self.path("another"), a)), ("touch", lambda: os.utime(a)),
                             ("grow", lambda: os.truncate(a, size + 4)), ("link", lambda: os.link(a, self.path("other")))):
            what = "replaced by another file" if name == "replace" else "changed"
            with self.subTest(change=name):
                self.write("a", bytes(size))
                process = self.start("encrypt", "-q", "--rm", *CHEAP, "a", "-o", "b")
                self.wait_until_writing(process)
                process.send_signal(signal.SIGSTOP)
                change()
                process.send_signal(signal.SIGCONT)
                out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out, err.decode()),
                                 (2, b"", f"fugu: a: was {what} meanwhile; not removed; b is complete\n"))
                self.assertEqual(self.read("a") == b"another", name == "replace")
                os.unlink(self.path("b"))


class Guesses(Case):
    """Files of the real openssl enc, whose mode and padding are found by trial: a guess never removes an input."""

    TEXT = b"".join(b"%d\n" % i for i in range(2000))
    ARCHIVE = b"name".ljust(512, b"\0") + TEXT.ljust(10240, b"\0")  # as tar's: most blocks are zeros

    def decrypt_rm(self, file):
        self.write("a", file)
        code, _, err = self.run_fugu("decrypt", "-f", "--rm", *PASS, "a", "-o", "b")
        return code, err, self.read("b") if "b" in self.names() else None

    def test_whole_files(self):
        for data in (self.TEXT, self.ARCHIVE):
            code, err, plain = self.decrypt_rm(support.salted(data, self.directory))
            self.assertEqual((code, plain), (0, data), err)
            self.assertNotIn("a", self.names())

    def test_zeros_do_not_make_an_archive_look_like_cfb(self):
        """Where the plaintext is zero, cfb gives zeros as well; under this salt it makes of the first block "\\nOxPcV\\r3"."""
        salt = "33dfa17b2c80896b"
        for data in (b"notes/".ljust(512, b"\0") + self.TEXT.ljust(10240, b"\0"), b"notes/".ljust(10240, b"\0"),
                     b"notes/".ljust(10243, b"\0")):
            written = support.openssl(["-bf-cbc", "-md", "sha256", "-pass", "pass:some passphrase", "-S", salt], data, self.directory)
            self.write("some", "some passphrase")
            self.write("a", b"Salted__" + bytes.fromhex(salt) + written)
            self.expect(0, b"", "", "decrypt", "-q", "-f", "--pass", "file:some", "a", "-o", "b")
            self.assertEqual(self.read("b"), data)

    def test_a_mode_without_padding_keeps_the_input(self):
        for data in (self.TEXT, self.ARCHIVE):
            code, err, plain = self.decrypt_rm(support.salted(data, self.directory, "bf-cfb"))
            self.assertEqual((code, plain), (2, data), err)
            self.assertIn("a", self.names())

    def test_files_that_were_cut_or_continued(self):
        for i, data in enumerate((self.TEXT, self.ARCHIVE)):
            whole = support.salted(data, self.directory)
            files = (whole[:-8], whole[:-4096], whole[:-1], whole[:-5], whole + b"\n", whole + b"8letters")
            for file in files[i::2] if support.SANITIZED else files:
                with self.subTest(bytes=len(file), whole=len(whole)):
                    code, err, plain = self.decrypt_rm(file)
                    self.assertIn(code, (2, 4, 5), err)
                    self.assertIn("a", self.names())
                    if plain is not None:
                        size = min(len(plain), len(data)) // 8 * 8
                        self.assertEqual(plain[:size], data[:size])
                        os.remove(self.path("b"))

    def test_noise_inside_a_text_is_damage(self):
        """A block changed, or one more, at places of its own each: two in three hold a control character, which no text has."""
        whole, choose, seen, damaged, tries = support.salted(self.TEXT, self.directory), random.Random(59), 0, 0, support.some(range(24))
        for n in tries:
            at = 16 + 8 * choose.randrange(8, len(whole) // 8 - 8)
            file = whole[:at] + choose.randbytes(8) + whole[at + 8 * (n % 2):]
            code, err, plain = self.decrypt_rm(file)
            self.assertIn((code, plain is None), ((4, True), (2, False), (0, False)), err)
            seen += code != 0
            if code != 4:
                os.remove(self.path("b"))
                continue
            self.assertEqual(self.read("a"), file)
            damaged += 1
            place = int(re.search(r"the secret fits: the plaintext is text, but for noise at about byte (\d+): the file was changed there", err)[1])
            self.assertLess(abs(place - (at - 16)), 16)
            self.ends(4, None, "decrypt", "--salvage", *PASS, "a", "-o", "b", says="the file was changed there")
            self.assertEqual(self.read("b")[:at - 16], self.TEXT[:at - 16])
            os.remove(self.path("b"))
        self.assertGreaterEqual(damaged, len(tries) / 2)
        self.assertGreaterEqual(seen, len(tries) * 7 / 8)

    def test_what_stands_in_texts_by_nature_is_no_damage(self):
        """Terminals' escapes, Latin-1, zeros behind, a mark in front, and 80 00 .. as other programs pad."""
        for data in (self.TEXT + b"\x1b[1mbold\x1b[0m\a\b\n" + self.TEXT, self.TEXT + "Größe süß, daß\n".encode("latin-1") + self.TEXT,
                     self.TEXT + bytes(40), b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + self.TEXT, self.TEXT + b"\x80" + bytes(3),
                     self.TEXT + "наука, 科学\n".encode() + self.TEXT, self.TEXT + bytes(32) + self.TEXT):
            data = b"x" * (-(len(data) + 4) % 8) + data  # with a padding that nobody doubts
            code, err, plain = self.decrypt_rm(support.salted(data, self.directory))
            self.assertEqual((code, plain), (0, data), err)

    def test_joined_files(self):
        for mode in ("cbc", "ecb", "cfb", "ofb"):
            joined = b"".join(support.salted(data, self.directory, "bf-" + mode) for data in (self.TEXT, self.ARCHIVE))
            given = ["--format", "openssl", "--cipher", "bf-" + mode, *PASS, "--md", "sha256", "--pbkdf2", "--key-bytes", "16"]
            nopad = [given + ["--nopad"]] if mode in ("cbc", "ecb") else []
            for arguments in (PASS, given, *nopad):
                said = "a second 'Salted__' follows: files were joined; give each a file of its own"
                with self.subTest(arguments=arguments):
                    self.write("a", joined)
                    self.expect(4, b"", f"fugu: a: {said}{SALVAGE}; b was not created\n", "decrypt", "-q", "--rm", *arguments, "a", "-o", "b")
                    self.assertEqual(self.read("a"), joined)
                    self.ends(4, None, "decrypt", "-q", *arguments, "-o", "b", input=joined, says=said)
                    self.assertNotIn("b", self.names())

    def test_an_option_of_readers_is_refused_by_the_writer(self):
        self.write("a", "x")
        for option in (["--mode", "ctr"], ["--key-bytes", "8"], ["--pad", "null"], ["--iv", "0011223344556677"]):
            self.expect(1, b"", f"fugu: {option[0]} is for decryption: with --format cryptcbc fugu encrypts in one way only\n", "encrypt",
                        "--format", "cryptcbc", *option, *PASS, "a", "-o", "b")


class Together(Case):
    def test_one_output_that_is_no_file_leaves_the_others(self):
        os.makedirs(self.path("t/x.fugu"))
        self.write("t/x", "x")
        self.write("t/y", "y")
        self.expect(2, b"", "fugu: t/x.fugu: is a directory; --output-dir writes into one\n", "encrypt", "-q", "-r", "--rm", *CHEAP, "t")
        self.assertEqual(sorted(os.listdir(self.path("t"))), ["x", "x.fugu", "y.fugu"])
