"""fugu sbox --plot: bars, cells and pixels."""

import os
import zlib
from xml.etree import ElementTree

import support
from sbox_support import SBox


class Pictures(SBox):
    LEFT, TOP, WIDE, HIGH = 72, 40, 72 + 120, 40 + 56  # of the cells in a PNG file, and what is around them
    INK, PAPER = 33, 34
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

    def test_pixels_of_large_tables(self):
        self.expect(0, "", "", "sbox", "table", "lat", "--plot", "out.png", "random:10:9:1")
        self.assertEqual(self.pixels("out.png")[:2], (512 + self.WIDE, 1024 + self.HIGH))
        self.expect(0, "", "", "sbox", "table", "ddt", "--plot", "aes.png", "AES")
        self.assertEqual(self.pixels("aes.png")[:2], (512 + self.WIDE, 512 + self.HIGH))
        self.expect(0, "", "", "sbox", "table", "ddt", "--rows", "1:2", "--columns", "0:8", "--plot", "part.png", "AES")
        self.assertEqual(self.pixels("part.png")[:2], (512 + self.WIDE, 128 + self.HIGH))

    def test_pixels_are_the_table(self):
        self.write("box", "3 1 0 2\n")
        self.expect(0, "", "", "sbox", "table", "ddt", "--plot", "out.png", "box")
        width, height, lines = self.pixels("out.png")
        self.assertEqual((width, height), (512 + self.WIDE, 512 + self.HIGH))
        self.assertEqual([[lines[self.TOP + 128 * a + 5][self.LEFT + 128 * b + 5] != 0 for b in range(4)] for a in range(4)],
                         [[b == (0, 2, 3, 1)[a] for b in range(4)] for a in range(4)])

    def test_a_picture_explains_itself(self):
        """Title, axes, whether values are signed, and the scale: as text, and as a bar from the darkest shade to white."""
        self.expect(0, "", "", "sbox", "table", "lat", "--rows", "1:8", "--plot", "out.png", "PRESENT")
        width, height, lines = self.pixels("out.png")
        self.assertEqual(self.texts[b"Title"], b"LAT of PRESENT")
        self.assertEqual(self.texts[b"Description"].decode(),
                         "LAT of PRESENT: absolute values of W. Rows from top to bottom: a, hexadecimal, from 1. Columns from left "
                         "to right: b, hexadecimal, from 0. The scale on the right goes from 0, white, to 8, dark; values of larger "
                         "magnitude have the colours of its ends.")
        self.assertEqual((width, height), (512 + self.WIDE, 256 + self.HIGH))
        bar = [line[self.LEFT + 512 + 16] for line in lines[self.TOP:self.TOP + 256]]
        self.assertEqual((bar[0], bar[-1], sorted(bar, reverse=True)), (32, 0, bar))
        ticks = [y - self.TOP for y, line in enumerate(lines) if line[self.LEFT + 512 + 16 + 14] == self.INK]
        self.assertEqual([round(4 * y / 256) for y in ticks], [0, 1, 2, 3, 4])
        inked = lambda left, top, right, bottom: any(self.INK in line[left:right] for line in lines[top:bottom])
        below = self.TOP + 256
        for place in ((self.LEFT, 0, 512, self.TOP), (0, self.TOP, 20, below), (30, self.TOP, self.LEFT, below),
                      (self.LEFT, below, 512, below + 24), (self.LEFT, below + 30, 512, height), (self.LEFT + 550, self.TOP, width, below)):
            self.assertTrue(inked(*place), place)  # title, the row axis, its ticks, the column ticks, the column axis, the scale
        self.assertEqual(self.read_text(lines, self.LEFT, 13), "LAT of PRESENT: absolute values of W")
        for scale, text in ("bias", "LAT of PRESENT: absolute values of W/2"), ("walsh", "LAT of PRESENT: absolute values of W"):
            texts = [text.text for text in self.svg("table", "lat", "--scale", scale, "PRESENT").iter(self.SVG + "text")]
            self.assertIn(text, texts)
            self.assertIn("a, hexadecimal", texts)
        texts = [text.text for text in self.svg("table", "sac", "PRESENT").iter(self.SVG + "text")]
        self.assertLessEqual({"SAC of PRESENT: counts", "input bit", "output bit"}, set(texts))

    def read_text(self, lines, left, top):
        """What is written there, letter by letter, by comparison with the same letters in another picture's title."""
        shapes = {}
        for letter in "ABDEFLNOPRSTWabeflostuvw: ":
            self.write(letter * 8 if letter not in ": " else "x" + letter, "3 1 0 2\n")
            name = letter * 8 if letter not in ": " else "x" + letter
            self.expect(0, "", "", "sbox", "table", "ddt", "--plot", "letter.png", "-f", name)
            _, _, other = self.pixels("letter.png")
            at = left + 12 * (len("DDT of ") + (1 if letter in ": " else 0))
            shapes[tuple(bytes(line[at:at + 10]) for line in other[top:top + 14])] = letter
        found = ""
        while left + 10 <= len(lines[0]):
            found += shapes.get(tuple(bytes(line[left:left + 10]) for line in lines[top:top + 14]), "?")
            left += 12
        return found.rstrip(" ")

    def test_signed_values(self):
        """Zero has the middle shade, and a value and its opposite lie as far from it."""
        self.expect(0, "", "", "sbox", "table", "lat", "--signed", "--plot", "out.png", "PRESENT")
        _, _, lines = self.pixels("out.png")
        self.assertIn(b"LAT of PRESENT: signed values of W. ", self.texts[b"Description"])
        lat = [list(map(int, row.split())) for row in self.run_fugu("sbox", "table", "lat", "PRESENT")[1].splitlines()]
        cells = [[lines[self.TOP + 32 * a + 9][self.LEFT + 32 * b + 9] for b in range(16)] for a in range(16)]
        self.assertEqual(cells, [[16 + max(-16, min(16, 2 * value)) for value in row] for row in lat])
        texts = [text.text for text in self.svg("table", "lat", "--signed", "PRESENT").iter(self.SVG + "text")]
        for text in ("LAT of PRESENT: signed values of W", "-8", "-4", "0", "4", "8"):
            self.assertIn(text, texts)
        fills = {path.get("fill") for path in self.svg("table", "lat", "--signed", "PRESENT").iter(self.SVG + "path")}
        self.assertEqual(len(fills), len({min(8, max(-8, value)) for row in lat for value in row} - {0}))
        for message, *arguments in (("--signed is for --plot", "lat"), ("--signed is for the lat, act or dlct", "ddt", "--plot", "o.png")):
            self.expect(1, "", f"fugu: {message}\n", "sbox", "table", arguments[0], "--signed", *arguments[1:], "AES")

    def test_refusals(self):
        before = self.names()
        for text, *arguments in (
                ("--plot takes a name that ends in .svg or .png, not 'out.pdf'", "spectrum", "ddt", "AES", "--plot", "out.pdf"),
                ("bars are drawn as .svg", "spectrum", "ddt", "AES", "--plot", "out.png"),
                ("1024 x 1024 cells are drawn as .png; .svg takes 512 x 512", "table", "ddt", "random:10:10:1", "--plot", "o.svg"),
                ("a picture of 65536 x 65536 cells: at most 2^26; choose --rows or --columns", "table", "lat", "power:16:3",
                 "--plot", "o.png")):
            self.expect(1, "", "fugu: %s\n" % text, "sbox", *arguments)
        self.assertEqual(self.names(), before)


if __name__ == "__main__":
    support.main()
