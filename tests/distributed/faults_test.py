"""Reads and writes of one rank fail in the middle of a file, or the disk is full: there is no output, rank 0 writes one message,
and the status is the worst of all ranks.

faults_test.py FUGU FUGU_MPI MPIRUN [mpirun option...]. FUGU_SHIM names the library of tests/cli that lets calls move fewer bytes.
"""

import errno
import os
import shutil
import subprocess
import sys
import unittest

import support
from support import FUGU_MPI, MPIRUN, Case, pattern

RANKS = 3
SIZE = (12 << 20) + 1  # four segments per rank
SHIM = os.environ.get("FUGU_SHIM")
NAMES = ["key", "pass", "plain", "sealed"]


def strace_problem():
    """Why nothing can be traced here, or None."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return None if done.returncode == 0 else "strace cannot trace here: " + done.stderr.decode().strip()


def mount_problem():
    """Why no small file system can be mounted here, or None."""
    done = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return None if done.returncode == 0 else "nothing can be mounted here: " + done.stderr.decode().strip()


def launcher_problem():
    """Why nobody is left to clean up after a rank that was killed, or None."""
    said = subprocess.run([*MPIRUN, "--version"], capture_output=True, text=True, check=False).stdout
    return "MPICH's launcher kills all ranks when one is killed" if "HYDRA" in said else None


class Faults(Case):
    PLACE = "/var/tmp"  # on a disk: write(2) writes the output

    def setUp(self):
        super().setUp()
        self.write("plain", pattern(SIZE))
        self.fugu("encrypt", "-q", "--key", "file:key", "plain", "-o", "sealed")

    def names(self):
        return sorted(os.listdir(self.directory))

    def with_one_rank_under(self, tool, rank, operation, name):
        """Returns the status and the messages of rank 0. Each read or write is one segment."""
        words = []
        for i in range(RANKS):
            words += [":", "-n", "1", *(tool if i == rank else []), FUGU_MPI, operation, "--key", "file:key", "--chunk", "64K",
                      name, "-o", "out"]
        status, out, err = self.run_command(*MPIRUN, *words[1:])
        return status, [line for line in err.splitlines() if line.startswith("fugu-mpi:")]

    @unittest.skipIf(strace_problem(), strace_problem())
    def test_a_rank_that_cannot_read_on_ends_all(self):
        for operation, name in (("encrypt", "plain"), ("decrypt", "sealed")):
            for rank, number in ((0, 1), (0, 2), (1, 2), (2, 1), (2, 2)):  # each thread counts its own reads
                with self.subTest(operation=operation, rank=rank, read=number):
                    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", self.path(name), "-e", "trace=pread64", "-e",
                              f"inject=pread64:error=EIO:when={number}"]
                    self.assertEqual(self.with_one_rank_under(strace, rank, operation, name),
                                     (2, [f"fugu-mpi: {name}: read failed: Input/output error; out was not created"]))
                    self.assertEqual(self.names(), NAMES)

    @unittest.skipIf(strace_problem(), strace_problem())
    def test_a_rank_that_cannot_write_on_ends_all(self):
        for rank in range(RANKS):
            for number, error in ((1, "ENOSPC"), (2, "EFBIG"), (2, "EIO")):
                with self.subTest(rank=rank, write=number, error=error):
                    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
                              f"inject=pwrite64:error={error}:when={number}+"]
                    self.assertEqual(self.with_one_rank_under(strace, rank, "decrypt", "sealed"),
                                     (2, [f"fugu-mpi: out: write failed: {os.strerror(getattr(errno, error))}; "
                                          "out was not created"]))
                    self.assertEqual(self.names(), NAMES)

    @unittest.skipIf(strace_problem() or launcher_problem(), strace_problem() or launcher_problem())
    def test_the_output_of_a_rank_that_is_killed_right_after_creating_it_is_removed(self):
        """To find out whether the file system can refuse to replace, rank 0 renames the file as soon as it exists."""
        strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat2", "-e", "inject=renameat2:signal=KILL:when=1"]
        status, said = self.with_one_rank_under(strace, 0, "encrypt", "plain")
        self.assertNotEqual(status, 0)
        self.assertEqual(said, [])
        self.assertEqual(self.names(), NAMES)

    @unittest.skipUnless(SHIM, "sanitizers take no preloaded library")
    def test_calls_that_move_less_go_on(self):
        shim = ["env", f"LD_PRELOAD={SHIM}", "FUGU_FAULT=short:100000:0"]
        self.assertEqual(self.with_one_rank_under(shim, 1, "decrypt", "sealed"), (0, []))
        self.assertEqual(self.read("out"), pattern(SIZE))

    @unittest.skipIf(mount_problem(), mount_problem())
    def test_a_full_disk_ends_all(self):
        """The file system has 8 MiB for 12: encryption reserves them first, decryption fails while it writes."""
        os.mkdir(self.path("full"))
        script = 'mount -t tmpfs -o size=8m none full && { "$@"; status=$?; ls -A full; exit $status; }'
        for operation, name, text in (("encrypt", "plain", f"cannot reserve {SIZE} bytes: No space left on device"),
                                      ("decrypt", "sealed", "write failed: No space left on device")):
            with self.subTest(operation=operation):
                status, out, err = self.run_command("unshare", "-m", "sh", "-c", script, "sh", *MPIRUN, "-n", str(RANKS), FUGU_MPI,
                                                    operation, "-T", "2", "--key", "file:key", name, "-o", "full/out")
                said = [line for line in err.splitlines() if line.startswith("fugu-mpi:")]
                self.assertEqual((status, out, said), (2, b"", [f"fugu-mpi: full/out: {text}; full/out was not created"]), err)


if __name__ == "__main__":
    for problem in filter(None, (strace_problem(), launcher_problem(), mount_problem())):
        if os.environ.get("FUGU_REQUIRE_PACKAGES") == "1" and "installed" in problem:
            sys.exit(problem)
        print("skipped in part:", problem)
    support.main()
