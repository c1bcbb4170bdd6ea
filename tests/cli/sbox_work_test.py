"""Long work of fugu sbox: an estimate before it begins, progress, and Ctrl-C."""

import os
import random
import select
import signal
import time

import support
from sbox_support import SBox, image_of


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
            self.assertRegex(self.note_of(process), rf"^fugu: {what} take (about|up to) [0-9]+ (s|min|h)\n$")
            process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            out, err = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - begin, 30)
            self.assertEqual((process.returncode, out, err), (-signal.SIGINT, b"", b""))

    def test_properties(self):
        report = ("report", "--engine", "cpu", "--csv", "--only")
        works = (
            ("the rows of the difference distribution table", *report, "du", "permutation:18:1"),
            ("the spectra of all components", *report, "linearity", "permutation:18:1"),
            ("the autocorrelations", *report, "ac", "permutation:18:1"),
            ("the boomerang tables", *report, "bu", "permutation:16:1"),
            ("the sign vectors of the revised transparency order", *report, "rto", "permutation:16:1", "--exhaustive"),
            ("second-order nonlinearities", *report, "nl2", "permutation:8:1"),
            ("c-differential uniformities", *report, "cdu", "permutation:12:1"),
            ("the rows of a rank", *report, "gamma_rank", "permutation:8:1"),
            (r"all 2\^32-1 components", "components", "--exhaustive", "CAST_S1"),
            ("the autocorrelations", "spectrum", "act", "permutation:18:1"),
            ("the rows of the table", "table", "lat", "-o", os.devnull, "-f", "permutation:15:1"),
            ("65535 components", "anf", "--masks", "all", "-o", os.devnull, "-f", "permutation:16:1"),
            ("32 components", "components", "random:20:32:1"),
        )
        for what, *arguments in support.some(works):
            self.check(what, *arguments)

    @support.many_cases
    def test_equivalence(self):
        self.write("image", " ".join(map(str, image_of(self.values("power:8:17"), 8, extended=True))))
        self.check("the invariants", "compare", "--relation", "affine", "permutation:16:1", "permutation:16:2")
        self.check("the invariants", "invariants", "permutation:15:1")
        self.check("guesses at maps of EA-equivalence", "compare", "--relation", "ea", "power:8:17", "image")
        self.check("up to 4336 functions of Walsh-zero spaces", "classes", "power:8:5")

    def test_batches(self):
        numbers = random.Random(1)
        boxes = [bytes(numbers.sample(range(256), 256)).hex() for _ in range(100)]
        self.write("boxes", "\n".join(200 * boxes))
        self.check("[0-9]+ boxes", "report", "--batch", "--engine", "cpu", "--from", "hex", "boxes")

    def test_short_work_says_nothing(self):
        self.assertEqual(self.run_fugu("sbox", "report", "--engine", "cpu", "permutation:10:1")[2], "")
        self.assertEqual(self.run_fugu("sbox", "report", "-q", "--engine", "cpu", "--only", "ccz", "power:6:3")[2], "")

    def test_work_above_ten_minutes_is_asked_for(self):
        large = ("--engine", "cpu", "random:20:20:1")
        works = (
            ("the entries of the table", "spectrum", "ddt", *large),
            ("the entries of the table", "spectrum", "bct", *large),
            ("the entries of the table", "spectrum", "fbct", "power:15:1"),  # linear: its tables take long
            ("the rows of the table", "table", "lat", "--rows", "0:32K", *large),
            ("the rows of the table", "table", "ddt", "random:19:21:1"),
            ("the spectra of all components", "components", *large),
            ("the invariants", "invariants", "permutation:18:1"),
            ("the algebraic normal forms", "anf", "--masks", "all", "permutation:18:1"),
            ("the invariants", "compare", "permutation:18:1", "permutation:18:2"),
        )
        for what, *arguments in support.some(works):
            self.fails(1, "sbox", *arguments,
                       matches=rf"^fugu: {what} take about [0-9]+ (min|h) on one core; --exhaustive computes them\n$")
        works = (
            ("the rows of the table", "table", "ddt", "random:19:21:1", "--exhaustive", "-o", os.devnull, "-f"),
            ("the autocorrelations", "spectrum", "dlct", "--exhaustive", *large),
            ("the spectra of all components", "components", "--exhaustive", "random:17:20:1"),
            ("262143 components", "anf", "--masks", "all", "--exhaustive", "-o", os.devnull, "-f", "permutation:18:1"),
        )
        for what, *arguments in support.some(works):
            self.check(what, *arguments)

    def test_progress_counts_the_steps(self):
        cdu = ("report", "--engine", "cpu", "-T", "2", "--csv", "--only", "cdu", "permutation:12:1")
        self.check_shares(cdu, "k?multipliers of 4.1 kmultipliers")
        if support.SANITIZED:
            return
        self.check_shares(("anf", "--masks", "all", "-o", os.devnull, "-f", "permutation:16:1"), "k?components of 65.5 kcomponents")
        self.check_shares(("invariants", "-T", "1", "permutation:17:1"), "k?steps of [0-9.]+ ksteps")
        self.check_shares(("compare", "-T", "1", "--relation", "affine", "permutation:16:1", "permutation:16:2"), "k?steps of [0-9.]+ ksteps")

    def check_shares(self, command, counted):
        process = self.begun(*command)
        self.note_of(process)
        for _ in range(60):
            process.send_signal(signal.SIGUSR1)
            line = self.note_of(process)
            self.assertRegex(line, rf"^fugu: [0-9.]+ {counted}, [0-9]+ %, .* left\n$")
            if not line.startswith("fugu: 0 "):
                return
            time.sleep(0.5)
        self.fail("nothing was counted")
