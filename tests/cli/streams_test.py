"""Reads from and writes to pipes, devices, terminals and standard streams."""

import os
import resource
import stat
import subprocess
import threading
import unittest

import support
from support import CHEAP, DEFAULT, Case, pattern
from terminal import Screen

NEW = ["--pass", "file:pass"]


class Streams(Case):
    def test_standard_streams(self):
        code, out, err = self.run_fugu("encrypt", "-q", "--format", "openssl", *NEW, input=pattern(3000))
        self.assertEqual((code, err, out[:8], len(out)), (0, "", b"Salted__", 16 + 3000 + 8))
        self.expect(0, pattern(3000), "", "decrypt", "-q", *NEW, *DEFAULT, "-", input=out)
        self.expect(0, pattern(3000), "", "decrypt", "-q", *NEW, *DEFAULT, "-", "-o", "-", input=out)
        self.expect(0, b"", "", "decrypt", "-q", *NEW, *DEFAULT, "-o", "b", input=out)
        self.assertEqual(self.read("b"), pattern(3000))

    def test_fifos(self):
        for name in ("in", "out"):
            os.mkfifo(self.path(name))
        self.write("a", pattern(300000))
        feeder = threading.Thread(target=lambda: self.write("in", pattern(300000)))
        drained = []
        drain = threading.Thread(target=lambda: drained.append(self.read("out")))
        feeder.start()
        drain.start()
        self.encrypt("in", "-o", "out")
        feeder.join()
        drain.join()
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("out")).st_mode))
        self.expect(0, pattern(300000), "", "decrypt", "-q", *NEW, *DEFAULT, input=drained[0])

    def test_the_names_of_the_standard_streams(self):
        self.write("a", pattern(20))
        out = self.output("encrypt", "-q", *CHEAP, "/dev/stdin", input=pattern(20))
        self.expect(0, pattern(20), "", "decrypt", "-q", *NEW, "/dev/stdin", "-o", "/dev/stdout", input=out)
        with open(self.path("log"), "ab") as log:
            log.write(b"before, ")
            log.flush()
            self.expect(0, None, "", "decrypt", "-q", *NEW, "-o", "/dev/stdout", input=out, stdout=log)
        self.assertEqual(self.read("log"), b"before, " + pattern(20))
        for name in ("/dev/fd/1", "/proc/self/fd/1"):
            with open(self.path("log"), "wb") as log:
                self.expect(0, None, "", "decrypt", "-q", "-f", *NEW, "/dev/fd/0", "-o", name, input=out, stdout=log)
                self.expect(1, None, "fugu: --rm needs an output that is a file: nothing else is known to keep the data\n", "decrypt", "-q", "--rm",
                            "-f", *NEW, "a", "-o", name, stdout=log)
            self.assertEqual(self.read("log"), pattern(20))
        with open(self.path("log"), "wb") as log:
            self.expect(1, b"", "fugu: --rm needs an output that is a file: nothing else is known to keep the data\n", "decrypt", "-q", "--rm", "-f",
                        *NEW, "a", "-o", f"/dev/fd/{log.fileno()}", pass_fds=[log.fileno()])

    def test_no_file_at_a_terminal(self):
        screen = Screen(self)
        text = "fugu: no FILE is given, and input and output are this terminal; fugu encrypt FILE writes FILE.fugu\n"
        self.expect(1, None, text, "encrypt", stdin=screen.line, stdout=screen.line)

    def test_what_is_no_file_lends_no_name(self):
        os.mkfifo(self.path("fifo"))
        for name in ("fifo", "/dev/null"):
            for command in ("encrypt", "decrypt"):
                self.expect(1, b"", f"fugu: {name}: is not a file; -o OUT is missing\n", command, "-q", *NEW, name)
        self.assertEqual(self.names(), ["fifo", "pass"])

    def test_a_limit_on_the_size_of_files(self):
        """The kernel's signal for this must not leave a temporary file behind."""
        self.expect(2, b"", "fugu: b: write failed: File too large; b was not created\n", "encrypt", "-q", *CHEAP,
                    "-o", "b", input=pattern(3_000_000),
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999)))
        self.assertEqual(self.names(), ["pass"])

    def test_what_was_written_in_part_is_said(self):
        with open(self.path("out"), "wb") as out:
            self.expect(2, None, "fugu: standard output: write failed: File too large; the 9999 bytes already on standard "
                        "output are not to be trusted\n", "encrypt", "-q", *CHEAP, input=pattern(3_000_000), stdout=out,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999)))
        self.assertEqual(os.path.getsize(self.path("out")), 9999)

    def test_dev_full(self):
        text = "fugu: {}: write failed: No space left on device; nothing was written\n"
        self.expect(2, b"", text.format("/dev/full"), "encrypt", "-q", *CHEAP, "-o", "/dev/full", input=b"x")
        with open("/dev/full", "wb") as full:
            self.expect(2, None, text.format("standard output"), "encrypt", "-q", *CHEAP, input=b"x", stdout=full)

    def test_closed_streams(self):
        def run(closed, *arguments):
            """The program in a shell that closes the descriptor first."""
            done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", support.FUGU, *arguments],
                                  cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            return done.returncode, done.stdout, done.stderr.decode()

        self.write("a", "x")
        encrypt = ["encrypt", "-q", *CHEAP]
        self.assertEqual(run("<&-", *encrypt),
                         (2, b"", "fugu: standard input: is closed or not open for reading\n"))
        self.assertEqual(run(">&-", *encrypt, "a", "-o", "-"),
                         (2, b"", "fugu: standard output: is closed or not open for writing; nothing was written\n"))
        self.assertEqual(run(">&-", "engines")[0], 2)
        # No message may go into an output that got the number of a closed stream.
        os.mkfifo(self.path("fifo"))
        for closed in ("2>&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            drained = []
            drain = threading.Thread(target=lambda: drained.append(self.read("fifo")))
            drain.start()
            self.assertEqual(run(closed, "encrypt", "-v", *CHEAP, "a", "-o", "fifo"), (0, b"", ""))
            drain.join()
            self.assertEqual(len(drained[0]), 168)  # a sealed file: 151 bytes, 1 of content and 16 of its tag
            self.assertEqual(run(closed, "encrypt", "-v", *CHEAP, "a", "-f"), (0, b"", ""))
            self.expect(0, b"", "", "decrypt", "-q", *NEW, "a.fugu", "-f", "-o", "c")
            self.assertEqual(self.read("c"), b"x")
        self.assertEqual(self.names(), ["a", "a.fugu", "c", "fifo", "pass"])

    def test_reader_that_goes_away(self):
        self.write("a", pattern(8_000_000))
        process = self.start("encrypt", "-q", *CHEAP, "a", "-o", "-")
        process.stdout.read(1000)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(60), 2)

    def test_binary_is_not_written_to_a_terminal(self):
        screen = Screen(self)
        self.expect(2, None, "fugu: standard output: is a terminal, and the output is not text; use -o OUT or a redirection; "
                    "nothing was written\n", "encrypt", "-q", *CHEAP, input=b"x", stdout=screen.line)
        self.expect(0, None, "", "encrypt", "-q", "-a", "--format", "openssl", *NEW, input=b"x", stdout=screen.line)
        screen.expect(b"U2FsdGVkX1")


@unittest.skipIf(support.strace_problem(), support.strace_problem())
class NoThreads(Case):
    """Where a thread cannot be started, those that run do its work: nothing else changes."""

    def traced(self, when, *arguments):
        return support.run_injected(self, "clone3", "EAGAIN", when, arguments)

    def test_all_the_same(self):
        self.write("key", bytes(range(32)))
        os.chmod(self.path("key"), 0o600)
        self.write("a", pattern(3 << 20))
        self.expect(0, b"", "", "encrypt", "--key", "file:key", "a")
        sealed = ["--key", "file:key", "-T", "3", "--chunk", "64K"]
        raw = ["--format", "raw", "--mode", "ctr", "--iv", "zero", "--key", "file:key", "-T", "1", "--chunk", "64K"]
        plain = self.read("a")
        for arguments in (["decrypt", *sealed, "a.fugu", "-o", "-"], ["verify", *sealed, "a.fugu"], ["encrypt", "-q", *raw, "a", "-o", "-"],
                          ["sbox", "report", "AES"], ["spectral", "nonlinearity", "-T", "3", "key"]):
            status, out, err = self.run_fugu(*arguments)
            failed = [self.traced(when, *arguments) for when in ("1+", "2+", "1", "2", "3", "4")]
            self.assertGreater(failed[0][0], 0)
            for when, (_, result) in enumerate(failed):
                self.assertTrue(result == (status, out, err), (when, arguments[:2], result[0], result[2]))  # not the contents
            self.assertIn(status, (0, 1))
        two_workers = ["decrypt", *sealed[:2], "-T", "4", "--chunk", "64K", "a.fugu", "-o", "-"]
        for when in range(1, 10):
            self.assertEqual(self.traced(when, *two_workers)[1], (0, plain, ""), when)
        for when in ("1+", "2+", "3+", "4+", "2", "3", "6"):  # the output is read back
            self.write("b", plain)
            self.assertEqual(self.traced(when, "encrypt", "--rm", "-f", *sealed, "b")[1], (0, b"", ""))
            self.assertNotIn("b", self.names())
            self.expect(0, plain, "", "decrypt", "--key", "file:key", "b.fugu", "-o", "-")
