"""Recipes of raw: what other programs' data without a header need. Ciphertexts are made from single blocks of the real openssl by
the definitions of modes and paddings, or are those of other programs, and published."""

import base64
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
from unittest.mock import ANY

import support
from support import PASS, Case, openssl

KEY = b"a key of 16 byte"
IV = b"an iv is"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "src/cli/help/fugu-recipes.7"
REPORTS = pathlib.Path(__file__).resolve().parents[3] / "shared/foreign2/reports.tsv"


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


class Recipe(Case):
    FILES = {"key": KEY}

    def block(self, data, key=KEY):
        """ECB of whole blocks."""
        return openssl(["-bf-ecb", "-nopad", "-K", key.hex()], data, self.directory)

    def opens(self, data, plain, *options, key="file:key", env=None):
        """Decrypts to `plain`; returns the notes."""
        self.write("a", data)
        return self.ends(0, plain, "decrypt", "--format", "raw", *options, "--key", key, "a", "-o", "-", env=env)

    def both(self, data, plain, *options, key="file:key"):
        self.opens(data, plain, *options, key=key)
        self.expect(0, data, "", "encrypt", "-q", "--format", "raw", *options, "--key", key, input=plain)

    def refused(self, status, says, *options, command="decrypt", data="a", key="file:key", **how):
        """A run that writes no b, of a file or, if it is given as `input`, of standard input."""
        self.fails(status, command, "--format", "raw", *options, "--key", key, *([] if "input" in how else [data]), "-o", "b", says=says, **how)
        self.assertNotIn("b", self.names())


def feedback(encrypt, plain, register, of_keystream=False):
    """cfb8, or ofb8, by definition."""
    data = b""
    for byte in plain:
        keystream = encrypt(register)[:1]
        data += xor(bytes([byte]), keystream)
        register = register[1:] + (keystream if of_keystream else data[-1:])
    return data


def pcbc(encrypt, plain, chain):
    """Of whole blocks: each plaintext block and its ciphertext go into the next."""
    data = b""
    for at in range(0, len(plain), 8):
        data += encrypt(xor(chain, plain[at:at + 8]))
        chain = xor(data[-8:], plain[at:at + 8])
    return data


def residual(encrypt, plain, register=bytes(8)):
    """DCPcrypt's cbc: its iv is the encryption of zeros, of version 1 of FF, and a rest is combined with the encryption of the block before it."""
    chain, data = encrypt(register), b""
    whole = len(plain) - len(plain) % 8
    for at in range(0, whole, 8):
        chain = encrypt(xor(chain, plain[at:at + 8]))
        data += chain
    return data + xor(encrypt(chain), plain[whole:])


def swapped(data):
    """Whole blocks with the bytes of each word in the other order."""
    return b"".join(data[at:at + 4][::-1] for at in range(0, len(data), 4))


def bytes_to_key(digest, phrase, salt, count):
    """OpenSSL's EVP_BytesToKey: 16 bytes of key and 8 of IV."""
    stream, last = b"", b""
    while len(stream) < 24:
        last += phrase + salt
        for _ in range(count):
            last = hashlib.new(digest, last).digest()
        stream += last
    return stream[:16], stream[16:24]


class Paddings(Recipe):
    def test_padding_in_stream_modes(self):
        for mode in ("cfb", "ofb"):
            data = openssl([f"-bf-{mode}", "-K", KEY.hex(), "-iv", IV.hex()], b"eleven char\5\5\5\5\5", self.directory)
            self.both(data, b"eleven char", "--mode", mode, "--iv", IV.hex(), "--pad", "pkcs5")
            self.both(data, b"eleven char\5\5\5\5\5", "--mode", mode, "--iv", IV.hex())

    def test_all(self):
        text, whole = b"five+8 bytes.", b"8 bytes."
        for name, plain, padding in (
                ("x923", text, b"\0\0\3"), ("oneandzeroes", text, b"\x80\0\0"), ("rijndael_compat", text, b"\x80\0\0"), ("zero", text, bytes(3)),
                ("null", text, bytes(3)), ("pkcs5", text, b"\3\3\3"), ("pkcs7", text, b"\3\3\3"), ("space", text, b"   "),
                ("x923", whole, bytes(7) + b"\x08"), ("oneandzeroes", whole, b"\x80" + bytes(7)), ("rijndael_compat", whole, b""),
                ("zero", whole, b""), ("none", whole, b"")):
            self.both(self.block(plain + padding), plain, "--mode", "ecb", "--pad", name)
        self.opens(self.block(text + b"\xa5\x5a\3"), text, "--mode", "ecb", "--pad", "iso10126")

    def steals(self, plain, variant):
        """CBC with ciphertext stealing, by the addendum to NIST SP 800-38A."""
        rest = (len(plain) - 1) % 8 + 1
        blocks = openssl(["-bf-cbc", "-nopad", "-K", KEY.hex(), "-iv", IV.hex()], plain + bytes(8 - rest), self.directory)
        before, last = blocks[-16:-8][:rest], blocks[-8:]
        is_swapped = variant == 3 or (variant == 2 and rest != 8)
        return blocks[:-16] + (last + before if is_swapped else before + last)

    def test_stolen_ciphertext(self):
        text = b"The quick brown fox, 42 times..., and a 2nd"
        for variant in (1, 2, 3):
            how = ("--mode", "cbc", "--iv", IV.hex(), "--pad", f"cs{variant}")
            for size in (*range(9, 18), 24, 29, 43):
                self.both(self.steals(text[:size], variant), text[:size], *how)
            self.both(openssl(["-bf-cbc", "-nopad", "-K", KEY.hex(), "-iv", IV.hex()], text[:8], self.directory), text[:8], *how)
            for size in ((1 << 20) + 3, (1 << 20) + 8, 5 << 20, (5 << 20) + 9):  # ends behind a chunk
                plain = support.pattern(size)
                self.both(self.steals(plain, variant), plain, *how)
                data = self.steals(plain, variant)
                self.expect(0, plain, "", "decrypt", "-q", "--format", "raw", *how, "--key", "file:key", input=data)
            self.fails(4, "decrypt", "--format", "raw", *how, "--key", "file:key", input=text[:7], says="ciphertext stealing needs 8 bytes or more")

    def test_stolen_ciphertext_is_not_divided(self):
        plain = support.pattern((5 << 20) + 3)
        self.write("a", self.steals(plain, 3))
        self.expect(0, b"", "", "decrypt", "-q", "-T", "2", "--format", "raw", "--mode", "cbc", "--iv", IV.hex(), "--pad", "cs3", "--key", "file:key", "a", "-o", "b")
        self.assertEqual(self.read("b"), plain)

    def test_stolen_by_java(self):
        """By Java 17, Cipher.getInstance("Blowfish/CTS/NoPadding")."""
        text = b"The quick brown fox, 42 times..."
        for size, data in ((8, "0fa6a8f3e6e48584"), (9, "de011b5fabd2bd610f"), (15, "5314f18f557b324c0fa6a8f3e6e485"),
                           (16, "91e8d9aacfcb7be10fa6a8f3e6e48584"), (24, "0fa6a8f3e6e485847bffe5f35e27938891e8d9aacfcb7be1"),
                           (29, "0fa6a8f3e6e4858491e8d9aacfcb7be1650e36e24d88ccf47bffe5f35e")):
            self.both(bytes.fromhex(data), text[:size], "--mode", "cbc", "--iv", IV.hex(), "--pad", "cs3")

    def test_a_rest_in_clear(self):
        for size in range(8, 24):
            text = b"The quick brown fox, 42"[:size]
            whole = size - size % 8
            self.both(self.block(text[:whole]) + text[whole:], text, "--mode", "ecb", "--pad", "clear-rest")
            data = openssl(["-bf-cbc", "-nopad", "-K", KEY.hex(), "-iv", IV.hex()], text[:whole], self.directory)
            self.both(data + text[whole:], text, "--mode", "cbc", "--iv", IV.hex(), "--pad", "clear-rest")

    def test_blocks_of_zeros_and_spaces(self):
        """Programs differ in what they add to whole blocks: a block of it, which some do, is taken off whole."""
        for name, fill in (("zero", b"\0"), ("null", b"\0"), ("space", b" ")):
            note = self.opens(self.block(b"8 bytes." + 8 * fill), b"8 bytes.", "--mode", "ecb", "--pad", name)
            self.assertIn("are taken off as padding, also any that are data", note)
            self.opens(self.block(b"8 bytes." + 16 * fill), b"8 bytes." + 8 * fill, "--mode", "ecb", "--pad", name)
        note = self.opens(self.block(b"7 bytes\x80"), b"7 bytes", "--mode", "ecb", "--pad", "rijndael_compat")
        self.assertIn("80 and zeros at the end are taken off as padding, also any that are data", note)

    def test_wrong_ones(self):
        for name, plain, status in (("x923", b"ab\0\1\0\0\0\5", 3), ("iso10126", b"abcdefg\x09", 4), ("oneandzeroes", b"abcde\x81\0\0", 3)):
            self.write("a", self.block(plain))
            self.refused(status, "", "--mode", "ecb", "--pad", name)


class Keys(Recipe):
    def test_filled_with_zeros(self):
        """openssl enc fills short keys as PHP's openssl_encrypt does."""
        self.write("short", "12345678")
        data = openssl(["-bf-cbc", "-K", b"12345678".hex(), "-iv", IV.hex()], b"Lorem ipsum", self.directory)
        self.both(data, b"Lorem ipsum", "--mode", "cbc", "--iv", "text:an iv is", "--key-fill", "16", key="file:short")

    def test_hashed(self):
        for name, size in (("md5", 16), ("sha1", 20), ("sha256", 32), ("sha512", 64)):
            digest = hashlib.new(name, KEY).digest()
            self.assertEqual(len(digest), size)
            self.write("digest", digest)
            data = self.run_fugu("encrypt", "-q", "--format", "raw", "--mode", "ecb", "--key", "file:digest", input=b"text")[1]
            self.opens(data, b"text", "--mode", "ecb", "--key-hash", name)
            self.opens(data, b"text", "--mode", "ecb", "--key-hash", name, "--key-fill", str(size))

    STEPS = (("hex", b" 616263\n", b"abc"), ("base64", b"YWJj\n", b"abc"), ("utf16le", b"p\xc3\xa4\xf0\x9f\x90\xa1", "p\u00e4\U0001f421".encode("utf-16-le")),
             ("utf16be", b"p\xc3\xa4", "p\u00e4".encode("utf-16-be")), ("lf", b"abc", b"abc\n"), ("crlf", b"abc", b"abc\r\n"), ("nul", b"abc", b"abc\0"),
             ("chomp", b"abc\n", b"abc"), ("chomp", b"abc\r\n", b"abc"), ("md5,digits", b"abc", hashlib.md5(b"abc").hexdigest().encode()),
             ("sha1,digits,upper", b"abc", hashlib.sha1(b"abc").hexdigest().upper().encode()), ("sha256,cut16", b"abc", hashlib.sha256(b"abc").digest()[:16]),
             ("sha256,digits,cut32", b"abc", hashlib.sha256(b"abc").hexdigest()[:32].encode()), ("sha512", b"abc", hashlib.sha512(b"abc").digest()),
             ("base64,fill16", b"YWJj", b"abc" + bytes(13)), ("fillff5", b"abc", b"abc\xff\xff"), ("cut2", b"abc", b"ab"), ("cut56", b"abc", b"abc"),
             ("upper", b"aBz{`", b"ABZ{`"), ("u64le", b"1234567890123\n", struct.pack("<Q", 1234567890123)), ("u64be", b"12", struct.pack(">Q", 12)),
             ("digits", bytes(range(250, 256)), b"fafbfcfdfeff"), ("md5", b"", hashlib.md5().digest()), ("fill3,sha1,cut20,cut9", b"a", hashlib.sha1(b"a\0\0").digest()[:9]))

    def test_steps(self):
        for steps, secret, key in self.STEPS:
            if not secret:
                continue
            self.write("made", key)
            self.write("secret", secret)
            data = self.run_fugu("encrypt", "-q", "--format", "raw", "--mode", "ecb", "--key", "file:made", input=b"a text")[1]
            self.both(data, b"a text", "--mode", "ecb", "--key-steps", steps, key="file:secret")

    def test_steps_that_cannot_be(self):
        self.write("a", bytes(8))
        for steps, says in (("md6", "--key-steps takes hex, base64, u64le, "), ("cut0", "N from 1 to 72"), ("cut73", "N from 1 to 72"), ("cut", "N from 1"),
                            ("fill1x", "N from 1"), (",md5", "--key-steps takes"), ("hex", "the key is not hex"), ("cut1,base64", "the key is not base64"),
                            ("u64le", "the key is not a number of 64 bits"), ("cut1,chomp,hex,cut1", "the key is not hex"),
                            ("digits," * 14 + "md5", "--key-steps makes the key too long")):
            self.refused(1, says, "--mode", "ecb", "--key-steps", steps)
        self.write("empty", "\n")
        self.refused(1, "--key-steps makes an empty key", "--mode", "ecb", "--key-steps", "chomp", key="file:empty")
        for other in ("--key-hash=md5", "--key-fill=16"):
            self.refused(1, f"--key-steps and {other[:10]} cannot be combined", "--mode", "ecb", "--key-steps", "md5", other)


class Places(Recipe):
    def test_ivs(self):
        plain = b"the iv is text"
        data = openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], plain, self.directory)
        for given in ("text:an iv is", "base64:YW4gaXYgaXM=", IV.hex()):
            self.both(data, plain, "--mode", "cbc", "--iv", given)
        self.opens(IV + data, plain, "--mode", "cbc", "--iv", "prefix")

    def test_ivs_of_crypt_cbc(self):
        """Perl's Crypt::CBC wrote it with -header none and -iv '12345678', and unpack('H*')."""
        self.write("a", "a4614fb7ea79caf347fe4c279e4a12a5126d209bf2f8cd89bfb236856d40b4367d350115e725d3d2\n")
        self.write("quiet", "a quiet evening\n")
        crypt_cbc = ["--hex", "--format", "cryptcbc", "--pass", "file:quiet", "a", "-o", "-", "--iv"]
        for given in ("text:12345678", "base64:MTIzNDU2Nzg=", "3132333435363738"):
            self.expect(0, b"Nine parcels were sent on Friday.", "", "decrypt", "-q", *crypt_cbc, given)
        self.ends(1, None, "decrypt", *crypt_cbc, "prefix", says="--iv takes 16 hexadecimal digits, text:, base64: or zero;")

    def test_ivs_of_the_key(self):
        plain = b"the iv is made of the key"
        md5 = hashlib.md5(KEY)
        for given, iv in (("key", KEY), ("key:cut8", KEY), ("key:md5", md5.digest()), ("key:md5,digits", md5.hexdigest().encode()),
                          ("key:utf16le", KEY[:4].decode().encode("utf-16-le")), ("encrypted-ff", self.block(b"\xff" * 8))):
            self.both(openssl(["-bf-ofb", "-K", KEY.hex(), "-iv", iv[:8].hex()], plain, self.directory), plain, "--mode", "ofb", "--iv", given)
        self.write("digits", KEY.hex())
        data = openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", KEY.hex().encode()[:8].hex()], plain, self.directory)
        self.both(data, plain, "--mode", "cbc", "--iv", "key", "--key-steps", "hex", key="file:digits")
        for given, says in (("key:cut7", "--iv key needs a key of 8 bytes or more"), ("key:md6", "--key-steps takes"), ("keys", "--iv takes"),
                            ("prefix:md5", "--iv takes"), ("openpgp", "--iv openpgp and --mode cbc cannot be combined")):
            self.refused(1, says, "--mode", "cbc", "--iv", given, command="encrypt", input=b"")

    def test_openpgp(self):
        """By GnuPG 2.2.40: gpg --rfc2440 -c, whose packet of tag 9 this is; the key is what --show-session-key printed."""
        data = bytes.fromhex("38239fcb0f9c97b629b33a7adc530db122c8c979b455a22b88f1c7cebfeff6f254dfd8ac42ad2b3e23dc54f66964649de633f99dc0a43473d3")[1:]
        self.write("hex", "1A75F289CB6F6F2872A4D99FF412909B")
        how = ("--mode", "cfb", "--iv", "openpgp")
        code, out, err = self.run_fugu("decrypt", "-q", "--format", "raw", *how, "--key", "hex-file:hex", input=data)
        self.assertEqual((code, out[:5], out[9:]), (0, b"\xac\x2cb\1x", b"hello from gpg, a message long enough"), err)
        for lines in ([], ["--lines", "--hex"]):
            mine = self.output("encrypt", "-q", *lines, "--format", "raw", *how, "--key", "file:key", input=b"some text\n")
            self.expect(0, b"some text\n", "", "decrypt", "-q", *lines, "--format", "raw", *how, "--key", "file:key", input=mine)
            self.assertNotEqual(self.run_fugu("decrypt", "-q", *lines, "--format", "raw", *how, "--key", "hex-file:hex", input=mine)[0], 0)
        self.ends(3, None, "decrypt", "--format", "raw", *how, "--key", "file:key", input=data,
                  says="the first 10 bytes are not those of OpenPGP's CFB")
        self.fails(4, "decrypt", "--format", "raw", *how, "--key", "file:key", input=data[:9], says="the data ends inside the IV, its first 10 bytes")

    def test_a_part(self):
        data = openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], b"in the middle", self.directory)
        whole = b"header" + IV + data + b"trailer"
        part = ("--mode", "cbc", "--iv", "prefix", "--skip", "6", "--length", str(8 + len(data)))
        self.opens(whole, b"in the middle", *part)
        self.opens(whole.hex(), b"in the middle", "--hex", *part)
        self.write("a", whole)
        self.expect(0, b"in the middle", ANY, "decrypt", "-q", "--format", "raw", *part, "--key", "file:key", input=whole)  # a pipe
        self.expect(4, b"", "fugu: a: the data ends inside what --skip leaves out; b was not created\n", "decrypt", "--format", "raw",
                    "--mode", "ecb", "--skip", "100", "--key", "file:key", "a", "-o", "b")

    def test_a_part_that_threads_share(self):
        plain = support.pattern(5 << 20)
        data = openssl(["-bf-cbc", "-nopad", "-K", KEY.hex(), "-iv", IV.hex()], plain, self.directory)
        self.write("a", b"header" + data + bytes(3 << 20))
        part = ("--skip", "6", "--length", str(len(data)), "--pad", "none", "--iv", IV.hex())
        self.expect(0, b"", "", "decrypt", "-q", "-T", "2", "--format", "raw", "--mode", "cbc", *part, "--key", "file:key", "a", "-o", "b")
        self.assertEqual(self.read("b"), plain)

    def test_a_length_in_front(self):
        text = b"The quick brown fox, 42 times..., and a 2nd"
        for name, form in (("u16le", "<H"), ("u16be", ">H"), ("u32le", "<I"), ("u32be", ">I")):
            for size in (0, 1, 4, 12, 43):
                for rest in (b"", b"noise \x90\xb1\xc7", bytes(100)):
                    plain = struct.pack(form, size) + text[:size] + rest
                    data = self.block(plain + bytes(-len(plain) % 8))
                    self.opens(data, text[:size], "--mode", "ecb", "--sized", name)
                    self.opens(data.hex() + "\n", text[:size] + b"\n", "--mode", "ecb", "--sized", name, "--hex", "--lines")
            long = support.pattern(3 << 20)[:60000]
            self.opens(self.block(struct.pack(form, 60000) + long + bytes(-(len(long) + struct.calcsize(form)) % 8)), long, "--mode", "ecb", "--sized", name)
        data = self.block(struct.pack("<I", 5) + b"four")
        self.write("a", data)
        for lines in ([], ["--lines", "--hex"]):
            self.refused(3, "the length at the beginning is larger than what follows", "--mode", "ecb", "--sized", "u32le", *lines,
                         input=data.hex().encode() if lines else data)
        self.expect(4, b"four", None, "decrypt", "-q", "--salvage", "--format", "raw", "--mode", "ecb", "--sized", "u32le", "--key", "file:key", "a", "-o", "-",
                    stderr=subprocess.DEVNULL)
        self.run_fugu("decrypt", "-q", "--rm", "--format", "raw", "--mode", "ecb", "--sized", "u16le", "--key", "file:key", "a", "-o", "c")
        self.assertIn("a", self.names())

    def test_parts_are_for_decryption(self):
        self.stops(1, "unrecognised option '--skip'; see fugu encrypt --help",
                   "encrypt", "--format", "raw", "--mode", "ecb", "--skip", "1", "--key", "file:key", input=b"")


class Hints(Recipe):
    def test_a_key_of_digits(self):
        plain = b"a text of more than one block"
        for spelling, text in (("hexadecimal digits", KEY.hex()), ("base64", "YSBrZXkgb2YgMTYgYnl0ZQ==")):
            hint = f"the key is all {spelling}: if they stand for bytes, give --key "
            self.write("digits", text)
            self.write("a", openssl(["-bf-ecb", "-K", KEY.hex()], plain, self.directory))
            self.ends(3, None, "decrypt", "--format", "raw", "--mode", "ecb", "--key", "file:digits", "a", "-o", "b", says=hint)
            for plain_of in (plain, plain + bytes(1 << 20)):
                self.write("a", openssl(["-bf-ofb", "-K", KEY.hex(), "-iv", IV.hex()], plain_of, self.directory))
                command = ["decrypt", "--format", "raw", "--mode", "ofb", "--iv", IV.hex(), "-o", "-"]
                self.assertIn(hint, self.run_fugu(*command, "--key", "file:digits", "a")[2])
                self.assertIn(hint, self.run_fugu(*command, "--key", "file:digits", input=self.read("a"))[2])
                self.assertNotIn("the key is all", self.run_fugu(*command, "--key", "file:key", "a")[2])


class Derivations(Recipe):
    """By Ruby's OpenSSL::Cipher#pkcs5_keyivgen, from the samples of published questions."""

    def test_counts(self):
        phrase = b"open sesame"
        salt = b"8bytesNa"
        for digest, count, salted in (("md5", 2048, True), ("md5", 2048, False), ("sha256", 5000, True)):
            key, iv = bytes_to_key(digest, phrase, salt if salted else b"", count)
            data = openssl(["-bf-cbc", "-K", key.hex(), "-iv", iv.hex()], b"a message of ruby", self.directory)
            self.write("phrase", phrase)
            self.write("a", data)
            where = ["--salt", salt.hex()] if salted else ["--nosalt"]
            options = ["--format", "openssl", "--cipher", "bf-cbc", "--no-pbkdf2", "--md", digest, "--iter", str(count), *where,
                       "--pass", "file:phrase"]
            self.expect(0, b"a message of ruby", "", "decrypt", *options, "-q", "a", "-o", "-")
            self.expect(0, data, "", "encrypt", *options, "-q", input=b"a message of ruby")
            self.fails(3, "decrypt", *options[:-4 - len(where)], *where, "--iter", str(count + 1), "--pass", "file:phrase", "a",
                       "-o", "b", says=f"EVP_BytesToKey with {digest.upper()}, {count + 1} iterations")


def bytes_of(text):
    return bytes.fromhex(text[4:]) if text.startswith("hex:") else text.encode()


def reports():
    """The collected strings of published questions: (id, text, arguments, key, plaintext)."""
    rows = [line.split("\t") for line in REPORTS.read_text().splitlines()[1:]]
    return [(name, text, shlex.split(arguments), bytes_of(key), bytes_of(plain)) for name, _, text, arguments, key, plain in rows]


class Cases:
    """Per command of the page of recipes what the program that it names writes: data, secret and plaintext."""

    def __init__(self, case):
        self.case = case
        self.phrase = b"correct horse"
        self.iv = b"12345678"
        self.text = b"The quick brown fox, 42 times"

    def openssl(self, mode, plain, iv=None, key=KEY):
        return openssl([f"-bf-{mode}", "-K", key.hex(), *(["-iv", iv.hex()] if iv else [])], plain, self.case.directory)

    def ecb(self, plain, key=None):
        """Of whole blocks. openssl enc takes keys of 16 bytes only; others go through our ecb, which other tests compare."""
        if key is None:
            return self.case.block(plain)
        self.case.write("other key", key)
        return self.case.run_fugu("encrypt", "-q", "--format", "raw", "--mode", "ecb", "--pad", "none", "--key", "file:other key", input=plain)[1]

    def padded(self, fill):
        missing = -len(self.text) % 8
        return self.text + fill(missing)

    def cbc(self, plain, key, chain):
        data = b""
        for at in range(0, len(plain), 8):
            block = plain[at:at + 8]
            chain = self.ecb(xor(chain, block + bytes([8 - len(block)]) * (8 - len(block))), key)
            data += chain
        return data

    def openpgp(self):
        """By RFC 9580, 13.9."""
        random = b"8 random"
        front = self.openssl("cfb", random + random[-2:], bytes(8))
        return front + self.openssl("cfb", self.text, front[2:])

    def jboss(self):
        """Of the documentation of JBoss."""
        return "5dfc52b51bd35553df8592078de921bc", b"", b"password"

    def hmailserver(self, password):
        return f"[Directories]\r\nProgramFolder=C:\\\\hMailServer\r\n[Database]\r\nUsername=\r\nPassword={password}\r\nPasswordEncryption=1\r\n".encode()

    def mail(self):
        """By gpg --armor --symmetric --cipher-algo BLOWFISH."""
        armor = ("-----BEGIN PGP MESSAGE-----\n\njA0EBAMCHS+hVyx67vT/0kEBlkge+vBSrfzO3wnYHB2YIwI3uAjP12pJTieEd8r+\n"
                 "TA4m9KYTeXBGfpMuml+MoKQx6Va7sP0hN4ikPNrjHr7kBg==\n=9HGU\n-----END PGP MESSAGE-----\n")
        return f"Hello,\n\n{armor}\nBye\n".encode()

    def signed(self):
        plain = next(text for text in (b"text %d" % n for n in range(99)) if self.openssl("ecb", text)[0] >= 0x80)
        number = int.from_bytes(self.openssl("ecb", plain), "big", signed=True)
        return f"{number:x}", KEY, plain

    def all(self):
        text, iv, ecb = self.text, self.iv, self.openssl("ecb", self.text)
        b64 = base64.b64encode
        zeros = self.padded(bytes)
        derived = {name: bytes_to_key("md5", self.phrase, salt, count) for name, salt, count in (("node", b"", 1), ("ruby", b"", 2048),
                                                                                              ("salted", b"8bytesNa", 2048))}
        cbc_of = {name: self.openssl("cbc", text, with_iv, key) for name, (key, with_iv) in derived.items()}
        sha1 = hashlib.sha1(KEY).digest()
        digits = hashlib.md5(KEY).hexdigest().encode()
        pkcs7 = self.padded(lambda n: bytes([n]) * n)
        openssl_of = "--format openssl --cipher bf-cbc --md md5 --no-pbkdf2"
        value = b64(ecb).decode()
        settings = "[Database]\nPassword={}\n; a comment\n", "<a><password>{}</password><b/></a>\n", "id,value\n1,My Shop\n2,{}\n", "{{'key': '0:0:{}'}}"
        ini, xml, table, prefixed = ((lambda value, form=form: form.format(value).encode()) for form in settings)
        whole = text.decode()
        return {
            "--format raw --mode ecb --match '^Password *[=:] *(.*)'": (ini(ecb.hex()), KEY, ini(whole)),
            "-a --format raw --mode ecb --match '<password>([^<]*)<'": (xml(value), KEY, xml(whole)),
            "--format raw --mode ecb --pad zero --csv --column value": (table(b64(self.ecb(zeros)).decode()), KEY, table(f'"{whole}"')),
            "--format raw --mode ecb --pad zero --match '0:0:([[:alnum:]+/=]*)'": (prefixed(b64(self.ecb(zeros)).decode()), KEY, prefixed(whole)),
            "--format raw --mode cbc --iv prefix --lines":
                (b64(iv + self.openssl("cbc", text, iv)) + b"\n" + b64(KEY[:8] + self.openssl("cbc", b"two", KEY[:8])), KEY, text + b"\ntwo"),
            "--format hmailserver": (self.hmailserver("04a727f7f4a3bc78da81249ab24a32b7"), b"", self.hmailserver("db-password-42")),
            "--format openpgp": (self.mail(), b"gpgpass\n", b"to a public key\n"),
            "-a --format raw --mode cbc --iv text:12345678 --pad zero":
                (b64(openssl(["-bf-cbc", "-nopad", "-K", KEY.hex(), "-iv", iv.hex()], zeros, self.case.directory)), KEY, text),
            "-a --format raw --mode ecb --pad zero": (b64(self.ecb(zeros)), KEY, text),
            "-a --format raw --mode cfb8 --iv text:12345678": (b64(feedback(self.ecb, text, iv)), KEY, text),
            "-a --format raw --mode ofb8 --iv text:12345678": (b64(feedback(self.ecb, text, iv, True)), KEY, text),
            "-a --format raw --mode cbc --iv text:12345678 --key-fill 16": (b64(self.openssl("cbc", text, iv, b"short")), b"short", text),
            "-a --format raw --mode cbc --iv prefix --key-hash md5":
                (b64(iv + self.openssl("cbc", text, iv, hashlib.md5(self.phrase).digest())), self.phrase, text),
            "-a --format raw --mode cbc --iv key": (b64(self.openssl("cbc", text, KEY[:8])), KEY, text),
            "-a --format raw --mode cbc --iv key:md5,digits --key-steps md5,digits": (b64(self.cbc(text, digits, digits[:8])), KEY, text),
            "--format raw --mode cbc --iv text:12345678 --key-steps cut16": (self.openssl("cbc", text, iv), KEY + b", and more", text),
            "--format raw --mode cbc --iv text:12345678 --key-steps base64,fill16": (self.openssl("cbc", text, iv, KEY[:10]), b64(KEY[:10]), text),
            "--format raw --mode ecb --key-steps sha256,digits,cut32": (self.ecb(pkcs7, hashlib.sha256(KEY).hexdigest()[:32].encode()), KEY, text),
            "--format raw --mode ecb --key-steps utf16le": (self.ecb(pkcs7, KEY.decode().encode("utf-16-le")), KEY, text),
            "--format raw --mode ecb --key-steps lf": (self.ecb(pkcs7, KEY + b"\n"), KEY, text),
            "--format raw --mode ecb --key-steps u64le": (self.ecb(pkcs7, struct.pack("<Q", 20260704)), b"20260704", text),
            "--format raw --mode ecb --sized u32le": (self.ecb(struct.pack("<I", len(text)) + text + b"any\x80..xyz!?0\x1b\xfe\xaa"), KEY, text),
            "--format raw --mode ecb --pad clear-rest": (self.ecb(text[:24]) + text[24:], KEY, text),
            "--format raw --mode cbc --iv text:12345678 --pad cs3": (bytes.fromhex(  # by Java 17
                "0dc66ca2e92a8de86b935aaa24a21786ba350643610a9758a0d34ba283"), KEY, text),
            "--format raw --mode cfb --iv openpgp": (self.openpgp(), KEY, text),
            "--format raw --mode cbc --iv encrypted-ff --pad residual --key-steps sha1,fillff32":
                (residual(lambda block: self.ecb(block, sha1 + b"\xff" * 12), text, b"\xff" * 8), KEY, text),
            "--format raw --mode ecb": (ecb, KEY, text),
            "--format raw --mode cfb --pad pkcs5 --iv prefix": (iv + self.openssl("cfb", pkcs7, iv), KEY, text),
            "-a --format raw --mode pcbc --iv text:12345678": (b64(pcbc(self.ecb, pkcs7, iv)), KEY, text),
            "-a --format raw --mode ecb --pad iso10126": (b64(self.ecb(self.padded(lambda n: b"\x81\x9a\xb3"[:n - 1] + bytes([n])))), KEY, text),
            "-a --format raw --mode cbc --iv prefix --pad x923":
                (b64(iv + openssl(["-bf-cbc", "-nopad", "-K", KEY.hex(), "-iv", iv.hex()], self.padded(lambda n: bytes(n - 1) + bytes([n])),
                                  self.case.directory)), KEY, text),
            "-a --format raw --mode ecb": (b64(ecb), b64(KEY), text),
            "--signed-hex --format raw --mode ecb": self.signed(),
            "--format jboss": self.jboss(),
            "--hex --format raw --mode cbc --iv text:12345678": (self.openssl("cbc", text, iv).hex(), KEY, text),
            f"--hex {openssl_of} --nosalt": (cbc_of["node"].hex(), self.phrase, text),
            f"-a {openssl_of} --iter 2048 --nosalt": (b64(cbc_of["ruby"]), self.phrase, text),
            f"-a {openssl_of} --iter 2048 --salt 3862797465734e61": (b64(cbc_of["salted"]), self.phrase, text),
            "": (support.salted(text, self.case.directory), support.PASSPHRASE.encode(), text),
            "--hex --format raw --mode ecb --pad oneandzeroes": (self.ecb(self.padded(lambda n: b"\x80" + bytes(n - 1))).hex(), KEY, text),
            "--hex --format raw --mode ecb --pad rijndael_compat": (self.ecb(b"sixteen letters!").hex(), KEY, b"sixteen letters!"),
            "--format raw --mode cbc --iv prefix": (iv + self.openssl("cbc", text, iv), KEY, text),
            "--format raw --mode cbc --iv encrypted-zero --pad residual --key-hash sha1": (residual(lambda block: self.ecb(block, sha1), text), KEY, text),
            "-a --format raw --mode cfb8 --iv encrypted-zero --key-hash sha1":
                (b64(feedback(lambda block: self.ecb(block, sha1), text[:9], self.ecb(bytes(8), sha1))), KEY, text[:9]),
            "--format raw --mode ecb --words le --pad zero": (swapped(self.ecb(swapped(zeros))), KEY, text),
            "--hex --format raw --mode cbc --iv zero": ("\\x" + self.openssl("cbc", text, bytes(8)).hex(), KEY, text),
            "--hex --format raw --mode ecb": ("0x" + ecb.hex(), KEY, text),
            "--format raw --mode cbc --iv 3132333435363738": (self.openssl("cbc", text, iv), KEY.hex(), text),
            "--format fish":
                (b"<me> +OK *" + b64(iv + openssl(["-bf-cbc", "-nopad", "-K", KEY.hex(), "-iv", iv.hex()], zeros, self.case.directory)) + b"\n",
                 KEY, b"<me> " + text + b"\n"),
            "--format raw --mode ecb --words le --pad none --skip 12 --length 24":
                (bytes(12) + swapped(self.ecb(swapped(text[:24]))) + b"trailer", KEY, text[:24]),
        }


class Page(Recipe):
    def test_every_command_opens_what_it_is_for(self):
        page = PAGE.read_text().replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'").replace("\\(ha", "^")
        commands = re.findall("^fugu decrypt (.*) FILE$", page, re.MULTILINE)
        cases = Cases(self).all()
        self.assertEqual(sorted(re.sub(r" ?--(key|pass) \S+$", "", command) for command in commands), sorted(cases))
        self.assertEqual(re.findall("^ {6}fugu decrypt (.*) FILE$", self.output("help", "recipes").decode(), re.MULTILINE), commands)
        for command in commands:
            data, secret, plain = cases[re.sub(r" ?--(key|pass) \S+$", "", command)]
            self.write("FILE", data)
            self.write("key", secret)
            self.write("pass", secret)
            self.expect(0, plain, "", "decrypt", "-q", *shlex.split(command), "FILE", "-o", "-")
            if re.search("--mode (ofb8|pcbc)|residual", command):  # the text of -a ends in a line feed
                made = self.output("encrypt", "-q", *shlex.split(command), input=plain)
                self.assertEqual(made.strip(b"\n") if command.startswith("-a") else made, data)

    def test_messages_in_mails(self):
        """As gpg finds them; the text around is named, and the mail stays."""
        mail, armor = Cases(self).mail(), Cases(self).mail()[8:-5]
        self.write("pass", "gpgpass\n")
        quoted = b"".join(b"> " + line + b"\n" for line in armor.splitlines())
        for text in (mail, quoted, b"She wrote:\n" + quoted + b"\n-- \nBob\n", mail.replace(b"\n", b"\r\n"), b">" + quoted.replace(b"\n>", b"\n>>"), armor + b"Bye\n"):
            self.write("mail", text)
            self.fails(2, "decrypt", *PASS, "--rm", "-f", "mail", "-o", "out",
                       says="fugu: mail: the text around the message was left out\n")
            self.assertEqual((self.read("out"), "mail" in self.names()), (b"to a public key\n", True))
        self.write("mail", armor)
        self.expect(0, b"to a public key\n", "", "decrypt", *PASS, "mail", "-o", "-")
        self.write("mail", mail.replace(b"=9HGU", b"=9HGV"))
        self.fails(4, "decrypt", *PASS, "mail", "-o", "-", says="its checksum does not fit")

    def test_it_renders(self):
        self.renders(PAGE.read_bytes())


class Guesses(Recipe):
    def guess(self, *options):
        code, out, err = self.run_fugu("guess", "--json", *options, "a")
        found = json.loads(out)
        self.assertEqual(code, 0 if found["recipes"] else 3, err)
        return found

    def opens_among_first_three(self, plain, *options):
        for row in self.guess(*options)["recipes"][:3]:
            code, out, _ = self.run_fugu(*shlex.split(row["command"])[1:], "-q", "-o", "-")
            if (code, out) == (0, plain):
                return True
        return False

    def measure(self, cases):
        """(name, text, options, secret, plaintext): nine of ten are found."""
        missed = []
        for name, text, options, secret, plain in cases:
            self.write("a", text)
            self.write("F", secret)
            if not self.opens_among_first_three(plain, *options):
                missed.append(name)
        self.assertLessEqual(10 * len(missed), len(cases), missed)

    def known(self, arguments):
        """What nobody can guess: an IV or salt in the arguments, and where the data begin."""
        options = ["--pass" if "PASS" in arguments or "--pass" in arguments or "openssl" in arguments else "--key", "file:F"]
        for name in ("--iv", "--salt", "--skip", "--length"):
            if name in arguments and not re.match(
                    "zero|prefix|encrypted|key|openpgp", arguments[arguments.index(name) + 1]):
                options += [name, arguments[arguments.index(name) + 1]]
        return options

    @support.many_cases
    def test_the_recipes_of_the_page(self):
        cases = [(options, data, self.known(options.split()), secret, plain) for options, (data, secret, plain) in Cases(self).all().items()
                 if "raw" in options or "openssl" in options]
        self.assertGreater(len(cases), 25)
        self.measure(cases)

    @support.many_cases
    def test_the_collected_strings(self):
        if not REPORTS.is_file():
            self.skipTest("the collected strings have no licence and are not beside this checkout")
        self.measure([(name, text, self.known(arguments), key, plain) for name, text, arguments, key, plain in reports()])

    def test_what_it_prints(self):
        self.write("a", self.block(b"padded!\1").hex())
        code, out, err = self.run_fugu("guess", "--key", "file:key", "a")
        self.assertEqual((code, err, self.names()), (0, "", ["a", "key", "pass"]))
        lines = out.decode().splitlines()
        self.assertRegex(lines[0], r"^a: [0-9]{3,} recipes tried$")
        self.assertEqual(lines[1], " 1. fugu decrypt --hex --format raw --mode ecb --key file:key a")
        self.assertRegex(lines[2], r"^    7 bytes of plaintext, 1 of padding; as good by chance: once in 2\^[0-9]+$")
        self.assertRegex(lines[-1], r"^not tried: IVs other than .* \(--iv\); an unencrypted header of other than .* \(--skip\); an unencrypted trailer, .*; keys derived")

    @support.many_cases
    def test_a_wrong_key_fits_nothing(self):
        self.write("a", self.block(b"a text of forty bytes, and of no padding"))
        better = {bits: 0 for bits in (1, 3, 5)}
        for number in range(60):
            self.write("key", hashlib.sha256(bytes([number])).digest())
            code, out, err = self.run_fugu("guess", "--json", "--key", "file:key", "a")
            rows = json.loads(out)["recipes"]
            self.assertEqual([row["bits"] for row in rows if row["bits"] <= 0], [])
            best = rows[0]["bits"] if rows else 0
            self.assertEqual(code, 0 if best else 3)
            for bits in better:
                better[bits] += best >= bits
        for bits, count in better.items():  # once in 2^bits, and three standard deviations
            self.assertLessEqual(count, 60 / 2**bits + 3 * (60 / 2**bits)**0.5, better)
        self.assertRegex(self.run_fugu("guess", "--key", "file:key", "a")[2],
                         r"^fugu: a: none of the [0-9]+ recipes tried fits: the key is wrong, or something that was not tried fits: IVs other ")

    def test_the_end_of_a_longer_file_is_not_seen(self):
        plain = b"line of a longer text\n" * 10000
        self.write("a", openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], plain, self.directory))
        found = self.guess("--key", "file:key", "--iv", "text:an iv is")
        self.assertEqual(found["recipes"][0]["options"], "--format raw --mode cbc --iv " + IV.hex())
        self.assertIsNone(found["recipes"][0]["plaintext_bytes"])
        self.assertIn("paddings, since only the first 64 KiB were read", found["not_tried"])

    def test_a_header_in_front_of_a_longer_file(self):
        plain = b"line of a longer text\n" * 10000
        self.write("a", openssl(["-bf-cbc", "-md", "md5", "-pass", "file:pass"], plain, self.directory))
        self.first_opens(plain, *PASS)
        self.write("a", bytes(24) + openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], plain, self.directory))
        self.first_opens(plain, "--key", "file:key", "--iv", "text:an iv is", "--skip", "24")

    def test_a_name_like_an_option(self):
        self.write("-a b", self.block(b"padded!\1").hex())
        rows = json.loads(self.run_fugu("guess", "--json", "--key", "file:key", "--", "-a b")[1])["recipes"]
        self.assertTrue(rows[0]["command"].endswith(" ./'-a b'"), rows[0])

    def test_another_iv_leaves_a_remark(self):
        self.write("a", openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], b"its first block cannot be read", self.directory))
        for known, first in ([], True), (["--iv", "zero"], True), (["--iv", "key"], True), (["--iv", IV.hex()], False):
            remark = self.guess("--key", "file:key", *known)["recipes"][0]["remark"]
            self.assertEqual(remark, "the first 8 bytes are noise: another IV is needed (--iv)" if first else "", known)

    def test_an_unknown_iv_keeps_its_padding(self):
        """Under an unknown IV what follows the first block fits as under one in front: the padding's place in the ranking is the same."""
        self.write("a", openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], b"its first block cannot be read", self.directory))
        rows = [row["options"] for row in self.guess("--key", "file:key")["recipes"]]
        self.assertEqual(rows[:2], ["--format raw --mode cbc --iv zero", "--format raw --mode cbc --iv prefix"])
        self.assertEqual(len(set(rows)), len(rows))

    def first_opens(self, plain, *options):
        """The command in first place, through a shell, gives `plain`."""
        command = self.guess(*options)["recipes"][0]["command"]
        fugu = os.path.abspath(support.FUGU)
        done = subprocess.run(["sh", "-c", f'fugu() {{ "{fugu}" "$@"; }}; {command} -q -o -'], cwd=self.directory, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, plain), (command, done.stderr))
        return command

    @support.many_cases
    def test_the_first_command_opens_lines(self):
        short, two = [b"%d" % n for n in range(1000, 1040)], [b"one of two", b"and the other"]
        long = [b"a line of many words, number %d, and its end" % n for n in range(9, 20)]
        raw = ["--format", "raw", "--key", "file:key", "--mode"]
        openssl_of = ["--format", "openssl", "--no-pbkdf2", "--md", "md5", *PASS]
        for spelling, lines, options in (("--hex", short, [*raw, "ecb"]), ("-a", two, [*raw, "cbc", "--iv", "prefix"]), ("--hex", long, [*raw, "ecb"]),
                                         ("-a", long, [*raw, "cbc", "--iv", "zero", "--pad", "oneandzeroes"]), ("--hex", two, openssl_of),
                                         ("--hex", long, [*raw, "cfb", "--iv", "prefix"]), ("-a", long, [*openssl_of, "--cipher", "bf-cfb"]),
                                         ("-a", short, ["--format", "cryptcbc", "--pbkdf", "opensslv2", *PASS])):
            plain = b"".join(line + b"\n" for line in lines)
            self.expect(0, b"", "", "encrypt", "-q", "--lines", spelling, *options, "-f", "-o", "a", input=plain)
            secret = ["--key", "file:key"] if "raw" in options else PASS
            self.assertIn(f"--lines {spelling}", self.first_opens(plain, *secret))
            if "cfb" in options:  # lines of different lengths, which decrypt takes for no message together
                self.assertEqual([row["options"] for row in self.guess(*secret)["recipes"] if "--lines" not in row["options"]], [])

    def test_each_line_counts_under_a_seldom_used_key(self):
        self.write("made", hashlib.sha1(KEY).hexdigest())
        bits = []
        for count in (8, 40):
            lines = b"".join(b"row number %d\n" % n for n in range(10, 10 + count))
            self.expect(0, b"", "", "encrypt", "-q", "--lines", "--hex", "--format", "raw", "--mode", "ecb", "--key", "file:made", "-f", "-o", "a", input=lines)
            self.assertIn("--key-steps sha1,digits", self.first_opens(lines, "--key", "file:key"))
            bits.append(self.guess("--key", "file:key")["recipes"][0]["bits"])
        self.assertGreater(bits[1], 3 * bits[0])

    def test_a_damaged_line_hides_nothing(self):
        rows = [self.block(b"row %d\2\2" % n).hex().encode() for n in range(10, 20)]
        self.write("a", b"\n".join([*rows[:3], b"damaged", *rows[3:]]))
        self.assertEqual(self.guess("--key", "file:key")["recipes"][0]["options"], "--lines --hex --format raw --mode ecb")

    def test_wrapped_text_is_one_message(self):
        plain = b"one message in lines of 64 characters and more, " * 9
        for spelling in ("--hex", "-a"):
            self.expect(0, b"", "", "encrypt", "-q", spelling, "--format", "raw", "--mode", "ecb", "--key", "file:key", "-f", "-o", "a", input=plain)
            self.assertGreater(self.read("a").count(b"\n"), 2)
            self.assertNotIn("--lines", self.first_opens(plain, "--key", "file:key"))

    def test_modes_that_share_the_first_block(self):
        """The first block of cfb, ofb and ctr is the same: a picture's second one tells them apart."""
        picture = (b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBBI", 13, b"IHDR", 640, 480, 8, 2, 0, 0, 0, 0x5D39F2C4) +
                   struct.pack(">I4s", 90_000, b"IDAT") + os.urandom(90_000))
        for mode in ("cfb", "ofb"):
            self.write("a", openssl([f"-bf-{mode}", "-K", KEY.hex(), "-iv", "00" * 8], picture, self.directory))
            found = self.guess("--key", "file:key")["recipes"]
            self.assertEqual(found[0]["options"], f"--format raw --mode {mode} --iv zero")
            self.assertGreater(found[0]["bits"], (found[1:] or [{"bits": 0}])[0]["bits"] + 16)

    def test_an_empty_file(self):
        self.write("a", b"")
        self.expect(4, b"", "fugu: a: is empty\n", "guess", "--key", "file:key", "a")
        self.write("a", b" ")  # a byte as any other
        self.assertEqual(self.run_fugu("guess", "--key", "file:key", "a")[0], 3)

    def test_a_keystream_of_zeros_proves_nothing(self):
        """Under this key, by sha1 and in little-endian words, the encryption of zeros begins with a zero, and so ofb8 goes on."""
        self.write("key", "jaas is the way")
        self.write("a", "-5ff1f4cb49d7fcdd60669fca3a83b13")
        self.assertEqual([row["options"] for row in self.guess("--key", "file:key")["recipes"] if "ofb8" in row["options"]], [])

    def test_a_line_feed_after_the_key(self):
        plain = b"a text and padding:"
        self.write("a", self.block(plain + b"\5" * 5))
        self.write("key", KEY + b"\n")
        self.assertIn("--key-steps chomp", self.first_opens(plain, "--key", "file:key"))

    def encrypted(self, plain, key, mode, *how):
        """An IV in front is the same in each run: a random one looks like text now and then."""
        front = IV if how[-2:] == ("--iv", "prefix") else b""
        how = [*how[:-1], IV.hex()] if front else how
        return front + self.run_fugu("encrypt", "-q", "--format", "raw", "--mode", mode, *how, "--key", f"file:{key}", input=plain)[1]

    @support.many_cases
    def test_spoiled_keys(self):
        plain = b"a text that is long enough to be known as one"
        for steps, secret, key in Keys.STEPS:
            if "fill3" in steps or steps in ("digits", "upper", "fillff5", "cut2", "sha256,digits,cut32,cut9"):
                continue
            with self.subTest(steps=steps):
                self.write("made", key)
                self.write("secret", secret or b"x")
                for how in (["ecb"], ["cfb8", "--iv", "key"]) if len(key) >= 8 else (["ctr", "--iv", "zero"], ["cbc", "--iv", "prefix"]):
                    self.write("a", self.encrypted(plain, "made", *how))
                    if secret:
                        self.first_opens(plain, "--key", "file:secret")

    @support.many_cases
    def test_ends_without_padding(self):
        plain = b"a text that is long enough to be known as one"
        for pad in ("cs1", "cs3", "clear-rest", "residual"):
            for size, iv in ((45, "prefix"), (41, "key"), (645, "key"), (2005, "prefix"), (30001, "prefix")):
                text = (plain * 2000)[:size]
                self.write("a", self.encrypted(text, "key", "cbc", "--pad", pad, "--iv", iv))
                self.first_opens(text, "--key", "file:key")

    @support.many_cases
    def test_a_length_in_front(self):
        text = b"a text that is long enough to be known as one"
        for form in ("<H", ">H", "<I", ">I"):
            for rest in (b"", bytes(40), hashlib.sha512(b"noise").digest()):
                plain = struct.pack(form, len(text)) + text + rest
                plain += bytes(-len(plain) % 8)
                for how in (["ecb", "--pad", "none"], ["cbc", "--pad", "none", "--iv", "prefix"]):
                    with self.subTest(form=form, rest=len(rest), how=how):
                        self.write("a", self.encrypted(plain, "key", *how))
                        self.first_opens(text, "--key", "file:key")
        for plain in (b"MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff\0\0" + bytes(48), b"\0\0\1\0\1\0\x20\x20\0\0\1\0\x20\0\xa8\x10" + bytes(range(200)), text):
            self.write("a", self.encrypted(plain, "key", "ecb"))
            self.assertNotIn("--sized", self.guess("--key", "file:key")["recipes"][0]["options"])

    def test_a_passphrase_with_an_iv(self):
        """Perl's Crypt::CBC wrote it with -header none and -iv '12345678', and unpack('H*')."""
        self.write("a", "a4614fb7ea79caf347fe4c279e4a12a5126d209bf2f8cd89bfb236856d40b4367d350115e725d3d2\n")
        self.write("pass", "a quiet evening\n")
        command = self.first_opens(b"Nine parcels were sent on Friday.", *PASS, "--iv", "text:12345678")
        self.assertIn(" --pbkdf randomiv --key-bytes 56 ", command)
        self.assertIn(" --iv 3132333435363738", command)

    def test_text_is_not_taken_for_bytes(self):
        """decrypt refuses the bytes of digits."""
        self.write("a", self.block(b"padded!\1").hex())
        self.write("key", hashlib.sha256(b"another").digest())
        for _ in range(20):
            self.write("key", hashlib.sha256(self.read("key")).digest())
            out = self.run_fugu("guess", "--json", "--key", "file:key", "a")[1]
            self.assertEqual([row["options"] for row in json.loads(out)["recipes"] if not re.match("--hex|-a|--signed-hex|--lines", row["options"])], [])

    def test_usage(self):
        self.write("a", "data")
        for options, text in (([], "give the key (--key) or passphrase (--pass) to guess with"),
                              (["--key", "file:key", *PASS], "--pass and --key cannot be combined: give one of them"),
                              ([*PASS, "--salt", "00"], "--salt takes 16 hexadecimal digits"),
                              (["--key", "file:key", "--salt", "00"], "--key and --salt cannot be combined: give one of them"),
                              ([*PASS, "--iv", "prefix"], "--iv takes 16 hexadecimal digits, text:, base64: or zero"),
                              ([*PASS, "--iv", "zero", "--salt", "0011223344556677"],
                               "--iv and --salt cannot be combined: give one of them"),
                              ([*PASS, "--skip", "1"], "--pass and --skip cannot be combined: give one of them"),
                              ([*PASS, "--length", "8"], "--pass and --length cannot be combined: give one of them"),
                              (["--key", "file:key", "--iv", "12345678"],
                               "--iv takes 16 hexadecimal digits, text:, base64:, zero, prefix, key, openpgp, encrypted-zero or encrypted-ff; for 8 characters as they are give text:12345678")):
            self.expect(1, b"", f"fugu: {text}\n", "guess", *options, "a")
        self.expect(2, b"", "fugu: none: cannot open: No such file or directory\n", "guess", "--key", "file:key", "none")

    def test_the_printed_commands_run(self):
        """In any shell, whatever the names hold, and without what controls a terminal; an end of line at the end in bash."""
        if support.ALONE:
            self.skipTest(support.ALONE)
        os.symlink(support.FUGU, self.path("fugu"))
        environment = {**os.environ, "PATH": self.directory + os.pathsep + os.environ["PATH"]}
        for name in ("it's", "a b$(id)`id`\"\\", "a\nb.bin", "-x", "\x1b[2J%s\\n\t'", "\u00fcber", os.fsdecode(b"\xff\xc3"), "line\n", "\u202egnp"):
            self.write(name, self.block(b"padded!\1"))
            shutil.copy(self.path("key"), self.path("k" + name))
            out = self.output("guess", "--key", "file:k" + name, "--", name).decode()
            command = next(line[4:] for line in out.splitlines() if line.startswith(" 1. "))
            self.assertTrue(all(c.isprintable() for c in command), command)
            for shell in ["bash"] if name.endswith("\n") else ["sh", "bash"]:
                done = subprocess.run([shell, "-c", command + " -q -o -"], cwd=self.directory, env=environment, capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"padded!", b""), (shell, command))
            os.unlink(self.path(name))


class Reports(Recipe):
    def setUp(self):
        super().setUp()
        if not REPORTS.is_file():
            self.skipTest("the collected strings have no licence and are not beside this checkout")

    def test_every_string_opens(self):
        for name, text, arguments, key, plain in reports():
            with self.subTest(name=name):
                self.write("F", key)
                secret = [] if "--key" in arguments else ["--pass" if arguments[0] == "PASS" else "--key", "file:F"]
                self.write("a", text)
                self.expect(0, plain, "", "decrypt", "-q", *[word for word in arguments if word != "PASS"], *secret, "a", "-o", "-")
