"""Signals at random moments of encryption, decryption and sealing anew.

The output file has its old content or the complete result, the input is unchanged, and no temporary file remains after a signal
that can be caught. The random numbers are seeded, so the moments are the same in every run, as far as a clock allows.
"""

import os
import random
import signal
import subprocess
import time

import support
from support import KEY, Sealed, pattern

OLD = b"what the name held before"
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGKILL]
MOMENTS = 20 if support.SANITIZED else 500  # for each command


class Kills(Sealed):
    SIZE = 1

    def setUp(self):
        super().setUp()
        self.write("new", bytes(range(1, 33)))
        self.old, self.content, self.opened_by = OLD, None, KEY
        self.plain = pattern((6 << 20) + 5)
        self.write("plain", self.plain)
        self.expect(0, b"", "", "encrypt", *KEY, "plain", "-o", "sealed")
        self.sealed = self.read("sealed")

    def seconds(self, arguments):
        """How long an undisturbed run takes from start to end."""
        times = []
        for _ in range(5):
            self.write("out", self.old)
            begin = time.monotonic()
            self.expect(0, b"", "", *arguments)
            times.append(time.monotonic() - begin)
        return sorted(times)[2]

    def is_complete(self, wanted):
        if wanted is not None:
            return self.read("out") == wanted
        return self.run_fugu("decrypt", *self.opened_by, "out", "-o", "-")[:2] == (0, self.content)

    def strike(self, arguments, wanted, number, delay):
        self.write("out", self.old)
        names = set(self.names())
        process = self.start(*arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(number)
        status = process.wait(timeout=60)
        with self.subTest(signal=number, delay=delay, status=status):
            old = self.read("out") == self.old
            self.assertTrue(old or self.is_complete(wanted))
            if status == 0:
                self.assertFalse(old)
            self.assertEqual(self.read("plain"), self.plain)
            self.assertEqual(self.read("sealed"), self.sealed)
            if number != signal.SIGKILL:
                self.assertEqual(set(self.names()), names)
        for name in set(self.names()) - names:
            os.unlink(self.path(name))
        return old, status

    def each(self, arguments, wanted, seed):
        span = self.seconds(arguments) * 1.2
        choice = random.Random(seed)
        outcomes = {"as before": 0, "complete": 0}
        for i in range(MOMENTS):
            old, _ = self.strike(arguments, wanted, SIGNALS[i % len(SIGNALS)], choice.random() * span)
            outcomes["as before" if old else "complete"] += 1
        print(f"{arguments[0]}: {MOMENTS} moments: {outcomes}", flush=True)
        # If only one of the two occurred, the moments were not spread over the run.
        self.assertTrue(all(outcomes.values()), outcomes)

    def test_encrypt(self):
        self.content = self.plain
        self.each(["encrypt", "-f", *KEY, "plain", "-o", "out"], None, 1)

    def test_decrypt(self):
        self.each(["decrypt", "-f", *KEY, "sealed", "-o", "out"], self.plain, 2)

    def test_rekey_anew(self):
        self.old, self.content, self.opened_by = self.sealed, self.plain, ["--key", "file:new"]
        self.each(["rekey", "--anew", *KEY, "--new-key", "file:new", "out"], None, 3)
