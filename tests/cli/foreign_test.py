"""The program with the committed samples of other programs' files: info without a secret, verify, damage, pipes and bombs."""

import json
import os
import pathlib
import re
import unittest
from unittest.mock import ANY

import support
from support import PASS, VECTORS, Case, samples_of, secret_of

SHARED = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "shared/foreign"
CODECS = sorted(kit.stem for kit in VECTORS.glob("foreign/*.kit"))


def samples(codec):
    """(name, parameters, passphrase, file) of each sample of a kit."""
    for one in samples_of(f"foreign/{codec}.kit"):
        yield one["name"].replace("/", "_"), one["parameters"], one["passphrase"], one["file"]


def shared_samples():
    """The same for the samples beside the project; none if they are missing."""
    manifest = SHARED / "manifest.tsv"
    for line in manifest.read_text().splitlines()[1:] if manifest.exists() else []:
        name, _, parameters, word = line.split("\t")[:4]
        if (SHARED / name).is_file():
            yield name.replace("/", "_"), parameters, secret_of(word), (SHARED / name).read_bytes()


# Names of Crypt::CBC's options and of fugu's
CRYPTCBC = {"pbkdf": "--pbkdf", "keysize": "--key-bytes", "chain_mode": "--mode", "padding": "--pad", "iter": "--iter", "iv": "--iv",
            "salt": "--salt", "header": "--header"}  # fmt: skip


def cryptcbc_options(parameters, file):
    words = dict(word.split("=", 1) for word in parameters.split(";")[0].split())
    given = {CRYPTCBC[name]: value.removeprefix("hex:") for name, value in words.items() if name in CRYPTCBC}
    if words.get("literal_key") == "1":
        given["--pbkdf"] = "none"
    if "+ NULs" in parameters:
        given["--pad"] = "null"
    if "--iv" in given or "--salt" in given:
        given |= {"--header": "none", "--pbkdf": given.get("--pbkdf", "randomiv" if "--iv" in given else "opensslv1")}
    elif given:
        given = {"--key-bytes": "56", "--mode": "cbc", "--pbkdf": "randomiv" if file.startswith(b"RandomIV") else "opensslv1"} | given
    return ["--format", "cryptcbc", *(part for pair in given.items() for part in pair)]


def mcrypt_options(parameters):
    words = parameters.split()
    if "-b" not in words:
        return []
    mode = ["--mode", words[words.index("-m") + 1]]
    return ["--format", "mcrypt", "--bare", *mode, *["--noiv"] * ("--noiv" in words), *["--words", "le"] * ("blowfish-compat" in words)]


WITHOUT_HEADER = ("pwsafe", "gpass", "truecrypt")
WITHOUT_SECRET = ("hmailserver", "jboss", "navicat", "securecrt")


def options_for(codec, parameters, file):
    """Options for what the format does not store and fugu does not find out."""
    if codec == "cryptcbc":
        return cryptcbc_options(parameters, file)
    if codec == "mcrypt":
        return mcrypt_options(parameters)
    if codec == "vnd":
        rounds = re.match("K ([0-9]+)", parameters)
        return ["--format", "vnd", *(["--rounds", rounds[1], "--salt-file", "salt"] if rounds else [])]
    if codec == "plain":
        return ["--format", "plain", *(f"--{word}" for word in parameters.split() if "=" in word)]
    if codec == "dcpcrypt":
        return ["--format", "dcpcrypt", "--hash", parameters.split()[0]]
    is_bare = codec in WITHOUT_SECRET and not file.startswith((b"<", b"S:"))
    given = ["--format", codec] if codec in WITHOUT_HEADER or is_bare else []
    salt = re.search("salt=([0-9a-f]+)", parameters)
    return given + (["--wallet-salt", salt[1]] if salt else [])


def secret_option(codec, parameters):
    if codec in WITHOUT_SECRET:
        return []
    is_key = "literal_key=1" in parameters or codec == "plain" and "hash=" not in parameters
    return ["--key", "file:key"] if is_key else PASS


# The first sample of each format with a header that opens without options.
FORMATS = {"vim": "VimCrypt", "bfe": "bcrypt(1)", "bfa": "Blowfish Advanced CS", "mcrypt": "mcrypt", "nppcrypt": "nppcrypt",
           "openpgp": "OpenPGP", "securepad": "SecurePad", "fpm": "Figaro's Password Manager", "fish": "messages of FiSH"}  # fmt: skip


class EveryFormat(Case):
    def test_info_needs_no_secret(self):
        for codec, title in FORMATS.items():
            with self.subTest(format=codec):
                name, _, _, file = next(s for s in samples(codec) if " -b" not in s[1] and "bcrypt:" not in s[1])
                self.write(name, file)
                self.assertIn(title.encode(), self.output("info", name))
                self.assertEqual(self.rows_of(0, "info", "--json", name)[0]["format"], codec)


class EverySample(Case):
    """The status is always one that is documented, and an output file under its final name means success. foreign_damage_test.cpp
    tries every cut and every bit of a header in process."""

    STATUSES = (0, 1, 3, 4, 5)

    def check(self, status, err, *about):
        self.assertIn(status, self.STATUSES, (*about, err))
        self.assertTrue(status == 0 or re.match("fugu: .+", err), (*about, err))

    def damage(self, name, secret, file):
        self.write("pass", secret + b"\n")
        self.write("wrong", "another passphrase\n")
        damaged = [file[:size] for size in (0, 1, 9, len(file) // 3, len(file) - 1)]
        damaged += [file[:at] + bytes([file[at] ^ 1 << at % 8]) + file[at + 1:] for at in range(0, min(len(file), 48), 7)]
        for word, bytes_ in [("wrong", file)] + [("pass", one) for one in support.some(damaged)]:
            self.write("file", bytes_)
            status, _, err = self.run_fugu("decrypt", "-q", "--pass", f"file:{word}", "file", "-o", "out")
            self.check(status, err, name, word, len(bytes_))
            self.assertEqual("out" in self.names(), status == 0, (name, word, err))
            if status == 0:
                os.unlink(self.path("out"))

    def test_damage(self):
        for codec in CODECS:
            quick = [one for one in samples(codec) if not one[3].startswith(b"Salted__")]
            for name, _, secret, file in support.some(quick[:2]):
                self.damage(name, secret, file)


class VerifyEverySample(Case):
    """verify counts as many bytes as decrypt writes and returns the same status: 0, except where fugu refuses."""

    REFUSED = {"nppcrypt_bcrypt_2.nppcrypt"}  # its own program fails on some such files

    def verify(self, name, parameters, secret, file):
        codec = name.split("_")[0]
        self.write("file", file)
        self.write("pass", secret + b"\n")
        given = options_for(codec, parameters, file)
        self.write("key", secret)
        if salt := re.search("^K [0-9]+ salt=([0-9a-f]+)", parameters):
            self.write("salt", bytes.fromhex(salt[1]))
        given += secret_option(codec, parameters)
        self.assertIn(self.run_fugu("info", "file")[0], (0, 5), name)  # 5: without a header
        if "_bin" in name:
            given += ["--yes"]  # noise that Vim encrypted
        code, out, err = self.run_fugu("verify", "--json", *given, "file")
        plain_code, plain, _ = self.run_fugu("decrypt", "-q", *given, "file", "-o", "-")
        self.assertEqual((code, plain_code), (5, 5) if name in self.REFUSED else (0, 0), (name, given, err))
        if code == 0:
            row = json.loads(out)["files"][0]
            self.assertEqual((row["ok"], row["plaintext_bytes"]), (True, len(plain)), name)

    def test_one_of_each_format(self):
        for codec in CODECS:
            self.verify(*next(s for s in samples(codec) if "pbkdf2" not in s[1] and "bcrypt:" not in s[1]))

    @support.many_cases
    def test_committed_ones(self):
        for codec in CODECS:
            for sample in samples(codec):
                self.verify(*sample)

    @support.many_cases
    def test_shared_ones(self):
        seen = 0
        for name, *rest in shared_samples():
            if not name.startswith("encfs_"):  # a directory, see tree_test.py
                self.verify(name, *rest)
                seen += 1
        if seen == 0:
            self.skipTest("the samples that are not committed are not beside the project")


class WithoutASecret(Case):
    """Saved passwords under keys that all installations share open without asking."""

    def setUp(self):
        super().setUp()
        for codec in WITHOUT_SECRET:
            self.write(codec, next(samples(codec))[3])
        self.write("export.ncx", next(s for s in samples("navicat") if s[0].endswith("ncx"))[3])
        self.write("session.ini", next(s for s in samples("securecrt") if s[0].endswith("ini"))[3])

    def test_nothing_is_asked(self):
        for codec in WITHOUT_SECRET:
            with self.subTest(format=codec):
                content = self.output("decrypt", "-q", "--format", codec, codec, "-o", "-")
                self.assertEqual(b"\n" in content, codec == "hmailserver")  # whose password stands in an .ini
        for name in ("export.ncx", "session.ini"):
            self.expect(0, ANY, "", "decrypt", "-q", name, "-o", "-")
            self.assertEqual(self.run_fugu("verify", "-q", name)[0], 0)
            self.assertEqual(self.run_fugu("info", name)[0], 0)

    def test_what_a_session_holds_beside_is_kept(self):
        self.ends(2, b"", "decrypt", "--rm", "session.ini", "-o", "out", says="only the password of the session was written")
        self.assertIn("session.ini", self.names())

    def test_a_secret_is_refused(self):
        self.write("secret", "no")
        for option in ("--pass", "--key"):
            self.expect(1, b"", f"fugu: --format jboss takes no secret: leave out {option}\n", "decrypt", "--format", "jboss", option, "file:secret",
                        "jboss", "-o", "out")

    def test_damage_says_nothing_of_a_passphrase(self):
        self.write("bad", "12x")
        self.expect(4, b"", "fugu: bad: not a number in hexadecimal digits, perhaps with a minus sign before them; out was not created\n",
                    "decrypt", "--format", "jboss", "bad", "-o", "out")

    def test_formats_say_so(self):
        self.assertIn(b"  opened with: no secret\n", self.run_fugu("formats", "jboss")[1])


class SaltFile(Case):
    def test_of_vnd(self):
        _, parameters, secret, file = next(s for s in samples("vnd") if s[1].startswith("K"))
        self.write("image", file)
        self.write("pass", secret)
        given = ["decrypt", "-q", "--format", "vnd", "--rounds", "1000", *PASS, "image", "-o", "-", "--salt-file"]
        for size in (127, 129):
            self.write("salt", bytes(size))
            self.expect(1, b"", "fugu: --salt-file salt: does not hold 128 bytes\n", *given, "salt")
        self.fails(2, *given, "none", says="--salt-file none: ")

    def test_no_output_replaces_it_and_nothing_removes_it(self):
        """Without it the image is lost."""
        _, parameters, secret, file = next(s for s in samples("vnd") if s[1].startswith("K"))
        salt = bytes.fromhex(re.search("salt=([0-9a-f]+)", parameters)[1])
        for name, data in (("image", file), ("salt", salt), ("pass", secret)):
            self.write(name, data)
        given = ["decrypt", "-q", "-f", *options_for("vnd", parameters, file), *PASS]
        self.stops(1, "salt: is the file of --salt-file and is the output for image; nothing was done", *given, "image", "-o", "salt")
        self.expect(1, b"", "fugu: ./salt: is the file of --salt-file and would be removed; nothing was done\n", *given, "--rm", "./salt")
        self.assertEqual(self.read("salt"), salt)
        self.expect(0, b"", "", *given, "image", "-o", "plain")


class ToldByThePassphrase(Case):
    """Files without a header open without --format if their passphrase proves the format."""

    @unittest.skipIf(support.ALONE, support.ALONE)
    def test_it_is_tried(self):
        typed = ["--pass", "cmd:echo asked >> asked; cat pass"]  # stands for the prompt
        self.write("wrong", "no")
        for codec, name in (("gpass", "x.gps"), ("truecrypt", "x.tc")):
            _, _, secret, file = next(samples(codec))
            self.write("pass", secret)
            self.write("file", file)
            self.write(name, file)
            plain = self.output("decrypt", "-q", *PASS, "--format", codec, "file", "-o", "-")
            self.ends(0, plain, "decrypt", *PASS, "file", "-o", "-", matches="fugu: file: matches (GPass|TrueCrypt)")
            self.assertEqual(self.run_fugu("decrypt", "-q", *typed, "file", "-o", "-")[:2], (5, b""))
            self.assertNotIn("asked", self.names())
            self.assertEqual(self.run_fugu("decrypt", "-q", *typed, name, "-o", "-")[:2], (0, plain))
            self.assertEqual(self.run_fugu("verify", "-q", *PASS, name)[0], 0)
            self.assertEqual([self.run_fugu("decrypt", "-q", "--pass", "file:wrong", one, "-o", "-")[0] for one in ("file", name)], [5, 3])
            os.unlink(self.path("asked"))


class CutPassphrase(Case):
    """Crypt::CBC 2.00 and 2.01 cut a passphrase to the key's 56 bytes, so 3.04 writes their files if it is given these 56 bytes."""

    FILE = bytes.fromhex("52616e646f6d4956ced5db754da465091a477f8934a70a0b4d9686fa9219eea03bf61341a374ce172c9041937731af3d"
                         "ebdeb1eb13cfbcaa55432ad975dc0bc844f23b1a98429b76")  # fmt: skip
    TEXT = b"A text that Crypt::CBC 2.00 could have encrypted.\n"

    def test_it_opens_under_a_longer_one(self):
        self.write("pass", "p" * 80 + "\n")
        self.ends(0, self.TEXT, "decrypt", *PASS, input=self.FILE,
                  says="matches Crypt::CBC, pbkdf randomiv-cut, key of 56 bytes, cbc, padding standard")
        given = ["--pbkdf", "randomiv-cut", "--key-bytes", "56", "--mode", "cbc", "--pad", "standard"]
        self.expect(0, self.TEXT, "", "decrypt", "-q", *PASS, *given, input=self.FILE)


class AfterTheEnd(Case):
    """Bytes after the end of a file: after_end_test.cpp appends to every sample."""

    MORE = "more follows the end of the message, perhaps a second one: give each message a file of its own"

    def test_two_openpgp_messages(self):
        """gpg says "multiple plaintexts seen" and ends with status 2."""
        binary = next(s for s in samples("openpgp") if s[0].endswith("g2_z0_b9.gpg"))
        armored = next(s for s in samples("openpgp") if s[0].endswith("pgpy_zip_armor.asc"))
        torn, secret = armored[3].rstrip(), ["--pass", "file:secret"]
        decrypt = ["decrypt", "--rm", *secret, "message", "-o", "out"]
        self.write("secret", armored[2] + b"\n")
        for end in (b"extra", b"-----BEGIN PGP MESSAGE-----"):  # on the last line
            self.write("message", torn + end + b"\n")
            self.fails(4, *decrypt, "-q")
            self.assertIn("message", self.names())
        for first in (binary, armored):
            for second in (binary[3], armored[3], b"\n\n" + armored[3], b"\xa8\x03PGP"):
                with self.subTest(first=first[0], second=second[:20]):
                    self.write("message", first[3] + second)
                    self.write("secret", first[2] + b"\n")
                    self.fails(4, *decrypt, says=f"fugu: message: {self.MORE}; ")
                    self.assertEqual(self.names(), ["message", "pass", "secret"])
                    self.fails(4, "verify", *secret, "message", matches=f"^fugu: message: {self.MORE}")
            self.write("message", first[3] + bytes(1))
            self.fails(4, *decrypt, says="the secret fits, and the file is whole, but 1 byte follows the end of the data")
        self.write("secret", armored[2] + b"\n")
        self.write("message", armored[3] + b"-- \nA signature\n")
        self.fails(2, *decrypt, says="fugu: message: the text around the message was left out\n")
        self.assertEqual(self.names(), ["message", "out", "pass", "secret"])
        os.unlink(self.path("out"))
        self.write("message", armored[3] + b"\n \t\r\n")
        self.write("secret", armored[2] + b"\n")
        self.expect(0, ANY, ANY, "verify", *secret, "message")


class Notes(Case):
    UNSEEN = "fugu: this format has no authentication: damage can go unseen\n"
    CHECKED = "fugu: a checksum found no damage, but nothing is authenticated: deliberate changes can go unseen\n"

    def test_what_would_show_damage(self):
        """The note is about the file that was opened, not about its format."""
        cases = [("openpgp", "g2_z0_b9.gpg", ""), ("openpgp", "g2_rfc2440.gpg", self.UNSEEN), ("bfa", "own_deflate.bfa", self.CHECKED),
                 ("bfe", "leu_b9.bfe", self.UNSEEN), ("bfe", "lez_b9.bfe", self.CHECKED), ("mcrypt", "", self.CHECKED), ("kwallet", "kf6.kwl", self.CHECKED),
                 ("luks1", "", self.UNSEEN), ("pwsafe", "v2.dat", self.UNSEEN), ("vim", "", self.UNSEEN)]  # fmt: skip
        for codec, name, note in cases:
            with self.subTest(codec=codec, name=name):
                sample = next(s for s in samples(codec) if s[0].endswith(name) and " -b" not in s[1])
                self.write("file", sample[3])
                self.write("secret", sample[2] + b"\n")
                given = options_for(codec, sample[1], sample[3])
                given = given if "--format" in given else ["--format", codec, *given]
                code, out, err = self.run_fugu("verify", "--json", "--yes", "--pass", "file:secret", *given, "file")
                self.assertEqual(code, 0, err)
                self.assertEqual([note in err, self.UNSEEN in err, self.CHECKED in err], [True, note == self.UNSEEN, note == self.CHECKED])
                self.assertEqual(json.loads(out)["files"][0]["authenticated"], note == "")


class Signed(Case):
    def test_a_signed_message_is_not_removed(self):
        """Only the message holds the signature."""
        name, _, secret, file = next(s for s in samples("openpgp") if "signed.gpg" in s[0])
        self.write("message", file)
        self.write("pass", secret + b"\n")
        self.expect(2, b"", "fugu: message: it is not certain that the output holds all of the content; not removed; out is complete\n",
                    "decrypt", "-q", "--rm", *PASS, "message", "-o", "out")
        self.assertEqual(self.read("message"), file)


class Bombs(Case):
    """A file that inflates too far ends with an error and without output; --max-output allows it."""

    def test_max_output(self):
        name, _, secret, file = next(s for s in samples("bfe") if "zeros32k" in s[0])
        self.write("bomb", file)
        self.write("pass", secret + b"\n")
        self.assertNotIn("--salvage", self.ends(4, None, "decrypt", *PASS, "--max-output", "1000", "bomb", "-o", "out"))
        self.assertNotIn("out", self.names())
        self.ends(0, bytes(32768), "decrypt", *PASS, "bomb", "-o", "-")
