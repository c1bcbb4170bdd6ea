"""fugu sbox: inputs, outputs, messages and values. Expected values were computed outside this project (vectors/sbox,
and all of ../shared/lab where it is there) or come from the definitions in Python, never from fugu."""

import csv
import hashlib
import io
import json
import math
import os
import pathlib
import random
import struct
import unittest
import zlib
from xml.etree import ElementTree

import support
from support import Case

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "vectors" / "sbox"
LAB = ROOT.parent / "shared" / "lab"

AES_REPORT = """\
AES, 8 inputs, 8 outputs
basic         permutation, odd; fixed points 0, opposite 0; cycles 2 27 59 81 87, order 277182
differential  *uniformity 4, 255 entries of it; DDT 0:32895 2:32130 4:255; 1-bit to 1-bit 24; branch number 2
linear        *linearity 32, nonlinearity 112; largest 1275 entries, first W(0x01,0x48) = -32; 1-bit to 1-bit 60; \
branch number 2
components    nonlinearity 112:255; degree 7:255; absolute indicator 32:255; sum of squares 133120; plateaued 0, bent 0
boomerang     *uniformity 6; BCT 0:32640 2:31620 4:255 6:510; Feistel 4, FBCT 0:64260 4:510
algebra       degree 7, of the inverse 7; equations of degree 1, 2, 3: 0, 39, 471; component immunity 4:255
avalanche     SAC 116..144 of 128, sum 8272; BIC nonlinearity 112, BIC-SAC 28936; correlation immunity 0, resiliency 0
structure     linear structures 0
sidechannel   transparency order 7.860
"""


def records(path):
    """The rows of a vector file by the names in its line '# record: ...'."""
    names = None
    for line in path.read_text().splitlines():
        if line.startswith("# record:"):
            names = [name.split(" (")[0] for name in line.split(":", 1)[1].strip().split("|")]
        elif not line.startswith("#"):
            yield dict(zip(names, line.split("|")))


def inverse_of(values):
    return [list(values).index(y) for y in range(len(values))]


def npy_of(rows, descr, code):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (descr, len(rows), len(rows[0]))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"".join(
        struct.pack("<%d%s" % (len(row), code), *row) for row in rows)


def parity(x):
    return bin(x).count("1") % 2


def histogram(values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return " ".join("%d:%d" % pair for pair in sorted(counts.items()))


SAGE_ORDER = "--bit-order sage is for hexadecimal truth tables: --from rows, or hex with --outputs 1"


class Tables:
    """All tables of a box by their definitions."""

    def __init__(self, values, n, m):
        self.s, self.n, self.m = values, n, m
        self.inputs, self.outputs = range(1 << n), range(1 << m)

    def ddt(self, a):
        row = [0] * len(self.outputs)
        for x in self.inputs:
            row[self.s[x] ^ self.s[x ^ a]] += 1
        return row

    def lat(self, a):
        return [sum((-1) ** (parity(b & self.s[x]) ^ parity(a & x)) for x in self.inputs) for b in self.outputs]

    def act(self, a):
        return [sum((-1) ** parity(b & (self.s[x] ^ self.s[x ^ a])) for x in self.inputs) for b in self.outputs]

    def bct(self, a):
        row = [0] * len(self.outputs)
        for x in self.inputs:
            for y in self.inputs:
                if self.s[x] ^ self.s[y] == self.s[x ^ a] ^ self.s[y ^ a]:
                    row[self.s[x] ^ self.s[y]] += 1
        return row

    def fbct(self, a):
        s = self.s
        return [sum(s[x] ^ s[x ^ a] ^ s[x ^ b] ^ s[x ^ a ^ b] == 0 for x in self.inputs) for b in self.inputs]


class SBox(Case):
    def report(self, boxes, *options):
        """The rows of --csv for boxes of one shape, given as records."""
        shape = ["--inputs", boxes[0]["n"], "--outputs", boxes[0]["m"]]
        status, out, err = self.run_fugu("sbox", "report", "--csv", "--batch", "--from", "hex", *shape, *options, "-",
                                         input="".join(box["LUT"] + "\n" for box in boxes).encode())
        self.assertEqual((status, err), (0, ""))
        return list(csv.DictReader(io.StringIO(out.decode())))

    def check_properties(self, path):
        shapes = {}
        for box in records(path):
            shapes.setdefault((box["n"], box["m"]), []).append(box)
        checked = 0
        for boxes in shapes.values():
            for box, row in zip(boxes, self.report(boxes), strict=True):
                for field in box.keys() - {"names", "LUT", "LUT source"}:
                    if box[field] == "-" and field in ("fbu", "fbct", "eq3"):
                        continue  # computed for fewer sizes there than here
                    self.assertEqual(row[field], box[field].replace(",", " "), (box["names"], field))
                    checked += 1
        self.assertGreater(checked, 50)

    def check_tables(self, properties, digests):
        boxes = {box["names"].split("=")[0]: box for box in records(properties)}
        checked = 0
        for record in records(digests):
            box = boxes.get(record["name"].split("=")[0])
            if box is None:
                continue  # the digest of a box whose values are not beside it
            checked += 1
            for table in ("LAT", "DDT", "ACT", "BCT", "FBCT"):
                if record[table] == "-":
                    continue
                status, out, err = self.run_fugu(
                    "sbox", "table", table.lower(), "--to", "raw", "--from", "hex", "--inputs", box["n"], "--outputs",
                    box["m"], input=box["LUT"].encode())
                self.assertEqual((status, err, hashlib.sha256(out).hexdigest()), (0, "", record[table]),
                                 (record["name"], table))
        self.assertGreater(checked, 10)


class Report(SBox):
    def test_sheet(self):
        self.expect(0, AES_REPORT, "", "sbox", "report", "AES")

    def test_every_field_of_boxes_computed_elsewhere(self):
        self.check_properties(VECTORS / "properties.txt")

    @unittest.skipUnless(LAB.is_dir(), "../shared/lab, the whole set of vectors, is not here")
    def test_every_field_of_the_whole_lab(self):
        self.check_properties(LAB / "sbox_lab.txt")

    def test_distance_to_linear_structures(self):
        """Meier and Staffelbach 1989: 2^(n-2) - ac / 4, with the published ac = 32 of AES; 0 where there is a linear structure."""
        for name, distance in (("AES", 2**6 - 32 // 4), ("chi:5", 0)):
            status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "components", name)
            row = next(csv.DictReader(io.StringIO(out.decode())))
            self.assertEqual((status, row["lin_dist"]), (0, str(distance)))

    def test_marks_of_the_best_values_known(self):
        for name, groups, marks in (("AES", "differential,linear,boomerang", 3), ("PRESENT", "differential,linear,boomerang", 2),
                                    ("power:7:3", "differential,linear,boomerang", 3), ("power:6:3", "differential,linear", 2),
                                    ("random:8:8:1", "differential,linear", 0), ("DES_S1", "differential,linear", 0)):
            status, out, _ = self.run_fugu("sbox", "report", "--only", groups, name)
            self.assertEqual((name, status, out.decode().count("*")), (name, 0, marks))

    def anomaly(self, bits, chances, largest, attained):
        """Bonnetain, Perrin, Tian 2019: the chance that no entry is larger and at most as many are equal, from its terms."""
        entries = (2**bits - 1)**2
        below = sum(chance for value, chance in chances.items() if value < largest)
        terms = [math.lgamma(entries + 1) - math.lgamma(k + 1) - math.lgamma(entries - k + 1)
                 + k * math.log(chances[largest]) + (entries - k) * math.log(below) for k in range(attained + 1)]
        return -(max(terms) + math.log(sum(math.exp(term - max(terms)) for term in terms))) / math.log(2)

    @staticmethod
    def binomial(count, chance):
        return {k: math.comb(count, k) * chance**k * (1 - chance)**(count - k) for k in range(min(count, 12) + 1)}

    def test_anomalies(self):
        for name, bits in (("AES", 8), ("PRESENT", 4)):
            status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "differential,linear,boomerang", name)
            row = next(csv.DictReader(io.StringIO(out.decode())))
            count = lambda field, value: sum(int(n) for v, n in (entry.split(":") for entry in row[field].split()) if abs(int(v)) == value)
            size = 2**bits
            ddt = {2 * k: math.exp(-0.5) / 2**k / math.factorial(k) for k in range(12)}
            lat = {4 * z: (2 if z else 1) * math.comb(size // 2, size // 4 + z)**2 / math.comb(size, size // 2) for z in range(size // 4 + 1)}
            bct = {}
            for i, one in self.binomial(size // 2, 1 / (size - 1)).items():
                for j, two in self.binomial(size * size // 4 - size // 2, (size - 1)**-2).items():
                    bct[2 * i + 4 * j] = bct.get(2 * i + 4 * j, 0) + one * two
            for field, chances, largest, spectrum in (("anomaly_d", ddt, "du", "ddt"), ("anomaly_l", lat, "linearity", "walsh"),
                                                      ("anomaly_b", bct, "bu", "bct")):
                value = int(row[largest])
                expected = max(0, self.anomaly(bits, chances, value, count(spectrum, value)))
                self.assertAlmostEqual(float(row[field]), expected, delta=1e-3 * max(1, expected), msg=(name, field))
        status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "differential,linear,boomerang", "DES_S1")
        row = next(csv.DictReader(io.StringIO(out.decode())))
        self.assertEqual([row["anomaly_" + table] for table in "dlb"], ["-", "-", "-"])

    def test_json(self):
        status, out, err = self.run_fugu("sbox", "report", "--json", "PRESENT")
        self.assertEqual((status, err), (0, ""))
        report = json.loads(out)
        self.assertEqual((report["name"], report["n"], report["m"]), ("PRESENT", 4, 4))
        self.assertEqual((report["du"], report["linearity"], report["bu"], report["eq2"]), (4, 8, 16, 21))
        self.assertEqual(report["ddt"], [[0, 144], [2, 72], [4, 24]])
        self.assertEqual((report["scale"], report["conventions"]), ("walsh", 1))
        self.assertTrue(report["permutation"])
        self.assertAlmostEqual(report["to"], 3.533333, places=6)

    def test_batch_of_json_is_an_object_a_line(self):
        status, out, _ = self.run_fugu("sbox", "report", "--batch", "--json", "--only", "basic", "-",
                                       input=b"0 1 2 3\n3 3 3 3\n")
        self.assertEqual(status, 0)
        first, second = [json.loads(line) for line in out.splitlines()]
        self.assertEqual((first["fixed"], second["image"], second["cycles"]), (4, 1, None))

    def test_only_some_groups(self):
        status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "sidechannel", "PRESENT")
        self.assertEqual((status, out), (0, b"name,n,m,to\nPRESENT,4,4,3.533333\n"))


    def test_only_some_fields(self):
        status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "deg,linearity,nl,du", "AES")
        self.assertEqual((status, out), (0, b"name,n,m,du,linearity,nl,deg\nAES,8,8,4,32,112,7\n"))
        status, out, _ = self.run_fugu("sbox", "report", "--json", "--only", "sidechannel,du,eq3", "PRESENT")
        self.assertEqual(list(json.loads(out)), ["version", "name", "n", "m", "du", "eq3", "to", "scale", "conventions"])
        self.expect(1, "", "fugu: --only du: single fields are for --csv, --json and --batch\n", "sbox", "report",
                    "--only", "du", "AES")
        self.expect(1, "", "fugu: --only takes basic, differential, linear, components, boomerang, algebra, avalanche, "
                    "structure, sidechannel, ccz, or names of fields, not 'dux'\n", "sbox", "report", "--csv", "--only",
                    "dux", "AES")

    def test_each_field_alone_is_its_column(self):
        every = self.run_fugu("sbox", "report", "--csv", "PRESENT", "--only",
                              "basic,differential,linear,components,boomerang,algebra,avalanche,structure,sidechannel,ccz")
        (row,) = csv.DictReader(io.StringIO(every[1].decode()))
        self.assertGreater(len(row), 55)
        for field in row.keys() - {"name", "n", "m"}:
            status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", field, "PRESENT")
            self.assertEqual((status, out.decode().splitlines()[1]), (0, f"PRESENT,4,4,{row[field]}"), field)

    def test_long_batches_are_the_same_boxes_in_order(self):
        boxes = [random.Random(i).choices(range(16), k=16) for i in range(3000)]
        expected = ["-:%d,4,4,%d" % (i + 1, len(set(box))) for i, box in enumerate(boxes)]
        text = "".join("%s\n" % " ".join(map(str, box)) for box in boxes)
        for threads in ("1", "3"):
            status, out, _ = self.run_fugu("sbox", "report", "--batch", "--only", "image", "-T", threads, "-",
                                           input=text.encode())
            self.assertEqual((status, out.decode().splitlines()[1:]), (0, expected))

    def test_rows_of_every_type(self):
        """PRESENT's box is 4-uniform, as published; affine functions are 2^n-uniform."""
        present = [0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2]
        for descr, code in (("|u1", "B"), ("|i1", "b"), ("<u2", "H"), ("<i2", "h"), ("<u4", "I"), ("<i4", "i"),
                            ("<i8", "q"), ("<f4", "f"), ("<f8", "d")):
            affine = [x ^ (0x35 if "1" in descr else 0x135) for x in range(16)]
            with self.subTest(descr=descr):
                outputs = max(affine).bit_length()
                self.expect(0, "name,n,m,du\n-:1,4,4,4\n-:2,4,%d,16\n" % outputs, "", "sbox", "report", "--batch", "--only",
                            "du", "-", input=npy_of([present, affine], descr, code))
        self.expect(1, "", "fugu: values of type '<u8' are not read; i1 i2 i4 i8 u1 u2 u4 f4 f8 are, little-endian\n", "sbox",
                    "report", "--batch", "-", input=npy_of([present], "<u8", "Q"))

    def test_the_first_box_that_is_none_is_named(self):
        lines = ["0 1 2 3"] * 2000
        lines[700], lines[1500] = "0 1 2 x", "0 1 2"
        self.expect(1, "", "fugu: line 701: entry 3 is 'x'\n", "sbox", "report", "--batch", "--only", "du", "-T", "2", "-",
                    input="\n".join(lines).encode())
        rows = npy_of([[0, 1, 2, 3], [3, 2, -1, 0]], "<i2", "h")
        self.expect(1, "", "fugu: row 2: entry 2 is '-1'\n", "sbox", "report", "--batch", "--only", "du", "-", input=rows)
        self.expect(4, "", "fugu: the .npy file holds 7 values, its header says otherwise\n", "sbox", "report", "--batch",
                    "--only", "du", "-", input=rows[:-2])


class TablesOfBoxes(SBox):
    def test_digests_of_tables_computed_elsewhere(self):
        self.check_tables(VECTORS / "properties.txt", VECTORS / "tables.txt")

    @support.many_cases
    @unittest.skipUnless(LAB.is_dir(), "../shared/lab, the whole set of vectors, is not here")
    def test_digests_of_the_whole_lab(self):
        self.check_tables(LAB / "sbox_lab.txt", LAB / "sbox_lab_tables.txt")

    def test_tables_and_spectra_equal_the_definitions(self):
        rng = random.Random(7)
        for n, m in ((1, 1), (1, 5), (2, 3), (3, 2), (4, 4), (5, 1), (4, 6)):
            values = [rng.randrange(1 << m) for _ in range(1 << n)]
            tables = Tables(values, n, m)
            given = ["--outputs", str(m), "--from", "text"]
            box = " ".join(map(str, values)).encode()
            for name in ("ddt", "lat", "act", "bct", "fbct"):
                rows = [getattr(tables, name)(a) for a in tables.inputs]
                text = "".join(" ".join(map(str, row)) + "\n" for row in rows)
                self.expect(0, text, "", "sbox", "table", name, *given, input=box)
                first = 0 if name == "lat" else 1
                if name in ("ddt",):
                    entries = [v for row in rows[1:] for v in row]
                elif name == "fbct":
                    entries = [v for a, row in enumerate(rows) for b, v in enumerate(row) if a and b and a != b]
                else:
                    entries = [v for row in rows[first:] for v in row[1:]]
                self.expect(0, histogram(entries).replace(" ", "\n") + "\n" * bool(entries), "", "sbox", "spectrum",
                            name, *given, input=box)

    def test_scales_and_formats(self):
        row = "16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"  # a = 0: a permutation's components are balanced
        first = ["--rows", "0:1", "PRESENT"]
        self.expect(0, row, "", "sbox", "table", "lat", *first)
        self.expect(0, row.replace("16", "8"), "", "sbox", "table", "lat", "--scale", "bias", *first)
        self.expect(0, row.replace("16", "1"), "", "sbox", "table", "lat", "--scale", "correlation", *first)
        # The row of Heys' tutorial, halved there.
        heys = ["--rows", "1:1", "--scale", "bias"]
        self.expect(0, "0 0 -2 -2 0 0 -2 6 2 2 0 0 2 2 0 0\n", "", "sbox", "table", "lat", *heys,
                    input=b"E4D12FB83A6C5907")
        self.expect(0, "0 0 -1/4 -1/4\n", "", "sbox", "table", "lat", "--rows", "1:1", "--columns", "0:4", "--scale",
                    "correlation", input=b"E4D12FB83A6C5907")
        self.expect(0, "matrix(ZZ, [[4, 0],\n[0, 4]])\n", "", "sbox", "table", "ddt", "--to", "sage", "--rows", "0:2",
                    "--columns", "0:2", input=b"0 1 2 3")
        status, out, _ = self.run_fugu("sbox", "table", "ddt", "--to", "npy16", "AES")
        self.assertEqual(status, 0)
        self.assertIn(b"'<i2'", out[:80])
        self.assertEqual(struct.unpack("<65536h", out[-131072:])[0], 256)

    def test_ddt_row_of_des(self):
        """Biham and Shamir 1991: S1, row 34h."""
        self.expect(0, "0 8 16 6 2 0 0 12 6 0 0 0 0 8 0 6\n", "", "sbox", "table", "ddt", "--rows", "52:1", "DES_S1")

    def test_columns_of_tables_too_wide_for_a_row(self):
        rng = random.Random(9)
        values = [rng.randrange(1 << 24) for _ in range(32)]
        sign = lambda bits: 1 - 2 * (bin(bits).count("1") % 2)
        lat = lambda a, b: sum(sign(b & values[x]) * sign(a & x) for x in range(32))
        act = lambda a, b: sum(sign(b & (values[x] ^ values[x ^ a])) for x in range(32))
        part = ["--outputs", "24", "--rows", "3:2", "--columns", "9000000:3"]
        for name, entry, scale in (("lat", lat, 1), ("act", act, 1), ("dlct", act, 2)):
            rows = [(a, b, entry(a, b) // scale) for a in (3, 4) for b in range(9000000, 9000003)]
            self.expect(0, "".join("%d %d %d\n" % row for row in rows if row[2]), "", "sbox", "table", name, *part,
                        input=" ".join(map(str, values)).encode())
        self.expect(1, "", "fugu: this table has 2^24 columns; choose at most 8388608 with --columns\n", "sbox", "table", "lat",
                    "--outputs", "24", input=" ".join(map(str, values)).encode())

    def test_sparse_text_of_many_outputs(self):
        self.expect(0, "0 0 2\n1 4294967294 2\n", "", "sbox", "table", "ddt", "--outputs", "32", input=b"1 4294967295")


def splitmix64(seed):
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


def random_values(box):
    """The values of a record of large.txt."""
    n, m, source = int(box["n"]), int(box["m"]), splitmix64(int(box["seed"]))
    if box["kind"] == "func":
        return [next(source) >> (64 - m) for _ in range(1 << n)]
    values, numbers = list(range(1 << n)), [next(source) for _ in range(1 << n)]
    for i in range(len(values) - 1, 0, -1):
        j = numbers[i] % (i + 1)
        values[i], values[j] = values[j], values[i]
    return values


def pairs_of(text):
    return [tuple(map(int, pair.split(":"))) for pair in text.replace(",", " ").split()]


class Large(SBox):
    """Boxes that a program outside this project measured."""

    def row(self, *arguments, **options):
        status, out, err = self.run_fugu("sbox", "report", "--csv", "--only", "basic,differential,linear,components", *arguments,
                                         **options)
        self.assertEqual((status, err), (0, ""))
        return next(csv.DictReader(io.StringIO(out.decode())))

    def test_random_boxes(self):
        for box in records(VECTORS / "large.txt"):
            if int(box["n"]) > 12:
                continue
            row = self.row("--outputs", box["m"], input=" ".join(map(str, random_values(box))).encode())
            same = {"collisions": "collisions", "du": "du", "linearity": "linearity", "nl": "nl", "ac": "absac",
                    "ddt": "ddt", "nl_dist": "nl_dist", "ac_dist": "ac_dist"}
            for field, name in same.items():
                self.assertEqual(row[field], box[name].replace(",", " "), (box["seed"], field))
            if int(box["m"]) <= 12:  # all components are counted there
                self.assertEqual(row["deg_dist"], box["deg_dist"].replace(",", " "))
            self.assertEqual(dict(pairs_of(row["walsh"])).get(0, 0), int(box["zeros"]))

    def test_power_maps(self):
        for box in records(VECTORS / "powers.txt"):
            n = int(box["n"])
            if n > 8:
                continue
            row = self.row("power:%d:%s:%s" % (n, box["d"], box["modulus"]))
            for field, name in (("du", "du"), ("linearity", "linearity"), ("nl", "nl"), ("ac", "absac")):
                self.assertEqual(row[field], box[name], (n, box["d"], field))
            magnitudes = {}
            for value, count in pairs_of(row["walsh"]):
                magnitudes[abs(value)] = magnitudes.get(abs(value), 0) + count
            self.assertEqual(sorted(magnitudes.items()), pairs_of(box["abswalsh"]), (n, box["d"]))
            # The rows of the DDT are permutations of row 1.
            rows = [(value, count * (2**n - 1)) for value, count in pairs_of(box["ddt row 1"])]
            self.assertEqual(pairs_of(row["ddt"]), rows, (n, box["d"]))

    def test_how_many_functions_have_which_properties(self):
        for n in (2, 3):
            expected = {}
            for row in records(VECTORS / "functions.txt"):
                if int(row["n"]) == n:
                    key = tuple(row[name] for name in ("nl", "deg", "ci", "balanced", "pc", "absind", "ai"))
                    expected[key] = int(row["functions"])
            tables = "".join("{0:0{1}b}\n".format(f, 2**n) for f in range(2 ** (2**n)))
            status, out, err = self.run_fugu("spectral", "properties", "--from", "bits", "--row-bits", str(n), input=tables.encode())
            self.assertEqual((status, err), (0, ""))
            found = {}
            for row in csv.DictReader(io.StringIO(out.decode())):
                key = tuple(row[name] for name in ("nonlinearity", "degree", "ci", "balanced", "pc", "absind", "ai"))
                found[key] = found.get(key, 0) + 1
            self.assertEqual(found, expected, n)


class Inputs(SBox):
    def same_box(self, data, *options, box=(3, 1, 2, 0)):
        self.expect(0, "SBox([%s])\n" % ", ".join(map(str, box)), "", "sbox", "inverse", "--to", "sage", *options,
                    input=data)

    def test_texts(self):
        # 3 1 2 0 is its own inverse.
        for text in ("3 1 2 0", "[3, 1, 2, 0]", "SBox((3,1,2,0))", "0x3, 0x1;\n0x2 0x0\n",
                     "static const uint8_t S[4] = {\n  0x03, 1u, /* three */ 2UL, // last\n  0x00 };\n",
                     "s = [3, 1, 2, 0]  # a Python list\n", "3120"):
            self.same_box(text.encode())

    def test_raw_and_npy(self):
        box = (3, 1, 2, 0)
        for name, code in (("u8", "4B"), ("u16le", "<4H"), ("u16be", ">4H"), ("u32le", "<4I"), ("u32be", ">4I")):
            self.same_box(struct.pack(code, *box), "--from", name)
        header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }"
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(box)
        self.same_box(npy)

    def test_coordinates(self):
        # y_0 = 1,1,0,0 and y_1 = 1,0,1,0.
        self.same_box(b"1100\n1010\n", "--from", "rows")
        self.same_box(b"c\na\n", "--from", "rows", "--inputs", "2")
        self.same_box(b"3\n5\n", "--from", "rows", "--inputs", "2", "--bit-order", "sage")
        self.same_box(b"# y0\n1 + x1\n1 + x0\n", "--from", "polynomial")

    def test_bit_order_msb_reverses_both_sides(self):
        values = [5, 1, 7, 2, 0, 6, 3, 4]
        reverse = lambda x: int("{:03b}".format(x)[::-1], 2)
        turned = [0] * 8
        for x, y in enumerate(values):
            turned[reverse(x)] = reverse(y)
        inverse = [turned.index(y) for y in range(8)]
        self.expect(0, " ".join(map(str, inverse)) + "\n", "", "sbox", "inverse", "--bit-order", "msb",
                    input=" ".join(map(str, values)).encode())

    def test_des(self):
        table = "0x" + ",0x".join("c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d")
        des = next(box for box in records(VECTORS / "properties.txt") if box["names"] == "DES_S6")
        for arguments, data in ((["-", "--from", "des"], table.encode()), (["DES_S6"], b"")):
            status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "basic,differential", *arguments,
                                           input=data)
            self.assertEqual(status, 0)
            self.assertEqual(next(csv.DictReader(io.StringIO(out.decode())))["ddt"], des["ddt"].replace(",", " "))
        self.expect(0, des["LUT"] + "\n", "", "sbox", "make", "DES_S6", "--to", "hex")

    def test_messages(self):
        self.write("box", " ".join(["0"] * 255))
        self.expect(1, "", "fugu: box: 255 entries, not a power of two\n", "sbox", "report", "box")
        self.write("box", "\n\n" + " ".join(["1"] * 17 + ["300"] + ["1"] * 238))
        self.expect(1, "", "fugu: box: entry 17 (line 3): 300 does not fit 8 outputs\n", "sbox", "report", "--outputs",
                    "8", "box")
        self.write("box", "0 1 2 3 x9")
        self.expect(1, "", "fugu: box: entry 4 is 'x9'\n", "sbox", "report", "box")
        self.write("box", " ".join(["0"] * 256))
        self.expect(1, "", "fugu: box: --inputs 9: 256 entries are 8 inputs\n", "sbox", "report", "--inputs", "9", "box")
        self.write("box", "0 1 2 5 4 6 7 8 9 5 5 10 11 12 13 14")
        self.expect(1, "", "fugu: box: this needs a permutation; 3 pairs collide, first S(3) = S(9)\n", "sbox", "inverse",
                    "box")
        self.write("box", "")
        self.expect(1, "", "fugu: box: no entries\n", "sbox", "report", "box")
        self.expect(1, "", "fugu: 'chi:21' is no box: the families are chi:N, power:N:D[:0xPOLY], random:N:M:SEED and "
                    "permutation:N:SEED\n", "sbox", "make", "chi:21")
        self.expect(2, "", "fugu: nothing: cannot open: No such file or directory\n", "sbox", "report", "nothing")


class Boxes(SBox):
    def test_inverse_derivative_component(self):
        s = [0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2]
        self.expect(0, " ".join(str(s.index(y)) for y in range(16)) + "\n", "", "sbox", "inverse", "PRESENT")
        self.expect(0, " ".join(str(s[x] ^ s[x ^ 5]) for x in range(16)) + "\n", "", "sbox", "derivative", "5", "PRESENT")
        self.expect(0, " ".join(str(parity(s[x] & 9)) for x in range(16)) + "\n", "", "sbox", "component", "0x9",
                    "PRESENT")

    def test_families_equal_those_of_the_vectors(self):
        boxes = {box["names"]: box["LUT"] for box in records(VECTORS / "properties.txt")}
        for name, box in (("permutation:5:7005", "splitmix_perm_5"), ("random:3:8:308", "splitmix_3x8"),
                          ("chi:7", "chi_7"), ("AES", "AES=FlexAEAD=AES")):
            self.expect(0, boxes[box] + "\n", "", "sbox", "make", name, "--to", "hex")

    def test_no_output_replaces_what_is_read(self):
        self.write("key", b"abcdefgh")
        boxes = {"one": b"3 1 0 2\n", "two.svg": b"3 1 2 0\n"}
        for name, values in boxes.items():
            self.write(name, values)
        message = "fugu: {} and is the output; nothing was done\n"
        for text, *arguments in (("two.svg: is an input", "compare", "one", "two.svg", "-o", "two.svg"),
                                 ("one: is an input", "compare", "one", "two.svg", "-o", "one"),
                                 ("one: is an input", "report", "one", "two.svg", "-o", "one"),
                                 ("two.svg: is an input", "table", "ddt", "two.svg", "--plot", "two.svg"),
                                 ("key: holds the passphrase or key", "report", "blowfish:1", "--key", "file:key", "-o", "key")):
            self.expect(1, "", message.format(text), "sbox", *arguments, "-f")
        for name, values in boxes.items():
            self.assertEqual(self.read(name), values)
        self.assertEqual(self.read("key"), b"abcdefgh")

    def test_options_that_would_be_ignored_are_refused(self):
        self.write("box", "3 1 0 2\n")
        self.write("bits", "1100\n1010\n")
        for message, *arguments in (
                ("--key is for blowfish:1 to blowfish:4", "report", "--key", "file:none", "box"),
                ("--from is for boxes in files, and AES is built in", "report", "--from", "hex", "AES"),
                ("--batch is for boxes in files, and AES is built in", "report", "--batch", "AES"),
                ("--seed means nothing to report", "report", "--seed", "1", "box"),
                ("--only means nothing to report --random-keys", "report", "--random-keys", "1", "--only", "basic"),
                ("'box' is one argument too many; see fugu sbox --help", "report", "--random-keys", "1", "box"),
                ("--masks means nothing to components --exhaustive", "components", "--exhaustive", "--masks", "1", "box"),
                ("--json means nothing to components", "components", "--json", "box"),
                ("components are written as text or npy", "components", "--to", "sage", "box"),
                ("--to and --csv cannot be combined", "components", "--to", "npy", "--csv", "box"),
                ("--to means nothing to anf --field", "anf", "--field", "0x7", "--to", "hex", "box"),
                ("--rows means nothing to spectrum", "spectrum", "ddt", "--rows", "0:1", "box"),
                ("--json means nothing to --conventions", "--conventions", "--json"),
                (f"box: {SAGE_ORDER}", "report", "--bit-order", "sage", "box"),
                (f"box: {SAGE_ORDER}", "report", "--bit-order", "sage", "--from", "hex", "box"),
                (f"bits: {SAGE_ORDER}", "report", "--bit-order", "sage", "--from", "rows", "bits"),
                ("'x' is one argument too many; see fugu sbox --help", "list", "x")):
            self.expect(1, "", "fugu: " + message + "\n", "sbox", *arguments)
        self.expect(0, "4 0 0 0\n", "", "sbox", "table", "ddt", "--rows", "0:1", "--columns", "0:4", "box")
        self.expect(1, "", "fugu: --rows 0:1024: the table has 4 rows\n", "sbox", "table", "ddt", "--rows", "0:1KiB", "box")

    def test_quiet_leaves_out_what_is_for_people(self):
        self.write("box", "3 1 0 2\n")
        for arguments in (["report", "box"], ["invariants", "box"], ["compare", "box", "box"], ["list"], ["--conventions"]):
            self.expect(0, "", "", "sbox", "-q", *arguments)
        self.expect(0, "", "", "sbox", "report", "-q", "-o", "sheet", "box")
        self.assertIn(b"2 inputs, 2 outputs", self.read("sheet"))
        self.expect(0, "2 1 3 0\n", "", "sbox", "inverse", "-q", "box")

    def test_names_in_json_are_as_they_are(self):
        self.write("b\x1bx", "3 1 0 2\n")
        status, out, err = self.run_fugu("sbox", "report", "--json", "--only", "basic", "b\x1bx")
        report = json.loads(out)
        self.assertEqual((status, report["version"], report["name"], err), (0, 1, "b\x1bx", ""))
        status, out, _ = self.run_fugu("sbox", "report", "--only", "basic", "b\x1bx")
        self.assertTrue(out.startswith(b"b\\x1bx, 2 inputs"), out)

    def test_list_and_conventions(self):
        status, out, err = self.run_fugu("sbox", "list")
        self.assertEqual((status, err), (0, ""))
        for name in ("AES", "DES_S1", "PRESENT", "Ascon", "chi:N", "CAST_S1", "Blowfish_initial_S1", "power:N:D"):
            self.assertIn(name, out.decode())
        status, out, err = self.run_fugu("sbox", "--conventions")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("row a input mask, column b output mask", out.decode())


class Components(SBox):
    def test_lines_equal_the_report_of_each_component(self):
        status, out, err = self.run_fugu("sbox", "components", "PRESENT")
        self.assertEqual((status, err), (0, ""))
        rows = [line.split() for line in out.decode().splitlines()]
        self.assertEqual([int(row[0]) for row in rows], list(range(1, 16)))
        # CHES 2007: three components reach nonlinearity 4 with degree 2, the others degree 3.
        self.assertEqual(sorted(row[2] for row in rows), ["2"] * 3 + ["3"] * 12)
        self.expect(0, "".join(" ".join(row) + "\n" for row in (rows[0], rows[4])), "", "sbox", "components", "--masks",
                    "1,0x5", "PRESENT")
        status, out, _ = self.run_fugu("sbox", "components", "--to", "npy", "PRESENT")
        self.assertEqual(status, 0)
        self.assertIn(b"('degree', '<i4')", out[:512])

    def test_refusals(self):
        self.expect(1, "", "fugu: all components of 32 outputs: at most 20 outputs are possible; choose --masks\n", "sbox",
                    "components", "--masks", "all", "CAST_S1")
        self.expect(1, "", "fugu: --masks: '16' is not a mask of 4 bits\n", "sbox", "components", "--masks", "16", "PRESENT")

    def test_exhaustive_profile_of_few_outputs(self):
        self.expect(0, "112:255\nmasks %s\n" % " ".join("0x%08x" % b for b in range(1, 256)), "", "sbox", "components",
                    "--exhaustive", "AES")

    def test_anf(self):
        self.expect(0, "# y0: degree 2, 4 terms\nx0 + x2 + x1 x2 + x3\n", "", "sbox", "anf", "--masks", "1", "PRESENT")
        status, polynomials, _ = self.run_fugu("sbox", "anf", "AES")
        self.assertEqual(status, 0)
        aes = next(box for box in records(VECTORS / "properties.txt") if box["names"].startswith("AES"))["LUT"]
        self.expect(0, "SBox([%s])\n" % ", ".join(str(b) for b in inverse_of(bytes.fromhex(aes))), "", "sbox", "inverse",
                    "--from", "polynomial", "--to", "sage", input=polynomials)

    def test_univariate_polynomial_of_aes(self):
        """The affine map on x^254 has nine terms; published as 63 + 8f x^127 + b5 x^191 + 01 x^223 + f4 x^239 + 25 x^247
        + f9 x^251 + 09 x^253 + 05 x^254."""
        self.expect(0, "# algebraic degree 7, 9 terms\n99 + 143 x^127 + 181 x^191 + 1 x^223 + 244 x^239 + 37 x^247 + "
                    "249 x^251 + 9 x^253 + 5 x^254\n", "", "sbox", "anf", "--field", "0x11b", "AES")


class Blowfish(SBox):
    def test_initial_boxes_and_cast(self):
        status, out, _ = self.run_fugu("sbox", "report", "--only", "basic,differential,linear", "Blowfish_initial_S1")
        self.assertEqual(status, 0)
        self.assertIn("injective; collisions 0 (a random box has one with probability 2^-17.0)", out.decode())
        self.assertIn("uniformity 2, 32640 entries of it", out.decode())
        self.assertIn("coordinates: nonlinearity 96..108; all 2^32-1 components: --exhaustive", out.decode())
        # Its designers: every coordinate is bent.
        status, out, _ = self.run_fugu("sbox", "report", "--only", "linear", "CAST_S1", "CAST_S8")
        self.assertEqual(out.decode().count("coordinates: nonlinearity 120..120"), 2)

    def test_weak_keys(self):
        """Published method (Vaudenay, FSE 1996); the keys were found with OpenSSL's BF_set_key."""
        keys = list(records(VECTORS / "weak_keys.txt"))
        self.assertGreater(len(keys), 10)
        for key in keys:
            self.expect(0, " ".join(key.values()) + "\n", "", "sbox", "report", "--weak-keys", "%d:1" % int(key["key hex"], 16), "-q")
        self.expect(0, " ".join(keys[0].values()) + "\n", "", "sbox", "report", "--weak-keys", "8000:400", "-q")
        self.write("key", bytes.fromhex("000000000000201e"))
        status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "basic", "--key", "file:key", "blowfish:1",
                                       "blowfish:2")
        rows = list(csv.DictReader(io.StringIO(out.decode())))
        self.assertEqual([(row["name"], row["collisions"]) for row in rows], [("blowfish:1", "1"), ("blowfish:2", "0")])
        status, out, _ = self.run_fugu("sbox", "make", "blowfish:1", "--key", "file:key", "--to", "hex")
        entries = [out[8 * i : 8 * i + 8] for i in range(256)]
        self.assertEqual((entries[156], entries[176]), (b"df219847", b"df219847"))
        self.expect(1, "", "fugu: blowfish:1 needs --key\n", "sbox", "make", "blowfish:1")

    def test_verbose_names_what_worked(self):
        self.write("boxes", "0 1 2 3\n3 2 1 0\n")
        for expected, arguments in (("report: cpu, 1 threads", ["report", "boxes", "--batch", "--csv", "--only", "nl"]),
                                    ("report: cpu, 1 threads", ["report", "PRESENT", "AES"]),
                                    ("report: cpu, 1 threads", ["report", "--random-keys", "1"]),
                                    ("keys: cpu, 1 threads", ["report", "--weak-keys", "0:9"]),
                                    ("spectrum: cpu, 1 threads", ["spectrum", "ddt", "PRESENT"])):
            status, _, err = self.run_fugu("sbox", *arguments, "-v", "-T", "1", "--engine", "auto", "-o", "out", "-f")
            self.assertEqual((status, err), (0, f"fugu: {expected}\n"))

    def test_statistics_over_random_keys(self):
        status, out, err = self.run_fugu("sbox", "report", "--random-keys", "5", "--seed", "3")
        self.assertEqual((status, err), (0, ""))
        lines = out.decode().splitlines()
        self.assertEqual((lines[0], lines[4]), ("Blowfish under random keys: 20 boxes", "random, 8 x 32: 20 boxes"))
        for ddt, nonlinearities in ((lines[2], lines[3]), (lines[6], lines[7])):
            pairs = [tuple(map(int, pair.split(":"))) for pair in ddt.split("DDT ")[1].split()]
            self.assertEqual(sum(value * count for value, count in pairs), 20 * 255 * 256)
            self.assertEqual(sum(int(pair.split(":")[1]) for pair in nonlinearities.split("nonlinearity ")[1].split()),
                             20 * 32)
        again = self.run_fugu("sbox", "report", "--random-keys", "5", "--seed", "3", "-T", "1")
        self.assertEqual(again, (status, out, err))

    @unittest.skipUnless(os.environ.get("FUGU_LONG_TESTS"), "2^32 components take minutes; FUGU_LONG_TESTS=1 runs it")
    def test_exhaustive_profiles(self):
        for box in records(LAB / "boxes_8x32.txt"):
            status, out, _ = self.run_fugu("sbox", "components", "--exhaustive", box["name"])
            lines = out.decode().splitlines()
            self.assertEqual((status, ",".join(reversed(lines[:-1]))), (0, box["exhaustive nl:count"]))


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
        """Width, height, and the lines of a PNG file with 8 bits of palette a pixel, read by its definition."""
        data = self.read(name)
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        chunks, at = {}, 8
        while at < len(data):
            size = int.from_bytes(data[at:at + 4], "big")
            kind = data[at + 4:at + 8]
            self.assertEqual(zlib.crc32(data[at + 4:at + 8 + size]), int.from_bytes(data[at + 8 + size:at + 12 + size], "big"))
            chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + size]
            at += 12 + size
        width, height = (int.from_bytes(chunks[b"IHDR"][i:i + 4], "big") for i in (0, 4))
        self.assertEqual(tuple(chunks[b"IHDR"][8:10]), (8, 3))
        lines = zlib.decompress(chunks[b"IDAT"])
        self.assertEqual(len(lines), height * (width + 1))
        self.assertEqual(set(lines[::width + 1]), {0})  # no filter
        return width, height, [lines[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)]

    def test_pixels_of_large_tables(self):
        self.expect(0, "", "", "sbox", "table", "lat", "--plot", "out.png", "random:10:9:1")
        self.assertEqual(self.pixels("out.png")[:2], (512, 1024))
        self.expect(0, "", "", "sbox", "table", "ddt", "--plot", "aes.png", "AES")
        self.assertEqual(self.pixels("aes.png")[:2], (512, 512))
        self.expect(0, "", "", "sbox", "table", "ddt", "--rows", "1:2", "--columns", "0:8", "--plot", "part.png", "AES")
        self.assertEqual(self.pixels("part.png")[:2], (512, 128))

    def test_pixels_are_the_table(self):
        self.write("box", "3 1 0 2\n")
        self.expect(0, "", "", "sbox", "table", "ddt", "--plot", "out.png", "box")
        width, height, lines = self.pixels("out.png")
        self.assertEqual((width, height), (512, 512))
        self.assertEqual([[lines[128 * a + 5][128 * b + 5] != 0 for b in range(4)] for a in range(4)],
                         [[b == (0, 2, 3, 1)[a] for b in range(4)] for a in range(4)])

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


class Equivalence(SBox):
    def test_apn_classes_of_six_variables(self):
        for box in records(VECTORS / "apn6.txt"):
            self.write("box", box["LUT 2 hex digits"])
            status, out, _ = self.run_fugu("sbox", "invariants", "--from", "hex", "--outputs", "6", "box")
            lines = dict(line[8:].split(": ") for line in out.decode().splitlines())
            self.assertEqual((status, lines["Gamma rank"], lines["Delta rank"]), (0, box["gamma rank"], box["delta rank"]))
            status, out, _ = self.run_fugu("sbox", "report", "--csv", "--only", "ccz", "--from", "hex", "--outputs", "6", "box")
            row = next(csv.DictReader(io.StringIO(out.decode())))
            self.assertEqual((row["gamma_rank"], row["ortho_walsh"]), (box["gamma rank"], box["ortho walsh hist"].replace(",", " ")))
            self.assertEqual(lines["differential spectrum of the ortho-derivative"],
                             box["ortho ddt hist"].replace(",", " "))

    def test_compare(self):
        self.expect(7, "", "fugu: different sizes: 8 x 8 and 4 x 4\n", "sbox", "compare", "AES", "PRESENT")
        status, out, err = self.run_fugu("sbox", "compare", "AES", "power:8:254:0x11b")
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(out.startswith(b"not told apart by differential spectrum, extended Walsh spectrum"))
        status, out, err = self.run_fugu("sbox", "compare", "AES", "power:8:3")
        self.assertEqual((status, out), (7, b""))
        self.assertTrue(err.startswith("fugu: not CCZ-equivalent: differential spectrum: "))


class BooleanFunctions(SBox):
    def check(self, path):
        checked = 0
        for function in records(path):
            n = int(function["n"])
            form = ["--from", "hex" if n >= 2 else "bits"]
            status, out, err = self.run_fugu("spectral", "properties", *form, input=function["tt"].encode())
            self.assertEqual((status, err), (0, ""))
            row = next(csv.DictReader(io.StringIO(out.decode())))
            for field in function.keys() - {"name", "tt", "source"}:
                self.assertEqual(row[field], function[field].replace(",", " "), (function["name"], field))
            checked += 1
        self.assertGreater(checked, 20)

    def test_properties_of_functions_computed_elsewhere(self):
        self.check(VECTORS / "boolean.txt")

    @unittest.skipUnless(LAB.is_dir(), "../shared/lab, the whole set of vectors, is not here")
    def test_properties_of_the_whole_lab(self):
        self.check(LAB / "boolean_lab.txt")

    def test_batch_has_a_line_for_each_row(self):
        header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }"
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes([0, 0, 0, 1, 0, 1, 1, 0])
        status, out, _ = self.run_fugu("spectral", "properties", input=npy)
        rows = list(csv.DictReader(io.StringIO(out.decode())))
        self.assertEqual([(row["nonlinearity"], row["degree"], row["bent"]) for row in rows],
                         [("1", "2", "1"), ("0", "1", "0")])

    def test_hexadecimal_digits_in_sages_order(self):
        """Sage writes the number sum of f(x) 2^x in hexadecimal digits: 00010111 is e8."""
        sage = ["--from", "hex", "--bit-order", "sage"]
        self.expect(0, "e8\n", "", "spectral", "anf", "--from", "polynomial", "--variables", "3", "--to", "hex", "--bit-order",
                    "sage", input=b"x0 x1 + x0 x2 + x1 x2")
        self.expect(0, "x0 x1 + x0 x2 + x1 x2\n", "", "spectral", "anf", *sage, "--to", "polynomial", input=b"e8")
        rng = random.Random(5)
        for variables in (2, 3, 5, 6, 7, 9):
            rows = [[rng.randrange(2) for _ in range(1 << variables)] for _ in range(3)]
            digits = ["%0*x" % ((1 << variables) // 4, sum(bit << x for x, bit in enumerate(row))) for row in rows]
            bits = ["".join(map(str, row)) for row in rows]
            batch = ["--row-bits", str(variables)]
            plain = self.run_fugu("spectral", "walsh", "--from", "bits", *batch, input="\n".join(bits).encode())
            self.assertEqual(plain[0], 0)
            self.assertEqual(self.run_fugu("spectral", "walsh", *sage, *batch, input="\n".join(digits).encode()), plain)
            self.expect(0, "".join(row + "\n" for row in digits), "", "spectral", "inverse", "--to", "hex", "--bit-order", "sage",
                        *batch, input=plain[1])
        self.expect(1, "", "fugu: -: --bit-order is for hexadecimal digits: --from hex or --to hex\n".replace("-: --", "--"),
                    "spectral", "walsh", "--bit-order", "sage", input=b"0110")

    def test_anf_both_ways(self):
        self.expect(0, "x0 x1 + x2\n", "", "spectral", "anf", input=b"00011110")
        self.expect(0, "00011110\n", "", "spectral", "anf", "--from", "polynomial", "--variables", "3",
                    input=b"x0 x1 + x2")
        self.expect(0, "00011000\n", "", "spectral", "anf", "--to", "bits", input=b"00011110")
        self.expect(0, "0\n", "", "spectral", "anf", input=b"0000")


if __name__ == "__main__":
    support.main()
