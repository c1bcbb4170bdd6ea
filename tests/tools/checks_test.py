"""The checks of the sources, and tools/breaks, on trees and objects of a few lines.

usage: checks_test.py TOOLS CXX [unittest arguments]
"""

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TOOLS, CXX = pathlib.Path(sys.argv.pop(1)).resolve(), sys.argv.pop(1)
NAME = "a schedule is not wiped"
LINE = "core::wipe(this, sizeof *this);"

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


class Tool(unittest.TestCase):
    def setUp(self):
        self.root = self.new_folder()

    def new_folder(self) -> pathlib.Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_tool(self, name: str, path: pathlib.Path) -> tuple[int, str]:
        done = subprocess.run([sys.executable, TOOLS / name, path], stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout


class CheckLayers(Tool):
    """Each kind of forbidden include is reported with file and line, and nothing else."""

    def check(self, files: dict[str, str]) -> tuple[int, str]:
        self.root = self.new_folder()
        self.write(files)
        status, output = self.run_tool("check_layers", self.root)
        return status, output.strip()

    def test_accepts_what_the_table_allows(self) -> None:
        allowed = {
            "src/fugu/core/block.hpp": "#include <cstdint>\n",
            "src/fugu/cipher/schedule.cpp": '#include "fugu/core/block.hpp"\n#include "fugu/error.hpp"\n#include <map>\n',
            "src/fugu/auth/kdf.cpp": '#include <openssl/evp.h>\n#include "fugu/auth/detail/openssl_handle.hpp"\n',
            "src/fugu/engine/registry.cpp": '#include "fugu/engine/cpu/kernels.hpp"\n',
            "src/fugu/engine/cpu/avx512vbmi.cpp": "#include <immintrin.h>\n",
            "src/fugu/device/buffer.cpp": '#include "fugu/device/detail/cuda_check.hpp"\n#include <cuda_runtime_api.h>\n',
            "src/cli/main.cpp": '#include "cli/options.hpp"\n#include <iostream>\n#include <boost/program_options.hpp>\n',
            "kernels/blowfish/ecb.cu": '#include "kernels/blowfish/blowfish_launch.hpp"\n#include "kernels/blowfish/ecb_agent.hpp"\n#include <cuda_runtime.h>\n',
        }
        self.assertEqual(self.check(allowed), (0, f"{len(allowed)} files keep the include rules"))

    def test_refuses_two_classes_of_one_name(self) -> None:
        one, other = "namespace fugu::cli {\n\nstruct Input {\n", "namespace fugu::cli {\nnamespace {\nstruct Input {\n"
        end = "};\n}  // namespace\n}  // namespace fugu::cli\n"
        apart = {"src/cli/a.hpp": one, "src/cli/b.cpp": other + end + "struct Input::State {\n", "src/cli/c.hpp": "struct Input;\n"}
        self.assertEqual(self.check(apart)[0], 0)
        again = self.check({"src/cli/a.hpp": one, "src/cli/b.cpp": other + end + one})
        self.assertEqual(again, (1, "src/cli/b.cpp:9: src/cli/a.hpp defines fugu::cli::Input too"))

        systems = {"src/fugu/stream/posix/detail/a.hpp": one, "src/fugu/platform/windows/a.cpp": one}
        self.assertEqual(self.check(systems)[0], 0)
        self.assertEqual(self.check({**systems, "src/fugu/platform/windows/b.cpp": one})[0], 1)

    def test_refuses_options_as_the_program_spells_them(self) -> None:
        row = 'constexpr OptionRow kOptions[] = {number_option("n", {1, 2}, "See --skip; it is long.")};\n'
        code = row + "// as \"--mode\" says '\"'\nconst Codec c{.made_by = \"gpg --cipher\"};\nconst char a = '\"';\n"
        self.assertEqual(self.check({"src/fugu/format/x/x.cpp": code, "src/cli/main.cpp": 'f("--yes");'})[0], 0)
        for text in ('"give --yes"', '"--" + name', '"-a"'):
            status, output = self.check({"src/fugu/format/x/x.cpp": code + f"throw f({text});\n"})
            self.assertEqual((status, output), (1, f"src/fugu/format/x/x.cpp:5: {text.split(' +')[0]}: an option of a text stands in brackets, as error.hpp says"))

    def test_refuses_circles_of_headers_with_their_sources(self) -> None:
        files = {
            "src/fugu/spectral/walsh.cpp": '#include "fugu/spectral/walsh.hpp"\n#include "fugu/spectral/detail/order.hpp"\n',
            "src/fugu/spectral/walsh.hpp": "",
            "src/fugu/spectral/detail/order.hpp": '#include "fugu/spectral/options.hpp"\n',
            "src/fugu/spectral/options.hpp": "",
        }
        self.assertEqual(self.check(files)[0], 0)
        files["src/fugu/spectral/options.hpp"] = '\n#include "fugu/spectral/walsh.hpp"\n'
        self.assertEqual(self.check(files), (
            1, "src/fugu/spectral/detail/order.hpp:1: src/fugu/spectral/options needs src/fugu/spectral/order in turn\n"
            "src/fugu/spectral/options.hpp:2: src/fugu/spectral/walsh needs src/fugu/spectral/options in turn\n"
            "src/fugu/spectral/walsh.cpp:2: src/fugu/spectral/order needs src/fugu/spectral/walsh in turn"))

    def test_refuses_a_program_that_knows_a_format(self) -> None:
        row = 'const Codec kBfeCodec{\n    .name = "bfe",\n    .extensions = kExtensions<".bfe", ".bf2">,\n'
        for text in ('find("bfe")', '{".fugu", ".bf2"}', '"The endings .bfe and others"', '"FILE.bfe"'):
            with self.subTest(text=text):
                status, output = self.check({"src/fugu/format/bfe/bfe.cpp": row, "src/cli/a.cpp": f"\n{text};\n"})
                self.assertEqual((status, output.split(": ")[0]), (1, "src/cli/a.cpp:2"))
        for text in ('"bfes"', '".bfes"', 'f();  // "bfe"', '#include "bfe"', '"opens FILE.fugu"'):
            with self.subTest(text=text):
                output = self.check({"src/fugu/format/bfe/bfe.cpp": row, "src/cli/a.cpp": text})[1]
                self.assertNotIn("its row alone", output)

    def test_refuses_what_the_table_forbids(self) -> None:
        forbidden = {
            ("src/fugu/core/block.hpp", "#include <vector>"),
            ("src/fugu/core/block.hpp", '#include "fugu/error.hpp"'),
            ("src/fugu/choice.cpp", '#include "fugu/core/block.hpp"'),
            ("src/fugu/cipher/schedule.hpp", '#include "fugu/engine/engine.hpp"'),
            ("src/fugu/engine/engine.hpp", '#include "fugu/engine/cpu/kernels.hpp"'),
            ("src/fugu/engine/cpu/scalar.cpp", "#include <immintrin.h>"),
            ("src/fugu/engine/cuda/cuda_engine.cpp", "#include <cuda_runtime_api.h>"),
            ("src/fugu/device/buffer.hpp", "#include <cuda_runtime_api.h>"),
            ("src/fugu/device/buffer.hpp", '#include "fugu/device/detail/cuda_check.hpp"'),
            ("src/fugu/mode/mode.cpp", '#include "fugu/stream/source.hpp"'),
            ("src/fugu/auth/kdf.hpp", "#include <openssl/evp.h>"),
            ("src/fugu/auth/kdf.hpp", '#include "fugu/auth/detail/openssl_handle.hpp"'),
            ("src/fugu/format/raw/raw.cpp", "#include <openssl/evp.h>"),
            ("src/fugu/format/raw/raw.cpp", '#include "fugu/device/buffer.hpp"'),
            ("src/fugu/format/raw/raw.cpp", "#include <boost/program_options.hpp>"),
            ("src/fugu/format/raw/raw.cpp", '#include "fugu/format/sealed/sealed.hpp"'),
            ("src/fugu/format/raw/raw.cpp", '#include "fugu/mode/detail/serial.hpp"'),
            ("src/cli/process/console.cpp", '#include "cli/files/files.hpp"'),
            ("src/cli/cipher/run.cpp", '#include "fugu/format/sealed/sealed.hpp"'),
            ("src/cli/table/format_options.cpp", '#include "fugu/format/detail/recipes.hpp"'),
            ("src/cli/bench/file.cpp", '#include "fugu/format/raw/raw.hpp"'),
            ("src/fugu/spectral/walsh.cpp", '#include "fugu/cipher/schedule.hpp"'),
            ("src/fugu/stream/source.cpp", "#include <iostream>"),
            ("src/fugu/stream/source.cpp", "#include <unistd.h>"),
            ("src/fugu/auth/secret.cpp", "#include <sys/mman.h>"),
            ("src/fugu/threads/thread_pool.cpp", "#include <sched.h>"),
            ("src/fugu/spectral/detail/integers.hpp", "#include <sys/mman.h>"),
            ("src/fugu/engine/cpu/scalar.cpp", "#include <windows.h>"),
            ("src/fugu/platform/system.hpp", "#include <sys/types.h>"),
            ("src/fugu/platform/posix/system.cpp", "#include <windows.h>"),
            ("src/fugu/platform/windows/system.cpp", "#include <unistd.h>"),
            ("src/fugu/format/raw/raw.cpp", '#include "fugu/stream/posix/detail/file_status.hpp"'),
            ("src/fugu/stream/source.cpp", '#include "cli/options.hpp"'),
            ("src/fugu/stream/source.cpp", '#include "sink.hpp"'),
            ("src/fugu/stream/source.cpp", "  #  include <unheard/of.hpp>"),
            ("kernels/blowfish/blowfish_launch.hpp", "#include <cuda_runtime.h>"),
            ("kernels/blowfish/blowfish_launch.hpp", "#include <vector>"),
            ("kernels/ecb_agent.hpp", '#include "fugu/cipher/schedule.hpp"'),
            ("kernels/ecb.cu", '#include "fugu/engine/engine.hpp"'),
        }
        for path, line in sorted(forbidden):
            with self.subTest(path=path, line=line):
                status, output = self.check({path: "// first line\n" + line + "\n"})
                self.assertEqual(status, 1)
                self.assertTrue(output.startswith(f"{path}:2: "), output)
                self.assertEqual(output.count("\n"), 0, output)

    def test_refuses_a_file_in_no_layer_and_an_empty_tree(self) -> None:
        status, output = self.check({"src/fugu/new_room/x.cpp": ""})
        self.assertEqual((status, output.split(": ")[0]), (1, "src/fugu/new_room/x.cpp:1"))
        self.assertEqual(self.check({})[0], 1)


class CheckIsa(Tool):
    """Wide code in functions that do not name an extension is found, and only there."""

    def check(self, source: str) -> tuple[int, str]:
        command = [CXX, "-O1", "-x", "c++", "-c", "-", "-o", str(self.root / "x.o")]
        subprocess.run(command, input=source, text=True, check=True)
        return self.run_tool("check_isa", self.root / "x.o")

    def test_finds_each_kind_of_leak(self) -> None:
        for kind, instruction in WIDE.items():
            with self.subTest(kind):
                status, output = self.check(function("narrow", NARROW[0]) + function("leak", instruction))
                self.assertEqual(status, 1)
                self.assertIn(f"leak(): {instruction.split()[0]}", output)
                self.assertNotIn("narrow()", output)

    def test_accepts_functions_that_name_the_extension(self) -> None:
        for instruction in WIDE.values():
            self.assertEqual(self.check(function("sum_avx2", instruction))[0], 0)
            self.assertEqual(self.check(f"namespace avx512vbmi {{ {function('sum', instruction)} }}")[0], 0)

    def test_accepts_baseline_code(self) -> None:
        status, output = self.check("".join(function(f"f{i}", text) for i, text in enumerate(NARROW)))
        self.assertEqual(status, 0, output)

    def test_refuses_a_file_without_functions(self) -> None:
        self.assertEqual(self.check("int x;")[0], 1)


class CheckText(Tool):
    def faults(self, name: str, text: str) -> list[str]:
        self.root = self.new_folder()
        self.write({"src/there.hpp": "", name: text})
        status, output = self.run_tool("check_text", self.root)
        found = [line.split(": ")[0] for line in output.splitlines() if line.startswith(name)]
        self.assertEqual(status, int(bool(found)), output)
        return found

    def test_names_in_comments_and_pages(self) -> None:
        self.assertEqual(self.faults("src/a.cpp", "// As there.hpp and src/there.hpp.\n// Not as gone.hpp.\n"), ["src/a.cpp:2"])
        self.assertEqual(self.faults("a.js", '"gone.js";  // as gone.js\n'), ["a.js:1"])
        self.assertEqual(self.faults("a.md", "Samples: `gone.csv`, other/there.hpp.\n"), ["a.md:1"] * 2)

    def test_what_the_history_has_is_cited_with_a_commit(self) -> None:
        for text in ("// (gone.csv at 25ce3044)\n", "// (gone.csv\n// at 25ce3044)\n", "// `gone.csv` (at\n// 25ce3044)\n"):
            self.assertEqual(self.faults("a.cpp", text), [])
        self.assertEqual(self.faults("a.cpp", "// (gone.csv in the history)\n"), ["a.cpp:1"])

    @unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is missing")
    def test_the_layout_of_cpp(self) -> None:
        self.assertEqual(self.faults("a.cpp", "int  a;\n"), ["a.cpp:1"])
        self.assertEqual(self.faults("a.cpp", "int a;\n"), [])


class Breaks(Tool):
    """--build, on a checkout of one file and with a ctest that looks at it: what is said, and that the file is as before."""

    def setUp(self):
        super().setUp()
        self.source = self.root / "src/fugu/cipher/schedule.cpp"
        self.write({"src/fugu/cipher/schedule.cpp": f"{{ {LINE} }}\n", "tools/breaks": (TOOLS / "breaks").read_text()})

    def start(self, ctest: str, cmake: str = "exit 0") -> subprocess.Popen:
        self.write({f"bin/{name}": f"#!/bin/sh\n{script}\n" for name, script in (("cmake", cmake), ("ctest", ctest))})
        for name in ("cmake", "ctest"):
            (self.root / "bin" / name).chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        return subprocess.Popen([sys.executable, self.root / "tools/breaks", "--build", self.root, NAME], cwd=self.root, env=environment,
                                stdout=subprocess.PIPE, text=True)  # fmt: skip

    def expect(self, status: int, said: str, *scripts: str) -> None:
        process = self.start(*scripts)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, " ".join(out.split())), (status, f"{said} {1 - status} of 1 breaks seen"))
        self.assertIn(LINE, self.source.read_text())

    def test_what_is_said(self):
        grep = f"grep -q 'sizeof' {self.source}"
        self.expect(0, f"this build {NAME}", grep)
        self.expect(0, f"this build, at compile time {NAME}", "exit 0", grep)
        self.expect(1, f"UNSEEN {NAME}", "exit 0")
        self.expect(1, f"FAILS ({self.root.name}: without the break as well) {NAME}", "exit 1")
        self.expect(1, f"FAILS ({self.root.name}: without the break as well) {NAME}", "exit 0", "exit 1")

    def test_a_run_that_is_terminated(self):
        process = self.start(f"grep -q sizeof {self.source} || exec sleep 60")
        for _ in range(600):
            if LINE not in self.source.read_text():
                break
            time.sleep(0.05)
        self.assertNotIn(LINE, self.source.read_text())
        process.terminate()
        process.communicate(timeout=60)
        self.assertIn(LINE, self.source.read_text())


if __name__ == "__main__":
    if "CheckIsa" in sys.argv and platform.machine() != "x86_64":
        print("skipped: the instructions are x86-64's")
        sys.exit(77)
    unittest.main()
