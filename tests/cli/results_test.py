"""Results of verify, info, selftest and engines: wrong passphrases, damage and differences, as text and as JSON."""

import json
import os
from unittest.mock import ANY

from support import NOT_AUTHENTICATED, PASS, Case, openssl, pattern, salted

PLAIN = b"plaintext that is long enough to be recognised as such, line after line\n" * 50
PBKDF2 = "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations"


class Verify(Case):
    def verified(self, out, *arguments, **options):
        """-q prints nothing on success."""
        self.expect(0, b"", "", "verify", "-q", *arguments, **options)
        self.ends(0, out.encode(), "verify", *arguments, **options)

    def setUp(self):
        super().setUp()
        self.write("a", PLAIN)
        self.write("a.fugu", salted(PLAIN, self.directory))

    def test_right(self):
        self.expect(0, f"a.fugu: {len(PLAIN)} bytes of plaintext, {PBKDF2}\n",
                    NOT_AUTHENTICATED + f"fugu: a.fugu: matches {PBKDF2}\n", "verify", *PASS, "a.fugu")
        self.verified(f"standard input: {len(PLAIN)} bytes of plaintext, {PBKDF2}\n", *PASS,
                    input=self.read("a.fugu"))
        self.assertEqual(self.names(), ["a", "a.fugu", "pass"])

    def test_wrong_passphrase(self):
        self.write("pass", "another\n")
        self.fails(3, "verify", "-q", *PASS, "a.fugu", matches=r"^fugu: a.fugu: [^\n]*passphrase[^\n]*\n$")
        self.fails(3, "decrypt", "-q", *PASS, "a.fugu", "-o", "b", matches=r"^fugu: a.fugu: [^\n]*passphrase[^\n]*; nothing was written\n$")
        self.assertEqual(self.names(), ["a", "a.fugu", "pass"])

    def test_truncated(self):
        self.write("a.fugu", self.read("a.fugu")[:-3])
        self.fails(4, "decrypt", "-q", *PASS, "--cipher", "bf-cbc", "a.fugu", "-o", "b",
                   matches=r"^fugu: a.fugu: [^\n]*the file does not end as it should: it was cut[^\n]*; b was not created\n$")
        self.assertEqual(self.names(), ["a", "a.fugu", "pass"])

    def test_base64_that_is_none(self):
        self.write("a.fugu", "U2FsdGVkX1+=====")
        self.expect(4, b"", ANY, "decrypt", "-q", *PASS, "a.fugu", "-o", "b")
        self.assertEqual(self.names(), ["a", "a.fugu", "pass"])

    def test_against(self):
        self.verified(f"a.fugu: {len(PLAIN)} bytes of plaintext, {PBKDF2}, same as a\n", *PASS,
                    "--against", "a", "a.fugu")
        for other, where in [(PLAIN[:1000] + b"X" + PLAIN[1001:], "its plaintext differs at byte 1000"),
                             (PLAIN[:-1], f"goes on past the expected end at byte {len(PLAIN) - 1}"),
                             (PLAIN + b"x", f"ends early at byte {len(PLAIN)}")]:
            self.write("other", other)
            self.expect(7, b"", f"fugu: a.fugu: {where}\n", "verify", "-q", *PASS, "--against", "other", "a.fugu")
        self.expect(2, b"", "fugu: a.fugu: --against none: cannot open: No such file or directory\n", "verify", "-q", *PASS, "--against",
                    "none", "a.fugu")

    def test_openssl(self):
        self.verified(f"a.fugu: {len(PLAIN)} bytes of plaintext, {PBKDF2}, OpenSSL agrees\n", *PASS, "--openssl", "a.fugu")
        self.write("a.fugu", openssl(["-bf-ofb", "-a", "-md", "md5", "-pass", "file:pass"], PLAIN, self.directory))
        self.verified(f"standard input: {len(PLAIN)} bytes of plaintext, bf-ofb, EVP_BytesToKey with MD5, OpenSSL agrees\n", *PASS,
                      "--openssl", input=self.read("a.fugu"))

    def test_openssl_in_every_mode_it_has(self):
        self.write("k", bytes(range(1, 17)))
        for data in (pattern(100_000), pattern(100_003), b""):
            self.write("p", data)
            for mode in ("ecb", "cbc", "cfb", "ofb", "ctr"):
                for iv in (["zero", "prefix", "00112233445566ff"] if mode != "ecb" else [None]):
                    raw = ["--format", "raw", "--mode", mode, "--key", "file:k", *(["--iv", iv] if iv else [])]
                    self.expect(0, b"", "", "encrypt", "-q", "-f", *raw, "p")
                    self.verified(f"p.fugu: {len(data)} bytes of plaintext, raw {mode}, same as p, OpenSSL agrees\n",
                                  "--chunk", "4K", "--openssl", "--against", "p", *raw, "p.fugu")

    def test_openssl_has_no_such_mode(self):
        self.write("k", "key")
        text = "fugu: a: --openssl cannot check this: OpenSSL's Blowfish has no cfb8, ofb8, pcbc, unpadded end or little-endian words\n"
        for options in (["--mode", "cfb8"], ["--mode", "pcbc"], ["--mode", "ofb8"], ["--mode", "cbc", "--pad", "residual"],
                        ["--mode", "cfb", "--words", "le"], ["--mode", "ctr", "--counter", "le"]):
            self.expect(1, b"", text, "verify", "-q", "--openssl", "--format", "raw", "--key", "file:k", "--iv", "zero", *options, "a")

    def test_json(self):
        self.write("x.fugu", "not known")
        code, out, err = self.run_fugu("verify", "-q", "--json", *PASS, "a.fugu", "x.fugu")
        self.assertEqual(code, 5)
        right, wrong = json.loads(out)["files"]
        self.assertEqual(right, {"file": "a.fugu", "ok": True, "plaintext_bytes": len(PLAIN), "parameters": PBKDF2,
                                 "authenticated": False, "openssl_agrees": None})
        self.assertEqual((wrong["file"], wrong["ok"]), ("x.fugu", False))
        self.assertIn(wrong["error"], err)


class Info(Case):
    SALT = "0123456789abcdef"

    FILES = {"a": b"Salted__" + bytes.fromhex(SALT) + bytes(24)}

    def test_text(self):
        self.expect(0, f"a: openssl enc, salt {self.SALT}, binary\n  ciphertext: 24 bytes\n"
                    "  not stored: cipher, digest, iterations, key length\n  authentication: none\n", "", "info", "a")

    def test_json(self):
        import base64
        self.write("b", base64.b64encode(self.read("a")))
        out = self.output("info", "--json", "a", "b")
        common = {"format": "openssl", "salt": self.SALT, "authentication": "none"}
        self.assertEqual(json.loads(out)["files"], [{"file": "a", "encoding": "binary", "ciphertext_bytes": 24, **common},
                                           {"file": "b", "encoding": "base64", "ciphertext_bytes": None, **common}])

    def test_truncated_header(self):
        self.write("a", b"Salted__abc")
        self.expect(4, b"", "fugu: a: file ends inside its header: it was truncated\n", "info", "a")

    def test_name_that_is_no_utf8(self):
        os.rename(self.path("a"), os.fsencode(self.path("")) + b"\xff")
        self.assertEqual(json.loads(self.output("info", "--json", b"\xff"))["files"][0]["file"], "\ufffd")
        os.rename(os.fsencode(self.path("")) + b"\xff", self.path("\u27e6yes\u27e7"))  # as texts have options
        self.assertEqual(json.loads(self.output("info", "--json", "\u27e6yes\u27e7"))["files"][0]["file"], "\u27e6yes\u27e7")


class Engines(Case):
    def test_calibration_is_kept_for_its_machine(self):
        cache = os.path.join(self.directory, "cache")
        chosen = {"XDG_CACHE_HOME": cache}
        code, measured, _ = self.run_fugu("engines", "--calibrate", variables=chosen)
        kept = self.read("cache/fugu/engines")
        self.assertEqual((code, measured.endswith(kept)), (0, True))
        self.assertRegex(kept.decode(), r"\Afugu calibration 4\nmachine [^\n]*\ngpu_start [^\n]+\n([a-z]+ \S+ \S+\n){3}([a-z0-9/:]+ \S+\n){3,}\Z")
        self.expect(0, measured, "", "engines", "-v", variables=chosen)
        built_in = self.run_fugu("engines", "-v", variables={"XDG_CACHE_HOME": cache + " of no calibration"})[1]
        core = lambda text: {words[0]: words[1] for words in map(bytes.split, text.partition(b"gpu_start")[2].splitlines()[1:])}
        for work in (b"cpu/scalar", b"nonlinearity", b"walsh", b"boxes"):
            self.assertNotEqual(core(measured)[work], core(built_in)[work], work)  # it was measured
        self.write("cache/fugu/engines", kept.replace(b"machine ", b"machine another "))
        self.assertNotEqual(self.run_fugu("engines", "-v", variables=chosen)[1], measured)
        self.assertEqual(os.listdir(os.path.join(cache, "fugu")), ["engines"])

    def test_calibration_needs_a_place(self):
        self.write("file", "")
        self.stops(2, f"{self.directory}/file/fugu/engines: cannot be written: Not a directory", "engines", "--calibrate",
                   variables={"XDG_CACHE_HOME": self.path("file")})

    def engines(self):
        result = json.loads(self.output("engines", "--json"))
        self.assertEqual(result["version"], 1)
        return result["engines"]

    def test_scalar_runs_everywhere_and_cuda_is_mentioned(self):
        engines = {engine["name"]: engine for engine in self.engines()}
        self.assertTrue(engines["cpu/scalar"]["available"])
        out = self.output("engines")
        self.assertRegex(out.decode(), r"(?m)^cpu/scalar +available")
        self.assertRegex(out.decode(), r"(?m)^cuda")
        for engine in engines.values():
            self.assertTrue(engine["available"] or engine["reason"])

    def test_an_engine_that_cannot_run_here(self):
        for engine in self.engines():
            if not engine["available"]:
                self.fails(6, "encrypt", "-q", "--engine", engine["name"], *PASS, "pass", says=engine["reason"])


class Selftest(Case):
    def test_text(self):
        out = self.output("selftest", "--rounds", "50")
        self.assertRegex(out.decode(), r"(?m)^cpu/scalar: ok, \d+ known-answer vectors, 50 cross-checks against OpenSSL$")
        # The kits hold three files with segments of a size that the program accepts, and six with one that it refuses.
        self.assertRegex(out.decode(), r"(?m)^sealed files: ok, 18 from a second implementation, 30 altered ones refused$")
        self.assertRegex(out.decode(), r"(?m)^spectra: ok, \d+ published values$")

    def test_json_and_one_engine(self):
        result = json.loads(self.output("selftest", "--rounds", "20", "--seed", "9", "--engine", "cpu/scalar", "--json"))
        self.assertEqual((result["rounds"], result["seed"], len(result["engines"])), (20, 9, 1))
        self.assertEqual(result["engines"][0]["cross_checks"], 20)
        self.assertGreater(result["engines"][0]["vectors"], 30)
        self.assertNotIn("sealed", result)  # the run tested one engine only
        result = json.loads(self.run_fugu("selftest", "--rounds", "20", "--json")[1])
        self.assertEqual(result["sealed"], {"ok": True, "files": 18, "altered": 30, "problem": ""})
        self.assertEqual((result["spectral"]["ok"], result["spectral"]["values"] % (4 * 11)), (True, 0))
