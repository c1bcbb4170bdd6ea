"""Signals during the work, the progress display that one of them requests, pipes, devices, terminals and standard streams."""

import fcntl
import os
import resource
import signal
import stat
import struct
import subprocess
import termios
import threading
import time
import unittest

import support
from support import CHEAP, DEFAULT, PASS, Case, pattern
from terminal import Screen, Terminal


ARGUMENTS = ["encrypt", "-q", *CHEAP, "--chunk", "4K", "-o", "out"]
RATE = r"[\d.]+ [kMGTPE]?B"


class Ending(Case):
    def test_temporary_files_are_removed(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGALRM,
                       signal.SIGVTALRM, signal.SIGPROF, signal.SIGPOLL, signal.SIGUSR2, signal.SIGPWR, signal.SIGSTKFLT,
                       signal.SIGRTMIN, signal.SIGRTMAX):
            with self.subTest(signal=number):
                process = self.start(*ARGUMENTS, feed=pattern(1 << 20))
                self.wait_until_writing(process)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out, err), (-number, b"", b""))
                self.assertEqual(self.names(), ["pass"])

    def test_nothing_is_left_when_nothing_can_be_removed(self):
        if not self.makes_unnamed_files():
            self.skipTest("this file system makes no files without a name")
        process = self.start(*ARGUMENTS, feed=pattern(1 << 20))
        self.wait_until_writing(process)
        process.kill()
        self.assertEqual(process.wait(60), -signal.SIGKILL)
        process.communicate()
        self.assertEqual(self.names(), ["pass"])

    def test_an_ignored_signal_stays_ignored(self):
        process = self.start(*ARGUMENTS, feed=pattern(100), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_until_writing(process)
        process.send_signal(signal.SIGHUP)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (0, b"", b""))
        self.expect(0, pattern(100), "", "decrypt", "-q", *PASS, "out", "-o", "-")


class EndingAtATerminal(Case):
    """The line of the progress is removed, and one line says what was not finished."""

    def shown_after(self, number, *arguments):
        screen = Screen(self)
        process = self.start("encrypt", *CHEAP, *arguments, feed=pattern(1 << 20), stderr=screen.line, variables={"TERM": "xterm"})
        self.wait_until_writing(process)
        if "-q" not in arguments:
            screen.expect(b"/s")
        process.send_signal(number)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -number)
        return screen.rest().decode()

    def test_what_was_not_created(self):
        self.assertTrue(self.shown_after(signal.SIGTERM, "-o", "o\u00fct").endswith("\r\x1b[Kfugu: interrupted; o\u00fct was not created\r\n"))
        self.assertEqual(self.shown_after(signal.SIGHUP, "-q", "-o", "a\nb"), "fugu: interrupted; a?b was not created\r\n")
        self.assertEqual(self.names(), ["pass"])

    def test_what_was_not_changed(self):
        self.write("out", "old")
        self.assertEqual(self.shown_after(signal.SIGINT, "-q", "-f", "-o", "out"), "\r\nfugu: interrupted; out was not changed\r\n")
        self.assertEqual(self.read("out"), b"old")

    def test_several_outputs(self):
        for name in "ab":
            self.write(name, "")
            os.truncate(self.path(name), 200 << 20)
        screen = Screen(self)
        process = self.start("encrypt", "-q", "-T", "2", "--format", "raw", "--mode", "cbc", "--iv", "zero", "--key", "file:pass", "a", "b",
                             stderr=screen.line)
        self.wait_until_writing(process)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual((process.returncode, self.names()), (-signal.SIGINT, ["a", "b", "pass"]))
        self.assertRegex(screen.rest().decode(), r"^\r\nfugu: interrupted; [ab].fugu and other outputs were not finished\r\n$")

    @unittest.skipIf(support.strace_problem(), support.strace_problem())
    def test_a_finished_output_is_not_named(self):
        self.write("in", "")
        screen = Screen(self)
        process = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:signal=TERM:when=2",
                                    support.FUGU, "encrypt", "-q", *CHEAP, "-o", "out", "in"], cwd=self.directory, stderr=screen.line,
                                   env=support.without_leak_check())
        self.assertEqual(process.wait(60), -signal.SIGTERM)  # as the name of the output is synced
        self.assertEqual((screen.rest(), self.names()), (b"fugu: interrupted\r\n", ["in", "out", "pass"]))

    def test_a_loop_of_a_shell_ends(self):
        """As bash, which goes on after a program that only ends with a status above 128."""
        if support.ALONE:
            self.skipTest(support.ALONE)
        self.write("loop", f"for i in 1 2; do '{support.FUGU}' encrypt -q --pass file:pass --scrypt-cost 10 -o out$i; done; echo goes on")
        shell = subprocess.Popen(["bash", "loop"], cwd=self.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        shell.stdin.write(b"x")
        shell.stdin.flush()
        time.sleep(1)
        os.killpg(shell.pid, signal.SIGINT)
        self.assertEqual((shell.communicate(timeout=60)[0], shell.returncode), (b"", -signal.SIGINT))


class Progress(Case):
    def test_no_terminal_no_progress(self):
        self.write("a", pattern(1 << 20))
        self.encrypt("a")

    def test_forced_without_a_terminal_it_ends_with_a_line(self):
        self.write("a", pattern(3 << 20))
        self.ends(0, b"", "encrypt", "--format", "openssl", "--progress", *PASS, "a",
                  matches=rf"^fugu: 3.15 MB of 3.15 MB, 100 %, {RATE}/s, 0:00 left\n$")

    def test_usr1_prints_a_line(self):
        process = self.start("encrypt", "-q", *PASS, "--chunk", "4K", "-o", "out", "--format", "openssl",
                             feed=pattern(1 << 16))
        time.sleep(0.2)
        process.send_signal(signal.SIGUSR1)
        line = process.stderr.readline().decode()
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (0, b"", b""))
        self.assertRegex(line, rf"^fugu: {RATE}, {RATE}/s\n$")

    def screen(self, columns=80):
        screen = Screen(self)
        fcntl.ioctl(screen.line, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        return screen

    def display(self, *options, columns=80, term="xterm"):
        """What a terminal shows while the program waits for its input for a second."""
        screen = self.screen(columns)
        process = self.start("encrypt", "--format", "openssl", *PASS, "-o", "out", "-f", *options,
                             feed=pattern(1 << 16), stderr=screen.line, variables={"TERM": term})
        time.sleep(1)
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)
        process.stdout.close()
        return screen.rest().decode()

    def test_redrawn_on_a_terminal_and_closed_with_a_line(self):
        shown = self.display()
        self.assertRegex(shown, rf"^(\r\x1b\[K{RATE}, ({RATE}/s|writing to the disk))+\r\x1b\[Kfugu: encrypted; 65.5 kB in \d+\.\d s, {RATE}/s\r\n$")

    def test_a_dumb_terminal_gets_no_escapes(self):
        self.assertEqual(self.display(term="dumb"), "")
        self.assertNotIn("\x1b", self.display("--progress", term="dumb"))

    def test_fields_are_left_out_where_they_do_not_fit(self):
        self.write("big", pattern(1 << 20))
        for columns, line in ((80, rf"{RATE} of 1.05 MB, \d+ %, {RATE}/s, (\?|[0-9:]+) left"), (40, rf"{RATE} of 1.05 MB, \d+ %, (\?|[0-9:]+) left"),
                              (20, r"\d+ %, (\?|[0-9:]+) left"), (7, r"\d+ %"), (4, r"\d %|"), (3, "")):
            screen = self.screen(columns)
            reading, writing = os.pipe()  # read once the file is, which the total does not count
            process = self.start("encrypt", "--format", "openssl", "-T", "1", *PASS, "--chunk", "64K", "big", "-o", "-", stdout=writing,
                                 stderr=screen.line, variables={"TERM": "xterm"})
            os.close(writing)
            time.sleep(1)
            with open(reading, "rb") as rest:
                rest.read()
            process.wait(60)
            shown = screen.rest().decode().split("\r\x1b[K")[1:-1]
            self.assertTrue(shown)
            for text in shown:
                self.assertRegex(text, f"^({line})$")
                self.assertLess(len(text), columns)

    @unittest.skipIf(support.strace_problem(), support.strace_problem())
    def test_writing_to_the_disk_is_said(self):
        self.write("a", pattern(1 << 20))
        screen = self.screen()
        command = ["strace", "-f", "-o", "/dev/null", "--inject=fsync:delay_enter=1000000", support.FUGU, "encrypt", *CHEAP, "a"]
        process = subprocess.Popen(command, cwd=self.directory, stdin=subprocess.DEVNULL, stderr=screen.line,
                                   env={**support.without_leak_check(), "TERM": "xterm"})
        self.assertEqual(process.wait(60), 0)
        self.assertIn(b"\r\x1b[K1.05 MB of 1.05 MB, 100 %, writing to the disk\r", screen.rest())

    def test_nothing_is_drawn_over_what_is_typed(self):
        screen = Screen(self)
        terminal = Terminal(self, "encrypt", *CHEAP, "-o", "out", stdin=screen.line, stderr=screen.line, variables={"TERM": "xterm"})
        screen.expect(b"Ctrl-D\r\n")
        time.sleep(1)
        screen.type(b"typed\n\x04")
        terminal.process.wait(60)
        self.assertRegex(screen.rest().decode(), r"^typed\r\n(\^D\x08\x08)?fugu: encrypted; \d+ B in ")

    def test_deriving_a_key_is_said_and_not_counted(self):
        """A derivation of a second: it is not in the rate, and the total is that of the content."""
        self.write("one", "x")
        screen = self.screen()
        process = self.start("encrypt", "--format", "openssl", "--iter", "2000000" if support.SANITIZED else "4000000", *PASS, "one", stderr=screen.line,
                             variables={"TERM": "xterm"})
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, b""))
        shown = screen.rest().decode()
        derived = shown.rpartition("\r\x1b[Kderiving the key")
        self.assertTrue(derived[1], shown)
        self.assertNotIn(" left", derived[0])  # a slow disk may leave time to show it afterwards

    def test_no_more_than_all(self):
        self.write("one", "x")
        self.write("key", b"k" * 16)
        self.ends(0, b"", "encrypt", "--progress", "--key", "file:key", "one", matches=rf"^fugu: 1 B of 1 B, 100 %, {RATE}/s, 0:00 left\n$")

    def test_several_files_are_counted_together(self):
        self.write("one", pattern(1000))
        self.write("two", pattern(2000))
        self.write("key", b"k" * 16)
        err = self.ends(0, b"", "encrypt", "--progress", "--key", "file:key", "one", "two")
        self.assertRegex(err, rf"^fugu: 3 kB of 3 kB, 100 %, {RATE}/s, 0:00 left\nfugu: 2 of 2 files encrypted; 3 kB in ")
        self.ends(0, None, "verify", "--progress", "--key", "file:key", "-", "one.fugu", input=self.read("two.fugu"),
                  matches=rf"^fugu: {RATE}, {RATE}/s\n")  # of which one has no size

    def test_hidden(self):
        self.assertEqual(self.display("--no-progress"), "")
        self.assertEqual(self.display("-q"), "")


class Streams(Case):
    def test_standard_streams(self):
        code, out, err = self.run_fugu("encrypt", "-q", "--format", "openssl", *PASS, input=pattern(3000))
        self.assertEqual((code, err, out[:8], len(out)), (0, "", b"Salted__", 16 + 3000 + 8))
        self.expect(0, pattern(3000), "", "decrypt", "-q", *PASS, *DEFAULT, "-", input=out)
        self.expect(0, pattern(3000), "", "decrypt", "-q", *PASS, *DEFAULT, "-", "-o", "-", input=out)
        self.expect(0, b"", "", "decrypt", "-q", *PASS, *DEFAULT, "-o", "b", input=out)
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
        self.expect(0, pattern(300000), "", "decrypt", "-q", *PASS, *DEFAULT, input=drained[0])

    def test_the_names_of_the_standard_streams(self):
        self.write("a", pattern(20))
        out = self.output("encrypt", "-q", *CHEAP, "/dev/stdin", input=pattern(20))
        self.expect(0, pattern(20), "", "decrypt", "-q", *PASS, "/dev/stdin", "-o", "/dev/stdout", input=out)
        with open(self.path("log"), "ab") as log:
            log.write(b"before, ")
            log.flush()
            self.expect(0, None, "", "decrypt", "-q", *PASS, "-o", "/dev/stdout", input=out, stdout=log)
        self.assertEqual(self.read("log"), b"before, " + pattern(20))
        for name in ("/dev/fd/1", "/proc/self/fd/1"):
            with open(self.path("log"), "wb") as log:
                self.expect(0, None, "", "decrypt", "-q", "-f", *PASS, "/dev/fd/0", "-o", name, input=out, stdout=log)
                self.expect(1, None, "fugu: --rm needs an output that is a file: nothing else is known to keep the data\n", "decrypt", "-q", "--rm",
                            "-f", *PASS, "a", "-o", name, stdout=log)
            self.assertEqual(self.read("log"), pattern(20))
        with open(self.path("log"), "wb") as log:
            self.expect(1, b"", "fugu: --rm needs an output that is a file: nothing else is known to keep the data\n", "decrypt", "-q", "--rm", "-f",
                        *PASS, "a", "-o", f"/dev/fd/{log.fileno()}", pass_fds=[log.fileno()])

    def test_no_file_at_a_terminal(self):
        screen = Screen(self)
        text = "fugu: no FILE is given, and input and output are this terminal; fugu encrypt FILE writes FILE.fugu\n"
        self.expect(1, None, text, "encrypt", stdin=screen.line, stdout=screen.line)

    def test_what_is_no_file_lends_no_name(self):
        os.mkfifo(self.path("fifo"))
        for name in ("fifo", "/dev/null"):
            for command in ("encrypt", "decrypt"):
                self.expect(1, b"", f"fugu: {name}: is not a file; -o OUT is missing\n", command, "-q", *PASS, name)
        self.assertEqual(self.names(), ["fifo", "pass"])

    def test_a_limit_on_the_size_of_files(self):
        """The kernel's signal for this must not leave a temporary file behind."""
        self.stops(2, "b: write failed: File too large; b was not created",
                   "encrypt", "-q", *CHEAP, "-o", "b", input=pattern(3_000_000), preexec_fn=support.limited(resource.RLIMIT_FSIZE, 9999))
        self.assertEqual(self.names(), ["pass"])

    def test_what_was_written_in_part_is_said(self):
        with open(self.path("out"), "wb") as out:
            self.expect(2, None, "fugu: standard output: write failed: File too large; the 9999 bytes already on standard "
                        "output are not to be trusted\n", "encrypt", "-q", *CHEAP, input=pattern(3_000_000), stdout=out,
                        preexec_fn=support.limited(resource.RLIMIT_FSIZE, 9999))
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
            self.expect(0, b"", "", "decrypt", "-q", *PASS, "a.fugu", "-f", "-o", "c")
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
        self.expect(0, None, "", "encrypt", "-q", "-a", "--format", "openssl", *PASS, input=b"x", stdout=screen.line)
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
            failed = [self.traced(when, *arguments) for when in support.some(("1+", "2+", "1", "2", "3", "4"))]
            self.assertGreater(failed[0][0], 0)
            for when, (_, result) in enumerate(failed):
                self.assertTrue(result == (status, out, err), (when, arguments[:2], result[0], result[2]))  # not the contents
            self.assertIn(status, (0, 1))
        two_workers = ["decrypt", *sealed[:2], "-T", "4", "--chunk", "64K", "a.fugu", "-o", "-"]
        for when in support.some(range(1, 10)):
            self.assertEqual(self.traced(when, *two_workers)[1], (0, plain, ""), when)
        for when in ("1+", "2+", "3+", "4+", "2", "3", "6"):  # the output is read back
            self.write("b", plain)
            self.assertEqual(self.traced(when, "encrypt", "--rm", "-f", *sealed, "b")[1], (0, b"", ""))
            self.assertNotIn("b", self.names())
            self.expect(0, plain, "", "decrypt", "--key", "file:key", "b.fugu", "-o", "-")
