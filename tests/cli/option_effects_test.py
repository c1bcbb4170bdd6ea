"""Every option that a subcommand accepts has an effect. Each option in the program's own manual, of each subcommand and of each
operation of spectral and sbox, is added to a run that succeeds without it. An invalid value must be refused; a flag must be
refused or change the output. An option that is accepted and ignored fails here."""

import os
import re
import shutil

import support
from support import PASS, Case

NO_VALUE = "no/such?value"  # not a number, word, size, range or file

# Runs that succeed, by subcommand. Those in OPERATIONS have operations.
RUNS = {
    "encrypt": [[*PASS, "--format", "openssl", "--salt", "0011223344556677", "plain"],
                ["--key", "file:key", "plain"],
                ["--key", "file:key", "--format", "raw", "--mode", "ctr", "--iv", "zero", "plain"]],
    "decrypt": [[*PASS, *support.DEFAULT, "salted.enc"], ["--key", "file:key", "sealed.fugu"],
                ["--key", "file:key", "--format", "raw", "--mode", "ctr", "--iv", "zero", "-o", "out", "raw"]],
    "verify": [[*PASS, *support.DEFAULT, "salted.enc"], ["--key", "file:key", "sealed.fugu"],
               ["--key", "file:key", "--format", "raw", "--mode", "ctr", "--iv", "zero", "raw"]],
    "rekey": [["--key", "file:key", "--new-key", "file:other", "sealed.fugu"]],
    "info": [["sealed.fugu"]],
    "guess": [["--key", "file:key", "blocks"], [*PASS, "salted.enc"]],
    "formats": [[]],
    "selftest": [["--engine", "cpu/scalar", "--rounds", "1"]],
    "engines": [[]],
    "bench": [["--scope", "kernel", "--engine", "cpu/scalar", "--mode", "ecb", "--size", "64K", "--runs", "1", "-T", "1"]],
    "help": [[]],
}
OPERATIONS = {
    "spectral": {"walsh": [["bits"]], "inverse": [["numbers"]], "nonlinearity": [["bits"]],
                 "convolve": [["numbers", "numbers"], ["--group", "3", "three", "three"]],
                 "autocorrelate": [["bits"], ["--group", "3", "three"]], "characters": [["3"]],
                 "properties": [["bits"], ["--group", "3", "three"]], "anf": [["bits"]],
                 "vilenkin-chrestenson": [["--group", "3", "three"], ["--group", "3", "--values", "counts", "three"]]},
    "sbox": {"report": [["box"], ["--random-keys", "1"], ["--weak-keys", "0:1"]], "spectrum": [["lat", "box"]],
             "table": [["lat", "box"]], "model": [["ddt", "PRESENT"]], "components": [["box"], ["--exhaustive", "box"]],
             "anf": [["box"], ["--field", "0x7", "box"]], "invariants": [["box"]], "compare": [["box", "box"]], "canonical": [["box"]], "class": [["box"]],
             "spaces": [["box"]], "permutation": [["box"]], "classes": [["box"]], "tu": [["2", "box"]],
             "inverse": [["box"]], "derivative": [["1", "box"]], "component": [["1", "box"]], "equations": [["2", "box"]], "make": [["AES"]],
             "list": [[]]},
}

# Arguments with which a flag has an effect: they contradict it, or give it something to do.
BESIDE = {
    "keep": [["--rm"]],
    "progress": [["--no-progress"]],
    "no-progress": [["--progress"]],
    "force": [["-o", "there"]],
    "quiet": [["plain2"]],
    "recursive": [["tree"]],
    "pbkdf2": [["--no-pbkdf2"]],
    "salvage": [["--range", "0:1"]],
    "anew": [["--threads", "1"]],
}

# Other tests cover these: they have no effect here, or take long.
ELSEWHERE = {"yes", "exhaustive"}

# These runs write data only and no notes, so --quiet changes nothing.
NOTELESS = {"rekey", "guess", "spectral walsh", "spectral inverse", "spectral convolve", "spectral autocorrelate",
            "spectral characters", "spectral properties", "spectral vilenkin-chrestenson", "spectral anf", "sbox spectrum", "sbox table", "sbox model",
            "sbox components", "sbox report --weak-keys", "sbox anf", "sbox inverse", "sbox derivative", "sbox component", "sbox make",
            "sbox permutation", "sbox canonical", "sbox classes", "sbox equations"}


class OptionEffects(Case):
    FILES = {"key": b"0123456789abcdef", "other": b"another key of 16", "there": "is here", "bits": "00010111\n", "numbers": "8 0 4 4\n",
             "three": "1 2 0\n", "box": "3 1 0 2\n", **dict.fromkeys(("plain", "plain2", "raw"), b"16 bytes or more")}

    def setUp(self):
        super().setUp()
        self.write("salted.enc", support.salted(b"16 bytes or more", self.directory))
        self.expect(0, b"", "", "encrypt", "-q", "--key", "file:key", "-o", "sealed.fugu", "plain")
        self.expect(0, b"", "", "encrypt", "-q", "--format", "raw", "--mode", "ecb", "--key", "file:key", "-o", "blocks", "plain")
        self.before = {name: self.read(name) for name in self.names()}
        os.mkdir(self.path("tree"))
        self.before["tree"] = b""

    def options(self, subcommand):
        """(name, takes a value) of each of the subcommand's options in the manual."""
        manual = self.run_fugu("help", "--man")[1].decode().replace("\\-", "-").replace("\\fR", "").replace("\\fB", "")
        rows = re.findall(r"^\.TP\n(?:-\w, )?--([a-z0-9-]+)( .+)?\n((?:[^.].*\n|\.br\n)+)", manual, re.MULTILINE)
        found = {name: value != "" for name, value, text in rows
                 if any(subcommand in names.split(", ") for names in re.findall(r"\(([a-z, ]+)\)$", text, re.MULTILINE))}
        self.assertGreater(len(found), 2)
        return list(found.items())

    def result(self, arguments):
        """All that a run leaves, without the random bytes of new sealed files. Then the files are restored."""
        result = self.run_fugu(*arguments, input=b"")
        files = {name: b"" if os.path.isdir(self.path(name)) else self.read(name) for name in self.names()}
        if files != self.before:
            for name in files.keys() - self.before.keys():
                shutil.rmtree(self.path(name)) if os.path.isdir(self.path(name)) else os.unlink(self.path(name))
            for name in self.before.keys() - {"tree"}:
                self.write(name, self.before[name])
        return result, {name: len(data) if data.startswith(self.before["sealed.fugu"][:8]) else data
                        for name, data in files.items()}

    @staticmethod
    def without(arguments, option):
        """The arguments without the option, whose second value would be refused as such."""
        dashed = "-T" if option == "threads" else "-o" if option == "output" else "--" + option
        if dashed not in arguments:
            return arguments
        at = arguments.index(dashed)
        return arguments[:at] + arguments[at + 2:]

    def check_value(self, run, option):
        """The value is refused, or taken as the name of the output."""
        run = self.without(run, option)
        made = self.result([*run, "--" + option, NO_VALUE])
        self.assertTrue(made[0][0] != 0 or made != self.result(run), "an invalid value is accepted")

    def check_flag(self, title, run, option):
        if option in ELSEWHERE or (option == "quiet" and title in NOTELESS):
            return
        for beside in [[], *BESIDE.get(option, [])]:
            plain = [*(self.without(run, "output") if "-o" in beside else run), *beside]
            plain = [word for word in plain if word != "--" + option]
            if self.result(plain) != self.result([*plain, "--" + option]):
                return
        self.fail("the flag changes nothing")

    def check(self, title, runs, options):
        for run in runs:
            self.assertEqual(self.result(run)[0][0], 0, run)
            for option, takes_value in options:
                with self.subTest(run=" ".join(run), option=option):
                    if takes_value:
                        self.check_value(run, option)
                    else:
                        self.check_flag(title, run, option)

    def test_every_subcommand(self):
        _, out, _ = self.run_fugu("--help")
        names = re.findall(r"^  ([a-z]+)[, ]", out.decode().split("exit status")[0], re.MULTILINE)
        self.assertEqual(set(names), set(RUNS) | set(OPERATIONS))
        for name, runs in RUNS.items():
            self.check(name, [[name, *run] for run in runs], self.options(name))

    def test_every_operation(self):
        for name, operations in OPERATIONS.items():
            _, _, err = self.run_fugu(name, "none")
            self.assertEqual(set(err.strip().split("choose from ")[1].split(", ")), set(operations))
            options = self.options(name)
            for operation, runs in operations.items():
                for run in runs:
                    title = " ".join([name, operation] + [word for word in run if word == "--weak-keys"])
                    self.check(title, [[name, operation, *run]], options)
