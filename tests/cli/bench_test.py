"""fugu bench: what it prints, in each form, and what it refuses. Figures are not checked, since they depend on the machine."""

import csv
import io
import json
import subprocess
from collections import Counter

import support
from support import Case

COLUMNS = ("machine,date,commit,command,scope,engine,threads,mode,direction,place,bytes,thread_blocks,"
           "threads_per_block,sample,seconds,cpu_seconds,gb_per_s")
SMALL = ["--size", "64K", "--runs", "2", "--engine", "cpu/scalar", "-T", "2"]


class Bench(Case):
    SUBCOMMAND = ["bench"]

    def bench(self, *arguments):
        return self.output(*arguments).decode()

    def csv(self, *arguments):
        text = self.bench(*arguments, "--csv")
        self.assertEqual(text.splitlines()[0], COLUMNS)
        rows = list(csv.DictReader(io.StringIO(text)))
        for row in rows:
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
        return rows


class Forms(Bench):
    def test_csv_has_one_sample_a_row(self):
        rows = self.csv("--scope", "kernel", "--mode", "ecb,cbc", "--direction", "both", *SMALL)
        seen = Counter((row["engine"].split()[0], row["threads"], row["mode"], row["direction"]) for row in rows)
        works = [("ecb", "encrypt"), ("ecb", "decrypt"), ("cbc", "decrypt")]
        expected = {(engine, threads, *work): 2
                    for engine in ("openssl", "cpu/scalar") for threads in "12" for work in works}
        # A serial chain uses one core.
        expected.update({(engine, "1", "cbc", "encrypt"): 2 for engine in ("openssl", "cpu/scalar")})
        self.assertEqual(seen, expected)
        for row in rows:
            self.assertEqual((row["scope"], row["bytes"], row["place"]), ("kernel", "65536", "host memory"))
            self.assertEqual(row["command"], "fugu bench --scope kernel --engine cpu/scalar --mode ecb,cbc "
                             "--direction both --size 64K --runs 2 --threads 2 --csv")
            self.assertIn(row["sample"], "01")
            self.assertRegex(row["date"], r"^\d{4}-\d\d-\d\d$")
            self.assertRegex(row["machine"], r"^\d+ x ")
            rate = int(row["bytes"]) / float(row["seconds"]) / 1e9
            self.assertAlmostEqual(float(row["gb_per_s"]) / rate, 1, 2)
            self.assertGreaterEqual(float(row["cpu_seconds"]), 0)

    def test_a_direction(self):
        for direction in ("encrypt", "decrypt"):
            rows = self.csv("--scope", "kernel", "--mode", "ecb", "--direction", direction, *SMALL)
            self.assertEqual({row["direction"] for row in rows}, {direction})

    def test_json_keeps_every_sample(self):
        report = json.loads(self.bench("--scope", "copy", "--mode", "ctr", "--size", "4K,64K", "--runs", "3",
                                       "--engine", "cpu/scalar", "-T", "1", "--json"))
        self.assertEqual(list(report), ["version", "machine", "command", "results"])
        self.assertLessEqual({"cpu", "processors", "gpus", "driver", "link", "libraries", "commit", "date"},
                             set(report["machine"]))
        self.assertIn("OpenSSL", report["machine"]["libraries"])
        self.assertEqual([(row["engine"].split()[0], row["threads"], row["bytes"]) for row in report["results"]],
                         [("openssl", 1, 4096), ("cpu/scalar", 1, 4096), ("openssl", 1, 65536), ("cpu/scalar", 1, 65536)])
        for row in report["results"]:
            self.assertEqual((row["scope"], row["mode"], row["runs"], len(row["samples"])), ("copy", "ctr", 3, 3))
            rates = sorted(row["bytes"] / sample["seconds"] / 1e9 for sample in row["samples"])
            for name, rate in zip(("min", "median", "max"), rates):
                self.assertAlmostEqual(row[f"{name}_gb_per_s"] / rate, 1, 9)

    def test_text_says_machine_scope_and_rows(self):
        text = self.bench("--mode", "ecb", *SMALL)
        for part in ("cpu      ", "with     OpenSSL ", "build    ", "\nkernel: ", "\nfile: ", "GB/s", "min..max", "CPU s"):
            self.assertIn(part, text)
        self.assertNotIn("\ncopy: ", text)  # no engine is a GPU, so this table would repeat that of the kernels
        self.assertNotIn("blocks x threads", text)
        openssl = [line.split()[:6] for line in text.splitlines() if line.startswith("openssl ")]
        self.assertEqual([line[2:] for line in openssl], [[threads, "ecb", "encrypt", "64K"] for threads in "1212"])

    def test_commit_is_that_of_the_build(self):
        commits = {row["commit"] for row in self.csv("--scope", "kernel", "--mode", "ecb", *SMALL)}
        self.assertEqual(len(commits), 1)
        self.assertRegex(commits.pop(), r"^([0-9a-f]{7,}(-modified)?|unknown)$")


class Scopes(Bench):
    def test_default_covers_all_engines_present(self):
        engines = {row["engine"].split()[0] for row in self.csv("--size", "64K", "--runs", "1")}
        listed = json.loads(subprocess.run([support.FUGU, "engines", "--json"], capture_output=True, check=True).stdout)
        present = {engine["name"] for engine in listed["engines"] if engine["available"]}
        self.assertLessEqual(engines - {"openssl", "link"}, present)
        self.assertLessEqual(present - {"cuda:all"}, engines)

    def test_files_go_where_they_are_told_and_leave_nothing(self):
        before = self.names()
        rows = self.csv("--scope", "file", "--directory", self.directory, *SMALL)
        self.assertEqual({row["scope"] for row in rows}, {"file"})
        self.assertEqual({(row["engine"].split()[0], row["threads"]) for row in rows},
                         {("openssl", "1"), ("openssl", "2"), ("cpu/scalar", "1"), ("cpu/scalar", "2")})
        self.assertEqual(self.names(), before)
        for mode in ("ecb", "cbc", "cfb", "ofb"):
            self.csv("--scope", "file", "--mode", mode, "--direction", "both", *SMALL)

    def test_the_sealed_format_and_its_keys(self):
        rows = self.csv("--sealed", "--size", "64K,3M", "--engine", "cpu/scalar", "--runs", "2", "-T", "2")
        openssl = next(row["engine"] for row in rows if row["engine"].startswith("openssl "))
        sealed = {("sealed", "cpu/scalar", threads, "sealed", direction, size): 2
                  for threads in "12" for direction in ("encrypt", "decrypt") for size in ("65536", str(3 << 20))}
        tables = str(256 * 4224)  # P-array and S-boxes, rounded up to a multiple of 64 bytes
        keys = {("sealed", engine, "1", "key schedule", "", tables): 2 for engine in (openssl, "cpu/scalar")}
        self.assertEqual(Counter((row["scope"], row["engine"], row["threads"], row["mode"], row["direction"], row["bytes"])
                                 for row in rows), {**sealed, **keys})
        engines = [row["engine"].split()[0] for row in rows if not row["direction"]]  # OpenSSL comes first
        self.assertEqual(engines, ["openssl"] * 2 + ["cpu/scalar"] * 2)

    def test_ratios_are_to_openssl_on_as_many_threads(self):
        report = json.loads(self.bench("--scope", "copy", "--mode", "ecb", "--direction", "both", "--json", *SMALL))
        rates = {(row["threads"], row["direction"]): row["median_gb_per_s"] for row in report["results"]
                 if row["engine"].startswith("openssl ")}
        self.assertEqual(len(rates), 4)
        for row in report["results"]:
            if row["engine"] == "cpu/scalar":
                ratio = row["median_gb_per_s"] / rates[row["threads"], row["direction"]]
                self.assertAlmostEqual(row["times_openssl"], ratio, 6)
            else:
                self.assertIsNone(row["times_openssl"])
        self.assertIn("x OpenSSL", self.bench("--scope", "copy", "--mode", "ecb", *SMALL))


class Refusals(Bench):
    def test_values(self):
        self.stops(1, "--scope takes kernel, copy, file, not 'all'", "--scope", "all")
        self.stops(1, "--mode takes ecb, cbc, cfb, ofb, ctr, not 'xts'", "--mode", "ecb,xts")
        self.stops(1, "--direction takes encrypt, decrypt, both, not 'up'", "--direction", "up")
        self.stops(1, "--mode takes a list such as A,B; an item is empty", "--mode", "ecb,")
        self.stops(1, "--size takes a size from 8 to 64G; K, M and G or KiB, MiB and GiB are powers of 1024", "--size", "4")
        self.stops(1, "--size takes a size from 8 to 64G; K, M and G or KiB, MiB and GiB are powers of 1024", "--size", "8,1T")
        self.stops(1, "--size takes a multiple of 8 bytes", "--size", "12")
        self.stops(1, "--runs takes a number from 1 to 100000", "--runs", "0")
        self.stops(1, "--grid takes a number from 1 to 1048576", "--grid", "0")
        self.stops(1, "--threads-per-block takes multiples of 32", "--threads-per-block", "100")
        self.stops(1, "'x' is one argument too many; see fugu bench --help", "x")

    def test_mixtures(self):
        self.stops(1, "--json and --csv cannot be combined: give one of them", "--json", "--csv")
        for option, value in [("mode", "ecb"), ("grid", "1"), ("scope", "file"), ("directory", ".")]:
            self.stops(1, f"--sealed and --{option} cannot be combined: give one of them", "--sealed", f"--{option}", value)
        self.stops(1, "--grid and --threads-per-block are for --scope kernel", "--scope", "copy", "--grid", "1")
        self.stops(1, "--directory is for --scope file", "--scope", "copy", "--directory", ".")

    def test_engines(self):
        self.fails(1, "bench", "--engine", "cpu/fast", matches="^fugu: no engine 'cpu/fast'; choose from auto, ")
        for sweep in (("--grid", "default"), ("--threads-per-block", "256")):
            self.stops(6, "--grid and --threads-per-block are for GPUs, but no engine here is one", "--engine", "cpu/scalar", *sweep)

    def test_directory_that_is_not_there(self):
        self.stops(2, f"{self.path('nowhere')}: cannot create a file for the measurement: No such file or directory",
                   "--scope", "file", "--directory", self.path("nowhere"), *SMALL)
