"""What the tests of fugu-mpi share. Each *_test.py is a program: NAME_test.py FUGU FUGU_MPI MPIRUN [mpirun option...]"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

FUGU, FUGU_MPI, *MPIRUN = sys.argv[1:]
SIZE = (5 << 20) + 1


def pattern(size):
    return (bytes(range(251)) * (size // 251 + 1))[:size]


class Case(unittest.TestCase):
    PLACE = "/dev/shm" if os.path.isdir("/dev/shm") else None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="fugu-mpi-", dir=self.PLACE)
        self.addCleanup(shutil.rmtree, self.directory)
        self.write("key", bytes(range(32)))
        self.write("pass", b"correct horse\n")
        self.write("plain", pattern(SIZE))

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def npy(self, name, descr, data, count):
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}"
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        self.write(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def start(self, *command):
        return subprocess.Popen(command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, start_new_session=True)

    def run_command(self, *command, timeout=300):
        process = self.start(*command)
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
