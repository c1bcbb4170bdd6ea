"""Others exchange what a walk has found by something else while the program works. Nothing outside of the tree is read, written or
removed, and what was not processed is named.

The key is read from a FIFO after the walk and the checks, and with -T 1 while the first file is open and no other: there the
program waits until the exchange is done.
"""

import os

from support import Case, as_nobody

REPLACED = "a directory on its path was replaced meanwhile"
BOTH = [f"t/s/{name}: {REPLACED}" for name in ("deep/y", "x")]


class Races(Case):
    def setUp(self):
        super().setUp()
        self.write("key", bytes(range(32)))
        for directory in ("t", "t/s", "t/s/deep", "victim", "victim/deep"):
            os.mkdir(self.path(directory))
        for name in ("t/a", "t/s/x", "t/s/deep/y", "victim/x", "victim/deep/y"):
            self.write(name, name)

    def seal(self, *names):
        """Replaces files by sealed ones."""
        for name in names:
            self.expect(0, b"", "", "encrypt", "-q", "--rm", "--key", "file:key", name)

    def link(self, path, target):
        os.rename(self.path(path), self.path("old"))
        os.symlink(self.path(target), self.path(path))

    def race(self, exchange, *arguments, options=None, tree=("t",)):
        """Runs the program with the exchange. Returns its status and its messages."""
        os.mkfifo(self.path("fifo"))
        if options:
            os.chmod(self.path("fifo"), 0o644)
        process = self.start(*arguments, "-q", "-T", "1", "--key", "file:fifo", *tree, **(options or {}))
        if (fifo := self.opened_by(process, "fifo")) is not None:
            exchange()
            os.write(fifo, bytes(range(32)))
            os.close(fifo)
        out, err = process.communicate(timeout=60)
        os.unlink(self.path("fifo"))
        return process.returncode, out.decode(), err.decode()

    def stopped(self, messages, *of_race, **options):
        """A race() that ends with status 2 and nothing but these messages."""
        self.assertEqual(self.race(*of_race, **options), (2, "", "".join(f"fugu: {message}\n" for message in messages)))

    def open_to_all(self):
        nobody = as_nobody(self)
        for where, directories, names in os.walk(self.directory) if nobody else ():
            for name in directories:
                os.chmod(os.path.join(where, name), 0o777)
            for name in names:
                if name != "fugu":
                    os.chmod(os.path.join(where, name), 0o666)
        return nobody

    def check_a_directory(self, outputs, options=None):
        outside = self.below("victim")
        self.stopped(BOTH, lambda: self.link("t/s", "victim"), "encrypt", "-r", "--rm", *outputs, options=options)
        self.assertEqual(self.below("victim"), outside)
        self.assertEqual(self.below("old"), {"x": b"t/s/x", "deep/y": b"t/s/deep/y"})
        self.assertEqual(sorted(self.below("t")) + sorted(self.below("o")), ["a.fugu"] if outputs else ["a.fugu"])

    def test_a_link_instead_of_a_directory(self):
        self.check_a_directory(["--output-dir", "o"])

    def test_a_link_instead_of_a_directory_that_the_output_goes_to(self):
        self.check_a_directory([])

    def test_the_same_for_an_ordinary_user(self):
        nobody = self.open_to_all()
        if not nobody:
            self.skipTest("the other tests run as an ordinary user")
        self.check_a_directory([], nobody)

    def test_another_directory_instead_of_one(self):
        def exchange():
            os.rename(self.path("t/s"), self.path("old"))
            os.rename(self.path("victim"), self.path("t/s"))

        self.stopped(BOTH, exchange, "encrypt", "-r", "--rm")
        self.assertEqual(self.below("t"), {"a.fugu": self.read("t/a.fugu"), "s/x": b"victim/x", "s/deep/y": b"victim/deep/y"})

    def test_a_directory_that_is_gone(self):
        gone = [f"t/s/{name}: cannot open: No such file or directory" for name in ("deep/y", "x")]
        self.stopped(gone, lambda: os.rename(self.path("t/s"), self.path("old")), "encrypt", "-r", "--rm")

    def test_the_directory_that_was_named(self):
        """It stays open: the work goes on where it was moved to."""
        outside = self.below("victim")
        status, _, err = self.race(lambda: self.link("t", "victim"), "encrypt", "-r", "--rm")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(self.below("victim"), outside)
        self.assertEqual(sorted(self.below("old")), ["a.fugu", "s/deep/y.fugu", "s/x.fugu"])

    def test_a_link_instead_of_a_file(self):
        for remove, reason in ((["--rm"], "is a symbolic link, which --rm does not remove"),
                               ([], "is a symbolic link, which is not followed")):
            with self.subTest(remove=remove):
                self.stopped([f"t/s/x: {reason}"], lambda: self.link("t/s/x", "victim/x"), "encrypt", "-f", "-r", *remove)
                self.assertEqual((self.read("victim/x"), self.read("old")), (b"victim/x", b"t/s/x"))
                self.assertNotIn("s/x.fugu", self.below("t"))
                os.rename(self.path("old"), self.path("t/s/x"))
                for left in ("a", "s/deep/y"):
                    self.write("t/" + left, left)

    def test_no_output_goes_through_a_link(self):
        """Whether or not it leads to a file, and at any time."""
        os.symlink("../../victim/x", self.path("t/s/x.fugu"))
        exchange = lambda: os.symlink("../../../victim/new", self.path("t/s/deep/y.fugu"))
        through = [f"t/s/{name}.fugu: is a symbolic link, which is not written through" for name in ("deep/y", "x")]
        self.stopped(through, exchange, "encrypt", "-f", "-r", "--rm")
        self.assertEqual(self.below("victim"), {"x": b"victim/x", "deep/y": b"victim/deep/y"})
        self.assertEqual((self.read("t/s/x"), self.read("t/s/deep/y")), (b"t/s/x", b"t/s/deep/y"))

    def test_decrypt_and_verify(self):
        self.seal("t/a", "t/s/x", "t/s/deep/y", "victim/x", "victim/deep/y")
        outside = self.below("victim")
        said = [f"t/s/{name}.fugu: {REPLACED}" for name in ("deep/y", "x")]
        self.stopped(said, lambda: self.link("t/s", "victim"), "verify", "-r")
        os.unlink(self.path("t/s"))
        os.rename(self.path("old"), self.path("t/s"))
        self.stopped(said, lambda: self.link("t/s", "victim"), "decrypt", "-r", "--rm")
        self.assertEqual(self.below("victim"), outside)
        self.assertEqual(sorted(self.below("old")), ["deep/y.fugu", "x.fugu"])
        self.assertEqual(self.below("t"), {"a": b"t/a"})

    def test_an_output_that_becomes_a_device(self):
        """It is written as a shell would, and is no reason to remove the input."""
        self.stopped(["t/s/x: not removed: its output is not a regular file; t/s/x.fugu is complete"],
                     lambda: os.symlink("/dev/null", self.path("t/s/x.fugu")), "encrypt", "--rm", tree=["t/a", "t/s/x"])
        self.assertEqual(self.read("t/s/x"), b"t/s/x")

    def check_a_directory_below_the_output(self, exchanged, outputs, *arguments, tree=("t",)):
        outside, inside = self.below("victim"), self.below("t")
        said = [f"{name}: a directory on its path is a link or another file, which is not followed; {name} was not created" for name in outputs]
        self.stopped(said, lambda: self.link(exchanged, "victim"), *arguments, "--output-dir", "o", tree=tree)
        self.assertEqual(self.below("victim"), outside)
        self.assertEqual(sorted(self.below("o")), ["a.fugu" if "encrypt" in arguments else "a"])
        return inside

    def test_a_link_instead_of_a_directory_of_the_output(self):
        os.makedirs(self.path("o/s"))
        names = ["o/s/deep/y.fugu", "o/s/x.fugu"]
        inside = self.check_a_directory_below_the_output("o/s", names, "encrypt", "-r", "--rm")
        self.assertEqual(self.below("t"), {name: data for name, data in inside.items() if name != "a"})

    def test_a_link_instead_of_a_directory_of_the_output_when_decrypting(self):
        self.seal("t/a", "t/s/x", "t/s/deep/y")
        os.makedirs(self.path("o/s/deep"))
        self.check_a_directory_below_the_output("o/s", ["o/s/deep/y", "o/s/x"], "decrypt", "-f", "-r")

    def test_a_link_where_a_directory_of_the_output_is_to_be_made(self):
        """The output's directory stays open: what takes its place is not followed, and its directories are made where it is."""
        outside = self.below("victim")
        os.mkdir(self.path("o"))

        def exchange():
            self.link("o", "victim")
            os.symlink("../victim", self.path("old/s"))

        status, _, err = self.race(exchange, "encrypt", "-r", "--output-dir", "o")
        self.assertEqual((status, err.count("is a link or another file, which is not followed")), (2, 2))
        self.assertEqual((self.below("victim"), sorted(self.below("old"))), (outside, ["a.fugu"]))

    def test_a_file_that_was_named(self):
        """Its directory may be reached through links; its removal stays in the one where it was opened."""
        os.symlink("t/s", self.path("way"))

        self.write("t/s/x", bytes(64 << 20))
        process = self.start("encrypt", "-q", "--rm", "--key", "file:key", "way/x", "-o", "out")
        self.wait_until_writing(process)
        os.unlink(self.path("way"))
        os.symlink("victim", self.path("way"))
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (0, b"", b""))
        self.assertEqual((os.path.exists(self.path("t/s/x")), self.read("victim/x")), (False, b"victim/x"))
