"""README.md is true: its sessions run as written, and its links and subcommands exist."""

import os
import pathlib
import re
import subprocess

import support

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def sessions():
    """(command, the lines that it prints) of the blocks with a prompt, in their order."""
    for block in re.findall(r"^```console\n(.*?)^```", README, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


class Readme(support.Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("notes"))
        self.write("notes/a", support.pattern(70000))
        os.mkdir(self.path("programs"))
        os.symlink(support.FUGU, self.path("programs/fugu"))
        self.environment = {**os.environ, "PATH": self.path("programs") + ":" + os.environ["PATH"]}

    def run_as_written(self, command):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.directory, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)

    def test_sessions(self):
        commands = list(sessions())
        self.assertGreater(len(commands), 8)
        for command, printed in commands:
            done = self.run_as_written(command)
            self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
            if printed:
                self.assertEqual(done.stdout, printed, command)
        tar = self.read("notes.tar")
        self.assertEqual(self.read("same.tar"), tar)
        self.assertEqual(self.read("opened.tar"), tar)
        self.assertEqual(self.read("part"), tar[512:612])
        self.assertEqual((os.listdir(self.path("sealed")), self.read("restored/a")), (["a.fugu"], self.read("notes/a")))
        self.assertTrue(self.read("lat.png").startswith(b"\x89PNG"))
        opened = self.run_as_written("fugu decrypt --pass file:passphrase -o - piped.fugu | tar t")
        self.assertEqual(opened.stdout, "notes/\nnotes/a\n")

    def test_links_lead_somewhere(self):
        links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
        self.assertGreater(len(links), 6)
        self.assertEqual([link for link in links if not (ROOT / link.partition("#")[0]).exists()], [])

    def test_scripts_exist(self):
        named = set(re.findall(r"\btools/\w+\b(?!/)", README)) - {"tools/lib", "tools/bench"}
        self.assertIn("tools/check", named)
        self.assertEqual([name for name in named if not os.access(ROOT / name, os.X_OK)], [])

    def test_subcommands_exist(self):
        named = set(re.findall(r"`fugu ([a-z]+)", README))
        self.assertIn("rekey", named)
        for name in named:
            self.assertEqual(self.run_fugu("help", name)[0], 0, name)

    def test_it_is_short(self):
        self.assertLessEqual(len(README.splitlines()), 110)
