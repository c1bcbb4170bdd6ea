"""OpenDocument files under a password: the output is the same document, as Python's zipfile and XML parser see it.

LibreOffice wrote some documents; the others are made here by the definition in ODF 1.2, part 3, with the real openssl."""

import base64
import hashlib
import io
import itertools
import random
import resource
import struct
import zipfile
import zlib
from xml.etree import ElementTree
from unittest.mock import ANY

import support
from support import PASS, Case, openssl

SPACE = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
ODT = b"application/vnd.oasis.opendocument.text"


def documents():
    """(name, password, {path: SHA-256 of its content}, bytes) of each document of the kit."""
    for fields in support.fields_of("documents/odf.kit"):
        one = dict(fields)
        plain = {value.split(" ", 1)[1]: value.split(" ", 1)[0] for field, value in fields if field == "plain"}
        yield one["name"], one["passphrase"], plain, bytes.fromhex(one["file"])


def cfb(key, iv, data):
    return openssl(["-bf-cfb", "-K", key.hex(), "-iv", iv.hex()], data, None)


def cfb8(key, iv, data):
    """NIST SP 800-38A, 6.3, with s = 8."""
    out = b""
    for byte in data:
        out += bytes([byte ^ openssl(["-bf-ecb", "-nopad", "-K", key.hex()], (iv + out)[-8:], None)[0]])
    return out


def openoffice_sha1(data=b""):
    """OpenOffice.org's SHA-1: FIPS 180-4, 6.1, but if 52 to 55 bytes are left, padded with one block more."""
    left, state = len(data) % 64, (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)
    padded = data + b"\x80" + bytes((55 - left) % 64 + 64 * (52 <= left <= 55)) + struct.pack(">Q", 8 * len(data))
    rotate = lambda x, n: (x << n | x >> (32 - n)) & 0xFFFFFFFF
    for at in range(0, len(padded), 64):
        w = list(struct.unpack(">16I", padded[at:at + 64]))
        for t in range(16, 80):
            w.append(rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        a, b, c, d, e = state
        for t in range(80):
            f, k = ((b & c ^ ~b & d, 0x5A827999) if t < 20 else (b ^ c ^ d, 0x6ED9EBA1) if t < 40 else
                    (b & c ^ b & d ^ c & d, 0x8F1BBCDC) if t < 60 else (b ^ c ^ d, 0xCA62C1D6))
            a, b, c, d, e = (rotate(a, 5) + f + e + k + w[t]) & 0xFFFFFFFF, a, rotate(b, 30), c, d
        state = tuple((x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d, e)))
    return struct.pack(">5I", *state)


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def entry_xml(path, content, password, checksum="SHA1/1K", start=hashlib.sha1, algorithm="Blowfish CFB", iterations=10, size=None, sha1=lambda data: hashlib.sha1(data).digest(), cipher=cfb):
    """The manifest's element of an encrypted file, and the bytes that are stored of it."""
    packed = deflated(content)
    salt, iv = hashlib.md5(path.encode()).digest(), hashlib.md5(content).digest()[:8]
    start_key = sha1(password) if start is hashlib.sha1 else start(password).digest()
    key = hashlib.pbkdf2_hmac("sha1", start_key, salt, iterations, 16)
    checked = packed[:1024] if "1K" in checksum.upper() else packed
    value = hashlib.sha256(checked).digest() if "256" in checksum else sha1(checked)
    text = [base64.b64encode(part).decode() for part in (value, iv, salt)]
    start_xml = "" if start is hashlib.sha1 else '<m:start-key-generation m:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256"/>'
    return (f'<m:file-entry m:full-path="{path}" m:media-type="text/xml" m:size="{len(content) if size is None else size}">'
            f'<m:encryption-data m:checksum-type="{checksum}" m:checksum="{text[0]}">'
            f'<m:algorithm m:algorithm-name="{algorithm}" m:initialisation-vector="{text[1]}"/>{start_xml}'
            f'<m:key-derivation m:key-derivation-name="PBKDF2" m:iteration-count="{iterations}" m:salt="{text[2]}"/>'
            f'</m:encryption-data></m:file-entry>', cipher(key, iv, packed))


def document(files, password=support.PASSPHRASE.encode(), plain=(), media_type=ODT.decode(), special=(), **how):
    """A document of encrypted `files`, {path: content}, and of unencrypted ones, `plain`. `special`, {path: how}, changes how
    some are encrypted."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), ODT)
        xml = f'<?xml version="1.0" encoding="UTF-8"?>\n<m:manifest xmlns:m="{SPACE}">\n <m:file-entry m:full-path="/" m:media-type="{media_type}"/>\n'
        for path, content in dict(plain).items():
            archive.writestr(path, content, zipfile.ZIP_DEFLATED)
        for path, content in files.items():
            element, stored = entry_xml(path, content, password, **{**how, **dict(special).get(path, {})})
            archive.writestr(path, stored)
            xml += f" {element}\n"
        archive.writestr("META-INF/manifest.xml", xml + "</m:manifest>\n", zipfile.ZIP_DEFLATED)
    return out.getvalue()


def raw(data, name):
    """A file's bytes as they are stored."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo(name)
    at = info.header_offset
    begin = at + 30 + int.from_bytes(data[at + 26:at + 28], "little") + int.from_bytes(data[at + 28:at + 30], "little")
    return info.compress_type, data[begin:begin + info.compress_size]


class OdfCase(Case):
    def check(self, before, after, plain):
        """`after` is `before` without encryption; `plain` has the SHA-256 of some contents."""
        with zipfile.ZipFile(io.BytesIO(before)) as old, zipfile.ZipFile(io.BytesIO(after)) as new:
            self.assertIsNone(new.testzip())
            self.assertEqual(new.namelist(), old.namelist())
            first = new.infolist()[0]
            self.assertEqual((first.filename, first.compress_type, first.header_offset, first.extra), ("mimetype", zipfile.ZIP_STORED, 0, b""))
            manifest = ElementTree.fromstring(new.read("META-INF/manifest.xml"))
            self.assertEqual([node for node in manifest.iter() if "encrypt" in node.tag or f"{{{SPACE}}}size" in node.attrib], [])
            entries = [node.attrib for node in ElementTree.fromstring(old.read("META-INF/manifest.xml"))]
            self.assertEqual([{k: v for k, v in one.items() if not k.endswith("}size")} for one in entries],
                             [dict(node.attrib) for node in manifest])
            encrypted = {next(v for k, v in node.attrib.items() if k.endswith("full-path"))
                         for node in ElementTree.fromstring(old.read("META-INF/manifest.xml")) if len(node)}
            for name in set(new.namelist()) - encrypted - {"META-INF/manifest.xml"}:
                self.assertEqual(raw(after, name), raw(before, name), name)
                self.assertEqual(new.getinfo(name).date_time, old.getinfo(name).date_time)
            for name in encrypted:
                self.assertEqual(new.getinfo(name).compress_type, zipfile.ZIP_DEFLATED)
                self.assertEqual(new.getinfo(name).date_time, old.getinfo(name).date_time)
            for path, digest in plain.items():
                self.assertEqual(hashlib.sha256(new.read(path)).hexdigest(), digest, path)

    def decrypted(self, data, *options):
        self.write("a.odt", data)
        self.expect(0, b"", "", "decrypt", "-q", *PASS, *options, "a.odt", "-o", "b.odt", "-f")
        return self.read("b.odt")

    def expect_plain(self, files, password=support.PASSPHRASE, **how):
        self.write("pass", password)
        how.setdefault("password", password.encode())
        before = document(files, **how)
        self.check(before, self.decrypted(before), {path: hashlib.sha256(content).hexdigest() for path, content in files.items()})

    def refuses(self, status, says, data, *options):
        self.write("a.odt", data)
        self.fails(status, "decrypt", *PASS, *options, "a.odt", "-o", "none", says=says)
        self.assertNotIn("none", self.names())


class Documents(OdfCase):
    def test_those_of_libreoffice(self):
        seen = 0
        for name, password, plain, data in documents():
            with self.subTest(document=name):
                self.write("pass", password)
                self.check(data, self.decrypted(data), plain)
                self.write("pass", password + "x")
                self.refuses(3, "wrong passphrase; nothing was written", data)
                seen += 1
        self.assertGreater(seen, 1)

    def test_sizes_of_contents(self):
        """Sizes around the first 1024 bytes and around the cipher's blocks."""
        noise = b"".join(hashlib.sha256(bytes([i])).digest() for i in range(256))
        files = {f"f{size}.xml": noise[:size] for size in (0, 1, 2, 3, 4, 5, 6, 7, 8, 1013, 1014, 1015, 1016, 1018, 1019, 1020, 1030, 8000)}
        files["zeros.xml"] = bytes(3_000_000)
        files["Pictures/a b \u00e4.png"] = noise
        self.expect_plain(files, plain={"Thumbnails/t.png": noise, "META-INF/x": b"text" * 100, "empty": b""})

    @support.in_little_memory
    def test_memory_is_bounded_by_the_largest_file(self):
        noise = random.Random(1).randbytes(4 << 20)
        self.write("a.odt", document({f"Pictures/{i}.png": noise for i in range(24)}))
        self.expect(0, b"", "", "decrypt", "-q", "-T", "1", "--engine", "cpu", *PASS, "a.odt", "-o", "b.odt",
                    preexec_fn=support.limited(resource.RLIMIT_DATA, 88 << 20))
        with zipfile.ZipFile(self.path("b.odt")) as archive:
            self.assertEqual(archive.read("Pictures/23.png"), noise)

    def test_checksums_start_keys_and_names(self):
        for how in ({"checksum": "SHA1"}, {"checksum": f"{SPACE}#sha1-1k"}, {"checksum": f"{SPACE}#sha256-1k"},
                    {"start": hashlib.sha256}, {"algorithm": f"{SPACE}#blowfish"}, {"iterations": 1}):
            with self.subTest(how=how):
                self.expect_plain({"content.xml": b"<a>text</a>" * 50}, **how)

    def test_cfb_of_bytes(self):
        """The specification allows this reading."""
        self.expect_plain({"content.xml": b"<a>text</a>" * 5}, cipher=cfb8)

    def test_old_openoffice(self):
        """Old versions use their SHA-1 for the password and for checksums."""
        lengths = set()
        for password in ("p" * 52, "q" * 55 + "r" * 64, "short"):
            files = {f"f{size}.xml": bytes(i * i * 37 % 251 for i in range(size)) for size in range(42, 56)}
            lengths |= {len(deflated(content)) % 64 for content in files.values()}
            self.expect_plain(files, password=password, sha1=openoffice_sha1)
        self.assertTrue({52, 53, 54, 55} & lengths, lengths)

    def test_passwords(self):
        for password in ("\u00e4\u00f6\u00fc \u65e5\u672c", "p" * 52, "q" * 55, "r" * 119, "x"):
            self.expect_plain({"content.xml": b"<a/>" * 20}, password=password)
        euro = "\u20ac uro \u00e4"
        self.expect_plain({"content.xml": b"<a/>" * 20}, password=euro, **{})
        self.write("pass", euro)
        before = document({"content.xml": b"<a/>" * 20}, password=euro.encode("cp1252"))
        self.check(before, self.decrypted(before), {"content.xml": hashlib.sha256(b"<a/>" * 20).hexdigest()})


class Refusals(OdfCase):
    FILES = {"content.xml": b"<a>text</a>" * 400, "styles.xml": b"<s/>" * 30}

    def test_damage_is_told_from_a_wrong_password(self):
        whole = document(self.FILES)
        stored = raw(whole, "styles.xml")[1]
        at = whole.index(stored)
        self.refuses(4, "damaged", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])  # the changed byte contradicts zip's CRC
        other = document(self.FILES, password=b"another")
        self.refuses(3, "wrong passphrase; nothing was written", other)
        self.refuses(4, "the zip archive is damaged or truncated", whole[:-30])
        self.refuses(4, "size", document(self.FILES, size=17))

    def test_a_damaged_header_loses_no_file(self):
        """As unzip gives them, by the directory; what opens without --salvage is whole, also what was not encrypted."""
        whole = document(self.FILES, plain={"Thumbnails/a": b"<thumbnail/>"})
        for name in ("mimetype", "Thumbnails/a", "styles.xml"):
            header = zipfile.ZipFile(io.BytesIO(whole)).getinfo(name).header_offset
            entry = whole.index(b"PK\1\2", whole.rindex(name.encode()) - 46)
            for at, offset in [*itertools.product([header], range(0, 42, 2)), *itertools.product([entry], [42, 43, 44, 45, 46, 20, 28])]:
                with self.subTest(name=name, offset=offset):
                    self.write("a.odt", whole[:at + offset] + bytes([whole[at + offset] ^ 1]) + whole[at + offset + 1:])
                    for salvage in ([], ["--salvage"]):
                        code, out, err = self.run_fugu("decrypt", "-q", *PASS, *salvage, "a.odt", "-o", "-")
                        self.assertIn(code, (0, 4), err)
                        if code == 0 or (salvage and at == header):
                            archive = zipfile.ZipFile(io.BytesIO(out))
                            self.assertEqual({path: archive.read(path) for path in self.FILES}, self.FILES)
                        if code == 0:
                            self.assertIsNone(archive.testzip())

    def test_nothing_is_released_before_the_last_checksum(self):
        """This holds for documents of any length."""
        noise = random.Random(15).randbytes(9 << 20)
        files = {"Pictures/a": noise, "Pictures/b": noise, "content.xml": b"<a/>"}
        self.write("a.odt", document(files, special={"content.xml": {"size": 17}}))
        self.fails(4, "decrypt", *PASS, "a.odt", "-o", "-")
        self.write("a.odt", document(files))
        self.assertTrue(zipfile.ZipFile(io.BytesIO(self.output("decrypt", "-q", *PASS, "a.odt", "-o", "-"))).read("Pictures/b") == noise)
        self.expect(0, ANY, ANY, "verify", "-q", *PASS, "--max-output", str(20 << 20), "a.odt")  # read twice, counted once

    def test_other_ciphers_and_documents(self):
        self.refuses(5, "AES, not Blowfish: open it with LibreOffice", document(self.FILES, algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"))
        self.refuses(5, "not encrypted", document({}, plain=self.FILES), "--format", "odf")
        self.refuses(5, "this is a zip archive", document({}, plain=self.FILES))

    def test_a_pipe(self):
        """A small document is kept whole; of a large one the directory would have to come first."""
        out = self.output("decrypt", "-q", *PASS, input=document(self.FILES))
        self.assertEqual(zipfile.ZipFile(io.BytesIO(out)).read("styles.xml"), self.FILES["styles.xml"])
        large = {"Pictures/a": random.Random(16).randbytes(100_000), **self.FILES}
        self.fails(1, "decrypt", *PASS, input=document(large), says="give a file")

    def test_bombs(self):
        for checksum in "SHA1/1K", "":  # which without one is known by its size alone
            self.refuses(4, "--max-output", document({"content.xml": bytes(80 << 20)}, checksum=checksum))
        self.refuses(4, "--max-output", document(self.FILES, checksum="", size=80 << 20))  # before anything is inflated

    def many_names(self, names, size):
        """A document in which many names stand for the bytes of one stored file. The layout: APPNOTE.TXT, 4.3.7, 4.3.12, 4.3.16."""
        whole = document(self.FILES)
        end = whole.rindex(b"PK\5\6")
        count, length, at = struct.unpack("<HII", whole[end + 10:end + 20])
        body, directory = whole[:at], whole[at:at + length]
        data = random.Random(8).randbytes(size)
        crc = zlib.crc32(data)
        for i in range(names):
            directory += b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 0x5000, crc, size, size, 7, 0, 0, 0, 0, 0,
                                                 len(body)) + b"P/%05d" % i
        body += b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x5000, crc, size, size, 1, 0) + b"a" + data
        return body + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count + names, count + names, len(directory), len(body), 0)

    def test_many_names_of_one_file(self):
        """The limit is on the sum, also of files that are copied."""
        self.refuses(4, "--max-output", self.many_names(300, 1 << 20))
        few = self.many_names(3, 1 << 20)
        self.refuses(4, "more than the 3145728 bytes of --max-output", few, "--max-output", str(3 << 20))
        self.write("a.odt", few)
        self.assertGreater(len(self.output("decrypt", "-q", *PASS, "--max-output", str(4 << 20), "a.odt", "-o", "-")), 3 << 20)

    def test_the_sum_of_what_is_inflated(self):
        files = {f"Pictures/{i}": bytes(40 << 20) for i in range(3)}  # each is below what is always allowed
        self.refuses(4, "--max-output", document(files))

    def test_the_end_of_the_archive(self):
        whole = document(self.FILES)
        end = whole.rindex(b"PK\5\6")
        follows = "the zip archive is damaged or truncated, or bytes follow its end"
        for after in (b"\0", b"8letters", whole, b"PK\5\6" + bytes(18)):
            self.refuses(4, follows, whole + after)
        self.refuses(4, follows, whole[:end] + b"gap" + whole[end:])
        comment = b"a comment with PK\5\6 inside"
        self.write("a.odt", whole[:-2] + struct.pack("<H", len(comment)) + comment)
        self.expect(0, ANY, ANY, "decrypt", "-q", *PASS, "a.odt", "-o", "-")
        count, length, at = struct.unpack("<HII", whole[end + 10:end + 20])
        record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, length, at)
        locator = b"PK\6\7" + struct.pack("<IQI", 0, end, 1)
        tail = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
        self.write("a.odt", whole[:end] + record + locator + tail)
        self.expect(0, ANY, ANY, "decrypt", "-q", *PASS, "a.odt", "-o", "-")
        first = whole[:end] + record + locator + tail
        self.refuses(4, follows, 2 * first)
        moved = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, length, at + len(first))
        self.refuses(4, follows, first + whole[:end] + moved + locator + tail)  # the locator leads to the first record

    def test_a_manifest_that_names_what_is_not_there(self):
        before = document(self.FILES)
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(before)) as old, zipfile.ZipFile(out, "w") as new:
            for info in old.infolist():
                if info.filename != "styles.xml":
                    new.writestr(info, old.read(info))
        self.refuses(4, "lacks a file", out.getvalue())


class VerifyAndInfo(OdfCase):
    def test_both(self):
        data = document({"content.xml": b"<a/>"})
        self.write("a.odt", data)
        row, = self.rows_of(0, "info", "--json", "a.odt")
        self.assertEqual((row["format"], row["media_type"], row["encrypted_files"], row["iterations"]), ("odf", ODT.decode(), 1, 10))
        self.ends(0, None, "verify", *PASS, "a.odt", says="a checksum found no damage, but nothing is authenticated: deliberate changes can go unseen")

    def test_what_a_document_says_does_not_drive_the_terminal(self):
        self.write("a.odt", document({"content.xml": b"<a/>"}, media_type=ODT.decode() + "&#27;]0;x&#7;"))
        self.assertIn(b"  type: " + ODT + rb"\x1b]0;x\x07" + b"\n", self.output("info", "a.odt"))
