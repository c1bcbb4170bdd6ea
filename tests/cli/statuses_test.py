"""Exit statuses with their exact messages: usage, engines and differences. Those of files are in removal_test.py, wrong keys and damage in
sealed_test.py, unknown formats in messages_test.py, signals in signals_test.py.

statuses_test.py FUGU BROKEN. BROKEN is the same program with a registry of engines that are wrong or fail, since nothing can make
the real ones do so.
"""

import os
import sys

import support
from support import KEY, PASS, Case, pattern

BROKEN = ""
RAW = ["--format", "raw", "--mode", "ctr", "--iv", "zero", *KEY]


class Statuses(Case):
    FILES = {"key": bytes(range(32)), "a": pattern(3 << 20)}

    def setUp(self):
        super().setUp()
        self.expect(0, b"", "", "encrypt", *KEY, "a", "-o", "sealed")
        self.before = self.names()

    def unchanged(self):
        self.assertEqual(self.names(), self.before)
        self.assertEqual(self.read("a"), pattern(3 << 20))

    def expect_broken(self, status, out, err, *arguments):
        self.expect(status, out, err, *arguments, executable=BROKEN)

    def test_1_usage(self):
        self.expect(1, b"", "fugu: --pass and --key cannot be combined: give one of them\n", "encrypt", *KEY, *PASS, "a")
        self.unchanged()

    def test_6_no_such_device(self):
        self.expect_broken(6, b"", "fugu: engine test/absent: there is no such device\n", "encrypt", "--engine",
                           "test/absent", *KEY, "a")
        self.expect_broken(6, b"test/absent: not available: there is no such device\n", "", "selftest", "--engine",
                           "test/absent")
        self.unchanged()

    def test_6_engine_fails_before_and_after_the_first_byte(self):
        fails = ["--engine", "test/fails-later", "--chunk", "1M"]
        text = "fugu: a: the device does not answer; {}\n"
        self.expect_broken(6, b"", text.format("b was not created"), "encrypt", *fails, *RAW, "a", "-o", "b")
        self.expect_broken(6, b"", text.format("b was not created"), "encrypt", *fails, *KEY, "a", "-o", "b")
        code, out, err = self.run_fugu("encrypt", *fails, *RAW, "a", "-o", "-", executable=BROKEN)
        self.assertIn(len(out), (0, 1 << 20))  # the writer may or may not have begun the first chunk
        state = f"the {len(out)} bytes already on standard output are not to be trusted" if out else "nothing was written"
        self.assertEqual((code, err), (6, text.format(state)))
        self.write("b", "old")
        self.expect_broken(6, b"", text.format("b was not changed"), "encrypt", "-f", *fails, *RAW, "a", "-o", "b")
        self.assertEqual(self.read("b"), b"old")
        os.unlink(self.path("b"))
        self.unchanged()

    def test_6_an_engine_that_does_nothing_makes_and_opens_no_sealed_file(self):
        idle = ["--engine", "test/idle"]
        text = (r"^fugu: {}: segment \d+: the engine's result is not Blowfish's: the processor, the GPU, its driver or the memory "
                r"is faulty; {} was not (created|changed)\n$")
        self.expect(0, b"", "", "encrypt", *KEY, "a", "-o", "good")
        for arguments, names in ((["encrypt", "--rm", *KEY, "a", "-o", "b"], ("a", "b")),
                                 (["decrypt", "--rm", *KEY, "good", "-o", "b"], ("good", "b")),
                                 (["rekey", "--anew", *KEY, "--new-key", "file:key", "good"], ("good", "good"))):
            before = {name: self.read(name) for name in self.names()}
            self.fails(6, *arguments, *idle, executable=BROKEN, matches=text.format(*names))
            self.assertEqual({name: self.read(name) for name in self.names()}, before)
        os.unlink(self.path("good"))
        self.unchanged()

    def test_7_what_is_read_back_is_not_what_was_read(self):
        """One wrong bit passes the comparison of one block in 131072, nearly always."""
        self.write("large", bytes(1 << 20))
        wrong = ["--engine", "test/wrong-once", *KEY, "large"]
        self.fails(7, "encrypt", "--rm", *wrong, executable=BROKEN, matches="^fugu: large: .*, when large.fugu was read back; large was "
                   "not removed, and large.fugu is not to be trusted\n$")
        self.assertEqual(self.read("large"), bytes(1 << 20))
        os.unlink(self.path("large.fugu"))
        self.expect_broken(0, b"", "", "encrypt", "-q", "--rm=fast", *wrong)
        self.assertNotIn("large", self.names())
        self.expect(0, bytes((1 << 20) - 1) + b"\1", "", "decrypt", *KEY, "large.fugu", "-o", "-")
        os.unlink(self.path("large.fugu"))
        self.unchanged()

    def test_7_self_test(self):
        code, out, err = self.run_fugu("selftest", "--rounds", "5", executable=BROKEN)
        self.assertEqual((code, err), (7, ""))
        self.assertRegex(out.decode(), r"^test/absent: not available: there is no such device\n"
                         r"test/wrong: MISMATCH: vector [^\n]+\ntest/fails-later: the device does not answer\n"
                         r"sealed files: ok, [^\n]+\nspectra: ok, [^\n]+\n$")

    def test_7_verify(self):
        self.write("b", pattern(100) + b"X" + pattern(3 << 20)[101:])
        self.expect(7, b"", "fugu: sealed: its plaintext differs at byte 100\n", "verify", *KEY, "--against", "b", "sealed")
        self.expect(0, b"", "", "encrypt", *RAW, "a", "-o", "raw")
        self.expect_broken(7, b"", "fugu: raw: OpenSSL's Blowfish gives a different plaintext at byte 1048575\n", "verify",
                           "--engine", "test/wrong", "--chunk", "1M", "--openssl", *RAW, "raw")


if __name__ == "__main__":
    BROKEN = os.path.abspath(sys.argv.pop(2))
    support.main()
