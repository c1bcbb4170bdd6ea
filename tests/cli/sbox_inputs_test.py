"""fugu sbox: what a box is read from and converted to, and the messages about it."""

import re
import shutil
import struct
import subprocess
import unittest

import support
from sbox_support import SBox, VECTORS, parity, records
from spectral_test import npy

SAGE_ORDER = "--bit-order sage is for hexadecimal truth tables: --from rows, or hex with --outputs 1"


class Inputs(SBox):
    def same_box(self, data, *options, box=(3, 1, 2, 0)):
        self.gives("SBox([%s])\n" % ", ".join(map(str, box)), "inverse", "--to", "sage", *options, input=data)

    def test_texts_are_read_back(self):
        """As C, Python, LaTeX, VHDL and Verilog, of every width; what C and Python make of them, and the tools installed here."""
        boxes = (("PRESENT", 4), ("Ascon", 5), ("AES", 8), ("random:3:5:1", 5), ("random:6:1:2", 1), ("random:4:12:3", 12), ("CAST_S1", 32))
        for name, bits in support.some(boxes):
            values = self.values(name)
            for form in ("text", "sage", "hex", "c", "python", "latex", "vhdl", "verilog"):
                text = self.output("make", "--to", form, name)
                self.write(form, text)
                back = self.output("make", "--outputs", str(bits), form)
                self.assertEqual(list(map(int, back.split())), values, (name, form))
            scope = {}
            exec(self.output("make", "--to", "python", name), scope)
            self.assertEqual(scope["S"], values)
            self.assertEqual([int(v, 2) for v in re.findall('b"([01]+)"', self.output("make", "--to", "vhdl", name))], values)
            wide = re.findall("([0-9]+)'h([0-9a-f]+)", self.output("make", "--to", "verilog", name))
            self.assertEqual([(int(w), int(v, 16)) for w, v in wide], [(bits, v) for v in values])
            rows = re.findall(r"^(.*) \\\\$", self.output("make", "--to", "latex", name), re.MULTILINE)
            self.assertEqual([int(v) for row in rows for v in row.split(" & ")], values)
        self.stops(1, "--to takes text, npy, npy16, raw, sage, hex, not 'c'", "table", "--to", "c", "ddt", "AES")

    def check_with_tools(self, form, name, source, *commands):
        """The commands make and run a source with {} as the text: it prints the box's values."""
        self.write("t." + form, source.replace("{}", self.output("make", "--to", form, name)))
        for command in commands:
            done = subprocess.run(command.split(), cwd=self.directory, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.decode()

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_a_c_array_compiles(self):
        out = self.check_with_tools("c", "random:4:16:3", "#include <stdint.h>\n#include <stdio.h>\n{}int main(void) "
                                    '{ for (int x = 0; x < 16; ++x) printf("%d ", S[x]); return sizeof S != 32; }\n', "cc -Wall -Werror t.c", "./a.out")
        self.assertEqual(list(map(int, out.split())), self.values("random:4:16:3"))

    @unittest.skipUnless(shutil.which("iverilog"), "no iverilog")
    def test_verilog_runs(self):
        value = re.search(r"// S\(x\) is (.*)", self.output("make", "--to", "verilog", "Ascon"))[1]
        out = self.check_with_tools("verilog", "Ascon", "module t; integer x; {}initial for (x = 0; x < 32; x = x + 1) "
                                    f"$display({value}); endmodule\n", "iverilog -o t t.verilog", "vvp t")
        self.assertEqual(list(map(int, out.split())), self.values("Ascon"))

    @unittest.skipUnless(shutil.which("ghdl"), "no ghdl")
    def test_vhdl_runs(self):
        out = self.check_with_tools("vhdl", "Ascon", "library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all; use std.textio.all;\n"
                                    "entity t is end; architecture a of t is\n{}begin process variable l : line; begin for x in S'range loop for y in 4 downto 0 loop "
                                    "write(l, std_logic'image(S(x)(y))(2)); end loop; writeline(output, l); end loop; wait; end process; end;\n",
                                    "ghdl -a t.vhdl", "ghdl -e t", "ghdl -r t")
        self.assertEqual([int(bits, 2) for bits in out.split()], self.values("Ascon"))

    @unittest.skipUnless(shutil.which("latex"), "no latex")
    def test_latex_typesets(self):
        out = self.check_with_tools("latex", "AES", "\\documentclass{article}\\begin{document}\n{}\\end{document}\n",
                                    "latex -interaction=nonstopmode -halt-on-error t.latex")
        self.assertIn("Output written on t.dvi (1 page", out)

    def test_texts(self):
        # 3 1 2 0 is its own inverse.
        for text in ("3 1 2 0", "[3, 1, 2, 0]", "SBox((3,1,2,0))", "0x3, 0x1;\n0x2 0x0\n",
                     "static const uint8_t S[4] = {\n  0x03, 1u, /* three */ 2UL, // last\n  0x00 };\n",
                     "s = [3, 1, 2, 0]  # a Python list\n", "3120", 'x"3", X"1", x"2", x"0"', "2'd3, 2'h1, 2'b10, 2'B00",
                     "const S: [u8; 4] = [0x3u8, 1u8, 2_u8, 0usize];", "0b11 0b01 0b10 0B00", "3 & 1 & 2 & 0 \\\\\n"):
            self.same_box(text.encode())

    def test_hexadecimal_numbers_without_a_prefix(self):
        present, aes = self.values("PRESENT"), self.values("AES")
        for values, width, name in ((present, 1, "PRESENT"), (present, 2, "PRESENT"), (aes, 2, "AES")):
            words = [f"{y:0{width}x}" for y in values]
            texts = (" ".join(words), ", ".join(words).upper(), "\n".join(" ".join(words[i:i + 16]) for i in range(0, len(words), 16)),
                     " & ".join(words) + " \\\\\n", "\n".join("".join(words[i:i + 16]) for i in range(0, len(words), 16)))
            for text in texts if width == 2 and values is aes else texts[:4]:
                self.gives(" ".join(map(str, values)) + "\n", "make", input=text.encode())
            self.gives(" ".join(map(str, values)) + "\n", "make", "--from", "hex", input=texts[0].encode())
        # Bytes are not digits of 4 bits: here they were a box of 3 inputs and 4 outputs.
        for arguments in ([], ["--from", "hex"]):
            self.gives("99 124 119 123\n", "make", *arguments, input=b"63 7c 77 7b")
        packed = b"c5 6b 90 ad 3e f8 47 12"  # may be PRESENT, two entries in a byte
        self.stops(1, "these are 8 entries of 8 bits, or 16 of 4; give --outputs", "make", "--from", "hex", input=packed)
        self.gives(" ".join(map(str, present)) + "\n", "make", "--from", "hex", "--outputs", "4", input=packed)
        self.gives(" ".join(map(str, bytes.fromhex(packed.decode()))) + "\n", "make", "--from", "hex", "--outputs", "8", input=packed)
        # Groups of four are a run of digits, as in the notation of papers.
        self.gives(" ".join(map(str, present)) + "\n", "make", "--from", "hex", input=b"c56b 90ad 3ef8 4712")
        # A decimal table with a stray letter is none.
        self.stops(1, "entry 15, '2a', is not a number from 0 to 2^32 - 1; hexadecimal numbers need 0x, or all the same number of digits",
                   "make", input=b"12 5 6 11 9 0 10 13 3 14 15 8 4 7 1 2a")

    def test_powers_of_a_polynomial_in_two_notations(self):
        for text in ("x**3", "x^3", "x ** 3", "x*x**2", "x*x^2"):
            self.gives(self.output("make", "power:6:3"), "make", "--from", "univariate", "--field", "0x43", text)

    def test_a_box_alone_is_reported(self):
        self.write("mine.txt", "3 1 0 2\n")
        for box in ("mine.txt", "AES", "power:4:7"):
            self.assertEqual(self.output("--only", "basic", box), self.output("report", "--only", "basic", box))
        self.assertEqual(self.output("-", input=b"3 1 0 2"), self.output("report", "-", input=b"3 1 0 2"))
        self.assertIn("before a value: none better is known", self.output("--conventions"))
        self.fails(1, "sbox", "nothing", matches="^fugu: no operation 'nothing'; choose from report, ")
        self.stops(1, "'ddt' is a table: use fugu sbox table ddt AES", "ddt", "AES")

    def test_every_form_of_a_box_of_ones_own(self):
        self.write("mine.txt", "3 1 0 2\n")
        self.gives("SBox([3, 1, 0, 2])\n", "make", "mine.txt", "--to", "sage")
        self.gives("", "make", "mine.txt", "--to", "npy", "-o", "mine.npy")
        self.gives("3 1 0 2\n", "make", "mine.npy")
        self.stops(1, "mine.txt: is an input and is the output; nothing was done", "make", "mine.txt", "-f", "-o", "mine.txt")

    def test_64_hexadecimal_digits_are_an_entry_each(self):
        # As pairs they would be 32 entries, of which afh and others do not fit 5 bits.
        values = [(5 * x + x // 16) % 16 for x in range(64)]
        self.gives(" ".join(str(values[x] ^ values[x ^ 1]) for x in range(64)) + "\n",
                   "derivative", "1", input="".join("%x" % y for y in values).encode())

    def test_raw_and_npy(self):
        box = (3, 1, 2, 0)
        for name, code in (("u8", "4B"), ("u16le", "<4H"), ("u16be", ">4H"), ("u32le", "<4I"), ("u32be", ">4I")):
            self.same_box(struct.pack(code, *box), "--from", name)
        self.same_box(npy("|u1", box, "B"))

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
        self.gives(" ".join(map(str, inverse)) + "\n", "inverse", "--bit-order", "msb", input=" ".join(map(str, values)).encode())
        self.write("rows.npy", npy("|u1", turned + values, "B", "(2, 8)"))
        one_by_one = [self.row(input=" ".join(map(str, box)).encode()) for box in (values, turned)]
        self.assertNotEqual(*one_by_one)
        self.assertEqual([dict(row, name="-") for row in self.rows("--batch", "--bit-order", "msb", "rows.npy")], one_by_one)

    def test_des(self):
        table = "0x" + ",0x".join("c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d")
        des = next(box for box in records(VECTORS / "properties.txt") if box["names"] == "DES_S6")
        for arguments, data in ((["-", "--from", "des"], table.encode()), (["DES_S6"], b"")):
            self.assertEqual(self.row("--only", "basic,differential", *arguments, input=data)["ddt"], des["ddt"].replace(",", " "))
        self.gives(des["LUT"] + "\n", "make", "DES_S6", "--to", "hex")

    def test_messages(self):
        for box, message, *arguments in (
                ("0 " * 255, "255 entries, not a power of two", "report"),
                ("\n\n" + "1 " * 17 + "300" + " 1" * 238, "entry 17 (line 3): 300 does not fit 8 outputs", "report", "--outputs", "8"),
                ("0 1 2 3 x9", "entry 4, 'x9', is not a number from 0 to 2^32 - 1", "report"),
                ("0 " * 256, "--inputs 9: a box of 256 entries has 8 inputs", "report", "--inputs", "9"),
                ("0 1 2 5 4 6 7 8 9 5 5 10 11 12 13 14", "this needs a permutation; 3 pairs collide, first S(3) = S(9)", "inverse"),
                ("0 0 0 0", "no value has more than 1 bits; give the number of outputs: 1 or 2 (--outputs)", "inverse"),
                ("", "no entries", "report")):
            self.write("box", box)
            self.stops(1, f"box: {message}", *arguments, "box")
        self.stops(1, "'chi:21' is not a box: the families are chi:N, power:N:D[:0xPOLY], random:N:M:SEED and permutation:N:SEED, N from 1 "
                   "to 20, M to 32", "make", "chi:21")
        # X^4 + 1 = (X + 1)^4, X^8, and (X^2 + X + 1)^2 of degree 4
        for name in ("power:4:3:0x11", "power:8:254:0x100", "power:4:7:0x15"):
            self.stops(1, f"'{name}' is not a box: the polynomial is not irreducible", "make", name)
        self.stops(2, "nothing: neither a file nor a named box; see fugu sbox list", "report", "nothing")


class Boxes(SBox):
    def test_inverse_derivative_component(self):
        s = [0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2]
        self.gives(" ".join(str(s.index(y)) for y in range(16)) + "\n", "inverse", "PRESENT")
        self.gives(" ".join(str(s[x] ^ s[x ^ 5]) for x in range(16)) + "\n", "derivative", "5", "PRESENT")
        self.gives(" ".join(str(parity(s[x] & 9)) for x in range(16)) + "\n", "component", "0x9", "PRESENT")

    def test_families_equal_those_of_the_vectors(self):
        boxes = {box["names"]: box["LUT"] for box in records(VECTORS / "properties.txt")}
        for name, box in (("permutation:5:7005", "splitmix_perm_5"), ("random:3:8:308", "splitmix_3x8"),
                          ("chi:7", "chi_7"), ("AES", "AES=FlexAEAD=AES")):
            self.gives(boxes[box] + "\n", "make", name, "--to", "hex")

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

    def test_what_is_neither_a_file_nor_a_name(self):
        for name, nearest in (("Nothing-like-it", ""), ("aess", " (did you mean AES?)"), ("PRESNT", " (did you mean PRESENT?)")):
            self.stops(2, f"{name}: neither a file nor a named box{nearest}; see fugu sbox list", "report", name)
            self.stops(2, f"{name}: neither a file nor a named box{nearest}; see fugu sbox list", "make", name)
        self.stops(2, "none: neither a file nor a named box; see fugu sbox list", "report", "--batch", "none")

    def test_a_name_that_says_npy_of_what_is_none_is_noted(self):
        def note(name):
            return f"fugu: {name}: the name ends in .npy, but the content is not in that format\n"
        raw = struct.pack("<2i", 1, 1)
        self.expect(0, "", note("w.npy"), "spectral", "walsh", "--from", "raw", "--type", "int32", "-o", "w.npy", input=raw)
        self.expect(0, "", "", "spectral", "walsh", "--from", "raw", "--type", "int32", "--to", "npy", "-o", "v.npy", input=raw)
        self.expect(0, "", note("b.npy"), "sbox", "inverse", "AES", "-o", "b.npy")
        self.expect(0, "", note("t.npy"), "sbox", "table", "ddt", "AES", "-o", "t.npy")
        for operation in (["inverse"], ["table", "ddt"], ["components"]):
            self.gives("", *operation, "AES", "--to", "npy", "-f", "-o", "b.npy")
        self.gives("", "table", "ddt", "AES", "--to", "npy16", "-f", "-o", "b.npy")
        self.expect(0, "", "", "spectral", "characters", "3^2", "--to", "npy", "-o", "c.npy")
        self.expect(0, "", "", "spectral", "vilenkin-chrestenson", "--group", "3", "--to", "npy", "-o", "g.npy", input=b"1 2 3")

    def test_options_that_would_be_ignored_are_refused(self):
        self.write("box", "3 1 0 2\n")
        self.write("bits", "1100\n1010\n")
        for message, *arguments in (
                ("--key is for blowfish:1 to blowfish:4", "report", "--key", "file:none", "box"),
                ("--from is for boxes in files, and AES is built in", "report", "--from", "hex", "AES"),
                ("--batch is for boxes in files, and AES is built in", "report", "--batch", "AES"),
                ("--seed does not apply to report", "report", "--seed", "1", "box"),
                ("--only does not apply to report --random-keys", "report", "--random-keys", "1", "--only", "basic"),
                ("'box' is one argument too many; see fugu sbox --help", "report", "--random-keys", "1", "box"),
                ("--masks does not apply to components --exhaustive", "components", "--exhaustive", "--masks", "1", "box"),
                ("--json does not apply to components", "components", "--json", "box"),
                ("components are written as text, npy or CSV", "components", "--to", "sage", "box"),
                ("--to and --csv cannot be combined: give one of them", "components", "--to", "npy", "--csv", "box"),
                ("--to does not apply to anf --field", "anf", "--field", "0x7", "--to", "hex", "box"),
                ("--rows does not apply to spectrum", "spectrum", "ddt", "--rows", "0:1", "box"),
                ("--json does not apply to --conventions", "--conventions", "--json"),
                (f"box: {SAGE_ORDER}", "report", "--bit-order", "sage", "box"),
                (f"box: {SAGE_ORDER}", "report", "--bit-order", "sage", "--from", "hex", "box"),
                (f"bits: {SAGE_ORDER}", "report", "--bit-order", "sage", "--from", "rows", "bits"),
                ("'x' is one argument too many; see fugu sbox --help", "list", "x")):
            self.assertTrue(self.fails(1, "sbox", *arguments).startswith("fugu: " + message), message)
        self.gives("4 0 0 0\n", "table", "ddt", "--rows", "0:1", "--columns", "0:4", "box")
        self.stops(1, "--rows 0:1024: the table has 4 rows", "table", "ddt", "--rows", "0:1KiB", "box")

    def test_quiet_leaves_out_what_is_for_people(self):
        self.write("box", "3 1 0 2\n")
        for arguments in (["report", "box"], ["invariants", "box"], ["compare", "box", "box"], ["list"], ["--conventions"]):
            self.gives("", "-q", *arguments)
        self.gives("", "report", "-q", "-o", "sheet", "box")
        self.assertIn(b"2 inputs, 2 outputs", self.read("sheet"))
        self.gives("2 1 3 0\n", "inverse", "-q", "box")

    def test_names_in_json_are_as_they_are(self):
        self.write("b\x1bx", "3 1 0 2\n")
        report = self.json("--only", "basic", "b\x1bx")
        self.assertEqual((report["version"], report["name"]), (1, "b\x1bx"))
        self.assertTrue(self.output("report", "--only", "basic", "b\x1bx").startswith("b\\x1bx, 2 inputs"))

    def names(self):
        rows = [re.match(r"(\S+) +(\d+) x (\d+), (.+)", line) for line in self.output("list").splitlines()]
        return {row[1]: (int(row[2]), int(row[3]), row[4]) for row in rows if row}

    def test_each_has_a_size_and_an_origin(self):
        names = self.names()
        self.assertGreater(len(names), 300)
        for name in ("AES", "Kuznyechik", "SM4", "Skipjack", "Midori_Sb1", "3-Way", "KASUMI_S9", "DES_S5_2", "Optimal_S15"):
            inputs, outputs, origin = names[name]
            values = self.values(name)
            self.assertEqual((len(values), max(values) >> outputs, origin != ""), (1 << inputs, 0, True))

    def test_names_in_either_case(self):
        for name, given in (("Rectangle", "RECTANGLE"), ("AES", "aes"), ("3-Way", "3-WAY"), ("Blowfish_initial_S2", "BLOWFISH_initial_s2"),
                            ("FlexAEAD", "flexaead"), ("power:4:7", "Power:4:7"), ("power:4:7:0x19", "POWER:4:7:0X19")):
            self.assertEqual(self.values(given), self.values(name))
        names = [name.lower() for name in self.names()]
        self.assertEqual(len(set(names)), len(names))

    def test_list_and_conventions(self):
        listed = self.output("list")
        for name in ("AES", "DES_S1", "PRESENT", "Ascon", "chi:N", "CAST_S1", "Blowfish_initial_S1", "power:N:D"):
            self.assertIn(name, listed)
        self.assertIn("row a input mask, column b output mask", self.output("--conventions"))
