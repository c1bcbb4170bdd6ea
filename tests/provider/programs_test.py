#!/usr/bin/env python3
"""Real programs with fugu.so: they read with fugu what OpenSSL wrote with its legacy provider, and the reverse.

usage: programs_test.py FUGU_SO
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MODULE = pathlib.Path(sys.argv.pop(1)).resolve()
FUGU = ("-provider-path", str(MODULE.parent), "-provider", "fugu", "-provider", "default")
LEGACY = ("-provider", "legacy", "-provider", "default")
KEY, IV = "00112233445566778899aabbccddeeff", "fedcba9876543210"
TEXT = bytes(i % 251 for i in range(10_007))
PASSPHRASE = "correct horse"
SALT = ("-S", "0011223344556677")  # with a salt of its own for each run, one wrong passphrase in 256 seems right


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        (self.at / "text").write_bytes(TEXT)

    def openssl(self, *arguments, status=0, stdin=b""):
        done = subprocess.run(["openssl", *arguments], cwd=self.at, input=stdin, capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done

    def read(self, name):
        return (self.at / name).read_bytes()

    def expect(self, content, *command, **environment):
        done = subprocess.run(command, cwd=self.at, capture_output=True, env={**os.environ, **environment})
        self.assertEqual(done.stdout, content, done.stderr.decode())

    def test_enc(self):
        for cipher in ("bf-cbc", "bf", "blowfish", "bf-ecb", "bf-cfb", "bf-ofb"):
            for secret in (("-K", KEY, "-iv", IV), ("-pbkdf2", "-k", PASSPHRASE), ("-md", "md5", "-k", PASSPHRASE)):
                iv_less = secret[:2] if cipher == "bf-ecb" and "-iv" in secret else secret
                for writer, reader in ((LEGACY, FUGU), (FUGU, LEGACY)):
                    with self.subTest(cipher=cipher, secret=secret, writer=writer[-3]):
                        self.openssl("enc", "-" + cipher, *iv_less, "-in", "text", "-out", "sealed", *writer)
                        self.openssl("enc", "-d", "-" + cipher, *iv_less, "-in", "sealed", "-out", "back", *reader)
                        self.assertEqual(self.read("back"), TEXT)

    def test_enc_of_a_wrong_passphrase_is_a_bad_decrypt(self):
        self.openssl("enc", "-bf-cbc", "-pbkdf2", *SALT, "-k", PASSPHRASE, "-in", "text", "-out", "sealed", *LEGACY)
        failures = [
            self.openssl("enc", "-d", "-bf-cbc", "-pbkdf2", *SALT, "-k", "wrong", "-in", "sealed", "-out", "back", *reader, status=1)
            for reader in (LEGACY, FUGU)
        ]
        for failure in failures:
            self.assertRegex(failure.stderr, b":1C800064:Provider routines:.*:bad decrypt:")

    def make_key(self):
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "cert", "-subj", "/CN=fugu")
        return self.openssl("rsa", "-in", "key", "-traditional").stdout

    def test_cms(self):
        self.make_key()
        for writer, reader in ((LEGACY, FUGU), (FUGU, LEGACY)):
            self.openssl("cms", "-encrypt", "-binary", "-bf-cbc", "-in", "text", "-out", "sealed", "-outform", "DER", *writer, "cert")
            self.openssl("cms", "-decrypt", "-inform", "DER", "-inkey", "key", "-in", "sealed", "-out", "back", *reader)
            self.assertEqual(self.read("back"), TEXT)

    def test_pkcs8_pkcs12_and_rsa(self):
        key = self.make_key()
        secret = ("-passin", "pass:" + PASSPHRASE)
        new_secret = ("-passout", "pass:" + PASSPHRASE)
        for writer, reader in ((LEGACY, FUGU), (FUGU, LEGACY)):
            self.openssl("pkcs8", "-topk8", "-v2", "bf-cbc", "-in", "key", "-out", "key8", *new_secret, *writer)
            self.assertEqual(self.openssl("rsa", "-in", "key8", "-traditional", *secret, *reader).stdout, key)
            self.openssl("rsa", "-bf-cbc", "-traditional", "-in", "key", "-out", "pem", *new_secret, *writer)
            self.assertIn(b"DEK-Info: BF-CBC", self.read("pem"))
            self.assertEqual(self.openssl("rsa", "-in", "pem", "-traditional", *secret, *reader).stdout, key)
            pbe = ("-keypbe", "bf-cbc", "-certpbe", "bf-cbc")
            self.openssl("pkcs12", "-export", "-inkey", "key", "-in", "cert", *pbe, "-out", "p12", *new_secret, *writer)
            self.openssl("pkcs12", "-in", "p12", "-nodes", "-nocerts", "-out", "back", *secret, *reader)
            self.assertEqual(self.openssl("rsa", "-in", "back", "-traditional").stdout, key)

    def test_modules_folder_by_environment(self):
        self.openssl("enc", "-bf-cbc", "-K", KEY, "-iv", IV, "-in", "text", "-out", "sealed", *LEGACY)
        shutil.copy(MODULE, self.at / "fugu.so")
        self.expect(TEXT, "openssl", "enc", "-d", "-bf-cbc", "-K", KEY, "-iv", IV, "-in", "sealed", "-provider", "fugu", "-provider", "default",
                    OPENSSL_MODULES=str(self.at))

    def configuration(self):
        """The installed configuration, with the module's path."""
        text = (pathlib.Path(__file__).resolve().parents[2] / "src/provider/fugu.cnf").read_text()
        self.assertIn("# module = ", text)
        lines = [f"module = {MODULE}" if line.startswith("# module = ") else line for line in text.splitlines()]
        (self.at / "fugu.cnf").write_text("\n".join(lines) + "\n")
        return {"OPENSSL_CONF": str(self.at / "fugu.cnf")}

    def test_configuration(self):
        self.openssl("enc", "-bf-cbc", "-pbkdf2", "-k", PASSPHRASE, "-in", "text", "-out", "sealed", *LEGACY)
        self.expect(TEXT, "openssl", "enc", "-d", "-bf-cbc", "-pbkdf2", "-k", PASSPHRASE, "-in", "sealed", **self.configuration())

    def test_php(self):
        if shutil.which("php") is None:
            self.skipTest("php is not installed")
        self.openssl("enc", "-bf-cbc", "-K", KEY, "-iv", IV, "-in", "text", "-out", "sealed", *LEGACY)
        code = (f'echo openssl_decrypt(file_get_contents("sealed"), "bf-cbc", hex2bin("{KEY}"), OPENSSL_RAW_DATA, '
                f'hex2bin("{IV}"));')
        self.expect(TEXT, "php", "-n", "-r", code, **self.configuration())

    def test_ruby_and_node(self):
        """Both know the cipher by the name that OpenSSL was compiled with; node reads a section of its own."""
        self.openssl("enc", "-bf-cbc", "-K", KEY, "-iv", IV, "-in", "text", "-out", "sealed", *LEGACY)
        ruby = (f'c = OpenSSL::Cipher.new("bf-cbc").decrypt; c.key = ["{KEY}"].pack("H*"); c.iv = ["{IV}"].pack("H*"); '
                'print c.update(File.binread("sealed")) + c.final')
        node = (f'const c = require("crypto").createDecipheriv("bf-cbc", Buffer.from("{KEY}", "hex"), Buffer.from("{IV}", "hex"));'
                'process.stdout.write(Buffer.concat([c.update(require("fs").readFileSync("sealed")), c.final()]))')
        for command in (["ruby", "-ropenssl", "-e", ruby], ["node", "-e", node]):
            with self.subTest(program=command[0]):
                if shutil.which(command[0]) is None:
                    self.skipTest(f"{command[0]} is not installed")
                self.expect(TEXT, *command, **self.configuration())
                self.assertNotEqual(subprocess.run(command, cwd=self.at, capture_output=True).returncode, 0, "without fugu")

    def test_perl(self):
        program = """
            Net::SSLeay::initialize();
            my $file = Net::SSLeay::BIO_new_file($ARGV[0], "r") or die "no file";
            my $key = Net::SSLeay::PEM_read_bio_PrivateKey($file, undef, $ARGV[1]) or die "no key";
            print Net::SSLeay::PEM_get_string_PrivateKey($key);"""
        if not shutil.which("perl") or subprocess.run(["perl", "-MNet::SSLeay", "-e", "1"], capture_output=True).returncode != 0:
            self.skipTest("perl's Net::SSLeay is not installed")
        self.make_key()
        new_secret = ("-passout", "pass:" + PASSPHRASE)
        self.openssl("rsa", "-bf-cbc", "-traditional", "-in", "key", "-out", "pem", *new_secret, *LEGACY)
        self.openssl("pkcs8", "-topk8", "-v2", "bf-cbc", "-in", "key", "-out", "key8", *new_secret, *LEGACY)
        for name in ("pem", "key8"):
            command = ["perl", "-MNet::SSLeay", "-e", program, name, PASSPHRASE]
            self.expect(self.read("key"), *command, **self.configuration())
            self.assertNotEqual(subprocess.run(command, cwd=self.at, capture_output=True).returncode, 0, "without fugu")

    def test_exports_one_function(self):
        done = subprocess.run(["nm", "-D", "--defined-only", str(MODULE)], capture_output=True, text=True, check=True)
        self.assertEqual([line.split()[-1] for line in done.stdout.splitlines()], ["OSSL_provider_init"])

    def test_reads_no_environment_and_writes_nothing(self):
        done = subprocess.run(["nm", "-D", "--undefined-only", str(MODULE)], capture_output=True, text=True, check=True)
        wanted = {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
        if not any("GLIBCXX" in line for line in done.stdout.splitlines()):
            self.skipTest("libstdc++ is linked statically here, and has these names for itself")
        self.assertFalse(wanted & {"getenv", "secure_getenv", "write", "fopen", "printf", "puts"}, wanted)

    def test_starts_no_thread(self):
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("there is no C compiler")
        (self.at / "none.c").write_text("#include <stdlib.h>\nint pthread_create(void) { abort(); }\n")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", "none.so", "none.c"], cwd=self.at, check=True)
        (self.at / "text").write_bytes(TEXT * 1000)
        for cipher in ("bf-ecb", "bf-cbc", "bf-cfb"):
            command = ["openssl", "enc", "-d", "-nopad", "-" + cipher, "-K", KEY, "-iv", IV, "-in", "text", "-out", "back", *FUGU]
            preloaded = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), str(self.at / "none.so"))))
            done = subprocess.run(command, cwd=self.at, capture_output=True, env={**os.environ, "LD_PRELOAD": preloaded})
            self.assertEqual(done.returncode, 0, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
