"""fugu sbox table and spectrum, and boxes too large for a whole table."""

import json
import random
import struct

import support
from sbox_support import SBox, VECTORS, histogram, parity, records


def sign(bits):
    return 1 - 2 * parity(bits)


class TablesOfBoxes(SBox):
    def test_spectra_count_the_entries_of_tables(self):
        rng = random.Random(7)
        for n, m in ((1, 1), (1, 5), (2, 3), (3, 2), (4, 4), (5, 1), (4, 6)):
            given = ["--outputs", str(m), "--from", "text"]
            box = " ".join(str(rng.randrange(1 << m)) for _ in range(1 << n)).encode()
            for name, counts in (("ddt", lambda a, b: a), ("lat", lambda a, b: b), ("act", lambda a, b: a and b), ("dlct", lambda a, b: a and b),
                                 ("bct", lambda a, b: a and b), ("fbct", lambda a, b: a and b and a != b)):
                rows = [list(map(int, line.split())) for line in self.output("table", name, *given, input=box).splitlines()]
                entries = [v for a, row in enumerate(rows) for b, v in enumerate(row) if counts(a, b)]
                self.expect(0, histogram(entries).replace(" ", "\n") + "\n" * bool(entries), "", "sbox", "spectrum",
                            name, *given, input=box)

    def test_a_table_that_does_not_exist(self):
        self.expect(1, b"", "fugu: no table 'lad' (did you mean lat?); there are ddt, lat, act, dlct, bct, fbct, dbct, sac, ubct, lbct, ebct\n",
                    "sbox", "table", "lad", "AES")

    def test_scales_and_formats(self):
        row = "16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"  # a = 0: a permutation's components are balanced
        first = ["--rows", "0:1", "PRESENT"]
        self.expect(0, row, "", "sbox", "table", "lat", *first)
        self.expect(0, row.replace("16", "8"), "", "sbox", "table", "lat", "--scale", "bias", *first)
        self.expect(0, row.replace("16", "1"), "", "sbox", "table", "lat", "--scale", "correlation", *first)
        # The row in Heys' tutorial, which has halves of these entries
        heys = ["--rows", "1:1", "--scale", "bias"]
        self.expect(0, "0 0 -2 -2 0 0 -2 6 2 2 0 0 2 2 0 0\n", "", "sbox", "table", "lat", *heys,
                    input=b"E4D12FB83A6C5907")
        self.expect(0, "0 0 -1/4 -1/4\n", "", "sbox", "table", "lat", "--rows", "1:1", "--columns", "0:4", "--scale",
                    "correlation", input=b"E4D12FB83A6C5907")
        self.expect(0, "matrix(ZZ, [[4, 0],\n[0, 4]])\n", "", "sbox", "table", "ddt", "--to", "sage", "--rows", "0:2",
                    "--columns", "0:2", input=b"0 1 2 3")
        rows = json.loads(self.output("table", "lat", "--json", *heys, input=b"E4D12FB83A6C5907"))["rows"]
        self.assertEqual(rows, [[0, 0, -2, -2, 0, 0, -2, 6, 2, 2, 0, 0, 2, 2, 0, 0]])
        for refused in (["--to", "npy"], ["--scale", "correlation"]):
            self.fails(1, "sbox", "table", "lat", "--json", *refused, "PRESENT")
        boxes = json.loads(self.output("list", "--json"))["boxes"]
        self.assertIn(["AES", "8 x 8"], [[box["name"], box["size"]] for box in boxes])
        self.assertEqual([box["name"] for box in boxes if " " not in box["name"]],
                         [line.split()[0] for line in self.output("list").splitlines() if " to _" not in line])
        out = self.run_fugu("sbox", "table", "ddt", "--to", "npy16", "AES")[1]
        self.assertIn(b"'<i2'", out[:80])
        self.assertEqual(struct.unpack("<65536h", out[-131072:])[0], 256)

    def test_ddt_row_of_des(self):
        """Biham and Shamir 1991: S1, row 34h."""
        self.expect(0, "0 8 16 6 2 0 0 12 6 0 0 0 0 8 0 6\n", "", "sbox", "table", "ddt", "--rows", "52:1", "DES_S1")

    def test_columns_of_tables_too_wide_for_a_row(self):
        rng = random.Random(9)
        values = [rng.randrange(1 << 24) for _ in range(32)]
        lat = lambda a, b: sum(sign(b & values[x]) * sign(a & x) for x in range(32))
        act = lambda a, b: sum(sign(b & (values[x] ^ values[x ^ a])) for x in range(32))
        part = ["--outputs", "24", "--rows", "3:2", "--columns", "9000000:3"]
        for name, entry, scale in (("lat", lat, 1), ("act", act, 1), ("dlct", act, 2)):
            rows = [(a, b, entry(a, b) // scale) for a in (3, 4) for b in range(9000000, 9000003)]
            self.expect(0, "".join("%d %d %d\n" % row for row in rows if row[2]), "", "sbox", "table", name, *part,
                        input=" ".join(map(str, values)).encode())
        self.expect(1, "", "fugu: this table has 2^24 columns; choose at most 8388608 with --columns\n", "sbox", "table", "lat",
                    "--outputs", "24", input=" ".join(map(str, values)).encode())

    def test_rows_keep_their_numbers_where_few_are_made_at_once(self):
        # Four rows of 2^20 values at a time
        values = [random.Random(5 + x).randrange(1 << 20) for x in range(8)]
        rows = [(a, b, sum(sign(b & values[x]) * sign(a & x) for x in range(8))) for a in range(8) for b in range(77777, 77787)]
        self.expect(0, "".join("%d %d %d\n" % row for row in rows if row[2]), "", "sbox", "table", "lat", "--outputs", "20",
                    "--columns", "77777:10", input=" ".join(map(str, values)).encode())

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

    ONLY = ("--only", "basic,differential,linear,components")

    def test_random_boxes(self):
        for box in records(VECTORS / "large.txt"):
            if int(box["n"]) > 12:
                continue
            row = self.row(*self.ONLY, "--outputs", box["m"], input=" ".join(map(str, random_values(box))).encode())
            same = {"collisions": "collisions", "du": "du", "linearity": "linearity", "nl": "nl", "ac": "absac",
                    "ddt": "ddt", "nl_dist": "nl_dist", "ac_dist": "ac_dist"}
            for field, name in same.items():
                self.assertEqual(row[field], box[name].replace(",", " "), (box["seed"], field))
            if int(box["m"]) <= 12:  # the other program counted all components then
                self.assertEqual(row["deg_dist"], box["deg_dist"].replace(",", " "))
            self.assertEqual(dict(pairs_of(row["walsh"])).get(0, 0), int(box["zeros"]))

    def test_power_maps(self):
        for box in records(VECTORS / "powers.txt"):
            n = int(box["n"])
            if n > 8:
                continue
            row = self.row(*self.ONLY, "power:%d:%s:%s" % (n, box["d"], box["modulus"]))
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
            found = {}
            for row in self.functions("--from", "bits", "--row-bits", str(n), input=tables.encode()):
                key = tuple(row[name] for name in ("nonlinearity", "degree", "ci", "balanced", "pc", "absind", "ai"))
                found[key] = found.get(key, 0) + 1
            self.assertEqual(found, expected, n)


if __name__ == "__main__":
    support.main()
