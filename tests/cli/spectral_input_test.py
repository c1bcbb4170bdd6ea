"""fugu spectral: what an input means, rows, types and limits. Expected values come from Python's own arithmetic."""

import json
import os
import resource
import struct
import subprocess
import threading

import support
from spectral_test import Spectral, lines, npy, randoms, walsh

BITS = [0, 0, 0, 1, 0, 1, 1, 1]
TABLE = "".join(map(str, BITS))
POLARITY = [(-1) ** v for v in BITS]
SPECTRUM = lines(walsh(POLARITY))
AMBIGUOUS = "all values are 0 or 1: give --as table for a truth table, --as values for numbers"


def autocorrelation(f):
    return [sum(f[x] * f[x ^ s] for x in range(len(f))) for s in range(len(f))]


def packed(values):
    """Value i is bit i % 8 of byte i / 8."""
    return bytes(sum(v << i for i, v in enumerate(values[at:at + 8])) for at in range(0, len(values), 8))


class Meaning(Spectral):
    def test_digits_are_a_truth_table_with_any_white_space(self):
        for text in (TABLE, "0001 0111", "0001\n0111\n", "0 0 0 1 0 1 1 1", "\t0_0_0_1\r\n0111\n\n", lines(BITS)):
            with self.subTest(text=text):
                self.gives(SPECTRUM, "walsh", input=text)
                self.gives(lines(autocorrelation(POLARITY)), "autocorrelate", input=text)
        self.gives(lines(walsh(BITS)), "walsh", "--as", "values", input="0 0 0 1 0 1 1 1")
        self.gives(lines(walsh(BITS)), "walsh", "--from", "text", input="0 0 0 1 0 1 1 1")
        self.gives(lines(walsh(BITS)), "walsh", "--from", "bits", "--as", "values", input=TABLE)
        for way in (["--as", "values"], ["--from", "text"]):
            self.stops(1, "'0001' may be a number or the digits of a truth table: remove the leading zeros, or give --from bits",
                       "walsh", *way, input="0001 0111")
        for text, at, character in (("01101002\n", 8, "2"), ("x110", 1, "x")):
            self.stops(1, f"digit {at} of the truth table is '{character}', not 0 or 1", "walsh", input=text)
        self.write("f", bytes([90, 197, 124, 168, 205]))
        self.stops(1, "f: not text, but binary; read numbers with --from raw and --type, the bits of a truth table with --from packed",
                   "walsh", "f")
        self.stops(1, "'01' may be a number or the digits of a truth table: remove the leading zeros, or give --from bits",
                   "inverse", input="10 01")

    def test_arrays_of_bool_and_of_bytes_are_truth_tables(self):
        for descr in ("|b1", "|u1"):
            self.write("f.npy", npy(descr, BITS, "B"))
            self.gives(SPECTRUM, "walsh", "--to", "text", "f.npy")
            self.gives(lines(autocorrelation(POLARITY)), "autocorrelate", "--to", "text", "f.npy")
            self.gives(lines(walsh(BITS)), "walsh", "--to", "text", "--as", "values", "f.npy")
        self.write("f.npy", npy("|u1", [3, 0, 1, 1], "B"))
        self.gives(lines(walsh([3, 0, 1, 1])), "walsh", "--to", "text", "f.npy")
        self.write("f.npy", npy("|b1", [2, 0, 1, 1], "B"))
        self.stops(4, "f.npy: a value of type bool is neither 0 nor 1", "walsh", "f.npy")

    def test_what_is_ambiguous_is_refused_with_both_spellings(self):
        for descr, code in (("|i1", "b"), ("<i4", "i"), ("<i8", "q"), ("<f4", "f"), ("<f8", "d")):
            self.write("f.npy", npy(descr, BITS, code))
            for operation in ("walsh", "autocorrelate"):
                self.stops(1, f"f.npy: {AMBIGUOUS}", operation, "f.npy")
            self.gives(SPECTRUM, "walsh", "--as", "table", "--to", "text", "f.npy")
            self.gives(lines(walsh(BITS)), "walsh", "--as", "values", "--to", "text", "f.npy")
        self.stops(1, AMBIGUOUS, "walsh", input="0,1,1,0")
        self.stops(1, "all values are 1: give --as table for f = 1, --as values for the polarity of f = 0", "walsh", input="1,1")
        self.gives("-2\n0\n", "walsh", "--as", "table", input="1,1")
        self.gives("2\n0\n", "walsh", "--as", "values", input="1,1")

    def test_one_and_minus_one_are_a_polarity(self):
        known = self.output("nonlinearity", input=TABLE.encode())
        self.gives(SPECTRUM, "walsh", input=lines(POLARITY))
        self.gives(SPECTRUM, "walsh", "--as", "table", input=lines(POLARITY))
        for descr, code in (("|i1", "b"), ("<i8", "q"), ("<f8", "d")):
            for values in (POLARITY, BITS):
                self.write("f.npy", npy(descr, values, code))
                self.assertEqual(self.output("nonlinearity", "f.npy"), known)
        self.write("f.npy", npy("<i8", [1, 1], "q"))
        self.stops(1, "f.npy: all values are 1: give --as table for f = 1, --as values for the polarity of f = 0", "nonlinearity", "f.npy")
        self.gives("variables 1\nnonlinearity 0\nlargest coefficient 2\ndegree 0\nW = -2: 1 times\nW = 0: 1 times\n",
                   "nonlinearity", "--as", "table", "f.npy")
        self.gives("variables 1\nnonlinearity 0\nlargest coefficient 2\ndegree -1\nW = 0: 1 times\nW = 2: 1 times\n",
                   "nonlinearity", "--as", "values", "f.npy")
        self.stops(1, "value 2 is 2, not 1 or -1 (a polarity)", "nonlinearity", "--as", "values", input="1 2")

    def test_a_spectrum_is_numbers(self):
        self.gives("1\n0\n", "inverse", input="1 1")
        for array in (["--from", "bits"], ["--from", "hex"]):
            self.stops(1, "this is a truth table, not a spectrum; --as values reads it as numbers", "inverse", *array, input="1111")
        self.stops(1, "--as table is not for inverse, which takes a spectrum", "inverse", "--as", "table", input="1 1")

    def test_packed_values(self):
        values = randoms(5, 256, 2)
        spectrum = lines(walsh([(-1) ** v for v in values]))
        self.write("f", packed(values))
        self.gives(spectrum, "walsh", "--from", "packed", "f")
        for to, expected in (("packed", packed(values)), ("bits", "".join(map(str, values)) + "\n")):
            self.gives(expected, "inverse", "--to", to, "--type", "int32", input=spectrum)
        self.stops(1, "--to packed needs a multiple of eight values; out was not created",
                   "walsh", "--to", "packed", "-o", "out", input="-1")

    def test_polynomials(self):
        polynomial = ["--from", "polynomial", "--variables", "4"]
        for text, message in (("10x0", "character 2 ('0') is not '+', '*' or a space, which follow a 0 or 1"),
                              ("11", "character 2 ('1') is not '+', '*' or a space, which follow a 0 or 1")):
            self.stops(1, message, "walsh", *polynomial, input=text)
        self.stops(1, "'x0': a function of 0 variables has none", "walsh", "--from", "polynomial", "--variables", "0", input="x0")
        self.stops(1, "--variables is for --from polynomial", "walsh", "--variables", "3", input=TABLE)
        self.stops(1, "--row-bits is not for polynomials: each has 2^N values, by --variables N",
                   "walsh", *polynomial, "--row-bits", "2", input="x0")
        f = [x & 1 for x in range(16)]
        g = [(x >> 1 & 1) ^ (x >> 2 & x >> 3 & 1) for x in range(16)]
        expected = lines(walsh([(-1) ** v for v in f]) + walsh([(-1) ** v for v in g]))
        self.gives(expected, "walsh", *polynomial, input="x0\n\nx1 +\n x2 x3\n")


class Rows(Spectral):
    def test_batches_of_truth_tables(self):
        rows = [randoms(k, 4, 2) for k in range(4)]
        flat = sum(rows, [])
        bits = "".join(map(str, flat))
        spectra = sum((walsh([(-1) ** v for v in row]) for row in rows), [])
        correlated = sum((autocorrelation([(-1) ** v for v in row]) for row in rows), [])
        self.write("f.npy", npy("|b1", flat, "B", "(4, 4)"))
        self.write("f.packed", packed(flat))
        inputs = ((["--from", "bits", "--row-bits", "2"], bits), (["--row-bits", "2"], bits),
                  (["--from", "hex", "--row-bits", "2"], "%04x" % int(bits, 2)), (["f.npy"], ""),
                  (["--from", "packed", "--row-bits", "2", "f.packed"], ""))
        for arguments, text in inputs:
            self.gives(lines(spectra), "walsh", "--to", "text", *arguments, input=text)
            self.gives(npy("<i4", spectra, "i", "(4, 4)"), "walsh", "--to", "npy", *arguments, input=text)
            self.gives(lines(correlated), "autocorrelate", "--to", "text", *arguments, input=text)
            one_by_one = [self.output("nonlinearity", input="".join(map(str, row)).encode()) for row in rows]
            self.gives(b"\n".join(one_by_one), "nonlinearity", *arguments, input=text)
        polarity = lines((-1) ** v for v in flat)
        for to, expected in (("bits", "".join("".join(map(str, row)) + "\n" for row in rows)),
                             ("hex", "".join("%x\n" % int("".join(map(str, row)), 2) for row in rows)),
                             ("packed", packed(flat))):
            self.gives(expected, "inverse", "--row-bits", "2", "--to", to, input=lines(spectra))
        self.gives(lines(spectra), "walsh", "--row-bits", "2", input=polarity)
        self.stops(1, "16 values are not whole rows of 32", "walsh", "--row-bits", "5", input=bits)
        self.stops(1, "the input has several rows; give one function", "convolve", "f.npy", "f.npy")

    def test_a_row_of_an_array_stays_one(self):
        self.write("f.npy", npy("<i4", [5, 3], "i", "(1, 2)"))
        self.gives(npy("<i4", [8, 2], "i", "(1, 2)"), "walsh", "f.npy")
        self.gives(npy("<i8", [34, 30], "q", "(1, 2)"), "autocorrelate", "f.npy")
        self.gives(npy("|u1", [0, 1, 2], "B", "(1, 3)"), "characters", "3", "--rows", "1:1", "--values", "uint8", "--to", "npy")

    def test_long_inputs_in_pieces(self):
        """The input is longer than a piece of text, the output longer than a chunk."""
        f = randoms(7, 1 << 19, -9, 10)
        ends = ["\n", " ", ", ", "\t\r\n"]
        text = "".join(str(v) + ends[i % 4] for i, v in enumerate(f)).encode()
        self.assertTrue(self.output("walsh", "--row-bits", "0", input=text) == lines(f).encode(), "the output differs")
        even = b"2 " * (1 << 18)  # a number begins wherever a piece does, of an even number of bytes
        self.assertTrue(self.output("walsh", "--row-bits", "0", input=even) == b"2\n" * (1 << 18), "the output differs")
        cut = text.index(b"\n", 400000)
        bad = text[:cut] + b" 1x1 " + text[cut:]
        index = len(text[:cut].replace(b",", b" ").split()) + 1
        self.stops(1, f"value {index}, '1x1', is not an integer of 64 bits", "walsh", input=bad)
        bits = [v & 1 for v in f]
        polarity = struct.pack("<%di" % len(f), *[(-1) ** v for v in bits])
        for kind, expected in (("bits", "".join(map(str, bits)).encode() + b"\n"), ("packed", packed(bits)),
                               ("hex", b"%0*x\n" % (len(f) // 4, int("".join(map(str, bits)), 2)))):
            spectrum = self.output("walsh", "--from", "raw", "--type", "int32", "--to", "raw", input=polarity)
            self.assertTrue(self.output("inverse", "--from", "raw", "--type", "int32", "--to", kind, input=spectrum) == expected, kind)


class Types(Spectral):
    def test_the_type_holds_for_every_format(self):
        arrays = {"bits": TABLE, "hex": "%02x" % int(TABLE, 2), "polynomial": "x0 x1 + x0 x2 + x1 x2", "packed": packed(BITS)}
        for name, text in arrays.items():
            more = ["--variables", "3"] if name == "polynomial" else []
            for kind, code in (("int32", "i"), ("int64", "q"), ("float32", "f"), ("float64", "d")):
                self.gives(struct.pack("<8" + code, *walsh(POLARITY)),
                           "walsh", "--from", name, *more, "--type", kind, "--to", "raw", input=text)
                self.gives(struct.pack("<8" + code, *autocorrelation(POLARITY)),
                           "autocorrelate", "--from", name, *more, "--type", kind, "--to", "raw", input=text)
        self.stops(1, "where a truth table is read, --type is only for --from raw", "nonlinearity", "--type", "int32", input=TABLE)

    def test_numbers_that_do_not_fit(self):
        self.stops(1, "value 1, '1e300', is not a number of 32 bits", "walsh", "--type", "float32", input="1e300 1")
        self.write("f.npy", npy("<f8", [1e300, 2], "d"))
        self.stops(1, "f.npy: 1e+300 is not a number of 32 bits", "walsh", "--type", "float32", "f.npy")

    def test_whole_floats_are_printed_in_full(self):
        raw = ["--from", "raw", "--type", "float32", "--to", "text", "--row-bits", "0"]
        self.gives("2147483648\n-16777216\n0.5\n-0\n", "walsh", *raw, input=struct.pack("<4f", 2**31, -2**24, 0.5, -0.0))

    def test_one_value_is_its_own_transform(self):
        raw = ["--from", "raw", "--type", "int32"]
        lowest = struct.pack("<i", -2**31)
        for operation in ("walsh", "inverse"):
            self.gives(lowest, operation, *raw, input=lowest)
        self.gives(lowest * 2, "walsh", *raw, "--row-bits", "0", input=lowest * 2)

    def test_a_table_and_floats_convolve_as_advised(self):
        self.write("f", "0111")
        self.write("g.npy", npy("<f8", [0.5, 2, 4, 8], "d"))
        self.stops(1, "the two functions have different types; give --type", "convolve", "f", "g.npy")
        f, g = [0, 1, 1, 1], [0.5, 2, 4, 8]
        expected = [sum(f[x] * g[x ^ s] for x in range(4)) for s in range(4)]
        self.gives("".join("%g\n" % v for v in expected), "convolve", "f", "g.npy", "--type", "float64")


class Options(Spectral):
    def test_what_does_not_apply_is_refused(self):
        for operation, option in (("walsh", "json"), ("walsh", "values=uint8"), ("inverse", "rows=0:1"),
                                  ("nonlinearity", "to=npy"), ("nonlinearity", "order=dyadic"),
                                  ("nonlinearity", "algorithm=0"), ("convolve", "order=dyadic"), ("convolve", "json"),
                                  ("autocorrelate", "order=dyadic"), ("autocorrelate", "columns=0:1"),
                                  ("characters", "from=text"), ("characters", "type=int32"), ("characters", "as=table"),
                                  ("characters", "row-bits=2"), ("characters", "order=dyadic"), ("characters", "json"),
                                  ("characters", "algorithm=0"), ("walsh", "row-order=equation1")):
            self.fails(1, "spectral", operation, "--" + option, *(["3"] if operation == "characters" else []), input=TABLE.encode(),
                       says=f"fugu: --{option.split('=')[0]} does not apply to {operation}, which takes --")


    def test_operations_of_the_cpu_refuse_a_gpu(self):
        for operation in ("properties", "anf"):
            self.stops(6, f"{operation} runs only on the CPU; use --engine cpu", operation, "--engine", "cuda:0", input=TABLE)
        for operation in ("autocorrelate", "properties"):
            self.stops(6, f"{operation} over a group runs only on the CPU; use --engine cpu",
                       operation, "--group", "2^2", "--engine", "cuda:0", input="0\n1\n1\n0\n")
        self.stops(6, "this runs only on the CPU; use --engine cpu",
                   "vilenkin-chrestenson", "--group", "2^2", "--values", "residues", "--engine", "cuda:0", input="0\n1\n1\n0\n")

    def test_json_has_a_version_and_quiet_leaves_out_reports(self):
        table = "0001"  # nonlinearity 1, degree 2, spectrum 2 2 2 -2
        self.assertEqual(json.loads(self.output("nonlinearity", "--json", "-q", input=table.encode())),
                         {"version": 1, "variables": 2, "nonlinearity": 1, "max_abs": 2, "degree": 2, "histogram": [[-2, 1], [2, 3]]})
        self.assertEqual(json.loads(self.output("properties", "--json", input=table.encode()))["version"], 1)
        self.gives("", "nonlinearity", "-q", input=table)
        self.stops(0, "nonlinearity: cpu, 2 threads", "nonlinearity", "-v", "-T", "2", "-o", "out", input=table)

    def test_parts_of_tables_take_units(self):
        """Row and column 2^10 share one digit, 1: the exponent is 1 * 1."""
        self.gives("1\n", "characters", "2^11", "--values", "uint8", "--rows", "1K:1", "--columns", "1KiB:1")


class Reading(Spectral):
    def test_fifos_are_opened_once(self):
        os.mkfifo(self.path("fifo"))
        writer = threading.Thread(target=lambda: self.write("fifo", TABLE))
        writer.start()
        self.gives(SPECTRUM, "walsh", "fifo")
        writer.join()

    def test_a_name_that_goes_away_keeps_its_result(self):
        """The input is renamed after it was read and before the output is made."""
        self.write("f", "1 2")
        os.mkfifo(self.path("g"))
        process = self.start("spectral", "convolve", "f", "g")
        with open(self.path("g"), "wb") as fifo:  # the program opens it after it has read f
            os.rename(self.path("f"), self.path("gone"))
            fifo.write(b"3 4")
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (0, b"11\n10\n", b""))

    @support.in_little_memory
    def test_endless_input_has_a_limit(self):
        limit = support.limited(resource.RLIMIT_AS, 1 << 30)
        self.stops(1, "/dev/zero: not text, but binary; read numbers with --from raw and --type, the bits of a truth table with --from packed",
                   "walsh", "/dev/zero", preexec_fn=limit)
        self.stops(2, "/dev/zero: the input is longer than 805 MB, the most that fits in memory together with its results",
                   "walsh", "--from", "raw", "--type", "int32", "/dev/zero", preexec_fn=limit)
        process = self.start("spectral", "walsh", stdin=subprocess.PIPE, preexec_fn=limit)
        written = 0
        try:
            while written < 1 << 30:
                written += process.stdin.write(b"1 2 3 4 " * 2**16)
        except BrokenPipeError:
            pass
        err = process.stderr.read()
        for pipe in (process.stdin, process.stdout, process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        self.assertEqual((process.wait(), err),
                         (2, b"fugu: the input is longer than 179 MB, the most that fits in memory together with its results\n"))

    def test_arrays_that_are_none(self):
        whole = npy("<i4", [1, 2, 3, 4], "i")
        types = "cannot be read; save them as i1, i2, i4, i8, u1, u2, u4, f2, f4 or f8, little-endian"
        for status, array, message in (
                (1, whole.replace(b"False", b"True "), "the .npy array is in Fortran order; save it in C order"),
                (1, whole.replace(b"<i4", b">i4"), f"values of type '>i4' {types}"),
                (1, npy("<i4", [1] * 8, "i", "(2, 2, 2)"), "the .npy array must have one or two dimensions"),
                (1, npy("<i4", [1] * 6, "i", "(2, 3)"), "the length is 3, not a power of two"),
                (4, npy("<i4", [1, 2, 3, 4], "i", "(8,)"), "the .npy file holds 4 values, but its header states 8"),
                (4, whole.replace(b"'shape'", b"'shard'"), "the .npy header has no 'shape'"),
                (4, whole[:40], "the .npy header is truncated"),
                (4, whole[:11], "not an .npy file"),
                (4, whole[:-3], "13 bytes are not a multiple of the 4 bytes of a value; the file may be truncated"),
                (1, npy("<i4", [], "i", "(0, 4)"), "the input holds no values"),
                (1, npy("<i4", [], "i", "(0,)"), "the input holds no values"),
                (4, npy("<i4", [1, 2, 3, 4], "i", "(-4,)"), "the .npy header has no valid shape, but (-4,)"),
                (4, npy("<i4", [1, 2, 3, 4], "i", "[4]"), "the .npy header has no valid shape, but [4]"),
                (4, npy("<i4", [1, 2, 3, 4], "i", "(4)"), "the .npy header has no valid shape, but (4)"),
                (4, npy("<i4", [1, 2, 3, 4], "i", "(2 2)"), "the .npy header has no valid shape, but (2 2)"),
                (4, npy("<i4", [1, 2], "i", "(9223372036854775807, 2)"),
                 "the .npy header has no valid shape, but (9223372036854775807, 2)"),
                (1, npy("<i4", [1], "i", "()"), "the .npy array must have one or two dimensions"),
                (1, whole[:6] + b"\x00\x00" + whole[8:], "unknown .npy version 0.0: only 1.0, 2.0 and 3.0 can be read"),
                (1, whole[:6] + b"\x09\x00" + whole[8:], "unknown .npy version 9.0: only 1.0, 2.0 and 3.0 can be read")):
            self.write("a.npy", array)
            self.stops(status, f"a.npy: {message}", "walsh", "a.npy")
        # Modulo 2^64, 16 times these sizes are the bytes that are there.
        for descr, type_code, shape in (("<f8", "d", f"({2**61 + 3},)"), ("<c8", "f", f"({2**61 + 3},)"),
                                        ("<c16", "d", f"({2**60 + 3},)"), ("<c16", "d", f"({2**58}, {12})")):
            numbers = [0] * (0 if "12" in shape else 6 if descr[1] == "c" else 3)
            self.write("a.npy", npy(descr, numbers, type_code, shape))
            self.stops(4, f"a.npy: the .npy header has no valid shape, but {shape}", "vilenkin-chrestenson", "--group", "3", "a.npy")
        header = whole[10:len(whole) - 16]
        for array in (whole, *(whole[:6] + bytes([version, 0]) + struct.pack("<I", len(header)) + header + whole[-16:] for version in (2, 3))):
            self.write("a.npy", array)
            self.gives("10\n-2\n-4\n0\n", "walsh", "a.npy", "--to", "text")

    def test_tables_take_their_space_first(self):
        """A table that does not fit the disk is refused before any value is computed, in little processor time."""
        limit = support.limited(resource.RLIMIT_CPU, 2)
        self.fails(2, "spectral", "characters", "2^24", "--rows", "0:16777216", "--values", "uint8", "--to", "raw", "-o", "t",
                   preexec_fn=limit, matches="^fugu: t: cannot reserve 281474976710656 bytes: [^;\n]*; t was not created\n$")
        self.assertEqual(self.names(), ["pass"])

    def test_few_columns_take_little_time(self):
        table = self.output("characters", "65536", "--columns", "3:1", "--values", "uint16", "--to", "raw")
        self.assertEqual(table, struct.pack("<65536H", *[3 * w % 65536 for w in range(65536)]))
        part = self.output("characters", "7x3x5", "--columns", "13:4", "--values", "uint8", "--to", "raw")
        digits = lambda k: (k // 15, k // 5 % 3, k % 5)
        exponent = lambda w, z: sum(a * b * 105 // q for a, b, q in zip(digits(w), digits(z), (7, 3, 5))) % 105
        self.assertEqual(part, bytes(exponent(w, z) for w in range(105) for z in range(13, 17)))
