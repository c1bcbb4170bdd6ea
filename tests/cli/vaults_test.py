"""Vaults and disk images as a user meets them: forms of the output, terminals, a salt beside the file, ranges, and the commands
for files that OpenSSL opens."""

import base64
import csv
import io
import json
import os
import re
import shutil
import stat
import subprocess
import unittest

import support
from support import OPENSSL, PASS, Case, sample_of
from terminal import Screen

LEGACY = ["-provider", "legacy", "-provider", "default"]


def sample(name):
    """(bytes, passphrase, salt) of one record of a kit."""
    one = sample_of(f"foreign/{name.split('/')[0]}.kit", name)
    salt = re.search(r"salt=([0-9a-f]+)", one["parameters"])
    return one["file"], one["passphrase"], bytes.fromhex(salt[1]) if salt else b""


class Vault(Case):
    SUBCOMMAND = ["decrypt", "-q", *PASS]

    def put(self, name, file):
        data, passphrase, salt = sample(name)
        self.write(file, data)
        self.write("pass", passphrase + b"\n")
        return salt


class KWallet(Vault):
    def test_json(self):
        self.put("kwallet/kde4_17.kwl", "home.kwl")
        os.chmod(self.path("home.kwl"), 0o600)
        self.gives("", "home.kwl", "-o", "home.json")
        wallet = json.loads(self.read("home.json"))
        self.assertEqual(wallet["Form Data"], {})
        self.assertEqual(wallet["Passwords"]["mail"], {"type": "password", "value": "hunter2"})
        self.assertEqual(wallet["Binärdaten"]["blob"], {"type": "stream", "value": base64.b64encode(bytes(range(7))).decode()})
        self.assertEqual(wallet["Karten \U0001f511"]["kde.org"]["value"], {"key2": "value2", "key1": 'Wert "ä"\n\x7f'})
        self.assertEqual(stat.S_IMODE(os.stat(self.path("home.json")).st_mode), 0o600)

    def test_salt_beside_it(self):
        salt = self.put("kwallet/kf6.kwl", "home.kwl")
        lost = ("its .salt file is not beside it (home.salt for home.kwl): without it the wallet is lost")
        self.stops(5, f"home.kwl: {lost}; out was not created", "home.kwl", "-o", "out")
        self.assertIn(b"salt file: not beside it", self.run_fugu("info", "home.kwl")[1])
        self.write("home.salt", salt)
        self.assertIn(b"salt file: beside it", self.run_fugu("info", "home.kwl")[1])
        self.assertEqual(json.loads(self.output("home.kwl", "-o", "-"))["Passwords"]["mail"]["value"], "hunter2")
        self.assertEqual(self.run_fugu("verify", "-q", *PASS, "home.kwl")[0], 0)
        self.stops(1, "home.salt: can belong to home.kwl and is the output for home.kwl; nothing was done",
                   "-f", "home.kwl", "-o", "home.salt")
        self.assertEqual(self.read("home.salt"), salt)

    def test_a_name_that_leaves_no_room_for_salt(self):
        self.put("kwallet/kde4_17.kwl", "a" * 255)
        self.gives("", "a" * 255, "-o", "out")

    def test_salt_given(self):
        salt = self.put("kwallet/kf6.kwl", "elsewhere")
        self.assertEqual(self.output("--wallet-salt", salt.hex(), "--to", "payload", "elsewhere", "-o", "-")[:4], b"\0\0\0\x12")

    def test_wrong_passphrase(self):
        self.put("kwallet/kde4_17.kwl", "home.kwl")
        self.write("pass", "another\n")
        self.stops(3, "home.kwl: wrong passphrase, or the wallet is damaged; nothing was written", "home.kwl", "-o", "out")
        self.assertNotIn("out", self.names())

    def test_no_terminal_shows_passwords(self):
        self.put("kwallet/kde4_17.kwl", "home.kwl")
        screen = Screen(self)
        command = ["decrypt", "-q", *PASS, "home.kwl", "-o"]
        says = "is a terminal, and the output holds passwords; use -o OUT, a redirection or --force"
        self.expect(2, None, f"fugu: standard output: {says}; nothing was written\n", *command, "-", stdout=screen.line)
        device = os.ttyname(screen.line)
        self.expect(2, b"", f"fugu: {device}: {says}; nothing was written\n", *command, device)
        self.expect(0, None, "", *command, "-", "--force", stdout=screen.line)
        self.assertIn(b"hunter2", os.read(screen.leader, 65536))


class PasswordSafe(Vault):
    def test_csv(self):
        self.put("pwsafe/v2.dat", "old.dat")
        out = self.output("--format", "pwsafe", "--to", "csv", "old.dat", "-o", "-")
        rows = list(csv.DictReader(io.StringIO(out.decode(), newline="")))
        self.assertEqual([row["Title"] for row in rows], ["giro v1.2", "no group", "Grüße", ""])
        self.assertEqual((rows[0]["Group"], rows[0]["URL"]), ("Finance/bank", "http://bank.example/a?b=c"))
        self.assertEqual((rows[1]["Password"], rows[1]["Notes"]), ('a,b"c', 'he said "no"'))

    def notes_of(self, name, *options):
        self.put(name, "old.dat")
        return self.run_fugu("decrypt", *PASS, "--format", "pwsafe", *options, "old.dat", "-o", "-")[2]

    def test_csv_names_what_an_import_loses(self):
        """The losses are those of KeePassXC 2.7, Bitwarden's "KeePassX (csv)" and Password Safe's --import --text with these
        entries."""
        err = self.notes_of("pwsafe/v2.dat", "--to", "csv")
        self.assertIn("old.dat: entries without a title or a password: 1 of 4; Bitwarden or Password Safe will skip them\n", err)
        self.assertIn("old.dat: entries with a comma or a quote: 1 of 4; Password Safe will misread them", err)
        self.assertNotIn("entries", self.notes_of("pwsafe/v2.dat"))

    def test_csv_names_what_a_spreadsheet_would_run(self):
        """OWASP, "CSV Injection", lists how such a field begins. The fields themselves stay exact: the kit has the table."""
        says = "entries with a field that begins with = + - @, a tab or a carriage return"
        for name, wanted in (("pwsafe/v2_formulas.dat", "3 of 4"), ("pwsafe/v2.dat", None)):
            err = self.notes_of(name, "--to", "csv")
            if wanted:
                self.assertIn(f"old.dat: {says}: {wanted}; do not open this in a spreadsheet, which may run it\n", err)
            else:
                self.assertNotIn(says, err)

    def test_csv_needs_the_formats_name(self):
        self.put("pwsafe/v2.dat", "old.dat")
        self.fails(5, "decrypt", "-q", *PASS, "--to", "csv", "old.dat", "-o", "out", says="--format NAME")
        self.stops(1, "--to takes json, csv, not 'no'", "--to", "no", "--format", "pwsafe", "old.dat", "-o", "out")

    def test_password_safe_imports_the_csv(self):
        """Reads the table as ImportPlaintextFile() does with "," as the field separator, which understands quotes in part only."""
        self.put("pwsafe/v2.dat", "old.dat")
        lines = self.output("--format", "pwsafe", "--to", "csv", "old.dat", "-o", "-").decode().split("\n")
        header = lines.pop(0).split(",")
        self.assertEqual((header[-1], '"' in "".join(header)), ("Notes", False))
        fields = lines.pop(0).split(",", len(header) - 1)
        while fields[-1].count('"') == 1:  # the notes have several lines
            fields[-1] += "\n" + lines.pop(0)
            if fields[-1].endswith('"'):
                break
        entry = dict(zip(header, (field[1:-1] for field in fields)))
        self.assertEqual(entry["Group/Title"].rsplit(".", 1), ["Finance.bank", "giro v1\u00bb2"])  # the mark stands for the title's dot
        self.assertEqual((entry["Folder"], entry["Title"]), ("Finance.bank", "giro v1.2"))
        self.assertFalse(any(name.endswith("\r") for name in header))  # FINDING: the import did not recognise the name "Notes\\r"
        self.assertEqual((entry["Username"], entry["Password"]), ("alice", "hunter2"))
        self.assertEqual(entry["Notes"], "call them\r\nhttp://bank.example/a?b=c more")
        self.assertGreaterEqual(len(lines.pop(1).split(",")), len(header))  # the import leaves out shorter rows

    def test_version_3_is_password_safes(self):
        self.write("new.psafe3", b"PWS3" + bytes(200))
        self.stops(5, "new.psafe3: this is a Password Safe 3 database, with another cipher: open it with Password Safe; out was not "
                   "created", "new.psafe3", "-o", "out")


class Images(Vault):
    def test_sparse_output(self):
        """A payload of zeros takes no space. It is made here sector by sector with openssl's Blowfish in ECB."""
        self.put("luks1/ecb_sha256.luks", "disk.img")
        self.gives("", "disk.img", "-o", "plain.img")
        data, plain = self.read("disk.img"), self.read("plain.img")
        zeros = data[-len(plain):][3 * 512:4 * 512]
        self.assertEqual(plain[3 * 512:4 * 512], bytes(512))
        self.write("disk.img", data + zeros * 8192)
        self.gives("", "-f", "disk.img", "-o", "plain.img")
        self.assertEqual(self.read("plain.img"), plain + bytes(512 * 8192))
        self.assertLess(os.stat(self.path("plain.img")).st_blocks * 512, 1 << 20)

    def test_range(self):
        self.put("luks1/essiv_sha512.luks", "disk.img")
        whole = self.output("disk.img", "-o", "-")
        self.gives(whole[700:1700], "--range", "700:1000", "disk.img", "-o", "-")

    def test_info(self):
        self.put("luks1/last_slot.luks", "disk.img")
        row = json.loads(self.run_fugu("info", "--json", "disk.img")[1])["files"][0]
        self.assertEqual((row["format"], row["mode"], row["hash"], row["key_bytes"], row["key_slots"]),
                         ("luks1", "cbc-essiv:sha256", "sha1", 32, 8))


@unittest.skipUnless(shutil.which("grub-fstest"), "grub-fstest is not installed (grub-common)")
class Grub(Vault):
    """GRUB's own LUKS, with libgcrypt's Blowfish, reads the same bytes. It writes past its buffer where key material in CBC ends
    inside a sector, as in tiny.luks."""

    def test_images(self):
        for name in ("plain_sha1", "plain64_sha256", "essiv_sha512", "essiv_sha1_ripemd160", "ecb_sha256", "last_slot",
                     "lone_slot_unicode", "short_key"):
            with self.subTest(name=name):
                self.put(f"luks1/{name}.luks", "disk.img")
                plain = self.output("disk.img", "-o", "-")
                sectors = f"(crypto0)0+{len(plain) // 512}"
                grub = subprocess.run(["grub-fstest", "-C", "-r", "crypto0", self.path("disk.img"), "cat", sectors],
                                      input=self.read("pass"), capture_output=True, check=False)
                self.assertIn(plain, grub.stdout)


class OpensslFiles(Case):
    """The printed command opens the file, here with the legacy provider instead of fugu's own."""

    KEY = "000102030405060708090a0b0c0d0e0f"

    def setUp(self):
        super().setUp()
        self.openssl("genrsa", "-out", "key.pem", "1024")
        self.openssl("req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=x", "-out", "cert.pem")

    def openssl(self, *arguments):
        run = subprocess.run([OPENSSL, *arguments], cwd=self.directory, capture_output=True, check=False)
        if run.returncode != 0:
            self.skipTest("this openssl has no legacy provider")
        return run.stdout

    def check(self, file, *secret):
        err = self.fails(5, "decrypt", *PASS, file, "-o", "out")
        command = re.search(r": openssl (.*) -in FILE; out was not created\n$", err)
        self.assertIsNotNone(command, err)
        words = command[1].replace("-provider fugu", "-provider legacy").replace("HEX", self.KEY)
        words = words.replace("PASSWORD", support.PASSPHRASE.replace(" ", "")).replace("-inkey KEY", "-inkey key.pem").split()
        return self.openssl(*words, "-in", file, *secret)

    def test_keys(self):
        seal, opened = ["-passout", "file:pass", *LEGACY], ["-passin", "file:pass"]
        for cipher in ("bf-cbc", "bf-cfb", "bf-ofb"):
            self.openssl("rsa", "-traditional", "-in", "key.pem", "-" + cipher, "-out", "a", *seal)
            self.assertIn(b"BEGIN PRIVATE KEY", self.check("a", *opened))
        for form in ("PEM", "DER"):
            self.openssl("pkcs8", "-topk8", "-in", "key.pem", "-v2", "bf-cbc", "-outform", form, "-out", "a", *seal)
            self.assertIn(b"BEGIN PRIVATE KEY", self.check("a", *opened))
        self.write("a", b"Bag Attributes: none\n" + self.read("cert.pem") + self.openssl(
            "pkcs8", "-topk8", "-in", "key.pem", "-v2", "bf-cbc", *seal))
        self.assertIn(b"BEGIN PRIVATE KEY", self.check("a", *opened))
        self.openssl("pkcs12", "-export", "-inkey", "key.pem", "-in", "cert.pem", "-keypbe", "bf-cbc", "-certpbe", "bf-cbc",
                     "-out", "a", *seal)
        self.assertIn(b"BEGIN PRIVATE KEY", self.check("a", *opened))

    def test_messages(self):
        self.write("text", "a text\n")
        sealed = ["-bf-cbc", "-in", "text", "-binary", "-out", "a", *LEGACY]
        for form in ("PEM", "DER", "SMIME"):
            self.openssl("cms", "-EncryptedData_encrypt", "-secretkey", self.KEY, "-outform", form, *sealed)
            self.assertEqual(self.check("a"), b"a text\n")
            self.openssl("cms", "-encrypt", "-pwri_password", "correcthorse", "-outform", form, *sealed)
            self.assertEqual(self.check("a"), b"a text\n")
            self.openssl("cms", "-encrypt", "-stream", "-outform", form, *sealed, "cert.pem")
            self.assertEqual(self.check("a"), b"a text\n")

    def test_other_ciphers_are_not_meant(self):
        self.expect(5, b"", "fugu: key.pem: this is PEM, as openssl writes keys and certificates: open it with openssl; "
                    "out was not created\n", "decrypt", *PASS, "key.pem", "-o", "out")
