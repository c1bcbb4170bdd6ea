"""Exchanges files with the real openssl program: each reads what the other writes, bit for bit; the text spellings of other programs: what
Java, Python, browsers, SQL and openssl write, read by --hex, -a and --signed-hex."""

import base64
import itertools
import json
import random
import shutil
import subprocess
import urllib.parse
from unittest.mock import ANY

import support
from support import PASS, Case, openssl, pattern


CIPHERS = ["bf-cbc", "bf-ecb", "bf-cfb", "bf-ofb"]
KDFS = [  # fugu's options, openssl's options
    (["--no-pbkdf2", "--md", "md5"], ["-md", "md5"]),
    (["--no-pbkdf2", "--md", "sha256"], ["-md", "sha256"]),
    (["--no-pbkdf2", "--md", "sha1"], ["-md", "sha1"]),
    (["--pbkdf2"], ["-pbkdf2"]),
    (["--iter", "3", "--md", "sha512"], ["-pbkdf2", "-iter", "3", "-md", "sha512"]),
]
SALTS = [([], []), (["--nosalt"], ["-nosalt"]), (["--salt", "0011223344556677"], ["-S", "0011223344556677"])]
CODINGS = [([], []), (["-a"], ["-a"]), (["-A"], ["-a", "-A"])]
SIZES = [0, 1, 7, 8, 9, 15, 16, 17, 47, 48, 1000, 4099, 65_541, 200_000]
SECRET = ["-pass", "file:pass"]


class BothWays(Case):
    def test_every_combination(self):
        """4 ciphers, 5 derivations, 3 salts, 3 encodings, and the sizes in turn: 180 cases, each in both directions."""
        for case, (cipher, kdf, salt, coding) in enumerate(itertools.product(CIPHERS, KDFS, SALTS, CODINGS)):
            data = pattern(SIZES[case % len(SIZES)])
            ours = ["-q", "--format", "openssl", *PASS, "--cipher", cipher,
                    *kdf[0], *salt[0], *coding[0]]
            theirs = [*SECRET, f"-{cipher}", *kdf[1], *salt[1], *coding[1]]
            with self.subTest(options=ours, size=len(data)):
                self.assertEqual(openssl(["-d", *theirs], self.output("encrypt", *ours, input=data), self.directory), data)
                written = openssl(theirs, data, self.directory)
                self.expect(0, data, ANY, "decrypt", *ours, input=written)

    def test_a_wrong_passphrase_tells_what_was_tried_in_one_order(self):
        self.write("a", support.salted(pattern(10_001), self.directory))
        for number in range(3):
            self.write("wrong", f"wrong {number}\n")
            why = ("fugu: a: wrong passphrase, or parameters that were not tried (32 were), or compressed data in bf-cfb or bf-ofb; "
                   "if the passphrase is right, give --cipher, --md and --pbkdf2, --iter or --no-pbkdf2, or --format cryptcbc and "
                   "its options where Perl's Crypt::CBC wrote it{}; nothing was written\n")
            self.expect(3, b"", why.format(" (-v lists what was tried)"), "decrypt", "--pass", "file:wrong", "-o", "b", "a")
            self.expect(3, b"", "fugu: a: tried bf-cbc; bf-cfb; bf-ecb; bf-ofb, each under EVP_BytesToKey with MD5; EVP_BytesToKey "
                        "with SHA1; EVP_BytesToKey with SHA256; EVP_BytesToKey with SHA512; PBKDF2-HMAC-SHA256, 1000 iterations; "
                        "PBKDF2-HMAC-SHA256, 10000 iterations; PBKDF2-HMAC-SHA256, 100000 iterations; PBKDF2-HMAC-SHA256, 600000 "
                        "iterations\n" + why.format(""), "decrypt", "-v", "--pass", "file:wrong", "-o", "b", "a")

    def test_noise_that_a_byte_of_padding_ends(self):
        """Nothing tells that the passphrase is right, and nothing that it is wrong."""
        data = random.Random(1).randbytes(40 * 8 + 7)
        self.write("a", support.salted(data, self.directory))
        given = ["--cipher", "bf-cbc", "--md", "sha256", "--iter", "10000"]
        self.expect(5, b"", "fugu: a: perhaps a wrong passphrase: the plaintext looks like noise, and only its end fits bf-cbc, "
                    "PBKDF2-HMAC-SHA256, 10000 iterations, which may be chance; if the passphrase is right, give "
                    f"{' '.join(given)}; b was not created\n", "decrypt", *PASS, "-o", "b", "a")
        for options, plain in ((["--yes"], data + b"\1"), (given, data)):  # a byte may be data, unless the padding is told
            self.expect(0, plain, "", "decrypt", "-q", *options, *PASS, "-o", "-", "a")

    def test_a_whole_file_that_ends_in_a_line_end(self):
        """OpenSSL's bf-cfb of "0000000\\n": too little to be sure, and no damage where its first 7 bytes fit a little better."""
        self.write("secret", "correct horse battery\n")
        self.write("a", bytes.fromhex("53616c7465645f5faefd0701f91c755f1ed21423fce3be0d"))
        self.fails(5, "decrypt", "-q", "--pass", "file:secret", "--md", "sha256", "--iter", "1000", "a", "-o", "b", says="but a wrong one could by chance")

    def test_nopad(self):
        for cipher, size in (("bf-cbc", 4096), ("bf-ecb", 8), ("bf-cbc", 16)):
            data = pattern(size)
            theirs = [*SECRET, f"-{cipher}", "-pbkdf2", "-nopad"]
            ours = ["-q", "--format", "openssl", *PASS, "--cipher", cipher, "--pbkdf2", "--md", "sha256",
                    "--nopad"]
            self.assertEqual(openssl(["-d", *theirs], self.output("encrypt", *ours, input=data), self.directory), data)
            self.expect(0, data, ANY, "decrypt", *ours, input=openssl(theirs, data, self.directory))

    def test_text_of_raw_files(self):
        """Text as PHP's bin2hex() and base64_encode() write a ciphertext."""
        self.write("k", bytes(range(16)))
        data = pattern(1003)
        raw = ["-q", "--format", "raw", "--key", "file:k", "--mode", "cbc", "--iv", "0102030405060708"]
        binary = openssl(["-bf-cbc", "-K", bytes(range(16)).hex(), "-iv", "0102030405060708"], data, self.directory)
        digits = binary.hex()
        lines = "".join(digits[at:at + 60] + "\n" for at in range(0, len(digits), 60))
        for form, text in ((["--hex"], lines), (["--hex", "-A"], digits),
                           (["-A"], base64.b64encode(binary).decode())):
            self.expect(0, text, "", "encrypt", *raw, *form, input=data)
            self.expect(0, data, "", "decrypt", *raw, *form, input=text.encode())
        self.expect(0, data, "", "decrypt", *raw, "--hex", input=digits.upper().encode())


class Variants(Case):
    """4 ciphers, 8 digests, 3 derivations of the real program: all files open with exact options, the usual ones without options."""

    TEXT = b"an ordinary text, long enough to be told from noise\n" * 20
    DIGESTS = ["md4", "md5", "ripemd160", "sha1", "sha224", "sha256", "sha384", "sha512"]
    DERIVATIONS = [([], ["--no-pbkdf2"]), (["-pbkdf2"], ["--pbkdf2"]), (["-pbkdf2", "-iter", "1000"], ["--iter", "1000"])]
    USUAL = {("sha256", 0), ("md5", 0), ("sha1", 0), ("sha512", 0), ("sha256", 1), ("sha256", 2)}

    @support.many_cases
    def test_all(self):
        for cipher, digest, (number, (theirs, ours)) in itertools.product(CIPHERS, self.DIGESTS, enumerate(self.DERIVATIONS)):
            with self.subTest(cipher=cipher, digest=digest, derivation=theirs):
                written = openssl([*SECRET, f"-{cipher}", "-md", digest, *theirs], self.TEXT, self.directory)
                self.gives(self.TEXT, "decrypt", "-q", *PASS, "--cipher", cipher, "--md", digest, *ours, input=written)
                if (digest, number) in self.USUAL:
                    self.expect(0, self.TEXT, "", "decrypt", "-q", *PASS, input=written)


class ByTrial(Case):
    TEXT = b"an ordinary text, long enough to be told from noise\n" * 20

    def test_parameters_that_real_files_use(self):
        for options, found in [(["-md", "sha1"], "bf-cbc, EVP_BytesToKey with SHA1"),
                               (["-md", "sha512"], "bf-cbc, EVP_BytesToKey with SHA512"),
                               (["-pbkdf2", "-iter", "1000"], "bf-cbc, PBKDF2-HMAC-SHA256, 1000 iterations"),
                               (["-pbkdf2", "-iter", "100000"], "bf-cbc, PBKDF2-HMAC-SHA256, 100000 iterations"),
                               (["-pbkdf2", "-iter", "600000"], "bf-cbc, PBKDF2-HMAC-SHA256, 600000 iterations"),
                               (["-pbkdf2"], "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations"),
                               (["-md", "sha256"], "bf-cbc, EVP_BytesToKey with SHA256"),
                               (["-md", "md5"], "bf-cbc, EVP_BytesToKey with MD5")]:
            for coding in ([], ["-a"], ["-a", "-A"]):
                with self.subTest(options=options, coding=coding):
                    self.write("a.fugu", openssl([*SECRET, "-bf-cbc", *options, *coding], self.TEXT, self.directory))
                    self.ends(0, b"", "decrypt", "-f", *PASS, "a.fugu", says=f"fugu: a.fugu: matches {found}\n")
                    self.assertEqual(self.read("a"), self.TEXT)


RAW = ["-q", "--format", "raw", "--mode", "ecb", "--key", "file:key"]
KEY = b"sixteen byte key"


class Spellings(Case):
    FILES = {"key": KEY}

    def encrypted(self, plain):
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
            self.ends(0, plain, "decrypt", *RAW[1:], input=text.encode(), says=note)
        salted = support.salted(plain, self.directory)
        self.expect(0, plain, "", "decrypt", "-q", *PASS, input=salted.decode("latin-1").encode())
        for lost in (data, salted):
            self.fails(4, "decrypt", *RAW, input=lost.decode("utf-8", "replace").encode(), says="are lost, and no key opens it")

    def test_a_byte_order_mark_is_not_part_of_the_text(self):
        data = self.encrypted(b"from Windows")
        for option, text in (("--hex", data.hex().encode()), ("-a", base64.b64encode(data))):
            self.expect(0, b"from Windows", "", "decrypt", "-q", *RAW, option, input=b"\xef\xbb\xbf" + text)

    def test_one_option_names_the_spelling(self):
        for options in (["--hex", "--signed-hex"], ["-a", "--signed-hex"], ["-A", "--signed-hex"]):
            self.fails(1, "decrypt", *RAW, *options, input=b"", says="--signed-hex cannot be combined")
        self.expect(1, b"", ANY, "encrypt", *RAW, "--signed-hex", input=b"")
