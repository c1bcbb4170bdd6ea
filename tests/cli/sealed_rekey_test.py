"""Rekeying of sealed files: what changes, what is refused, and when a secret is requested."""

import os
import shutil
import stat
import subprocess
import time

import support
from support import CHEAP, KEY, KEY_HEADER, PASS, STORED, Sealed, WRONG, as_nobody, pattern
from terminal import Screen, Terminal

REKEY = ["rekey", *KEY, "--new-pass", "file:pass"]


class Meanwhile(Sealed):
    """Others take the file's name while rekey works: what they put there stays, and nothing is left beside it."""

    def setUp(self):
        super().setUp()
        if problem := support.strace_problem():
            self.skipTest(problem)
        self.seal()
        self.write("new", bytes(range(1, 33)))

    def traced(self, trace, *injections):
        """A rekey, once its new file is open. It works on slowly."""
        command = ["strace", "-f", "-o", self.path(trace), *(f"--inject={call}:delay_enter=2000000" for call in injections)]
        process = subprocess.Popen([*command, support.FUGU, "rekey", *KEY, "--new-key", "file:new", "a.fugu"], cwd=self.directory,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=support.without_leak_check())
        while process.poll() is None and not (os.path.exists(self.path(trace)) and b"fchmod(" in self.read(trace)):
            time.sleep(0.01)
        return process

    def check_replaced(self, call):
        names = self.names()
        process = self.traced("trace", call)
        self.write("other", "what somebody else has written")
        time.sleep(0.5)
        os.rename(self.path("other"), self.path("a.fugu"))
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err.decode()),
                         (2, "fugu: a.fugu: was replaced by another file meanwhile; a.fugu was not changed\n"))
        self.assertEqual(self.read("a.fugu"), b"what somebody else has written")
        self.assertEqual(self.names(), sorted([*names, "trace"]))

    def test_replaced_while_the_new_file_is_synced(self):
        self.check_replaced("fsync")

    def test_replaced_after_the_last_look(self):
        self.check_replaced("renameat2")

    def test_written_while_the_new_file_is_synced(self):
        process = self.traced("trace", "fsync")
        time.sleep(0.5)
        self.alter("a.fugu", 200)
        changed = self.read("a.fugu")
        self.assertEqual((process.communicate(timeout=60)[1].decode(), process.returncode),
                         ("fugu: a.fugu: was changed meanwhile; a.fugu was not changed\n", 2))
        self.assertEqual(self.read("a.fugu"), changed)

    def test_one_of_two_at_a_time(self):
        both = [self.traced(f"trace{i}", "fsync", "renameat2") for i in range(2)]
        ended = sorted((process.communicate(timeout=60)[1].decode(), process.returncode) for process in both)
        self.assertEqual(ended, [("", 0), ("fugu: a.fugu: was replaced by another file meanwhile; a.fugu was not changed\n", 2)])
        self.gives(self.read("a"), "decrypt", "--key", "file:new", "a.fugu", "-o", "-")
        self.assertEqual(self.names(), ["a", "a.fugu", "key", "new", "pass", "trace0", "trace1"])


class Rekey(Sealed):
    def setUp(self):
        super().setUp()
        self.seal()

    def test_there_and_back(self):
        shutil.copy(self.path("a.fugu"), self.path("old.fugu"))
        os.chmod(self.path("a.fugu"), 0o640)
        self.gives("", *REKEY, "a.fugu")
        self.assertEqual(self.read("a.fugu")[151:], self.read("old.fugu")[148:])
        self.assertEqual(os.stat(self.path("a.fugu")).st_mode & 0o777, 0o640)
        self.gives(self.read("a"), "decrypt", *PASS, "a.fugu", "-o", "-")
        self.stops(3, "a.fugu: is sealed with a passphrase (--pass), not with a key; nothing was written",
                   "decrypt", *KEY, "a.fugu", "-o", "-")
        self.gives("", "rekey", *PASS, "--new-key", "file:key", "a.fugu")
        self.gives(self.read("a"), "decrypt", *KEY, "a.fugu", "-o", "-")

    def test_a_directory_in_which_nothing_can_be_made(self):
        nobody = as_nobody(self)
        os.chmod(self.directory, 0o555)
        self.addCleanup(os.chmod, self.directory, 0o755)
        self.stops(2, "a.fugu: cannot create a file in its directory: Permission denied; a.fugu was not changed: the new file is made beside it",
                   "rekey", "-q", *KEY, "--new-pass", "file:pass", "a.fugu", **nobody)

    def test_anew(self):
        old = self.read("a.fugu")
        os.chmod(self.path("a.fugu"), 0o640)
        for arguments in ([], ["--engine", "cpu/scalar", "-T", "2"], ["--chunk", "64K"]):
            self.write("a.fugu", old)
            self.gives("", "rekey", "--anew", *KEY, "--new-pass", "file:pass", "--scrypt-cost", "10", *arguments, "a.fugu")
            new = self.read("a.fugu")
            self.assertEqual(len(new), len(old) + 3)
            self.assertNotEqual(new[16:48], old[16:48])
            self.assertFalse(any(new[at + 3:at + 19] == old[at:at + 16] for at in range(KEY_HEADER, len(old) - 16, 4096)))
            self.assertEqual(os.stat(self.path("a.fugu")).st_mode & 0o777, 0o640)
            self.gives(self.read("a"), "decrypt", *PASS, "a.fugu", "-o", "-")
        self.write("mixed.fugu", new[:151] + old[148:])
        self.assertEqual(self.run_fugu("decrypt", *PASS, "mixed.fugu", "-o", "-")[:2], (4, b""))

    def test_anew_leaves_a_damaged_file_as_it_was(self):
        self.alter("a.fugu", KEY_HEADER + STORED)
        old = self.read("a.fugu")
        self.stops(4, "a.fugu: segment 1 (bytes 1048576-2097151) failed authentication; a.fugu was not changed",
                   "rekey", "--anew", *KEY, "--new-pass", "file:pass", "a.fugu")
        self.assertEqual(self.read("a.fugu"), old)
        self.assertEqual(self.names(), ["a", "a.fugu", "key", "pass"])

    def test_rows_say_what_became_of_each_file(self):
        self.write("other", b"no sealed file")
        rows = self.rows_of(5, "rekey", "--json", *KEY, "--new-pass", "file:pass", "--scrypt-cost", "10", "other", "a.fugu")
        self.assertEqual([(row["file"], row["ok"], "error" in row) for row in rows], [("other", False, True), ("a.fugu", True, False)])

    def test_an_engine_is_for_sealing_anew(self):
        for option in (["--engine", "cpu"], ["--threads", "1"], ["--chunk", "1M"]):
            self.stops(1, f"{option[0]} needs --anew: without it the data is only copied",
                       "rekey", *option, *KEY, "--new-pass", "file:pass", "a.fugu")

    def test_a_truncated_file_is_rekeyed_and_said(self):
        for size, what in ((KEY_HEADER + STORED, "file ends early after segment 0: it was truncated"),
                           (KEY_HEADER + STORED + 20, "segment 1 (bytes 1048576-1048579) failed authentication, and the file ends "
                            "in it: it was altered or cut short")):
            self.cut("a.fugu", size)
            old = self.read("a.fugu")
            self.stops(4, f"a.fugu: {what}; a.fugu has the new passphrase or key, and is as damaged as before",
                       "rekey", *KEY, "--new-key", "file:key", "a.fugu")
            self.assertEqual(self.read("a.fugu")[KEY_HEADER:], old[KEY_HEADER:])
            self.assertNotEqual(self.read("a.fugu")[:KEY_HEADER], old[:KEY_HEADER])
            self.seal("a", "-f")

    def test_a_key_too_short_is_refused(self):
        before = self.read("a.fugu")
        self.write("short", bytes(15))
        self.stops(1, "a.fugu: a sealed file's key has 16 to 1024 random bytes; seal with a passphrase instead; a.fugu was not changed",
                   "rekey", *KEY, "--new-key", "file:short", "a.fugu")
        self.assertEqual(self.read("a.fugu"), before)

    def test_its_own_key_is_not_replaced(self):
        """An empty file sealed with a key has 164 bytes, which could serve as a key. Nothing would open the file any more."""
        self.write("a", "")
        self.seal("-f", "a")
        old = self.read("a.fugu")
        self.stops(1, "a.fugu: holds the passphrase or key and is the output; nothing was done",
                   "rekey", *KEY, "--new-key", "file:a.fugu", "a.fugu")
        self.assertEqual(self.read("a.fugu"), old)

    def test_other_hard_links_keep_the_old_file(self):
        os.link(self.path("a.fugu"), self.path("other.fugu"))
        old = self.read("other.fugu")
        self.expect(0, b"", "fugu: a.fugu: had other hard links: under those names the old passphrase or key still opens "
                    "it\n", "rekey", *KEY, "--new-key", "file:key", "a.fugu")
        self.assertEqual(self.read("other.fugu"), old)

    def test_a_wrong_secret_changes_nothing(self):
        before = self.read("a.fugu")
        self.write("wrong", bytes(32))
        self.stops(3, f"a.fugu: {WRONG}; nothing was written", "rekey", "--key", "file:wrong", "--new-pass", "file:pass", "a.fugu")
        self.stops(1, "rekey needs the name of a file", *REKEY)
        self.stops(1, "rekey replaces files: it cannot work on a pipe", *REKEY, "-")
        self.assertEqual(self.read("a.fugu"), before)
        self.assertEqual(self.names(), ["a", "a.fugu", "key", "pass", "wrong"])

    def test_what_an_unfit_file_leaves_to_the_others(self):
        self.stops(2, "none: cannot open: No such file or directory", *REKEY, "none", "a.fugu")
        self.gives(self.read("a"), "decrypt", *PASS, "a.fugu", "-o", "-")

    def test_nothing_is_asked_for_before_a_file_needs_it(self):
        self.write("text", "not sealed")
        terminal = Terminal(self, "rekey", "none", "text")
        code, out, err, shown = terminal.finish()
        self.assertEqual((code, out, shown), (5, b"", b""))
        self.assertIn("fugu: none: cannot open: No such file or directory\n", err)

    def test_a_secret_that_cannot_be_read_ends_the_run(self):
        shutil.copy(self.path("a.fugu"), self.path("b.fugu"))
        self.stops(2, "none: cannot open: No such file or directory", "rekey", *KEY, "--new-pass", "file:none", "a.fugu", "b.fugu")
        self.assertEqual(self.names(), ["a", "a.fugu", "b.fugu", "key", "pass"])

    def test_what_another_file_says(self):
        self.write("other", pattern(1000))
        self.stops(5, "other: is not a sealed file; nothing was written", "decrypt", "--format", "sealed", *KEY, "other", "-o", "-")

    def test_only_regular_files(self):
        """Other kinds of files are not opened, read or waited for."""
        os.mkfifo(self.path("fifo"))
        names = ["fifo", "/dev/null"]
        try:
            os.mknod(self.path("block"), stat.S_IFBLK | 0o600, os.makedev(7, 99))
            names.append("block")
        except PermissionError:
            pass
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        names.append(f"/dev/fd/{reading}")
        for name in names:
            self.stops(1, f"{name}: is not a regular file; rekey works on regular files only", "rekey", name, pass_fds=[reading])


class WithPassphrases(Sealed):
    def test_the_cost_can_be_raised(self):
        self.gives("", "encrypt", *PASS, "--scrypt-cost", "12", "a")
        for cost, anew in (("13", []), ("14", ["--anew"])):
            self.gives("", "rekey", *anew, *PASS, "--new-pass", "file:pass", "--scrypt-cost", cost, "a.fugu")
            self.assertEqual(self.read("a.fugu")[52:55], bytes([int(cost), 8, 1]))
            self.gives(self.read("a"), "decrypt", *PASS, "a.fugu", "-o", "-")
        self.stops(1, "a.fugu: is sealed with --scrypt-cost 14; a lower cost is refused, since it would make the passphrase cheaper to "
                   "guess; a.fugu was not changed", "rekey", *PASS, "--new-pass", "file:pass", "--scrypt-cost", "13", "a.fugu")
        self.stops(1, "a.fugu: --scrypt-cost is for passphrases: nothing is derived from a key; a.fugu was not changed",
                   "rekey", *PASS, "--new-key", "file:key", "--scrypt-cost", "15", "a.fugu")
        self.gives("", "rekey", *PASS, "--new-pass", "file:pass", "a.fugu")
        self.assertEqual(self.read("a.fugu")[52], 17)

    def test_the_old_secret_is_proven_before_the_new_one_is_asked_for(self):
        self.write("a", "data")
        self.gives("", "encrypt", *CHEAP, "a")
        terminal = Terminal(self, "rekey", "a.fugu")
        for _ in range(3):
            terminal.answer(b"Old passphrase of a.fugu: ", b"wrong")
        wrong = f"fugu: a.fugu: {WRONG}; "
        self.assertEqual(terminal.finish(), (3, b"", 2 * (wrong + "try again\n") + wrong + "nothing was written\n", b"\r\n"))
        terminal = Terminal(self, "rekey", "-q", "a.fugu")
        for prompt, answer in ((b"Old passphrase of a.fugu: ", support.PASSPHRASE), (b"New passphrase: ", "new"),
                               (b"New passphrase again: ", "new")):
            terminal.answer(prompt, answer.encode())
        self.assertEqual(terminal.finish()[:3], (0, b"", ""))
        self.write("new", "new\n")
        self.gives(b"data", "decrypt", "--pass", "file:new", "a.fugu", "-o", "-")

    def test_at_a_terminal(self):
        """The derivation and the end are said."""
        self.write("a", "data")
        for name in ("x.fugu", "y.fugu"):
            self.gives("", "encrypt", *PASS, "--scrypt-cost", "18", "a", "-o", name)
        screen = Screen(self)
        process = self.start("rekey", *PASS, "--new-pass", "file:pass", "x.fugu", stderr=screen.line, variables={"TERM": "xterm"})
        self.assertEqual(process.wait(60), 0)
        self.assertRegex(screen.rest(), rb"\r\x1b\[Kderiving the key.*\r\x1b\[Kfugu: x.fugu: has the new passphrase\r\n$")
        terminal = Terminal(self, "rekey", "-q", "x.fugu", "y.fugu")
        terminal.answer(b"Old passphrase of these 2 files: ", b"\x03")
