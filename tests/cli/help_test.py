"""Help, the manual page and the shell completions."""

import json
import re
import shutil
import subprocess
import unittest

import support
from support import PASS, Case, pattern


def words(text):
    """Without the breaks of lines."""
    return " ".join(text.split())


class Formats(Case):
    """An option that several formats have stands under each, with its own values."""

    def table(self):
        return {row["name"]: row for row in json.loads(self.run_fugu("formats", "--json")[1])["formats"]}

    def section(self, text, name):
        """The rows under a format's title."""
        found = re.search(rf"^Format {name}:\n((?: .*\n)*)", text, re.MULTILINE)
        return found[1] if found else ""

    def test_raw_has_rows_of_its_own(self):
        for text in (self.run_fugu("help", "decrypt", "--format", "raw")[1], self.run_fugu("formats", "raw")[1]):
            rows = self.section(text.decode(), "raw")
            self.assertEqual(re.findall(r"^ {6}--(\S+)", rows, re.MULTILINE), ["mode", "iv", "pad", "words", "counter", "key-steps", "key-hash", "key-fill", "skip", "length", "sized"])
            for word in ("cfb8", "pkcs7", "zero", "prefix"):
                self.assertIn(word, rows)

    def test_every_format_shows_all_of_its_options(self):
        manual = self.run_fugu("help", "--man")[1].decode()
        for name, row in support.some(list(self.table().items())):
            alone = self.run_fugu("formats", name)[1].decode()
            help_of = [self.run_fugu("help", use, "--format", name)[1].decode() for use in ("encrypt", "decrypt", "rekey")]
            self.assertTrue(alone.startswith(f"{name}: {row['summary']}\n"), alone)
            for part in (row["made_by"], row["wrong_secret"], row["details"]):
                self.assertIn(words(part), words(alone))
            of_manual = re.search(rf"^\.SS Format {name}\n(.*?)^\.S", manual, re.MULTILINE | re.DOTALL)
            for option in row["options"]:
                with self.subTest(format=name, option=option["name"]):
                    shown = [words(self.section(text, name)) for text in help_of]
                    self.assertTrue(any(words(option["help"]) in text for text in shown))
                    self.assertIn(words(option["help"]), words(self.section(alone, name)))
                    self.assertIn(option["help"].replace("-", "\\-").lstrip(".'"), of_manual[1])

    def test_the_list_says_what_it_is_and_names_commands(self):
        lines = self.run_fugu("formats")[1].decode().splitlines()
        self.assertEqual(lines[0], "The file formats that fugu knows; 'fugu formats NAME' explains the options of one.")
        self.assertEqual(lines[1:4], ["sealed: authenticated, parallel, seekable", "  made by: fugu",
                                      "  can: decrypt, encrypt, decrypt --range, decrypt --salvage, rekey"])
        self.assertEqual(self.table()["sealed"]["abilities"], ["open", "seal", "range", "salvage", "rekey"])

    def test_a_vault_names_its_own_forms_only(self):
        for name, forms in (("kwallet", {"json", "payload"}), ("pwsafe", {"json", "csv"})):
            option = next(option for option in self.table()[name]["options"] if option["name"] == "to")
            self.assertEqual(set(option["words"]), forms)
            self.assertEqual({word for word in ("json", "payload", "csv") if word in option["help"]}, forms)

    def test_a_subcommand_shows_what_it_does(self):
        self.assertNotIn("--range", self.section(self.run_fugu("help", "encrypt", "--format", "sealed")[1].decode(), "sealed"))
        self.assertIn("--range", self.section(self.run_fugu("help", "decrypt", "--format", "sealed")[1].decode(), "sealed"))
        self.assertIn("For decryption only.", words(self.run_fugu("formats", "sealed")[1].decode()))
        self.assertNotIn("only.", self.run_fugu("formats", "mcrypt")[1].decode())  # it is opened alone
        code, out, err = self.run_fugu("help", "info", "--format", "raw")
        self.assertEqual((code, self.section(out.decode(), "raw"), err), (0, "  no options of its own\n", ""))

    def test_several_names_and_json(self):
        out = self.run_fugu("formats", "raw", "vim")[1]
        self.assertEqual(out, self.run_fugu("formats", "raw")[1] + self.run_fugu("formats", "vim")[1])
        rows = json.loads(self.run_fugu("formats", "--json", "vim")[1])["formats"]
        self.assertEqual([row["name"] for row in rows], ["vim"])

    def test_names_that_are_no_format(self):
        names = ", ".join(self.table())
        for words in (["help", "decrypt", "--format", "rwa"], ["formats", "rwa"]):
            self.expect(1, b"", f"fugu: no format 'rwa' (did you mean raw?); choose from {names}\n", *words)
        self.expect(1, b"", "fugu: raw is a format: see fugu formats raw\n", "help", "raw")
        self.expect(1, b"", "fugu: --format needs a subcommand: help decrypt --format NAME\n", "help", "--format", "raw")


class Usage(Case):
    def test_no_subcommand(self):
        err = self.fails(1)
        lines = err.splitlines()
        self.assertLessEqual(len(lines), 20)
        self.assertEqual(lines[0], "usage: fugu SUBCOMMAND [options] [FILE...]")
        for command in ("encrypt", "decrypt", "verify", "info", "sbox report"):
            self.assertIn(f"fugu {command} ", err)
        for line in lines:
            self.assertLessEqual(len(line), 80)


class Help(Case):
    def test_every_way_to_ask(self):
        out = self.output("--help")
        self.assertTrue(out.startswith(b"usage: fugu SUBCOMMAND [options] [FILE...]\n"))
        for same in (["help"], ["-h"]):
            self.expect(0, out, "", *same)
        out = self.output("encrypt", "-h")
        self.assertTrue(out.startswith(b"usage: fugu encrypt [options] [FILE...]\n"))
        self.expect(0, out, "", "help", "encrypt")
        self.expect(0, out, "", "encrypt", "no-such-file", "--help")
        self.expect(0, self.output("help", "encrypt", "--format", "raw"), "", "encrypt", "--help", "--format", "raw")

    def test_no_help_is_long(self):
        for command in ("encrypt", "decrypt", "rekey", "verify", "info", "guess", "formats", "selftest", "engines", "bench",
                        "sbox", "spectral", "help"):
            lines = self.output("help", command).decode().splitlines()
            self.assertLessEqual(len(lines), 80, command)
            if command in ("sbox", "spectral"):  # have no formats of files
                self.assertNotIn("--format NAME", " ".join(lines))
            self.assertLessEqual(max(map(len, lines)), 80, command)

    def test_what_everybody_needs_then_a_line_per_format(self):
        text = self.output("help", "decrypt").decode()
        self.assertEqual(re.findall(r"^([A-Z].*):$", text, re.MULTILINE), ["Input", "Output", "Result", "Passphrase and key", "Format", "General", "More"])
        self.assertIn("      --range OFF:LEN", self.output("help", "decrypt", "--format", "sealed").decode())
        after = text[text.index("'fugu help decrypt --format NAME'"):]
        named = set(re.findall(r"^  (\w+) +--", after, re.MULTILINE))
        self.assertIn("\n  raw                   --mode --iv --pad --words --counter --key-steps ...\n", after)
        with_options = {row["name"] for row in json.loads(self.output("formats", "--json"))["formats"] if row["options"]}
        self.assertEqual(named - with_options, {"Work", "Progress"})
        self.assertEqual(with_options - named, set())
        self.assertIn("fugu bench --scope kernel --engine cuda:0 --grid default", words(self.output("help", "bench").decode()))

    def test_nobody_reads_that_72_bytes_of_a_key_count(self):
        self.assertIn("  opened with: passphrase or key of at most 1024 bytes\n", self.output("formats", "sealed").decode())

    def test_v_is_taken_everywhere(self):
        for command in (["info"], ["formats"], ["selftest"], ["guess"], ["engines"], ["rekey"]):
            self.assertIn("  -v, --verbose ", self.output("help", *command).decode())
        self.expect(0, self.output("formats").split(b"\n")[0] + b"\n" + self.output("formats", *self.format_names()), "", "formats", "-v")

    def format_names(self):
        return [row["name"] for row in json.loads(self.output("formats", "--json"))["formats"]]

    def test_version(self):
        out = self.output("--version")
        self.assertRegex(out.decode(), r"^fugu \d+\.\d+\.\d+\n$")
        self.expect(0, out, "", "decrypt", "--version")

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.expect(2, None, "fugu: standard output: write failed: No space left on device\n", "help", stdout=full)

    def test_other_names(self):
        for name, other in (("encrypt", "enc"), ("decrypt", "dec"), ("decrypt", "-d")):
            self.expect(0, self.run_fugu(name, "--help")[1], "", other, "--help")
        self.write("a", pattern(100))
        self.expect(0, b"", "", "enc", *PASS, "a")
        self.expect(0, pattern(100), "", "-d", *PASS, "a.fugu", "-o", "-")

    def test_operations_are_explained_with_their_subcommand(self):
        for subcommand, operation in (("sbox", "report"), ("spectral", "walsh")):
            self.assertEqual(self.output("help", subcommand, operation), self.output("help", subcommand))
        self.expect(1, b"", "fugu: 'x' is one argument too many: encrypt has no operations\n", "help", "encrypt", "x")

    def test_an_option_is_explained_with_the_subcommands_that_have_it(self):
        text = words(self.output("help", "csv").decode())
        for kind in ("a column of a table (RFC 4180)", "(encrypt, decrypt, verify)", "one sample per row. (bench)", "per box, row or component. (sbox)"):
            self.assertIn(kind, text)
        self.assertIn("(decrypt, verify --format odf)", words(self.output("help", "max-output").decode()))

    def test_quiet_has_no_meaning_for_help(self):
        self.expect(1, b"", "fugu: unrecognised option '-q'; see fugu help --help\n", "help", "-q")


class Completion(Case):
    def script(self, *shell):
        return self.output("help", "--completion", *shell).decode()

    def bash(self, *words):
        line = " ".join(f"'{word}'" for word in words)
        script = self.script() + f'COMP_WORDS=(fugu {line}); COMP_CWORD={len(words)}; _fugu; echo "${{COMPREPLY[@]}}"\n'
        return subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True).stdout.split()

    def test_bash(self):
        self.assertEqual(self.script(), self.script("bash"))
        self.assertEqual(self.bash("decrypt", "--qui"), ["--quiet"])
        self.assertEqual(self.bash("dec", "--qui"), ["--quiet"])
        self.assertEqual(self.bash("decr"), ["decrypt"])
        self.assertEqual(self.bash("encrypt", "--engine", "c"), ["cpu", "cuda"])
        self.assertEqual(self.bash("encrypt", "--pass", "en"), ["env:"])
        self.assertEqual(self.bash("bench", "--scope", ""), ["kernel", "copy", "file"])
        self.assertEqual(self.bash("encrypt", "--threads", ""), [])

    def test_bash_knows_operands(self):
        for words, found in ((["sbox", "rep"], ["report"]), (["sbox", "table", "la"], ["lat"]), (["sbox", "report", "AE"], ["AES"]),
                             (["spectral", "wal"], ["walsh"]), (["help", "de"], ["decrypt"]), (["formats", "vi"], ["vim"]),
                             (["sbox", "report", "--only", "lineari"], ["linearity"]), (["decrypt", "A"], [])):
            self.assertEqual(self.bash(*words), found, words)

    # What the formats' programs call their modes, in the order of the table.
    RAW = ["ecb", "cbc", "cfb", "cfb8", "ofb", "ctr", "ofb8", "pcbc"]
    CRYPT_CBC = ["cbc", "pcbc", "cfb", "ofb", "ctr"]

    def test_bash_knows_each_formats_values(self):
        self.assertEqual(self.bash("decrypt", "--format", "raw", "--mode", ""), self.RAW)
        self.assertEqual(self.bash("decrypt", "--format", "=", "cryptcbc", "--mode", ""), self.CRYPT_CBC)
        self.assertEqual(self.bash("encrypt", "--format", "raw", "--pad", ""), ["pkcs7", "zero", "space", "none", "x923", "iso10126", "oneandzeroes", "rijndael_compat", "residual", "clear-rest", "cs1", "cs2", "cs3", "pkcs5", "null"])
        both = self.bash("decrypt", "--mode", "")
        self.assertLess(set(self.RAW + self.CRYPT_CBC), set(both))
        self.assertEqual(len(both), len(set(both)))
        options = self.bash("decrypt", "--")
        self.assertEqual(len(options), len(set(options)))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.write("_fugu", self.script("zsh"))
        done = subprocess.run(["zsh", "-n", "_fugu"], cwd=self.directory, capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")
        check = """compdef() { :; }; source ./_fugu
_arguments() { print -rl -- "$@"; }
words=(fugu bench --scope k); CURRENT=4; _fugu
words=(fugu sbox ta); CURRENT=3; _fugu"""
        done = subprocess.run(["zsh", "-fc", check], cwd=self.directory, capture_output=True, check=True, text=True)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertTrue(any(re.match(r"1:.*\btable\b", line) for line in lines), lines)
        values = """compdef() { :; }; source ./_fugu; compadd() { print -- "${@:2}"; }
_arguments() { for spec; do if [[ $spec == --mode=* ]]; then spec=${spec##*:NAME:}; eval ${spec[2,-2]}; fi; done; }
words=(fugu decrypt --format raw --mode x); CURRENT=6; _fugu
words=(fugu decrypt --mode x --format=cryptcbc); CURRENT=4; _fugu
words=(fugu decrypt --mode x); CURRENT=4; _fugu"""
        shown = subprocess.run(["zsh", "-fc", values], cwd=self.directory, capture_output=True, check=True, text=True)
        raw, crypt_cbc, both = (line.split() for line in shown.stdout.splitlines())
        self.assertEqual((raw, crypt_cbc, shown.stderr), (self.RAW, self.CRYPT_CBC, ""))
        self.assertLess(set(self.RAW + self.CRYPT_CBC), set(both))
        self.assertTrue(any(line.startswith("--scope=[") and line.endswith("]:SCOPE:(kernel copy file)") for line in lines),
                        lines)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        self.write("fugu.fish", self.script("fish"))

        def complete(line):
            command = ["fish", "--no-config", "-c", f"source fugu.fish; complete -C '{line}'"]
            done = subprocess.run(command, cwd=self.directory, capture_output=True, check=True, text=True)
            self.assertEqual(done.stderr, "")
            return [row.split("\t")[0] for row in done.stdout.splitlines()]

        self.assertEqual(complete("fugu decr"), ["decrypt"])
        self.assertEqual(complete("fugu decrypt --qui"), ["--quiet"])
        self.assertEqual(complete("fugu encrypt --engine c"), ["cpu", "cuda"])
        self.assertEqual((complete("fugu help de"), complete("fugu sbox rep")), (["decrypt"], ["report"]))
        self.assertEqual(sorted(complete("fugu decrypt --format raw --mode ")), sorted(self.RAW))
        self.assertEqual(sorted(complete("fugu decrypt --format=cryptcbc --mode ")), sorted(self.CRYPT_CBC))
        self.assertLess(set(self.RAW + self.CRYPT_CBC), set(complete("fugu decrypt --mode ")))

    def test_another_shell(self):
        self.expect(1, b"", "fugu: --completion takes bash, zsh or fish, not 'tcsh'\n", "help", "--completion", "tcsh")


class Manual(Case):
    def test_sections_and_each_option_once_per_format(self):
        text = self.run_fugu("help", "--man")[1].decode()
        sections = re.findall(r"^\.SH (.+)$", text, re.MULTILINE)
        self.assertEqual(sections, ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SUBCOMMANDS", "OPTIONS", "JSON",
                                    "TABLES OF S-BOXES", "PROPERTIES OF S-BOXES", "EQUIVALENCE OF S-BOXES", "PROPERTIES OF BOOLEAN FUNCTIONS",
                                    "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"])
        groups = re.split(r"^\.SS (.+)$", text[text.index(".SH OPTIONS"):text.index(".SH JSON")], flags=re.MULTILINE)[1:]
        options = [(title if title.startswith("Format ") else "", name) for title, rows in zip(groups[::2], groups[1::2])
                   for name in re.findall(r"^(?:\\fB\\-.\\fR, )?\\fB\\-\\-(\S+)\\fR", rows, re.MULTILINE)]
        self.assertGreater(len(options), 50)
        self.assertEqual(len(options), len(set(options)))

    def test_it_renders(self):
        self.renders(self.run_fugu("help", "--man")[1])
