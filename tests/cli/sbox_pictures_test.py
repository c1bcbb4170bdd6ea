"""fugu sbox --plot: bars, cells and pixels."""

import os
import zlib
from xml.etree import ElementTree

from sbox_support import SBox


class Pictures(SBox):
    SVG = "{http://www.w3.org/2000/svg}"

    def svg(self, *arguments):
        self.expect(0, "", "", "sbox", *arguments, "--plot", "out.svg")
        picture = ElementTree.fromstring(self.read("out.svg"))
        os.unlink(self.path("out.svg"))
        return picture

    def bars(self, *arguments):
        return [title.text for title in self.svg(*arguments).iter(self.SVG + "title")]

    def test_bars_are_the_spectrum(self):
        self.assertEqual(self.bars("spectrum", "ddt", "AES"), ["0: 32895", "2: 32130", "4: 255"])
        self.assertEqual(self.bars("components", "--exhaustive", "AES"), ["112: 255"])
        self.assertEqual(self.bars("components", "--masks", "all", "AES"), ["112: 255"])
        texts = [text.text for text in self.svg("spectrum", "ddt", "AES").iter(self.SVG + "text")]
        for text in "spectrum of the DDT of AES", "value", "entries, logarithmic", "0", "2", "4", "1000":
            self.assertIn(text, texts)

    def test_every_bar_is_as_high_as_its_count(self):
        groups = self.svg("components", "--masks", "all", "DES_S1").iter(self.SVG + "g")
        heights = [float(bar.get("height")) for bar in next(groups).iter(self.SVG + "rect")]
        self.assertEqual([round(height / heights[0]) for height in heights], [1, 2, 7, 3, 2])

    def test_cells_of_a_heat_map(self):
        """The table 3 1 0 2 has the DDT 4 0 0 0 | 0 0 4 0 | 0 0 0 4 | 0 4 0 0."""
        self.write("box", "3 1 0 2\n")
        paths = [path.get("d") for path in self.svg("table", "ddt", "box").iter(self.SVG + "path")]
        self.assertEqual(paths, ["M0 0h128v128h-128zM256 128h128v128h-128zM384 256h128v128h-128zM128 384h128v128h-128z"])

    def pixels(self, name):
        """Width, height and the lines of a PNG file with a palette of 8 bits per pixel, read by the format's definition."""
        data = self.read(name)
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        chunks, texts, at = {}, [], 8
        while at < len(data):
            size = int.from_bytes(data[at:at + 4], "big")
            kind = data[at + 4:at + 8]
            self.assertEqual(zlib.crc32(data[at + 4:at + 8 + size]), int.from_bytes(data[at + 8 + size:at + 12 + size], "big"))
            chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + size]
            if kind == b"iTXt":
                texts.append(data[at + 8:at + 8 + size])
            at += 12 + size
        width, height = (int.from_bytes(chunks[b"IHDR"][i:i + 4], "big") for i in (0, 4))
        self.assertEqual(tuple(chunks[b"IHDR"][8:10]), (8, 3))
        self.texts = dict(chunk.split(b"\0\0\0\0\0", 1) for chunk in texts)
        lines = zlib.decompress(chunks[b"IDAT"])
        self.assertEqual(len(lines), height * (width + 1))
        self.assertEqual(set(lines[::width + 1]), {0})  # no filter
        return width, height, [lines[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)]

    def png(self, *arguments):
        """The pixels of --plot's file, whose description is said as well."""
        status, out, err = self.run_fugu("sbox", "table", *arguments, "-f", "--plot", "out.png")
        found = self.pixels("out.png")
        self.assertEqual((status, out, err), (0, b"", f"fugu: {self.texts[b'Description'].decode()}\n"))
        return found

    def test_pixels_of_large_tables(self):
        for size, *arguments in (((512, 1024), "lat", "random:10:9:1"), ((512, 512), "ddt", "AES"),
                                 ((512, 128), "ddt", "--rows", "1:2", "--columns", "0:8", "AES")):
            self.assertEqual(self.png(*arguments)[:2], size)

    def test_pixels_are_the_table(self):
        self.write("box", "3 1 0 2\n")
        width, height, lines = self.png("ddt", "box")
        self.assertEqual((width, height), (512, 512))
        for corner in (0, 127):
            self.assertEqual([[lines[128 * a + corner][128 * b + corner] for b in range(4)] for a in range(4)],
                             [[32 * (b == (0, 2, 3, 1)[a]) for b in range(4)] for a in range(4)])

    def test_a_picture_explains_itself(self):
        """Title, axes, whether values are signed, and the scale."""
        self.png("lat", "--rows", "1:8", "PRESENT")
        self.assertEqual(self.texts[b"Title"], b"LAT of PRESENT")
        self.assertEqual(self.texts[b"Description"].decode(),
                         "LAT of PRESENT: absolute values of W. Rows from top to bottom: a, hexadecimal, from 1. Columns from left "
                         "to right: b, hexadecimal, from 0. Colours go from 0, white, to 8, dark; values of larger magnitude have "
                         "the colours of the ends.")
        self.expect(0, "", "", "sbox", "table", "lat", "-q", "-f", "--plot", "out.png", "PRESENT")
        for scale, text in ("bias", "LAT of PRESENT: absolute values of W/2"), ("walsh", "LAT of PRESENT: absolute values of W"):
            texts = [text.text for text in self.svg("table", "lat", "--scale", scale, "PRESENT").iter(self.SVG + "text")]
            self.assertIn(text, texts)
            self.assertIn("a, hexadecimal", texts)
        texts = [text.text for text in self.svg("table", "sac", "PRESENT").iter(self.SVG + "text")]
        self.assertLessEqual({"SAC of PRESENT: counts", "input bit", "output bit"}, set(texts))

    def test_signed_values(self):
        """Zero has the middle shade, and a value and its opposite lie as far from it."""
        _, _, lines = self.png("lat", "--signed", "PRESENT")
        self.assertIn(b"LAT of PRESENT: signed values of W. ", self.texts[b"Description"])
        lat = [list(map(int, row.split())) for row in self.run_fugu("sbox", "table", "lat", "PRESENT")[1].splitlines()]
        cells = [[lines[32 * a + 9][32 * b + 9] for b in range(16)] for a in range(16)]
        self.assertEqual(cells, [[16 + max(-16, min(16, 2 * value)) for value in row] for row in lat])
        texts = [text.text for text in self.svg("table", "lat", "--signed", "PRESENT").iter(self.SVG + "text")]
        for text in ("LAT of PRESENT: signed values of W", "-8", "-4", "0", "4", "8"):
            self.assertIn(text, texts)
        fills = {path.get("fill") for path in self.svg("table", "lat", "--signed", "PRESENT").iter(self.SVG + "path")}
        self.assertEqual(len(fills), len({min(8, max(-8, value)) for row in lat for value in row} - {0}))
        for message, *arguments in (("--signed is for --plot", "lat"), ("--signed is for the lat, act, dlct or quasidifferential", "ddt", "--plot", "o.png")):
            self.expect(1, "", f"fugu: {message}\n", "sbox", "table", arguments[0], "--signed", *arguments[1:], "AES")

    def test_refusals(self):
        before = self.names()
        for text, *arguments in (
                ("--plot takes a name that ends in .svg or .png, not 'out.pdf'", "spectrum", "ddt", "AES", "--plot", "out.pdf"),
                ("bars are drawn only as .svg", "spectrum", "ddt", "AES", "--plot", "out.png"),
                ("1024 x 1024 cells need a .png; .svg takes at most 512 x 512", "table", "ddt", "random:10:10:1", "--plot", "o.svg"),
                ("a picture has at most 2^26 cells, not 65536 x 65536; choose --rows or --columns", "table", "lat", "power:16:3",
                 "--plot", "o.png")):
            self.expect(1, "", "fugu: %s\n" % text, "sbox", *arguments)
        self.assertEqual(self.names(), before)
