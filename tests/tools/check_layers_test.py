"""tools/check_layers reports each kind of forbidden include, with file and line, and nothing else.

usage: check_layers_test.py CHECK_LAYERS
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK_LAYERS = ""


def check(files: dict[str, str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([sys.executable, CHECK_LAYERS, root], stdout=subprocess.PIPE, text=True, check=False)
        return run.returncode, run.stdout.strip()


class CheckLayers(unittest.TestCase):
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
        self.assertEqual(check(allowed), (0, f"{len(allowed)} files keep the include rules"))

    def test_refuses_two_classes_of_one_name(self) -> None:
        one, other = "namespace fugu::cli {\n\nstruct Input {\n", "namespace fugu::cli {\nnamespace {\nstruct Input {\n"
        end = "};\n}  // namespace\n}  // namespace fugu::cli\n"
        apart = {"src/cli/a.hpp": one, "src/cli/b.cpp": other + end + "struct Input::State {\n", "src/cli/c.hpp": "struct Input;\n"}
        self.assertEqual(check(apart)[0], 0)
        status, output = check({"src/cli/a.hpp": one, "src/cli/b.cpp": other + end + one})
        self.assertEqual((status, output), (1, "src/cli/b.cpp:9: src/cli/a.hpp defines fugu::cli::Input too"))

        systems = {"src/fugu/stream/posix/detail/a.hpp": one, "src/fugu/platform/windows/a.cpp": one}
        self.assertEqual(check(systems)[0], 0)
        self.assertEqual(check({**systems, "src/fugu/platform/windows/b.cpp": one})[0], 1)

    def test_refuses_options_as_the_program_spells_them(self) -> None:
        row = 'constexpr OptionRow kOptions[] = {number_option("n", {1, 2}, "See --skip; it is long.")};\n'
        code = row + "// as \"--mode\" says '\"'\nconst Codec c{.made_by = \"gpg --cipher\"};\nconst char a = '\"';\n"
        self.assertEqual(check({"src/fugu/format/x/x.cpp": code, "src/cli/main.cpp": 'f("--yes");'})[0], 0)
        for text in ('"give --yes"', '"--" + name', '"-a"'):
            status, output = check({"src/fugu/format/x/x.cpp": code + f"throw f({text});\n"})
            self.assertEqual((status, output), (1, f"src/fugu/format/x/x.cpp:5: {text.split(' +')[0]}: an option of a text stands in brackets, as error.hpp says"))

    def test_refuses_circles_of_headers_with_their_sources(self) -> None:
        files = {
            "src/fugu/spectral/walsh.cpp": '#include "fugu/spectral/walsh.hpp"\n#include "fugu/spectral/detail/order.hpp"\n',
            "src/fugu/spectral/walsh.hpp": "",
            "src/fugu/spectral/detail/order.hpp": '#include "fugu/spectral/options.hpp"\n',
            "src/fugu/spectral/options.hpp": "",
        }
        self.assertEqual(check(files)[0], 0)
        files["src/fugu/spectral/options.hpp"] = '\n#include "fugu/spectral/walsh.hpp"\n'
        status, output = check(files)
        self.assertEqual((status, output.splitlines()), (1, [
            "src/fugu/spectral/detail/order.hpp:1: src/fugu/spectral/options needs src/fugu/spectral/order in turn",
            "src/fugu/spectral/options.hpp:2: src/fugu/spectral/walsh needs src/fugu/spectral/options in turn",
            "src/fugu/spectral/walsh.cpp:2: src/fugu/spectral/order needs src/fugu/spectral/walsh in turn",
        ]))

    def test_refuses_a_program_that_knows_a_format(self) -> None:
        row = 'const Codec kBfeCodec{\n    .name = "bfe",\n    .extensions = kExtensions<".bfe", ".bf2">,\n'
        for text in ('find("bfe")', '{".fugu", ".bf2"}', '"The endings .bfe and others"', '"FILE.bfe"'):
            with self.subTest(text=text):
                status, output = check({"src/fugu/format/bfe/bfe.cpp": row, "src/cli/a.cpp": f"\n{text};\n"})
                self.assertEqual((status, output.split(": ")[0]), (1, "src/cli/a.cpp:2"))
        for text in ('"bfes"', '".bfes"', 'f();  // "bfe"', '#include "bfe"', '"opens FILE.fugu"'):
            with self.subTest(text=text):
                output = check({"src/fugu/format/bfe/bfe.cpp": row, "src/cli/a.cpp": text})[1]
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
                status, output = check({path: "// first line\n" + line + "\n"})
                self.assertEqual(status, 1)
                self.assertTrue(output.startswith(f"{path}:2: "), output)
                self.assertEqual(output.count("\n"), 0, output)

    def test_refuses_a_file_in_no_layer_and_an_empty_tree(self) -> None:
        status, output = check({"src/fugu/new_room/x.cpp": ""})
        self.assertEqual((status, output.split(": ")[0]), (1, "src/fugu/new_room/x.cpp:1"))
        self.assertEqual(check({})[0], 1)


if __name__ == "__main__":
    CHECK_LAYERS = sys.argv.pop(1)
    unittest.main()
