"""Recipes of raw: what other programs' data without a header need. Ciphertexts are made from single blocks of the real openssl by
the definitions of modes and paddings, or are those of other programs, and published."""

import hashlib
import os
import pathlib
import shlex

import support
from support import Case, openssl

KEY = b"a key of 16 byte"
IV = b"an iv is"
REPORTS = pathlib.Path(__file__).resolve().parents[3] / "shared/foreign2/reports.tsv"


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


class Recipe(Case):
    def setUp(self):
        super().setUp()
        self.write("key", KEY)

    def block(self, data, key=KEY):
        """ECB of whole blocks."""
        return openssl(["-bf-ecb", "-nopad", "-K", key.hex()], data, self.directory)

    def opens(self, data, plain, *options, key="file:key", env=None):
        """Decrypts to `plain`; returns the notes."""
        self.write("a", data)
        code, out, err = self.run_fugu("decrypt", "--format", "raw", *options, "--key", key, "a", "-o", "-", env=env)
        self.assertEqual((code, out), (0, plain), err)
        return err

    def both(self, data, plain, *options, key="file:key"):
        self.opens(data, plain, *options, key=key)
        self.expect(0, data, "", "encrypt", "-q", "--format", "raw", *options, "--key", key, input=plain)


class Modes(Recipe):
    def test_ofb8(self):
        plain, register, data = b"a stream of bytes", IV, b""
        for byte in plain:
            keystream = self.block(register)[:1]
            register = register[1:] + keystream
            data += xor(bytes([byte]), keystream)
        self.both(data, plain, "--mode", "ofb8", "--iv", IV.hex())

    def test_pcbc(self):
        plain, chain, data = b"two blocks and a rest" + b"\3" * 3, IV, b""
        for at in range(0, len(plain), 8):
            block = self.block(xor(chain, plain[at:at + 8]))
            chain = xor(block, plain[at:at + 8])
            data += block
        self.both(data, plain[:-3], "--mode", "pcbc", "--iv", IV.hex())

    def test_residual_cbc(self):
        self.write("phrase", "any length")
        key = hashlib.md5(b"any length").digest()  # of 16 bytes, as openssl takes them
        chain = self.block(bytes(8), key)
        data = self.block(xor(chain, b"8 bytes."), key)
        data += xor(self.block(data, key), b"rest")
        self.both(data, b"8 bytes.rest", "--mode", "cbc", "--iv", "encrypted-zero", "--pad", "residual", "--key-hash", "md5",
                  key="file:phrase")

    def test_padding_in_stream_modes(self):
        for mode in ("cfb", "ofb"):
            data = openssl([f"-bf-{mode}", "-K", KEY.hex(), "-iv", IV.hex()], b"eleven char\5\5\5\5\5", self.directory)
            self.both(data, b"eleven char", "--mode", mode, "--iv", IV.hex(), "--pad", "pkcs5")
            self.both(data, b"eleven char\5\5\5\5\5", "--mode", mode, "--iv", IV.hex())


class Paddings(Recipe):
    def test_all(self):
        text = b"five+8 bytes."
        rows = (("x923", b"\0\0\3"), ("iso10126", b"\0\0\3"), ("oneandzeroes", b"\x80\0\0"), ("rijndael_compat", b"\x80\0\0"),
                ("zero", bytes(3)), ("null", bytes(3)), ("pkcs5", b"\3\3\3"), ("pkcs7", b"\3\3\3"), ("space", b"   "))
        for name, padding in rows:
            with self.subTest(name=name):
                self.both(self.block(text + padding), text, "--mode", "ecb", "--pad", name)
        self.opens(self.block(text + b"\xa5\x5a\3"), text, "--mode", "ecb", "--pad", "iso10126")

    def test_of_whole_blocks(self):
        text = b"8 bytes."
        for name, padding in (("x923", bytes(7) + b"\x08"), ("iso10126", bytes(7) + b"\x08"), ("oneandzeroes", b"\x80" + bytes(7)),
                              ("rijndael_compat", b""), ("zero", b""), ("none", b"")):
            with self.subTest(name=name):
                self.both(self.block(text + padding), text, "--mode", "ecb", "--pad", name)

    def test_wrong_ones(self):
        for name, plain in (("x923", b"ab\0\1\0\0\0\5"), ("iso10126", b"abcdefg\x09"), ("oneandzeroes", b"abcde\x81\0\0")):
            self.write("a", self.block(plain))
            code, out, err = self.run_fugu("decrypt", "--format", "raw", "--mode", "ecb", "--pad", name, "--key", "file:key", "a", "-o", "b")
            self.assertEqual((code, os.path.exists(self.path("b"))), (3, False), err)


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

    def test_spelled(self):
        data = self.block(b"8 bytes.")
        for name, text in (("hex", KEY.hex()), ("base64", "YSBrZXkgb2YgMTYgYnl0ZQ")):
            self.write("spelled", text + "\n")
            self.opens(data, b"8 bytes.", "--mode", "ecb", "--pad", "none", key=f"{name}-file:spelled")
            self.opens(data, b"8 bytes.", "--mode", "ecb", "--pad", "none", key=f"{name}-env:K", env={**os.environ, "K": text})


class Places(Recipe):
    def test_ivs(self):
        plain = b"the iv is text"
        data = openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], plain, self.directory)
        for given in ("text:an iv is", "base64:YW4gaXYgaXM=", IV.hex()):
            self.both(data, plain, "--mode", "cbc", "--iv", given)
        self.opens(IV + data, plain, "--mode", "cbc", "--iv", "prefix")

    def test_a_part(self):
        data = openssl(["-bf-cbc", "-K", KEY.hex(), "-iv", IV.hex()], b"in the middle", self.directory)
        whole = b"header" + IV + data + b"trailer"
        part = ("--mode", "cbc", "--iv", "prefix", "--skip", "6", "--length", str(8 + len(data)))
        self.opens(whole, b"in the middle", *part)
        self.opens(whole.hex(), b"in the middle", "--hex", *part)
        self.write("a", whole)
        code, out, err = self.run_fugu("decrypt", "-q", "--format", "raw", *part, "--key", "file:key", input=whole)  # a pipe
        self.assertEqual((code, out), (0, b"in the middle"), err)
        self.expect(4, b"", "fugu: a: the data ends inside what --skip leaves out; b was not created\n", "decrypt", "--format", "raw",
                    "--mode", "ecb", "--skip", "100", "--key", "file:key", "a", "-o", "b")

    def test_parts_are_for_decryption(self):
        code, _, err = self.run_fugu("encrypt", "--format", "raw", "--mode", "ecb", "--skip", "1", "--key", "file:key", input=b"")
        self.assertEqual((code, err), (1, "fugu: unrecognised option '--skip'; see fugu encrypt --help\n"))


class Hints(Recipe):
    def test_a_short_key(self):
        self.write("key", "12345678")
        self.write("a", openssl(["-bf-ecb", "-K", b"12345678".hex()], b"text", self.directory))
        _, _, err = self.run_fugu("decrypt", "--format", "raw", "--mode", "ecb", "--key", "file:key", "a", "-o", "b")
        self.assertIn("--key-fill 16", err)
        self.opens(self.read("a"), b"text", "--mode", "ecb", "--key-fill", "16")

    def test_a_key_of_digits(self):
        plain = b"a text of more than one block"
        for spelling, text in (("hexadecimal digits", KEY.hex()), ("base64", "YSBrZXkgb2YgMTYgYnl0ZQ==")):
            hint = f"the key is all {spelling}: if they stand for bytes, give --key "
            self.write("digits", text)
            self.write("a", openssl(["-bf-ecb", "-K", KEY.hex()], plain, self.directory))
            _, _, err = self.run_fugu("decrypt", "--format", "raw", "--mode", "ecb", "--key", "file:digits", "a", "-o", "b")
            self.assertIn(hint, err)
            for plain_of in (plain, plain + bytes(1 << 20)):
                self.write("a", openssl(["-bf-ofb", "-K", KEY.hex(), "-iv", IV.hex()], plain_of, self.directory))
                command = ["decrypt", "--format", "raw", "--mode", "ofb", "--iv", IV.hex(), "-o", "-"]
                self.assertIn(hint, self.run_fugu(*command, "--key", "file:digits", "a")[2])
                self.assertIn(hint, self.run_fugu(*command, "--key", "file:digits", input=self.read("a"))[2])
                self.assertNotIn("the key is all", self.run_fugu(*command, "--key", "file:key", "a")[2])

    def test_cfb8_taken_for_cfb(self):
        register, data, plain = IV, b"", b"fed back byte by byte"
        for byte in plain:
            data += xor(bytes([byte]), self.block(register)[:1])
            register = register[1:] + data[-1:]
        self.write("a", data)
        command = ["decrypt", "--format", "raw", "--iv", IV.hex(), "--key", "file:key", "a", "-o", "-", "--mode"]
        self.assertIn("--mode cfb8 gives what looks like the beginning of a file", self.run_fugu(*command, "cfb")[2])
        self.assertNotIn("gives what looks", self.run_fugu(*command, "cfb8")[2])


class Derivations(Recipe):
    """By Ruby's OpenSSL::Cipher#pkcs5_keyivgen, from the samples of published questions."""

    def test_counts(self):
        phrase = b"open sesame"
        salt = b"8bytesNa"
        for digest, count, salted in (("md5", 2048, True), ("md5", 2048, False), ("sha256", 5000, True)):
            stream, last = b"", b""
            while len(stream) < 24:
                last += phrase + (salt if salted else b"")
                for _ in range(count):
                    last = hashlib.new(digest, last).digest()
                stream += last
            data = openssl(["-bf-cbc", "-K", stream[:16].hex(), "-iv", stream[16:24].hex()], b"a message of ruby", self.directory)
            self.write("phrase", phrase)
            self.write("a", data)
            where = ["--salt", salt.hex()] if salted else ["--nosalt"]
            options = ["--format", "openssl", "--cipher", "bf-cbc", "--no-pbkdf2", "--md", digest, "--iter", str(count), *where,
                       "--pass", "file:phrase"]
            self.expect(0, b"a message of ruby", "", "decrypt", *options, "-q", "a", "-o", "-")
            self.expect(0, data, "", "encrypt", *options, "-q", input=b"a message of ruby")
            code, _, err = self.run_fugu("decrypt", *options[:-4 - len(where)], *where, "--iter", str(count + 1), "--pass", "file:phrase", "a",
                                         "-o", "b")
            self.assertEqual(code, 3, err)
            self.assertIn(f"EVP_BytesToKey with {digest.upper()}, {count + 1} iterations", err)


def bytes_of(text):
    return bytes.fromhex(text[4:]) if text.startswith("hex:") else text.encode()


def reports():
    """The collected strings of published questions: (id, text, arguments, key, plaintext)."""
    rows = [line.split("\t") for line in REPORTS.read_text().splitlines()[1:]]
    return [(name, text, shlex.split(arguments), bytes_of(key), bytes_of(plain)) for name, _, text, arguments, key, plain in rows]


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


if __name__ == "__main__":
    support.main()
