"""tools/judge and tools/damage with scripts in fugu's place, of which it is known what they do; and openssl reads what they make.

usage: judge_test.py FOLDER_OF_THE_TOOLS
"""

import importlib.machinery
import importlib.util
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(sys.argv.pop(1)).resolve()
OPENSSL = ["openssl", "enc", "-d", "-provider", "legacy", "-provider", "default", "-pass"]
REFUSES = "echo 'fugu: data: wrong passphrase' >&2; exit 3"
WRITES = "if [ $1 = guess ]; then echo ' 1. fugu decrypt data'; else head -c 99 /dev/urandom > data.decrypted; fi"


class Tools(unittest.TestCase):
    def run_tool(self, tool, script, title, *arguments):
        """Exit status, the figures of a row by column, and the last line."""
        with tempfile.TemporaryDirectory() as folder:
            fugu = pathlib.Path(folder, "fugu")
            fugu.write_text(f"#!/bin/sh\n{script}\n")
            fugu.chmod(0o755)
            done = subprocess.run([sys.executable, "-B", TOOLS / tool, "--fugu", fugu, *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        head = next(line for line in lines if " files " in line)
        figures = next(line for line in lines if line.startswith(title + "  "))[len(title):].split()
        return done.returncode, dict(zip(head.replace("as other", "as_other").split(), figures)), lines[-1]

    def judged(self, script, row="enc"):
        title = {"enc": "openssl enc", "others": "other ciphers of openssl", "guess": "guess --key, first recipe"}[row]
        return self.run_tool("judge", script, title, "--quick", "--count", "8", "--seed", "1", "--rows", row)

    def test_judge(self):
        for script, row, column, status in ((REFUSES, "enc", "3", 1), (REFUSES, "others", "3", 0), ("exit 6", "enc", "else", 1),
                                            (REFUSES, "guess", "3", 1), (WRITES, "enc", "wrong", 1), (WRITES, "others", "wrong", 1),
                                            (f"{WRITES}; rm data", "enc", "removed", 1), (f"{WRITES}; exit 4", "enc", "else", 1),
                                            (WRITES, "guess", "wrong", 1)):  # fmt: skip
            got, figures, said = self.judged(script, row)
            self.assertEqual((got, figures["files"], figures[column]), (status, "8", "8"), (script, row, said))

    def test_openssl_reads_what_is_made(self):
        loader = importlib.machinery.SourceFileLoader("judge", str(TOOLS / "judge"))
        judge = importlib.util.module_from_spec(importlib.util.spec_from_loader("judge", loader))
        loader.exec_module(judge)
        if not judge.libcrypto.library():
            self.skipTest("OpenSSL's legacy provider is not installed")
        for seed in range(24):
            case = judge.enc(random.Random(seed), nopad=0.3)
            name, digest, iterations, *_ = case.made.replace(",", "").split(" ")
            options = [f"pass:{judge.SECRET.decode()}", f"-{name.lower()}", "-md", digest, *(["-pbkdf2", "-iter", iterations] if iterations != "0" else [])]
            options += ["-nopad"] * ("-nopad" in case.made) + ["-a"] * ("-a" in case.made) + ["-A"] * ("-a" in case.made and b"\n" not in case.file)
            if "key 8" not in case.made:
                self.assertEqual(subprocess.run([*OPENSSL, *options], input=case.file, capture_output=True).stdout, case.plain, case.made)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_damage_as_openssl_has_it(self):
        opens = "openssl enc -d -provider legacy -provider default -pass file:pass -md sha256 -bf-cbc -in data -out out"
        for script, column in ((f"{opens} || {{ rm -f out; exit 4; }}", "less"), (opens, "else"), (f"{opens}; exit 4", "written")):
            got, figures, _ = self.run_tool("damage", f"exec 2> /dev/null; {script}", "openssl bf-cbc", "--places", "4", "--kinds", "openssl bf-cbc")
            self.assertEqual((got, figures["files"]), (1, "24"))
            self.assertNotEqual(figures[column], "-", (script, figures))


if __name__ == "__main__":
    unittest.main()
