"""Compares fugu-mpi, as a user meets it, with fugu: program_test.py FUGU FUGU_MPI MPIRUN [mpirun option...]

FUGU_MPI_KILLS is the number of times that a rank is killed, 4 by default; a full run takes 200.
"""

import os
import random
import signal
import struct
import subprocess
import time

import mpi_support
from mpi_support import FUGU_MPI, MPIRUN, SIZE, Case, pattern

KILLS = int(os.environ.get("FUGU_MPI_KILLS", "4"))


def running_children(pid):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as stat:
                fields = stat.read().rpartition(")")[2].split()
            if name.isdigit() and fields[0] != "Z" and int(fields[1]) == pid:
                found.append(int(name))
        except (OSError, IndexError):
            pass
    return found


class Program(Case):
    def test_sealed_by_ranks_is_opened_by_one_process_and_back(self):
        self.by_ranks(3, "encrypt", "--pass", "file:pass", "--scrypt-cost", "10", "plain")
        self.fugu("decrypt", "-q", "--pass", "file:pass", "plain.fugu", "-o", "one")
        self.assertEqual(self.read("one"), pattern(SIZE))
        self.by_ranks(4, "decrypt", "--pass", "file:pass", "plain.fugu", "-o", "many")
        self.assertEqual(self.read("many"), pattern(SIZE))
        said = self.by_ranks(2, "verify", "--pass", "file:pass", "plain.fugu")
        self.assertEqual(said, b"plain.fugu: sealed, every segment authentic\n")

    def test_what_a_file_says_does_not_drive_the_terminal(self):
        name = "plain\x1b[2J.fugu"
        self.fugu("encrypt", "-q", "--key", "file:key", "plain", "-o", name)
        self.assertEqual(self.by_ranks(2, "verify", "--key", "file:key", name),
                         b"plain\\x1b[2J.fugu: sealed, every segment authentic\n")

    def test_bash_completes_it(self):
        script = self.run_command(FUGU_MPI, "help", "--completion", "bash")[1].decode()
        for words, found in ((["enc"], "encrypt"), (["encrypt", "--engine", "cuda:"], "cuda:local"), (["spectral", "wal"], "walsh"),
                             (["spectral", "--ty"], "--type"), (["help", "ver"], "verify")):
            asked = f'COMP_WORDS=(fugu-mpi {" ".join(words)}); COMP_CWORD={len(words)}; _fugu-mpi; echo "${{COMPREPLY[@]}}"'
            self.assertEqual(self.run_command("bash", "-c", script + asked)[1].decode(), found + "\n", words)
        self.assertIn("-F _fugu-mpi fugu-mpi", self.run_command("bash", "-c", script + "complete -p fugu-mpi")[1].decode())

    def test_names_are_those_of_the_file_system(self):
        for name in "p", "ufs:p", "a:b":
            self.write(name, pattern(SIZE))
            self.by_ranks(2, "encrypt", "--key", "file:key", "-o", "s:" + name, name)
            self.by_ranks(2, "decrypt", "--key", "file:key", "-f", "-o", name, "s:" + name)
            self.assertEqual(self.read(name), pattern(SIZE))

    def test_failures_are_said_once(self):
        self.write("out", b"old")
        self.expect_failure(2, "fugu-mpi: out: exists; not overwritten (use -f); out was not changed", "encrypt",
                            "--key", "file:key", "plain", "-o", "out")
        self.assertEqual(self.read("out"), b"old")
        self.expect_failure(2, "fugu-mpi: nothing: cannot open: No such file or directory; x was not created", "encrypt",
                            "--key", "file:key", "nothing", "-o", "x")
        key = self.read("key")
        self.expect_failure(1, "fugu-mpi: plain: key: holds the passphrase or key and is the output for plain; nothing was done; "
                            "key was not changed", "encrypt", "--key", "file:key", "plain", "-f", "-o", "key")
        self.assertEqual(self.read("key"), key)
        self.expect_failure(1, "fugu-mpi: plain: cbc cannot be encrypted in parts: use fugu, in which one process does the whole file; "
                            "x was not created", "encrypt", "--format", "raw", "--mode", "cbc", "--iv", "zero", "--key",
                            "file:key", "plain", "-o", "x")
        self.expect_failure(1, "fugu-mpi: there is no terminal to ask on under mpirun; give --pass or --key (see fugu-mpi encrypt "
                            "--help)", "encrypt", "plain")
        self.fugu("encrypt", "--key", "file:key", "plain", "-o", "sealed")
        sealed = bytearray(self.read("sealed"))
        self.npy("none.npy", "<f8", b"", 1 << 61)  # 8 times that is 0 modulo 2^64
        self.expect_failure(4, "fugu-mpi: none.npy: the .npy header has no valid shape, but (2305843009213693952,)", "spectral",
                            "walsh", "none.npy", "-o", "x")
        os.remove(self.path("none.npy"))
        self.write("odd", bytes([1]) + bytes(511))
        self.expect_failure(1, "fugu-mpi: odd: not the spectrum of an integer function: the inverse has fractions", "spectral",
                            "inverse", "-q", "--type", "int64", "odd", "-o", "x")
        os.remove(self.path("odd"))
        sealed[148 + 3 * (1048576 + 16)] ^= 1
        self.write("sealed", bytes(sealed))
        self.expect_failure(4, "fugu-mpi: sealed: segment 3 (bytes 3145728-4194303) failed authentication; x was not "
                            "created", "decrypt", "--key", "file:key", "sealed", "-o", "x")
        self.assertEqual(sorted(os.listdir(self.directory)), ["key", "out", "pass", "plain", "sealed"])

    def test_transforms_are_those_of_one_process(self):
        numbers = random.Random(1)
        count = 1 << 12
        values = struct.pack(f"<{count}i", *(numbers.randrange(-99, 99) for _ in range(count)))
        self.npy("f.npy", "<i4", values, count)
        self.npy("t.npy", "|u1", bytes(numbers.randrange(2) for _ in range(count)), count)
        for operation in "walsh", "autocorrelate":
            for name in "f.npy", "t.npy":
                self.fugu("spectral", operation, "--to", "npy", *(["--as", "table"] if name == "t.npy" else []), name,
                          "-f", "-o", "one.npy")
                self.by_ranks(4, "spectral", operation, name, "-f", "-o", "many.npy")
                self.assertEqual(self.read("many.npy"), self.read("one.npy"), (operation, name))
        self.fugu("spectral", "walsh", "f.npy", "-f", "-o", "one.npy")
        self.by_ranks(3, "spectral", "inverse", "one.npy", "-f", "-o", "many.npy")
        self.assertEqual(self.read("many.npy"), self.read("f.npy"))
        self.fugu("spectral", "convolve", "f.npy", "one.npy", "-f", "-o", "two.npy")
        self.by_ranks(7, "spectral", "convolve", "f.npy", "one.npy", "-f", "-o", "many.npy")
        self.assertEqual(self.read("many.npy"), self.read("two.npy"))
        one = self.fugu("spectral", "nonlinearity", "t.npy").splitlines()[:3]
        self.assertEqual(self.by_ranks(4, "spectral", "nonlinearity", "t.npy").splitlines(), one)

    # mpirun of Open MPI 4.1 may wait forever for a lock of its own (PMIx_server_finalize) after all ranks have ended.
    def wait_for_ranks(self, process):
        deadline = time.monotonic() + 60
        ended = 0  # seconds without any rank
        while ended < 3:
            try:
                process.communicate(timeout=1)
                return
            except subprocess.TimeoutExpired:
                ranks = running_children(process.pid)
                ended = 0 if ranks else ended + 1
                self.assertTrue(not ranks or time.monotonic() < deadline, ranks)
        process.kill()
        process.communicate()

    def test_a_rank_that_a_signal_ends_leaves_nothing(self):
        self.write("plain", "")
        os.truncate(self.path("plain"), 256 << 20)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_command(*MPIRUN, "-n", "2", FUGU_MPI, "encrypt", "--key", "file:key", "plain", "-o", "x")
            while process.poll() is None and not any(".fugu-" in name for name in os.listdir(self.directory)):
                time.sleep(0.01)
            os.kill(running_children(process.pid)[0], number)
            self.wait_for_ranks(process)
            self.assertEqual(sorted(os.listdir(self.directory)), ["key", "pass", "plain"], number)

    def test_a_rank_that_is_killed_leaves_no_output(self):
        numbers = random.Random(2)
        self.write("plain", pattern(24 << 20))
        begin = time.monotonic()
        self.by_ranks(3, "encrypt", "--key", "file:key", "plain", "-o", "x")
        seconds = time.monotonic() - begin
        os.remove(self.path("x"))
        for _ in range(KILLS):
            delay = numbers.uniform(0.1, 1) * seconds
            process = self.start_command(*MPIRUN, "-n", "3", FUGU_MPI, "encrypt", "--key", "file:key", "plain", "-o", "x")
            time.sleep(delay)
            victims = running_children(process.pid)
            if victims:
                try:
                    os.kill(numbers.choice(victims), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.wait_for_ranks(process)
            with self.subTest(delay=delay, status=process.returncode):
                if os.path.exists(self.path("x")):
                    self.fugu("decrypt", "-q", "--key", "file:key", "x", "-f", "-o", "back")
                    self.assertEqual(self.read("back"), pattern(24 << 20))
                    os.remove(self.path("x"))
                    os.remove(self.path("back"))
                else:
                    self.assertNotEqual(process.returncode, 0)
                self.assertEqual(sorted(os.listdir(self.directory)), ["key", "pass", "plain"])


mpi_support.main()
