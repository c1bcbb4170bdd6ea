"""A terminal on which the program prompts, and what a person does at it."""

import fcntl
import os
import select
import subprocess
import sys
import termios
import time

import support


class Screen:
    """A terminal as the person at it sees it."""

    def __init__(self, case):
        self.leader, self.line = support.open_terminal(case)
        case.addCleanup(os.close, self.leader)
        case.addCleanup(os.close, self.line)
        self.shown = b""

    def take(self):
        """Makes it the terminal of this process."""
        fcntl.ioctl(self.line, termios.TIOCSCTTY, 0)

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

    def answer(self, prompt, line):
        """Types a line that nobody sees, and returns what was shown before."""
        shown = self.expect(prompt)
        if self.echoes():
            raise AssertionError(f"the answer to {prompt!r} would be shown")
        self.type(line + b"\n")
        return shown

    def rest(self):
        """What else is shown."""
        while select.select([self.leader], [], [], 0)[0]:
            self.shown += os.read(self.leader, 4096)
        return self.shown


class Terminal(Screen):
    """Runs fugu with a terminal of its own. The standard streams are pipes unless they are given."""

    def __init__(self, case, *arguments, **options):
        super().__init__(case)
        self.process = case.start(*arguments, preexec_fn=self.take, pass_fds=[self.line], **options)

    def finish(self):
        """Returns exit status, standard output, standard error, and what the terminal showed after that."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err.decode(), self.rest()


# Does what a shell with job control does for one command, which it starts in the foreground.
SHELL = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
def foreground(group):
    os.tcsetpgrp(line, group)
line = os.open("/dev/tty", os.O_RDWR)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    foreground(os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    foreground(os.getpgrp())
    if not os.WIFSTOPPED(status):
        break
    print("stopped", flush=True)
    sys.stdin.readline()
    foreground(child)
    os.kill(child, signal.SIGCONT)
print(os.waitstatus_to_exitcode(status), flush=True)
"""


class Shell(Screen):
    """Runs fugu as the job of a shell on a terminal: Ctrl-Z stops it and resume() continues it."""

    def __init__(self, case, *arguments):
        super().__init__(case)
        self.process = subprocess.Popen([sys.executable, "-c", SHELL, support.FUGU, *arguments], cwd=case.directory,
                                        start_new_session=True, preexec_fn=self.take, pass_fds=[self.line],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        case.addCleanup(self.process.communicate)

    def wait_until_stopped(self):
        line = self.process.stdout.readline()
        if line != "stopped\n":
            raise AssertionError(f"the shell says {line!r}")

    def resume(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def finish(self):
        """Returns the exit status."""
        return int(self.process.stdout.readline())
