"""Messages that say what the data or the command line show: a padding, a text encoding, the end of a key, the near word."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import support
from support import PASS, Case
from terminal import Screen

KEY = b"secret"
KEY16 = b"a key of 16 byte"
RAW = ["decrypt", "--format", "raw", "--mode", "ecb"]


class Data(Case):
    def ecb(self, plain):
        """Blocks without a padding of their own. openssl enc would lengthen the key with zeros."""
        self.write("key", KEY)
        return self.output("encrypt", "-q", "--format", "raw", "--mode", "ecb", "--pad", "none", "--key", "file:key", input=plain)

    def message(self, data, *options, status=3):
        self.write("a", data)
        code, out, err = self.run_fugu(*options, "-o", "b", "a")
        self.assertEqual((code, out, os.path.exists(self.path("b"))), (status, b"", False), err)
        self.assertTrue(err.startswith("fugu: a: ") and err.count("\n") == 1, err)
        return err[len("fugu: a: "):-1]


class Page(Data):
    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_where_two_contents_remain_it_offers_both(self):
        """By the page's own function, of a file of Crypt::CBC in pcbc whose text stands twice in cbc."""
        self.write("secret", "correct horse battery\n")
        data = bytes.fromhex("53616c7465645f5fb7869be9915e8d96"
                             "d6887f74fdfd3f83d8522e2ec2c0cb65")
        given = ["--pass", "file:secret"]
        says = self.message(data, "decrypt", "-q", *given, "--format", "cryptcbc", "--pbkdf", "opensslv1", status=5).removesuffix("; b was not created")
        formats = [{"name": one["name"], "options": [{"name": row["name"], "type": "text" if row.get("value") else "flag"} for row in one["options"]]}
                   for one in json.loads(self.output("formats", "--json"))["formats"]]
        script = ("const fs = require('fs'); const [page, says, formats] = JSON.parse(fs.readFileSync(0, 'utf8'));"
                  "require('vm').runInThisContext(fs.readFileSync(page, 'utf8'));"
                  "console.log(JSON.stringify(says.map((text) => offersOf(text, formats, 'openssl'))))")
        page = pathlib.Path(__file__).resolve().parents[2] / "src/web/files.js"
        vague = "if the passphrase is right, give --cipher, --md and --pbkdf2, --iter or --no-pbkdf2, or --format cryptcbc and its options"
        plain = "if these are the parameters, give --cipher bf-cbc --md md5 --no-pbkdf2 --nopad, or --yes"
        texts = [re.sub("--([a-z0-9-]+(?: (?!or |and )[a-z0-9][^ ,]*)?)", r"⟦\1⟧", text) for text in (says, vague, plain)]  # as the library has them
        done = subprocess.run(["node", "-e", script], input=json.dumps([str(page), texts, formats]), capture_output=True, text=True)
        two, none, one = json.loads(done.stdout)
        self.assertEqual(([offer["options"] for offer in one], none), ([[["cipher", "bf-cbc"], ["md", "md5"], ["no-pbkdf2", ""], ["nopad", ""]]], []))
        self.assertEqual([dict(offer["options"])["mode"] for offer in two], ["pcbc", "cbc"], says)
        for offer, plain in zip(two, (b"What on\0", b"What on\0What on")):
            options = [word for name, value in offer["options"] for word in (f"--{name}", value)]
            code, out, _ = self.run_fugu("decrypt", "-q", *given, "--format", offer["format"], *options, "a", "-o", "-")
            self.assertEqual((code, out.rstrip(b"\0")), (0, plain.rstrip(b"\0")))


class Padding(Data):
    FILL = "; PHP's openssl_encrypt fills keys shorter than 16 bytes with zeros: give --key-fill 16"
    WRONG = f"the padding is not valid: wrong key or passphrase, or damaged data{FILL}; nothing was written"

    FITS = "the key fits, but the file does not end as it should: it was cut, or its end changed, or "
    CREATED = f"{support.SALVAGE}; b was not created"
    TEXT = f"{FITS}the padding is not valid, and the end looks like text without any: give --pad zero, or --pad none{CREATED}"

    def says(self, plain, fits=False):
        return self.message(self.ecb(plain), *RAW, "--key", "file:key", status=4 if fits else 3).removesuffix("; nothing was written")

    def test_a_known_ciphertext(self):
        """Made by Perl's Crypt::Blowfish."""
        self.write("key", KEY)
        self.assertEqual(self.message(bytes.fromhex("05c3febb9970204a"), *RAW, "--key", "file:key", status=4), self.TEXT)

    def test_what_the_end_looks_like(self):
        zero = "the padding is not valid, and the end looks zero-padded: give --pad zero"
        space = "the padding is not valid, and the end looks padded with spaces: give --pad space"
        fits = {says: f"{self.FITS}{says}{self.CREATED}" for says in (zero, space)}
        for plain, says in ((b"letters\0", zero), (b"more than one block\0\0\0\0\0", fits[zero]), (b"\xff\xfe\xfd\xfc\xfb\xfa\0\0", fits[zero]),
                            (b"letters ", fits[space]), (b"a       ", fits[space]), (b"\x9f\xfd\xfc\xfb\xfa\xf9  ", space),
                            (b"whatever", self.TEXT), (b"line end\r\n of it\n", self.TEXT)):
            with self.subTest(plain=plain):
                plain += b"x" * (-len(plain) % 8)
                self.assertEqual(self.says(plain, says.startswith(self.FITS)), says)

    def test_the_advice_opens_it(self):
        for plain, padding, content in ((b"letters\0", "zero", b"letters"), (b"letters ", "space", b"letters"), (b"whatever", "zero", b"whatever")):
            self.assertIn(f"--pad {padding}", self.says(plain, plain != b"letters\0"))
            self.expect(0, content, support.NOT_AUTHENTICATED + "fugu: a: nothing tells a right key from a wrong one here; check the "
                        f"result\nfugu: a: {'spaces' if padding == 'space' else 'zeros'} at the end are taken off as padding, also any "
                        "that are data\n", *RAW, "--key", "file:key", "--pad", padding, "a", "-o", "-")

    def test_what_looks_like_nothing_blames_the_key(self):
        """One filler after bytes that are not text says nothing: one key of 256 gives it."""
        for plain in (b"\x9f\x13\xe1\x88\x07\xc2\xb5\0", b"\x9f\x13\xe1\x88\x07\xc2\xb5 ", b"\x9f\x13\xe1\x88\x07\xc2\xb5\xda"):
            self.assertEqual(self.says(plain) + "; nothing was written", self.WRONG)

    def test_a_key_file_that_ends_in_a_line_feed(self):
        data = self.ecb(b"padded!\1")
        self.write("line", KEY + b"\n")
        doubt = "ends in a line feed, which is part of the key: tr -d '\\n' removes it"
        says = self.message(data, *RAW, "--key", "file:line")
        self.assertEqual(says, f"{self.WRONG.removesuffix('; nothing was written')}; the key file {doubt}; nothing was written")
        self.assertNotIn("secret", says)
        self.ends(0, None, *RAW[:-1], "ofb", "--iv", "zero", "--key", "file:line", input=data,
                  says=f"nothing tells a right key from a wrong one here; check the result; the key file {doubt}\n")
        env = dict(os.environ, K="secret\n")
        self.assertIn("; the key ends in a line feed, ", self.run_fugu(*RAW, "--key", "env:K", "a", env=env)[2])

    def test_damage_is_not_blamed_on_it(self):
        self.write("line", "a key of text for a sealed file\n")
        self.write("plain", b"x")
        self.expect(0, b"", "", "encrypt", "-q", "--key", "file:line", "plain", "-o", "sealed")
        sealed = self.read("sealed")
        self.assertEqual(self.message(sealed[:-1] + bytes([sealed[-1] ^ 1]), "decrypt", "--key", "file:line", status=4),
                         "segment 0 (bytes 0-0) failed authentication, and the file ends in it: it was altered or cut short; b was not created")

    def test_a_key_of_random_bytes_may_end_in_one(self):
        self.write("random", b"\x01\xfe\x02\x80\n")
        self.assertEqual(self.message(self.ecb(b"padded!\1"), *RAW, "--key", "file:random"), self.WRONG)


class Followed(Data):
    """What a message advises opens the data."""

    TEXT = b"a text of more than one block"

    def encrypted(self, text=TEXT, key=KEY16):
        self.write("key", key)
        return self.output("encrypt", "-q", "--format", "raw", "--mode", "ecb", "--key", "file:key", input=text)

    def follow(self, data, says, plain, *better, first=(), key="file:key"):
        self.write("a", data)
        code, _, err = self.run_fugu(*RAW, "-q", *first, "--key", key, "a", "-o", "b")
        self.assertNotEqual(code, 0)
        self.assertIn(says, err)
        options = ["--key", key, *better] if "--key" not in better else better
        self.expect(0, plain, "", *RAW, "-q", *options, "a", "-o", "-")

    def test_lines(self):
        texts = [b"row number %d" % n * (n % 3 + 1) for n in range(12)]
        for spelling, spell in (("--hex", lambda data: data.hex().encode()), ("-a", base64.b64encode)):
            self.follow(b"".join(spell(self.encrypted(text)) + b"\n" for text in texts), "--lines decrypts one message per line",
                        b"".join(text + b"\n" for text in texts), spelling, "--lines", first=[spelling])

    def test_signed_numbers(self):
        count = 50 if support.SANITIZED else 99
        signed = [format(int.from_bytes(self.encrypted(b"%d" % n), "big", signed=True), "x") for n in range(count)]
        negative = next(n for n, text in enumerate(signed) if text.startswith("-"))
        odd = next(n for n, text in enumerate(signed) if not text.startswith("-") and len(text) % 2)
        for at in (negative, odd):
            self.follow(signed[at], "give --signed-hex", b"%d" % at, "--signed-hex", first=["--hex"])
        self.follow("\n".join(signed) + "\n", "--lines decrypts one message per line", b"".join(b"%d\n" % n for n in range(count)), "--signed-hex", "--lines", first=["--signed-hex"])

    def test_keys(self):
        data = self.encrypted()
        for spelling, text in (("hex", KEY16.hex()), ("base64", base64.b64encode(KEY16))):
            self.write("spelled", text)
            self.follow(data, f"give --key {spelling}-file:F", self.TEXT, "--key", f"{spelling}-file:spelled", key="file:spelled")
        filled = self.encrypted(key=b"short".ljust(16, b"\0"))
        self.write("short", b"short")
        self.follow(filled, "--key-fill 16", self.TEXT, "--key-fill", "16", key="file:short")

    def test_tables_and_values(self):
        value = base64.b64encode(self.encrypted()).decode()
        table = f"id,value\n1,{value}\n2,{value}\n"
        self.write("a", table)
        self.ends(3, None, "guess", "--key", "file:key", "a", says="give decrypt --csv --column NAME or --match REGEX as well")
        self.write("value", value)
        command = self.output("guess", "--key", "file:key", "value").decode().splitlines()[1].split()[3:-1]
        for where in (["--csv", "--column", "value"], ["--match", ",([^,]{9,})$"]):
            text = self.TEXT.decode()
            self.expect(0, f"id,value\n1,{text}\n2,{text}\n".encode(), "", "decrypt", "-q", *command, *where, "a", "-o", "-")

    def test_what_is_not_recognised(self):
        self.write("a", self.encrypted())
        self.fails(5, "decrypt", "--key", "file:key", "a", "-o", "b", says="fugu guess --key file:K FILE finds out how it was encrypted")
        command = self.output("guess", "--key", "file:key", "a").decode().splitlines()[1].split()[2:]
        self.expect(0, self.TEXT, "", *command, "-q", "-o", "-")

    def test_salvage_where_something_comes_and_nowhere_else(self):
        self.write("plain", self.TEXT * 40)
        self.write("pass", b"secret\n")
        self.write("sealing", KEY16 * 2)
        by_sealing, by_key, by_pass = ["--key", "file:sealing"], ["--key", "file:key"], PASS
        self.expect(0, b"", "", "encrypt", "-q", *by_sealing, "plain", "-o", "sealed")
        sealed, salted = self.read("sealed"), support.salted(self.TEXT * 40, self.directory)
        raw = self.ecb(self.TEXT + b"abc")
        changed = sealed[:30] + bytes([sealed[30] ^ 1]) + sealed[31:]
        tagged = sealed[:120] + bytes([sealed[120] ^ 1]) + sealed[121:]
        for data, options in (*((data, by_sealing) for data in (changed, tagged, sealed[:-1], sealed[:100], sealed[:12])),
                              *((data, by_pass) for data in (salted[:12], salted[:100], salted + salted, base64.b64encode(salted)[:-6])),
                              (raw, [*RAW[1:], "--skip", "100", *by_key]), (raw[:-3], [*RAW[1:], *by_key]),
                              (b"00112233zz", [*RAW[1:], "--hex", *by_key])):
            with self.subTest(options=options, data=data[:16], bytes=len(data)):
                self.write("a", data)
                err = self.ends(4, None, "decrypt", "-q", *options, "a", "-o", "b")
                self.run_fugu("decrypt", "-q", "--salvage", *options, "a", "-o", "b")
                came = self.read("b").strip(b"\0") if "b" in self.names() else b""
                pathlib.Path(self.path("b")).unlink(missing_ok=True)
                self.assertEqual(support.SALVAGE in err, came != b"", err)

    def test_a_table_or_a_directory(self):
        text = "".join(self.encrypted(plain).hex() + "\n" for plain in (b"one", b"two\nlines"))
        self.write("a", text)
        lines = [*RAW, "-q", "--hex", "--key", "file:key", "a", "-o", "-"]
        self.assertIn("; --csv reads tables", self.run_fugu(*lines, "--lines")[2])
        self.expect(0, b'one\n"two\nlines"\n', "", *lines, "--csv", "--column", "1")
        os.mkdir(self.path("d"))
        self.write("d/a", text)
        self.assertIn("-r --output-dir DIR encrypts the files in it", self.run_fugu("encrypt", *support.CHEAP, "d")[2])
        self.expect(0, b"", "", "encrypt", "-q", "-r", "--output-dir", "sealed", "--key", "file:key", "d")
        self.assertIn("-r takes the files in it", self.run_fugu("decrypt", "--key", "file:key", "sealed")[2])
        self.expect(0, b"", "", "decrypt", "-q", "-r", "--key", "file:key", "sealed")
        self.assertEqual(self.read("sealed/a"), text.encode())

    def test_a_match_writes_values_as_they_are(self):
        """As help says: the escapes of XML are the user's."""
        value = base64.b64encode(self.encrypted(b"R&D < 3")).decode()
        self.write("a", f"<a><pw>{value}</pw></a>\n")
        self.expect(0, b"<a><pw>R&D < 3</pw></a>\n", "", *RAW, "-q", "-a", "--match", "<pw>([^<]*)<", "--key", "file:key", "a", "-o", "-")


class Text(Data):
    def test_digits_that_raw_would_take_for_data(self):
        data = self.ecb(b"two blocks and p" + b"\x08" * 8)
        digits, lines = data.hex(), base64.encodebytes(data)
        spellings = ((digits, "hexadecimal", "--hex"), (digits.upper() + "\n", "hexadecimal", "--hex"),
                     ("".join(f"\\x{byte:02x}" for byte in data), "hexadecimal", "--hex"), ("0x" + digits, "hexadecimal", "--hex"),
                     (data.hex(":"), "hexadecimal", "--hex"), (lines, "base64", "-a"), (base64.urlsafe_b64encode(data), "base64", "-a"),
                     (base64.b64encode(data[:8]).rstrip(b"="), "base64", "-a"))
        for text, name, option in spellings:
            for form in (RAW, [*RAW[:-1], "ofb", "--iv", "zero"]):
                with self.subTest(text=text):
                    self.assertEqual(self.message(text, *form, "--key", "file:key", status=5),
                                     f"this is {name} text: give {option}; b was not created")
        for text, option in ((digits, "--hex"), (lines, "-a")):  # the advice opens it
            self.expect(0, b"two blocks and p", None, *RAW, "-q", "--key", "file:key", option, input=text if isinstance(text, bytes) else text.encode(),
                        stderr=subprocess.DEVNULL)

    def test_text_that_is_decoded_may_be_text_again(self):
        self.write("key", KEY)
        data = b"05c3febb9970204a"
        options = [*RAW[:-1], "ofb", "--iv", "zero", "-q", "--key", "file:key", "-o", "-"]
        self.assertEqual(len(self.output(*options, "--hex", input=data.hex().encode())), len(data))

    def test_every_format_without_a_header(self):
        for options in (["--format", "burp"], ["--format", "mcrypt", "--bare"], ["--format", "openssl", "--nosalt"],
                        ["--format", "cryptcbc", "--header", "none"], ["--format", "pwsafe"]):
            self.assertEqual(self.message("05c3febb9970204a", "decrypt", *options, *PASS, status=5),
                             "this is hexadecimal text: give --hex; b was not created")

    def test_what_is_no_such_text_is_data(self):
        """Shorter than a block, of an odd alphabet, or bytes."""
        self.write("key", KEY)
        for data in (b"05c3febb", b"some words with spaces and a stop."):
            self.write("a", data)
            self.assertEqual(len(self.output(*RAW[:-1], "ofb", "--iv", "zero", "-q", "--key", "file:key", "a", "-o", "-")), len(data))

    def test_info_says_what_it_may_be(self):
        for data, looks in ((b"05c3febb9970204a", "hexadecimal text, 8 bytes decoded, a multiple of 8"),
                            (b"BcP+u5lwIEo=", "base64 text, 8 bytes decoded, a multiple of 8"),
                            (b"BcP+u5lwIEoB\n", "base64 text, 9 bytes decoded, not a multiple of 8"),
                            (b"\xff" * 17, "17 bytes, not a multiple of 8"), (b"ab" * 8192, "hexadecimal text"),
                            (b"\xff" * 16384, "16384 bytes, a multiple of 8")):
            self.write("a", data)
            err = self.fails(5, "info", "a")
            self.assertEqual(err, f"fugu: a: the format is not recognised ({looks}); fugu formats lists the formats, and fugu guess --key file:K FILE finds out which fits\n")


class Words(Case):
    def says(self, *options):
        self.write("key", KEY)
        return self.fails(1, "decrypt", *options, "key").removeprefix("fugu: ").removesuffix("\n")

    def test_names_that_other_programs_have(self):
        raw = ["--format", "raw", "--key", "file:key", "--mode"]
        modes = "--mode takes ecb, cbc, cfb, cfb8, ofb, ctr, ofb8, pcbc, not"
        for given, hint in (("cfb64", " (did you mean cfb?)"), ("ebc", " (did you mean ecb?)"), ("xts-aes", "")):
            self.assertEqual(self.says(*raw, given), f"{modes} '{given}'{hint}")
        paddings = "--pad takes pkcs7, zero, space, none, x923, iso10126, oneandzeroes, rijndael_compat, residual, clear-rest, cs1, cs2, cs3, pkcs5, null, not"
        for given, hint in (("spaces", " (did you mean space?)"), ("ansix923", " (did you mean x923?)"),
                            ("iso7816", " (did you mean oneandzeroes?)"), ("standard", " (did you mean pkcs7?)")):
            self.assertEqual(self.says(*raw, "ecb", "--pad", given), f"{paddings} '{given}'{hint}")
        self.assertEqual(self.says("--format", "cryptcbc", "--pad", "zero"),
                         "--pad takes standard, space, null, oneandzeroes, rijndael_compat, none, not 'zero' (did you mean null?)")
        self.assertEqual(self.says("--format", "rwa").split("not ")[1], "'rwa' (did you mean raw?)")

    def test_a_word_of_one_format_needs_its_name(self):
        self.assertEqual(self.says("--mode", "ecb", "--key", "file:key"), "--mode ecb needs --format mcrypt or raw")
        self.assertEqual(self.says("--mode", "pcbc", "--key", "file:key"), "--mode pcbc needs --format cryptcbc or raw")
        self.assertEqual(self.says("--pad", "pkcs7", "--key", "file:key"), "--pad pkcs7 needs --format raw")


class OnATerminal(Case):
    """What is shown is text without controls, in UTF-8, and a message after it begins on a new line."""

    FILES = {"key": KEY}

    def decrypt_to_terminal(self, plain, *options, stderr=None):
        """Returns the terminal and the process, whose messages go to the terminal as well, or to `stderr`."""
        ofb = ["--format", "raw", "--mode", "ofb", "--iv", "zero", "--key", "file:key"]
        self.write("a", self.output("encrypt", "-q", *ofb, input=plain))
        screen = Screen(self)
        return screen, self.start("decrypt", *ofb, *options, "a", stdout=screen.line, stderr=stderr or screen.line)

    def show(self, plain, *more):
        """What a terminal shows of the decrypted text, and the exit status."""
        screen, process = self.decrypt_to_terminal(plain, "--no-progress", *(more or ["-o", "-"]))
        process.communicate(timeout=60)
        return process.returncode, screen.rest().replace(b"\r\n", b"\n")

    def test_a_message_begins_on_a_new_line(self):
        note = support.NOT_AUTHENTICATED.encode()
        for plain in (b"whatever", b"a line\n"):
            code, shown = self.show(plain)
            self.assertEqual((code, shown.startswith(plain.strip() + b"\n" + note)), (0, True), shown)

    def test_a_message_to_a_file_has_no_line_before_it(self):
        _, process = self.decrypt_to_terminal(b"whatever", "-o", "-", stderr=subprocess.PIPE)
        self.assertTrue(process.communicate(timeout=60)[1].decode().startswith(support.NOT_AUTHENTICATED))

    def test_controls_of_an_8_bit_terminal_are_refused(self):
        for plain in (b"a\x9b2Jb", b"\x90", b"text \x1b[2J", b"\xc2\x9b2J", b"ends in half of \xc3", b"\xff", b"turns \xe2\x80\xae"):
            with self.subTest(plain=plain):
                code, shown = self.show(plain)
                self.assertEqual((code, shown.count(b"is a terminal, and the output is not text; use -o OUT or a redirection")), (2, 1), shown)
                for control in (b"\x9b", b"\x90", b"\x1b", b"\xe2\x80\xae"):
                    self.assertNotIn(control, shown)

    def test_a_character_may_stand_in_two_chunks(self):
        text = "x" * 2047 + "é" * 1024 + "x€" * 800 + "\U0001f600" * 700 + "\n"  # the chunks of 4 KiB end inside of characters
        for shift in range(4):
            plain = ("x" * shift + text).encode()
            screen, process = self.decrypt_to_terminal(plain, "-q", "--chunk", "4K", "-o", "-", stderr=subprocess.PIPE)
            self.assertEqual(screen.expect(b"\n").replace(b"\r", b""), plain)
            self.assertEqual((process.communicate(timeout=60)[1], process.returncode), (b"", 0))

    def test_text_is_shown_whole(self):
        for plain in ("tab\tline\nné Û€\U0001f600\n".encode(), b""):
            code, shown = self.show(plain)
            self.assertEqual((code, shown.startswith(plain)), (0, True), shown)

    def test_a_terminal_that_is_named(self):
        name = os.ttyname(Screen(self).line)
        code, shown = self.show(b"a\x9b2Jb", "-o", name)
        self.assertEqual(code, 2, shown)
        self.assertIn(b"is a terminal, and the output is not text", shown)
