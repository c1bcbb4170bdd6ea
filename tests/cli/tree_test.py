"""Containers that are directories: EncFS volumes are decrypted into directories, and what prevents it."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest
from unittest.mock import ANY

import support
from support import PASS, Case, as_nobody

LEFT_OUT = "it is a link out of the directory; left out\n"


class EncfsCase(Case):
    def make(self, name="plain_names"):
        """Writes a volume to v and returns its content: {path: SHA-256, target of a link, or None for a directory}."""
        fields = next(fields for fields in support.fields_of("trees/encfs.kit") if fields[0] == ("volume", name))
        self.write("pass", next(value for field, value in fields if field == "passphrase") + "\n")
        held = {}
        os.mkdir(self.path("v"))
        for field, value in fields:
            first, _, second = value.partition(" -> " if "link" in field else " ")
            if field == "directory":
                os.mkdir(self.path(f"v/{value}"))
            elif field == "file":
                os.makedirs(os.path.dirname(self.path(f"v/{second}")), exist_ok=True)
                self.write(f"v/{second}", bytes.fromhex(first.strip("-")))
            elif field == "link":
                os.symlink(second, self.path(f"v/{first}"))
            elif field == "plain_file":
                held[second] = first
            elif field == "plain_link":
                held[first] = second
            elif field == "plain_directory":
                held[value] = None
        for outside in ("absolute", "outside"):
            held.pop(outside, None)
            if name == "plain_names":
                os.unlink(self.path(f"v/{outside}"))
        return held

    def names_in(self, directory):
        return os.listdir(self.path(directory)) if os.path.isdir(self.path(directory)) else []

    def found(self, directory):
        def what(path):
            if path.is_symlink():
                return os.readlink(path)
            return None if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()

        root = pathlib.Path(self.path(directory))
        return {str(path.relative_to(root)): what(path) for path in root.rglob("*")}


class Decrypt(EncfsCase):
    def test_links_that_lead_out_are_named(self):
        """encfs_test.cpp opens every volume."""
        held = self.make("everything")
        err = self.fails(4, "decrypt", *PASS, "-o", "out", "v")
        self.assertEqual(err.count(LEFT_OUT), 2, err)
        self.assertEqual(self.found("out"), held)

    def test_names_of_the_output(self):
        held = self.make()
        self.expect(0, b"", "", "decrypt", *PASS, "v/")
        self.assertEqual(self.found("v.decrypted"), held)
        os.mkdir(self.path("there"))
        self.expect(0, b"", "", "decrypt", *PASS, "-o", "there/", "v")
        self.assertEqual(self.found("there"), held)
        self.expect(0, b"", "", "decrypt", "-q", *PASS, "-r", "--output-dir", "all/new", "v")
        self.assertEqual(self.found("all/new/v.decrypted"), held)
        self.expect(1, b"", "fugu: v/.: is decrypted into a directory: -o DIR is missing\n", "decrypt", *PASS, "v/.")

    def test_wrong_passphrase_makes_nothing(self):
        self.make()
        self.write("pass", "another one")
        said = "fugu: v: wrong passphrase, or a damaged key in the volume's configuration; nothing was written\n"
        self.expect(3, b"", said, "decrypt", *PASS, "-o", "out", "v")
        self.expect(3, b"", said, "decrypt", *PASS, "--output-dir", "out", "v")
        self.assertNotIn("out", self.names())

    def test_another_format_opens_no_directory(self):
        self.make()
        self.stops(5, "v: is a directory, but not a container of a known format", "decrypt", *PASS, "--format", "sealed", "-o", "out", "v")
        self.assertNotIn("out", self.names())

    def test_files_that_are_there_stay(self):
        self.make()
        os.mkdir(self.path("out"))
        self.write("out/f1", "kept")
        self.expect(2, b"", "fugu: v: f1 (f1): exists; not overwritten (use -f)\n", "decrypt", *PASS, "-o", "out", "v")
        self.assertEqual(self.read("out/f1"), b"kept")
        self.assertEqual(self.run_fugu("decrypt", "-f", *PASS, "-o", "out", "v"), (0, b"", ""))
        self.assertEqual(len(self.read("out/f1")), 1)

    def test_nothing_is_written_through_links(self):
        self.make()
        os.mkdir(self.path("out"))
        os.mkdir(self.path("elsewhere"))
        self.write("kept", "kept")
        os.symlink("../elsewhere", self.path("out/d1"))
        os.symlink("../kept", self.path("out/f1"))
        err = self.fails(2, "decrypt", "-f", *PASS, "-o", "out", "v",
                         says="v: d1 (d1): exists and is not a directory; not overwritten\n")
        self.assertIn("v: f1 (f1): is a symbolic link, which is not written through\n", err)
        self.assertEqual((os.listdir(self.path("elsewhere")), self.read("kept")), ([], b"kept"))

    def test_refusals(self):
        self.make()
        self.write("file", "x")
        given = PASS
        self.expect(1, b"", "fugu: v: is a directory, and is decrypted into one: -o DIR is missing\n", "decrypt", *given, "-o", "-", "v")
        self.expect(2, b"", "fugu: file: exists and is not a directory\n", "decrypt", *given, "-o", "file", "v")
        self.expect(2, b"", "fugu: v/in: lies inside the input\n", "decrypt", *given, "-o", "v/in", "v")
        self.expect(2, b"", "fugu: v: is a directory; -r --output-dir DIR encrypts the files in it, `tar c v | fugu encrypt` all as one\n",
                    "encrypt", *given, "v")
        self.expect(2, b"", "fugu: v: is not a regular file, and --rm removes no others\n", "decrypt", *given, "--rm", "-o", "out", "v")
        self.expect(1, b"", "fugu: v: is in the format encfs: --range does not apply to it, only to sealed, luks1, truecrypt, vnd or plain\n", "decrypt", *given, "--range", "0:5", "-o", "out", "v")
        self.assertEqual(self.names(), ["file", "pass", "v"])

    def test_the_place_of_the_output_is_looked_at_before_the_passphrase(self):
        self.make()
        self.expect(2, b"", "fugu: nowhere/out: cannot open its directory: No such file or directory\n",
                    "decrypt", "--pass", "file:none", "-o", "nowhere/out", "v")

    def test_an_interrupted_run_leaves_no_part_of_a_file(self):
        """A file of zeros has holes only, so it can be of any size. SIGTERM comes while it is written."""
        self.make("plain_names")
        with open(self.path("v/f300"), "ab") as file:
            file.truncate(8 + (1 << 30))
        process = self.start("decrypt", "-q", *PASS, "-o", "out", "v")
        while process.poll() is None and not any(name.startswith(".f300.fugu-") for name in self.names_in("out")):
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        left = self.found("out")
        self.assertFalse([name for name in left if ".fugu-" in name or name == "f300"], left)
        self.assertNotEqual(process.returncode, 0)


class Unseen(EncfsCase):
    """What cannot be looked at is named, and the rest is opened."""

    def closed(self, mode):
        """The volume with a directory that lacks permissions, and the arguments of an ordinary user."""
        held = self.make()
        nobody = as_nobody(self)
        for where, _, names in os.walk(self.path("v")) if nobody else ():
            os.chmod(where, 0o755)
            for name in names:
                os.chmod(os.path.join(where, name), 0o644)
        os.chmod(self.path("v/d1"), mode)
        self.addCleanup(os.chmod, self.path("v/d1"), 0o755)
        return {name: what for name, what in held.items() if not name.startswith("d1/")}, nobody

    def check(self, mode, lines):
        held, nobody = self.closed(mode)
        code, out, err = self.run_fugu("decrypt", "-q", *PASS, "-o", "out", "v", **nobody)
        self.assertEqual((code, out, sorted(err.splitlines())), (2, b"", lines))
        os.chmod(self.path("out/d1"), 0o755)
        self.assertEqual(self.found("out"), held)
        code, out, err = self.run_fugu("verify", "-q", "--json", *PASS, "v", **nobody)
        row = json.loads(out)["files"][0]
        self.assertEqual((code, row["ok"], sorted(err.splitlines())), (2, False, lines))

    def test_a_directory_that_can_be_listed_only(self):
        self.check(0o600 if os.geteuid() != 0 else 0o604,
                   [f"fugu: v: d1/{name} (d1/{name}): cannot open: Permission denied" for name in ("d2", "x")])

    def test_a_directory_that_cannot_be_listed(self):
        self.check(0, ["fugu: v: d1 (d1): cannot open: Permission denied"])

    @unittest.skipIf(support.strace_problem(), support.strace_problem())
    def test_no_failing_call_leaves_anything_out(self):
        held = self.make()
        files = sum(len(value or "") == 64 for value in held.values())
        verify = ["verify", "-q", "--json", *PASS, "v"]
        for call, arguments in (("newfstatat", verify), ("openat", verify), ("getdents64", verify), ("readlinkat", verify),
                                ("newfstatat", [*verify, "-r"])):
            runs = 0
            for index, code, out, err in support.failing_calls(self, call, arguments):
                runs += 1
                with self.subTest(call=call, index=index, arguments=arguments):
                    rows = json.loads(out)["files"] if out else []
                    self.assertEqual([row["ok"] for row in rows] == [True], code == 0, err)
                    self.assertTrue(code != 0 or rows[0]["files"] == files, err)
            self.assertGreater(runs, 1, call)


class Races(EncfsCase):
    """Two volumes are found in a directory, and the passphrase is read from a FIFO while the first is open: then something takes
    the place of the second, or of its output."""

    def race(self, exchange, command, *options):
        self.make()
        os.mkdir(self.path("d"))
        shutil.copytree(self.path("v"), self.path("d/v1"), symlinks=True)
        shutil.copytree(self.path("v"), self.path("d/v2"), symlinks=True)
        os.mkfifo(self.path("fifo"))
        process = self.start(command, "-q", "-r", "-T", "1", "--pass", "file:fifo", *options, "d")
        if (fifo := self.opened_by(process, "fifo")) is not None:
            exchange()
            os.write(fifo, self.read("pass"))
            os.close(fifo)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err.decode()

    def link_the_second(self):
        os.rename(self.path("d/v2"), self.path("old"))
        os.symlink("../v", self.path("d/v2"))

    def test_a_link_instead_of_a_volume(self):
        for command in ("decrypt", "verify"):
            with self.subTest(command=command):
                said = "fugu: d/v2: a directory on its path was replaced meanwhile\n"
                self.assertEqual(self.race(self.link_the_second, command), (2, b"", said))
                self.assertNotIn("v2.decrypted", self.names_in("d"))
                for directory in ("v", "d", "old"):
                    shutil.rmtree(self.path(directory))
                os.unlink(self.path("fifo"))

    def test_a_link_instead_of_an_output(self):
        os.mkdir(self.path("elsewhere"))
        exchange = lambda: os.symlink("../elsewhere", self.path("d/v2.decrypted"))
        said = "fugu: d/v2: exists and is not a directory; not overwritten\n"
        self.assertEqual(self.race(exchange, "decrypt"), (2, b"", said))
        self.assertEqual(self.names_in("elsewhere"), [])

    def test_a_link_above_an_output(self):
        for directory in ("elsewhere", "o", "o/d"):
            os.mkdir(self.path(directory))

        def exchange():
            os.rename(self.path("o/d"), self.path("old"))
            os.symlink("../elsewhere", self.path("o/d"))

        code, _, err = self.race(exchange, "decrypt", "--output-dir", "o", "elsewhere")
        self.assertEqual(code, 2)
        self.assertIn("fugu: d/v2: a directory on its path is a link or another file, which is not followed\n", err)
        self.assertEqual((self.names_in("elsewhere"), self.names_in("old")), ([], []))


class VerifyAndInfo(EncfsCase):
    def test_verify(self):
        held = self.make()
        row = json.loads(self.output("verify", "--json", *PASS, "v"))["files"][0]
        self.assertEqual((row["file"], row["ok"], row["files"]), ("v", True, sum(len(value or "") == 64 for value in held.values())))
        self.write("v/f9", self.read("v/f9")[:-1])
        self.expect(4, ANY, "fugu: v: f9 (f9): block 0 fails its MAC; left out\n", "verify", *PASS, "v")

    def test_info_needs_no_passphrase(self):
        self.make("everything")
        rows = json.loads(self.output("info", "--json", "v", "v/.encfs6.xml"))["files"]
        self.assertEqual((rows[0]["format"], rows[0]["mac_bytes"]), ("encfs", 8))
        self.assertEqual({**rows[0], "file": ""}, {**rows[1], "file": ""})

    def test_the_configuration_alone(self):
        self.make()
        self.expect(1, b"", "fugu: v/.encfs6.xml: is the configuration of an EncFS volume: give the directory that it is in; x was "
                    "not created\n", "decrypt", *PASS, "-o", "x", "v/.encfs6.xml")


class Exchange(EncfsCase):
    @unittest.skipUnless(shutil.which("encfsctl"), "encfsctl is not installed")
    def test_encfsctl_exports_the_same(self):
        self.write("openssl.cnf", "openssl_conf = a\n[a]\nproviders = b\n[b]\ndefault = c\nlegacy = c\n[c]\nactivate = 1\n")
        environment = {**os.environ, "OPENSSL_CONF": self.path("openssl.cnf")}
        for name in ("everything", "standard", "base32", "second_interface"):
            with self.subTest(volume=name):
                held = self.make(name)
                os.mkdir(self.path("theirs"))
                done = subprocess.run(["encfsctl", "export", "v", "theirs"], cwd=self.directory, env=environment, check=False,
                                      input=self.read("pass"), capture_output=True, start_new_session=True, timeout=60)
                self.assertEqual(done.returncode, 0, done)
                self.run_fugu("decrypt", "-q", *PASS, "-o", "ours", "v")
                theirs = {path: what for path, what in self.found("theirs").items() if path in held}
                self.assertEqual(self.found("ours"), theirs)
                for directory in ("v", "ours", "theirs"):
                    shutil.rmtree(self.path(directory))
