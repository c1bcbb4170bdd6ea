"""tools/report: how it reads Markdown, and the tables of `fugu bench` for figures worked out by hand.

usage: report_test.py TOOL
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("report", TOOL)
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", loader))
loader.exec_module(report)

SAMPLES = """\
machine,date,commit,command,scope,engine,threads,mode,direction,place,bytes,thread_blocks,threads_per_block,sample,seconds,cpu_seconds,gb_per_s
M,2026-01-01,abcdef0,it,kernel,cuda:0,,ecb,encrypt,device memory,536870912,132,1024,0,1,0.5,900
M,2026-01-01,abcdef0,it,kernel,cuda:0,,ecb,encrypt,device memory,536870912,132,1024,1,1,0.1,880
M,2026-01-01,abcdef0,it,kernel,cuda:0,,ecb,encrypt,device memory,536870912,132,1024,2,1,0.2,930
M,2026-01-01,abcdef0,it,copy,openssl 3.0.13,16,ctr,encrypt,host memory,4096,,,0,1,0.5,1.5
"""


def html_of(text: str) -> str:
    return "\n".join(report.from_markdown(text))


class Markdown(unittest.TestCase):
    def test_table(self):
        text = html_of("| a | b |\n| --- | --- |\n| x<y | 12 (1-2) |\n")
        self.assertIn("<tr><th>a</th><th>b</th></tr>", text)
        self.assertIn('<tr><td class="text">x&lt;y</td><td>12 (1-2)</td></tr>', text)

    def test_paragraphs_headings_and_lists(self):
        self.assertEqual(html_of("### T: *e* `c*d*`\none\ntwo\n\n- l\n"),
                         "<h3>T: <em>e</em> <code>c*d*</code></h3>\n<p>one two</p>\n<ul><li>l</li></ul>")  # fmt: skip

    def test_a_product_is_no_emphasis(self):
        self.assertEqual(html_of("2*3 and 4*5"), "<p>2*3 and 4*5</p>")


class BenchTables(unittest.TestCase):
    def test_medians_by_scope(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "bench.csv")
            path.write_text(SAMPLES)
            text = report.bench_tables(path)
        self.assertIn(
            "| cuda:0 |  | ecb encrypt | 512 MiB | 132 x 1024 | 900 (880-930) | 3 | 0.200 | device memory |", text
        )
        self.assertIn(
            "| openssl 3.0.13 | 16 | ctr encrypt | 4 KiB |  | 1.50 (1.50-1.50) | 1 | 0.500 | host memory |", text
        )
        self.assertLess(text.index("Kernel:"), text.index("Copy:"))


if __name__ == "__main__":
    unittest.main()
