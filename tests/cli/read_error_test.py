"""A read fails in the middle of a file: no shorter output ever comes with status 0. Needs strace."""

import os
import subprocess
import sys

import support
from support import Case, pattern

CHUNK = 4096


def inject(directory, command, number):
    """Runs the command with EIO from read number `number` of the file."""
    strace = ["strace", "-f", "-q", "-o", "/dev/null", "-P", os.path.join(directory, "a"), "-e", "trace=read", "-e",
              f"inject=read:error=EIO:when={number}"]
    return subprocess.run([*strace, *command], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          env=support.without_leak_check())


class ReadError(Case):
    def test_at_the_start_in_the_middle_and_at_the_end(self):
        self.write("a", pattern(40 * CHUNK))
        for number in (1, 2, 20, 40):
            with self.subTest(read=number):
                command = [support.FUGU, "encrypt", "-q", "--format", "openssl", "--pass", "file:pass", "--chunk", str(CHUNK), "a"]
                done = inject(self.directory, command, number)
                self.assertEqual((done.returncode, done.stdout, done.stderr.decode()),
                                 (2, b"", "fugu: a: read failed: Input/output error; a.fugu was not created\n"))
                self.assertEqual(self.names(), ["a", "pass"])

    def test_nothing_is_removed(self):
        self.write("a", pattern(40 * CHUNK))
        command = [support.FUGU, "encrypt", "-q", "--format", "openssl", "--rm", "--pass", "file:pass", "--chunk", str(CHUNK), "a"]
        self.assertEqual(inject(self.directory, command, 7).returncode, 2)
        self.assertEqual(self.read("a"), pattern(40 * CHUNK))


if __name__ == "__main__":
    problem = support.strace_problem()
    if os.geteuid() != 0:
        problem = "only root may see which files the program has open"
    if problem:
        print("skipped:", problem)
        sys.exit(support.SKIPPED)
    support.main()
