"""fugu-open, the program for Windows: here as it is built for this system, and under Wine.

usage: open_test.py FUGU_OPEN OPEN_KITS [unittest arguments]        OPEN_KITS runs here, whatever runs FUGU_OPEN
"""

import hashlib
import os
import re
import signal
import subprocess
import sys
import unittest

import support
from support import VECTORS, Case, sample_of, samples_of
from terminal import Screen

OPEN_KITS = os.path.abspath(sys.argv.pop(2))
UNDER_WINE = os.environ.get("FUGU_UNDER_WINE")
KITS = [*sorted(VECTORS.glob("foreign/*.kit")), VECTORS / "documents/odf.kit"]


def digests(kit):
    """What the library finds in each sample: name -> SHA-256 or error."""
    done = subprocess.run([OPEN_KITS], input=kit.read_bytes(), capture_output=True, check=True)
    return dict(line.split(": ", 1) for line in done.stdout.decode().splitlines() if ": " in line)


def sample(kit, name):
    one = sample_of(kit, name)
    return one["passphrase"], one["file"]


class EverySample(Case):
    def try_kit(self, kit):
        expected = {name: one for name, one in digests(kit).items() if re.fullmatch("[0-9a-f]{64}", one)}
        together = {}  # files under one passphrase are opened in one run
        for number, one in enumerate(samples_of(kit)):
            if one["name"] in expected and b"\n" not in one["passphrase"]:
                given = f"{number}_{one['name'].replace('/', '_')}"
                self.write(given, one["file"])
                together.setdefault(one["passphrase"], {})[given] = expected[one["name"]]
        for secret, files in together.items():
            out = self.output(*files, input=secret + b"\n")
            for given, output in re.findall("^(.*) -> (.*?): ", out.decode(), re.M):
                self.assertTrue(given.startswith(output) or output == given + ".decrypted", output)
                self.assertEqual(hashlib.sha256(self.read(output)).hexdigest(), files.pop(given), given)
            self.assertEqual(files, {})

    def test_the_first_kits(self):
        for kit in KITS[:2]:
            self.try_kit(kit)

    @unittest.skipUnless(UNDER_WINE, "other tests open them by the same code")
    def test_the_others(self):
        for kit in KITS[2:]:
            with self.subTest(kit=kit.stem):
                self.try_kit(kit)


class Program(Case):
    def setUp(self):
        super().setUp()
        os.unlink(self.path("pass"))
        self.secret, self.file = sample("foreign/bfe.kit", "bfe/beu_long.bfe")
        self.write("long.bfe", self.file)
        self.plain = "85435d2a922307d56ae15d148e7b9afbf96c4901c109d5a802a63c286ee6edee"

    def open(self, *names, secret=None):
        return self.run_fugu(*names, input=(self.secret if secret is None else secret) + b"\n")

    def refuses(self, status, text, *names, **options):
        """`text`, an expression, is all that is said, and nothing is written."""
        before = self.names()
        code, _, err = self.open(*names, **options)
        self.assertEqual((code, self.names()), (status, before), err)
        self.assertRegex(err, f"^fugu-open: {text}\n$")

    def assert_plain(self, name):
        self.assertEqual(hashlib.sha256(self.read(name)).hexdigest(), self.plain)

    def test_says_what_it_is_and_writes_beside(self):
        os.mkdir(self.path("a folder"))
        self.write("a folder/long.bfe", self.file)
        os.utime(self.path("a folder/long.bfe"), (1_000_000_000, 1_000_000_000))
        out = self.output("a folder/long.bfe", input=self.secret + b"\n")
        self.assertRegex(out.decode(), r"^a folder/long\.bfe: bcrypt\(1\)(?s:.*)\na folder/long\.bfe -> a folder.long: ")
        self.assert_plain("a folder/long")
        self.assertEqual(os.stat(self.path("a folder/long")).st_mtime, 1_000_000_000)
        self.assertEqual(self.read("a folder/long.bfe"), self.file)
        self.assertEqual(sorted(os.listdir(self.path("a folder"))), ["long", "long.bfe"])

    def test_names_of_every_alphabet(self):
        for name, output in ("Übergrößen 文書 🐡.bfe", "Übergrößen 文書 🐡"), ("Βlowfish", "Βlowfish.decrypted"):
            self.write(name, self.file)
            self.assertIn(output, self.output(self.path(name), input=self.secret + b"\n").decode())
            self.assert_plain(output)

    def test_a_passphrase_that_nothing_checks(self):
        secret, file = sample("foreign/vim.kit", "vim/02_long.vim")
        self.write("note", file)
        for passphrase in (secret, b"wrong"):
            out = self.output("note", input=passphrase + b"\n")
            note = b"  a wrong passphrase could have gone unnoticed here: check the result\n"
            self.assertEqual(note in out, passphrase != secret)
            os.unlink(self.path("note.decrypted"))

    def test_nothing_is_overwritten(self):
        self.write("long", "mine")
        self.refuses(2, "long.bfe: long exists; not overwritten", "long.bfe")
        self.assertEqual(self.read("long"), b"mine")

    def test_a_wrong_passphrase(self):
        self.refuses(3, r"long\.bfe: .*; nothing was written", "long.bfe", secret=b"another")

    def test_no_passphrase(self):
        self.ends(2, None, "long.bfe",
                  matches=r"^fugu-open: long\.bfe: no passphrase: standard input ended before a line was read; long was not created\n$")
        self.assertEqual(self.names(), ["long.bfe"])

    def test_a_passphrase_with_the_end_of_a_line_of_windows(self):
        if not UNDER_WINE:
            self.skipTest("the carriage return is part of a line elsewhere")
        self.assertEqual(self.open("long.bfe", secret=self.secret + b"\r")[0], 0)
        self.assert_plain("long")

    def test_damage(self):
        one = sample_of("golden/sealed.kit", "passphrase_2^20_3_bytes")
        secret, file = bytes.fromhex(one["secret"]), one["file"]
        flipped = bytes([file[20] ^ 1])
        for damaged, text in ((file[:-1], "segment 0 .* cut short; a was not created"), (file + b"x", ".*; a was not created"),
                              (file[:20] + flipped + file[21:], "header is damaged.*; the passphrase was not tried; a was not created")):
            self.write("a.fugu", damaged)
            self.refuses(4, rf"a\.fugu: {text}", "a.fugu", secret=secret)
        self.write("a.fugu", file)
        self.assertEqual(self.open("a.fugu", secret=secret)[::2], (0, ""))
        self.assertEqual(self.read("a"), b"abc")

    def test_no_format(self):
        for size in 1, 0:
            self.write("long.bfe", self.file[:size])
            self.refuses(5, r"long\.bfe: neither its beginning .*; long was not created", "long.bfe")

    def test_options_are_those_of_the_program(self):
        """Of a file of Crypt::CBC in pcbc whose text stands twice in cbc."""
        self.write("a", bytes.fromhex("53616c7465645f5fb7869be9915e8d96d6887f74fdfd3f83d8522e2ec2c0cb65"))
        self.refuses(5, r"(?s:.*); give --format cryptcbc .* \(options of fugu decrypt\); a\.decrypted was not created", "a",
                     secret=b"correct horse battery")

    def test_several_files(self):
        self.write("again.bfe", self.file)
        self.write("text", "no ciphertext\n")
        code, out, err = self.open("long.bfe", "missing", "text", "again.bfe")
        self.assertEqual(code, 5)
        self.assertRegex(err, r"(?s)^fugu-open: missing: cannot open: .*\nfugu-open: text: neither its beginning.*; text\.decrypted was not ")
        self.assertEqual(out.count(b" -> "), 2)
        self.assert_plain("long")
        self.assert_plain("again")
        self.assertEqual(self.names(), ["again", "again.bfe", "long", "long.bfe", "text"])

    def test_what_is_no_file(self):
        self.assertEqual(self.open(".")[::2], (2, "fugu-open: .: is a directory\n"))
        code, out, err = self.run_fugu()
        self.assertEqual((code, out, err.splitlines()[0]), (1, b"", "usage: fugu-open FILE..."))

    def test_names_do_not_control_the_terminal(self):
        code, _, err = self.open("a\u0085b")
        self.assertEqual((code, err[:28]), (2, "fugu-open: a\\xc2\\x85b: cannot"[:28]))

    def test_an_end_while_the_file_is_being_written(self):
        """Its output exists when the passphrase is awaited."""
        if not UNDER_WINE and not self.makes_unnamed_files():
            self.skipTest("this file system makes no files without a name")
        process = self.start("long.bfe", stdin=subprocess.PIPE)
        self.wait_until_writing(process)
        self.assertNotIn("long", self.names())
        while not UNDER_WINE and len(self.names()) > 1:  # first a file that shows what the umask leaves
            support.time.sleep(0.01)
        process.kill()
        process.communicate()
        end = 100
        while len(self.names()) > 1 and end:  # Wine removes it, which takes a moment
            end -= 1
            support.time.sleep(0.05)
        self.assertEqual(self.names(), ["long.bfe"])


@unittest.skipIf(UNDER_WINE, "Wine's console is not that of Windows")
class AtATerminal(Case):
    def test_a_wrong_passphrase_is_asked_for_again(self):
        secret, file = sample("foreign/bfe.kit", "bfe/beu_long.bfe")
        self.write("long.bfe", file)
        for answers, status in ((b"wrong", secret), 0), ((b"1", b"2", b"3"), 3):
            screen = Screen(self)
            process = self.start("long.bfe", stdin=screen.line, stderr=screen.line)
            prompt = b"passphrase: "
            for answer in answers:
                self.assertNotIn(answer, screen.expect(prompt))
                screen.type(answer + b"\n")
                prompt = b"\r\npassphrase: "  # behind "wrong passphrase: ..."
            self.assertEqual(process.wait(60), status)
            self.assertNotIn(answers[-1], screen.rest())
            process.stdout.close()
            if status == 0:
                os.unlink(self.path("long"))

    def test_a_signal_brings_the_echo_back(self):
        self.write("long.bfe", sample("foreign/bfe.kit", "bfe/beu_long.bfe")[1])
        screen = Screen(self)
        process = self.start("long.bfe", stdin=screen.line, stderr=screen.line)
        screen.expect(b"passphrase: ")
        self.assertFalse(screen.echoes())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual((process.returncode, screen.echoes(), self.names()), (-signal.SIGINT, True, ["long.bfe", "pass"]))
        self.assertEqual(screen.rest(), b"\r\nfugu-open: interrupted; long was not created\r\n")


if __name__ == "__main__":
    support.main()
