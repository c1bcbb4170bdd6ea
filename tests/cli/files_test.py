"""Files: names, permissions, times, what is replaced, and several files in one run."""

import os
import shutil
import stat
from unittest.mock import ANY

from support import CHEAP, NOT_AUTHENTICATED, PASS, Case, pattern



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
                shutil.copy(self.path("x"), self.path("e/" + name))
                self.decrypt("e/" + name)
                self.assertEqual(self.below("e"), {name: self.read("x"), decrypted: pattern(50)})
                shutil.rmtree(self.path("e"))

    def test_notes(self):
        self.write("a", "text enough to be sure of, and then some more of it")
        self.expect(0, b"", "", "encrypt", "--format", "openssl", *PASS, "a")
        self.expect(0, b"", NOT_AUTHENTICATED + "fugu: a.fugu: matches bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations\n",
                    "decrypt", *PASS, "a.fugu", "-o", "b")
        self.expect(0, b"", "", "encrypt", "-q", *CHEAP, "a", "-o", "c")

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
        err = self.fails(2, "encrypt", "-q", *CHEAP, b"none\n\x1b")
        self.assertEqual(err, "fugu: none\\x0a\\x1b: cannot open: No such file or directory\n")

    def mode(self, name):
        return stat.S_IMODE(os.stat(self.path(name)).st_mode)

    def test_permissions(self):
        self.write("a", "x")
        for given, mask, made in ((0o644, 0o027, 0o640), (0o600, 0o022, 0o600)):
            os.chmod(self.path("a"), given)
            self.encrypt("-f", "a", umask=mask)
            self.assertEqual(self.mode("a.fugu"), made)
            self.decrypt("a.fugu", "-f", "-o", "b", umask=mask)
            self.assertEqual(self.mode("b"), made)
        with open(self.path("a"), "rb") as standard_input:
            os.chmod(self.path("a"), 0o600)
            self.encrypt("-o", "c", stdin=standard_input, umask=0o022)
        self.assertEqual(self.mode("c"), 0o644)

    def test_time_of_change(self):
        then = 1_000_000_000_123_456_789
        self.write("a", pattern(1000))
        os.utime(self.path("a"), ns=(then, then))
        key = ["-q", *PASS]
        self.expect(0, b"", "", "encrypt", "-q", *CHEAP, "a")
        self.expect(0, b"", "", "decrypt", *key, "a.fugu", "-o", "b")
        self.assertEqual([os.stat(self.path(name)).st_mtime_ns for name in ("a.fugu", "b")], [then, then])
        self.expect(0, b"", "", "decrypt", *key, "--range", "0:10", "a.fugu", "-o", "part")
        self.expect(0, b"", "", "rekey", *key, "--new-pass", "file:pass", "a.fugu")
        for name in ("part", "a.fugu"):
            self.assertGreater(os.stat(self.path(name)).st_mtime_ns, then, name)

    def test_sparse_files_come_back_sparse(self):
        with open(self.path("a"), "wb") as file:
            file.write(pattern(5000))
            file.seek(10 << 20)
            file.write(b"end")
            file.truncate(16 << 20)
        for options in (CHEAP, [*PASS, "--format", "openssl"]):
            with self.subTest(options=options):
                self.expect(0, b"", "", "encrypt", "-q", "-f", *options, "a")
                self.expect(0, b"", "", "decrypt", "-q", "-f", *PASS, "a.fugu", "-o", "b")
                self.assertEqual(self.read("b"), self.read("a"))
                space = os.stat(self.path("a.fugu")).st_blocks * 512
                self.assertTrue(16 << 20 <= space <= 17 << 20, space)
                self.assertLess(os.stat(self.path("b")).st_blocks * 512, 1 << 20)


class Replacing(Case):
    """What -f preserves of the file that it replaces."""

    # user::rw-, user:65534:rw-, group::---, mask::rw-, other::---, as the kernel stores it
    LIST = bytes.fromhex("02000000" "01000600ffffffff" "02000600feff0000" "04000000ffffffff" "10000600ffffffff" "20000000ffffffff")

    def setUp(self):
        super().setUp()
        self.write("a", "data")
        self.encrypt("a")

    def test_who_may_read_it(self):
        try:
            os.setxattr(self.path("a.fugu"), "system.posix_acl_access", self.LIST)
        except OSError:
            self.skipTest("the file system has no access control lists")
        os.chmod(self.path("a"), 0o660)
        for command in (["encrypt", "-q", "-f", *CHEAP, "a"], ["rekey", "-q", *PASS, "--new-pass", "file:pass", "a.fugu"]):
            self.expect(0, b"", "", *command)
            self.assertEqual(os.getxattr(self.path("a.fugu"), "system.posix_acl_access"), self.LIST)

    def test_never_more_than_the_input_gives(self):
        os.chmod(self.path("a.fugu"), 0o644)
        os.chmod(self.path("a"), 0o600)
        self.encrypt("-f", "a")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.fugu")).st_mode), 0o600)


class Caches(Case):
    def test_none_is_made_in_vain(self):
        self.write("a", b"a")
        self.encrypt("a", "--engine", "auto", variables={"HOME": self.directory, "XDG_CACHE_HOME": ""})
        made = [names for _, _, names in os.walk(self.path(".cache"))]
        self.assertTrue(not made or any(made), made)  # with a GPU there may be measurements to keep


class SeveralFiles(Case):
    def test_the_worst_status_counts_and_the_rest_is_done(self):
        self.write("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
        self.write("c", pattern(3_000_000))
        lines = self.fails(2, "encrypt", *CHEAP, "a", "none", "c", "-T", "2").splitlines(keepends=True)
        self.assertEqual(lines[0], "fugu: none: cannot open: No such file or directory\n")
        self.assertRegex(lines[1], r"^fugu: 2 of 3 files encrypted; 3 MB in \d+\.\d s, .*/s\n$")
        self.write("x.fugu", "nothing known")
        self.expect(5, b"", ANY, "decrypt", "-q", "-f", *PASS, "a.fugu", "x.fugu", "none.fugu", "c.fugu")
        self.assertEqual(self.read("c"), pattern(3_000_000))

    def meets(self, err, *arguments):
        before = {name: self.read(name) for name in self.names()}
        self.expect(1, b"", err + "; nothing was done\n", *arguments)
        self.assertEqual({name: self.read(name) for name in self.names()}, before)

    def test_an_output_that_is_another_input(self):
        self.write("a", "a")
        self.write("a.fugu", "precious")
        encrypt = ["encrypt", "-q", "-f", *CHEAP]
        self.meets("fugu: a.fugu: is an input and is the output for a", *encrypt, "a", "a.fugu")
        self.meets("fugu: a.fugu: is an input and is the output for a", *encrypt, "a.fugu", "a")
        os.symlink("a.fugu", self.path("link"))
        self.meets("fugu: a.fugu: is an input and is the output for a", *encrypt, "a", "link")
        with open(self.path("a.fugu"), "rb") as data:
            self.stops(1, "a.fugu: is an input and is the output for a; nothing was done", *encrypt, "-", "a", stdin=data)
        self.assertEqual(self.read("a.fugu"), b"precious")

    def test_links_that_lead_nowhere(self):
        """As cp(1), which does not write through them either; -f does."""
        self.write("a", "a")
        os.symlink("loop", self.path("loop"))
        os.symlink("new", self.path("dangling"))
        self.expect(2, b"", "fugu: dangling: is a link to a file that does not exist; not written through (use -f)\n", "encrypt", "-q",
                    *CHEAP, "a", "-o", "dangling")
        for arguments in (["a", "-o", "loop"], ["-f", "a", "-o", "loop"], ["loop"], ["a", "-o", "loop/x"]):
            self.expect(2, b"", f"fugu: {arguments[-1]}: cannot open{' its directory' if '/' in arguments[-1] else ''}: Too many levels of symbolic links\n", "encrypt", "-q", *CHEAP, *arguments)
        self.fails(2, "encrypt", "-q", "--pass", "file:loop", "a", says="fugu: loop: cannot open: Too many levels of symbolic links\n")
        self.expect(0, b"", "", "encrypt", "-q", "-f", *CHEAP, "a", "-o", "dangling")
        self.assertEqual(self.names(), ["a", "dangling", "loop", "new", "pass"])

    def test_two_inputs_of_one_output(self):
        self.write("a", "a")
        os.symlink("b.fugu", self.path("c.fugu"))  # the link has no target yet
        os.link(self.path("a"), self.path("b"))
        os.link(self.path("a"), self.path("c"))
        twice = "fugu: {}: is the output for {} and is the output for {}; nothing was done\n"
        for f in ([], ["-f"]):
            self.expect(1, b"", "fugu: a: is named twice; nothing was done\n", "encrypt", "-q", *f, *CHEAP, "a", "a")
            self.expect(1, b"", twice.format("./a.fugu", "a", "./a"), "encrypt", "-q", *f, *CHEAP, "a", "./a")
        self.expect(1, b"", twice.format("c.fugu", "b", "c"), "encrypt", "-q", "-f", *CHEAP, "b", "c")
        self.assertEqual(self.names(), ["a", "b", "c", "c.fugu", "pass"])

    def test_the_list_of_inputs(self):
        self.write("a", "a")
        self.write("list", "a\n")
        encrypt = ["encrypt", "-q", "-f", *CHEAP, "--files-from"]
        self.meets("fugu: list: names the inputs and is the output for a", *encrypt, "list", "-o", "list")
        with open(self.path("list"), "rb") as names:
            self.stops(1, "list: names the inputs and is the output for a; nothing was done", *encrypt, "-", "-o", "list", stdin=names)
        self.assertEqual(self.read("list"), b"a\n")

    def test_a_file_that_holds_the_secret(self):
        self.write("k", bytes(range(32)))
        self.write("a", "a")
        holds = "fugu: {}: holds the passphrase or key and {}"
        self.meets(holds.format("k", "would be removed"), "encrypt", "-q", "--rm", "--key", "file:k", "k")
        self.meets(holds.format("pass", "is the output for a"), "encrypt", "-q", "-f", *CHEAP, "a", "-o", "pass")
        self.expect(0, b"", "", "encrypt", "-q", "--key", "file:k", "k")

    def test_no_passphrase_is_asked_for_when_nothing_is_left_to_do(self):
        self.expect(2, b"", "fugu: none: cannot open: No such file or directory\n", "encrypt", "-q", "none")
