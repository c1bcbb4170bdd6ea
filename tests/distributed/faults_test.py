"""Reads and writes of one rank fail in the middle of a file, or the disk is full: there is no output, rank 0 writes one message,
and the status is the worst of all ranks.

faults_test.py FUGU FUGU_MPI MPIRUN [mpirun option...]. FUGU_SHIM names the library of tests/cli that lets calls fail or move fewer
bytes. With FUGU_MPI_EVERY=1 every allocation of every rank fails in turn in place of a sample, which takes hours.
"""

import errno
import os
import random
import subprocess
import sys
import unittest

import mpi_support
from mpi_support import FUGU_MPI, MPIRUN, Case, pattern
from support import strace_problem

RANKS = 3
SIZE = (12 << 20) + 1  # four segments per rank
SHIM = os.environ.get("FUGU_SHIM")
EVERY = os.environ.get("FUGU_MPI_EVERY") == "1"
NAMES = ["key", "pass", "plain", "sealed"]


def path_problem():
    """Why no call can be found by the file that it is for, or None."""
    if os.geteuid() != 0:
        return "only root can look at the files of a program that forbids core dumps"
    return strace_problem()


def mount_problem():
    """Why no small file system can be mounted here, or None."""
    done = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return None if done.returncode == 0 else "nothing can be mounted here: " + done.stderr.decode().strip()


def launcher_problem():
    """Why nobody is left to clean up after a rank that was killed, or None."""
    said = subprocess.run([*MPIRUN, "--version"], capture_output=True, text=True, check=False).stdout
    return "MPICH's launcher kills all ranks when one is killed" if "HYDRA" in said else None


def gpu_problem():
    """Why nothing runs on a GPU here, or None."""
    done = subprocess.run([FUGU_MPI, "spectral", "nonlinearity", "--engine", "cuda:local", os.devnull], capture_output=True, text=True,
                          check=False)
    return "no GPU here, or none in this build" if "no GPU" in done.stderr else None


# mpirun of Open MPI 5.0.7 dies of a command line that has several programs.
ON_ONE_RANK = 'count=$2; if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$1" ]; then shift 2; else shift $((2 + count)); fi; exec "$@"'


class FaultCase(Case):
    PLACE = "/var/tmp"  # on a disk: write(2) writes the output

    def run_one_under(self, tool, rank, ranks, *arguments):
        """Runs `rank` of fugu-mpi under a tool. Returns the status and the messages. The timeout is for what hangs."""
        status, out, err = self.run_command(*MPIRUN, "-n", str(ranks), "sh", "-c", ON_ONE_RANK, "sh", str(rank), str(len(tool)),
                                            *tool, FUGU_MPI, *arguments, timeout=60)
        return status, [line for line in err.splitlines() if line.startswith("fugu-mpi:")]


class Faults(FaultCase):

    def setUp(self):
        super().setUp()
        self.write("plain", pattern(SIZE))
        self.fugu("encrypt", "-q", "--key", "file:key", "plain", "-o", "sealed")

    def with_one_rank_under(self, tool, rank, operation, name):
        """Returns the status and the messages. Each read or write is one segment."""
        return self.run_one_under(tool, rank, RANKS, operation, "--key", "file:key", "--chunk", "64K", name, "-o", "out")

    @unittest.skipIf(path_problem(), path_problem())
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


class SpectralFaults(FaultCase):
    """One rank fails, and all end: with one message, its status and no output."""

    COUNT = 1 << 12
    OPERATIONS = (("walsh", "--type", "int32", "f", "-o", "out"), ("convolve", "f.npy", "g.npy", "-o", "out"),
                  ("nonlinearity", "t.npy"), ("inverse", "--type", "int64", "zero", "-o", "out"))

    def setUp(self):
        super().setUp()
        self.write("f", bytes([1, 0, 0, 0]) + bytes(4 * self.COUNT - 4))
        self.write("zero", bytes(8 * self.COUNT))
        for name, descr, width in ("f.npy", "<i4", 4), ("g.npy", "<i4", 4), ("t.npy", "|u1", 1):
            self.npy(name, descr, bytes(width * self.COUNT), self.COUNT)
        self.before = self.names()

    def expect_end(self, tool, rank, ranks, message, operation=OPERATIONS[0], failure=2):
        """`message`: what the only one contains; None if the rank is killed. Returns whether the run failed."""
        status = None
        with self.subTest(tool=tool, rank=rank, ranks=ranks, operation=operation):
            status, said = self.run_one_under(tool, rank, ranks, "spectral", "-q", *operation)
            names = list(self.before)
            if status == 0:
                names += ["out"] if "-o" in operation else []
                self.assertEqual(said, [])
            elif message:
                self.assertEqual(len(said), 1, said)
                self.assertIn(message, said[0])
                self.assertIn(status, (failure, 9) if launcher_problem() else (failure,))  # MPICH's may report the ranks it killed
            self.assertEqual(self.names(), sorted(names))
            if "out" in names:
                if operation[0] == "walsh":
                    self.assertEqual(self.read("out"), bytes([1, 0, 0, 0]) * self.COUNT)
                os.remove(self.path("out"))
        return status != 0

    def each_rank(self):
        """Yields the rank and the number of ranks. Of 3 ranks 2 take part, of 7 ranks 4."""
        for ranks in 2, 3, 7:
            for rank in range(ranks):
                yield rank, ranks

    def shim(self, fault):
        return ["env", f"LD_PRELOAD={SHIM}", f"FUGU_FAULT={fault}"]

    def allocations(self, operation):
        """The number of allocations by C++ that each rank makes at least."""
        tool = ["env", f"LD_PRELOAD={SHIM}", f"FUGU_FAULT_COUNTS={self.path('counts')}"]
        self.assertEqual(self.run_one_under(tool, 1, 2, "spectral", "-q", *operation), (0, []))
        counts = dict(line.split() for line in self.read("counts").decode().splitlines())
        os.remove(self.path("counts"))
        if "-o" in operation:
            os.remove(self.path("out"))
        if counts["new"] == "0":
            self.skipTest("the library of C++ is linked statically here, where the shim does not see it")
        return int(counts["new"])

    @unittest.skipUnless(SHIM, "sanitizers take no preloaded library")
    def test_a_rank_without_memory_ends_all(self):
        numbers = random.Random(3)
        failed = tried = 0
        for operation in self.OPERATIONS:
            count = self.allocations(operation)
            for rank, ranks in self.each_rank():
                for index in range(count) if EVERY else [numbers.randrange(count * 9 // 10)]:
                    tried += 1
                    failed += self.expect_end(self.shim(f"new:12:{index}"), rank, ranks, "not enough memory", operation)
        self.assertGreater(failed, tried * 6 // 10)

    @unittest.skipUnless(SHIM, "sanitizers take no preloaded library")
    def test_a_rank_that_cannot_start_a_thread_does_without(self):
        for rank, ranks in (1, 2), (3, 7), (6, 7):
            for index in range(4):
                self.assertFalse(self.expect_end(self.shim(f"thread:11:{index}"), rank, ranks, "no thread"))

    @unittest.skipIf(strace_problem(), strace_problem())
    def test_a_rank_whose_files_fail_ends_all(self):
        def strace(call, *more):
            return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error=EIO:when=1", *more]

        for rank, ranks in self.each_rank():
            takes_part = rank < 1 << (ranks.bit_length() - 1)
            failing = [("fsync", [], "fugu-mpi: out: sync failed: Input/output error")]
            if not path_problem():
                failing.append(("openat", ["-P", "f"], "fugu-mpi: f: cannot open: Input/output error"))
                if takes_part:
                    failing.append(("pread64", ["-P", self.path("f")], "fugu-mpi: f: read failed: Input/output error"))
            if takes_part:
                failing.append(("pwrite64", [], "fugu-mpi: out: write failed: Input/output error"))
            for call, more, message in failing:
                self.assertTrue(self.expect_end(strace(call, *more), rank, ranks, message), f"{call} {rank} of {ranks}")

    @unittest.skipIf(gpu_problem(), gpu_problem())
    def test_a_rank_without_its_gpu_ends_all(self):
        operation = ("walsh", "--type", "int32", "--engine", "cuda:local", "f", "-o", "out")
        for rank, ranks in self.each_rank():
            self.assertTrue(self.expect_end(["env", "CUDA_VISIBLE_DEVICES="], rank, ranks, "no GPU", operation, 6))

    @unittest.skipIf(launcher_problem() or not SHIM, launcher_problem() or "sanitizers take no preloaded library")
    def test_a_rank_that_is_killed_ends_all(self):
        numbers = random.Random(4)
        count = self.allocations(self.OPERATIONS[0])
        for rank, ranks in self.each_rank():
            for index in (numbers.randrange(count // 2), numbers.randrange(count // 2, count * 9 // 10)):
                self.assertTrue(self.expect_end(self.shim(f"new:-9:{index}"), rank, ranks, None))


if __name__ == "__main__":
    for problem in filter(None, (path_problem(), launcher_problem(), mount_problem())):
        if os.environ.get("FUGU_REQUIRE_PACKAGES") == "1" and "installed" in problem:
            sys.exit(problem)
        print("skipped in part:", problem)
    mpi_support.main()
