"""What the tests of the program share: they run it in a directory of their own and compare exactly.

usage: support.py NAME FUGU [unittest arguments]        runs NAME_test.py; one that takes more is a program of its own

They use the standard library only. Expected output comes from the text of the messages, from Python or from the real openssl program,
never from fugu itself.
"""

import errno
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FUGU = ""
OPENSSL = os.environ.get("FUGU_OPENSSL", "openssl")
VECTORS = pathlib.Path(__file__).resolve().parents[2] / "vectors"
PASSPHRASE = "correct horse"
PASS = ["--pass", "file:pass"]
CHEAP = [*PASS, "--scrypt-cost", "10"]  # for what is sealed; the default takes seconds under sanitizers
SKIPPED = 77

# What encrypt --format openssl writes by default. Contents without a recognisable beginning need these options, so that no wrong
# passphrase passes by chance.
DEFAULT = ["--cipher", "bf-cbc", "--md", "sha256", "--pbkdf2"]
SALVAGE = "; fugu decrypt --salvage saves what can be saved"
WRONG = "wrong passphrase or key, or a damaged header"
NOT_AUTHENTICATED = "fugu: this format has no authentication: damage can go unseen\n"

# Of sealed files
SEGMENT = 1 << 20
STORED = SEGMENT + 16
KEY_HEADER = 148
KEY = ["--key", "file:key"]

# Why a test cannot run where tests/install/try_static runs the program, or None.
ALONE = "the program's root has no shell, terminal or strace, and only root enters it" if os.environ.get("FUGU_ALONE") else None

# A sanitized program is slow, and other tests run the same code.
SANITIZED = bool(os.environ.get("FUGU_SANITIZED"))
many_cases = unittest.skipIf(SANITIZED, "many cases, which builds without sanitizers run")
in_little_memory = unittest.skipIf(SANITIZED, "sanitizers take more memory than the limit leaves")


def limited(resource_, most):
    """For preexec_fn: how much of a resource the program may use."""
    return lambda: resource.setrlimit(resource_, (most, most))


def some(cases, step=3):
    """All of a sequence; under sanitizers the first and each `step`-th after it."""
    return cases[::step] if SANITIZED else cases


def pattern(size):
    """Bytes of period 251, so that swapped blocks or chunks differ."""
    return (bytes(range(251)) * (size // 251 + 1))[:size]


class Case(unittest.TestCase):
    maxDiff = None
    PLACE = None  # of the directory: that of temporary files
    FILES = {}  # that each test begins with, besides the passphrase
    SUBCOMMAND = []  # before the arguments of output(), gives() and stops()

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="fugu-cli-", dir=self.PLACE)
        self.addCleanup(shutil.rmtree, self.directory)
        for name, data in {"pass": PASSPHRASE + "\n", **self.FILES}.items():
            self.write(name, data)

    # --- files

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data):
        pathlib.Path(self.path(name)).write_bytes(data.encode() if isinstance(data, str) else data)

    def read(self, name):
        return pathlib.Path(self.path(name)).read_bytes()

    def names(self):
        return sorted(os.listdir(self.directory))

    def below(self, root):
        """Names and contents of all files below a directory."""
        root = pathlib.Path(self.path(root))
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def calibrated(self, core, gpu, start=9, engines=""):
        """An environment whose calibration says that a unit of work takes so many seconds of a core or of a GPU."""
        os.makedirs(self.path("cache/fugu"), exist_ok=True)
        self.write("cache/fugu/engines", f"fugu calibration 4\nmachine {os.uname().nodename}\ngpu_start {start}\n"
                   + "".join(f"{work} {core} {gpu}\n" for work in ("nonlinearity", "walsh", "boxes")) + engines)
        return {**os.environ, "XDG_CACHE_HOME": self.path("cache")}

    # --- running

    def start(self, *arguments, feed=None, variables=None, **options):
        """`feed`: what comes on standard input, which stays open. `variables`: of the environment, besides those of this process."""
        if variables is not None:
            options["env"] = {**os.environ, **variables}
        options.setdefault("stdin", subprocess.DEVNULL if feed is None else subprocess.PIPE)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("start_new_session", True)  # without a terminal to prompt on
        process = subprocess.Popen([FUGU, *arguments], cwd=self.directory, **options)
        if feed is not None:
            process.stdin.write(feed)
            process.stdin.flush()
        return process

    def run_fugu(self, *arguments, input=None, **options):
        if input is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*arguments, **options)
        out, err = process.communicate(input, timeout=300)
        return process.returncode, out, None if err is None else err.decode()

    def expect(self, status, out, err, *arguments, **options):
        """Compares exit status, standard output (bytes or text) and standard error exactly. A failure names the arguments."""
        got = self.run_fugu(*arguments, **options)
        wanted = (status, out.encode() if isinstance(out, str) else out, err)
        self.assertEqual(got, wanted, arguments)

    def ends(self, status, out, *arguments, says="", matches="^", **options):
        """Compares the exit status and, unless `out` is None, standard output. Returns the messages, of which `says` is a part and in
        which `matches`, an expression, is found."""
        got, written, err = self.run_fugu(*arguments, **options)
        self.assertEqual((got, written if out is not None else None), (status, out), (arguments, err))
        self.assertIn(says, err, arguments)
        self.assertRegex(err, matches, arguments)
        return err

    def fails(self, status, *arguments, **options):
        """As ends(), of a run that prints no result."""
        return self.ends(status, b"", *arguments, **options)

    def output(self, *arguments, **options):
        """Standard output of a run that succeeds without a message."""
        status, out, err = self.run_fugu(*self.SUBCOMMAND, *arguments, **options)
        self.assertEqual((status, err), (0, ""), arguments)
        return out

    def gives(self, out, *arguments, **options):
        """As expect(), of a run that succeeds without a message."""
        self.expect(0, out, "", *self.SUBCOMMAND, *arguments, **options)

    def stops(self, status, message, *arguments, **options):
        """As expect(), of a run that prints nothing but this message."""
        self.expect(status, b"", f"fugu: {message}\n", *self.SUBCOMMAND, *arguments, **options)

    def rows_of(self, status, *arguments, **options):
        """The rows of files in the JSON that the program prints."""
        code, out, err = self.run_fugu(*arguments, **options)
        document = json.loads(out)
        self.assertEqual((code, document["version"]), (status, 1), err)
        return document["files"]

    def renders(self, page):
        """A manual page, without a warning of groff's."""
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")

    def is_writing(self, process):
        """Whether an output has begun: it is a file without a name, or a hidden one."""
        if any(".fugu-" in name for name in self.names()):
            return True
        descriptors = f"/proc/{process.pid}/fd"
        try:
            for number in os.listdir(descriptors):
                opened = os.readlink(os.path.join(descriptors, number))
                if opened.startswith(self.directory + "/") and opened.endswith(" (deleted)"):
                    return True
        except FileNotFoundError:  # it was closed meanwhile
            pass
        except PermissionError:
            process.kill()
            process.communicate()
            self.skipTest("only root may see which files the program has open")
        return False

    def makes_unnamed_files(self):
        """Whether the file system can make a file without a name and name it later, as open(2) describes."""
        try:
            descriptor = os.open(self.directory, os.O_TMPFILE | os.O_WRONLY, 0o600)
        except OSError:
            return False
        directory = os.open(self.directory, os.O_DIRECTORY)  # without this descriptor os.link() follows no link
        try:
            os.link(f"/proc/self/fd/{descriptor}", "named", dst_dir_fd=directory, follow_symlinks=True)
            os.unlink(self.path("named"))
            return True
        except OSError:
            return False
        finally:
            os.close(directory)
            os.close(descriptor)

    def wait_until_writing(self, process):
        end = time.monotonic() + 60
        while not self.is_writing(process):
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)

    def opened_by(self, process, name):
        """A FIFO for writing, once the process has opened it for reading. None if the process ends before."""
        while process.poll() is None:
            try:
                return os.open(self.path(name), os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
                time.sleep(0.001)
        return None

    def encrypt(self, *arguments, **options):
        """Encrypts in the format of openssl enc, which the real openssl can check."""
        chosen = [] if "--format" in arguments else ["--format", "openssl"]
        self.expect(0, b"", "", "encrypt", "-q", *PASS, *chosen, *arguments, **options)

    def decrypt(self, *arguments, **options):
        self.expect(0, b"", "", "decrypt", "-q", *PASS, *DEFAULT, *arguments, **options)


class Sealed(Case):
    """With a key and a file of several segments, and ways to damage sealed files."""

    SIZE = 2 * SEGMENT + 5

    def setUp(self):
        super().setUp()
        self.write("key", bytes(range(32)))
        self.write("a", pattern(self.SIZE))

    def seal(self, *arguments):
        self.expect(0, b"", "", "encrypt", *KEY, *(arguments or ["a"]))

    def alter(self, name, offset, mask=1):
        with open(self.path(name), "r+b") as file:
            file.seek(offset)
            (byte,) = file.read(1)
            file.seek(offset)
            file.write(bytes([byte ^ mask]))

    def cut(self, name, size):
        os.truncate(self.path(name), size)


def as_nobody(case):
    """Arguments for Popen that run the program as a user other than root, who may read and write in the test's directory. Empty
    if the user is not root."""
    if os.geteuid() != 0:
        return {}
    if ALONE:
        case.skipTest(ALONE)
    os.chmod(case.directory, 0o777)
    for name in case.names():
        os.chmod(case.path(name), 0o644)
    program = os.path.join(case.directory, "fugu")  # the build directory may be closed to other users
    shutil.copy(FUGU, program)
    return {"executable": program, "user": 65534, "group": 65534, "extra_groups": []}


def open_terminal(case):
    """The two ends of a new terminal, as os.openpty() returns them."""
    if ALONE:
        case.skipTest(ALONE)
    try:
        return os.openpty()
    except OSError as error:
        return case.skipTest(f"no terminal can be opened here: {error}")


def strace_problem():
    """Why nothing can be traced here, or None."""
    if ALONE:
        return ALONE
    if shutil.which("strace") is None:
        if os.environ.get("FUGU_REQUIRE_PACKAGES") == "1":
            raise AssertionError("strace is not installed")
        return "strace is not installed"
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return None if done.returncode == 0 else "strace cannot trace here: " + done.stderr.decode().strip()


def without_leak_check():
    """The environment in which an AddressSanitizer build does not look for leaks, as it cannot while it is traced."""
    options = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]))
    return {**os.environ, "ASAN_OPTIONS": options}


def run_injected(case, call, error, when, arguments):
    """Runs the program, in which a system call fails `when` strace says. Returns how often, and what run() gives."""
    trace = case.path("trace")
    command = ["strace", "-f", "-qq", "-o", trace, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"]
    done = subprocess.run([*command, FUGU, *arguments], cwd=case.directory, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, timeout=60, env=without_leak_check())
    failed = case.read("trace").count(b"(INJECTED)")
    os.unlink(trace)
    return failed, (done.returncode, done.stdout, done.stderr.decode(errors="replace"))


def failing_calls(case, call, arguments):
    """Runs the program once for each time, or some of the times, that it makes a system call, which then fails. Yields what run()
    gives and the number of the call; the case restores its files. Ends when no call is left to fail."""
    for index in [*range(1, 4), *some(range(4, 1000), 7)]:
        failed, result = run_injected(case, call, "EIO", index, arguments)
        if not failed:
            return
        if "LeakSanitizer does not work under ptrace" not in result[2]:  # where the call was the sanitizer's, for its options
            yield index, *result


def missing_gpu(fugu):
    """Why the program has no GPU, or None."""
    engines = json.loads(subprocess.run([fugu, "engines", "--json"], capture_output=True, check=True).stdout)["engines"]
    found = [engine for engine in engines if engine["name"] == "cuda:0"]
    return None if found and found[0]["available"] else found[0]["reason"] if found else "this build has no CUDA"


def openssl(arguments, data, directory, env=None):
    """Runs the real openssl enc with the passphrase above."""
    command = [OPENSSL, "enc", "-provider", "legacy", "-provider", "default", *arguments]
    done = subprocess.run(command, input=data, capture_output=True, cwd=directory, check=False, env=env)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr.decode()}")
    return done.stdout


def salted(data, directory, cipher="bf-cbc", derivation=("-pbkdf2",), salt="0011223344556677"):
    """What openssl enc writes, with the same salt in every run. Therefore a wrong passphrase, or a file that was cut, looks right
    in every run or in none."""
    written = openssl([f"-{cipher}", *derivation, "-pass", "file:pass", "-S", salt], data, directory)
    return b"Salted__" + bytes.fromhex(salt) + written


def secret_of(word):
    """The bytes of a passphrase as kits and manifests write it."""
    return bytes.fromhex(word[4:]) if word.startswith("hex:") else word.encode()


def fields_of(kit):
    """The fields of each record of a kit below vectors/, in order: [(name, value)]."""
    for record in (VECTORS / kit).read_text().split("\n\n"):
        if fields := re.findall(r"^(\w+) = ?(.*)$", record, re.M):
            yield fields


def samples_of(kit):
    """The fields of each sample of a kit below vectors/, with the bytes of its file and of its passphrase."""
    for fields in map(dict, fields_of(kit)):
        if "file" in fields:
            yield {"parameters": "", **fields, "passphrase": secret_of(fields.get("passphrase", "")), "file": bytes.fromhex(fields["file"])}


def sample_of(kit, name):
    return next(one for one in samples_of(kit) if one["name"] == name)


def version_one(path):
    """Writes a sealed file of version 1 under the key bytes(range(32)), and returns its plaintext."""
    pathlib.Path(path).write_bytes(sample_of("golden/sealed.kit", "key_2^16_65541_bytes")["file"])
    return bytes(i % 251 for i in range(65541))


def main(module="__main__"):
    global FUGU
    FUGU = os.path.abspath(sys.argv.pop(1))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background jobs and what they start
    result = unittest.main(module, verbosity=1, exit=False).result
    for case, reason in result.skipped:
        print(f"skipped: {case}: {reason}")
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    import support  # whose FUGU the cases read
    support.main(f"{sys.argv.pop(1)}_test")
