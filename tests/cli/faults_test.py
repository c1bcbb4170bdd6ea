"""System calls and allocations of the program fail in turn. Status 0 never comes with a bad output, and no file is lost.

faults_test.py FUGU SHIM [--every]. After every run the output file has its old content or the complete result, the input is
unchanged, and no temporary file is left. With status 0 the result is right.

With --every, every allocation fails in turn instead of a sample of them, which takes some 14 000 more runs.

A signal may end the process only if an allocation before main() fails: the CUDA runtime starts there and does not check all of
its own allocations; or if OpenSSL ends it: 3.5 aborts where a thread that uses it for the first time finds no memory
for its locks, and nobody can prevent that. The files are unchanged then, too.
"""

import collections
import errno
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import support
from support import KEY, PASS, Case, pattern

SHIM = ""
MEMORY = "/dev/shm"
SIZE = (2 << 20) + 5
OLD = b"what the name held before"
ERRORS = {
    "read": ("EINTR", "EAGAIN", "EIO"),
    "write": ("EINTR", "EAGAIN", "EIO", "ENOSPC", "EDQUOT"),
    "pread": ("EINTR", "EIO"),
    "pwrite": ("EINTR", "EIO", "ENOSPC", "EDQUOT"),
    "open": ("EINTR", "EIO", "ENOSPC", "EMFILE"),
    "close": ("EINTR", "EIO", "ENOSPC", "EDQUOT"),
    "fsync": ("EINTR", "EIO", "ENOSPC", "EDQUOT"),
    "fallocate": ("EINTR", "EIO", "ENOSPC", "EDQUOT", "EOPNOTSUPP"),
    "ftruncate": ("EIO",),
    "fchmod": ("EIO", "EPERM"),
    "futimens": ("EIO", "EPERM"),
    "lseek": ("EIO",),
    "rename": ("EIO", "ENOSPC", "EINVAL"),
    "link": ("EIO", "ENOSPC", "EPERM"),
    "unlink": ("EIO",),
    "malloc": ("ENOMEM",),
}
MAPPING_ERRORS = ("ENOMEM", "EAGAIN")  # mmap(2) fails with them, under strace
MOST_INDICES = 150  # per call and error; spread evenly if there are more
FEW_INDICES = 10
FOREIGN = ("bfe", "bfa", "mcrypt", "openpgp", "kwallet", "luks1")  # one for each way to open a file


def is_aborted_by_openssl(status, text):
    return status == -signal.SIGABRT and re.search("threads_pthread.c:[0-9]+: OpenSSL internal error: .*data != NULL", text) is not None


class FaultCase(Case):
    def run_command(self, command, environment):
        done = subprocess.run(command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=60, env={**os.environ, **environment})
        return done.returncode, done.stderr.decode(errors="replace")

    def run_with(self, arguments, fault):
        call, error, index = fault.split(":")
        command = [support.FUGU, *arguments]
        if call != "mmap":
            return self.run_command(command, {"LD_PRELOAD": SHIM, "FUGU_FAULT": fault})
        inject = f"inject=mmap:error={errno.errorcode[int(error)]}:when={int(index) + 1}"
        return self.run_command(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=mmap", "-e", inject, *command], {})

    def count(self, arguments, status=0):
        """The number of each call in an undisturbed run."""
        with tempfile.NamedTemporaryFile() as counts:
            got, text = self.run_command([support.FUGU, *arguments], {"LD_PRELOAD": SHIM, "FUGU_FAULT_COUNTS": counts.name})
            self.assertEqual(got, status, text)
            return {call: int(count) for call, count in (line.split() for line in counts.read().decode().splitlines())}


class Faults(FaultCase):
    def setUp(self):
        super().setUp()
        self.write("key", bytes(range(32)))
        self.plain = pattern(SIZE)
        self.write("plain", self.plain)
        self.expect(0, b"", "", "encrypt", *KEY, "plain", "-o", "sealed")
        self.sealed = self.read("sealed")
        self.cases = collections.Counter()

    def count_mappings(self, arguments):
        """The number of all mappings, and of those by the loader of shared libraries, which end before it names the main thread."""
        trace = ["strace", "-f", "-qq", "-o", self.path("trace"), "-e", "trace=mmap,set_tid_address", support.FUGU, *arguments]
        self.assertEqual(self.run_command(trace, {}), (0, ""))
        calls = self.read("trace")
        os.unlink(self.path("trace"))
        self.assertIn(b" set_tid_address(", calls)
        return calls.count(b" mmap("), calls.split(b" set_tid_address(")[0].count(b" mmap(")

    def is_right(self, output, wanted):
        """`wanted` is the plaintext, or None for a sealed file."""
        if wanted is not None:
            return self.read(output) == wanted
        return self.run_fugu("decrypt", *KEY, output, "-o", "-")[:2] == (0, self.plain)

    def check(self, arguments, output, wanted, fault, old, may_die=False):
        names = set(self.names()) | {output}
        if old:
            self.write(output, OLD)
        elif output in self.names():
            os.unlink(self.path(output))
        status, text = self.run_with(arguments, fault)
        self.cases[fault.split(":")[0]] += 1
        there = output in self.names()
        with self.subTest(fault=fault, arguments=arguments, old=old):
            if status == 0:
                self.assertTrue(there and self.is_right(output, wanted), text)
            else:
                if died := status < 0 and may_die:
                    self.cases["died before main()"] += 1
                elif died := is_aborted_by_openssl(status, text):
                    self.cases["aborted by OpenSSL"] += 1
                    self.assertEqual(set(self.names()), names if old else names - {output})
                self.assertTrue(died or status > 0, f"died of signal {-status}")
                self.assertTrue(died or text.startswith("fugu: ") or status == 127, text)
                before = self.read(output) == OLD if old else not there
                self.assertTrue(before or self.is_right(output, wanted), text)
                self.assertTrue(before or "was not" not in text, text)
            # A file that cannot be unlinked stays; everything else is removed.
            if not fault.startswith("unlink") and status >= 0:
                self.assertLessEqual(set(self.names()), names, text)
            self.assertEqual(self.read("plain"), self.plain)
        for name in set(self.names()) - names:
            os.unlink(self.path(name))
        if os.path.exists(self.path("sealed")) and output != "sealed" and self.read("sealed") != self.sealed:
            self.fail("the input was changed")

    def each(self, arguments, output, wanted, calls=tuple(ERRORS)):
        made, number = pathlib.Path(self.path(output)), 0
        made.unlink(missing_ok=True)
        counts = self.count(arguments)
        made.unlink(missing_ok=True)
        for call in calls:
            for name in ERRORS[call]:
                indices = range(counts[call])
                step = max(1, -(-len(indices) // MOST_INDICES))
                for index in indices[::step]:
                    number += 1
                    old = "-f" in arguments and number % 2 == 0
                    may_die = call == "malloc" and index < counts["malloc_before_main"]
                    self.check(arguments, output, wanted, f"{call}:{getattr(errno, name)}:{index}", old, may_die)
        for most in (1000, 65536, 1 << 20):
            self.check(arguments, output, wanted, f"short:{most}:0", False)
        return self.summary(arguments)

    def summary(self, arguments):
        ends = [self.cases.pop(end, 0) for end in ("died before main()", "aborted by OpenSSL")]
        cases = sum(self.cases.values())
        print(f"{' '.join(arguments)}: {cases} cases, {ends[0]} died before main(), {ends[1]} aborted by OpenSSL: {dict(self.cases)}",
              flush=True)
        return cases

    def test_encrypt(self):
        self.assertGreater(self.each(["encrypt", "-f", *KEY, "plain", "-o", "out"], "out", None), 150)

    def test_decrypt(self):
        self.assertGreater(self.each(["decrypt", "-f", *KEY, "sealed", "-o", "out"], "out", self.plain), 150)

    def test_decrypt_to_a_file_with_holes(self):
        self.plain = pattern(1 << 20) + bytes(100_000) + pattern(5000) + bytes((1 << 20) - 105_000)
        self.write("plain", self.plain)
        self.expect(0, b"", "", "encrypt", "-f", *KEY, "plain", "-o", "sealed")
        self.sealed = self.read("sealed")
        calls = ("pwrite", "lseek", "ftruncate", "futimens")
        self.assertGreater(self.each(["decrypt", "-f", *KEY, "sealed", "-o", "out"], "out", self.plain, calls), 15)
        self.expect(0, b"", "", "decrypt", "-f", *KEY, "sealed", "-o", "out")
        self.assertLess(os.stat(self.path("out")).st_blocks * 512, 2 << 20)

    def test_what_closing_standard_output_reports(self):
        """A network file system may report a failed write only then."""
        arguments = ["encrypt", *KEY, "plain", "-o", "-"]
        closes = self.count(arguments)["close"]
        results = [self.run_with(arguments, f"close:{errno.EIO}:{index}") for index in range(closes)]
        failed = [text for status, text in results if status == 2]
        self.assertTrue(any("standard output: close failed: Input/output error" in text for text in failed), results)

    @unittest.skipUnless(os.path.isdir(MEMORY), f"no {MEMORY}")
    def test_encrypt_in_memory_with_many_threads(self):
        """Several threads write parts of an output in memory."""
        self.directory = tempfile.mkdtemp(prefix="fugu-cli-", dir=MEMORY)
        self.addCleanup(shutil.rmtree, self.directory)
        self.write("key", bytes(range(32)))
        self.plain = pattern(2 * SIZE)
        self.write("plain", self.plain)
        status, text = self.run_with(["encrypt", "-T", "3", *KEY, "plain", "-o", "out"], f"pwrite:{errno.ENOSPC}:1")
        self.assertEqual((status, text), (2, "fugu: out: write failed: No space left on device; out was not created\n"))
        calls = ("write", "pwrite", "lseek", "fallocate")
        self.assertGreater(self.each(["encrypt", "-T", "8", "-f", *KEY, "plain", "-o", "out"], "out", None, calls), 15)

    def test_a_full_disk_shows_before_the_work(self):
        os.mkdir(self.path("d"))
        self.write("out", OLD)
        if subprocess.run(["stat", "-f", "-c", "%T", self.directory], capture_output=True, check=True).stdout in (b"tmpfs\n", b"ramfs\n"):
            self.skipTest("the file system of temporary files is in memory, where no space is reserved")
        for options, output, state in ((["-f", "-o", "out"], "out", "changed"), (["-o", "new"], "new", "created"),
                                       (["--output-dir", "d"], "d/plain.fugu", "created"),
                                       (["--output-dir", "new/e"], "new/e/plain.fugu", "created")):
            before = self.below(".")
            status, text = self.run_with(["encrypt", *KEY, "plain", *options], f"fallocate:{errno.ENOSPC}:0")
            reason = f"cannot reserve {SIZE} bytes: No space left on device"
            self.assertEqual((status, text), (2, f"fugu: {output}: {reason}; {output} was not {state}\n"))
            self.assertEqual(self.below("."), before)

    def test_no_memory_for_the_rest_of_a_batch(self):
        """Even the report has no memory: the program says so and leaves nothing behind."""
        for name in "abc":
            self.write(name, pattern(1000))
        names = self.names()
        arguments = ["encrypt", "-q", "-f", "-T", "3", "--format", "raw", "--mode", "cbc", "--iv", "zero", *KEY, "a", "b", "c"]
        counts = self.count(arguments)
        for name in "abc":
            os.unlink(self.path(name + ".fugu"))
        for index in range(counts["malloc_before_main"], counts["malloc"], max(1, counts["malloc"] // MOST_INDICES)):
            with self.subTest(index=index):
                status, text = self.run_with(arguments, f"memory:{errno.ENOMEM}:{index}")
                if not (aborted := is_aborted_by_openssl(status, text)):
                    self.assertIn(status, (0, 2, 6), text)
                if status != 0 and not aborted:
                    self.assertRegex(text, "not enough memory|cannot|unexpected")
                for name in "abc":
                    pathlib.Path(self.path(name + ".fugu")).unlink(missing_ok=True)
                self.assertEqual(self.names(), names)

    @unittest.skipIf(support.strace_problem(), support.strace_problem())
    def test_mappings(self):
        """These are stacks of threads, large chunks, and what the loader of shared libraries maps."""
        for arguments, wanted in ((["encrypt", "-f", *KEY, "plain", "-o", "out"], None),
                                  (["decrypt", "-f", *KEY, "sealed", "-o", "out"], self.plain)):
            mappings, loaders = self.count_mappings(arguments)
            for index in range(mappings):
                for name in MAPPING_ERRORS:
                    fault = f"mmap:{getattr(errno, name)}:{index}"
                    self.check(arguments, "out", wanted, fault, index % 2 == 0, may_die=index < loaders)
            self.assertGreater(self.summary(["mmap:", *arguments]), 40)
            self.cases.clear()

    def test_range(self):
        wanted = self.plain[1 << 20:(1 << 20) + 100]
        arguments = ["decrypt", *KEY, "--range", "1048576:100", "sealed", "-o", "out"]
        self.assertGreater(self.each(arguments, "out", wanted), 150)

    def test_encrypt_raw(self):
        arguments = ["encrypt", "-q", "-f", "--format", "raw", "--mode", "ctr", "--iv", "zero", *KEY, "plain", "-o", "out"]
        self.assertGreater(self.each(arguments, "out", self.output(*arguments[:-1], "-")), 150)


class Losses(FaultCase):
    """Calls and allocations fail in commands that remove or replace files, make several files, or only print."""

    FILES = {"key": bytes(range(32)), "new": bytes(range(1, 33)), "plain": pattern(5000)}

    def setUp(self):
        super().setUp()
        self.plain = pattern(5000)
        self.expect(0, b"", "", "encrypt", *KEY, "plain", "-o", "sealed")
        self.saved = tempfile.mkdtemp(prefix="fugu-cli-")
        self.addCleanup(shutil.rmtree, self.saved)
        self.save()

    def save(self):
        shutil.copytree(self.directory, self.saved, symlinks=True, dirs_exist_ok=True)
        self.before = self.files()

    def restore(self):
        if self.files() == self.before:
            return
        for name in os.listdir(self.directory):
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        shutil.copytree(self.saved, self.directory, symlinks=True, dirs_exist_ok=True)

    def files(self):
        """All below the directory: {path: bytes, or None for what is no file}."""
        root = pathlib.Path(self.directory)
        return {str(path.relative_to(root)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
                for path in root.rglob("*")}

    def count(self, arguments, status=0):
        counts = super().count(arguments, status)
        self.restore()
        return counts

    def each(self, arguments, check, calls=tuple(ERRORS)):
        """`check(files, done)` returns whether all files are there that must be; `done` means status 0."""
        counts = self.count(arguments)
        for call in calls:
            first = counts["malloc_before_main"] if call == "malloc" else 0
            indices = range(first, counts[call])
            for name in ERRORS[call]:
                for index in indices[::max(1, -(-len(indices) // FEW_INDICES))]:
                    fault = f"{call}:{getattr(errno, name)}:{index}"
                    status, text = self.run_with(arguments, fault)
                    files = self.files()
                    with self.subTest(arguments=arguments, fault=fault):
                        if not is_aborted_by_openssl(status, text):
                            self.assertGreaterEqual(status, 0)
                            self.assertTrue(status == 0 or text.startswith("fugu: ") or status == 127, text)
                        self.assertTrue(check(files, status == 0), (status, text, sorted(files)))
                        self.assertNotIn("not to be trusted", text)  # what was written is right, whatever failed then
                        self.assertTrue(call == "unlink" or not any(".fugu-" in file for file in files), sorted(files))
                    self.restore()

    def opens(self, name, key="key"):
        return self.run_fugu("decrypt", "--key", f"file:{key}", name, "-o", "-")[:2] == (0, self.plain)

    def test_rm(self):
        def kept(result, given, is_right):
            def check(files, done):
                made = result in files and is_right(files)
                return made and given not in files if done else files.get(given) == self.before[given] or made
            return check

        self.each(["encrypt", "--rm", *KEY, "plain", "-o", "out"], kept("out", "plain", lambda files: self.opens("out")))
        self.each(["decrypt", "--rm", *KEY, "sealed", "-o", "out"],
                  kept("out", "sealed", lambda files: files["out"] == self.plain))

    def rekeyed(self, *arguments):
        self.each(["rekey", *arguments, *KEY, "--new-key", "file:new", "sealed"],
                  lambda files, done: not done and files["sealed"] == self.before["sealed"] or self.opens("sealed", "new"))

    def test_rekey(self):
        self.rekeyed()
        self.rekeyed("--anew")

    def test_version_1(self):
        self.plain = support.version_one(self.path("sealed"))
        self.save()
        self.rekeyed()
        self.rekeyed("--anew")
        self.each(["decrypt", *KEY, "sealed", "-o", "out"],
                  lambda files, done: files["out"] == self.plain if "out" in files else not done)

    def test_directories(self):
        os.makedirs(self.path("d/sub"))
        for name in ("d/a", "d/sub/b"):
            self.write(name, self.plain)
        self.save()

        def check(files, done):
            made = [name for name in ("to/a.fugu", "to/sub/b.fugu") if name in files]
            return all(map(self.opens, made)) and (len(made) == 2 or not done) and self.before.items() <= files.items()

        self.each(["encrypt", "-q", "-r", *KEY, "d", "--output-dir", "to"], check)

    def test_other_programs_files(self):
        for codec in FOREIGN:
            sample = next(one for one in support.samples_of(f"foreign/{codec}.kit")
                          if " -b" not in one["parameters"] and "bcrypt:" not in one["parameters"])
            self.write("pass", sample["passphrase"] + b"\n")
            self.write("theirs", sample["file"])
            self.save()
            arguments = ["decrypt", "-q", *PASS, "--format", codec, "theirs", "-o", "out"]
            self.assertEqual(self.run_fugu(*arguments)[0], 0)
            right = self.read("out")
            os.unlink(self.path("out"))
            calls = ("read", "write", "open", "close", "fsync", "rename", "link", "malloc")
            self.each(arguments, lambda files, done, right=right: files["out"] == right if "out" in files else not done, calls)

    def test_no_memory_left(self):
        """No allocation succeeds from some point on. Every subcommand ends with a status and says why, although error reports and
        destructors may allocate, too."""
        self.write("bits", "00010111")
        self.write("box", "3 1 0 2")
        self.write("cut", self.before["sealed"][:-100])
        self.save()
        for arguments, usual in ((["verify", "--json", *KEY, "sealed", "cut"], 4), (["info", "--json", "sealed", "cut"], 0),
                                 (["decrypt", "--salvage", *KEY, "cut", "-o", "out"], 4),
                                 (["rekey", *KEY, "--new-key", "file:new", "sealed"], 0),
                                 (["rekey", "--anew", *KEY, "--new-key", "file:new", "sealed"], 0), (["formats", "--json"], 0),
                                 (["engines", "--json"], 0), (["selftest", "--json", "--rounds", "1", "--engine", "cpu/scalar"], 0),
                                 (["help", "--man"], 0), (["spectral", "walsh", "bits"], 0),
                                 (["spectral", "nonlinearity", "--json", "bits"], 0), (["sbox", "report", "--json", "box"], 0),
                                 (["bench", "--json", "--scope", "copy", "--engine", "cpu/scalar", "--size", "4K", "--runs", "1"], 0)):
            counts = self.count(arguments, usual)
            indices = range(counts["malloc_before_main"], counts["malloc"])
            for index in indices[::max(1, -(-len(indices) // FEW_INDICES))]:
                status, text = self.run_with(arguments, f"memory:{errno.ENOMEM}:{index}")
                with self.subTest(arguments=arguments, index=index):
                    if is_aborted_by_openssl(status, text):
                        self.assertEqual(self.files(), self.before)
                    else:
                        self.assertIn(status, (2, 6, usual), text)
                        self.assertTrue(status == 0 or text.startswith("fugu: "), text)
                    self.assertLessEqual(set(self.files()), set(self.before) | {"out"})
                self.restore()

    def test_no_memory_left_when_openssl_starts(self):
        """OpenSSL 3.2 and later wait for themselves for ever if they find none."""
        self.write("salted", support.salted(self.plain, self.directory))
        self.save()
        for arguments in (["verify", *KEY, "sealed"], ["decrypt", "-q", *PASS, *support.DEFAULT, "salted", "-o", "-"],
                          ["bench", "--scope", "copy", "--engine", "cpu/scalar", "--size", "4K", "--runs", "1"]):
            start = self.count(arguments)["malloc_before_openssl"]
            self.assertGreater(start, 0)
            for index in range(start - 25, start + 25):
                status, text = self.run_with(arguments, f"memory:{errno.ENOMEM}:{index}")
                with self.subTest(arguments=arguments, index=index):
                    self.assertTrue(status in (2, 6) or is_aborted_by_openssl(status, text), (status, text))

    def test_memory_that_openssl_lacks_is_no_error_of_usage(self):
        self.write("salted", support.salted(self.plain, self.directory))
        self.save()
        arguments = ["decrypt", "-q", *PASS, *support.DEFAULT, "salted", "-o", "-"]
        counts = self.count(arguments)
        indices = range(counts["malloc_before_main"], counts["malloc"])
        for index in indices[::len(indices) // 40]:
            status, text = self.run_with(arguments, f"malloc:{errno.ENOMEM}:{index}")
            with self.subTest(index=index):
                self.assertTrue(status in (0, 2, 6) or is_aborted_by_openssl(status, text), text)


if __name__ == "__main__":
    SHIM = os.path.abspath(sys.argv.pop(2))
    if "--every" in sys.argv:
        sys.argv.remove("--every")
        MOST_INDICES = sys.maxsize
    if os.environ.get("FUGU_SANITIZED"):
        print("skipped: a sanitizer's allocator cannot be preloaded over")
        sys.exit(support.SKIPPED)
    support.main()
