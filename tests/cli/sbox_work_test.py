"""Long work of fugu sbox: an estimate before it begins, progress, and Ctrl-C."""

import os
import random
import select
import signal
import time

import support
from sbox_support import SBox


class Work(SBox):
    def begun(self, *arguments, **options):
        process = self.start("sbox", *arguments, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.communicate()

    def note_of(self, process):
        """The first line on standard error."""
        self.assertTrue(select.select([process.stderr], [], [], 60)[0], "nothing was said in a minute")
        return process.stderr.readline().decode()

    def check(self, what, *arguments):
        process = self.begun(*arguments, "-T", "2")
        with self.subTest(arguments=arguments):
            self.assertRegex(self.note_of(process), rf"^fugu: {what} take about [0-9]+ (s|min|h)\n$")
            process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            out, err = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - begin, 30)
            self.assertEqual((process.returncode, out, err), (130, b"", b""))

    def test_properties(self):
        report = ("report", "--engine", "cpu", "--csv", "--only")
        for what, *arguments in (
            ("the rows of the difference distribution table", *report, "du", "permutation:18:1"),
            ("the spectra of all components", *report, "linearity", "permutation:18:1"),
            ("the autocorrelations", *report, "ac", "permutation:18:1"),
            ("the rows of the difference distribution table", *report, "bu", "permutation:18:1"),
            ("the boomerang tables", *report, "bu", "permutation:16:1"),
            ("the sign vectors of the revised transparency order", *report, "rto", "permutation:16:1", "--exhaustive"),
            ("second-order nonlinearities", *report, "nl2", "permutation:8:1"),
            ("c-differential uniformities", *report, "cdu", "permutation:12:1"),
            ("the rows of a rank", *report, "gamma_rank", "permutation:8:1"),
            (r"all 2\^32-1 components", "components", "--exhaustive", "CAST_S1"),
            ("the autocorrelations", "spectrum", "act", "permutation:18:1"),
            ("the rows of the table", "table", "lat", "-o", os.devnull, "-f", "permutation:15:1"),
        ):
            self.check(what, *arguments)

    def test_equivalence(self):
        self.check("the invariants", "compare", "--relation", "affine", "permutation:16:1", "permutation:16:2")
        self.check("the invariants", "invariants", "permutation:15:1")
        self.check("up to [0-9]+ guesses at maps of EA-equivalence", "compare", "--relation", "ea", "power:8:17", self.image_of("power:8:17"))

    def image_of(self, name):
        """S(A(x)) + C(x) for fixed A and C."""
        s = list(map(int, self.run_fugu("sbox", "make", name)[1].split()))
        self.write("image", " ".join(str(s[x ^ x >> 1] ^ (x ^ x << 3 & 255)) for x in range(256)))
        return "image"

    def test_batches(self):
        numbers = random.Random(1)
        self.write("boxes", "\n".join(bytes(numbers.sample(range(256), 256)).hex() for _ in range(20000)))
        self.check("[0-9]+ boxes", "report", "--batch", "--engine", "cpu", "--from", "hex", "boxes")

    def test_short_work_says_nothing(self):
        self.assertEqual(self.run_fugu("sbox", "report", "--engine", "cpu", "permutation:10:1")[2], "")
        self.assertEqual(self.run_fugu("sbox", "report", "-q", "--engine", "cpu", "--only", "ccz", "power:6:3")[2], "")

    def test_progress_counts_the_steps(self):
        process = self.begun("report", "--engine", "cpu", "-T", "2", "--csv", "--only", "cdu", "permutation:12:1")
        self.note_of(process)
        shares = []
        for _ in range(2):
            process.send_signal(signal.SIGUSR1)
            line = self.note_of(process)
            self.assertRegex(line, r"^fugu: [0-9.]+ k?multipliers of 4.1 kmultipliers, [0-9]+ %, .* left\n$")
            shares.append(int(line.split("%")[0].split()[-1]))
            time.sleep(1)
        self.assertLess(shares[0], shares[1] + 1)


if __name__ == "__main__":
    support.main()
