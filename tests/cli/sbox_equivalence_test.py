"""fugu sbox compare: the maps that it prints are read back and checked for every x. Published classes are
compared in tests/python/test_equivalence.py."""

import itertools
import json
import random
import re

import support
from sbox_support import SBox, histogram, image_of, inverse_of, parity


def maps_of(text):
    """name -> (rows as masks of x, constant), of the maps that compare prints."""
    maps = {}
    for name, constant, rows in re.findall(r"^(\w)\(x\) = M x \+ (0x[0-9a-f]+), M =\n((?:[01]+\n)+)", text, re.MULTILINE):
        maps[name] = ([int(row[::-1], 2) for row in rows.split()], int(constant, 16))
    return maps


def values_of(map_, bits):
    rows, constant = map_
    return [constant ^ sum(parity(row & x) << i for i, row in enumerate(rows)) for x in range(1 << bits)]


class Equivalence(SBox):
    def run_fugu(self, *arguments, **options):
        """Without the estimates that long work prints: by the clock, so on slow machines."""
        status, out, err = super().run_fugu(*arguments, **options)
        return status, out, re.sub(r"^fugu: (up to )?\d+ .* take about \d+ (s|min|h)\n", "", err, flags=re.MULTILINE)

    def check_witness(self, relation, text, s, t, n, m):
        self.assertTrue(text.startswith(relation + "-equivalent: "), text)
        maps = maps_of(text)
        if relation == "CCZ":
            self.assertEqual(list(maps), ["L"])
            values = values_of(maps["L"], n + m)
            self.assertEqual(sorted(values), list(range(1 << n + m)))
            self.assertEqual({values[y | x << m] for x, y in enumerate(s)}, {y | x << m for x, y in enumerate(t)})
            return
        self.assertEqual(list(maps), ["A", "B", "C"] if relation == "EA" else ["A", "B"])
        a, b = values_of(maps["A"], n), values_of(maps["B"], m)
        c = values_of(maps["C"], n) if relation == "EA" else [0] * len(s)
        self.assertEqual((len(set(a)), len(set(b))), (1 << n, 1 << m))
        if relation == "linear":
            self.assertEqual((a[0], b[0]), (0, 0))
        self.assertEqual([b[s[a[x]]] ^ c[x] for x in range(len(s))], t)

    def compare(self, s, t, m, *options):
        for name, values in (("s", s), ("t", t)):
            self.write(name, " ".join(map(str, values)))
        status, out, err = self.run_fugu("sbox", "compare", "--outputs", str(m), *options, "s", "t")
        return status, out.decode(), err

    def check_found(self, relation, s, t, n, m, *options):
        status, out, err = self.compare(s, t, m, *options)
        self.assertEqual((status, err), (0, ""))
        self.check_witness(relation, out, s, t, n, m)
        return out

    def test_each_relation_has_its_maps(self):
        s = [random.Random(1).randrange(16) for _ in range(64)]
        extended = image_of(s, 4, extended=True)
        self.check_found("affine", s, image_of(s, 4), 6, 4, "--relation", "affine")
        self.check_found("EA", s, extended, 6, 4, "--relation", "ea")
        self.check_found("CCZ", s, extended, 6, 4, "--relation", "ccz")

    def test_the_strongest_relation_is_named_and_what_excludes_others(self):
        s = self.values("PRESENT")
        out = self.check_found("affine", s, image_of(s, 4), 4, 4)
        self.assertTrue(out.splitlines()[-1].startswith("not linear-equivalent: "), out)
        # Affine maps keep the entries of a permutation's boomerang table; adding a linear map changes them.
        def boomerangs(box):
            back = inverse_of(box)
            return histogram(sum(back[box[x] ^ b] ^ back[box[x ^ a] ^ b] == a for x in range(16)) for a in range(1, 16) for b in range(1, 16))
        sums = ([y ^ c * parity(m & x) for x, y in enumerate(s)] for m in range(1, 16) for c in range(1, 16))
        shifted = next(box for box in sums if len(set(box)) == 16 and boomerangs(box) != boomerangs(s))
        out = self.check_found("EA", s, shifted, 4, 4)
        self.assertEqual(out.splitlines()[-1], f"not affine-equivalent: boomerang spectrum: {boomerangs(s)} and {boomerangs(shifted)}; "
                         "by invariants (Boura, Canteaut 2018)")
        cubes = [pow(x, 3) % 16 for x in range(16)]
        self.check_found("EA", cubes, image_of(cubes, 4, extended=True), 4, 4)

    def test_self_equivalences(self):
        equal = "equal: S(x) is the same for every x\n"
        self.gives(equal, "compare", "AES", "AES")
        self.gives(equal + "affine self-equivalences: 2040\n", "compare", "--relation", "affine", "AES", "AES")
        self.gives(equal + "linear self-equivalences: 378\n", "compare", "--relation", "linear", "power:6:62", "power:6:62")
        self.gives(equal, "compare", "--relation", "ea", "AES", "AES")

    def test_what_is_not_equivalent(self):
        self.stops(7, "different sizes: 8 x 8 and 4 x 4", "compare", "AES", "PRESENT")
        self.fails(7, "sbox", "compare", "AES", "power:8:3", matches="^fugu: not CCZ-equivalent: differential spectrum: ")
        self.fails(7, "sbox", "compare", "--relation", "affine", "AES", "power:8:3",
                   matches="^fugu: not CCZ-equivalent and so not affine-equivalent: differential spectrum: ")
        randoms = random.Random(5)
        s, t = (randoms.sample(range(256), 256) for _ in range(2))
        for relation in ("linear", "affine", "ea", "ccz"):
            self.assertEqual(self.compare(s, t, 8, "--relation", relation)[0], 7)
        self.stops(1, "--relation takes linear, affine, ea, ccz, not 'extended'", "compare", "--relation", "extended", "AES", "power:8:3")

    @support.many_cases
    def test_boxes_without_a_search_are_undecided(self):
        s = [0] * 16
        t = [1 << 17] + [0] * 15
        status, out, err = self.compare(s, [1] * 16, 18, "--relation", "affine")
        self.assertEqual((status, out, err), (8, "affine-equivalence is undecided: the invariants agree, and the boxes are too "
                                              "large for a search\n", ""))
        self.assertEqual(self.compare(s, t, 18, "--relation", "affine")[0], 7)

    def test_what_decided_is_named(self):
        self.stops(7, "not CCZ-equivalent: least exponents 2^i k and 2^i / k of the power maps: 3 and 33; by exponents of power maps "
                   "(Dempwolff 2018)", "compare", "--relation", "ccz", "power:11:3", "power:11:528")
        out = self.output("compare", "--relation", "ccz", "power:7:11", "power:7:13")  # 11 * 13 * 2^6 is 1 modulo 127
        self.assertIn("\nby exponents of power maps (Dempwolff 2018)\n", out)
        self.assertTrue(out.startswith("CCZ-equivalent: "))
        self.assertEqual(json.loads(self.output("compare", "--json", "power:7:3", "power:7:6"))["answers"][0]["by"],
                         "exponents of power maps (Dempwolff 2018)")
        s = self.values("PRESENT")
        self.assertIn("\nby guesses at maps (Biryukov, De Canniere, Braeken, Preneel 2003)\n",
                      self.check_found("affine", s, image_of(s, 4), 4, 4, "--relation", "affine"))

    def test_least_representatives(self):
        """That of a twist of PRESENT's box, which compare finds to be one; of AES's and Camellia's boxes, both inversions."""
        present = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2]
        self.write("twist", " ".join(str(v ^ 5) for v in image_of(present, 4, False)))
        least = self.output("canonical", "PRESENT")
        self.assertEqual(self.output("canonical", "twist"), least)
        self.check_found("affine", present, list(map(int, least.split())), 4, 4, "--relation", "affine")
        self.assertEqual(self.output("canonical", "AES", "--to", "hex"), self.output("canonical", "Camellia", "--to", "hex"))
        self.assertLess(self.output("canonical", "PRESENT", "--to", "hex"),
                        self.output("canonical", "PRESENT", "--to", "hex", "--relation", "linear"))
        self.stops(1, "least representatives exist for linear and affine equivalence only", "canonical", "--relation", "ccz", "PRESENT")

    def test_classes_in_lists(self):
        """The optimal boxes of Leander and Poschmann are their classes; PRESENT's is of class 1, as they say."""
        boxes = [self.output("make", f"Optimal_S{i}").strip() for i in (0, 15)] + ["not a box", "0 3 3 1"]
        self.write("batch", "\n".join(boxes))
        self.assertIn("affine class 1 of 16, numbered 0 to 15: optimal permutations of 4 bits (Leander, Poschmann 2007); by",
                      self.output("class", "PRESENT"))
        self.assertEqual(self.output("class", "AES"), "in none of the lists of classes\n")
        first = [json.loads(self.output("class", "--json", f"Optimal_S{i}"))["classes"][0]["number"] for i in (0, 15)]
        self.expect(1, f"{first[0]}\n{first[1]}\n-\n".encode(),
                    "fugu: batch: line 3 is not a box: entry 0, 'not', is not a number from 0 to 2^32 - 1; the others were reported\n",
                    "sbox", "class", "--batch", "batch")

    def test_json(self):
        s = self.values("PRESENT")
        t = image_of(s, 4)
        status, out, err = self.compare(s, t, 4, "--json")
        found = json.loads(out)
        self.assertEqual((status, err, list(found)), (0, "", ["version", "boxes", "equal", "answers"]))
        self.assertEqual((found["boxes"], found["equal"]), (["s", "t"], False))
        linear, affine = found["answers"]
        self.assertEqual((linear["relation"], linear["answer"], list(linear)), ("linear", "not equivalent", ["relation", "answer", "by", "reason"]))
        self.assertEqual((affine["relation"], affine["answer"], list(affine["maps"])), ("affine", "equivalent", ["A", "B"]))
        a, b = (values_of(([int(row[::-1], 2) for row in map_["rows"]], map_["constant"]), 4) for map_ in affine["maps"].values())
        self.assertEqual([b[s[a[x]]] for x in range(16)], t)
        status, out, err = self.run_fugu("sbox", "compare", "--json", "AES", "power:8:3")
        answer = json.loads(out)["answers"][-1]
        self.assertEqual((status, err, answer["relation"], answer["answer"]), (7, "", "CCZ", "not equivalent"))
        self.assertTrue(answer["reason"].startswith("not CCZ-equivalent: differential spectrum: "))
        status, out, err = self.compare([0] * 16, [1] * 16, 18, "--relation", "affine", "--json")
        self.assertEqual((status, err, json.loads(out)["answers"][0]["answer"]), (8, "", "undecided"))
        status, out, err = self.run_fugu("sbox", "compare", "--json", "--relation", "affine", "AES", "AES")
        self.assertEqual((status, err, json.loads(out)), (0, "", {"version": 1, "boxes": ["AES", "AES"], "equal": True, "answers": [],
                                                                  "self_equivalences": {"relation": "affine", "count": "2040"}}))

    def kim(self):
        """Over GF(2^6), which has an APN permutation in its CCZ class (Browning, Dillon, McQuistan and Wolfe 2010)."""
        return list(map(int, self.output("make", "--from", "univariate", "--field", "0x5b", "x^3 + x^10 + g x^24").split()))

    def test_an_apn_permutation_of_six_variables(self):
        self.write("kim", " ".join(map(str, self.kim())))
        thickness = "thickness 0:1 1:63 2:126 3:32\n"
        self.gives("Walsh-zero spaces 222\n" + thickness + "CCZ-equivalent to a permutation yes\n", "spaces", "kim")
        values = list(map(int, self.output("permutation", "kim").split()))
        self.assertEqual(sorted(values), list(range(64)))
        self.check_found("CCZ", self.kim(), values, 6, 6)
        self.stops(7, "no permutation is CCZ-equivalent to this box: no two of the 190 Walsh-zero spaces meet only in 0; nothing was written",
                   "permutation", "power:6:3")

    def test_ea_classes_of_a_ccz_class(self):
        boxes = [list(map(int, line.split())) for line in self.output("classes", "power:6:3").splitlines()]
        self.assertEqual(len(boxes), 3)  # Calderini, Cryptography and Communications 12 (2020)
        for s, t in itertools.combinations(boxes, 2):
            self.assertEqual([self.compare(s, t, 6, "--relation", relation)[0] for relation in ("ea", "ccz")], [7, 0])

    def test_tu_decompositions(self):
        kim = self.kim()
        self.write("kim", " ".join(map(str, kim)))
        for t in (1, 3):
            text, tables = self.output("tu", str(t), "kim").split("T, a row per y:\n")
            maps = maps_of(text)
            a, b = values_of(maps["A"], 6), values_of(maps["B"], 6)
            c = values_of(maps["C"], 6) if "C" in maps else [0] * 64
            rows_t, rows_u = ([list(map(int, row.split())) for row in part.splitlines()] for part in tables.split("U, a row per x:\n"))
            self.assertTrue(all(sorted(row) == list(range(1 << t)) for row in rows_t))
            for z in range(64):
                x, y = z % (1 << t), z >> t
                self.assertEqual(b[kim[a[z]]] ^ c[z], rows_t[y][x] + (rows_u[x][y] << t))
        self.assertNotIn("C(", self.output("tu", "1", "-", input=b"0 1 2 3 4 5 6 7"))  # it has the form itself
        self.stops(7, "no TU-decomposition with t = 4: none of the 222 Walsh-zero spaces has this thickness", "tu", "4", "kim")
        self.stops(1, "tu needs t, the number of bits that each T permutes", "tu", "kim")

    def test_too_many_walsh_zero_spaces_are_undecided(self):
        self.write("zero", " ".join(["0"] * 32))
        self.fails(8, "sbox", "permutation", "--outputs", "5", "zero",
                   matches=r"^fugu: undecided: \d+ steps found 16384 Walsh-zero spaces, and there may be more\n$")
