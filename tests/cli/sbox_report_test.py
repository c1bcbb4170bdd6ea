"""fugu sbox report, components and anf; --plot: bars, cells and pixels."""

import json
import os
import random
import struct
import zlib
from xml.etree import ElementTree

import support
from sbox_support import SBox, VECTORS, inverse_of, records
from spectral_test import npy

AES_REPORT = """\
AES, 8 inputs, 8 outputs
basic         permutation, odd; fixed points 0, opposite 0; cycles 2 27 59 81 87, order 277182
differential  *uniformity 4, 255 entries of it; DDT 0:32895 2:32130 4:255; 1-bit to 1-bit 24; branch number 2
linear        *linearity 32, nonlinearity 112; largest 1275 entries, first W(0x01,0x48) = -32; 1-bit to 1-bit 60; \
branch number 2
components    nonlinearity 112:255; degree 7:255; absolute indicator 32:255; sum of squares 133120; plateaued 0, bent 0
boomerang     *uniformity 6; BCT 0:32640 2:31620 4:255 6:510; Feistel 4, FBCT 0:64260 4:510; UBCT 4; LBCT 4; EBCT 4; \
DBCT 332
algebra       degree 7, of the inverse 7; equations of degree 1, 2, 3: 0, 39, 471; component immunity 4:255
avalanche     SAC 116..144 of 128, sum 8272; BIC nonlinearity 112, BIC-SAC 28936; correlation immunity 0, resiliency 0
structure     linear structures 0
sidechannel   transparency order 7.860; revised 6.916; signal to noise 9.600; confusion variance 0.111; \
confusion minimum 3.250
"""


class Report(SBox):
    def test_sheet(self):
        self.gives(AES_REPORT, "report", "AES")

    def test_structures_are_listed(self):
        """Of S(x) = x, r(a,b) is 4 or -4 with the parity of a & b; and of a box with more than are listed."""
        wanted = [f"r(0x{a},0x{b}) = {-4 if (a & b) in (1, 2) else 4}" for a in (1, 2, 3) for b in (1, 2, 3)]
        out = self.run_fugu("sbox", "report", "--only", "structure", "-v", "-", input=b"0 1 2 3")[1].decode()
        first, *listed = out.splitlines()[1:]
        self.assertEqual([line.strip() for line in listed], wanted)
        self.assertIn("linear structures 9", first)
        lines = self.run_fugu("sbox", "report", "--only", "structure", "-v", "power:7:1")[1].decode().splitlines()
        self.gives("\n".join(lines[:2]) + "\n", "report", "--only", "structure", "power:7:1")
        self.assertEqual((len(lines), lines[-1].strip()), (2 + 4096 + 1, f"and {127 * 127 - 4096} more"))

    def test_marks_of_the_best_values_known(self):
        for name, groups, marks in (("AES", "differential,linear,boomerang", 3), ("PRESENT", "differential,linear,boomerang", 2),
                                    ("power:7:3", "differential,linear,boomerang", 3), ("power:6:3", "differential,linear", 2),
                                    ("random:8:8:1", "differential,linear", 0), ("DES_S1", "differential,linear", 0),
                                    ("power:6:62", "differential", 0)):  # APN permutations of 6 bits are known (Dillon et al. 2010)
            self.assertEqual(self.output("report", "--only", groups, name).count("*"), marks, name)
        quadratic = " ".join(str((x & x >> 1 ^ x >> 2 & x >> 3 ^ x >> 4 & x >> 5) & 1) for x in range(128))  # linearity 16
        self.assertEqual(self.output("report", "--only", "linear", "--outputs", "1", "-", input=quadratic.encode()).count("*"), 1)

    def test_json(self):
        report = self.json("PRESENT")
        self.assertEqual((report["name"], report["n"], report["m"]), ("PRESENT", 4, 4))
        self.assertEqual((report["du"], report["linearity"], report["bu"], report["eq2"]), (4, 8, 16, 21))
        self.assertEqual(report["ddt"], [[0, 144], [2, 72], [4, 24]])
        self.assertEqual((report["scale"], report["conventions"]), ("walsh", 1))
        self.assertTrue(report["permutation"])
        self.assertAlmostEqual(report["to"], 3.533333, places=6)

    def test_batch_of_json_is_an_object_a_line(self):
        out = self.output("report", "--batch", "--json", "--only", "basic", "-", input=b"0 1 2 3\n3 3 3 3\n")
        first, second = map(json.loads, out.splitlines())
        self.assertEqual((first["fixed"], first["order"], second["image"], second["cycles"]), (4, 1, 1, None))

    def test_only_some_groups(self):
        self.gives("name,n,m,to,rto,snr,cc_mean,cc_var,cc_min\nPRESENT,4,4,3.533333,2.466667,2.128608,2.133333,0.657222,1.000000\n",
                   "report", "--csv", "--only", "sidechannel", "PRESENT")

    def test_long_work_is_left_out_unless_asked_for(self):
        self.gives("random:20:20:1, 20 inputs, 20 outputs\nlinear        takes about 37 min on one core; only with --exhaustive\n",
                   "report", "--engine", "cpu", "--only", "linear", "random:20:20:1")
        self.gives("name,n,m,nl,nl_coord,ac\nrandom:20:20:1,20,20,-,-,-\n",
                   "report", "--engine", "cpu", "--csv", "--only", "nl,nl_coord,ac", "random:20:20:1")

    def test_only_some_fields(self):
        self.gives("name,n,m,du,linearity,nl,deg\nAES,8,8,4,32,112,7\n", "report", "--csv", "--only", "deg,linearity,nl,du", "AES")
        self.gives("name,n,m,lin_first\nAES,8,8,1 72\n", "report", "--csv", "--only", "lin_first", "AES")
        self.assertGreaterEqual(float(self.row("--only", "anomaly_d", "-", input=b"0 1 2 3")["anomaly_d"]), 0)  # from 2 bits on
        self.gives("name,n,m,delta_k\nchi:17,17,17,-\n", "report", "--csv", "--only", "delta_k", "chi:17")
        self.assertEqual(list(self.json("--only", "sidechannel,du,eq3", "PRESENT")), ["version", "name", "n", "m", "du", "eq3", "to", "rto", "snr", "cc_mean", "cc_var", "cc_min",
                                                 "scale", "conventions"])
        self.stops(1, "--only du: single fields are for --csv, --json and --batch", "report", "--only", "du", "AES")
        self.stops(1, "--only takes basic, differential, linear, components, boomerang, algebra, avalanche, structure, sidechannel, ccz, "
                   "extended, or names of fields, not 'dux'", "report", "--csv", "--only", "dux", "AES")

    def test_each_field_alone_is_its_column(self):
        row = self.row("PRESENT", "--only",
                       "basic,differential,linear,components,boomerang,algebra,avalanche,structure,sidechannel,ccz,extended")
        self.assertGreater(len(row), 70)
        for field in support.some(sorted(row.keys() - {"name", "n", "m"})):
            self.assertEqual(self.row("--only", field, "PRESENT"), {"name": "PRESENT", "n": "4", "m": "4", field: row[field]})

    def test_long_batches_are_the_same_boxes_in_order(self):
        boxes = [random.Random(i).choices(range(16), k=16) for i in range(3000)]
        expected = ["-:%d,4,4,%d" % (i + 1, len(set(box))) for i, box in enumerate(boxes)]
        text = "".join("%s\n" % " ".join(map(str, box)) for box in boxes)
        for threads in ("1", "3"):
            out = self.output("report", "--batch", "--only", "image", "-T", threads, "-", input=text.encode())
            self.assertEqual(out.splitlines()[1:], expected)

    def test_rows_of_every_type(self):
        """PRESENT's box is 4-uniform, as published; affine functions are 2^n-uniform."""
        present = [0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2]
        for descr, code in (("|u1", "B"), ("|i1", "b"), ("<u2", "H"), ("<i2", "h"), ("<u4", "I"), ("<i4", "i"),
                            ("<i8", "q"), ("<f4", "f"), ("<f8", "d")):
            affine = [x ^ (0x35 if "1" in descr else 0x135) for x in range(16)]
            with self.subTest(descr=descr):
                outputs = max(affine).bit_length()
                self.gives("name,n,m,du\n-:1,4,4,4\n-:2,4,%d,16\n" % outputs,
                           "report", "--batch", "--only", "du", "-", input=npy(descr, present + affine, code, "(2, 16)"))
        self.stops(1, "values of type '<u8' cannot be read; save them as i1, i2, i4, i8, u1, u2, u4, f2, f4 or f8, little-endian",
                   "report", "--batch", "-", input=npy("<u8", present, "Q", "(1, 16)"))

    def test_groups_begin_with_their_first_value(self):
        for name in ("power:9:3", "power:6:3"):
            line = self.output("report", "--only", "ccz", name).splitlines()[1]
            self.assertRegex(line, "^ccz {11}(Gamma rank|ortho-derivative: DDT)")

    def test_lines_that_are_no_boxes_are_named_and_the_others_reported(self):
        lines = ["0 1 2 3"] * 2000
        lines[700], lines[1500] = "0 1 2 x", "0 1 2"
        good = "".join(f"-:{i},2,2,4\n" for i in range(1, 2001) if i not in (701, 1501))
        self.expect(1, "name,n,m,du\n" + good, "fugu: 2 lines are not boxes; line 701: entry 3, 'x', is not a number from 0 to 2^32 - 1; "
                    "the others were reported\n", "sbox", "report", "--batch", "--only", "du", "-T", "2", "-", input="\n".join(lines).encode())
        self.expect(1, "name,n,m,du\n-:1,2,2,4\n", "fugu: line 3 is not a box: 3 entries, not a power of two; the others were reported\n",
                    "sbox", "report", "--batch", "--only", "du", "-", input=b"0 1 2 3\n# the next\n0 1 2\n")
        self.expect(1, "name,n,m,rto\n", "fugu: line 1 is not a box: 3 entries, not a power of two\n",
                    "sbox", "report", "--batch", "--only", "rto", "-T", "1", "-", input=b"0 1 2\n")
        rows = npy("<i2", [0, 1, 2, 3, 3, 2, -1, 0], "h", "(2, 4)")
        self.expect(1, "name,n,m,du\n-:1,2,2,4\n", "fugu: row 2 is not a box: entry 2, '-1', is not a number from 0 to 2^32 - 1; "
                    "the others were reported\n", "sbox", "report", "--batch", "--only", "du", "-", input=rows)
        self.stops(4, "the .npy file holds 7 values, but its header states 8", "report", "--batch", "--only", "du", "-", input=rows[:-2])
        self.stops(4, "17 bytes are not a multiple of the 2 bytes of a value; the file may be truncated",
                   "report", "--batch", "--only", "du", "-", input=npy("<i2", range(8), "h", "(2, 4)") + b"\0")


class Components(SBox):
    def test_lines_equal_the_report_of_each_component(self):
        rows = [line.split() for line in self.output("components", "PRESENT").splitlines()]
        self.assertEqual([int(row[0]) for row in rows], list(range(1, 16)))
        # CHES 2007: three components have nonlinearity 4 and degree 2, the others degree 3.
        self.assertEqual(sorted(row[2] for row in rows), ["2"] * 3 + ["3"] * 12)
        self.gives("".join(" ".join(row) + "\n" for row in (rows[0], rows[4])), "components", "--masks", "1,0x5", "PRESENT")
        status, out, _ = self.run_fugu("sbox", "components", "--to", "npy", "PRESENT")
        self.assertEqual(status, 0)
        self.assertIn(b"('degree', '<i4')", out[:512])
        values = struct.iter_unpack("<IQiQQiiBQ", out[10 + int.from_bytes(out[8:10], "little"):])
        self.assertEqual([list(map(str, row)) for row in values], rows)

    def test_refusals(self):
        self.stops(1, "all components need at most 20 outputs, not 32; choose some with --masks", "components", "--masks", "all", "CAST_S1")
        self.stops(1, "--masks: '16' is not a mask of 4 bits", "components", "--masks", "16", "PRESENT")

    def test_exhaustive_profile_of_few_outputs(self):
        self.gives("112:255\nmasks %s\n" % " ".join("0x%08x" % b for b in range(1, 256)), "components", "--exhaustive", "AES")

    def test_exhaustive_linearity_in_the_report(self):
        """A component's truth table is the sum of those of its coordinates."""
        values = [3, 9, 1 << 20, 77, 1234567, 5, 1999999, 888888]
        components = {0: 1}
        for bit in range(21):
            column = sum((y >> bit & 1) << x for x, y in enumerate(values))
            components = {t: components.get(t, 0) + components.get(t ^ column, 0) for t in {*components, *(t ^ column for t in components)}}
        walsh = lambda t: [sum((-1) ** (bin(a & x).count("1") + (t >> x & 1)) for x in range(8)) for a in range(8)]
        nonlinearities = {}
        for table, count in components.items():
            of_it = (8 - max(map(abs, walsh(table)))) // 2
            nonlinearities[of_it] = nonlinearities.get(of_it, 0) + count
        nonlinearities[0] -= 1  # component 0
        self.write("box", " ".join(map(str, values)))
        row = self.row("--only", "linearity,nl,nl_dist", "--exhaustive", "--outputs", "21", "box")
        self.assertEqual((row["linearity"], row["nl"], row["nl_dist"]),
                         ("8", "0", " ".join("%d:%d" % pair for pair in sorted(nonlinearities.items()))))

    def test_anf(self):
        self.gives("# y0: degree 2, 4 terms\nx0 + x2 + x1 x2 + x3\n", "anf", "--masks", "1", "PRESENT")
        polynomials = self.output("anf", "AES").encode()
        aes = next(box for box in records(VECTORS / "properties.txt") if box["names"].startswith("AES"))["LUT"]
        self.gives("SBox([%s])\n" % ", ".join(str(b) for b in inverse_of(bytes.fromhex(aes))),
                   "inverse", "--from", "polynomial", "--to", "sage", input=polynomials)

    def test_univariate_polynomial_of_aes(self):
        """The affine map on x^254 has nine terms; published as 63 + 8f x^127 + b5 x^191 + 01 x^223 + f4 x^239 + 25 x^247
        + f9 x^251 + 09 x^253 + 05 x^254."""
        self.gives("# algebraic degree 7, 9 terms\n99 + 143 x^127 + 181 x^191 + 1 x^223 + 244 x^239 + 37 x^247 + 249 x^251 + 9 x^253 + 5 x^254\n",
                   "anf", "--field", "0x11b", "AES")


class Pictures(SBox):
    SVG = "{http://www.w3.org/2000/svg}"

    def svg(self, *arguments):
        self.gives("", *arguments, "--plot", "out.svg")
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
        self.gives("", "table", "lat", "-q", "-f", "--plot", "out.png", "PRESENT")
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
            self.stops(1, f"{message}", "table", arguments[0], "--signed", *arguments[1:], "AES")

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
