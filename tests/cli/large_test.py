"""A sparse file of 4 GiB and 64 MiB: offsets exceed 2^32, and memory stays within 256 MiB. Prints how long it took."""

import os
import sys
import time

from support import Case

SIZE = (4 << 30) + (64 << 20)
MOST_KIB = 256 << 10


class Large(Case):
    def peak(self, *arguments, **options):
        """Runs to the end and returns the peak of resident memory in KiB."""
        process = self.start(*arguments, **options)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with process.stdout, process.stderr:
            self.assertEqual(process.returncode, 0, process.stderr.read())
        return usage.ru_maxrss

    def test_counter_mode_from_end_to_end(self):
        with open(self.path("a"), "wb") as file:
            file.truncate(SIZE)
            file.seek(SIZE - 3)
            file.write(b"end")
        self.write("k", "sixteen byte key")
        raw = ["-q", "--format", "raw", "--mode", "ctr", "--iv", "zero", "--key", "file:k"]
        begin = time.monotonic()
        encrypt = self.start("encrypt", *raw, "a", "-o", "-", pipesize=1 << 20)
        peak = self.peak("verify", *raw, "--against", "a", stdin=encrypt.stdout)
        encrypt.stdout.close()
        _, status, usage = os.wait4(encrypt.pid, 0)
        encrypt.returncode = os.waitstatus_to_exitcode(status)
        with encrypt.stderr:
            self.assertEqual(encrypt.returncode, 0, encrypt.stderr.read())
        print(f"\n{SIZE >> 20} MiB encrypted and verified in {time.monotonic() - begin:.0f} s, peak {peak >> 10} and "
              f"{usage.ru_maxrss >> 10} MiB", file=sys.stderr)
        self.assertLess(peak, MOST_KIB)
        self.assertLess(usage.ru_maxrss, MOST_KIB)
