"""Usage errors: what the user reads, and exit status 1, 5 or 6."""

import os
import json

from support import CHEAP, PASS, Case, pattern


class Usage(Case):
    def test_unknown_subcommand(self):
        """Control characters are shown as text."""
        names = "encrypt, decrypt, rekey, verify, info, guess, formats, selftest, engines, bench, spectral, sbox, help"
        for given, shown in (("encryp", "'encryp' (did you mean encrypt?)"), ("\x1b[2J\n", "'\\x1b[2J\\x0a'")):
            self.stops(1, f"no subcommand {shown}; choose from {names}", given)

    def test_an_option_is_no_subcommand(self):
        for given, owner in (("completion", "help"), ("calibrate", "engines")):
            self.assertIn(f"no subcommand '{given}': --{given} is an option of {owner}; choose from encrypt, ", self.fails(1, given))

    def test_unknown_option(self):
        self.stops(1, "unrecognised option '--nonsense'; see fugu encrypt --help", "encrypt", "--nonsense")
        self.stops(1, "unrecognised option '-Z'; see fugu info --help", "info", "-Z")

    def test_the_nearest_option_is_named(self):
        for given, shown, meant in (("--outptu", "--outptu", "output"), ("--bas64", "--bas64", "base64"),
                                    ("--passphrase", "--passphrase", "pass"), ("--ouput=x", "--ouput", "output"),
                                    ("--no_progress", "--no_progress", "no-progress")):
            self.stops(1, f"unrecognised option '{shown}' (did you mean --{meant}?); see fugu encrypt --help", "encrypt", given)
        for given, meant in (("decyrpt", "decrypt"), ("verfy", "verify"), ("inf", "info"), ("self-test", "selftest")):
            self.fails(1, given, matches=rf"^fugu: no subcommand '{given}' \(did you mean {meant}\?\); choose from ")

    def test_what_may_be_a_secret_is_not_repeated(self):
        for words in (["--passphrase=hunter2"], ["--password", "hunter2"], ["-phunter2"], ["-pass", "pass:hunter2"],
                      ["--pass=hunter2"], ["--key", "hunter2"], ["--force=hunter2"], ["-K", "hunter2"]):
            for subcommand in ("encrypt", "decrypt", "verify", "rekey"):
                self.assertNotIn("hunter2", self.fails(1, subcommand, *words))

    def test_placeholders_of_the_parser_in_names(self):
        """Boost.Program_options 1.74 inserts the name into its text until no placeholder is left."""
        for name in ("--n%original_token%salt", "--%option%", "--%canonical_option%=1", "--%prefix%%value%"):
            self.stops(1, f"unrecognised option '{name.split('=')[0]}'; see fugu encrypt --help", "encrypt", name)
        self.stops(1, "option '--force' takes no value; see fugu encrypt --help", "encrypt", "--force=%original_token%")
        self.stops(1, "unrecognised option '-%'; see fugu encrypt --help", "encrypt", "-%original_token%")

    def test_options_and_operands(self):
        for text, *arguments in (
                ("unrecognised option '--outp' (did you mean --output?); see fugu encrypt --help", "encrypt", "--outp", "x"),
                ("unrecognised option '-o'; see fugu verify --help", "verify", "-o", "x"),
                ("option '--output' needs a value; see fugu encrypt --help", "encrypt", "-o"),
                ("--iter is given twice", "encrypt", "--iter", "1", "--iter", "2"),
                ("'x' is one argument too many; see fugu engines --help", "engines", "x"),
                ("--against names one plaintext, but 2 files are given", "verify", "--against", "p", "a", "b"),
                ("--format odf is only opened; encrypt writes sealed, vim, openssl, cryptcbc, raw", "encrypt", "--format", "odf")):
            self.stops(1, text, *arguments)

    def test_numbers(self):
        self.stops(1, "--threads takes a number from 0 to 1024", "encrypt", "-T", "1025")
        self.stops(1, "--threads takes a number from 0 to 1024", "encrypt", "-T", "2x")
        self.stops(1, "--threads takes one number from 0 to 1024", "bench", "-T", "1,2")
        self.stops(1, "--iter takes a number from 1 to 2147483647", "encrypt", "--format", "openssl", "--iter", "0")
        for size in ("1G", "4095", "1.5M", "1MB", "1m", "99999999999999999999G"):
            self.stops(1, "--chunk takes a size from 4K to 32M; K, M and G or KiB, MiB and GiB are powers of 1024", "encrypt",
                       "--chunk", size)
        self.stops(1, "--rounds takes a number from 1 to 1000000000", "selftest", "--rounds", "-1")

    def test_words(self):
        out = self.run_fugu("formats", "--json")[1]
        seal = ", ".join(row["name"] for row in json.loads(out)["formats"] if "seal" in row["abilities"])
        self.stops(1, f"--format takes {seal}, not 'zip'", "encrypt", "--format", "zip")
        self.stops(1, "--cipher takes bf-cbc, bf-ecb, bf-cfb, bf-ofb, not 'aes'", "encrypt", "--format", "openssl", "--cipher", "aes")
        self.stops(1, "--salt takes 16 hexadecimal digits", "encrypt", "--salt", "0011")
        for none in ("sha257", "null", "shake128x"):
            self.stops(1, "--md takes a digest that OpenSSL knows, as listed by: openssl list -digest-commands",
                       "encrypt", "--format", "openssl", "--md", none)

    def test_combinations(self):
        for first, second in (("quiet", "verbose"), ("keep", "rm"), ("nosalt", "salt=00"), ("pbkdf2", "no-pbkdf2"),
                              ("progress", "no-progress"), ("progress", "quiet"), ("base64", "hex")):
            self.write("a", "x")
            for subcommand in ("encrypt", "decrypt"):
                self.stops(1, f"--{first} and --{second.split('=')[0]} cannot be combined: give one of them",
                           subcommand, "--format", "openssl", f"--{first}", f"--{second}", *PASS, "a", "-o", "b")
        self.assertEqual(self.names(), ["a", "pass"])

    def test_options_of_the_other_format(self):
        formats = json.loads(self.run_fugu("formats", "--json")[1])["formats"]

        def owners(name, ability):
            *others, last = [row["name"] for row in formats
                             if name[2:] in [known["name"] for known in row["options"]] and ability in row["abilities"]]
            return f"{', '.join(others)} or {last}" if others else last

        for option in ("--pass=tty", "--cipher=bf-cbc", "--md=md5", "--pbkdf2", "--iter=5", "--nosalt", "--nopad",
                       "--salt=0000000000000000", "--key-bytes=8", "--no-pbkdf2"):
            name = option.split("=")[0]
            refusal = ("--format raw takes a key, not a passphrase: give --key file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N" if name == "--pass"
                       else f"{name} and --format raw cannot be combined: {name} belongs to --format {owners(name, 'seal')}")
            self.stops(1, refusal, "encrypt", "--format", "raw", option)
        for option in ("--mode=cbc", "--iv=zero", "--pad=none", "--words=le", "--counter=le", "--cipher=bf-cbc",
                       "--md=md5", "--pbkdf2", "--iter=5", "--nopad", "--key-bytes=8", "--no-pbkdf2"):
            name = option.split("=")[0]
            self.stops(1, f"{name} needs --format {owners(name, 'seal')}", "encrypt", option)
        keyed = [row["name"] for row in formats if row["max_key_bytes"]]
        for option in ("--key=file:k", "--range=0:1"):
            name = option.split("=")[0]
            refusal = ("--format openssl takes a passphrase, not a key: give --pass tty, file:F, env:V, fd:N or cmd:C; "
                       "a key is for --format " + ", ".join(keyed[:-1]) + " or " + keyed[-1]
                       if name == "--key"
                       else f"{name} and --format openssl cannot be combined: {name} belongs to --format {owners(name, 'open')}")
            self.stops(1, refusal, "decrypt", "--format", "openssl", option)

    def test_options_that_mean_nothing_in_the_mode(self):
        raw = ["encrypt", "--format", "raw", "--key", "file:k"]
        self.stops(1, "--iv and --mode ecb cannot be combined: this mode has no IV", *raw, "--mode", "ecb", "--iv", "zero")
        self.stops(1, "--pad residual and --mode ofb cannot be combined: only cbc ends so", *raw, "--mode", "ofb",
                   "--iv", "zero", "--pad", "residual")
        self.stops(1, "--counter and --mode cbc cannot be combined: only ctr has a counter", *raw, "--mode", "cbc", "--iv", "zero",
                   "--counter", "le")
        self.stops(1, "--nopad and --cipher bf-cfb cannot be combined: this mode is never padded", "encrypt", "--format",
                   "openssl", "--nopad", "--cipher", "bf-cfb")

    def test_raw_says_what_it_needs(self):
        raw = ["decrypt", "--format", "raw"]
        self.stops(1, "--format raw needs --mode ecb, cbc, cfb, cfb8, ofb, ctr, ofb8 or pcbc", *raw)
        values = "16 hexadecimal digits, text:, base64:, zero, prefix, key, openpgp, encrypted-zero or encrypted-ff"
        self.stops(1, f"--format raw needs --iv ({values})", *raw, "--mode", "cbc")
        self.stops(1, f"--iv takes {values}", *raw, "--mode", "cbc", "--iv", "base64:?")
        for given, size in (("12", 1), ("text:1234567", 7), ("base64:MTIzNDU2Nzg5", 9), ("text:", 0)):
            self.stops(1, f"--iv takes {values}; an IV has 8 bytes, and this one {size}", *raw, "--mode", "cbc", "--iv", given)
        for given in ("12345678", "0123abcd"):
            self.stops(1, f"--iv takes {values}; for 8 characters as they are give text:12345678", *raw, "--mode", "cbc", "--iv", given)
        self.stops(1, "--format raw needs --key file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N",
                   *raw, "--mode", "ecb")

    def test_outputs(self):
        self.stops(1, "-o names one output, but 2 files are given; --output-dir DIR takes all", "encrypt", "a", "b", "-o", "c")
        self.stops(1, "standard input can be read only once", "encrypt", "-", "-")
        self.stops(1, "--rm cannot remove standard input", "encrypt", "--rm")
        for output in ("-", "/dev/null"):
            self.stops(1, "--rm needs an output that is a file: nothing else is known to keep the data",
                       "encrypt", "--rm", "a", "-o", output)
        os.mkdir(self.path("d"))
        self.fails(2, "encrypt", *PASS, "-o", "d", "pass", says="fugu: d: is a directory; --output-dir writes into one\n")

    def test_guess(self):
        self.write("short", b"\x80" * 16)
        self.fails(5, "guess", "--key", "file:pass", "--skip", "16", "short",
                   says="fugu: short: nothing was tried: it has no whole block of 8 bytes after --skip\n")
        self.run_fugu("encrypt", *CHEAP, "pass")
        self.expect(5, b"", "fugu: pass.fugu: is in the format sealed, which fugu decrypt opens; guess is for files without a header\n",
                    "guess", "--key", "file:pass", "pass.fugu")

    def test_engines(self):
        self.fails(1, "encrypt", "--engine", "abacus", *PASS, "pass", matches="^fugu: no engine 'abacus'; choose from auto, ")

    def test_the_best_of_a_kind(self):
        self.write("a", "x")
        listed = json.loads(self.run_fugu("engines", "--json")[1])
        for kind in ("cpu", "cuda"):
            best = [row["name"] for row in listed["engines"] if row["available"] and row["name"].startswith(kind)]
            code, out, err = self.run_fugu("encrypt", "-v", "--engine", kind, *PASS, "a", "-o", kind)
            if best:
                self.assertEqual((code, err), (0, f"fugu: a -> {kind}: sealed, {best[0]}\n"))
            else:
                self.assertEqual((code, err.split(": ")[:2]), (6, ["fugu", "engine cuda:0"]))
            code, out, err = self.run_fugu("selftest", "--rounds", "1", "--engine", kind)
            self.assertEqual((code, out.decode().split(": ")[0] if best else ""), (0, best[0]) if best else (6, ""))

    def test_verbose_says_what_auto_became(self):
        self.write("a", "x")
        self.ends(0, b"", "encrypt", "-v", *PASS, "a", matches=r"^fugu: a -> a.fugu: sealed, (cpu/|cuda)\S+\n$")

    def test_zero_threads_are_all(self):
        self.write("a", pattern(100))
        for threads in ("0", "1", "3"):
            self.expect(0, b"", "", "encrypt", "-f", "-T", threads, *CHEAP, "a")
        self.expect(0, pattern(100), "", "decrypt", "-T", "0", *PASS, "a.fugu", "-o", "-")


class Text(Case):
    def test_digits_that_are_none(self):
        self.write("a", "00112233zz")
        self.expect(4, b"", "fugu: a: character at byte 8 is not a hexadecimal digit; b was not created\n", "decrypt", "-q", "--format",
                    "raw", "--mode", "ecb", "--key", "file:pass", "--hex", "a", "-o", "b")
        self.assertEqual(self.names(), ["a", "pass"])


class UnknownFormat(Case):
    def test_no_header(self):
        text = ("fugu: {}: the format is not recognised ({}); if it has no header, fugu guess --key file:K FILE finds out how it was "
                "encrypted, or --format NAME says so (fugu formats lists them){}\n")
        self.write("a", "no header here, only text")
        looks = "25 bytes, not a multiple of 8"
        self.expect(5, b"", text.format("a", looks, "; a.decrypted was not created"), "decrypt", *PASS, "a")
        self.expect(5, b"", text.format("a", looks, ""), "verify", *PASS, "a")
        self.expect(5, b"", "fugu: standard input: is empty; nothing was written\n", "decrypt", *PASS, input=b"")
        self.expect(0, b"", "", "encrypt", "-q", "--format", "openssl", *PASS, "-o", "o", "a")
        self.expect(5, b"", "fugu: o: is in the format openssl, which cannot be given another secret: decrypt it, and encrypt it again\n",
                    "rekey", *PASS, "--new-pass", "file:pass", "o")
        self.expect(5, b"", "fugu: a: is not a sealed file; only those can be rekeyed\n", "rekey", *PASS, "--new-pass", "file:pass", "a")
        os.rename(self.path("a"), self.path("a.fugu"))
        self.expect(5, b"", f"fugu: a.fugu: the format is not recognised ({looks}); it is named like a sealed file: its first bytes are damaged, or "
                    "it is something else; a was not created\n", "decrypt", *PASS, "a.fugu")
        self.expect(5, b"", f"fugu: a.fugu: the format is not recognised ({looks}); it is named like a sealed file: its first bytes are damaged, or "
                    "it is something else\n", "info", "a.fugu")
