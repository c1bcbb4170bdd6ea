"""tools/check_isa finds wide code in functions that do not name an extension, and only there.

usage: check_isa_test.py CHECK_ISA CXX
"""

import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest

CHECK_ISA = CXX = ""

# Each instruction stands alone, so that the test does not depend on a compiler's choice.
WIDE = {
    "EVEX, zmm": "vpxord %zmm0, %zmm0, %zmm0",
    "VEX, ymm": "vpxor %ymm0, %ymm0, %ymm0",
    "VEX, xmm": "vpxor %xmm0, %xmm0, %xmm0",
    "VEX, scalar": "vaddsd %xmm0, %xmm0, %xmm0",
    "EVEX, upper xmm": "vmovdqa32 %xmm16, %xmm17",
    "mask register": "kxorw %k1, %k1, %k1",
    "no operand": "vzeroupper",
}
NARROW = ["pxor %xmm0, %xmm0", "addsd %xmm1, %xmm0", "verr %ax", "mulq %rcx"]


def function(name: str, instruction: str) -> str:
    return f'void {name}() {{ asm volatile("{instruction}"); }}\n'


def check(source: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as directory:
        object_file = pathlib.Path(directory, "x.o")
        command = [CXX, "-O1", "-x", "c++", "-c", "-", "-o", str(object_file)]
        subprocess.run(command, input=source, text=True, check=True)
        run = subprocess.run(
            [sys.executable, CHECK_ISA, str(object_file)], stdout=subprocess.PIPE, text=True, check=False
        )
        return run.returncode, run.stdout


class CheckIsa(unittest.TestCase):
    def test_finds_each_kind_of_leak(self) -> None:
        for kind, instruction in WIDE.items():
            with self.subTest(kind):
                status, output = check(function("narrow", NARROW[0]) + function("leak", instruction))
                self.assertEqual(status, 1)
                self.assertIn(f"leak(): {instruction.split()[0]}", output)
                self.assertNotIn("narrow()", output)

    def test_accepts_functions_that_name_the_extension(self) -> None:
        for instruction in WIDE.values():
            self.assertEqual(check(function("sum_avx2", instruction))[0], 0)
            self.assertEqual(check(f"namespace avx512vbmi {{ {function('sum', instruction)} }}")[0], 0)

    def test_accepts_baseline_code(self) -> None:
        status, output = check("".join(function(f"f{i}", text) for i, text in enumerate(NARROW)))
        self.assertEqual(status, 0, output)

    def test_refuses_a_file_without_functions(self) -> None:
        self.assertEqual(check("int x;")[0], 1)


if __name__ == "__main__":
    CHECK_ISA, CXX = sys.argv.pop(1), sys.argv.pop(1)
    if platform.machine() != "x86_64":
        print("skipped: the instructions are x86-64's")
        sys.exit(77)
    unittest.main()
