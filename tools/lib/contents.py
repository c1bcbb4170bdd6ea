"""Contents that old files have, made from a seeded generator: each function of `rng` and `size` gives about that many bytes."""

import base64
import gzip
import io
import json
import sqlite3
import struct
import tarfile
import zipfile
import zlib

ENGLISH = """the of and to in is that for it was with as on be at by this had not are but from or have an they which one were all
there been when who will more no if out so what up said about them into than only time other could new these two may then do""".split()
GERMAN = """der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach
wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch Straße Grüße Übung""".split()
CYRILLIC = """и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой год от так о для ты же все тот
мочь вы человек такой его сказать только или ещё бы себя один как уже до время если сам когда другой вот говорить наш""".split()
CJK = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家のにはをたがでてとしれさあるいるもすなことよらってか、。\n"


def words(rng, size, vocabulary=ENGLISH, encoding="utf-8"):
    """Sentences and lines, cut to the size."""
    text, ends = "", rng.choice([[". ", ".\n", ", ", "?\n"], [". ", ".\r\n", ", "]])
    while len(text) < size:
        text += " ".join(rng.choices(vocabulary, k=rng.randint(4, 14))).capitalize() + rng.choice(ends)
    return text.encode(encoding)[:size]


def utf16(rng, size):
    mark, coding = rng.choice([(b"\xff\xfe", "utf-16-le"), (b"", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-16-be")])
    return (mark + words(rng, size, rng.choice([ENGLISH, GERMAN, CYRILLIC])).decode(errors="ignore").encode(coding))[:size & ~1]


def table(rng, size, row):
    return b"".join(row(i).encode() for i in range(size // 24 + 1))[:size]


def comma_separated(rng, size):
    return table(rng, size, lambda i: f"{i};{rng.choice(ENGLISH)} {rng.choice(ENGLISH)};{rng.uniform(0, 999):.2f}\n")


def xml(rng, size):
    return b'<?xml version="1.0"?>\n<rows>\n' + table(rng, size, lambda i: f'<row n="{i}">{rng.choice(ENGLISH)}</row>\n') + b"</rows>\n"


def archived(rng, size):
    return [(f"{rng.choice(ENGLISH)}{i}.txt", words(rng, size // 2)) for i in range(2)]


def tar(rng, size):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=rng.choice([tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])) as archive:
        for name, data in archived(rng, size):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.uname = len(data), rng.randrange(10**9, 17 * 10**8), "user"
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def as_zip(rng, size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in archived(rng, size * 3):
            archive.writestr(zipfile.ZipInfo(name, (2005, 3, rng.randint(1, 28), 12, 30, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def png(rng, size):
    side = int(size ** 0.5) + 1
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(rng.randbytes(size))), (b"IEND", b"")]
    packed = (struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def jpeg(rng, size):
    tables = b"\xff\xdb\0\x43\0" + bytes(rng.randrange(1, 100) for _ in range(64)) + b"\xff\xda\0\x0c\x03\x01\0\x02\x11\x03\x11\0\x3f\0"
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x48\0\x48\0\0" + tables + rng.randbytes(size).replace(b"\xff", b"\xff\0") + b"\xff\xd9"


def pdf(rng, size):
    stream = zlib.compress(words(rng, size * 3))
    return b"%%PDF-1.4\n1 0 obj\n<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream\nendobj\nstartxref\n9\n%%EOF\n"


def sqlite(rng, size):
    base = sqlite3.connect(":memory:")
    base.execute("create table t(a integer, b text)")
    base.executemany("insert into t values(?, ?)", [(i, words(rng, 30).decode()) for i in range(size // 40)])
    base.commit()
    return base.serialize() if hasattr(base, "serialize") else b"SQLite format 3\0" + bytes(size)


def elf(rng, size):
    codes = [b"\x48\x89\xe5", b"\x55\xc3", b"\x0f\x1f\x40\0", b"\xe8", b"\x48\x8b\x45\xf8", b"\0\0\0", b"\x48\x83\xec\x10", b"\xff\x25"]
    head = struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x401000, 64, size, 0, 64, 56, 1, 64, 0, 0)
    return b"\x7fELF\2\1\1" + bytes(9) + head + b"".join(rng.choice(codes) + rng.randbytes(rng.randrange(3)) for _ in range(size // 4))


def records(rng, size):
    """Of a fixed width, each a name filled with zeros and a number."""
    width = rng.choice([16, 20, 32, 64, 80])
    return b"".join(rng.choice(ENGLISH).encode().ljust(width - 4, b"\0") + struct.pack("<I", i) for i in range(size // width + 1))[:size]


def ending(end, texts=0.7):
    return lambda rng, size: ((words(rng, size) if rng.random() < texts else rng.randbytes(size)) + end(rng))[-max(size, 1):]


# What shows by itself that it is right
PLAIN = {
    "English": words, "German": lambda rng, size: words(rng, size, GERMAN), "Latin-1": lambda rng, size: words(rng, size, GERMAN, "latin-1"),
    "Cyrillic": lambda rng, size: words(rng, size, CYRILLIC), "CJK": lambda rng, size: "".join(rng.choices(CJK, k=size // 3)).encode(),
    "UTF-16": utf16, "JSON": lambda rng, size: json.dumps([{"id": i, "name": rng.choice(ENGLISH)} for i in range(size // 28)], indent=1).encode(),
    "CSV": comma_separated, "XML": xml, "base64": lambda rng, size: base64.encodebytes(rng.randbytes(size * 3 // 4)), "tar": tar, "zip": as_zip,
    "gz": lambda rng, size: gzip.compress(words(rng, size * 3), mtime=size), "PNG": png, "JPEG": jpeg, "PDF": pdf, "SQLite": sqlite, "ELF": elf,
}  # fmt: skip
# What does not, or ends or begins like something else. Behind text, bytes of padding are padding as far as anyone can tell
TRICKY = {
    "zeros": lambda rng, size: bytes(size), "records": records, "random": lambda rng, size: rng.randbytes(size),
    "one byte": lambda rng, size: bytes([byte := rng.choice(b" \nA0\xff\1\x08")]) * max(size, 24 * (byte == 8)),  # less is padding to anyone
    "ends in zeros": ending(lambda rng: bytes(rng.randint(1, 40))), "ends in spaces": ending(lambda rng: b" " * rng.randint(1, 40)),
    "ends in 80 00": ending(lambda rng: b"\x80" + bytes(rng.randint(0, 2)), 0), "ends like PKCS#7": ending(lambda rng: bytes([n := rng.randint(1, 3)]) * n, 0),
    "repeated block": lambda rng, size: (rng.choice([rng.randbytes(8), words(rng, 8), b"AAAAAAAA"]) * (size // 8 + 1))[:size],
    "numbers": lambda rng, size: "".join(f"{i:07}\n" for i in range(size // 8)).encode(),
    "a block, then zeros": lambda rng, size: (words(rng, 8) + bytes(size))[:size],
    "text, then zeros": lambda rng, size: words(rng, size // 3) + bytes(size - size // 3),
    "noise, then text": lambda rng, size: rng.randbytes(8) + words(rng, size), "Salted__ inside": lambda rng, size: b"Salted__" + rng.randbytes(size & ~7),
}  # fmt: skip
CONTENTS = PLAIN | TRICKY


def content(rng, kinds, most):
    """(kind, bytes): few bytes more often than many."""
    kind, (low, high) = rng.choice(kinds), rng.choice([(0, 8), (9, 24), (25, 80), (81, 400), (401, 8000), (401, 8000), (8001, most)])
    return kind, CONTENTS[kind](rng, rng.randint(low, high))
