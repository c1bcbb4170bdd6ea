"""A format is a folder and a row in a table; a property or a table of S-boxes is a function and a row. The program needs nothing else.

toy_test.py FUGU TOY. TOY is the same program with one more row in each of these tables.
"""

import json
import os
import sys

import support
from sbox_support import histogram
from support import PASS, Case

TOY = ""


class Toy(Case):
    FILES = {"pass": "A passphrase\n", "a": "plain text"}

    def toy(self, *arguments, **options):
        code, out, err = self.run_fugu(*arguments, executable=TOY, **options)
        self.assertEqual(code, 0, err)
        return out

    def test_help_manual_and_completion_list_it(self):
        for subcommand in ("encrypt", "decrypt", "verify"):
            self.assertIn("toy", self.toy(subcommand, "--help").decode())
            text = self.toy("help", subcommand, "--format", "toy").decode()
            self.assertRegex(text, r"(?s)--toy-shift N.*Shift of the toy, 0 to 9\.")
        self.assertIn(b"toy\\-shift", self.toy("help", "--man"))
        self.assertIn(b"--toy-shift", self.toy("help", "--completion", "bash"))
        rows = {row["name"]: row for row in json.loads(self.toy("formats", "--json"))["formats"]}
        self.assertEqual((rows["toy"]["made_by"], rows["toy"]["abilities"]), ("this test", ["open", "seal", "salvage"]))
        self.assertEqual(rows["toy"]["extension"], ".toy")
        about = b" ".join(self.toy("decrypt", "--help").split())
        self.assertRegex(about, rb"same way: (\.[a-z]+, )+\.toy, \.plaything\. Any")
        self.assertNotRegex(about, rb"same way: [^:]*\.fugu")
        self.assertIn(b"toy: bytes with a number added\n", self.toy("formats"))
        self.assertNotIn(b"toy", self.run_fugu("formats")[1])

    def test_it_is_sealed_recognised_described_and_opened(self):
        self.toy("encrypt", "--format", "toy", *PASS, "--toy-shift", "3", "a")
        self.assertEqual(self.read("a.toy"), b"TOY1" + bytes([ord("A") + 3]) + bytes(c + ord("A") + 3 & 255 for c in b"plain text"))
        self.assertEqual(self.toy("info", "a.toy"), b"a.toy: a toy\n  check: 68\n")
        self.assertEqual(self.toy("decrypt", "-q", *PASS, "--toy-shift", "3", "a.toy", "-o", "-"), b"plain text")
        self.assertIn(b"10 bytes of plaintext, a toy", self.toy("verify", *PASS, "--toy-shift", "3", "a.toy"))

    def test_its_extensions_are_removed(self):
        self.toy("encrypt", "--format", "toy", *PASS, "a")
        for extension in (".toy", ".plaything"):
            self.write("b" + extension, self.read("a.toy"))
            self.toy("decrypt", "-q", *PASS, "b" + extension)
            self.assertEqual(self.read("b"), b"plain text")
            os.remove(self.path("b"))
        os.mkdir(self.path("d"))
        self.write("d/c.toy", b"recognised by its name alone")
        self.assertEqual(self.run_fugu("verify", *PASS, "-r", "d", executable=TOY)[0], 5)
        self.expect(0, b"", "fugu: d/c.toy: is not known to be encrypted; skipped\n", "verify", *PASS, "-r", "d")

    def test_what_several_formats_recognise_must_be_named(self):
        self.write("both", b"TOY2" + bytes([ord("A")]) + b"\xb1")
        for subcommand in (["info"], ["verify", *PASS], ["decrypt", *PASS]):
            self.expect(5, b"", "fugu: both: may be toy or twin: give --format NAME" +
                        ("; both.decrypted was not created\n" if subcommand[0] == "decrypt" else "\n"), *subcommand, "both", executable=TOY)
        self.assertEqual(self.toy("decrypt", "-q", *PASS, "--format", "toy", "both", "-o", "-"), b"p")

    def test_text_stands_for_it_as_for_every_format(self):
        for form in (["-a"], ["-A"], ["--hex"]):
            text = self.toy("encrypt", "--format", "toy", *PASS, *form, input=b"plain text")
            self.assertEqual(self.toy("decrypt", "-q", *PASS, input=text), b"plain text")

    def test_its_errors_are_the_programs(self):
        self.toy("encrypt", "--format", "toy", *PASS, "a")
        self.write("pass", "B passphrase\n")
        self.stops(3, "a.toy: wrong passphrase for a toy; nothing was written", "decrypt", "-q", *PASS, "-o", "b", "a.toy", executable=TOY)
        self.write("cut", b"TOY1")
        self.expect(4, b"", "fugu: cut: the toy ends inside its header; the passphrase was not tried\n", "decrypt", "-q",
                    *PASS, "-o", "b", "cut", executable=TOY)
        self.stops(1, "--toy-shift takes a number from 0 to 9", "decrypt", *PASS, "--toy-shift", "10", "a.toy", executable=TOY)
        self.expect(1, b"", "fugu: --toy-shift needs --format toy\n", "encrypt", *PASS, "--toy-shift", "1", "a", executable=TOY)
        self.assertNotIn("b", self.names())


class ToyBoxes(Case):
    def toy(self, *arguments, **options):
        return self.output(*arguments, executable=TOY, **options).decode()


class ToyProperty(ToyBoxes):
    """The sum of the values of PRESENT's box is 0 + 1 + ... + 15 = 120."""

    def test_the_report_csv_and_json_have_it(self):
        self.assertEqual(self.toy("sbox", "report", "--only", "structure", "PRESENT"),
                         "PRESENT, 4 inputs, 4 outputs\nstructure     linear structures 9, 6 of them with r = -N; sum of values 120\n")
        self.assertEqual(self.toy("sbox", "report", "--csv", "--only", "toy,image", "PRESENT"), "name,n,m,image,toy\nPRESENT,4,4,16,120\n")
        self.assertRegex(self.toy("sbox", "report", "--batch", "--only", "structure", "-", input=b"c56b90ad3ef84712\n"),
                         r"\Aname,n,m,ls_pos,ls_neg,toy\n-[^,]*,4,4,3,6,120\n\Z")
        self.assertEqual(json.loads(self.toy("sbox", "report", "--json", "PRESENT"))["toy"], 120)

    def test_conventions_manual_and_completion_list_it(self):
        self.assertIn("toy                   Sum of S(x) over all x (This test 2026); in Python sum_of_values.\n",
                      self.toy("sbox", "--conventions"))
        self.assertIn(".TP\n.B toy\nSum of S(x) over all x (This test 2026).\n", self.toy("help", "--man"))
        for shell in ("bash", "zsh", "fish"):
            self.assertIn(" toy", self.toy("help", "--completion", shell))


class ToyTable(ToyBoxes):
    """PRESENT's box begins with 12, 5: its rows are 12 + b, 5 + b."""

    def test_it_is_written_drawn_and_counted(self):
        self.assertEqual(self.toy("sbox", "table", "sums", "--rows", "0:2", "--columns", "0:3", "PRESENT"), "12 13 14\n5 6 7\n")
        counts = histogram(y + b for y in range(16) for b in range(16))
        self.assertEqual(self.toy("sbox", "spectrum", "sums", "PRESENT"), counts.replace(" ", "\n") + "\n")
        self.toy("sbox", "table", "sums", "--plot", "sums.svg", "PRESENT")
        self.assertIn(b"SUMS of PRESENT", self.read("sums.svg"))

    def test_conventions_help_and_manual_list_it(self):
        self.assertIn("sums                  S(a) + b (This test 2026).\n", self.toy("sbox", "--conventions"))
        self.assertIn(".TP\n.B sums\nS(a) + b (This test 2026).\n", self.toy("help", "--man"))
        self.assertIn("nonlinear_invariants or sums.", " ".join(self.toy("sbox", "--help").split()))


if __name__ == "__main__":
    TOY = os.path.abspath(sys.argv.pop(2))
    support.main()
