"""A case with a key and a file of several segments, and ways to damage sealed files."""

import os

from support import Case, pattern

SEGMENT = 1 << 20
STORED = SEGMENT + 16
KEY_HEADER = 148
PASS = ["--pass", "file:pass"]
KEY = ["--key", "file:key"]


class Sealed(Case):
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
