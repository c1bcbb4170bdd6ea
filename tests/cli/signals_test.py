"""Signals during the work, and the progress display that one of them requests."""

import fcntl
import os
import signal
import struct
import termios
import time

import support
from support import CHEAP, Case, pattern

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
                self.assertEqual((process.returncode, out, err), (130, b"", b""))
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
        self.expect(0, pattern(100), "", "decrypt", "-q", "--pass", "file:pass", "out", "-o", "-")


class Progress(Case):
    def test_no_terminal_no_progress(self):
        self.write("a", pattern(1 << 20))
        self.encrypt("a")

    def test_forced_without_a_terminal_it_ends_with_a_line(self):
        self.write("a", pattern(3 << 20))
        code, out, err = self.run_fugu("encrypt", "--format", "openssl", "--progress", "--pass", "file:pass", "a")
        self.assertEqual((code, out), (0, b""))
        self.assertRegex(err, rf"^fugu: 3.15 MB of 3.15 MB, 100 %, {RATE}/s, 0:00 left\n$")

    def test_usr1_prints_a_line(self):
        process = self.start("encrypt", "-q", "--pass", "file:pass", "--chunk", "4K", "-o", "out", "--format", "openssl",
                             feed=pattern(1 << 16))
        time.sleep(0.2)
        process.send_signal(signal.SIGUSR1)
        line = process.stderr.readline().decode()
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (0, b"", b""))
        self.assertRegex(line, rf"^fugu: {RATE}, {RATE}/s\n$")

    def all_shown(self, leader):
        shown = b""
        try:
            while part := os.read(leader, 4096):
                shown += part
        except OSError:  # the other end is closed, so nothing more comes
            pass
        return shown.decode()

    def display(self, *options, columns=80, term="xterm"):
        """What a terminal shows while the program waits for its input for a second."""
        leader, line = support.open_terminal(self)
        self.addCleanup(os.close, leader)
        fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = self.start("encrypt", "--format", "openssl", "--pass", "file:pass", "-o", "out", "-f", *options,
                             feed=pattern(1 << 16), stderr=line, env={**os.environ, "TERM": term})
        os.close(line)
        time.sleep(1)
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)
        process.stdout.close()
        return self.all_shown(leader)

    def test_redrawn_on_a_terminal_and_closed_with_a_line(self):
        shown = self.display()
        self.assertRegex(shown, rf"^(\r\x1b\[K{RATE}, {RATE}/s)+\r\x1b\[Kfugu: encrypted; 65.5 kB in \d+\.\d s, {RATE}/s\r\n$")

    def test_a_dumb_terminal_gets_no_escapes(self):
        self.assertEqual(self.display(term="dumb"), "")
        self.assertNotIn("\x1b", self.display("--progress", term="dumb"))

    def test_within_the_width(self):
        shown = self.display(columns=10)
        for line in shown.split("\r\x1b[K")[1:-1]:
            self.assertLessEqual(len(line), 9)

    def test_deriving_a_key_is_said_and_not_counted(self):
        """A derivation of a second: it is not in the rate, and the total is that of the content."""
        self.write("one", "x")
        leader, line = support.open_terminal(self)
        self.addCleanup(os.close, leader)
        process = self.start("encrypt", "--format", "openssl", "--iter", "2000000" if support.SANITIZED else "4000000", "--pass", "file:pass", "one", stderr=line,
                             env={**os.environ, "TERM": "xterm"})
        os.close(line)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, b""))
        shown = self.all_shown(leader)
        derived = shown.rpartition("\r\x1b[Kderiving the key")
        self.assertTrue(derived[1], shown)
        self.assertNotIn(" left", derived[0])  # a slow disk may leave time to show it afterwards

    def test_no_more_than_all(self):
        self.write("one", "x")
        self.write("key", b"k" * 16)
        code, out, err = self.run_fugu("encrypt", "--progress", "--key", "file:key", "one")
        self.assertEqual((code, out), (0, b""))
        self.assertRegex(err, rf"^fugu: 1 B of 1 B, 100 %, {RATE}/s, 0:00 left\n$")

    def test_several_files_are_counted_together(self):
        self.write("one", pattern(1000))
        self.write("two", pattern(2000))
        self.write("key", b"k" * 16)
        err = self.fails(0, "encrypt", "--progress", "--key", "file:key", "one", "two")
        self.assertRegex(err, rf"^fugu: 3 kB of 3 kB, 100 %, {RATE}/s, 0:00 left\nfugu: 2 of 2 files encrypted; 3 kB in ")
        _, _, err = self.run_fugu("verify", "--progress", "--key", "file:key", "-", "one.fugu", input=self.read("two.fugu"))
        self.assertRegex(err, rf"^fugu: {RATE}, {RATE}/s\n")  # of which one has no size

    def test_hidden(self):
        self.assertEqual(self.display("--no-progress"), "")
        self.assertEqual(self.display("-q"), "")


if __name__ == "__main__":
    support.main()
