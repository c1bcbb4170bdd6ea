"""The text spellings of other programs: what Java, Python, browsers, SQL and openssl write, read by --hex, -a and --signed-hex."""

import base64
import json
import random
import shutil
import subprocess
from unittest.mock import ANY
import urllib.parse

import support
from support import Case, openssl

RAW = ["-q", "--format", "raw", "--mode", "ecb", "--key", "file:key"]
KEY = b"sixteen byte key"


class Spellings(Case):
    def encrypted(self, plain):
        self.write("key", KEY)
        return openssl(["-bf-ecb", "-K", KEY.hex()], plain, self.directory)

    def opens(self, plain, text, *option):
        self.expect(0, plain, "", "decrypt", *RAW, *option, input=text.encode())

    def test_hexadecimal(self):
        plain = b"in every spelling"
        data = self.encrypted(plain)
        digits = data.hex()
        for text in (digits, "0x" + digits.upper(), "\\x" + digits, f"X'{digits}'", data.hex(":"), data.hex("-").upper(), data.hex(" "),
                     "".join(f"\\x{byte:02x}" for byte in data)):
            with self.subTest(text=text):
                self.opens(plain, text, "--hex")
                self.opens(plain, text + "\n", "--hex")

    def test_base64(self):
        plain = b"the alphabet: every value of it"
        for extra in range(8):
            content = plain + bytes(range(extra))
            data = self.encrypted(content)
            standard, url = base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()
            for text in (standard.rstrip("="), url, url.rstrip("="), json.dumps(standard), json.dumps(standard).replace("/", "\\/"),
                         urllib.parse.quote(standard, safe=""), f"'{standard}'", json.dumps(base64.encodebytes(data).decode()),
                         standard.replace("+", "\\u002B")):
                with self.subTest(text=text):
                    self.opens(content, text, "-a")

    def test_numbers_of_java(self):
        """Java's new BigInteger(bytes).toString(16), which Python's integers print alike."""
        choose = random.Random(48)
        signs, odd = set(), set()
        for size in [8] * 8 + [16] * 8:
            plain = bytes(choose.randrange(32, 127) for _ in range(size - 1 - choose.randrange(7)))
            text = format(int.from_bytes(self.encrypted(plain), "big", signed=True), "x")
            signs.add(text.startswith("-"))
            odd.add(len(text) % 2)
            self.opens(plain, text, "--signed-hex")
        self.assertEqual((signs, odd), ({True, False}, {0, 1}))

    def test_numbers_are_named_where_digits_are_expected(self):
        self.write("key", KEY)
        for text, says in (("-36e4a3ced3bcb453", "character at byte 0 is a minus sign: for a number with a sign give --signed-hex"),
                           ("15580fa1aabc31c", "hexadecimal text ends inside a byte; for a number of Java's BigInteger give --signed-hex"),
                           ("5580fa1aabc31c", "the length is not a multiple of 8 bytes: the data is truncated or in another mode; for a number of Java's BigInteger give --signed-hex instead of --hex")):
            with self.subTest(text=text):
                self.fails(4, "decrypt", *RAW, "--hex", input=text.encode(), says=says)

    def test_dresses(self):
        """What xxd, hexdump and od, Python, and a C compiler's user print, with any option for digits and with none."""
        plain = b"in every dress, and in several lines of it"
        data = self.encrypted(plain)
        printed = [subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode()
                   for command in (["xxd"], ["xxd", "-g1", "-c8"], ["xxd", "-i"], ["hexdump", "-C"], ["od", "-An", "-tu1"]) if shutil.which(command[0])]
        signed = [byte - 256 * (byte > 127) for byte in data]
        for text in (*printed, repr(data), str(list(data)), str(signed), f"bytearray({data!r})", "{" + ", ".join(map(hex, data)) + "}",
                     "byte[] a = {" + ", ".join(f"(byte){byte}" for byte in signed) + "};", ", ".join(f"${byte:02X}" for byte in data),
                     urllib.parse.quote_from_bytes(data, safe=""), json.dumps(data.decode("latin-1"))):
            for option in (["--hex"], ["-a"], []):
                with self.subTest(text=text, option=option):
                    self.opens(plain, text, *option)
        self.opens(plain, repr(base64.b64encode(data)), "-a")
        self.opens(plain, repr(data.hex().encode()), "--hex")
        self.opens(plain, "-----BEGIN PGP MESSAGE-----\nVersion: 1\n\n" + base64.encodebytes(data).decode() + "=njUN\n-----END PGP MESSAGE-----\n", "-a")

    def test_dresses_are_named_where_no_format_is(self):
        self.write("a", str(list(self.encrypted(b"seven blocks say nothing of their own"))))
        self.fails(5, "info", "a", says="the format is not recognised (a list of numbers, 40 bytes decoded)")
        self.write("a", "[settings]\nsecret=" + self.encrypted(b"a value").hex() + "\n")
        self.fails(3, "guess", "--key", "file:key", "a", says="values inside a text: put one alone into a file, then give decrypt --csv")

    def test_base64_whose_plus_became_a_blank(self):
        for extra in range(24):
            plain = b"as forms and browsers do it" + bytes(range(extra))
            text = base64.b64encode(self.encrypted(plain)).decode()
            self.opens(plain, text.replace("+", " "), "-a")

    def test_bytes_stored_as_utf8(self):
        plain = b"stored in a column of text, which took each byte for a character"
        data = self.encrypted(plain)
        note = "its bytes were stored as UTF-8, as if they were characters of Latin-1 or Windows-1252: that was undone"
        cp1252 = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in data)
        for text in (data.decode("latin-1"), cp1252):
            code, out, err = self.run_fugu("decrypt", *RAW[1:], input=text.encode())
            self.assertEqual((code, out), (0, plain))
            self.assertIn(note, err)
        salted = support.salted(plain, self.directory)
        self.expect(0, plain, "", "decrypt", "-q", "--pass", "file:pass", input=salted.decode("latin-1").encode())
        for lost in (data, salted):
            self.fails(4, "decrypt", *RAW, input=lost.decode("utf-8", "replace").encode(), says="are lost, and no key opens it")

    def test_a_byte_order_mark_is_not_part_of_the_text(self):
        self.write("key", KEY)
        data = self.encrypted(b"from Windows")
        for option, text in (("--hex", data.hex().encode()), ("-a", base64.b64encode(data))):
            self.expect(0, b"from Windows", "", "decrypt", "-q", *RAW, option, input=b"\xef\xbb\xbf" + text)

    def test_one_option_names_the_spelling(self):
        self.write("key", KEY)
        for options in (["--hex", "--signed-hex"], ["-a", "--signed-hex"], ["-A", "--signed-hex"]):
            self.fails(1, "decrypt", *RAW, *options, input=b"", says="--signed-hex cannot be combined")
        self.expect(1, b"", ANY, "encrypt", *RAW, "--signed-hex", input=b"")
