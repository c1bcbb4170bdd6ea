"""How inputs are recognised: text encodings of files, files of other programs, and when a passphrase is asked for."""

import base64
import bz2
import gzip
import lzma
import random
import shutil
import struct
import subprocess

from support import PASS, Case, pattern, salted



class TextForms(Case):
    """FINDING: output of `encrypt -a` was recognised for openssl enc only."""

    def seal(self, *options):
        return self.output("encrypt", *options, input=pattern(3000))

    FILES = {"key": bytes(range(32))}
    key = ["--key", "file:key"]

    def check(self, text, secret):
        self.expect(0, pattern(3000), "", "decrypt", "-q", *secret, input=text)
        self.write("t", text)
        self.assertEqual(self.run_fugu("verify", "-q", *secret, "t")[0], 0)
        self.assertEqual(self.run_fugu("info", "t")[0], 0)

    def test_every_form_of_every_format(self):
        for form in (["-a"], ["-A"], ["--hex"], ["--hex", "-A"]):
            with self.subTest(form=form):
                self.check(self.seal(*self.key, *form), self.key)
                self.check(self.seal("--format", "openssl", *PASS, *form), PASS)

    def test_base64_for_urls(self):
        """RFC 4648, 5."""
        sealed = self.seal(*self.key)
        text = base64.urlsafe_b64encode(sealed)
        self.assertRegex(text, rb"[-_]")
        self.check(text, self.key)
        self.expect(0, pattern(3000), "", "decrypt", "-q", "-a", *self.key, input=text)


class OtherPrograms(Case):
    def test_they_are_named(self):
        samples = {
            "this is an age file: open it with age": b"age-encryption.org/v1\n-> scrypt x 18\n",
            "this is a gzip file: open it with gunzip": gzip.compress(b"x"),
            "this is a bzip2 file: open it with bunzip2": bz2.compress(b"x"),
            "this is an xz file: open it with unxz": lzma.compress(b"x"),
            "this is a zstd file: open it with unzstd": b"\x28\xb5\x2f\xfd\x00",
            "this is a zip archive: open it with unzip": b"PK\x03\x04rest",
            "this is a 7z archive: open it with 7z": b"7z\xbc\xaf\x27\x1c",
        }
        for says, data in samples.items():
            self.write("a", data)
            self.expect(5, b"", f"fugu: a: {says}; b was not created\n", "decrypt", *PASS, "a", "-o", "b")
            self.expect(5, b"", f"fugu: a: {says}\n", "info", "a")

    def named(self, part, data):
        self.write("a", data)
        self.fails(5, "info", "a", says=part)

    def test_keys_of_ssh(self):
        """OpenSSH's PROTOCOL.key: a magic, then texts behind their sizes, of which the first is the cipher's name."""
        for cipher, says in ((b"blowfish-cbc", "with Blowfish, which OpenSSH up to 7.5 opens and encrypts again: ssh-keygen -p"),
                             (b"aes256-ctr", "with a cipher other than Blowfish"), (b"none", "with a cipher other"),
                             (b"blowfish-cb", "with a cipher other"), (b"", "with a cipher other")):
            words = (cipher, b"bcrypt", bytes(24), b"")
            body = b"openssh-key-v1\0" + b"".join(len(word).to_bytes(4, "big") + word for word in words)
            text = base64.encodebytes(body).decode()
            self.named(says, f"-----BEGIN OPENSSH PRIVATE KEY-----\n{text}-----END OPENSSH PRIVATE KEY-----\n")
        self.named("an OpenSSH private key", "-----BEGIN OPENSSH PRIVATE KEY-----")
        self.named("which Blowfish never encrypts: open it with puttygen",
                   "PuTTY-User-Key-File-2: ssh-rsa\r\nEncryption: aes256-cbc\r\nComment: a\r\n")

    def test_archives(self):
        """PKWARE's APPNOTE: a local header, and the decryption header of strong encryption."""
        def archive(flags, cipher, iv=bytes(8)):
            header = struct.pack("<4s5H3I2H", b"PK\x03\x04", 50, flags, 8, 0, 0, 0, 64, 64, 5, 4) + b"a.txt" + b"\x17\0\0\0"
            return header + struct.pack("<H", len(iv)) + iv + struct.pack("<I4H", 40, 3, cipher, 256, 1) + bytes(40)
        for iv in (b"", bytes(8), bytes(16)):
            self.named("under PKWARE's strong encryption with Blowfish: open it with SecureZIP", archive(0x41, 0x6720, iv))
        for flags, cipher in ((0x41, 0x660E), (0x40, 0x6720), (1, 0x6720), (0, 0x6720)):
            self.named("a zip archive: open it with unzip", archive(flags, cipher))
        whole = archive(0x41, 0x6720)
        for size in range(4, len(whole) - 48):
            self.named("a zip archive: open it with unzip", whole[:size])
        self.named("a rar archive, which Blowfish never encrypts", b"Rar!\x1a\x07\x01\x00")
        self.named("an ACE archive, which may use Blowfish", b"\x4d\x6c\x31\x00\x00\x00\x90**ACE**\x14\x14\x02\x00")

    def test_vim(self):
        """The beginnings that Vim 9.0 wrote of :preserve with cryptmethod blowfish and blowfish2, and of 'undofile' with the first."""
        for letter in ("C", "d"):
            self.named("a Vim swap file with Blowfish: vim -r FILE", f"b{letter}VIM 9.0\0\0\0\0\x10\0\0".encode())
        self.named("a Vim undo file with Blowfish, in which only the texts are encrypted", b"Vim\x9fUnDo\xe5\x80\2VimCrypt~02!\xed\x42\xeb\x28")

    def test_what_vim_undoes(self):
        """Vim reads the undo file again, and takes the change back."""
        version = subprocess.run(["vim", "--version"], capture_output=True, check=False).stdout if shutil.which("vim") else b""
        if b"+cryptv" not in version:
            self.skipTest("Vim with +cryptv is not installed")
        def vim(name, *commands):
            words = [word for command in commands for word in ("-c", command)]
            subprocess.run(["vim", "-es", "-u", "NONE", "-i", "NONE", "-n", "-N", name, *words], cwd=self.directory, stdin=subprocess.DEVNULL, timeout=60, check=True)
        before = b"first line\nsecond line\nthird\n"
        self.write("text", before)
        self.write("pass", "secret\n")
        vim("text", "set cm=blowfish2 key=secret undofile undodir=.", "normal ggdd", "wq")
        self.assertIn("undo file", self.run_fugu("info", ".text.un~")[1].decode())
        for name, out in (("text", "plain"), (".text.un~", "undo")):
            self.expect(0, b"", "", "decrypt", "-q", "--format", "vim", *PASS, name, "-o", out)
        self.assertEqual(self.read("plain"), before[11:])
        vim("plain", "rundo undo", "undo", "wq")
        self.assertEqual(self.read("plain"), before)
        self.write("pass", "wrong\n")
        self.fails(3, "decrypt", *PASS, ".text.un~", "-o", "b", says="wrong passphrase")

    def test_disks(self):
        self.named("a LUKS2 volume: open it with cryptsetup", b"LUKS\xba\xbe\0\2" + bytes(500))
        self.named("a LUKS volume: open it with cryptsetup", b"LUKS\xba\xbe\0\1" + b"aes".ljust(532, b"\0"))
        self.named("metadata of a GELI disk", b"GEOM::ELI\0\0\0\0\0\0\0\7\0\0\0")
        disk = pattern(100 * 512)
        self.named("a disk of FreeBSD's GELI", disk + b"GEOM::ELI\0\0\0\0\0\0\0\7\0\0\0" + bytes(492))
        self.named("not recognised", disk + b"GEOM::EL1" + bytes(503))
        self.named("NetBSD's cgd", "algorithm blowfish-cbc;\niv-method encblkno1;\nkeylength 448;\n")

    def test_ecryptfs(self):
        """fs/ecryptfs/crypto.c: a size, a random number, and the number combined with 3c81b7f5."""
        number = 0x12345678
        head = (1234).to_bytes(8, "big") + number.to_bytes(4, "big")
        self.named("an eCryptfs file", head + (number ^ 0x3C81B7F5).to_bytes(4, "big") + bytes(4000))
        self.write("a", head + (number ^ 0x3C81B7F4).to_bytes(4, "big") + bytes(4000))
        self.assertNotIn("eCryptfs", self.run_fugu("info", "a")[2])

    def test_messages_in_a_database(self):
        """Lines of pg_dump 15, plain and with --inserts, of pgp_sym_encrypt(..., 'cipher-algo=bf')."""
        dump = "COPY public.t (id, v, a) FROM stdin;\n1\t\\\\xc30d04040302372b3adef94143d27bd22f01cce9\t\\N\n"
        armor = "INSERT INTO public.t VALUES (1, '-----BEGIN PGP MESSAGE-----\n\nww0EBAMC9B3jq2rMIzhk0i8BLtuG\n"
        for text in (dump, dump.replace("\\\\x", "\\x"), armor, r"a,'\xc304040400'"):
            self.named("OpenPGP messages with Blowfish, as pgcrypto writes them", text)
        self.named("not recognised", dump.replace("c30d0404", "c30d0407"))  # AES-128


class Trials(Case):
    def test_another_cipher(self):
        """A `Salted__` file that nothing fits and that has an even number of Blowfish blocks may be of AES."""
        self.write("a", salted(pattern(1000), self.directory, "aes-256-cbc"))
        self.fails(3, "decrypt", *PASS, "a", "-o", "b", says="perhaps AES or another cipher, which openssl enc -d opens")


class SecretsAreAskedForLate(Case):
    """FINDING: decrypt asked for a passphrase before it knew the format. A passphrase command stands for the prompt."""

    ASK = ["--pass", "cmd:echo asked >> asked; cat pass"]

    def asked(self):
        return self.read("asked").count(b"asked") if "asked" in self.names() else 0

    def test_not_for_what_is_not_recognised_or_damaged(self):
        self.write("a", "no format of any program")
        self.write("b", b"\x89FUGU\r\n\x1a\x01")
        self.assertEqual(self.run_fugu("decrypt", *self.ASK, "a", "-o", "x")[0], 5)
        self.assertEqual(self.run_fugu("decrypt", *self.ASK, "b", "-o", "x")[0], 4)
        self.assertEqual(self.asked(), 0)

    def test_once_for_all_files(self):
        for name in ("a", "b", "c"):
            self.write(name, pattern(100))
        self.run_fugu("encrypt", "--scrypt-cost", "10", *self.ASK, "a", "b", "c")
        self.assertEqual(self.asked(), 1)
        code, out, err = self.run_fugu("decrypt", "-f", *self.ASK, "a.fugu", "b.fugu", "c.fugu")
        self.assertEqual((code, self.asked()), (0, 2), err)


class RestrictiveConfiguration(Case):
    """FINDING: an openssl.cnf with no provider but base broke every command."""

    def test_it_does_not_reach_the_program(self):
        self.write("openssl.cnf", "openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n")
        chosen = {"OPENSSL_CONF": self.path("openssl.cnf")}
        for form in ([], ["--format", "openssl"]):
            sealed = self.output("encrypt", *form, *PASS, input=pattern(300), variables=chosen)
            known = ["--cipher", "bf-cbc", "--md", "sha256", "--pbkdf2"] if form else []
            self.expect(0, pattern(300), "", "decrypt", "-q", *PASS, *known, input=sealed, variables=chosen)


class Rows(Case):
    def test_a_file_that_cannot_be_opened_has_a_row(self):
        self.write("a", b"Salted__12345678" + bytes(8))
        rows = self.rows_of(2, "info", "--json", "a", "none")
        self.assertEqual([row["file"] for row in rows], ["a", "none"])
        self.assertEqual(rows[1]["error"], "cannot open: No such file or directory")

    def test_sealed_files_need_no_reference(self):
        self.write("key", bytes(32))
        self.expect(0, b"", "", "encrypt", "--key", "file:key", "pass", "-o", "s")
        self.fails(1, "verify", "-q", "--openssl", "--key", "file:key", "s",
                   says="is in the format sealed: --openssl is only for openssl and raw")


class LongKeys(Case):
    """FINDING: keys of 57 to 72 bytes, which OpenSSL takes, were refused. The block was encrypted after BF_set_key of OpenSSL 3.0
    with 72 bytes."""

    NOTE = "fugu: the key has 72 bytes: Blowfish's specification allows at most 56, and not every program takes more\n"
    ECB = ["--format", "raw", "--mode", "ecb", "--pad", "none", "--key", "file:key"]

    def test_they_are_openssls(self):
        self.write("key", bytes(range(72)))
        block = bytes.fromhex("ed131748f2bc8932")
        self.expect(0, block, self.NOTE, "encrypt", *self.ECB, input=bytes(8))
        self.assertEqual(self.ends(0, bytes(8), "decrypt", *self.ECB, input=block).count(self.NOTE), 1)

    def test_of_longer_ones_the_first_72_bytes_are_used(self):
        for size in (73, 104, 4096):
            self.write("key", (bytes(range(72)) + bytes(4096))[:size])
            note = f"fugu: the first 72 of the key's {size} bytes are used, as in OpenSSL\n"
            self.expect(0, bytes.fromhex("ed131748f2bc8932"), note, "encrypt", *self.ECB, input=bytes(8))

    def test_the_length_of_a_hashed_one_says_nothing(self):
        self.write("key", bytes(80))
        self.assertEqual(self.run_fugu("encrypt", *self.ECB, "--key-hash", "sha1", input=bytes(8))[::2], (0, ""))


class CryptCbc(Case):
    def setUp(self):
        super().setUp()
        self.file = self.output("encrypt", "--format", "cryptcbc", *PASS, input=pattern(803))

    def test_options_name_the_format(self):
        self.write("a", self.file)
        self.expect(0, pattern(803), "", "decrypt", "-q", *PASS, "--pbkdf", "pbkdf2", "--header", "salt", "a", "-o", "-")

    def test_all_given_needs_no_proof(self):
        """If the padding does not show a wrong passphrase, the file decrypts, as with openssl enc, and one note says so."""
        given = ["--pbkdf", "opensslv1", "--key-bytes", "56", "--mode", "cfb"]
        self.write("wrong", "another one")
        code, out, err = self.run_fugu("decrypt", "--pass", "file:wrong", *given, input=self.file)
        self.assertEqual((code, len(out)), (0, len(self.file) - 16))
        self.assertEqual(err.count("nothing tells a right passphrase from a wrong one here"), 1, err)


class WeakEvidence(Case):
    def test_yes_accepts_it(self):
        noise = random.Random(1).randbytes(798)
        self.write("a", salted(noise, self.directory, derivation=("-md", "md5")))
        self.fails(5, "decrypt", "-q", *PASS, "a", "-o", "-", says="give --cipher bf-cbc --md md5 --no-pbkdf2, or --yes")
        self.expect(0, noise, "", "decrypt", "-q", "--yes", *PASS, "a", "-o", "-")
