"""What the tests of fugu-mpi share. Each *_test.py is a program: NAME_test.py FUGU FUGU_MPI MPIRUN [mpirun option...]"""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import support
from spectral_test import npy
from support import pattern

FUGU, FUGU_MPI, *MPIRUN = sys.argv[1:]
SIZE = (5 << 20) + 1


class Case(support.Case):
    PLACE = "/dev/shm" if os.path.isdir("/dev/shm") else None

    FILES = {"key": bytes(range(32)), "plain": pattern(SIZE)}

    def npy(self, name, descr, data, count):
        self.write(name, npy(descr, data, "B", f"({count},)"))

    def start_command(self, *command):
        return subprocess.Popen(command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, start_new_session=True)

    def run_command(self, *command, timeout=300):
        process = self.start_command(*command)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # with all ranks
            process.communicate()
            raise
        return process.returncode, out, err.decode()

    def fugu(self, *arguments):
        status, out, err = self.run_command(FUGU, *arguments)
        self.assertEqual(status, 0, err)
        return out

    def ranks(self, number, *arguments):
        return self.run_command(*MPIRUN, "-n", str(number), FUGU_MPI, *arguments)

    def by_ranks(self, number, *arguments):
        status, out, err = self.ranks(number, *arguments)
        self.assertEqual(status, 0, err)
        return out

    def expect_failure(self, status, message, *arguments):
        """Expects one message and the status; mpirun adds text of its own."""
        got, out, err = self.ranks(3, *arguments)
        said = [line for line in err.splitlines() if line.startswith("fugu-mpi:")]
        self.assertEqual((got, said), (status, [message]), err)


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
