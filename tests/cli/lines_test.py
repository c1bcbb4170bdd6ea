"""Texts whose lines, or fields of a column, are messages of their own: --lines, and --csv with --column."""

import base64
import csv
import io
import json
import os
import pathlib
import random
import re
import subprocess
import unittest
from unittest.mock import ANY

import support
from support import PASS, Case, openssl

KEY = b"sixteen byte key"
ECB = ["--format", "raw", "--mode", "ecb", "--key", "file:key"]
PREFIX = ["--format", "raw", "--mode", "cbc", "--iv", "prefix", "--key", "file:key"]
SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "foreign2"
NOTE = support.NOT_AUTHENTICATED


class Lines(Case):
    FILES = {"key": KEY}

    def rows(self, plains, *options):
        made = [support.salted(plain, self.directory, derivation=options, salt=f"{n:016x}") for n, plain in enumerate(plains)]
        return [base64.b64encode(row) for row in made]

    def message(self, plain):
        return self.messages([plain])[0]

    def messages(self, plains, key=KEY, pads=True):
        """PKCS#7 and ECB of each, in one run of openssl: ECB has no memory."""
        padded = [plain + bytes([8 - len(plain) % 8]) * (8 - len(plain) % 8) if pads else plain for plain in plains]
        data = openssl(["-bf-ecb", "-K", key.hex(), "-nopad"], b"".join(padded), self.directory)
        result, at = [], 0
        for one in padded:
            result.append(data[at:at + len(one)])
            at += len(one)
        return result

    def hex_lines(self, plains, end="\n", **options):
        return "".join(message.hex() + end for message in self.messages(plains, **options)).encode()

    def decrypt(self, data, *options, status=0, quiet=True, plain=None, says=""):
        """Returns the plaintext, which is `plain` if that is given, and the messages, of which `says` is a part."""
        self.write("a", data)
        code, out, err = self.run_fugu("decrypt", *(["-q"] if quiet else []), *options, "a", "-o", "-")
        self.assertEqual((code, out if plain is None else plain), (status, out), err)
        self.assertIn(says, err)
        return out, err

    def opens(self, data, plain, *options):
        """Without a message."""
        self.assertEqual(self.decrypt(data, *options), (plain, ""), options)


class Messages(Lines):
    def test_line_ends_blanks_and_empty_lines_stay(self):
        one, two, three = (message.hex() for message in self.messages([b"one", b" two ", "drei Stücke".encode()]))
        text = f"\n{one}\r\n \t\n\t {two} \n\r\n{three}".encode()
        for mark in (b"", b"\xef\xbb\xbf"):
            self.opens(mark + text, mark + "\none\r\n \t\n two \n\r\ndrei Stücke".encode(), *ECB, "--lines", "--hex")

    def test_nothing_but_empty_lines(self):
        for text in (b"", b"\n", b"\r\n\n  \n"):
            for options in (["--hex"], ["-a"], []):
                self.opens(text, text, *ECB, "--lines", *options)
        self.opens(b"\n\n", b"\n\n", *PASS, "--lines")

    def test_the_spelling_is_found_out(self):
        plains = [b"%d" % i for i in range(50)]
        expected = b"".join(plain + b"\n" for plain in plains)
        digits = self.hex_lines(plains)
        base = b"".join(base64.b64encode(message) + b"\n" for message in self.messages(plains))
        for text, said in ((digits, "hexadecimal digits (--hex)"), (base, "base64 (-a)")):
            out, err = self.decrypt(text, *ECB, "--lines", quiet=False)
            self.assertEqual((out, err), (expected, NOTE + f"fugu: a: read as {said}\n"))
        for text, rest in ((digits, b"\n?!\n"), (base, b"\n?!\n")):  # one line among fifty refuses nothing
            out, err = self.decrypt(text + rest, *ECB, "--lines", status=4)
            self.assertEqual((out, err[:err.index("; left")]), (expected + rest, "fugu: a: line 52: character 1 is not " +
                             ("a hexadecimal digit" if text == digits else "base64")))
        _, err = self.decrypt(b"\nno\n?!\n", *ECB, "--lines", status=5)
        self.assertEqual(err, "fugu: a: line 2: neither base64 nor whole blocks in hexadecimal digits, nor is any other line; nothing was written\n")

    def test_spellings_of_other_programs(self):
        message = self.message(b"text")
        texts = ["0x" + message.hex(), "\\x" + message.hex(), f"X'{message.hex()}'", message.hex(":").upper()]
        self.opens("\n".join(texts).encode(), b"\n".join([b"text"] * len(texts)), *ECB, "--lines", "--hex")
        choose = random.Random(1)
        plains = [bytes(choose.randrange(97, 123) for _ in range(7)) for _ in range(40)]
        numbers = "".join(format(int.from_bytes(one, "big", signed=True), "x") + "\n" for one in self.messages(plains))
        self.assertIn("-", numbers)
        self.opens(numbers.encode(), b"".join(plain + b"\n" for plain in plains), *ECB, "--lines", "--signed-hex")
        self.fails(5, "decrypt", "-q", *ECB, "--signed-hex", input=numbers.encode(), says="--lines decrypts one message per line")

    def test_utf16_is_refused_by_name(self):
        text = self.hex_lines([b"one", b"two"]).decode()
        for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
            _, err = self.decrypt(text.encode(encoding), *ECB, "--lines", "--hex", status=5)
            advice = re.search("this is UTF-16: convert it to UTF-8 first, with (iconv -f [A-Z0-9-]+ -t UTF-8);", err)[1]
            converted = subprocess.run(advice.split(), input=text.encode(encoding), capture_output=True, check=True).stdout
            self.assertEqual(self.decrypt(converted, *ECB, "--lines", "--hex")[0], b"one\ntwo\n")

    def test_many_lines_on_many_threads(self):
        """Parts of 4 MiB and pieces of 512 lines do not show."""
        plains = [b"%d" % (i * i) for i in range(150_000)]
        text = self.hex_lines(plains)
        self.write("a", text)
        expected = b"".join(plain + b"\n" for plain in plains)
        for threads in ("1", "3"):
            self.expect(0, expected, "", "decrypt", "-q", *ECB, "--lines", "--hex", "-T", threads, "a", "-o", "-")
        self.expect(0, expected, "", "decrypt", "-q", *ECB, "--lines", "--hex", input=text)

    def test_a_line_longer_than_a_part(self):
        plain = bytes(97 + i % 26 for i in range(5_000_000))
        text = self.hex_lines([b"short", plain, b"end"])
        self.assertEqual(self.decrypt(text, *ECB, "--lines", "--hex")[0], b"short\n" + plain + b"\nend\n")


class Damage(Lines):
    PLAINS = [b"plain %d" % i for i in range(40)]

    def damaged(self):
        lines = self.hex_lines(self.PLAINS).splitlines(keepends=True)
        expected = [plain + b"\n" for plain in self.PLAINS]
        for at, change in ((6, lambda line: line[:-2] + b"\n"), (18, lambda line: line[:14] + b"\n"), (22, lambda line: b"z" + line[1:]),
                           (30, lambda line: line[:16] + b"0123456789abcdef\n")):
            lines[at] = expected[at] = change(lines[at])
        return b"".join(lines), b"".join(expected)

    REASONS = [(7, "hexadecimal text ends inside a byte; for a number of Java's BigInteger give --signed-hex"),
               (19, "the length is not a multiple of 8 bytes"), (23, "character 1 is not a hexadecimal digit"), (31, "the padding is not valid")]

    def test_damaged_lines_are_left_and_named(self):
        text, expected = self.damaged()
        self.write("a", text)
        says = "".join(f"fugu: a: line {line}: {reason}; left as it is\n" for line, reason in self.REASONS)
        says += "fugu: a: 4 of 40 lines were left as they are: 7, 19, 23, 31\n"
        self.expect(4, b"", says, "decrypt", "-q", *ECB, "--lines", "--hex", "a", "-o", "b")
        self.assertEqual(self.read("b"), expected)
        self.expect(4, expected, says.replace("fugu: a", "fugu: standard input"), "decrypt", "-q", *ECB, "--lines", "--hex", input=text)

    def test_one_damaged_line(self):
        text = self.hex_lines(self.PLAINS) + b"zz\n"
        self.decrypt(text, *ECB, "--lines", "--hex", status=4, says="fugu: a: 1 of 41 lines was left as it is: 41\n")

    def test_very_many_damaged_lines(self):
        """Neither messages nor memory grow with them."""
        damaged = 1_000 if os.environ.get("FUGU_SANITIZED") else 1_000_000
        self.write("a", self.hex_lines(self.PLAINS) + b"zz\n" * damaged)
        with open(self.path("err"), "wb") as err:
            process = self.start("decrypt", "-q", *ECB, "--lines", "--hex", "a", "-o", "b", stderr=err)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 4)
        says = self.read("err").splitlines()
        self.assertEqual(len(says), 101)
        self.assertEqual(says[99], b"fugu: a: line 140: character 1 is not a hexadecimal digit; left as it is")
        self.assertTrue(says[100].startswith(b"fugu: a: %d of %d lines were left as they are: 41, 42, " % (damaged, damaged + 40)))
        self.assertTrue(says[100].endswith(b", 140 and %d more, which --json lists" % (damaged - 100)))
        self.assertEqual(self.read("b").count(b"\n"), damaged + 40)
        if not os.environ.get("FUGU_SANITIZED"):
            self.assertLess(used.ru_maxrss, 200 * 1024)  # KiB; a message of 600 bytes per line would be 600 MB

    def test_json_lists_all(self):
        self.write("a", self.hex_lines(self.PLAINS) + b"zz\n" * 300)
        row, = self.rows_of(4, "decrypt", "-q", *ECB, "--lines", "--hex", "--json", "a", "-o", "b")
        self.assertEqual([left["line"] for left in row["left"]], list(range(41, 341)))

    def test_carriage_returns_inside(self):
        lines = self.hex_lines(self.PLAINS).splitlines()
        out, err = self.decrypt(b"\n".join([*lines, lines[0] + b"\r" + lines[1]]), *ECB, "--lines", "--hex", status=4)
        self.assertIn("line 41: it contains a carriage return: lines end in LF or CR LF; left as it is", err)
        for options, says in ((["--lines"], "its lines end in CR alone: make each CR a line feed first"), ([], "--lines decrypts one message per line")):
            self.decrypt(b"\r".join(lines), *ECB, *options, "--hex", status=5, says=says)

    def test_json(self):
        text, _ = self.damaged()
        self.write("a", text)
        self.write("c", self.hex_lines([b"whole"]))
        json_of = ["decrypt", "-q", *ECB, "--lines", "--hex", "--json"]
        rows = {row["file"]: row for row in self.rows_of(4, *json_of, "--output-dir", "d", "a", "c", "missing")}
        self.assertEqual(rows["a"], {"file": "a", "ok": False, "messages": 40, "opened": 36,
                                     "left": [{"line": line, "reason": reason} for line, reason in self.REASONS]})
        self.assertEqual(rows["c"], {"file": "c", "ok": True, "messages": 1, "opened": 1, "left": []})
        self.assertFalse(rows["missing"]["ok"])
        self.write("key", b"another key")
        self.assertEqual(self.rows_of(2, *json_of, "missing", "-o", "f"),
                         [{"file": "missing", "ok": False, "error": "cannot open: No such file or directory"}])
        row, = self.rows_of(3, *json_of, "a", "-o", "e")
        self.assertFalse(row["ok"])
        self.assertIn("none of 40 lines opens", row["error"])
        self.expect(1, ANY, "fugu: --json needs -o: the JSON itself goes to standard output\n", "decrypt", *ECB, "--lines", "--hex", "--json", "a", "-o", "-")

    def test_verify(self):
        text, expected = self.damaged()
        self.write("a", text)
        self.write("plain", expected)
        says = "".join(f"fugu: a: line {line}: {reason}\n" for line, reason in self.REASONS) + "fugu: a: 4 of 40 lines do not open: 7, 19, 23, 31\n"
        self.expect(4, f"a: {len(expected)} bytes of plaintext, 36 of 40 lines open, 40 lines, raw, same as plain\n",
                    NOTE + says, "verify", *ECB, "--lines", "--hex", "--against", "plain", "a")
        row, = self.rows_of(4, "verify", "-q", *ECB, "--lines", "--hex", "--json", "a")
        self.assertEqual((row["ok"], row["messages"], row["opened"], [left["line"] for left in row["left"]]), (False, 40, 36, [7, 19, 23, 31]))

    def test_rm_keeps_an_input_with_damage(self):
        text, expected = self.damaged()
        self.write("a", text)
        code, _, err = self.run_fugu("decrypt", "-q", *ECB, "--lines", "--hex", "--rm", "a", "-o", "b")
        self.assertNotEqual(code, 0)
        self.assertIn("fugu: a: some messages were left as they are; not removed; b is complete\n", err)
        self.assertEqual((self.read("a"), self.read("b")), (text, expected))
        self.write("a", self.hex_lines(self.PLAINS))
        self.expect(0, b"", "", "decrypt", "-q", *ECB, "--lines", "--hex", "--rm", "-f", "a", "-o", "b")
        self.assertEqual(self.names(), ["b", "key", "pass"])

    def test_a_plaintext_that_is_no_line(self):
        text = self.hex_lines([b"one", b"two\nlines", b"three"])
        out, err = self.decrypt(text, *ECB, "--lines", "--hex", status=4)
        lines = text.splitlines(keepends=True)
        self.assertEqual(out, b"one\n" + lines[1] + b"three\n")
        self.assertIn("line 2: the plaintext has a line end or a zero byte, which a line cannot have; --csv reads tables; left as it is", err)


class Evidence(Lines):
    def test_wrong_key(self):
        text = self.hex_lines([b"line %d" % i for i in range(300)])
        self.write("key", b"another key")
        self.write("a", text)
        self.fails(3, "decrypt", "-q", *ECB, "--lines", "--hex", "a", "-o", "b", matches="^.*of 300 lines open.*; nothing was written\n$")
        self.assertNotIn("b", self.names())

    def test_half_of_the_rows_under_another_key(self):
        """By the formula, 20 of 40 lines with one byte of padding each are 160 bits, less 37 for the choice."""
        ours, others = [b"a%06d" % i for i in range(20)], [b"b%06d" % i for i in range(20)]
        mine = self.hex_lines(ours).splitlines(keepends=True)
        theirs = self.hex_lines(others, key=b"another key 16 b").splitlines(keepends=True)
        text = b"".join(line for pair in zip(mine, theirs) for line in pair)
        self.decrypt(text, *ECB, "--lines", "--hex", status=4, plain=b"".join(plain + b"\n" + line for plain, line in zip(ours, theirs)),
                     says="20 of 40 lines were left as they are: 2, 4, 6,")

    def test_lucky_lines_prove_nothing(self):
        """One line in 40 with one byte of padding: 8 bits less 5.3. Two bytes: 16 less 5.3. Three: 24 less 5.3."""
        noise = self.hex_lines([b"b%06d" % i for i in range(39)], key=b"another key 16 b")
        for size, status in ((7, 3), (6, 3), (5, 4)):
            out, err = self.decrypt(noise + self.hex_lines([b"x" * size]), *ECB, "--lines", "--hex", status=status)
            self.assertEqual(out == b"", status == 3)
        self.assertIn("39 of 40 lines were left", err)

    def test_text_tells_where_no_padding_does(self):
        plains = [b"some words of text, sixteen more"] * 60
        for options in (["--pad", "none"], ["--pad", "zero"]):
            text = self.hex_lines(plains, pads=False)
            self.write("key", KEY)
            self.decrypt(text, *ECB, *options, "--lines", "--hex", plain=b"".join(plain + b"\n" for plain in plains))
            self.write("key", b"another key")
            says = "fugu: a: the plaintext is not text: wrong key, mode, IV or padding; nothing was written\n"
            self.assertEqual(self.decrypt(text, *ECB, *options, "--lines", "--hex", status=3), (b"", says))

    def test_latin_1_is_noted(self):
        plains = ["eine Straße hier".encode("latin-1"), b"a street: 16 let"]
        text = self.hex_lines(plains, pads=False)
        _, err = self.decrypt(text, *ECB, "--pad", "none", "--lines", "--hex", quiet=False, plain=b"\n".join(plains) + b"\n",
                              says="1 of 2 lines is not UTF-8: perhaps Latin-1")
        self.assertEqual(err.count("no authentication"), 1)

    def test_on_a_pipe_lines_wait_for_the_evidence(self):
        """Two lines that open are 16 bits; one is not, and nothing comes out of it beside one that does not."""
        self.write("key", KEY)
        noise = self.hex_lines([b"bbbbbbb"], key=b"another key 16 b")
        self.expect(3, b"", ANY, "decrypt", "-q", *ECB, "--lines", "--hex", input=self.hex_lines([b"aaaaaaa"]) + noise)
        self.ends(4, b"aaaaaaa\nccccccc\nddddddd\n" + noise, "decrypt", "-q", *ECB, "--lines", "--hex",
                  input=self.hex_lines([b"aaaaaaa", b"ccccccc", b"ddddddd"]) + noise)

    def test_a_number_that_was_never_encrypted_stays(self):
        """One in 256 ends as if padded, and nothing else speaks for it; where most are noise, noise is what was encrypted."""
        numbers = [b"%016d" % n for n in range(10**15, 10**15 + 9000)]
        blocks = openssl(["-d", "-bf-ecb", "-K", KEY.hex(), "-nopad"], bytes.fromhex(b"".join(numbers).decode()), self.directory)
        number = next(number for n, number in enumerate(numbers) if blocks[8 * n + 7] == 1 and blocks[8 * n] > 0xf7)
        words = [b"some words", b"others", b"and more words"]
        for options in (["--lines"], ["--csv", "--column", "1"]):
            self.decrypt(self.hex_lines(words) + number + b"\n", *ECB, *options, "--hex", status=4,
                         plain=b"".join(word + b"\n" for word in [*words, number]),
                         says="its plaintext is not text, so perhaps it is not encrypted")
            self.decrypt(number + b"\n", *ECB, *options, "--hex", status=3, says="the plaintext is not text: wrong key, mode, IV or padding")
        tokens = [bytes(random.Random(n).choices(range(0x80, 0xf8), k=7)) for n in range(9)]
        self.decrypt(self.hex_lines(tokens), *ECB, "--csv", "--column", "1", "--hex", plain=b"".join(token + b"\n" for token in tokens))


class WithoutPadding(Lines):
    """Modes of single bytes under an IV in front, where any value opens to something under any key."""
    NAMES = [b"Anna Schmidt", b"Hans Meyer", b"Li", b"Maria Gonzalez", b"Sven Nilsson", b"Jo"]

    def values(self, plains, key=KEY):
        ivs = [random.Random(n).randbytes(8) for n in range(len(plains))]
        return [(iv + openssl(["-bf-cfb", "-K", key.hex(), "-iv", iv.hex()], plain, self.directory)).hex() for iv, plain in zip(ivs, plains)]

    def column(self, *values):
        return "".join(f"{value}\n" for value in ("name", *values)).encode()

    def open(self, values, mode="cfb", *options, **how):
        return self.decrypt(self.column(*values), "--format", "raw", "--mode", mode, "--iv", "prefix", "--key", "file:key",
                            "--csv", "--column", "name", "--hex", *options, quiet=False, **how)

    def test_a_number_in_clear_stays_whatever_its_length(self):
        numbers = ["4111111111111111", "20261129001356", "123456789012345678", "12345678901234567890", "1" * 40]
        self.open(self.values(self.NAMES) + numbers, plain=self.column(*(name.decode() for name in self.NAMES), *numbers),
                  says="5 of 11 fields do not look encrypted, and stay as they are")
        for mode in ("cfb", "ofb", "ctr"):
            self.open(numbers, mode, status=5, plain=b"", says="none of 5 fields of column name looks encrypted")

    def test_an_iv_alone_opens_to_nothing_only_where_that_is_said(self):
        lone = "00112233445566ff"
        self.open([*self.values(self.NAMES), lone], status=4, plain=self.column(*(name.decode() for name in self.NAMES), lone),
                  says="nothing is in it, so perhaps it is not encrypted; --yes opens it")

    def test_short_values_under_a_wrong_key_are_not_written(self):
        values = self.values([b"42", b"7", b"Jo"])
        for n in range(60):
            self.write("key", b"a wrong key %4d" % n)
            self.write("a", self.column(*values))
            for mode in ("ctr", "cfb"):
                code, out, err = self.run_fugu("decrypt", "--format", "raw", "--mode", mode, "--iv", "prefix", "--key", "file:key",
                                               "--csv", "--column", "name", "--hex", "a", "-o", "-")
                self.assertIn((code, out), ((3, b""), (8, b"")), err)

    def test_what_is_too_short_opens_by_yes(self):
        values = self.values([b"42", b"7"])
        self.open(values, status=8, plain=b"",
                  says="too short to tell whether key and parameters are right: 2 fields open under many wrong keys")
        self.open(values, "cfb", "--yes", plain=self.column("42", "7"))

    def test_a_damaged_line_is_no_wrong_key(self):
        values = self.values(self.NAMES)
        text = "".join(value + "\n" for value in [*values[:3], values[3][:-1] + "x", *values[4:]]).encode()
        out, err = self.decrypt(text, "--format", "raw", "--mode", "cfb", "--iv", "prefix", "--key", "file:key", "--lines", "--hex", status=4)
        self.assertEqual(out.splitlines()[:3], self.NAMES[:3])
        self.assertIn("1 of 6 lines was left as it is: 4", err)

    def test_a_damaged_value_does_not_change_the_spelling(self):
        """32 digits, and with a wrong letter among them, are base64 of three blocks, too."""
        values = [one.hex() for one in self.messages([b"some words", b"of 16 bytes", b"and others"])]
        values = values[:1] + [values[1][:-1] + "x"] + values[2:]
        self.decrypt(self.column(*values), *ECB, "--csv", "--column", "name", quiet=False, plain=self.column("some words", values[1], "and others"),
                     says="read as hexadecimal digits (--hex)")


class Trial(Lines):
    """Rows of formats that store none of their parameters."""
    PLAINS = [b"%d" % n for n in range(3_000_000, 3_000_007)]

    def test_what_was_encrypted_comes_back_without_parameters(self):
        text = b"".join(b"a line of text, " + plain + b"\n" for plain in self.PLAINS)
        self.write("a", text)
        for options in (["openssl"], ["openssl", "--cipher", "bf-cfb", "--no-pbkdf2"], ["cryptcbc"]):
            with self.subTest(options=options):
                self.expect(0, b"", "", "encrypt", "-q", "--format", *options, *PASS, "--lines", "-f", "a", "-o", "b")
                self.expect(0, text, "", "decrypt", "-q", *PASS, "--lines", "b", "-o", "-")

    def test_the_parameters_are_named(self):
        rows = self.rows(self.PLAINS, "-md", "sha1")
        self.decrypt(b"\n".join(rows), "--no-pbkdf2", *PASS, "--lines", quiet=False, plain=b"\n".join(self.PLAINS),
                     says="fugu: a: matches 7 lines, bf-cbc, EVP_BytesToKey with SHA1\n")

    def test_damage_among_the_first(self):
        plains = [b"a line of text, %d" % n for n in range(7)]
        rows = self.rows(plains, "-md", "md5")
        rows[0], rows[1], rows[5] = b"damaged", b"AAAAAAAAAAA=", rows[5][:24] + b"AAAAAAAAAAA="
        rows[2] = rows[2][:20] + b"AA" + rows[2][22:]
        openssl = ["--format", "openssl", "--no-pbkdf2", *PASS, "--lines", "-a"]
        self.decrypt(b"\n".join(rows), *openssl, status=4, plain=b"\n".join([*rows[:3], *plains[3:5], rows[5], plains[6]]),
                     says="4 of 7 lines were left as they are: 1, 2, 3, 6\n")
        cryptcbc = ["--format", "cryptcbc", "--pbkdf", "opensslv2", *PASS, "--lines", "-a"]
        made = self.output("encrypt", "-q", *cryptcbc, input=b"a line\nanother line\n")
        self.assertEqual(self.decrypt(rows[1] + b"\n" + made, *cryptcbc, status=4)[0], rows[1] + b"\na line\nanother line\n")

    def test_a_wrong_passphrase_is_told_by_the_first_lines(self):
        self.write("a", b"\n".join(self.rows(self.PLAINS, "-md", "md5")))
        self.write("pass", "wrong\n")
        self.fails(3, "decrypt", "--no-pbkdf2", *PASS, "--lines", "a", "-o", "b",
                   matches="^fugu: a: wrong passphrase, or parameters that were not tried .*; nothing was written\n$")
        self.assertNotIn("b", self.names())

    def test_given_parameters_are_judged_by_256_lines(self):
        self.write("a", b"".join(b"%d\n" % n for n in range(600)))
        options = ["--format", "openssl", "--cipher", "bf-cbc", "--md", "md5", "--no-pbkdf2", *PASS, "--lines"]
        self.expect(0, b"", "", "encrypt", "-q", *options, "a", "-o", "b")
        self.write("pass", "wrong\n")
        self.ends(3, None, "decrypt", "-q", *options, "b", "-o", "c", matches="of the first 256 lines opens?")
        self.assertNotIn("c", self.names())
        noise = self.read("b")
        self.write("pass", support.PASSPHRASE + "\n")
        self.write("b", noise + noise)
        self.expect(0, self.read("a") * 2, "", "decrypt", "-q", *options, "b", "-o", "-")

    def test_two_keys_take_turns(self):
        options = ["--format", "openssl", "--cipher", "bf-cbc", "--md", "md5", "--no-pbkdf2", *PASS, "--lines"]
        lines = []
        for secret in ("another\n", support.PASSPHRASE + "\n"):
            self.write("pass", secret)
            self.write("a", b"".join(b"line number %d\n" % n for n in range(64)))
            lines.append(self.output("encrypt", "-q", *options, "a", "-o", "-").splitlines(keepends=True))
        out, err = self.decrypt(b"".join(theirs + mine for theirs, mine in zip(*lines)), *options[4:], status=4)
        self.assertEqual(out, b"".join(theirs + b"line number %d\n" % n for n, theirs in enumerate(lines[0])))

    def test_too_little_evidence(self):
        row, = self.rows([b"note 42"], "-md", "md5")
        _, err = self.decrypt(row, "--no-pbkdf2", *PASS, "--lines", "-a", status=5)
        self.assertRegex(err, "a wrong one could by chance; if these are the parameters, give --cipher bf-cbc --md md5 --no-pbkdf2.*, or --yes")
        self.assertEqual(self.decrypt(row, "--no-pbkdf2", *PASS, "--lines", "-a", "--yes")[0], b"note 42")


class Formats(Lines):
    def test_salted_rows_have_keys_of_their_own(self):
        plains = [b"first row", b"second row", "dritte Zeile".encode()]
        rows = self.rows(plains, "-md", "sha256")
        expected = b"\n".join(plains)
        for options in (["--format", "openssl"], []):  # recognised by the first row
            self.opens(b"\n".join(rows), expected, *options, "--cipher", "bf-cbc", "--md", "sha256", "--no-pbkdf2", *PASS, "--lines", "-a")

    def test_formats_without_a_secret(self):
        for name, rows, plains in (("jboss", [b"-36e4a3ced3bcb453", b"5dfc52b51bd35553df8592078de921bc", b"-5ff1f4cb49d7fcdd60669fca3a83b13"],
                                    [b"secret1", b"password", b"pwoqmqudrmly"]),
                                   ("navicat", [b"0EA71F51DD37BFB60CCBA219BE3A", b"15057D7BA390"], [b"This is a test", b"123456"])):
            if name.encode() not in self.run_fugu("formats")[1]:
                continue  # built without XML
            self.opens(b"\n".join(rows), b"\n".join(plains), "--format", name, "--lines")
        self.decrypt(b"-36e4a3ced3bcb453\nxyz\n", "--format", "jboss", "--lines", status=4, plain=b"secret1\nxyz\n")
        self.decrypt(b"xyz\n", "--format", "jboss", "--lines", status=4, says="the only line does not open; line 1: ")

    def test_what_cannot_be_combined(self):
        self.write("a", b"00")
        for options, says in ((["--lines", "--csv"], "--lines and --csv cannot be combined"), (["--lines", "-A"], "--lines and --single-line cannot"),
                              (["--lines", "--column", "x"], "--column needs --csv"), (["--csv"], "--csv needs --column NAME"),
                              (["--csv", "--column", "0"], "--column counts from 1"), (["--csv", "--column", "1", "--column", "1"], "names one column twice"),
                              (["--csv", "--column", "x", "--delimiter", ";;"], "--delimiter takes one character, or tab")):
            self.fails(1, "decrypt", *ECB, *options, "a", "-o", "-", says=says)
        self.fails(1, "decrypt", "--format", "sealed", *PASS, "--lines", "a", "-o", "-",
                   says="--lines and --format sealed cannot be combined")
        self.expect(1, b"", ANY, "decrypt", *PASS, "--lines", "--range", "0:1", "a", "-o", "-")
        self.fails(1, "encrypt", *PASS, "--lines", "a", "-o", "-", says="--lines needs --format openssl, cryptcbc or raw")
        self.expect(1, b"", ANY, "verify", *ECB, "--lines", "--openssl", "a")
        self.fails(1, "decrypt", "--format", "jboss", "--lines", "--hex", "a", "-o", "-", says="reads its digits itself")


class Sealing(Lines):
    TEXT = "\ufeffone\r\n\n  two blanks \n \t\nGrüße\n\\N\nlast".encode()

    def test_lines_come_back(self):
        for options in (ECB, PREFIX, ["--format", "raw", "--mode", "ctr", "--iv", "prefix", "--key", "file:key"],
                        ["--format", "openssl", "--cipher", "bf-cbc", "--md", "sha256", "--no-pbkdf2", *PASS],
                        ["--format", "cryptcbc", *PASS]):
            parameters = "--pbkdf pbkdf2 --md sha256 --iter 10000 --key-bytes 56 --mode cbc --pad standard".split() if "cryptcbc" in options else []
            for spelling in (["-a"], ["--hex"], []):
                self.write("a", self.TEXT)
                self.expect(0, b"", "", "encrypt", "-q", *options, "--lines", *spelling, "-f", "a", "-o", "b")
                self.assertEqual(self.read("b").count(b"\n"), self.TEXT.count(b"\n"))
                self.expect(0, self.TEXT, "", "decrypt", "-q", *options, *parameters, "--lines", *spelling, "b", "-o", "-")

    def test_written_strict_and_plain(self):
        self.write("a", b"text\n\nmore text\n")
        self.expect(0, self.hex_lines([b"text"]) + b"\n" + self.hex_lines([b"more text"]), "", "encrypt", "-q", *ECB, "--lines", "--hex", "a", "-o", "-")
        first, second = (base64.b64encode(one) for one in self.messages([b"text", b"more text"]))
        self.expect(0, first + b"\n\n" + second + b"\n", "", "encrypt", "-q", *ECB, "--lines", "a", "-o", "-")

    def test_ivs_differ(self):
        self.write("a", b"same\nsame\n")
        first, second = self.output("encrypt", "-q", *PREFIX, "--lines", "a", "-o", "-").splitlines()
        self.assertNotEqual(first, second)

    def test_what_would_not_come_back_is_refused(self):
        for text in (b"one\na\rb\n", b"one\na\0b\n"):
            self.fails(1, "encrypt", "-q", *ECB, "--lines", input=text, says="line 2: holds a carriage return or a zero byte")

    def test_ends_that_look_like_padding_are_refused(self):
        for padding, end in (("space", b"blank "), ("zero", b"zero\0"), ("rijndael_compat", b"7 bytes\x80")):
            table = ["--csv", "--column", "1"]
            self.fails(1, "encrypt", "-q", *ECB, "--pad", padding, *table, input=b"one\n" + end + b"\n",
                       says="line 2: ends in what decryption takes off as padding: give another --pad")
            self.expect(0, ANY, ANY, "encrypt", "-q", *ECB, *table, input=b"one\n" + end + b"\n")

    def test_rm(self):
        self.write("a", b"one\ntwo\n" * 3)
        self.expect(0, b"", "", "encrypt", "-q", *PREFIX, "--lines", "--rm", "a", "-o", "b")
        self.assertEqual(self.names(), ["b", "key", "pass"])


class Tables(Lines):
    def table(self, rows, **options):
        text = io.StringIO()
        csv.writer(text, **options).writerows(rows)
        return text.getvalue().encode()

    def test_everything_else_stays(self):
        one, two, three = (message.hex() for message in self.messages([b"plain", b'she said "no"', b"a, b\r\nc"]))
        text = (f'id;"secret";note\r\n1;{one};"a ""quoted"" \r\nnote; with all"\n\n2;"{two}";\n3;;x\n4;NULL;\\N\r\n5;"";y\n6;"{three}";z;extra')
        expected = ('id;"secret";note\r\n1;plain;"a ""quoted"" \r\nnote; with all"\n\n2;"she said ""no""";\n3;;x\n4;NULL;\\N\r\n5;"";y\n'
                    '6;"a, b\r\nc";z;extra')
        self.opens(text.encode(), expected.encode(), *ECB, "--csv", "--column", "secret", "--delimiter", ";", "--hex")
        for delimiter, given in (("\t", "tab"), ("|", "|"), (",", ",")):
            table = self.table([["a", "b"], [one, "x"], ["x" + delimiter, "y"]], delimiter=delimiter, lineterminator="\n")
            self.decrypt(table, *ECB, "--csv", "--column", "a", "--delimiter", given, "--hex", quiet=False,
                         plain=table.replace(one.encode(), b"plain"), says="fugu: a: 1 of 2 fields does not look encrypted, and stays as it is\n")

    def test_fields_are_quoted_as_they_need(self):
        plains = [b"no", b"a,b", b'"', b"line\nend", b"semi;colon", b" blank ", b"a\rb"]
        rows = [[message.hex()] for message in self.messages(plains)]
        out, _ = self.decrypt(self.table(rows, lineterminator="\n"), *ECB, "--csv", "--column", "1", "--hex")
        self.assertEqual(out, b'no\n"a,b"\n""""\n"line\nend"\nsemi;colon\n blank \n"a\rb"\n')
        self.assertEqual([row[0].encode() for row in csv.reader(io.StringIO(out.decode(), newline=""))], plains)

    def test_columns_by_number_and_several(self):
        a, b, c, d = (message.hex() for message in self.messages([b"a", b"b", b"c", b"d"]))
        table = f"{a},x,{b}\n{c},y,{d}\n".encode()
        self.assertEqual(self.decrypt(table, *ECB, "--csv", "--column", "3", "--column", "1", "--hex")[0], b"a,x,b\nc,y,d\n")
        self.assertEqual(self.decrypt(table, *ECB, "--csv", "--column", "3", "--with-header", "--hex")[0], f"{a},x,{b}\n{c},y,d\n".encode())
        self.assertEqual(self.decrypt(b"p,q,r\n" + table, *ECB, "--csv", "--column", "r", "--column", "1", "--hex")[0], b"p,q,r\na,x,b\nc,y,d\n")

    def test_names_that_the_header_does_not_have(self):
        for header, says in ((b"id,name\n", "'card' is not a column; the header has id, name"), (b"card,name,card\n", "'card' is the name of several columns"),
                             (b'id,"\x1b[2J"\n', "the header has id, \\x1b[2J")):
            self.decrypt(header + b"1,2,3\n", *ECB, "--csv", "--column", "card", "--hex", status=1, says=says)

    def test_a_column_beyond_the_table(self):
        beyond = [*ECB, "--csv", "--column", "9", "--hex"]
        self.opens(b"\n\r\n", b"\n\r\n", *beyond)
        says = "fugu: a: --column 9 is beyond the table: no record has more than 3 fields; nothing was written\n"
        self.assertEqual(self.decrypt(b"1,00\n2,11,22\n", *beyond, status=1)[1], says)

    def test_damage(self):
        rows = [[str(i), one.hex()] for i, one in enumerate(self.messages([b"row %d of a table" % i for i in range(10)]))]
        rows[3][1] = rows[3][1][:-2]
        rows[6] = ["6"]
        table = self.table([["id", "v\nw"], *rows], lineterminator="\n")
        out, err = self.decrypt(table, *ECB, "--csv", "--column", "v\nw", "--hex", status=4)
        expected = [[str(i), "row %d of a table" % i] for i in range(10)]
        expected[3][1], expected[6] = rows[3][1], ["6"]
        self.assertEqual(out, self.table([["id", "v\nw"], *expected], lineterminator="\n"))
        self.assertEqual(err, "fugu: a: line 6, column v\\x0aw: the length is not a multiple of 8 bytes; left as it is\n"
                         "fugu: a: line 9, column v\\x0aw: the record has no such field; left as it is\n"
                         "fugu: a: 2 of 10 fields were left as they are: lines 6, 9\n")

    def test_carriage_returns_end_no_records(self):
        one = self.message(b"a\rb").hex().encode()
        self.assertEqual(self.decrypt(one + b',"x\ry"', *ECB, "--csv", "--column", "1", "--hex")[0], b'"a\rb","x\ry"')
        self.decrypt(b"a,b\r" + one + b",1\r", *ECB, "--csv", "--column", "a", "--hex", status=5, says="its lines end in CR alone")

    def test_a_lost_structure(self):
        one = self.message(b"one").hex()
        for table, says in ((f'a,b\n{one},"never\nclosed\n', "line 2: a quotation mark opens a field but none closes it"),
                            (f'a,b\n{one},x\n"q"uoted,y\n', "line 3: text follows a closing quotation mark")):
            self.write("a", table)
            self.fails(4, "decrypt", "-q", *ECB, "--csv", "--column", "a", "--hex", "a", "-o", "b", says=says)
            self.assertNotIn("b", self.names())

    def test_both_ways(self):
        table = self.table([["id", "card", "note"], ["1", "4111 1111", "x"], ["2", 'a "b", c', "y"], ["3", "", "z"], ["4", "NULL", "two\nlines"]])
        for options in (ECB, PREFIX):
            for columns in (["--column", "card"], ["--column", "card", "--column", "note"], ["--column", "2", "--with-header"]):
                self.write("a", table)
                self.expect(0, b"", "", "encrypt", "-q", *options, "--csv", *columns, "-f", "a", "-o", "b")
                self.assertNotIn(b"4111", self.read("b"))
                self.expect(0, table, "", "decrypt", "-q", *options, "--csv", *columns, "b", "-o", "-")

    def test_records_over_parts(self):
        """A record begins in one part of 4 MiB and ends in the next, and quoted line ends cross it."""
        one = self.message(b"plain").hex()
        row = (one + ',"' + "filler with a line end\r\n" * 40 + '"\r\n').encode()
        self.decrypt(row * 10_000, *ECB, "--csv", "--column", "1", "--hex", plain=row.replace(one.encode(), b"plain") * 10_000)


class Others(Lines):
    """Fields and values beside encrypted ones, as in exported settings."""
    PLAIN = ["My Shop", "1", "100", "en_US", "http://shop.example/", "#fff", "a:3:{s:1:x;i:1;}", "general", "12 345", "-"]

    def table(self, *values):
        return ("id,value\n" + "".join(f"{n},{value}\n" for n, value in enumerate(values))).encode()

    def test_what_does_not_look_encrypted_stays_and_is_counted(self):
        for spell in (bytes.hex, lambda message: base64.b64encode(message).decode()):
            one, two = map(spell, self.messages([b"a password", b"abcdefg"]))
            before, after = self.table(*self.PLAIN, one, *self.PLAIN * 19, two), self.table(*self.PLAIN, "a password", *self.PLAIN * 19, "abcdefg")
            for options in ([], ["-a"] if one.endswith("=") else ["--hex"]):
                _, err = self.decrypt(before, *ECB, "--csv", "--column", "value", *options, quiet=False, plain=after,
                                      says="fugu: a: 200 of 202 fields do not look encrypted, and stay as they are\n")
        self.write("a", before)
        rows = self.rows_of(0, "decrypt", "-q", *ECB, "--csv", "--column", "value", "--json", "--rm", "a", "-o", "b")
        self.assertEqual(rows, [{"file": "a", "ok": True, "messages": 2, "opened": 2, "left": [], "others": 200}])
        self.assertEqual((self.read("b"), "a" in self.names()), (after, False))

    def test_a_field_that_only_looks_encrypted_is_named(self):
        """An MD5 in digits is base64 of three blocks; nothing in zeros or by an ECB without padding tells that it is no message."""
        one, digest = base64.b64encode(self.messages([b"sixteen letters."], pads=False)[0]).decode(), "c4ca4238a0b923820dcc509a6f75849b"
        padded = base64.b64encode(self.message(b"sixteen letters.")).decode()
        for padding, value in (("pkcs5", padded), ("zero", one), ("none", one)):
            self.decrypt(self.table(*self.PLAIN, value, digest), *ECB, "--pad", padding, "--csv", "--column", "value", status=4,
                         plain=self.table(*self.PLAIN, "sixteen letters.", digest), says="1 of 2 fields was left as it is: line 13\n")
        regular = digest[:8] * 8  # of ECB, whose equal blocks open alike under any key
        table = self.table(*self.PLAIN, one, regular)
        out, _ = self.decrypt(table, *ECB, "--pad", "none", "--csv", "--column", "value", "-a", status=4)
        self.assertEqual(out, self.table(*self.PLAIN, "sixteen letters.", regular))

    def test_refused_only_if_nothing_opens(self):
        one, = self.messages([b"a password"])
        self.write("key", b"another key 16 b")
        for status, says, values, *options in (
                (3, "the only field does not open: wrong key, passphrase or parameters", [*self.PLAIN, one.hex()]),
                (5, "line 2: neither base64 nor whole blocks in hexadecimal digits, nor is any other field", self.PLAIN),
                (5, "none of 3 fields of column value looks encrypted, by spelling and length: it may not be encrypted, or another column "
                 "is meant", ["100", "2000", "My Shop"], "-a")):
            self.decrypt(self.table(*values), *ECB, "--csv", "--column", "value", *options, status=status, says=says)

    def test_yes_takes_what_opens(self):
        one, = self.messages([b"yes\0\0\0\0\0"], pads=False)
        table = self.table(*self.PLAIN, one.hex(), *(message.hex() for message in self.messages([b"b%06d" % n for n in range(9)], key=b"another key 16 b")))
        self.decrypt(table, *ECB, "--pad", "zero", "--csv", "--column", "value", status=3)
        out, _ = self.decrypt(table, *ECB, "--pad", "zero", "--yes", "--csv", "--column", "value", status=4)
        self.assertIn(b",yes\n", out)


class Matches(Lines):
    def text(self, one, two):
        return (f"[Database]\r\nPassword={one}\r\n; old: Password={two}\n<pw>{two}</pw><pw>{one}</pw>\n"
                f"INSERT INTO t VALUES (1, '0:0:{one}'), (2, '0:0:{two}'), (3, NULL);\n\npassword: \"{two}\"").encode()

    EXPRESSIONS = {"^Password=(.*)": {2}, "Password=(.*)": {2, 3}, "<pw>([^<]*)<": {4}, "'0:0:([^']*)'": {5}, '^password: "([^"]*)"$': {7},
                   "[0-9a-f]{16,}": {2, 3, 4, 5, 7}}

    def test_everything_else_stays(self):
        one, two = (message.hex() for message in self.messages([b"plain one", b"two"]))
        text = self.text(one, two)
        for expression, places in self.EXPRESSIONS.items():
            expected = [line.replace(one.encode(), b"plain one").replace(two.encode(), b"two") if n in places else line
                        for n, line in enumerate(text.split(b"\n"), 1)]
            for options in ([], ["--hex"]):
                self.opens(text, b"\n".join(expected), *ECB, "--match", expression, *options)

    def test_both_ways(self):
        text = self.text("one", "two words")
        for expression in list(self.EXPRESSIONS)[:-1]:
            for options in (ECB, PREFIX):
                self.write("a", text)
                self.expect(0, b"", "", "encrypt", "-q", *options, "--match", expression, "-f", "a", "-o", "b")
                self.assertNotEqual(self.read("b"), text)
                self.expect(0, text, "", "decrypt", "-q", *options, "--match", expression, "b", "-o", "-")

    def test_others_damage_and_json(self):
        one, two = (message.hex() for message in self.messages([b"plain one", b"another value"]))
        self.write("a", f"a=x\na={one}\na={two[:-16]}\na={two}\n")
        code, out, err = self.run_fugu("decrypt", "-q", *ECB, "--match", "a=(.*)", "--json", "a", "-o", "b")
        self.assertEqual((code, self.read("b")), (4, f"a=x\na=plain one\na={two[:-16]}\na=another value\n".encode()), err)
        self.assertEqual(json.loads(out)["files"], [{"file": "a", "ok": False, "messages": 3, "opened": 2, "others": 1,
                                                     "left": [{"line": 3, "reason": "the padding is not valid"}]}])
        self.assertIn("fugu: a: 1 of 3 values was left as it is: line 3\n", err)

    def test_a_plaintext_that_is_no_line(self):
        one, = self.messages([b"two\nlines"])
        self.decrypt(f"a={one.hex()}\n".encode(), *ECB, "--match", "a=(.*)", status=4,
                     says="line 1: the plaintext has a line end or a zero byte, which a line cannot have; left as it is")

    def test_nothing_that_matches_is_an_error(self):
        self.write("a", "b=1\n")
        for direction in ("decrypt", "encrypt"):
            self.fails(5, direction, "-q", *ECB, "--match", "a=(.*)", "a", "-o", "b", says="nothing matches the expression; b was not created")
        self.assertNotIn("b", self.names())

    def test_expressions_of_other_languages_are_refused(self):
        self.write("a", "a=1\n")
        for expression, says in ((r"a=(\d+)", r"which has no \d: a digit is [0-9]"), (r"(a)\1", r"which has no \1"), ('"(.*?)"', "which has no *?"),
                                 ("(?:a)", "which has no (?"), ("a=(", "Unmatched ( or "), ("[a", "Unmatched [")):
            self.fails(1, "decrypt", *ECB, "--match", expression, "a", "-o", "-", says=says)
        for expression in ("[*?]", r"[^]\d*?]", r"\.\*\?"):  # which are characters
            self.expect(5, b"", ANY, "decrypt", *ECB, "--match", expression, "a", "-o", "-")

    def test_no_expression_takes_long(self):
        one = self.message(b"plain").hex()
        for expression in ("(a|a)*b|x=([0-9a-f]+)", "((a+)+)+$|x=([0-9a-f]+)"):
            self.decrypt(b"a" * 2_000 + b"c\nx=" + one.encode() + b"\n", *ECB, "--match", expression, status=5)
        text = f"x={one};".encode() * 20_000  # in one line
        self.opens(text, b"x=plain;" * 20_000, *ECB, "--match", "x=([0-9a-f]+)")


class OneMessage(Lines):
    """Text of several lines without --lines."""

    def refused(self, text, *options, status=5):
        self.write("a", text)
        code, _, err = self.run_fugu("decrypt", "-q", *options, "a", "-o", "-")
        self.assertEqual((code, "--lines decrypts one message per line" in err), (status, status == 5), err)
        return err

    def test_lines_of_different_lengths_are_messages(self):
        self.assertIn("if all are one message, join the lines; nothing was written", self.refused(self.hex_lines([b"one", b"two and more"]), *ECB, "--hex"))
        self.refused(self.hex_lines([b"longer than one", b"x", b"longer than one"]), *ECB, "--hex")
        base = b"".join(base64.b64encode(one) + b"\n" for one in self.messages([b"one", b"two and more"]))
        self.refused(base, *ECB, "-a")
        stream = ["--format", "raw", "--mode", "ctr", "--iv", "zero", "--key", "file:key"]
        self.refused(b"0011\n001122\n", *stream, "--hex")
        self.refused(self.hex_lines([b"x" * 40] * 2000 + [b"y" * 60]), *ECB, "--hex")  # which the first 64 KiB do not show

    def test_a_long_text_is_watched_to_its_end(self):
        """The lines differ beyond the first 4 MiB only."""
        row, other = self.hex_lines([b"x" * 28]), self.hex_lines([b"y" * 60])
        text = row * (5_000_000 // len(row))
        self.decrypt(text, *ECB, "--pad", "none", "--hex")
        self.assertIn("its lines differ in length", self.refused(text + other, *ECB, "--hex"))
        self.assertIn("its lines differ in length", self.refused(text + b"0123456789abcdef\n" + row, *ECB, "--hex"))
        self.decrypt(text + b"0123456789abcdef\n", *ECB, "--pad", "none", "--hex")

    def test_short_lines_with_a_padding_each_are_messages(self):
        self.refused(self.hex_lines([b"one", b"two"]), *ECB, "--hex")
        self.refused(self.hex_lines([b"one"] * 2000), *ECB, "--hex")

    def test_wrapped_text_passes(self):
        plain = b"one message over many lines of text " * 20
        data = self.message(plain)
        for width in (16, 60, 64, 76):
            digits, base = data.hex(), base64.b64encode(data).decode()
            for text, option in ((digits, "--hex"), (base, "-a")):
                wrapped = "".join(text[i:i + width] + "\n" for i in range(0, len(text), width))
                self.assertEqual(self.decrypt(wrapped.encode(), *ECB, option)[0], plain)
        self.write("a", plain * 100)
        for option in ("--hex", "-a"):
            self.expect(0, b"", "", "encrypt", "-q", *ECB, option, "-f", "a", "-o", "b")
            self.expect(0, plain * 100, "", "decrypt", "-q", *ECB, option, "b", "-o", "-")

    def test_salted_rows(self):
        rows = self.rows((b"a", b"b" * 30), "-md", "sha256")
        self.refused(b"\n".join(rows) + b"\n", "--format", "openssl", *PASS, "-a")


@unittest.skipUnless(SHARED.is_dir(), "the samples are not here")
class Samples(Lines):
    def test_samples(self):
        rows = [line.split("\t") for line in (SHARED / "lines.tsv").read_text().splitlines()[1:]]
        self.assertEqual(len(rows), 3)
        for name, _, arguments, key, expected, damaged in rows:
            with self.subTest(name=name):
                self.write("key", key)
                self.write("a", (SHARED / name).read_bytes())
                code, out, err = self.run_fugu("decrypt", "-q", *arguments.split(), "--key", "file:key", "a", "-o", "-")
                self.assertEqual((code, out), (0 if damaged == "-" else 4, (SHARED / expected).read_bytes()))
                if damaged != "-":
                    self.assertIn(f"line {damaged}, column card: ", err)
