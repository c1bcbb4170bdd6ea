"""Usage errors: what the user reads, and exit status 1, 5 or 6."""

import support
from support import Case


class Usage(Case):
    def usage(self, text, *arguments):
        self.expect(1, b"", f"fugu: {text}\n", *arguments)

    def test_no_subcommand(self):
        self.usage("a subcommand is missing; see fugu --help")

    def test_unknown_subcommand(self):
        self.usage("no subcommand 'encryp'; there are encrypt, decrypt, rekey, verify, info, selftest, engines, bench, spectral, sbox, help",
                   "encryp")

    def test_control_characters_are_shown_as_text(self):
        self.usage("no subcommand '\\x1b[2J\\x0a'; there are encrypt, decrypt, rekey, verify, info, selftest, engines, bench, spectral, sbox, help",
                   "\x1b[2J\n")

    def test_unknown_option(self):
        self.usage("unrecognised option '--nonsense'; see fugu encrypt --help", "encrypt", "--nonsense")
        self.usage("unrecognised option '-Z'; see fugu info --help", "info", "-Z")

    def test_placeholders_of_the_parser_in_names(self):
        """Boost.Program_options 1.74 puts the name into its text until no placeholder is left in it."""
        for name in ("--n%original_token%salt", "--%option%", "--%canonical_option%=1", "--%prefix%%value%"):
            self.usage(f"unrecognised option '{name}'; see fugu encrypt --help", "encrypt", name)
        self.usage("option '--force' does not take any arguments; see fugu encrypt --help", "encrypt",
                   "--force=%original_token%")
        self.usage("unrecognised option '-%original_token%'; see fugu encrypt --help", "encrypt",
                   "-%original_token%")

    def test_options_are_not_guessed(self):
        self.usage("unrecognised option '--outp'; see fugu encrypt --help", "encrypt", "--outp", "x")

    def test_missing_value(self):
        self.usage("the required argument for option '--output' is missing; see fugu encrypt --help", "encrypt", "-o")

    def test_value_of_a_flag(self):
        self.usage("option '--force' does not take any arguments; see fugu encrypt --help", "encrypt", "--force=1")

    def test_given_twice(self):
        self.usage("--iter is given twice", "encrypt", "--iter", "1", "--iter", "2")

    def test_too_many_operands(self):
        self.usage("'x' is one argument too many; see fugu engines --help", "engines", "x")

    def test_numbers(self):
        self.usage("--threads takes a number from 1 to 1024", "encrypt", "-T", "0")
        self.usage("--threads takes a number from 1 to 1024", "encrypt", "-T", "2x")
        self.usage("--iter takes a number from 1 to 2147483647", "encrypt", "--format", "openssl", "--iter", "0")
        self.usage("--chunk takes a number from 4096 to 33554432", "encrypt", "--chunk", "1G")
        self.usage("--rounds takes a number from 1 to 1000000000", "selftest", "--rounds", "-1")

    def test_words(self):
        self.usage("--format takes sealed, openssl, raw, not 'zip'", "encrypt", "--format", "zip")
        self.usage("--cipher takes bf-cbc, bf-ecb, bf-cfb, bf-ofb, not 'aes'", "encrypt", "--format", "openssl", "--cipher",
                   "aes")
        self.usage("--salt takes 16 hexadecimal digits", "encrypt", "--salt", "0011")
        self.usage("--md takes a digest that OpenSSL knows, as listed by: openssl list -digest-commands",
                   "encrypt", "--format", "openssl", "--md", "sha257")

    def test_combinations(self):
        for first, second in [("quiet", "verbose"), ("keep", "rm"), ("nosalt", "salt=00"),
                              ("pbkdf2", "no-pbkdf2"), ("no-pbkdf2", "iter=5"), ("progress", "no-progress"),
                              ("progress", "quiet"), ("base64", "hex")]:
            with self.subTest(first=first, second=second):
                self.write("a", "x")
                for subcommand in ("encrypt", "decrypt"):
                    self.usage(f"--{first} and --{second.split('=')[0]} cannot be combined", subcommand,
                               "--format", "openssl", f"--{first}", f"--{second}", "--pass", "file:pass", "a", "-o",
                               "b")
        self.assertEqual(self.names(), ["a", "pass"])

    def test_options_of_the_other_format(self):
        for option in ("--pass=tty", "--cipher=bf-cbc", "--md=md5", "--pbkdf2", "--iter=5", "--nosalt", "--nopad",
                       "--salt=0000000000000000", "--key-bytes=8", "--no-pbkdf2"):
            name = option.split("=")[0]
            self.usage(f"{name} and --format raw cannot be combined", "encrypt", "--format", "raw", option)
        for option in ("--mode=cbc", "--iv=zero", "--pad=none", "--words=le", "--counter=le"):
            self.usage(f"{option.split('=')[0]} needs --format raw", "encrypt", option)
        for option in ("--cipher=bf-cbc", "--md=md5", "--pbkdf2", "--iter=5", "--nopad", "--key-bytes=8", "--no-pbkdf2"):
            self.usage(f"{option.split('=')[0]} needs --format openssl", "encrypt", option)
        for option in ("--key=file:k", "--range=0:1", "--salvage"):
            name = option.split("=")[0]
            self.usage(f"{name} and --format openssl cannot be combined", "decrypt", "--format", "openssl", option)

    def test_options_that_mean_nothing_in_the_mode(self):
        raw = ["encrypt", "--format", "raw", "--key", "file:k"]
        self.usage("--iv and --mode ecb cannot be combined: this mode has no iv", *raw, "--mode", "ecb", "--iv", "zero")
        self.usage("--pad and --mode ofb cannot be combined: this mode is never padded", *raw, "--mode", "ofb", "--iv",
                   "zero", "--pad", "none")
        self.usage("--counter and --mode cbc cannot be combined", *raw, "--mode", "cbc", "--iv", "zero", "--counter",
                   "le")
        self.usage("--nopad and --cipher bf-cfb cannot be combined: this mode is never padded", "encrypt", "--format",
                   "openssl", "--nopad", "--cipher", "bf-cfb")

    def test_raw_says_what_it_needs(self):
        raw = ["decrypt", "--format", "raw"]
        self.usage("--format raw needs --mode ecb, cbc, cfb, cfb8, ofb or ctr", *raw)
        self.usage("--format raw needs --iv (16 hexadecimal digits, zero or prefix)", *raw, "--mode", "cbc")
        self.usage("--iv takes 16 hexadecimal digits, zero or prefix", *raw, "--mode", "cbc", "--iv", "12")
        self.usage("--format raw needs --key file:F, hex-file:F, env:V or fd:N", *raw, "--mode", "ecb")

    def test_outputs(self):
        self.usage("-o names one output, but 2 files are given", "encrypt", "a", "b", "-o", "c")
        self.usage("standard input can be read only once", "encrypt", "-", "-")
        self.usage("--rm cannot remove standard input", "encrypt", "--rm")
        self.usage("--rm needs an output that is a file: nothing else is known to be safe", "encrypt", "--rm", "a", "-o",
                   "-")
        self.usage("--rm needs an output that is a file: nothing else is known to be safe", "encrypt", "--rm", "a", "-o",
                   "/dev/null")

    def test_verify(self):
        self.usage("--against names one plaintext, but 2 files are given", "verify", "--against", "p", "a", "b")

    def test_engines(self):
        code, out, err = self.run_fugu("encrypt", "--engine", "abacus", "--pass", "file:pass", "pass")
        self.assertEqual((code, out), (1, b""))
        self.assertTrue(err.startswith("fugu: no engine abacus; there are auto, "), err)


class Text(Case):
    def test_digits_that_are_none(self):
        raw = ["decrypt", "-q", "--format", "raw", "--mode", "ecb", "--key", "file:pass", "--hex", "a", "-o", "b"]
        for text, message in (("00112233zz", "character at byte 8 is not a hexadecimal digit"),
                              ("0x00", "character at byte 1 is not a hexadecimal digit"),
                              ("0011223344556677 0", "hexadecimal text ends inside a byte")):
            self.write("a", text)
            self.expect(4, b"", f"fugu: a: {message}; b was not created\n", *raw)
        self.assertEqual(self.names(), ["a", "pass"])


class UnknownFormat(Case):
    def test_no_header(self):
        text = ("fugu: {}: the format is not recognised; for a file without a header give --format openssl --nosalt or "
                "--format raw, and how it was encrypted; {}\n")
        self.write("a.fugu", "no header here, only text")
        self.expect(5, b"", text.format("a.fugu", "a was not created"), "decrypt", "--pass", "file:pass", "a.fugu")
        self.expect(5, b"", text.format("standard input", "nothing was written"), "decrypt", "--pass", "file:pass",
                    input=b"")
        self.assertEqual(self.names(), ["a.fugu", "pass"])

    def test_info(self):
        self.write("a", "Salted")
        self.expect(5, b"", "fugu: a: the format is not recognised: neither sealed nor with the salt header of openssl enc\n", "info", "a")


class Help(Case):
    def test_every_way_to_ask(self):
        code, out, err = self.run_fugu("--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith(b"usage: fugu SUBCOMMAND [options] [FILE...]\n"))
        for same in (["help"], ["-h"]):
            self.expect(0, out, "", *same)
        code, out, err = self.run_fugu("encrypt", "-h")
        self.assertTrue(out.startswith(b"usage: fugu encrypt [options] [FILE...]\n"))
        self.expect(0, out, "", "help", "encrypt")
        self.expect(0, out, "", "encrypt", "no-such-file", "--help")

    def test_version(self):
        code, out, err = self.run_fugu("--version")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out.decode(), r"^fugu \d+\.\d+\.\d+\n$")
        self.expect(0, out, "", "decrypt", "--version")

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.expect(2, None, "fugu: standard output: write failed: No space left on device\n", "help", stdout=full)

    def test_completion_is_bash(self):
        import subprocess
        code, out, err = self.run_fugu("help", "--completion")
        script = out.decode() + 'COMP_WORDS=(fugu decrypt --qui); COMP_CWORD=2; _fugu; echo "${COMPREPLY[@]}"\n'
        done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
        self.assertEqual(done.stdout, b"--quiet\n")


if __name__ == "__main__":
    support.main()
