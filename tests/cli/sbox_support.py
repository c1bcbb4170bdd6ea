"""What the tests of fugu sbox share. Expected values were computed outside this project (vectors/sbox) or come from the definitions in Python, never from fugu."""

import collections
import csv
import io
import json
import re

import support
from support import Case

VECTORS = support.VECTORS / "sbox"


def records(path):
    """The rows of a vector file as dicts, with the names in its line '# record: ...'."""
    names = None
    for line in path.read_text().splitlines():
        if line.startswith("# record:"):
            names = [name.split(" (")[0] for name in line.split(":", 1)[1].strip().split("|")]
        elif not line.startswith("#"):
            yield dict(zip(names, line.split("|")))


def inverse_of(values):
    return [list(values).index(y) for y in range(len(values))]


def parity(x):
    return bin(x).count("1") % 2


def histogram(values):
    return " ".join("%d:%d" % pair for pair in sorted(collections.Counter(values).items()))


def image_of(s, outputs, extended=False):
    """B(S(A(x))) for fixed affine permutations A and B, of which none is linear or symmetric; or this plus C(x)."""
    gray = lambda x: x ^ x >> 1
    return [gray(s[gray(x) ^ 1] ^ 1) ^ (x ^ x << 2) * extended % (1 << outputs) for x in range(len(s))]


class SBox(Case):
    SUBCOMMAND = ["sbox"]

    def output(self, *arguments, **options):
        """What fugu sbox writes, where nothing is wrong. Slow machines print estimates."""
        status, out, err = self.run_fugu("sbox", *arguments, **options)
        self.assertEqual((status, re.sub(r"^fugu: .* takes? (about|up to) .*\n", "", err)), (0, ""), arguments)
        return out.decode()

    def rows(self, *arguments, **options):
        """The fields of each box, by name."""
        return list(csv.DictReader(io.StringIO(self.output("report", "--csv", *arguments, **options))))

    def row(self, *arguments, **options):
        (row,) = self.rows(*arguments, **options)
        return row

    def json(self, *arguments, **options):
        return json.loads(self.output("report", "--json", *arguments, **options))

    def values(self, name):
        return list(map(int, self.output("make", name).split()))

    def functions(self, *arguments, **options):
        """The fields of each Boolean function, by name."""
        status, out, err = self.run_fugu("spectral", "properties", *arguments, **options)
        self.assertEqual((status, err), (0, ""))
        return list(csv.DictReader(io.StringIO(out.decode())))
