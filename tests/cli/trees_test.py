"""Many files in one run: directories, lists of names, and outputs in another directory."""

import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import unittest
from unittest.mock import ANY

import support
from support import NOT_AUTHENTICATED, PASS, WRONG, Case, as_nobody, pattern

SKIPPED = "fugu: {}: {}; skipped\n"
LINK, NO_FILE, ENCRYPTED = "is a symbolic link", "is not a regular file", "is already encrypted"
UNKNOWN = "is not known to be encrypted"
IS_DIRECTORY = "fugu: d: is a directory; -r --output-dir DIR encrypts the files in it, `tar c d | fugu encrypt` all as one\n"


class Trees(Case):
    """Most tests use a key, so nothing is derived."""

    FILES = {"key": bytes(range(32))}
    key = ["--key", "file:key"]

    def tree(self, files, root="d"):
        for name, data in files.items():
            os.makedirs(os.path.dirname(self.path(f"{root}/{name}")), exist_ok=True)
            self.write(f"{root}/{name}", data)

    def names_in(self, root):
        root = pathlib.Path(self.path(root))
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_symlink() or not path.is_dir())

    def run_quietly(self, *arguments, **options):
        self.expect(0, b"", "", *arguments, "-q", **options)


class Recursion(Trees):
    TREE = {"a": b"a", "b/c": pattern(5000), "b/e/f": b"", "g h": b"g"}

    def test_there_and_back_in_place(self):
        self.tree(self.TREE)
        self.run_quietly("encrypt", "-r", "--rm", *self.key, "d")
        self.assertEqual(sorted(self.below("d")), sorted(name + ".fugu" for name in self.TREE))
        self.run_quietly("decrypt", "-r", "--rm", *self.key, "d")
        self.assertEqual(self.below("d"), self.TREE)

    def test_the_tree_comes_again_under_another_directory(self):
        self.tree(self.TREE)
        self.run_quietly("encrypt", "-r", "--output-dir", "new/out", *self.key, "d")
        self.assertEqual(self.below("d"), self.TREE)
        self.assertEqual(sorted(self.below("new/out")), sorted(f"{name}.fugu" for name in self.TREE))
        self.run_quietly("decrypt", "--recursive", "--output-dir", "back/", *self.key, self.path("new/out/"))
        self.assertEqual(self.below("back"), self.TREE)
        os.chdir(self.path("new/out"))
        self.addCleanup(os.chdir, "/")
        done = subprocess.run([support.FUGU, "decrypt", "-q", "-r", "--key", "file:../../key", "--output-dir", "../../dot", "."],
                              check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.below("dot"), self.TREE)

    def test_several_trees_come_again_each_by_its_name(self):
        self.tree(self.TREE)
        self.tree({"x": b"x"}, root="e")
        self.write("f", b"f")
        self.run_quietly("encrypt", "-r", "--output-dir", "out", *self.key, "d", "e/", "f")
        self.run_quietly("decrypt", "-r", "--output-dir", "back", *self.key, "out")
        self.assertEqual(self.below("back"), {"e/x": b"x", "f": b"f", **{f"d/{name}": data for name, data in self.TREE.items()}})

    def test_empty_directories_and_times_come_again(self):
        self.tree(self.TREE)
        os.makedirs(self.path("d/empty/below"))
        os.chmod(self.path("d"), 0o700)
        for i, name in enumerate(("d/empty/below", "d/empty", "d/b/e", "d/b", "d/a", "d")):
            os.utime(self.path(name), (0, 10**9 + i))
        def seen(root):
            return {os.path.relpath(at, self.path(root)): (stat.S_IMODE(os.stat(at).st_mode), int(os.stat(at).st_mtime))
                    for at, _, _ in os.walk(self.path(root))}
        before = seen("d")
        self.run_quietly("encrypt", "-r", "--rm", "--output-dir", "out", *self.key, "d", umask=0o022)
        self.run_quietly("decrypt", "-r", "--output-dir", "back", *self.key, "out", umask=0o022)
        self.assertEqual((seen("out"), seen("back")), (before, before))

    def test_what_the_output_lacks_is_counted(self):
        self.tree({"a": b"a", "z.fugu": b"z"})
        os.symlink("a", self.path("d/link"))
        os.mkfifo(self.path("d/fifo"))
        os.mkfifo(self.path("d/fifo2"))
        os.link(self.path("d/a"), self.path("d/b"))
        lacks = ("fugu: out: lacks files already encrypted (1), hard links between files (1), pipes, sockets and devices (2), "
                 "symbolic links (1); -v names them; `tar c DIR | fugu encrypt` keeps all\n")
        self.expect(2, b"", lacks, "encrypt", "-q", "-r", *self.key, "--output-dir", "out", "d")
        self.assertEqual(sorted(self.below("out")), ["a.fugu", "b.fugu"])
        err = self.fails(2, "encrypt", "-v", "-f", "-r", *self.key, "--output-dir", "out", "d")
        for name, why in (("fifo", NO_FILE), ("fifo2", NO_FILE), ("link", LINK), ("z.fugu", ENCRYPTED)):
            self.assertIn(SKIPPED.format("d/" + name, why), err)
        self.assertIn("d/b: is a hard link", err)
        self.write("out/plain", b"nothing")
        self.expect(2, b"", "fugu: back: lacks files not known to be encrypted (1); -v names them\n", "decrypt", "-q", "-r",
                    *self.key, "--output-dir", "back", "out")
        self.assertEqual(self.below("back"), {"a": b"a", "b": b"a"})

    def test_its_directories_are_as_open_as_those_of_the_input(self):
        self.tree(self.TREE)
        os.chmod(self.path("d/b"), 0o700)
        os.chmod(self.path("d/b/e"), 0o550)
        self.addCleanup(os.chmod, self.path("d/b/e"), 0o750)
        self.run_quietly("encrypt", "-r", "--output-dir", "out", *self.key, "d", umask=0o027)
        modes = [stat.S_IMODE(os.stat(self.path(name)).st_mode) for name in ("out", "out/b", "out/b/e")]
        self.assertEqual(modes, [0o750, 0o700, 0o750])

    def test_what_is_skipped_is_said(self):
        self.tree({"a": b"a", "z.fugu": b"z", "s/x": b"x"})
        os.symlink("a", self.path("d/link"))
        os.symlink("..", self.path("d/up"))
        os.symlink("none", self.path("d/nowhere"))
        os.mkfifo(self.path("d/fifo"))
        err = self.ends(0, b"", "encrypt", "-r", *self.key, "d")
        lines = "".join(err.splitlines(keepends=True)[:-1])
        self.assertEqual(lines, "".join(SKIPPED.format("d/" + name, why) for name, why in (
            ("fifo", NO_FILE), ("link", LINK), ("nowhere", LINK), ("up", LINK), ("z.fugu", ENCRYPTED))))
        self.assertRegex(err.splitlines()[-1], r"^fugu: 2 of 2 files encrypted; 2 B in ")
        self.assertEqual(self.names_in("d"), ["a", "a.fugu", "fifo", "link", "nowhere", "s/x", "s/x.fugu", "up", "z.fugu"])

    def test_a_link_that_is_named_is_followed(self):
        self.tree({"a": b"a"})
        os.symlink("d", self.path("link"))
        self.run_quietly("encrypt", "-r", *self.key, "link", "--output-dir", "out")
        self.assertEqual(sorted(self.below("out")), ["a.fugu"])

    def test_only_what_is_encrypted_is_decrypted_and_looked_at(self):
        self.tree({"a": b"a", "b": b"b"})
        self.run_quietly("encrypt", *self.key, "d/a", "-o", "d/moved")
        self.write("d/n.enc", b"nothing known")
        left = SKIPPED.format("d/a", UNKNOWN) + SKIPPED.format("d/b", UNKNOWN)
        unknown = "the format is not recognised"
        err = self.fails(5, "decrypt", "-r", *self.key, "d")
        self.assertTrue(err.startswith(left + "fugu: d/n.enc: " + unknown), err)
        self.assertRegex(err.splitlines()[-1], r"^fugu: 1 of 2 files decrypted; ")
        self.assertEqual(self.read("d/moved.decrypted"), b"a")
        self.ends(5, b"d/moved: 1 byte of plaintext, sealed, every segment authentic\n", "verify", "-r", *self.key, "d",
                  says=SKIPPED.format("d/moved.decrypted", UNKNOWN))
        code, out, err = self.run_fugu("info", "-r", "d")
        self.assertEqual((code, out.split(b"\n")[0]), (5, b"d/moved: sealed, version 2"))
        self.assertIn("fugu: d/n.enc: " + unknown, err)

    def test_a_directory_needs_it(self):
        self.tree({"a": b"a"})
        self.write("e", b"e")
        for command in (["decrypt", *self.key], ["verify", *self.key], ["info"]):
            self.expect(2, b"", "fugu: d: is a directory; -r takes the files in it\n", *command, "-q", "d")
        code, _, err = self.run_fugu("encrypt", "-q", *self.key, "d", "e")
        self.assertEqual((code, err, self.names_in("d")), (2, IS_DIRECTORY, ["a"]))
        self.assertIn("e.fugu", self.names())

    def close_a_directory(self):
        """Nobody may look into d/b. Returns the arguments of a user for whom this holds."""
        nobody = as_nobody(self)
        for directory, _, _ in os.walk(self.path("d")):
            os.chmod(directory, 0o777)
        os.chmod(self.path("d/b"), 0)
        self.addCleanup(os.chmod, self.path("d/b"), 0o777)
        return nobody

    def test_what_fails_stops_nothing_else(self):
        self.tree({"a": b"a", "b/x": b"b", "c": b"c", "z/z": b"z"})
        self.write("d/a.fugu", "there")
        nobody = self.close_a_directory()
        err = self.fails(2, "encrypt", "-r", *self.key, "d", **nobody)
        self.assertEqual(err.splitlines()[:3], ["fugu: d/a.fugu: is already encrypted; skipped",
                                                "fugu: d/a.fugu: exists; not overwritten (use -f)",
                                                "fugu: d/b: cannot open: Permission denied"])
        self.assertRegex(err.splitlines()[-1], r"^fugu: 2 of 4 files encrypted; ")
        self.assertTrue(os.path.exists(self.path("d/z/z.fugu")))

    def test_a_directory_that_may_be_a_container(self):
        """It can be listed only, so nobody sees whether its .encfs6.xml is a file."""
        self.tree({"a.fugu": b"a", "b.fugu": b"b"})
        nobody = as_nobody(self)
        os.chmod(self.path("d"), 0o604 if nobody else 0o400)
        self.addCleanup(os.chmod, self.path("d"), 0o755)
        self.expect(2, b"", "fugu: d: cannot open: Permission denied\n", "verify", "-q", "-r", *self.key, "d", **nobody)

    def test_what_fails_does_not_keep_other_inputs_from_their_removal(self):
        self.tree({"a": b"a", "b/x": b"b", "z/z": b"z"})
        nobody = self.close_a_directory()
        self.expect(2, b"", "fugu: d/b: cannot open: Permission denied\n", "encrypt", "-q", "-r", "--rm", *self.key, "d", **nobody)
        os.chmod(self.path("d/b"), 0o777)
        self.assertEqual(self.names_in("d"), ["a.fugu", "b/x", "z/z.fugu"])
        self.write("e", b"e")
        self.expect(2, b"", IS_DIRECTORY, "encrypt", "-q", "--rm", *self.key, "d", "e", "-f")
        self.assertNotIn("e", self.names())

    @unittest.skipIf(support.strace_problem(), support.strace_problem())
    def test_no_failing_call_loses_a_file_or_leaves_one_out(self):
        files = {"a": b"a", "b/c": b"c", "b/e/f": b"f", "g": b"g"}
        for call in ("newfstatat", "openat", "getdents64", "unlinkat"):
            shutil.rmtree(self.path("d"), ignore_errors=True)
            self.tree(files)
            runs = 0
            for index, code, _, err in support.failing_calls(self, call, ["encrypt", "-q", "-r", "--rm", *self.key, "d"]):
                runs += 1
                with self.subTest(call=call, index=index):
                    left = self.names_in("d")
                    self.assertTrue(code != 0 or left == sorted(name + ".fugu" for name in files), (left, err))
                    self.run_quietly("decrypt", "-r", "-f", "--rm", *self.key, "d")
                    self.assertEqual(self.below("d"), files)
            self.assertGreater(runs, 1, call)

    def test_more_directories_than_descriptors(self):
        many = {f"{i}/f": b"f" for i in range(300)} | {"/".join(["x"] * 250) + "/f": b"deep"}
        self.tree(many)
        limit = support.limited(resource.RLIMIT_NOFILE, 200)
        self.run_quietly("encrypt", "-r", "--rm", "-T", "16", *self.key, "d", preexec_fn=limit)
        named = [f"d/{i}" for i in range(300)] + ["d/x"]
        self.run_quietly("decrypt", "-r", "--rm", "-T", "16", *self.key, *named, preexec_fn=limit)
        self.assertEqual(self.below("d"), many)

    def test_nothing_is_there(self):
        os.mkdir(self.path("d"))
        self.expect(0, b"", "", "encrypt", "-r", "d")  # no passphrase is asked for

    def test_no_control_byte_reaches_the_terminal(self):
        names = ["new\nline", "esc\x1b[2J", os.fsdecode(b"latin\xe9")]
        for name in names:
            self.tree({name: name.encode("utf-8", "surrogateescape")})
        os.symlink("a", self.path("d/li\nnk"))
        err = self.ends(0, b"", "encrypt", "-r", "-v", "--rm", *self.key, "d")
        self.assertEqual(len(err.splitlines()), 5)
        self.assertIn(SKIPPED.format("d/li\\x0ank", LINK), err)
        self.assertIn("d/esc\\x1b[2J -> d/esc\\x1b[2J.fugu: ", err)
        self.assertIn("latin\\xe9", err)
        self.run_quietly("decrypt", "-r", "--rm", *self.key, "d")
        self.assertEqual(sorted(os.listdir(self.path("d"))), sorted(["li\nnk", *names]))

    def test_paths_that_no_call_takes(self):
        """What lies so deep is named once; so is a file whose output would have too long a name, and the rest is done."""
        self.tree({"a": b"a", "n" * 252: b"n"})
        where = os.open(self.path("d"), os.O_RDONLY)
        for _ in range(20):
            os.mkdir("x" * 250, dir_fd=where)
            below = os.open("x" * 250, os.O_RDONLY, dir_fd=where)
            os.close(where)
            where = below
        for name in ("f", "g"):
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=where))
        os.close(where)
        err = self.fails(2, "encrypt", "-q", "-r", *self.key, "d")
        self.assertEqual([line.rsplit("/", 1)[1] for line in err.splitlines()],
                         [f"{name}: cannot open: File name too long" for name in ("x" * 250, "n" * 252 + ".fugu")])
        self.assertIn("a.fugu", os.listdir(self.path("d")))


class OutputDirectory(Trees):
    def test_files_by_their_last_name(self):
        self.tree({"a": b"a", "b/c": b"c"})
        self.run_quietly("encrypt", "--output-dir", "out", *self.key, "d/a", self.path("d/b/c"))
        self.assertEqual(sorted(self.below("out")), ["a.fugu", "c.fugu"])

    def test_outputs_that_meet_are_refused_before_any_work(self):
        self.tree({"x/a": b"1", "y/a": b"2"})
        twice = "fugu: {0}/a.fugu: is the output for d/x/a and is the output for d/y/a; nothing was done\n"
        for out in ("out", "out/new/deep", self.path("out")):
            self.expect(1, b"", twice.format(out), "encrypt", *self.key, "--output-dir", out, "d/x/a", "d/y/a")
        self.assertNotIn("out", self.names())
        self.stops(1, "d/x/a: is named twice; nothing was done", "encrypt", "-q", "-r", *self.key, "d", "d/x/a")

    def test_rows_say_what_became_of_each_file(self):
        self.tree({"a": b"a", "b": b"b"})
        self.tree({"b.fugu": b"there"}, root="out")
        self.assertEqual(self.rows_of(2, "encrypt", "-q", "--json", "-r", *self.key, "--output-dir", "out", "d"), [
            {"file": "d/b", "ok": False, "error": "exists; not overwritten (use -f)"},
            {"file": "d/a", "output": "out/a.fugu", "ok": True}])
        self.expect(1, b"", "fugu: --json needs -o: the JSON itself goes to standard output\n", "encrypt", "--json", *self.key, input=b"x")
        rows = self.rows_of(5, "decrypt", "-q", "--json", *self.key, "out/a.fugu", "out/b.fugu", "-f")
        self.assertEqual([row["ok"] for row in rows], [True, False])

    def test_other_formats_have_their_own_extension(self):
        self.tree({"a": b"a" * 100})
        for format_name, end in (("vim", ".vim"), ("openssl", ".fugu")):
            self.run_quietly("encrypt", "--format", format_name, *PASS, "--output-dir", "out", "d/a")
            self.assertTrue(os.path.exists(self.path("out/a" + end)))
        self.run_quietly("encrypt", "-r", "--format", "vim", *PASS, "d")
        self.expect(0, b"", ANY, "encrypt", "-r", "--format", "vim", *PASS, "-f", "d")
        self.assertEqual(self.names_in("d"), ["a", "a.vim"])

    def test_what_it_needs(self):
        self.write("a", b"a")
        def refused(err, *arguments, status=1, **options):
            self.expect(status, b"", f"fugu: {err}\n", "encrypt", "-q", *self.key, *arguments, **options)
        refused("--output and --output-dir cannot be combined: give one of them", "--output-dir", "out", "-o", "b", "a")
        refused("--output and --recursive cannot be combined: give one of them", "-r", "-o", "b", "a")
        refused("standard input has no name under --output-dir; use -o", "--output-dir", "out")
        refused("a/a.fugu: cannot open its directory: Not a directory", "--output-dir", "a", "a", status=2)
        self.assertEqual(self.names(), ["a", "key", "pass"])


    def test_it_is_not_made_in_vain(self):
        self.tree({"a": b"a"})
        self.run_quietly("encrypt", *self.key, "d/a", "-o", "sealed")
        self.write("junk", b"nothing known")
        self.write("wrong", bytes(32))
        os.chmod(self.path("junk"), 0o644)
        state = "; new/deep/{} was not created\n"
        for status, err, *arguments in (
                (5, "fugu: junk: the format is not recognised", "decrypt", *self.key, "junk"),
                (3, f"fugu: sealed: {WRONG}; nothing was written\n", "decrypt", "--key", "file:wrong", "sealed"),
                (2, "fugu: none: cannot open: No such file or directory\n", "decrypt", *self.key, "none"),
                (2, "fugu: ", "encrypt", "--pass", "cmd:false", "d/a"),
                (2, "fugu: d: is a directory; ", "encrypt", *self.key, "d")):
            code, out, got = self.run_fugu(*arguments, "-q", "--output-dir", "new/deep")
            self.assertEqual((code, out, got[:len(err)]), (status, b"", err))
            if status == 5:
                self.assertTrue(got.endswith(state.format("junk.decrypted")), got)
            self.assertNotIn("new", self.names())
        self.write("empty", b"")
        self.run_quietly("encrypt", *self.key, "empty", "--output-dir", "new")
        self.run_quietly("decrypt", *self.key, "new/empty.fugu", "--output-dir", "new/deep")
        self.assertEqual(self.below("new/deep"), {"empty": b""})


class Lists(Trees):
    def test_one_name_per_line(self):
        self.tree({"a": b"a", "b/c": b"c", " x ": b"x", "-": b"-", "-q": b"q", "z": b"z"})
        self.write("list", "d/a\n\nd/b/c\nd/ x ")
        self.run_quietly("encrypt", "--files-from", "list", *self.key, "d/z", "--output-dir", "out")
        self.assertEqual(sorted(self.below("out")), ["d/ x .fugu", "d/a.fugu", "d/b/c.fugu", "z.fugu"])
        out = self.output("info", "--files-from", "-", input=b"out/d/a.fugu\nout/z.fugu\n")
        self.assertEqual([line for line in out.decode().splitlines() if line[0] != " "],
                         [f"out/{name}.fugu: sealed, version 2" for name in ("d/a", "z")])
        self.write("-", b"dash")
        self.write("-v", b"v")
        self.run_quietly("encrypt", "--files-from", "/dev/stdin", *self.key, input=b"-\n-v\n")
        self.assertEqual(self.read("-.fugu")[1:5], b"FUGU")
        self.assertEqual(self.read("-v.fugu")[1:5], b"FUGU")

    def test_names_that_end_with_a_zero_byte(self):
        self.tree({"new\nline": b"1", "b": b"2"})
        self.run_quietly("encrypt", "-0", "--files-from", "-", *self.key, input=b"d/new\nline\0d/b\0")
        self.assertEqual(sorted(self.below("d")), ["b", "b.fugu", "new\nline", "new\nline.fugu"])

    def test_directories_in_a_list(self):
        self.tree({"a": b"a", "b/c": b"c"})
        self.expect(2, b"", IS_DIRECTORY, "encrypt", "-q", *self.key, "--files-from", "-", input=b"d\n")
        self.run_quietly("encrypt", "-r", *self.key, "--files-from", "-", "--output-dir", "out", input=b"./d/b\n")
        self.assertEqual(sorted(self.below("out")), ["d/b/c.fugu"])

    def test_what_is_refused(self):
        def refused(status, err, *arguments, **options):
            self.expect(status, b"", f"fugu: {err}\n", "encrypt", "-q", *arguments, **options)
        refused(2, "none: cannot open: No such file or directory", *self.key, "--files-from", "none")
        refused(1, "standard input: holds a NUL byte; -0 reads names that end with one", *self.key, "--files-from", "-",
                input=b"a\0b\n")
        refused(1, "standard input: holds a name of more than 4096 bytes", *self.key, "--files-from", "-", input=b"a" * 5000)
        refused(1, "standard input can be read only once", *self.key, "--files-from", "-", "-", input=b"")
        refused(1, "standard input can be read only once", "--pass", "fd:0", "--files-from", "-", input=b"")
        refused(1, "--null needs --files-from", *self.key, "-0", "a")
        refused(1, "../a: leads out of --output-dir", *self.key, "--output-dir", "out", "--files-from", "-", input=b"../a\n")
        refused(2, "none: cannot open: No such file or directory", *self.key, "--files-from", "-", input=b"none\n")

    def test_an_empty_list_is_no_file(self):
        self.expect(0, b"", "", "encrypt", "--files-from", "-", *PASS, input=b"")

    def test_absolute_names_go_below_the_output_directory(self):
        self.tree({"a": b"a"})
        self.run_quietly("encrypt", *self.key, "--output-dir", "out", "--files-from", "-", input=self.path("d/a").encode())
        self.assertEqual(self.read("out" + self.path("d/a") + ".fugu")[1:5], b"FUGU")


class Warnings(Trees):
    def test_what_is_encrypted_already(self):
        self.write("a", b"a")
        self.run_quietly("encrypt", *self.key, "a")
        twice = "fugu: {}: is already encrypted (format {}), and is encrypted again\n"
        self.expect(0, b"", twice.format("a.fugu", "sealed"), "encrypt", *self.key, "a.fugu")
        self.run_quietly("encrypt", "--format", "openssl", *PASS, "a", "-o", "a.enc")
        self.expect(0, b"", twice.format("a.enc", "openssl"), "encrypt", *self.key, "a.enc")
        self.run_quietly("decrypt", *self.key, "a.fugu.fugu", "-o", "once")
        self.assertEqual(self.read("once"), self.read("a.fugu"))

    def test_a_secret_that_all_may_read(self):
        above = os.path.dirname(self.directory)
        if not os.stat(above).st_mode & stat.S_IXOTH:
            self.skipTest(f"{above} is closed to others")
        self.write("a", b"a")
        warning = "fugu: {}: any user of this machine can read this secret; chmod 600 makes it private\n"
        for place, name in ((PASS, "pass"), (self.key, "key")):
            for directory, file, warned in ((0o755, 0o644, True), (0o711, 0o604, True), (0o755, 0o600, False),
                                            (0o755, 0o640, False), (0o700, 0o644, False)):
                os.chmod(self.directory, directory)
                os.chmod(self.path(name), file)
                cheap = ["--scrypt-cost", "10"] if name == "pass" else []
                self.expect(0, b"", warning.format(name) if warned else "", "encrypt", "-f", *place, *cheap, "a")


class ManyAtATime(Trees):
    """Messages come in the order of the files, whichever file is finished first."""

    def setUp(self):
        super().setUp()
        self.names_given = [f"d/f{i:02}" for i in range(60)]
        self.tree({f"f{i:02}": pattern(4_000_000 if i % 20 == 0 else 100 + 10 * i) for i in range(60)})

    def test_messages_in_the_order_of_the_files(self):
        self.write("d/f07.fugu", "there")
        lines = self.fails(2, "encrypt", "-v", "-T", "4", *self.key, *self.names_given, "none").splitlines()
        self.assertEqual(lines[:2], ["fugu: d/f07.fugu: exists; not overwritten (use -f)",
                                     "fugu: none: cannot open: No such file or directory"])
        self.assertEqual([line.split(" ")[1] for line in lines[2:-1]], [name for name in self.names_given if name != "d/f07"])
        self.assertRegex(lines[-1], r"^fugu: 59 of 61 files encrypted; 12 MB in ")
        self.write("d/f05.fugu", "noise that nothing knows")
        sealed = [name + ".fugu" for name in self.names_given if name != "d/f07"]
        self.assertEqual(self.fails(5, "verify", "-q", "-T", "4", *self.key, *sealed).count("\n"), 1)
        out = self.run_fugu("verify", "-T", "4", *self.key, *sealed)[1].decode()
        self.assertEqual([line.split(":")[0] for line in out.splitlines()], [name for name in sealed if name != "d/f05.fugu"])
        rows = self.rows_of(5, "verify", "--json", "-T", "4", *self.key, *sealed)
        self.assertEqual([row["file"] for row in rows], sealed)
        self.assertEqual([row["file"] for row in rows if not row["ok"]], ["d/f05.fugu"])
        rows = self.rows_of(2, "verify", "-q", "--json", *self.key, sealed[0], "none")
        self.assertEqual(rows[0], {"file": "none", "ok": False, "error": "cannot open: No such file or directory"})
        self.assertEqual((rows[1]["file"], rows[1]["ok"]), (sealed[0], True))

    def test_what_is_said_once_comes_first(self):
        text = {f"f{i:02}": b"a few words of a text\n" * (200_000 if i % 20 == 0 else 10 + i) for i in range(21)}
        self.tree(text)
        self.run_quietly("encrypt", "--format", "openssl", *PASS, *self.names_given[:21])
        err = self.ends(0, b"", "decrypt", "-f", *PASS, *[name + ".fugu" for name in self.names_given[:21]])
        self.assertEqual(err.splitlines()[0] + "\n", NOT_AUTHENTICATED)
        self.assertEqual(err.count("authentication"), 1)
        told = [line.split(" ")[1] for line in err.splitlines()[1:-1]]
        self.assertEqual(told, sorted(told))
        self.assertEqual({name: data for name, data in self.below("d").items() if name in text}, text)

    @support.in_little_memory
    def test_keys_are_derived_within_a_bound_of_memory(self):
        limit = support.limited(resource.RLIMIT_AS, 700 << 20)
        for name in self.names_given[1:7]:  # a salt of its own for each, and 128 MiB
            self.run_quietly("encrypt", *PASS, name)
        self.run_quietly("verify", "-T", "6", *PASS, *[name + ".fugu" for name in self.names_given[1:7]], preexec_fn=limit)

    def derives_once(self, status, *arguments):
        """60 derivations would take a minute of processor time. Returns the messages."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        code, _, err = self.run_fugu(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(code, status, err)
        self.assertLess(after.ru_utime - before.ru_utime, 10)
        return err

    def test_a_passphrase_is_derived_once_for_a_run(self):
        for name in self.names_given:
            self.write(name, name)
        os.chmod(self.path("pass"), 0o600)
        cost = ["--scrypt-cost", "18"]
        self.derives_once(0, "encrypt", "-r", "--rm", *PASS, *cost, "--output-dir", "out", "d")
        heads = [self.read(f"out/f{i:02}.fugu")[:167] for i in range(60)]
        self.assertEqual({(head[12:16], head[48:52], head[52:55]) for head in heads}, {(bytes([167, 0, 0, 0]), b"\1\3\x43\0", b"\x12\x08\1")})
        self.assertEqual(len({head[55:71] for head in heads}), 1)  # the salt of the run; the rest is each file's own
        self.assertEqual([len({head[at:to] for head in heads}) for at, to in ((16, 48), (71, 87), (87, 119))], [60] * 3)
        self.write("wrong", "another")
        err = self.derives_once(3, "decrypt", "-r", "--pass", "file:wrong", "--output-dir", "no", "out")
        said = [line for line in err.splitlines() if "secret" not in line]
        self.assertEqual(said[:2], [f"fugu: out/f00.fugu: {WRONG}; nothing was written",
                                    "fugu: wrong passphrase or key for 59 more files; -v names them"])
        self.assertEqual((len(said), "no" in self.names()), (3, False))
        err = self.derives_once(3, "verify", "-v", "-r", "--pass", "file:wrong", "out")
        self.assertEqual(err.count(": wrong passphrase or key"), 60)
        self.derives_once(0, "rekey", "-q", *PASS, "--new-pass", "file:wrong", *cost, *[f"out/f{i:02}.fugu" for i in range(60)])
        self.assertEqual(len({self.read(f"out/f{i:02}.fugu")[55:71] for i in range(60)} - {heads[0][55:71]}), 1)
        self.derives_once(0, "decrypt", "-r", "--pass", "file:wrong", "--output-dir", "back", "out")
        self.assertEqual(self.below("back"), {f"f{i:02}": f"d/f{i:02}".encode() for i in range(60)})
        self.run_quietly("encrypt", *PASS, "--scrypt-cost", "10", "back/f00", "-o", "alone")
        self.assertEqual(self.read("alone")[12:16], bytes([151, 0, 0, 0]))  # what readers without shared slots open

    def test_a_signal_leaves_whole_files_only(self):
        process = self.start("encrypt", "-q", *self.key, "-r", "d")
        while not any(name.endswith(".fugu") for name in os.listdir(self.path("d"))):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertIn((process.returncode, out, err), ((-signal.SIGINT, b"", b""), (0, b"", b"")))
        made = [name for name in self.names_in("d") if name.endswith(".fugu")]
        self.assertEqual(self.names_in("d"), sorted([f"f{i:02}" for i in range(60)] + made))
        self.run_quietly("verify", *self.key, *["d/" + name for name in made])

    def test_a_passphrase_that_cannot_be_read_ends_the_run(self):
        err = self.fails(2, "encrypt", "-q", "--pass", "cmd:false", *self.names_given)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertEqual(self.names_in("d"), [f"f{i:02}" for i in range(60)])
