"""A case with a key and a file of several segments, and ways to damage sealed files."""

import os
import pathlib
import re

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

    def write_version_one(self, name):
        """Of segments of 64 KiB, under the key; its plaintext is returned."""
        kit = pathlib.Path(__file__).resolve().parents[2] / "vectors/golden/sealed.kit"
        file = re.search(r"^name = key_2\^16_65541_bytes$(?:\n.+)*?\nfile = (.*)$", kit.read_text(), re.MULTILINE)[1]
        self.write(name, bytes.fromhex(file))
        return bytes(i % 251 for i in range(65541))

    def seal(self, *arguments):
        self.expect(0, b"", "", "encrypt", *KEY, *(arguments or ["a"]))

    def alter(self, name, offset, mask=1):
        data = bytearray(self.read(name))
        data[offset] ^= mask
        self.write(name, bytes(data))

    def cut(self, name, size):
        os.truncate(self.path(name), size)
