"""No secret is left in the process's memory when its work is done.

image_test.py FUGU SHIM. The preloaded library stops the process at its very end, after everything was released; the test
then reads all its memory (as root: the process is not dumpable). Looked for: passphrase, key, file key, prk, the wrap's
KEK and the keys of each segment, derived from the file by the second implementation, and the plaintext.
"""

import importlib.machinery
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time

import support
from support import Case

SHIM = ""
twin = None
PASSPHRASE = b"a passphrase of no other use \xe2\x82\xac 7f3a"
KEY = bytes((37 * i + 11) % 256 for i in range(32))
# No run of 24 bytes of it occurs by chance.
PLAIN = b"".join(b"secret line %012d\n" % i for i in range(60_000))


def memory_of(pid):
    """Every readable page of a stopped process."""
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        regions = [re.match(r"([0-9a-f]+)-([0-9a-f]+) r(w?)", line) for line in maps]
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for region in filter(None, regions):
            begin, end = int(region[1], 16), int(region[2], 16)
            try:
                memory.seek(begin)
                yield begin, memory.read(end - begin)
            except (OSError, ValueError, OverflowError):
                pass  # vvar, vsyscall


class Image(Case):
    def secrets_of(self, sealed, secret, slot):
        """Name and bytes of all that opens or opened the file."""
        _, _, _, body, size = twin.parse_header(sealed)
        kek = twin.slot_kek(secret, slot, body)
        file_key = twin.xor(body[-32:], twin.expand(kek, b"fugu1 wrap", 32))
        prk, at, segment = twin.unlock(sealed, secret, slot)
        found = {"secret": secret, "kek": kek, "fk": file_key, "prk": prk}
        for i in range(len(PLAIN) // segment + 1):
            cipher_key, tag_key = twin.segment_keys(prk, i)
            found[f"key of segment {i}"] = cipher_key[:24]
            found[f"tag key of segment {i}"] = tag_key[:24]
        found["plaintext"] = PLAIN[5000:5048]
        found["plaintext's end"] = PLAIN[-48:]
        return found

    def look(self, arguments, secrets):
        process = self.start(*arguments, env={**os.environ, "LD_PRELOAD": SHIM, "FUGU_FAULT_STOP": "1"})
        try:
            for _ in range(600):
                with open(f"/proc/{process.pid}/stat", encoding="utf-8") as stat:
                    if stat.read().rsplit(")", 1)[1].split()[0] == "T":
                        break
                time.sleep(0.05)
            else:
                self.fail("did not stop at its end")
            pages = 0
            for begin, page in memory_of(process.pid):
                pages += len(page)
                for name, secret in secrets().items():
                    self.assertNotIn(secret, page, f"{name} at {begin:x}") if secret in page else None
            self.assertGreater(pages, 1 << 20)
        finally:
            process.send_signal(signal.SIGCONT)
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, b""))

    def both_ways(self, options, secret, slot):
        self.write("plain", PLAIN)
        known = {}

        def of_new():
            if not known:
                known.update(self.secrets_of(self.read("sealed"), secret, slot))
            return known
        self.look(["encrypt", *options, "plain", "-o", "sealed"], of_new)
        self.look(["decrypt", *options, "sealed", "-o", "out"], of_new)
        self.assertEqual(self.read("out"), PLAIN)

    def test_passphrase(self):
        self.write("pass", PASSPHRASE + b"\n")
        self.both_ways(["--pass", "file:pass"], PASSPHRASE, twin.PASSPHRASE_SLOT)

    def test_passphrase_from_the_environment(self):
        os.environ["FUGU_TEST_SECRET"] = os.fsdecode(PASSPHRASE)
        self.addCleanup(os.environ.pop, "FUGU_TEST_SECRET")
        self.both_ways(["--pass", "env:FUGU_TEST_SECRET"], PASSPHRASE, twin.PASSPHRASE_SLOT)

    def test_key(self):
        self.write("key", KEY)
        self.both_ways(["--key", "file:key"], KEY, twin.KEY_SLOT)

    def test_what_is_there_is_found(self):
        """The scan itself: the name of the output is in the memory."""
        self.write("key", KEY)
        self.write("plain", PLAIN)
        with self.assertRaises(AssertionError):
            self.look(["encrypt", "--key", "file:key", "plain", "-o", "a-rather-long-output-name"],
                      lambda: {"name": b"a-rather-long-output-name"})


def load_twin():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/sealed_twin")
    loader = importlib.machinery.SourceFileLoader("sealed_twin", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sealed_twin", loader))
    loader.exec_module(module)
    return module


if __name__ == "__main__":
    SHIM = os.path.abspath(sys.argv.pop(2))
    sys.dont_write_bytecode = True
    if os.environ.get("FUGU_SANITIZED") or os.geteuid() != 0:
        print("skipped: needs root to read the process's memory, and a build without sanitizers")
        sys.exit(support.SKIPPED)
    try:
        twin = load_twin()
    except ImportError as missing:
        print(f"skipped: {missing} (python3-cryptography)")
        sys.exit(support.SKIPPED)
    support.main()
