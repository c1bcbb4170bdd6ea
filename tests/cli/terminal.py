"""A terminal for the program to prompt on, and what a person would do at it."""

import fcntl
import os
import select
import subprocess
import termios
import time

import support


class Terminal:
    """Runs fugu with a terminal of its own. Its standard streams stay pipes unless given."""

    def __init__(self, case, *arguments, **options):
        self.leader, self.line = os.openpty()
        case.addCleanup(os.close, self.leader)
        case.addCleanup(os.close, self.line)

        def take_terminal():
            fcntl.ioctl(self.line, termios.TIOCSCTTY, 0)

        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        self.process = subprocess.Popen([support.FUGU, *arguments], cwd=case.directory, start_new_session=True,
                                        preexec_fn=take_terminal, pass_fds=[self.line], **options)
        self.shown = b""

    def echoes(self):
        return bool(termios.tcgetattr(self.line)[3] & termios.ECHO)

    def expect(self, text, seconds=60):
        """Waits until `text` is shown; returns everything shown so far and forgets it."""
        end = time.monotonic() + seconds
        while text not in self.shown:
            ready, _, _ = select.select([self.leader], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"waited for {text!r}, was shown {self.shown!r}")
            self.shown += os.read(self.leader, 4096)
        shown, self.shown = self.shown, b""
        return shown

    def type(self, text):
        os.write(self.leader, text)

    def finish(self):
        """Exit status, standard output, standard error, and what the terminal still showed."""
        out, err = self.process.communicate(timeout=60)
        while select.select([self.leader], [], [], 0)[0]:
            self.shown += os.read(self.leader, 4096)
        return self.process.returncode, out, err.decode(), self.shown
