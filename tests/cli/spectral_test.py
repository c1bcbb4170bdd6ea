"""fugu spectral: values, formats and messages. Expected values are printed in papers or come from Python's own arithmetic, never
from fugu."""

import cmath
import functools
import os
import random
import resource
import signal
import struct
from unittest.mock import ANY

import support
from support import Case


def randoms(seed, count, *bounds):
    source = random.Random(seed)
    return [source.randrange(*bounds) for _ in range(count)]


def walsh(f):
    """The definition."""
    return [sum(v * (-1) ** bin(a & x).count("1") for x, v in enumerate(f)) for a in range(len(f))]


def npy(descr, values, code, shape=None):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape or "(%d,)" % len(values))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack("<%d%s" % (len(values), code), *values))


def lines(values):
    return "".join("%s\n" % v for v in values)


class Spectral(Case):
    SUBCOMMAND = ["spectral"]

    def expect(self, code, out, err, *arguments, input=b"", **options):
        super().expect(code, out, err, *arguments, input=input.encode() if isinstance(input, str) else input, **options)


class Walsh(Spectral):
    def test_truth_tables(self):
        # Bits, hex and polynomial of one function: f = x0 x1 + x2.
        f = [(x & 1) * (x >> 1 & 1) ^ (x >> 2) for x in range(8)]
        expected = lines(walsh([(-1) ** v for v in f]))
        bits = "".join(map(str, f))
        self.gives(expected, "walsh", input=bits + "\n")
        self.gives(expected, "walsh", "--from", "hex", input="%02x" % int(bits, 2))
        self.gives(expected, "walsh", "--from", "polynomial", "--variables", "3", input="x0 x1 + x2")
        self.gives(bits + "\n", "inverse", "--type", "int32", "--to", "bits", input=expected)

    def test_numbers_in_every_order(self):
        self.gives("3\n1\n-1\n1\n", "walsh", "--from", "text", input="1 0 1 1")
        f = randoms(1, 16, -50, 50)
        natural = walsh(f)
        reverse = lambda k: int("{:04b}".format(k)[::-1], 2)
        self.gives(lines(natural[reverse(k)] for k in range(16)), "walsh", "--order", "dyadic", input=lines(f))
        sequency = lines(natural[reverse(k ^ k >> 1)] for k in range(16))
        self.gives(sequency, "walsh", "--order", "sequency", input=lines(f))
        self.gives(lines(f), "inverse", "--order", "sequency", input=sequency)
        self.gives(lines(natural), "walsh", "--algorithm", "0", "--type", "int32", input=lines(f))

    def test_npy_and_raw(self):
        f = randoms(2, 32, -9, 9)
        rows = walsh(f[:8]) + walsh(f[8:16]) + walsh(f[16:24]) + walsh(f[24:])
        for descr, code in (("<i4", "i"), ("<i8", "q"), ("<f4", "f"), ("<f8", "d")):
            self.write("f.npy", npy(descr, f, code))
            self.gives("", "walsh", "f.npy", "-o", "w.npy", "-f")
            self.assertEqual(self.read("w.npy"), npy(descr, walsh(f), code))
            self.write("f.npy", npy(descr, f, code, "(4, 8)"))
            self.gives("", "walsh", "f.npy", "-o", "w.npy", "-f")
            self.assertEqual(self.read("w.npy"), npy(descr, rows, code, "(4, 8)"))
        self.write("f.npy", npy("|u1", [2, 0, 1, 1], "B"))
        self.gives("4\n2\n0\n2\n", "walsh", "--to", "text", "f.npy")
        self.write("f.raw", struct.pack("<4i", 1, 0, 1, 1))
        self.gives("", "walsh", "--from", "raw", "--type", "int32", "f.raw", "-o", "w.raw")
        self.assertEqual(self.read("w.raw"), struct.pack("<4i", 3, 1, -1, 1))

    def test_inverse_of_values_that_need_more_bits_before_the_scale(self):
        """2^16 times the function is 2^32."""
        delta = struct.pack("<65536i", 1 << 16, *[0] * 65535)
        raw = ["--from", "raw", "--type", "int32"]
        self.gives(struct.pack("<i", 1 << 16) * 65536, "walsh", *raw, input=delta)
        self.gives(delta, "inverse", *raw, input=struct.pack("<i", 1 << 16) * 65536)
        self.stops(1, "sums of coefficients may exceed 64-bit integers; use --type float64", "inverse", input=lines([2**62, 2**62]))

    def test_floats_that_overflow(self):
        """Finite values that lead to others are refused; infinities and NaNs pass."""
        large = "1e308 1e308 1e308 1e308"
        self.write("large", large)
        for operation in (["walsh"], ["inverse"], ["convolve", "large"], ["autocorrelate"],
                          ["vilenkin-chrestenson", "--group", "2^2"],
                          ["vilenkin-chrestenson", "--group", "2^2", "--inverse"],
                          ["autocorrelate", "--group", "2^2"], ["convolve", "--group", "2^2", "large"]):
            self.stops(1, "the result exceeds float64: give smaller values", *operation, "-", input=large)
        self.stops(1, "the result exceeds float32: give float64 or smaller values", "walsh", "--type", "float32", input="3e38 3e38")
        self.stops(1, "1e+300 is not a number of 32 bits", "vilenkin-chrestenson", "--group", "2", "--values", "complex64", input="1e300 0")
        self.gives("1e+308\n1e+308\n", "walsh", input="1e308 0")
        self.gives("inf\ninf\n", "walsh", input="inf 0")

    def test_float16_arrays_have_results_of_float16(self):
        self.write("f.npy", npy("<f2", [2047, 1, 0.5, -0.25], "e"))
        sums = [2048.25, 2046.75, 2047.75, 2045.25]
        rounded = [2048, 2047, 2048, 2045]  # 11 bits, ties to even
        self.gives(npy("<f2", rounded, "e"), "walsh", "f.npy")
        self.gives(lines(rounded), "walsh", "f.npy", "--to", "text")
        self.gives(struct.pack("<4e", *rounded), "walsh", "f.npy", "--to", "raw")
        self.gives(npy("<f4", sums, "f"), "walsh", "f.npy", "--type", "float32")
        self.write("small.npy", npy("<f2", [3, -1, 0.5, 7] * 2, "e", "(2, 4)"))
        self.run_fugu("spectral", "walsh", "small.npy", "--output", "spectrum.npy")
        self.gives(npy("<f2", [3, -1, 0.5, 7] * 2, "e", "(2, 4)"), "inverse", "spectrum.npy")
        self.write("large.npy", npy("<f2", [60000, 60000], "e"))
        self.stops(1, "120000 is not a number of 16 bits; use --type float32", "walsh", "large.npy")
        self.write("table.npy", npy("<f2", [0, 1, 1, 1], "e"))
        self.gives(npy("<i4", [-2, 2, 2, 2], "i"), "walsh", "--as", "table", "table.npy")

    def test_refusals(self):
        refused = functools.partial(self.stops, 1, input="1 2 3")
        refused("the length is 3, not a power of two", "walsh")
        for word, how in (("x1", "; --from polynomial reads polynomials"), ("6ac0", "; --from hex reads hexadecimal digits"), ("z", "")):
            refused(f"value 2, '{word}', is not an integer of 64 bits{how}", "walsh", input=f"1 {word}")
        refused("the input holds no values", "walsh", input="")
        refused("coefficients may exceed 32-bit integers; use --type int64", "walsh", "--type", "int32", input="2147483647 1")
        refused("not the spectrum of an integer function: the inverse has fractions", "inverse", input="1 0")
        refused("raw values need --type int32, int64, float32 or float64", "walsh", "--from", "raw")
        refused("no operation 'fft'; choose from walsh, inverse, nonlinearity, convolve, autocorrelate, characters, properties, anf, vilenkin-chrestenson",
                "fft")
        refused("no engine 'gpu'; choose from auto, cpu and cuda:N", "walsh", "--engine", "gpu")
        refused("--algorithm takes fast or 0 to 6, not '7'", "walsh", "--algorithm", "7")
        refused("algorithms 1 to 6 need a GPU", "walsh", "--algorithm", "3", "--engine", "cpu")
        refused("algorithm 0 is for --engine cpu", "walsh", "--algorithm", "0", "--engine", "cuda:0")
        refused("algorithms 0 to 6 are for walsh of int32; give --type int32", "walsh", "--algorithm", "0", input="1 2")
        self.stops(2, "none: cannot open: No such file or directory", "walsh", "none")

    def test_numbers_that_do_not_fit_what_is_asked_for(self):
        for descr, code, value, text in (("<i8", "q", 1 << 31, "2147483648 is not an integer of 32 bits"),
                                         ("<f8", "d", -1e10, "-10000000000 is not an integer of 32 bits"),
                                         ("<f8", "d", 2.0**31, "2147483648 is not an integer of 32 bits"),
                                         ("<f8", "d", 1.5, "1.5 is not an integer of 32 bits"),
                                         ("<f8", "d", float("nan"), "nan is not an integer of 32 bits")):
            self.write("a.npy", npy(descr, [0, value], code))
            self.stops(1, f"a.npy: {text}", "walsh", "a.npy", "--type", "int32")
        self.write("a.npy", npy("<f8", [-2.0**31, 2.0**31 - 1], "d"))
        self.gives(npy("<i8", [-1, -2**32 + 1], "q"), "walsh", "a.npy", "--type", "int64")
        self.stops(1, "value 1, '2147483648', is not an integer of 32 bits", "walsh", "--type", "int32", input="2147483648 0")

    @support.in_little_memory
    def test_more_values_than_memory_holds(self):
        limit = support.limited(resource.RLIMIT_AS, 2 << 30)  # 2^30 values take 4 GiB
        self.stops(2, "not enough memory: all values of a transform have to fit in it",
                   "-q", "nonlinearity", "--from", "polynomial", "--variables", "30", "--engine", "cpu", input="x0", preexec_fn=limit)


class Estimates(Spectral):
    def test_of_transforms(self):
        environment = self.calibrated(1, 9)  # a unit is a value times a variable
        numbers = lines(range(8))
        works = (("walsh", 24, ("01101001",)), ("walsh", 24, (numbers, "--type", "int32")), ("walsh", 48, (numbers, "--type", "int64")),
                 ("inverse", 24, (lines([8] * 8), "--type", "int32")), ("nonlinearity", 24, ("01101001",)), ("autocorrelate", 96, ("01101001",)))
        for operation, seconds, (data, *options) in works:
            self.expect(0, ANY, f"fugu: {operation} takes about {seconds} s\n",
                        "spectral", operation, *options, "-T", "1", input=data, env=environment)
        self.write("f", "01101001")
        self.expect(0, ANY, "fugu: convolve takes about 2 min\n", "spectral", "convolve", "f", "f", "-T", "1", env=environment)

    def test_of_many_functions(self):
        self.write("functions", npy("|u1", randoms(1, 20 << 14, 2), "B", "(20, 16384)"))
        process = self.start("spectral", "properties", "functions")
        self.assertRegex(process.stderr.readline().decode(), r"^fugu: the properties take about [0-9]+ s\n$")
        process.send_signal(signal.SIGINT)
        self.assertEqual((process.communicate(timeout=60), process.returncode), ((b"", b""), -signal.SIGINT))


class Files(Spectral):
    def test_no_result_takes_the_place_of_an_input(self):
        self.write("f", "1011")
        os.link(self.path("f"), self.path("link"))
        self.write("g", "0101")
        for operation, files, output in (("walsh", ["f"], "f"), ("nonlinearity", ["f"], "link"), ("convolve", ["f", "g"], "g"),
                                         ("convolve", ["f", "g"], "f"), ("autocorrelate", ["f"], "f")):
            self.stops(2, f"{output}: is the input as well; a file cannot be written over itself", operation, *files, "-f", "-o", output)
        for arguments in (["walsh", "f"], ["characters", "3"]):
            self.stops(2, "g: exists; not overwritten (use -f)", *arguments, "-o", "g")
        self.assertEqual((self.read("f"), self.read("g")), (b"1011", b"0101"))

    def test_what_cannot_be_written_so_leaves_nothing(self):
        self.write("f", "1 2")
        self.stops(1, "value 1 is 3: --to bits, hex and packed need 1 and -1; out was not created",
                   "walsh", "f", "--to", "bits", "-o", "out")
        self.assertEqual(self.names(), ["f", "pass"])


class Uses(Spectral):
    def test_nonlinearity(self):
        # The inner product of four variables is bent (Rothaus 1976): nonlinearity 6, |W| = 4 everywhere.
        self.gives("variables 4\nnonlinearity 6\nlargest coefficient 4\ndegree 2\nW = -4: 6 times\nW = 4: 10 times\n",
                   "nonlinearity", "--from", "polynomial", "--variables", "4", input="x0 x2 + x1 x3")

    def test_convolution(self):
        # Example 3 of Gajic and Stankovic.
        self.write("f", "1011")
        self.write("g", "0101")
        self.gives("1\n2\n1\n2\n", "convolve", "f", "g")
        f = randoms(3, 16, -10**6, 10**6)
        g = randoms(4, 16, -10**6, 10**6)
        self.write("f", lines(f))
        self.write("g", lines(g))
        expected = [sum(f[x] * g[x ^ s] for x in range(16)) for s in range(16)]
        self.gives(lines(expected), "convolve", "f", "g")
        expected = [sum(f[x] * f[x ^ s] for x in range(16)) for s in range(16)]
        self.gives(lines(expected), "autocorrelate", "f")
        self.write("f", lines([2**62, 2**62]))
        self.fails(1, "spectral", "autocorrelate", "f", matches="^fugu: the convolution may exceed 64-bit integers: [^\n]*\n$")

    def test_functions_that_are_none(self):
        self.stops(1, "value 2 is 2, not 0 or 1; --from hex reads hexadecimal digits", "nonlinearity", input="0 2")
        self.write("rows.npy", npy("<i4", [1, 2, 3, 4], "i", "(2, 2)"))
        self.stops(1, "the input has several rows; give one function", "convolve", "rows.npy", "rows.npy")
        self.write("whole.npy", npy("<i4", [1, 2], "i"))
        self.write("real.npy", npy("<f8", [1, 2], "d"))
        self.stops(1, "the two functions have different types; give --type", "convolve", "whole.npy", "real.npy")
        self.gives(npy("<f8", [5, 4], "d"), "convolve", "whole.npy", "real.npy", "--type", "float64")

    def test_characters(self):
        self.gives("0 0 0 0\n0 1 2 3\n0 2 0 2\n0 3 2 1\n", "characters", "4", "--values", "uint8")
        self.gives("1+0i 1+0i\n1+0i -1+0i\n", "characters", "2")
        table = [[(w // 3 * (z // 3) + w % 3 * (z % 3)) % 3 for z in range(9)] for w in range(9)]
        flat = [e for row in table for e in row]
        self.gives("", "characters", "3^2", "--values", "uint8", "--to", "npy", "-o", "t.npy")
        self.assertEqual(self.read("t.npy"), npy("|u1", flat, "B", "(9, 9)"))
        part = "".join(" ".join(map(str, row[1:5])) + "\n" for row in table[4:6])
        self.gives(part, "characters", "3^2", "--values", "uint8", "--rows", "4:2", "--columns", "1:4")
        self.stops(1, "'3^' is not a group; write one like 3^8, 2x3x4 or 2^3x5", "characters", "3^")
        err = self.fails(1, "spectral", "characters", "3^18", "--to", "raw", "-o", "t")
        self.assertEqual(err, "fugu: the table would take 2.4 EB; choose a part with --rows and --columns\n")  # 16 x 3^36

    @support.many_cases
    def test_a_row_of_more_characters_than_are_made_at_once(self):
        row = ("1+0i -1+0i " * 2**22)[:-1] + "\n"
        self.assertTrue(self.output("characters", "2^23", "--rows", "1:1") == row.encode(), "the row differs")  # assertEqual would print it

    def test_characters_in_every_type_and_format(self):
        """Their values and orders are compared in tests/python/test_groups.py."""
        for values, descr, code, size in (("uint8", "|u1", "B", 1), ("uint16", "<u2", "H", 2), ("complex64", "<c8", "f", 8), ("complex128", "<c16", "d", 16)):
            made = [self.output("characters", "2x3x4", "--row-order", "equation1", "--values", values, "--to", to) for to in ("raw", "npy")]
            self.assertEqual((len(made[0]), made[1]), (576 * size, npy(descr, [], code, "(24, 24)") + made[0]))

    def test_convolutions_of_floats_and_arrays(self):
        f, g = [0.5, -2.0, 8.0, 1.0], [4.0, 0.25, -1.0, 2.0]  # powers of two, so nothing is rounded
        expected = [sum(f[x] * g[x ^ s] for x in range(4)) for s in range(4)]
        itself = [sum(f[x] * f[x ^ s] for x in range(4)) for s in range(4)]
        for descr, code in (("<f4", "f"), ("<f8", "d")):
            self.write("f.npy", npy(descr, f, code))
            self.write("g.npy", npy(descr, g, code))
            self.gives(npy(descr, expected, code), "convolve", "f.npy", "g.npy")
            self.gives(npy(descr, itself, code), "autocorrelate", "f.npy")


class Groups(Spectral):
    """Compares transforms over C_q1 x ... x C_qm with the definition."""

    ORDERS = (2, 3, 4)

    def digits(self, k):
        return (k // 12, k // 4 % 3, k % 4)

    def turns(self, w, x):
        """The angle of chi_w(x) in twelfths of a turn."""
        return sum(a * b * 12 // q for a, b, q in zip(self.digits(w), self.digits(x), self.ORDERS)) % 12

    def transform(self, f, sign=-1):
        return [sum(v * cmath.exp(sign * 2j * cmath.pi * self.turns(w, x) / 12) for x, v in enumerate(f)) for w in range(24)]

    def numbers(self, text):
        return [complex(line.replace("i", "j")) for line in text.decode().split()]

    def test_complex_numbers_there_and_back(self):
        f = [complex(a, b) / 4 for a, b in zip(randoms(1, 24, -9, 9), randoms(2, 24, -9, 9))]
        self.write("f", lines("%g%+gi" % (v.real, v.imag) for v in f))
        out = self.output("vilenkin-chrestenson", "--group", "2x3x4", "f")
        for found, expected in zip(self.numbers(out), self.transform(f)):
            self.assertAlmostEqual(found, expected, 9)
        out = self.output("vilenkin-chrestenson", "--group", "2x3x4", "--inverse", input=out)
        for found, expected in zip(self.numbers(out), f, strict=True):
            self.assertAlmostEqual(found, expected, 12)

    def test_types_and_formats(self):
        f = randoms(3, 48, -9, 9)  # two rows
        self.write("f.npy", npy("<i4", f, "i", "(2, 24)"))
        expected = self.transform(f[:24]) + self.transform(f[24:])
        for values, descr, code, error in (("complex64", "<c8", "f", 1e-4), ("complex128", "<c16", "d", 1e-11)):
            out = self.output("vilenkin-chrestenson", "--group", "2x3x4", "--values", values, "f.npy")
            head = npy(descr, [], code, "(2, 24)")
            self.assertEqual(out[:len(head)], head)
            parts = struct.unpack("<96" + code, out[len(head):])
            for k, value in enumerate(expected):
                self.assertLess(abs(complex(parts[2 * k], parts[2 * k + 1]) - value), error)

    def test_exact_values(self):
        exact = ["vilenkin-chrestenson", "--group", "3", "--values"]
        self.gives("13 0 0\n5 7 1\n5 1 7\n", *exact, "counts", input="5 1 7")  # f(0) + f(2) zeta + f(1) zeta^2
        self.assertIn(self.output(*exact, "residues", "--modulus", "7", input=b"5 1 7"), (b"6\n0\n2\n", b"6\n2\n0\n"))  # 2 or 4 for zeta
        # Z[zeta_3]: F(1) = f(0) - f(1) + (f(2) - f(1)) zeta.
        self.gives("13 0\n-2 -6\n4 6\n", "vilenkin-chrestenson", "--group", "3", "--values", "integers", input="5 7 1")
        table = [1, 0, 0, 1, 1, 1, 0, 1]
        self.gives(lines(walsh([(-1) ** b for b in table])),
                   "vilenkin-chrestenson", "--group", "2^3", "--as", "table", "--values", "integers", input=lines(table))

    def test_convolutions(self):
        self.write("f", lines([1, 2, 3]))
        self.write("g", lines([0, 10, 0]))  # which moves f on by one
        self.gives(lines([30, 10, 20]), "convolve", "--group", "3", "f", "g")
        self.gives(lines([14, 11, 11]), "autocorrelate", "--group", "3", "f")

    def test_properties_of_p_valued_functions(self):
        """x^2 modulo 5 is bent (Kumar, Scholtz, Welch 1985), x is linear, x^3 modulo 7 is neither."""
        self.gives("p,n,balanced,bent,plateaued,largest_square\n5,1,0,1,1,5\n5,1,1,0,1,25\n",
                   "properties", "--group", "5", input="0 1 4 4 1\n0 1 2 3 4")
        self.gives('{"p":7,"n":1,"balanced":false,"bent":false,"plateaued":false,"largest_square":null}\n',
                   "properties", "--group", "7", "--json", input="0 1 1 6 1 6 6")

    def test_refusals(self):
        refused = functools.partial(self.stops, 1, input="1 2 3")
        refused("give --group, such as 3^8, 2x3x4 or 2^3x5", "vilenkin-chrestenson")
        refused("--row-bits does not apply to convolve, which takes --group, --to", "convolve", "--group", "3", "--row-bits", "2")
        refused("3 values are not whole rows of 2, the group's order", "vilenkin-chrestenson", "--group", "2")
        refused("value 2, '2x', is not a number", "vilenkin-chrestenson", "--group", "3", input="1i 2x 3")
        refused("this needs integers, and the input has other numbers",
                "vilenkin-chrestenson", "--group", "3", "--values", "counts", input="1 2.5 3")
        refused("4 values are not whole rows of 3, the group's order", "autocorrelate", "--group", "3", input="1 2 3 4")
        refused("value 3 is 3, not one of 0 to 2", "properties", "--group", "3")
        refused("value 2 is -1, not one of 0 to 2", "properties", "--group", "3", input="1 -1 0")
        refused("this needs a group C_p^n with a prime p, such as 3^8", "properties", "--group", "4", input="0 1 2 3")
        refused("10 is not a prime of the form 3 k + 1 below 2^31",
                "vilenkin-chrestenson", "--group", "3", "--values", "residues", "--modulus", "10")
        refused("--modulus is for --values residues", "vilenkin-chrestenson", "--group", "3", "--modulus", "7")
        refused("--inverse is for complex values and residues", "vilenkin-chrestenson", "--group", "3", "--values", "counts", "--inverse")
