"""The page in a headless browser: every sample opens with the bytes that the library finds here, through the page's own
engine; then what a person does, at the page's elements. Nothing asks a network, and nothing is logged as an error.

usage: page_test.py BROWSER PAGE NATIVE AXE KIT...

BROWSER is chromium or firefox, NATIVE what open_kits printed, AXE the script of axe-core, if it exists.
"""

import base64
import hashlib
import io
import itertools
import json
import pathlib
import re
import sys
import tempfile
import unittest
import zipfile

from browser import Browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import support

BROWSER, PAGE, NATIVE, AXE, KITS = "", "", "", pathlib.Path(), []


def base64_of(content: bytes) -> str:
    return base64.b64encode(content).decode()


SAMPLES: dict[str, dict] = {}

# What every test has: a file from base64, and a call of the engine that ends in a digest.
HELPERS = """
const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const fileOf = (name, text) => new File([bytesOf(text)], name);
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const digest = async (blob) => hex(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
const request = (secret, more) => ({secret, isKey: false, format: "", encoding: "", options: [], acceptWeak: false, ...more});
async function outcome(name, text, secret) {
  const result = await engine.call("open", {file: fileOf(name, text), beside: [], request: request(bytesOf(secret))});
  return result.error || digest(result.blob);
}
"""


class Page(unittest.TestCase):
    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser(BROWSER)
        cls.folder = pathlib.Path(tempfile.mkdtemp())

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def setUp(self) -> None:
        self.browser.requests.clear()
        self.browser.errors.clear()
        self.browser.size(1280, 900)
        self.browser.go("file://" + PAGE)
        self.browser.evaluate(HELPERS)

    def tearDown(self) -> None:
        asked = [url for url in self.browser.requests if not url.startswith(("file://", "blob:", "data:"))]
        self.assertEqual(asked, [], "the page asked a network")
        self.assertEqual(self.browser.errors, [], "the page logged errors")

    # What a person does.

    def write(self, name: str, content: bytes) -> str:
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def sample(self, name: str) -> bytes:
        return SAMPLES[name]["file"]

    def choose(self, *paths: str) -> None:
        self.browser.choose("#choose", list(paths))
        self.browser.wait(f"document.querySelectorAll('.card').length === {len(paths)}")
        self.browser.wait("![...document.querySelectorAll('.what')].some((what) => what.textContent === 'Reading …')")

    def type_secret(self, text: str) -> None:
        self.browser.evaluate(f"byId('secret').value = {json.dumps(text)}")

    def press(self, text: str, within: str = "document") -> None:
        self.browser.evaluate(f"[...{within}.querySelectorAll('button')].find((b) => b.textContent === {json.dumps(text)}).click()")

    def status(self, card: int = 0) -> str:
        """What the card says in the end."""
        status = f"document.querySelectorAll('.card .status')[{card}]"
        self.browser.wait(f"/good|bad/.test({status}.className)")
        return str(self.browser.evaluate(f"{status}.textContent"))

    def opens_under(self, secret: bytes, button: str = "Open") -> None:
        """Types the secret and presses the button: the first card says that it was opened."""
        self.type_secret(secret.decode())
        self.press(button)
        self.assertIn("Opened", self.status())

    def test_every_sample_opens_as_it_does_natively(self) -> None:
        lines = pathlib.Path(NATIVE).read_text().splitlines()
        natively = dict(line.split(": ", 1) for line in lines if line.split(": ")[0] in SAMPLES)
        self.assertEqual(set(natively), set(SAMPLES))
        self.assertGreater(sum(bool(re.fullmatch("[0-9a-f]{64}", found)) for found in natively.values()), 140)
        for name, sample in SAMPLES.items():
            with self.subTest(name):
                text, secret = base64_of(sample["file"]), base64_of(sample["passphrase"])
                here = self.browser.evaluate(f"outcome({json.dumps(name)}, '{text}', '{secret}')")
                self.assertEqual(here, natively[name])

    def test_a_file_is_described_opened_and_saved(self) -> None:
        name = "mcrypt/cbc_b16.nc" if "mcrypt/cbc_b16.nc" in SAMPLES else next(n for n in SAMPLES if n.startswith("openpgp/"))
        sample = SAMPLES[name]
        self.choose(self.write("letter.nc", sample["file"]))
        self.assertIn("letter.nc", self.browser.evaluate("document.querySelector('.card h3').textContent"))
        self.assertNotIn("not recognised", self.browser.evaluate("document.querySelector('.what').textContent"))
        self.opens_under(sample["passphrase"])
        self.press("Save letter")
        self.assertEqual(hashlib.sha256(self.browser.downloaded("letter")).hexdigest(), sample["plaintext_sha256"])

    def test_a_wrong_passphrase_and_damage_are_said_as_the_program_says_them(self) -> None:
        name = next(n for n in SAMPLES if n.startswith("bfa/"))
        whole = self.sample(name)
        self.choose(self.write("whole.bfa", whole), self.write("cut.bfa", whole[:-5]))
        self.type_secret("not this one")
        self.press("Open all 2")
        self.assertRegex(self.status(0), "^whole.bfa: .*wrong.*; nothing was written$")
        self.browser.evaluate("for (const status of document.querySelectorAll('.card .status')) status.className = ''")
        self.opens_under(SAMPLES[name]["passphrase"], "Open all 2")
        self.assertRegex(self.status(1), "^cut.bfa: .*; nothing was written$")

    def test_dropped_files_are_taken(self) -> None:
        self.browser.evaluate("""(() => {
            const dropped = new DataTransfer();
            for (const name of ["one", "two"]) dropped.items.add(new File(["text"], name));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: dropped}));
        })()""")
        self.browser.wait("document.querySelectorAll('.card').length === 2")

    def test_two_files_open_at_once_and_are_saved_as_one(self) -> None:
        names = [n for n in SAMPLES if n.startswith("vim/03_") and SAMPLES[n]["passphrase"] == SAMPLES["vim/03_text.vim"]["passphrase"]][:2]
        self.choose(*(self.write(n.split("/")[1], self.sample(n)) for n in names))
        self.opens_under(SAMPLES[names[0]]["passphrase"], "Open all 2")
        self.assertIn("Opened", self.status(1))
        self.browser.wait("!byId('save-all').hidden")
        self.browser.evaluate("byId('save-all').click()")
        archive = self.browser.downloaded("fugu.zip")
        with zipfile.ZipFile(io.BytesIO(archive)) as held:
            self.assertIsNone(held.testzip())
            found = {hashlib.sha256(held.read(name)).hexdigest() for name in held.namelist()}
        self.assertEqual(found, {SAMPLES[n]["plaintext_sha256"] for n in names})

    def test_passwords_are_hidden_until_shown(self) -> None:
        self.choose(self.write("own.fpm", self.sample("fpm/own_perl.fpm")))
        self.opens_under(SAMPLES["fpm/own_perl.fpm"]["passphrase"])
        self.browser.wait("document.querySelector('.card table')")
        shown = "document.querySelector('.card table').textContent"
        self.assertIn("mail", self.browser.evaluate(shown))
        self.assertNotIn("pa55 word", self.browser.evaluate(shown))
        self.press("Show all passwords")
        self.assertIn("pa55 word", self.browser.evaluate(shown))
        self.browser.size(360, 900)
        farthest = self.browser.evaluate("Math.max(...[...document.querySelectorAll('.vault button')].map((b) => b.getBoundingClientRect().right))")
        self.assertTrue(0 < farthest <= 360, farthest)
        self.assertEqual(self.browser.evaluate("document.querySelector('.vault td').dataset.column"), "title")
        self.press("Save as CSV")
        self.assertIn(b"mail,user@example.org,https://mail.example.org/,pa55 word,", self.browser.downloaded("own.csv"))
        self.press("Save as JSON")
        self.assertEqual(json.loads(self.browser.downloaded("own.json"))[0]["password"], "pa55 word")

    def test_commas_and_quotes_are_quoted_in_csv(self) -> None:
        text = self.browser.evaluate("""csvOf({columns: ["a", "b"], rows: [['x,"y"', "line\\nbreak"], ["plain", ""]]})""")
        self.assertEqual(text, 'a,b\r\n"x,""y""","line\nbreak"\r\nplain,\r\n')  # RFC 4180

    def test_an_empty_file_is_said(self) -> None:
        self.choose(self.write("empty", b""))
        self.assertEqual(self.browser.evaluate("document.querySelector('.what').textContent"), "This file is empty.")

    def test_a_wallet_finds_the_salt_beside_it(self) -> None:
        wallet = next(s for n, s in SAMPLES.items() if n.startswith("kwallet/") and re.search("salt=[0-9a-f]+$", s["parameters"]))
        parts = (wallet["file"], bytes.fromhex(wallet["parameters"].split("salt=")[1]), wallet["passphrase"])
        file, salt, secret = map(base64_of, parts)
        found = self.browser.evaluate(f"""(async () => {{
            const beside = [fileOf("other.salt", ""), fileOf("home.salt", "{salt}")];
            const given = request(bytesOf("{secret}"), {{options: [["to", "payload"]]}});
            const result = await engine.call("open", {{file: fileOf("home.kwl", "{file}"), beside, request: given}});
            return result.error || digest(result.blob);
        }})()""")
        self.assertEqual(found, wallet["plaintext_sha256"])

    def test_a_store_without_a_header_opens_by_its_format(self) -> None:
        self.choose(self.write("v1.dat", self.sample("pwsafe/v1.dat")))
        self.assertIn("not recognised", self.browser.evaluate("document.querySelector('.what').textContent"))
        self.press("Open")
        self.assertRegex(self.status(), "^v1.dat: the format is not recognised [^-]*choose that under “Format and options”; nothing was written$")
        self.browser.evaluate("document.querySelector('.status').className = ''")
        self.browser.evaluate("const choice = document.querySelector('.card select'); choice.value = 'pwsafe'; choice.onchange()")
        self.browser.wait("document.querySelector('[data-option=to]')")
        self.opens_under(b"secret")
        self.browser.wait("document.querySelector('.card table')")
        self.assertNotIn("hunter2", self.browser.evaluate("document.querySelector('.card table').textContent"))

    def test_pasted_text_opens(self) -> None:
        name = next(n for n in SAMPLES if n.startswith("openpgp/") and self.sample(n)[0] >= 0x80)
        self.browser.evaluate(f"byId('pasted').value = '{self.sample(name).hex()}'; byId('add-text').click()")
        self.browser.wait("document.querySelectorAll('.card').length === 1")
        self.browser.wait("document.querySelector('.what').textContent !== 'Reading …'")
        self.assertIn("hex", self.browser.evaluate("document.querySelector('.what').textContent"))
        self.opens_under(SAMPLES[name]["passphrase"])

    def test_what_is_sealed_opens_again(self) -> None:
        content = bytes(range(256)) * 4000
        self.choose(self.write("photo.raw", content))
        self.browser.evaluate("byId('seal').click(); byId('secret').value = 'correct horse'; byId('again').value = 'correct house'")
        self.press("Seal")
        self.assertIn("differ", self.status())
        self.browser.evaluate("byId('again').value = 'correct horse'; document.querySelector('.status').className = ''")
        self.press("Seal")
        self.assertIn("Sealed", self.status())
        self.press("Save photo.raw.fugu")
        sealed = self.browser.downloaded("photo.raw.fugu")
        self.assertNotIn(content[:64], sealed)
        self.browser.evaluate("byId('clear').click(); byId('open').click()")
        self.browser.wait("document.querySelectorAll('.card').length === 0")
        self.choose(self.write("photo.raw.fugu", sealed))
        self.opens_under(b"correct horse")
        self.press("Save photo.raw")
        self.assertEqual(self.browser.downloaded("photo.raw"), content)

    def test_256_mib_stream_through(self) -> None:
        result = self.browser.evaluate("""(async () => {
            const piece = new Uint8Array(1 << 20).map((_, i) => i * i >> 7);
            // Of blobs: a file of 256 MiB made in one go sometimes cannot be read in Chromium, by any page.
            const file = new File(Array.from({length: 256}, () => new Blob([piece])), "large");
            const secret = () => new TextEncoder().encode("correct horse");
            const sealed = await engine.call("seal", {file, beside: [], request: request(secret())});
            const opened = await engine.call("open", {file: new File([sealed.blob], "large.fugu"), beside: [], request: request(secret())});
            const end = await opened.blob.slice(255 << 20).arrayBuffer();
            return [opened.blob.size, opened.authenticated, hex(await crypto.subtle.digest("SHA-256", end)) === await digest(new Blob([piece]))];
        })()""")
        self.assertEqual(result, [256 << 20, True, True])

    def test_a_folder_opens(self) -> None:
        fields = next(support.fields_of("trees/encfs.kit"))
        paths = {name: [value.split(" ", 1) for field, value in fields if field == name] for name in ("file", "plain_file")}
        files = {path: base64_of(bytes.fromhex(digits.strip("-"))) for digits, path in paths["file"]}
        plain = {path: digest for digest, path in paths["plain_file"]}
        result = self.browser.evaluate(f"""(async () => {{
            const held = {json.dumps(files)};
            const files = Object.entries(held).map(([path, text]) => ({{path, file: fileOf(path.split("/").pop(), text)}}));
            const told = await engine.call("describeDirectory", {{files}});
            const opened = await engine.call("openDirectory", {{files, request: request(new TextEncoder().encode({json.dumps(dict(fields)["passphrase"])}))}});
            const digests = {{}};
            for (const {{path, blob}} of opened.files || []) digests[path] = await digest(blob);
            return [told.format, opened.error || "", digests];
        }})()""")
        self.assertEqual(result[:2], ["encfs", ""])
        self.assertEqual(result[2], plain)

    def test_cancelling_leaves_a_page_that_works(self) -> None:
        result = self.browser.evaluate("""(async () => {
            const file = new File([new Uint8Array(1 << 28)], "large");
            const sealing = engine.call("seal", {file, beside: [], request: request(new TextEncoder().encode("correct horse"))}, () => engine.cancel(sealing));
            const waiting = engine.call("formats");
            engine.cancel(waiting);
            const cancelled = await sealing;
            const after = await engine.call("formats");
            return [cancelled.code, (await waiting).code, after.formats.length > 20];
        })()""")
        self.assertEqual(result, ["interrupted", "interrupted", True])

    # The laboratory.

    def measure(self) -> str:
        self.browser.evaluate("byId('tab-lab').click(); byId('lab-form').requestSubmit()")
        self.browser.wait("/good|bad/.test(byId('lab-status').className)")
        return str(self.browser.evaluate("byId('lab-status').textContent"))

    def values(self, table: int = 0) -> dict[str, str]:
        return dict(self.browser.evaluate(
            f"[...document.querySelectorAll('.report')[{table}].querySelectorAll('tbody tr')].filter((row) => row.cells.length === 3)"
            ".map((row) => [row.cells[0].textContent, row.cells[1].textContent])"))

    def test_aes_is_measured_and_drawn(self) -> None:
        self.assertIn("AES: 8 inputs, 8 outputs", self.measure())
        values = self.values()
        # Nyberg 1993; Daemen and Rijmen 2002; Cid et al. 2018
        self.assertEqual([values["nl"], values["du"], values["deg"], values["bu"]], ["112", "4", "7", "6"])
        self.browser.wait("document.querySelectorAll('.gallery canvas').length === 2 * known.tables.filter(({shape}) => ['byOutput', 'byInput', 'byBit'].includes(shape)).length")
        # Of each row of the table of differences one entry is 4 and 126 are 2.
        counts = self.browser.evaluate("""(() => {
            const picture = [...laboratory.drawn].find(({name}) => name === "ddt");
            const row = [...picture.entries].slice(256, 512);
            return [row.filter((v) => v === 4).length, row.filter((v) => v === 2).length];
        })()""")
        self.assertEqual(counts, [1, 126])
        told = self.browser.evaluate("""(() => {
            const [canvas] = document.querySelectorAll(".gallery canvas");
            canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
            return canvas.parentElement.querySelector("output").textContent;
        })()""")
        self.assertEqual(told, "a = 0, b = 1: 0")  # a balanced component

    def test_values_and_functions_are_measured(self) -> None:
        self.browser.evaluate("document.querySelector('[value=values]').click()")
        self.assertIn("4 inputs, 4 outputs", self.measure())
        self.assertEqual(self.values()["du"], "4")  # PRESENT's box, Bogdanov et al. 2007
        self.browser.wait("document.querySelectorAll('.gallery figure').length === known.tables.length")
        self.assertIn("9 0 0", self.browser.evaluate("[...document.querySelectorAll('.gallery pre')].map((list) => list.textContent).join()"))  # Tezcan 2014
        self.browser.evaluate("byId('box-values').value = '1 2 x 4'")
        self.assertEqual(self.measure(), "entry 2 is 'x'")
        self.browser.evaluate("document.querySelector('[value=function]').click()")
        self.measure()
        values = self.values()
        self.assertEqual([values["nonlinearity"], values["bent"], values["degree"]], ["6", "yes", "2"])

    def test_what_takes_long_is_measured_on_request(self) -> None:
        self.browser.evaluate("document.querySelector('[value=values]').click()")
        self.measure()
        self.browser.evaluate("laboratory.report(document.querySelector('#lab-results .wide'), 'PRESENT', 0)")
        self.assertNotIn("du", self.values())
        more = "[...document.querySelectorAll('#lab-results .wide button')].find((b) => /^Measure also: .*du.* \\(about 1 s\\)$/.test(b.textContent))"
        self.browser.wait(more)
        self.browser.evaluate(f"byId('lab-status').className = ''; {more}.click()")
        self.browser.wait("/good|bad/.test(byId('lab-status').className)")
        self.assertEqual(self.values()["du"], "4")
        self.assertFalse(self.browser.evaluate(more))
        self.assertEqual(self.browser.evaluate("durationText(1098)"), "19 minutes")

    def test_twelve_bits_are_drawn_with_progress(self) -> None:
        self.browser.evaluate("byId('box-name').value = 'power:12:4094:0x1053'")
        self.assertIn("12 inputs", self.measure())
        self.browser.evaluate("[...document.querySelectorAll('.gallery button')].find((b) => /difference/.test(b.textContent)).click()")
        self.browser.wait("document.querySelectorAll('.gallery canvas').length === 2")
        self.assertEqual(self.browser.evaluate("[...laboratory.drawn].find(({name}) => name === 'ddt').darkest"), 4)

    # How it looks and is used.

    def test_everything_has_a_name_and_fits(self) -> None:
        self.choose(self.write("own.fpm", self.sample("fpm/own_perl.fpm")))
        self.measure()
        for tab in ("tab-files", "tab-lab"):
            self.browser.evaluate(f"byId('{tab}').click(); for (const d of document.querySelectorAll('details')) d.open = true")
            self.assertEqual(self.browser.nameless(), [])
            for width in (360, 1600):
                self.browser.size(width, 900)
                self.assertLessEqual(self.browser.evaluate("document.scrollingElement.scrollWidth"), width, f"{tab} at {width}")

    def test_it_has_the_licences_of_its_libraries(self) -> None:
        text = self.browser.evaluate("document.querySelector('footer pre').textContent")
        for name in ("bzip2", "libzip", "OpenSSL", "pugixml", "zlib", "musl"):
            self.assertIn(name, text)

    def test_axe_finds_nothing(self) -> None:
        if not AXE.exists():
            self.skipTest(f"{AXE}, the script of axe-core, is missing")
        self.choose(self.write("own.fpm", self.sample("fpm/own_perl.fpm")), self.write("unknown", b"abc"))
        self.opens_under(SAMPLES["fpm/own_perl.fpm"]["passphrase"], "Open all 2")
        self.measure()
        self.browser.evaluate(AXE.read_text() + "; 0")
        for dark, tab in itertools.product((False, True), ("tab-files", "tab-lab")):
            self.browser.size(1280, 900, dark)
            self.browser.evaluate(f"byId('{tab}').click(); for (const d of document.querySelectorAll('details')) d.open = true")
            found = self.browser.evaluate("""axe.run().then(({violations}) => violations.map(({id, help, nodes}) =>
                `${id}: ${help}: ${nodes.map(({html, any}) => `${html.slice(0, 200)} ${any.map((check) => check.message)}`).join(" | ")}`))""")
            self.assertEqual(found, [], f"{tab}, {'dark' if dark else 'light'}")

    def test_text_has_contrast_in_dark_and_light(self) -> None:
        for dark in (False, True):
            self.browser.size(1280, 900, dark)
            ratios = self.browser.evaluate("""(() => {
                const light = (c) => c.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                const luminance = (c) => { const [r, g, b] = light(c); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
                const ratio = (a, b) => { const [x, y] = [luminance(colour(a)), luminance(colour(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
                const pairs = [["--on-accent", "--accent"]];
                for (const text of ["--text", "--soft", "--accent", "--bad", "--good"]) for (const ground of ["--page", "--panel"]) pairs.push([text, ground]);
                return pairs.map(([a, b]) => [`${a} on ${b}`, ratio(a, b)]);
            })()""")
            for pair, ratio in ratios:
                self.assertGreaterEqual(ratio, 4.5, f"{pair}, {'dark' if dark else 'light'}")

    def test_the_keyboard_reaches_everything(self) -> None:
        focused = "document.activeElement.id || document.activeElement.textContent"
        reached = []
        for _ in range(14):
            self.browser.key("Tab")
            reached.append(self.browser.evaluate(focused))
        for wanted in ("tab-files", "open", "choose", "choose-folder", "passphrase", "secret", "show-secret"):
            self.assertIn(wanted, reached)
        self.browser.evaluate("byId('tab-files').focus()")
        self.browser.key("ArrowRight")
        self.assertEqual(self.browser.evaluate(focused), "tab-lab")
        self.assertFalse(self.browser.evaluate("byId('lab').hidden"))


if __name__ == "__main__":
    BROWSER = sys.argv[1]
    PAGE, NATIVE, *KITS = (str(pathlib.Path(path).resolve()) for path in (*sys.argv[2:4], *sys.argv[5:]))
    AXE = pathlib.Path(sys.argv[4])
    for path in KITS:
        SAMPLES.update({sample["name"]: sample for sample in support.samples_of(path)})
    unittest.main(argv=sys.argv[:1])
