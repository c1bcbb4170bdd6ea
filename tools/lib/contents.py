"""Contents that old files have, made from a seeded generator: each function of `rng` and `size` gives about that many bytes."""

import base64
import csv
import gzip
import io
import json
import sqlite3
import struct
import tarfile
import zipfile
import zlib

ENGLISH = """the of and to in is that for it was with as on be at by this had not are but from or have an they which one were all
there been when who will more no if out so what up said about them into than only time other could new these two may then do first
any my now such like our over man me even most made after also well before must through years where much your way down should""".split()
GERMAN = """der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach
wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch Straße Grüße schön Übung""".split()
CYRILLIC = """и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой весь год от так о для ты же все тот
мочь вы человек такой его сказать только или ещё бы себя один как уже до время если сам когда другой вот говорить наш""".split()
CJK = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同"
KANA = "のにはをたがでてとしれさあるいるもすなことよらってか、。"


def words(rng, size, vocabulary, encoding="utf-8"):
    """Sentences and lines, cut to the size."""
    text, ends = "", rng.choice([[". ", ".\n", ", ", "?\n"], [". ", ".\r\n", ", "]])
    while len(text) < size:
        text += " ".join(rng.choices(vocabulary, k=rng.randint(4, 14))).capitalize() + rng.choice(ends)
    return text.encode(encoding)[:size]


def cjk(rng, size):
    letters = CJK + KANA if rng.random() < 0.5 else CJK
    return "".join(rng.choice(letters) if rng.random() < 0.93 else "，。\n"[rng.randrange(3)] for _ in range(size // 3)).encode()


def utf16(rng, size):
    mark, coding = rng.choice([(b"\xff\xfe", "utf-16-le"), (b"", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-16-be")])
    return (mark + words(rng, max(size // 2, 1), rng.choice([ENGLISH, GERMAN, CYRILLIC]), "utf-8").decode(errors="ignore").encode(coding))[:size & ~1]


def as_json(rng, size):
    rows = [{"id": rng.randrange(10**6), "name": words(rng, 12, ENGLISH).decode(), "ok": rng.random() < 0.5} for _ in range(size // 55 + 1)]
    return json.dumps(rows, indent=rng.choice([None, 1])).encode()[:max(size, 2)]


def as_csv(rng, size):
    out = io.StringIO()
    rows = csv.writer(out, delimiter=rng.choice(",;\t"))
    while out.tell() < size:
        rows.writerow([rng.randrange(10**7), words(rng, 10, ENGLISH).decode().strip(), f"{rng.uniform(0, 999):.2f}"])
    return out.getvalue().encode()[:size]


def xml(rng, size):
    rows = "".join(f'<row n="{i}"><name>{rng.choice(ENGLISH)}</name><v>{rng.random():.4f}</v></row>\n' for i in range(size // 50))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rows>\n{rows}</rows>\n'.encode()


def as_base64(rng, size):
    return base64.encodebytes(rng.randbytes(size * 3 // 4))[:size]


def named_files(rng, size):
    parts = rng.randint(1, 3)
    return [(f"{rng.choice(ENGLISH)}{i}.txt", words(rng, size // parts, ENGLISH)) for i in range(parts)]


def tar(rng, size):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=rng.choice([tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])) as archive:
        for name, data in named_files(rng, size):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.uname = len(data), rng.randrange(10**9, 17 * 10**8), "user"
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def as_zip(rng, size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in named_files(rng, size * 3):
            archive.writestr(zipfile.ZipInfo(name, (2005, 3, rng.randint(1, 28), 12, 30, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def gz(rng, size):
    return gzip.compress(words(rng, size * 3, rng.choice([ENGLISH, GERMAN])), mtime=rng.randrange(10**9))


def png(rng, size):
    side = int(size ** 0.5) + 1
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)),
              (b"IDAT", zlib.compress(b"".join(b"\0" + rng.randbytes(side) for _ in range(side)))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
                                           for name, data in chunks)


def jpeg(rng, size):
    tables = b"\xff\xdb\0\x43\0" + bytes(rng.randrange(1, 100) for _ in range(64)) + b"\xff\xda\0\x0c\x03\x01\0\x02\x11\x03\x11\0\x3f\0"
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x48\0\x48\0\0" + tables + rng.randbytes(size).replace(b"\xff", b"\xff\0") + b"\xff\xd9"


def pdf(rng, size):
    stream = zlib.compress(words(rng, size * 3, ENGLISH))
    return (b"%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(stream) + stream
            + b"\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(stream))


def sqlite(rng, size):
    base = sqlite3.connect(":memory:")
    base.execute("create table t(a integer, b text)")
    base.executemany("insert into t values(?, ?)", [(i, words(rng, 30, ENGLISH).decode()) for i in range(size // 40)])
    base.commit()
    return base.serialize() if hasattr(base, "serialize") else b"SQLite format 3\0" + bytes(size)


def elf(rng, size):
    codes = [b"\x48\x89\xe5", b"\x55", b"\xc3", b"\x0f\x1f\x40\0", b"\xe8", b"\x48\x8b\x45\xf8", b"\0\0\0", b"\x48\x83\xec\x10", b"\xff\x25"]
    body = b"".join(rng.choice(codes) + rng.randbytes(rng.randrange(3)) for _ in range(size // 4))
    return b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x401000, 64, size, 0, 64, 56, 1, 64, 0, 0) + body


def records(rng, size):
    """Of a fixed width, each a name filled with zeros and a number."""
    width = rng.choice([16, 20, 32, 64, 80])
    return b"".join(rng.choice(ENGLISH).encode().ljust(width - 4, b"\0") + struct.pack("<I", i) for i in range(size // width + 1))[:size]


def ending(rng, size, end):
    body = words(rng, size, ENGLISH) if rng.random() < 0.7 else rng.randbytes(size)
    return (body + end)[-max(size, len(end)):]


def salted(rng, size):
    return b"Salted__" + rng.randbytes(size & ~7)


def repeated_block(rng, size):
    return (rng.choice([rng.randbytes(8), words(rng, 8, ENGLISH), b"AAAAAAAA"]) * (size // 8 + 1))[:size]


# What says by itself that it is right
PLAIN = {
    "English": lambda rng, size: words(rng, size, ENGLISH), "German": lambda rng, size: words(rng, size, GERMAN),
    "Latin-1": lambda rng, size: words(rng, size, GERMAN, "latin-1"), "Cyrillic": lambda rng, size: words(rng, size, CYRILLIC),
    "CJK": cjk, "UTF-16": utf16, "JSON": as_json, "CSV": as_csv, "XML": xml, "base64": as_base64, "tar": tar, "zip": as_zip, "gz": gz,
    "PNG": png, "JPEG": jpeg, "PDF": pdf, "SQLite": sqlite, "ELF": elf,
}  # fmt: skip
# What does not, or ends or begins like something else
TRICKY = {
    "zeros": lambda rng, size: bytes(size), "records": records, "random": lambda rng, size: rng.randbytes(size),
    "one byte": lambda rng, size: rng.choice(b" \nA0\xff\1\x08").to_bytes(1, "big") * size,
    "ends in zeros": lambda rng, size: ending(rng, size, bytes(rng.randint(1, 40))),
    "ends in spaces": lambda rng, size: ending(rng, size, b" " * rng.randint(1, 40)),
    "ends in 80 00": lambda rng, size: ending(rng, size, b"\x80" + bytes(rng.randint(0, 10))),
    "ends like PKCS#7": lambda rng, size: ending(rng, size, bytes([n := rng.randint(1, 8)]) * n),
    "repeated block": repeated_block, "text, then zeros": lambda rng, size: words(rng, size // 3, ENGLISH) + bytes(size - size // 3),
    "noise, then text": lambda rng, size: rng.randbytes(8) + words(rng, size, ENGLISH), "Salted__ inside": salted,
}  # fmt: skip
CONTENTS = PLAIN | TRICKY


def size_of(rng, most=100_000):
    """Few bytes more often than many."""
    low, high = rng.choice([(0, 8), (9, 24), (25, 80), (81, 400), (401, 8000), (401, 8000), (8001, most)])
    return rng.randint(low, max(low, min(high, most)))


def content(rng, kinds=tuple(CONTENTS), most=100_000):
    """(kind, bytes), of which at least the size is as drawn, but for kinds that have a frame."""
    kind = rng.choice(kinds)
    return kind, CONTENTS[kind](rng, size_of(rng, most))
