"""Where data comes from and goes to: names, links, pipes, devices, and what is left behind when something fails."""

import os
import resource
import signal
import stat
import subprocess
import threading
import unittest

import support
from support import DEFAULT, NOT_AUTHENTICATED, Case, as_nobody, pattern, salted

NEW = ["--pass", "file:pass"]
SAME = "fugu: {}: is the input as well; a file cannot be written over itself\n"


class Names(Case):
    def test_there_and_back(self):
        self.write("a", pattern(100000))
        self.encrypt("a")
        self.assertEqual(self.names(), ["a", "a.fugu", "pass"])
        self.assertEqual(self.read("a.fugu")[:8], b"Salted__")
        os.rename(self.path("a.fugu"), self.path("b.fugu"))
        self.decrypt("b.fugu")
        self.assertEqual(self.read("b"), pattern(100000))
        self.assertEqual(self.names(), ["a", "b", "b.fugu", "pass"])

    def test_the_name_of_what_is_decrypted(self):
        os.mkdir(self.path("d"))
        self.write("d/a.b", pattern(50))
        self.encrypt("d/a.b", "-o", "x")
        for name, decrypted in [("a.b" + extension, "a.b") for extension in (
                ".fugu", ".enc", ".bf", ".bfe", ".bfa", ".nc", ".gpg", ".pgp", ".asc", ".openssl", ".cbc", ".vim")] + [
                    ("a.bin", "a.bin.decrypted"), (".fugu", ".fugu.decrypted"), ("a.fugu.enc", "a.fugu"), ("enc", "enc.decrypted"),
                    ("d.enc/a", "d.enc/a.decrypted"), ("d.enc/.bf", "d.enc/.bf.decrypted"), ("d.enc/c.bf", "d.enc/c")]:
            with self.subTest(name=name):
                os.makedirs(self.path("e/d.enc"))
                os.rename(self.path("x"), self.path("e/" + name))
                self.decrypt("e/" + name)
                self.assertEqual(self.read("e/" + decrypted), pattern(50))
                os.rename(self.path("e/" + name), self.path("x"))
                os.unlink(self.path("e/" + decrypted))
                os.rmdir(self.path("e/d.enc"))
                self.assertEqual(os.listdir(self.path("e")), [])
                os.rmdir(self.path("e"))

    def test_sizes(self):
        for size in (0, 1, 7, 8, 9, 4095, 4096, 4097, 65536, 1 << 20, 5_000_003):
            with self.subTest(size=size):
                self.write("a", pattern(size))
                self.encrypt("a", "-f")
                self.assertEqual(os.path.getsize(self.path("a.fugu")), 16 + size // 8 * 8 + 8)
                self.decrypt("a.fugu", "-o", "b", "-f")
                self.assertEqual(self.read("b"), pattern(size))

    def test_small_chunks(self):
        self.write("a", pattern(50001))
        self.encrypt("a", "--chunk", "4K")
        self.decrypt("a.fugu", "-o", "b", "--chunk", "4096")
        self.assertEqual(self.read("b"), pattern(50001))

    def test_notes(self):
        self.write("a", "text enough to be sure of, and then some more of it")
        self.expect(0, b"", "", "encrypt", "--format", "openssl", *NEW, "a")
        self.expect(0, b"", NOT_AUTHENTICATED + "fugu: a.fugu: matches bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations\n",
                    "decrypt", *NEW, "a.fugu", "-o", "b")
        self.expect(0, b"", "", "encrypt", "-q", *NEW, "a", "-o", "c")

    def test_beginning_with_a_dash(self):
        self.write("-f", "one")
        self.write("--rm", "two")
        self.encrypt("--", "-f", "--rm")
        self.assertEqual(self.names(), ["--rm", "--rm.fugu", "-f", "-f.fugu", "pass"])
        self.decrypt("-f", "--output=-o", "--", "-f.fugu")
        self.assertEqual(self.read("-o"), b"one")

    def test_no_utf8_and_control_characters(self):
        name = os.fsencode(self.directory) + b"/\xff\n\x1b"
        with open(name, "wb") as file:
            file.write(b"x")
        self.encrypt(b"\xff\n\x1b")
        code, out, err = self.run_fugu("encrypt", "-q", *NEW, b"none\n\x1b")
        self.assertEqual((code, out), (2, b""))
        self.assertEqual(err, "fugu: none\\x0a\\x1b: cannot open: No such file or directory\n")

    def mode(self, name):
        return stat.S_IMODE(os.stat(self.path(name)).st_mode)

    def test_permissions(self):
        self.write("a", "x")
        for given, mask, made in ((0o644, 0o022, 0o644), (0o644, 0o027, 0o640), (0o600, 0o022, 0o600),
                                  (0o755, 0o022, 0o755), (0o440, 0o022, 0o440)):
            with self.subTest(given=oct(given), umask=oct(mask)):
                os.chmod(self.path("a"), given)
                self.encrypt("a", umask=mask)
                self.assertEqual(self.mode("a.fugu"), made)
                self.decrypt("a.fugu", "-o", "b", umask=mask)
                self.assertEqual(self.mode("b"), made)
                os.unlink(self.path("a.fugu"))
                os.unlink(self.path("b"))
        with open(self.path("a"), "rb") as standard_input:
            os.chmod(self.path("a"), 0o600)
            self.encrypt("-o", "c", stdin=standard_input, umask=0o022)
        self.assertEqual(self.mode("c"), 0o644)

    def test_time_of_change(self):
        then = 1_000_000_000_123_456_789
        self.write("a", pattern(1000))
        os.utime(self.path("a"), ns=(then, then))
        key = ["-q", "--pass", "file:pass"]
        self.expect(0, b"", "", "encrypt", *key, "a")
        self.expect(0, b"", "", "decrypt", *key, "a.fugu", "-o", "b")
        self.assertEqual([os.stat(self.path(name)).st_mtime_ns for name in ("a.fugu", "b")], [then, then])
        self.expect(0, b"", "", "decrypt", *key, "--range", "0:10", "a.fugu", "-o", "part")
        self.expect(0, b"", "", "rekey", *key, "--new-pass", "file:pass", "a.fugu")
        for name in ("part", "a.fugu"):
            self.assertGreater(os.stat(self.path(name)).st_mtime_ns, then, name)

    def test_sparse_files_come_back_sparse(self):
        with open(self.path("a"), "wb") as file:
            file.write(pattern(5000))
            file.seek(40 << 20)
            file.write(b"end")
            file.truncate(64 << 20)
        for options in (["--format", "sealed"], ["--format", "openssl"]):
            with self.subTest(options=options):
                self.expect(0, b"", "", "encrypt", "-q", "-f", *NEW, *options, "a")
                self.expect(0, b"", "", "decrypt", "-q", "-f", *NEW, "a.fugu", "-o", "b")
                self.assertEqual(self.read("b"), self.read("a"))
                self.assertGreaterEqual(os.stat(self.path("a.fugu")).st_blocks * 512, 64 << 20)
                self.assertLess(os.stat(self.path("b")).st_blocks * 512, 1 << 20)


class Replacing(Case):
    """What -f leaves of the file that it replaces."""

    # user::rw-, user:65534:rw-, group::---, mask::rw-, other::---, as the kernel stores it
    LIST = bytes.fromhex("02000000" "01000600ffffffff" "02000600feff0000" "04000000ffffffff" "10000600ffffffff" "20000000ffffffff")

    def setUp(self):
        super().setUp()
        self.write("a", "data")
        self.encrypt("a")

    def set_attribute(self, name, value):
        try:
            os.setxattr(self.path("a.fugu"), name, value)
        except OSError:
            self.skipTest(f"the file system has no {name}")

    def test_who_may_read_it(self):
        self.set_attribute("system.posix_acl_access", self.LIST)
        os.chmod(self.path("a"), 0o660)
        for command in (["encrypt", "-q", "-f", *NEW, "a"], ["rekey", "-q", *NEW, "--new-pass", "file:pass", "a.fugu"]):
            self.expect(0, b"", "", *command)
            self.assertEqual(os.getxattr(self.path("a.fugu"), "system.posix_acl_access"), self.LIST)

    def test_what_its_owner_noted(self):
        self.set_attribute("user.note", b"mine")
        self.encrypt("-f", "a")
        self.assertEqual(os.getxattr(self.path("a.fugu"), "user.note"), b"mine")

    def test_never_more_than_the_input_gives(self):
        os.chmod(self.path("a.fugu"), 0o644)
        os.chmod(self.path("a"), 0o600)
        self.encrypt("-f", "a")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.fugu")).st_mode), 0o600)


class Streams(Case):
    def test_standard_streams(self):
        code, out, err = self.run_fugu("encrypt", "-q", "--format", "openssl", *NEW, input=pattern(3000))
        self.assertEqual((code, err, out[:8], len(out)), (0, "", b"Salted__", 16 + 3000 + 8))
        self.expect(0, pattern(3000), "", "decrypt", "-q", *NEW, *DEFAULT, "-", input=out)
        self.expect(0, pattern(3000), "", "decrypt", "-q", *NEW, *DEFAULT, "-", "-o", "-", input=out)
        self.expect(0, b"", "", "decrypt", "-q", *NEW, *DEFAULT, "-o", "b", input=out)
        self.assertEqual(self.read("b"), pattern(3000))

    def test_file_to_standard_output(self):
        self.write("a", pattern(20))
        code, out, err = self.run_fugu("encrypt", "-q", *NEW, "a", "-o", "-")
        self.expect(0, pattern(20), "", "decrypt", "-q", *NEW, input=out)
        self.assertEqual(self.names(), ["a", "pass"])

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
        code, out, err = self.run_fugu("encrypt", "-q", *NEW, "/dev/stdin", input=pattern(20))
        self.assertEqual((code, err), (0, ""))
        self.expect(0, pattern(20), "", "decrypt", "-q", *NEW, "/dev/stdin", "-o", "/dev/stdout", input=out)
        with open(self.path("log"), "ab") as log:
            log.write(b"before, ")
            log.flush()
            self.expect(0, None, "", "decrypt", "-q", *NEW, "-o", "/dev/stdout", input=out, stdout=log)
        self.assertEqual(self.read("log"), b"before, " + pattern(20))

    def test_what_is_no_file_lends_no_name(self):
        os.mkfifo(self.path("fifo"))
        for name in ("fifo", "/dev/null"):
            for command in ("encrypt", "decrypt"):
                self.expect(1, b"", f"fugu: {name}: is not a file; say with -o what to write\n", command, "-q", *NEW, name)
        self.assertEqual(self.names(), ["fifo", "pass"])

    def test_a_limit_on_the_size_of_files(self):
        """The kernel's signal for it must not leave a temporary file behind."""
        self.expect(2, b"", "fugu: b: write failed: File too large; b was not created\n", "encrypt", "-q", *NEW,
                    "-o", "b", input=pattern(3_000_000),
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999)))
        self.assertEqual(self.names(), ["pass"])

    def test_what_was_written_in_part_is_said(self):
        with open(self.path("out"), "wb") as out:
            self.expect(2, None, "fugu: standard output: write failed: File too large; the 9999 bytes already on standard "
                        "output are not to be trusted\n", "encrypt", "-q", *NEW, input=pattern(3_000_000), stdout=out,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999)))
        self.assertEqual(os.path.getsize(self.path("out")), 9999)

    def test_dev_null(self):
        self.expect(0, b"", "", "encrypt", "-q", *NEW, "-o", "/dev/null", input=b"x")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_dev_full(self):
        text = "fugu: {}: write failed: No space left on device; nothing was written\n"
        self.expect(2, b"", text.format("/dev/full"), "encrypt", "-q", *NEW, "-o", "/dev/full", input=b"x")
        with open("/dev/full", "wb") as full:
            self.expect(2, None, text.format("standard output"), "encrypt", "-q", *NEW, input=b"x", stdout=full)

    def test_closed_streams(self):
        def run(closed, *arguments):
            """The program in a shell that closes the descriptor first."""
            done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", support.FUGU, *arguments],
                                  cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            return done.returncode, done.stdout, done.stderr.decode()

        self.write("a", "x")
        encrypt = ["encrypt", "-q", *NEW]
        self.assertEqual(run("<&-", *encrypt),
                         (2, b"", "fugu: standard input: is closed or not open for reading\n"))
        self.assertEqual(run(">&-", *encrypt, "a", "-o", "-"),
                         (2, b"", "fugu: standard output: is closed or not open for writing; nothing was written\n"))
        self.assertEqual(run(">&-", "engines")[0], 2)
        # No message may land in an output that was given a closed stream's number.
        os.mkfifo(self.path("fifo"))
        for closed in ("2>&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            drained = []
            drain = threading.Thread(target=lambda: drained.append(self.read("fifo")))
            drain.start()
            self.assertEqual(run(closed, "encrypt", "-v", *NEW, "a", "-o", "fifo"), (0, b"", ""))
            drain.join()
            self.assertEqual(len(drained[0]), 168)  # sealed: 151, 1 and 16
            self.assertEqual(run(closed, "encrypt", "-v", *NEW, "a", "-f"), (0, b"", ""))
            self.expect(0, b"", "", "decrypt", "-q", *NEW, "a.fugu", "-f", "-o", "c")
            self.assertEqual(self.read("c"), b"x")
        self.assertEqual(self.names(), ["a", "a.fugu", "c", "fifo", "pass"])

    def test_reader_that_goes_away(self):
        self.write("a", pattern(8_000_000))
        process = self.start("encrypt", "-q", *NEW, "a", "-o", "-")
        process.stdout.read(1000)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(60), 2)

    def test_binary_is_not_written_to_a_terminal(self):
        leader, terminal = os.openpty()
        self.addCleanup(os.close, leader)
        text = ("fugu: standard output: is a terminal, and this is not text; use -o OUT or a redirection; "
                "nothing was written\n")
        self.expect(2, None, text, "encrypt", "-q", *NEW, input=b"x", stdout=terminal)
        for control in (b"\x1b[2J", b"\xc2\x9b2J"):  # CSI, of C0 and of C1 in UTF-8
            self.write("binary", control)
            self.encrypt("-f", "binary")
            self.expect(2, None, text, "decrypt", "-q", *NEW, *DEFAULT, "binary.fugu", "-o", "-", stdout=terminal)
        self.write("text", "\u00db")  # c3 9b
        self.encrypt("text")
        self.expect(0, None, "", "decrypt", "-q", *NEW, *DEFAULT, "text.fugu", "-o", "-", stdout=terminal)
        self.assertEqual(os.read(leader, 2), "\u00db".encode())
        self.expect(0, None, "", "encrypt", "-q", "-a", "--format", "openssl", *NEW, input=b"x", stdout=terminal)
        self.assertEqual(os.read(leader, 10), b"U2FsdGVkX1")
        os.close(terminal)


class Refusals(Case):
    def setUp(self):
        super().setUp()
        self.write("a", pattern(1000))

    def encrypt_fails(self, err, *arguments, **options):
        before = {name: self.read(name) for name in self.names() if os.path.isfile(self.path(name))}
        out = b"" if "stdout" not in options else None
        self.expect(2, out, err, "encrypt", "-q", *NEW, *arguments, **options)
        self.assertEqual({name: self.read(name) for name in before}, before)

    def test_existing_output(self):
        self.write("a.fugu", "precious")
        names = self.names()
        self.encrypt_fails("fugu: a.fugu: exists; not overwritten (use -f)\n", "a")
        self.encrypt_fails("fugu: a.fugu: exists; not overwritten (use -f)\n", "-o", "a.fugu", input=b"")
        self.assertEqual(self.names(), names)
        self.encrypt("-f", "a")
        self.assertEqual(self.read("a.fugu")[:8], b"Salted__")

    def test_missing_input(self):
        self.encrypt_fails("fugu: none: cannot open: No such file or directory\n", "none")
        self.assertEqual(self.names(), ["a", "pass"])

    def test_the_place_of_the_output_is_looked_at_before_a_passphrase_is_asked_for(self):
        os.mkdir(self.path("closed"), 0o555)
        nobody = as_nobody(self)
        for out, reason in (("none/b", "cannot open its directory: No such file or directory"),
                            ("a/b", "cannot open its directory: Not a directory"),
                            ("closed/b", "cannot create a file: Permission denied")):
            self.expect(2, b"", f"fugu: {out}: {reason}\n", "encrypt", "-q", "a", "-o", out, **nobody)

    def test_directories(self):
        os.mkdir(self.path("d"))
        self.encrypt_fails("fugu: d: is a directory\n", "d")
        code, out, err = self.run_fugu("encrypt", "-q", *NEW, "a", "-o", "d")
        self.assertEqual((code, out), (2, b""))
        self.assertRegex(err, r"^fugu: d: .*directory.*\n$")
        code, out, err = self.run_fugu("encrypt", "-q", *NEW, "a", "-o", "no/such/place")
        self.assertEqual((code, out), (2, b""))
        self.assertRegex(err, r"^fugu: no/such/place: .*No such file or directory.*\n$")
        directory = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, directory)
        self.encrypt_fails("fugu: standard input: is a directory\n", stdin=directory)

    def test_same_file_by_path(self):
        self.encrypt_fails(SAME.format("./a"), "-f", "a", "-o", "./a")

    def test_same_file_by_symbolic_link(self):
        os.symlink("a", self.path("link"))
        self.encrypt_fails(SAME.format("link"), "-f", "a", "-o", "link")
        self.encrypt_fails(SAME.format("a"), "-f", "link", "-o", "a")

    def test_same_file_by_hard_link(self):
        os.link(self.path("a"), self.path("link"))
        self.encrypt_fails(SAME.format("link"), "-f", "a", "-o", "link")

    def test_same_file_by_redirection(self):
        same = SAME.format("standard output")
        with open(self.path("a"), "ab") as appending:
            self.encrypt_fails(same, "a", "-o", "-", stdout=appending)
        with open(self.path("a"), "rb") as reading, open(self.path("a"), "ab") as appending:
            self.encrypt_fails(same, stdin=reading, stdout=appending)
        with open(self.path("a"), "rb") as reading:
            code, out, err = self.run_fugu("encrypt", "-q", "-f", *NEW, "-o", "a", stdin=reading)
            self.assertEqual((code, out, err), (2, b"", SAME.format("a")))
        self.assertEqual(self.read("a"), pattern(1000))

    def test_permissions(self):
        nobody = as_nobody(self)
        os.chmod(self.path("a"), 0)
        self.expect(2, b"", "fugu: a: cannot open: Permission denied\n", "encrypt", "-q", *NEW, "a", **nobody)
        os.chmod(self.path("a"), 0o644)
        os.chmod(self.directory, 0o555)
        self.expect(2, b"", "fugu: a.fugu: cannot create a file: Permission denied\n", "encrypt", "-q", *NEW, "a", **nobody)
        self.assertNotIn("a.fugu", self.names())

    def test_rm_that_is_not_permitted(self):
        nobody = as_nobody(self)
        os.mkdir(self.path("mine"), 0o755)
        self.write("mine/a", b"x")
        if not nobody:
            os.chmod(self.path("mine"), 0o555)
        self.expect(2, b"", "fugu: mine/a: cannot remove: Permission denied; b is complete\n",
                    "encrypt", "-q", "--rm", *NEW, "mine/a", "-o", "b", **nobody)
        os.chmod(self.path("mine"), 0o755)
        self.assertEqual(self.read("mine/a"), b"x")


class Remove(Case):
    def test_keep_is_the_default(self):
        self.write("a", "x")
        self.encrypt("-k", "a")
        self.assertIn("a", self.names())

    def test_rm(self):
        self.write("a", "x")
        self.encrypt("--rm", "a")
        self.assertEqual(self.names(), ["a.fugu", "pass"])
        self.decrypt("--rm", "a.fugu")
        self.assertEqual(self.names(), ["a", "pass"])
        self.assertEqual(self.read("a"), b"x")

    def test_failure_removes_nothing(self):
        self.write("a", "x")
        self.write("b.fugu", salted(b"text that is long enough to tell", self.directory))
        self.write("wrong", "wrong\n")
        code, out, err = self.run_fugu("decrypt", "-q", "--rm", "--pass", "file:wrong", "b.fugu")
        self.assertEqual(code, 3)
        self.assertEqual(self.names(), ["a", "b.fugu", "pass", "wrong"])
        self.write("a.fugu", "exists")
        self.expect(2, b"", "fugu: a.fugu: exists; not overwritten (use -f)\n", "encrypt", "-q", "--rm", *NEW, "a")
        self.assertIn("a", self.names())

    def test_an_input_that_was_replaced_meanwhile_stays(self):
        self.write("a", bytes(256 << 20))
        self.write("another", "another")
        process = self.start("encrypt", "-q", "--rm", *NEW, "a", "-o", "b")
        self.wait_until_writing(process)
        process.send_signal(signal.SIGSTOP)
        os.rename(self.path("another"), self.path("a"))
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err.decode()),
                         (2, b"", "fugu: a: was replaced by another file meanwhile; not removed; b is complete\n"))
        self.assertEqual(self.read("a"), b"another")


    def kept(self, err, *arguments, output=None):
        """The input stays although the output is complete."""
        self.expect(2, b"", err, *arguments)
        if output is not None:
            self.assertIn(output, self.names())

    def test_a_part_of_the_content_is_not_enough(self):
        self.write("a", pattern(1000))
        self.expect(0, b"", "", "encrypt", "-q", *NEW, "a")
        before = self.names()
        for option in (["--range", "0:5"], ["--salvage"]):
            self.expect(1, b"", f"fugu: {option[0]} and --rm cannot be combined\n", "decrypt", "-q", "--rm", *NEW,
                        *option, "a.fugu", "-o", "b")
        self.write("key", "k")
        raw = ["--format", "raw", "--mode", "cbc", "--iv", "zero", "--key", "file:key"]
        for padding in ("zero", "space"):
            for command, name in (("encrypt", "a"), ("decrypt", "a.fugu")):
                self.expect(1, b"", f"fugu: --pad {padding} and --rm cannot be combined\n", command, "-q", "--rm", *raw,
                            "--pad", padding, name, "-o", "b")
        self.assertEqual(self.names(), sorted(before + ["key"]))

    def test_a_secret_that_nothing_proves_is_not_enough(self):
        unproven = "fugu: {}: nothing proves that the passphrase or key was the right one; not removed; b is complete\n"
        self.write("key", "k")
        self.write("a", pattern(1000))
        raw = ["--format", "raw", "--mode", "cbc", "--iv", "zero", "--key", "file:key"]
        self.expect(0, b"", "", "encrypt", "-q", "--rm", *raw, "a", "-o", "a.raw")
        self.kept(unproven.format("a.raw"), "decrypt", "-q", "--rm", *raw, "a.raw", "-o", "b", output="b")
        self.write("wrong", "wrong\n")
        for cipher in ("bf-cfb", "bf-ofb"):
            given = ["--format", "openssl", "--cipher", cipher, "--md", "sha256", "--pbkdf2", "--key-bytes", "16"]
            self.write("a", pattern(1000))
            self.expect(0, b"", "", "encrypt", "-q", "--rm", *NEW, *given, "a", "-o", "a.fugu")
            self.kept(unproven.format("a.fugu"), "decrypt", "-q", "-f", "--rm", "--pass", "file:wrong", *given, "a.fugu",
                      "-o", "b", output="b")
            os.unlink(self.path("a.fugu"))

    def test_links_are_refused_before_the_work(self):
        self.write("a", pattern(1000))
        os.symlink("a", self.path("link"))
        self.expect(2, b"", "fugu: link: is a symbolic link, which --rm does not remove\n", "encrypt", "-q", "--rm", *NEW,
                    "link")
        os.unlink(self.path("link"))
        os.link(self.path("a"), self.path("other"))
        self.expect(2, b"", "fugu: a: has other hard links, which --rm would leave\n", "encrypt", "-q", "--rm", *NEW, "a")
        self.assertEqual(self.names(), ["a", "other", "pass"])

    def test_an_input_that_changed_meanwhile_stays(self):
        def touch():
            os.utime(self.path("a"))

        def grow():
            with open(self.path("a"), "ab") as file:
                file.write(b"more")

        def link():
            os.link(self.path("a"), self.path("other"))

        for change in (touch, grow, link):
            with self.subTest(change=change.__name__):
                self.write("a", bytes(64 << 20))
                process = self.start("encrypt", "-q", "--rm", *NEW, "a", "-o", "b")
                self.wait_until_writing(process)
                process.send_signal(signal.SIGSTOP)
                change()
                process.send_signal(signal.SIGCONT)
                out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out, err.decode()),
                                 (2, b"", "fugu: a: was changed meanwhile; not removed; b is complete\n"))
                self.assertIn("a", self.names())
                os.unlink(self.path("b"))


class SeveralFiles(Case):
    def test_the_worst_status_counts_and_the_rest_is_done(self):
        self.write("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
        self.write("c", pattern(3_000_000))
        code, out, err = self.run_fugu("encrypt", *NEW, "a", "none", "c", "-T", "2")
        self.assertEqual((code, out), (2, b""))
        lines = err.splitlines(keepends=True)
        self.assertEqual(lines[0], "fugu: none: cannot open: No such file or directory\n")
        self.assertRegex(lines[1], r"^fugu: 2 of 3 files encrypted; 3 MB in \d+\.\d s, .*/s\n$")
        self.write("x.fugu", "nothing known")
        code, out, err = self.run_fugu("decrypt", "-q", "-f", *NEW, "a.fugu", "x.fugu", "none.fugu", "c.fugu")
        self.assertEqual((code, out), (5, b""))
        self.assertEqual(self.read("c"), pattern(3_000_000))

    def test_serial_modes_work_on_several_files_at_once(self):
        names = [f"f{i}" for i in range(12)]
        for i, name in enumerate(names):
            self.write(name, pattern(100_000 + i))
        self.encrypt("-T", "4", *names)
        self.decrypt("-f", *[name + ".fugu" for name in names])
        for i, name in enumerate(names):
            self.assertEqual(self.read(name), pattern(100_000 + i))

    def meets(self, err, *arguments):
        before = {name: self.read(name) for name in self.names()}
        self.expect(1, b"", err + "; nothing was done\n", *arguments)
        self.assertEqual({name: self.read(name) for name in self.names()}, before)

    def test_an_output_that_is_another_input(self):
        self.write("a", "a")
        self.write("a.fugu", "precious")
        encrypt = ["encrypt", "-q", "-f", *NEW]
        self.meets("fugu: a.fugu: is an input and is the output for a", *encrypt, "a", "a.fugu")
        self.meets("fugu: a.fugu: is an input and is the output for a", *encrypt, "a.fugu", "a")
        os.symlink("a.fugu", self.path("link"))
        self.meets("fugu: a.fugu: is an input and is the output for a", *encrypt, "a", "link")
        with open(self.path("a.fugu"), "rb") as data:
            self.expect(1, b"", "fugu: a.fugu: is an input and is the output for a; nothing was done\n", *encrypt, "-", "a",
                        stdin=data)
        self.assertEqual(self.read("a.fugu"), b"precious")

    def test_two_inputs_of_one_output(self):
        self.write("a", "a")
        os.symlink("b.fugu", self.path("c.fugu"))  # nothing is there yet
        os.link(self.path("a"), self.path("b"))
        os.link(self.path("a"), self.path("c"))
        twice = "fugu: {}: is the output for {} and is the output for {}; nothing was done\n"
        for f in ([], ["-f"]):
            self.expect(1, b"", twice.format("a.fugu", "a", "a"), "encrypt", "-q", *f, *NEW, "a", "a")
            self.expect(1, b"", twice.format("./a.fugu", "a", "./a"), "encrypt", "-q", *f, *NEW, "a", "./a")
            self.expect(1, b"", twice.format("c.fugu", "b", "c"), "encrypt", "-q", *f, *NEW, "b", "c")
        self.assertEqual(self.names(), ["a", "b", "c", "c.fugu", "pass"])

    def test_the_list_of_inputs(self):
        self.write("a", "a")
        self.write("list", "a\n")
        encrypt = ["encrypt", "-q", "-f", *NEW, "--files-from"]
        self.meets("fugu: list: names the inputs and is the output for a", *encrypt, "list", "-o", "list")
        with open(self.path("list"), "rb") as names:
            self.expect(1, b"", "fugu: list: names the inputs and is the output for a; nothing was done\n", *encrypt, "-", "-o",
                        "list", stdin=names)
        self.assertEqual(self.read("list"), b"a\n")

    def test_a_file_that_holds_the_secret(self):
        self.write("k", bytes(range(32)))
        self.write("a", "a")
        holds = "fugu: {}: holds the passphrase or key and {}"
        self.meets(holds.format("k", "would be removed"), "encrypt", "-q", "--rm", "--key", "file:k", "k")
        self.meets(holds.format("pass", "is the output for a"), "encrypt", "-q", "-f", *NEW, "a", "-o", "pass")
        self.expect(0, b"", "", "encrypt", "-q", "--key", "file:k", "k")

    def test_a_part_never_takes_the_name_of_the_whole(self):
        self.write("x", pattern(100))
        self.expect(0, b"", "", "encrypt", "-q", *NEW, "x", "-o", "x.fugu")
        with open(self.path("x.fugu"), "rb") as data:
            self.expect(1, b"", "fugu: --range needs -o: a part does not take the name of the whole\n", "decrypt", "-q", *NEW,
                        "--range", "0:5", "-", "z.fugu", stdin=data)

    def test_no_passphrase_is_asked_for_when_nothing_is_left_to_do(self):
        self.expect(2, b"", "fugu: none: cannot open: No such file or directory\n", "encrypt", "-q", "none")


if __name__ == "__main__":
    support.main()
