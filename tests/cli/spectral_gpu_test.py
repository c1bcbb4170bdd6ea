"""fugu spectral on a GPU writes the same bytes as on the CPU, for every operation, format, type and order."""

import os
import random
import sys
from unittest.mock import ANY

import support
from support import Case

GPU = ["--engine", "cuda:0"]
CPU = ["--engine", "cpu"]


def lines(values):
    return "".join("%s\n" % v for v in values).encode()


def numbers(count, bound, seed):
    source = random.Random(seed)
    return lines(source.randint(-bound, bound) for _ in range(count))


class OnGpu(Case):
    def same(self, *arguments, input=b"", subcommand="spectral", engines=(CPU,)):
        """Returns the GPU's result after comparing it with that of other engines."""
        gpu = self.run_fugu(subcommand, *arguments, *GPU, input=input)
        self.assertEqual(gpu[0::2], (0, ""), arguments)
        self.assertNotEqual(gpu[1], b"", arguments)
        for engine in engines:
            other = self.run_fugu(subcommand, *arguments, *engine, input=input)
            self.assertTrue(gpu == other, f"the outputs differ: {arguments}")  # assertEqual would print both outputs
        return gpu[1]

    def test_walsh_and_inverse(self):
        for kind in ("int32", "int64", "float32", "float64"):
            for bits, order in ((0, "natural"), (5, "dyadic"), (12, "sequency"), (15, "natural")):
                chosen = ["--from", "text", "--type", kind, "--order", order]
                spectrum = self.same("walsh", *chosen, input=numbers(1 << bits, 1000, bits))
                self.same("inverse", *chosen, input=spectrum)

    def test_truth_tables_and_rows(self):
        self.same("walsh", input=b"0110100110010110\n")
        self.same("walsh", "--from", "hex", input=b"96696996\n")
        self.same("walsh", "--from", "polynomial", "--variables", "9", input=b"x0 x1 + x2 x8 + 1")
        rows = self.same("walsh", "--type", "int32", "--to", "npy", "--row-bits", "6", input=numbers(1 << 9, 99, 1))
        self.write("rows.npy", rows)
        self.same("inverse", "rows.npy")
        raw = self.same("walsh", "--from", "raw", "--type", "int32", input=bytes([7, 0, 0, 0, 250, 0, 0, 0]) * 2**15)
        self.assertEqual(len(raw), 2**18)

    def test_the_papers_algorithms(self):
        values = numbers(1 << 12, 99, 2)
        expected = self.run_fugu("spectral", "walsh", "--type", "int32", *CPU, input=values)
        for algorithm in "123456":
            made = self.run_fugu("spectral", "walsh", "--type", "int32", "--algorithm", algorithm, *GPU, input=values)
            self.assertTrue(made == expected, f"the outputs differ: algorithm {algorithm}")

    def test_nonlinearity(self):
        for variables in ("1", "4", "13", "17"):
            polynomial = b"x0" if variables == "1" else b"x0 x1 + x2 x3 + 1"
            self.same("nonlinearity", "--from", "polynomial", "--variables", variables, input=polynomial)
        self.same("nonlinearity", "--json", input=b"0110100110010110\n")

    def calibrated(self, core, gpu):
        return super().calibrated(core, gpu, 0.3, f"cpu/avx512vbmi {core}\ncpu/scalar {core}\ncuda:0 {gpu}\n")

    def test_auto_goes_by_the_calibration(self):
        self.write("key", bytes(range(16)))
        self.write("plain", bytes(100000))
        runs = [("nonlinearity", "hex", b"96696996\n"), ("walsh", "hex", b"96696996\n"), ("inverse", "text", b"4 0 0 0\n")]
        for core, gpu, engine in ((1, 1e-12, "cuda:0"), (1e-12, 1, "cpu, 1 threads")):
            environment = self.calibrated(core, gpu)
            for name, kind, given in runs:
                arguments = ["spectral", name, "-v", "--from", kind]
                out = self.run_fugu(*arguments, *CPU, input=given)[1]
                self.expect(0, out, f"fugu: {name}: {engine}\n", *arguments, "-T", "1", input=given, env=environment)
            self.ends(0, None, "encrypt", "-vf", "--key", "file:key", "--engine", "auto", "plain", env=environment, says=engine[:3])
            self.expect(0, bytes(100000), "", "decrypt", "--key", "file:key", *CPU, "plain.fugu", "-o", "-")

    def test_auto_without_a_gpu_is_the_cpu(self):
        environment = {**self.calibrated(0.1, 1e-12), "CUDA_VISIBLE_DEVICES": ""}
        for name in ("nonlinearity", "walsh"):
            self.expect(0, ANY, f"fugu: {name}: cpu, 1 threads\n", "spectral", name, "-v", "-T", "1", input=b"0110\n", env=environment)

    def test_auto_gives_the_same(self):
        for variables in ("17", "28"):  # the second may be worth a GPU
            arguments = ["spectral", "nonlinearity", "--from", "polynomial", "--variables", variables]
            automatic = self.run_fugu(*arguments, input=b"x0 x1 + x2 x3 x4")
            self.assertEqual(automatic, self.run_fugu(*arguments, *GPU, input=b"x0 x1 + x2 x3 x4"))
            self.assertEqual(automatic[0::2], (0, ""))

    def test_convolve_and_autocorrelate(self):
        for bits in (0, 2, 13, 16):
            self.write("f", numbers(1 << bits, 100, 3))
            self.write("g", numbers(1 << bits, 100, 4))
            self.same("convolve", "--from", "text", "f", "g")
            self.same("autocorrelate", "--from", "text", "f")
            self.same("convolve", "--from", "text", "--type", "float64", "f", "g")
        self.same("autocorrelate", "--from", "hex", input=b"96696996\n")

    def test_characters(self):
        for group, order, to in (("4", "kronecker", "text"), ("3^5", "equation1", "npy"), ("2x3x4x5", "kronecker", "raw"),
                                 ("300", "equation1", "raw")):
            for values in ("uint16", "complex64", "complex128"):
                self.same("characters", group, "--values", values, "--row-order", order, "--to", to)
        self.same("characters", "3^5", "--values", "uint8")
        self.same("characters", "3^30", "--values", "uint8", "--rows", "12345678901:3", "--columns", "777:1000")

    def test_batches_of_boxes(self):
        source = random.Random(5)
        for inputs, outputs, count in ((8, 8, 3000), (4, 4, 70000), (5, 3, 10), (10, 8, 5)):
            boxes = "".join("%s\n" % " ".join(str(source.randrange(1 << outputs)) for _ in range(1 << inputs))
                            for _ in range(count))
            self.write("boxes", boxes)
            for fields in ("du,linearity,nl,deg", "deg"):
                self.same("report", "--batch", "--from", "text", "--outputs", str(outputs), "--only", fields, "boxes",
                          subcommand="sbox", engines=(CPU, ["--engine", "auto"]))

    def test_what_takes_long_on_a_core_only(self):
        arguments = ["sbox", "report", "--csv", "--only", "linear", "random:13:20:1"]
        cpu = self.run_fugu(*arguments, "--exhaustive", *CPU)
        self.assertEqual(cpu[0::2], (0, ""))
        self.assertTrue(self.run_fugu(*arguments, *GPU) == cpu, "the outputs differ")
        large = ["sbox", "report", "--csv", "--only", "linearity", "random:19:20:1"]
        self.assertEqual(self.run_fugu(*large, *CPU)[1], b"name,n,m,linearity\nrandom:19:20:1,19,20,-\n")
        self.assertRegex(self.run_fugu(*large, *GPU)[1], rb"19,20,[0-9]+\n$")

    def test_whole_reports(self):
        for box in ("AES", "permutation:13:1", "random:9:12:1", "random:12:5:1"):
            self.same("report", "--json", box, subcommand="sbox")

    def test_boomerangs(self):
        for box in ("AES", "permutation:13:1", "power:12:5"):  # the last one is not a permutation
            for arguments in (["report", "--csv", "--only", "boomerang,sidechannel", box], ["spectrum", "bct", box], ["spectrum", "fbct", box]):
                self.same(*arguments, subcommand="sbox")
        err = self.ends(0, None, "sbox", "report", "--only", "boomerang,sidechannel", "AES", "-v", *GPU, says="fugu: boomerang tables: cuda:0\n")
        self.assertIn("fugu: transparency order: cuda:0\n", err)

    def test_boxes_that_auto_gives_to_the_gpu(self):
        box = " ".join(str(x * 167 & 255) for x in range(256)) + "\n"
        self.write("boxes", box * 4000)
        arguments = ["sbox", "report", "--batch", "boxes", "--only", "du,linearity,nl,deg", "--csv"]
        expected = self.run_fugu(*arguments, *CPU)
        self.assertEqual((expected[0], expected[2]), (0, ""))
        self.expect(0, expected[1], "fugu: small boxes: cuda:0\n", *arguments, "-v", "-T", "1")
        self.expect(0, expected[1], "fugu: small boxes: cuda:0\n", *arguments, "-v", *GPU)

    def test_refusals_are_the_cpus(self):
        def refused(*arguments, input):
            gpu = self.run_fugu("spectral", *arguments, *GPU, input=input)
            self.assertEqual((gpu[0], gpu[1]), (1, b""))
            self.assertEqual(gpu, self.run_fugu("spectral", *arguments, *CPU, input=input))
        refused("walsh", input=b"1 2 3")
        refused("inverse", input=b"1 0")
        refused("walsh", "--type", "int32", input=b"2147483647 1")
        self.fails(6, "spectral", "walsh", "--engine", "cuda:99", input=b"1 1",
                   matches="^fugu: there is no GPU 99: this machine has [^\n]*\n$")


if __name__ == "__main__":
    reason = support.missing_gpu(sys.argv[1])
    if reason and not os.environ.get("FUGU_REQUIRE_GPU"):
        print("skipped: no GPU:", reason)
        sys.exit(support.SKIPPED)
    support.main()
