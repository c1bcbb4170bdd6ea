"""Other programs still compute the values of vectors/*.vec.

usage: recompute_vectors.py VECTORS

A value comes from at least two of these, which must agree:
  libgcrypt, libmcrypt   the library's own mode, called through ctypes;
  gcrypt-ecb             the mode written here from its definition over libgcrypt's ECB;
  openssl-ecb            the same over `openssl enc -bf-ecb` (16-byte keys only).
Nothing of this project computes a value here. Exit status 77: a library is not installed.
"""

import ctypes
import pathlib
import subprocess
import sys

BLOCK = 8

GCRY_BLOWFISH = 4
GCRY_MODES = {"ecb": 1, "cfb64": 2, "cbc": 3, "ofb": 5, "ctr": 6, "cfb8": 12}
MCRYPT_MAX_KEY = 56
MCRYPT_MODES = {"ecb": b"ecb", "cbc": b"cbc", "cfb64": b"ncfb", "cfb8": b"cfb", "ofb": b"nofb", "ctr": b"ctr"}


def load(name: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        print(f"skipped: {error}")
        sys.exit(77)


class Gcrypt:
    def __init__(self) -> None:
        self.lib = load("libgcrypt.so.20")
        self.lib.gcry_check_version.restype = ctypes.c_char_p
        self.lib.gcry_check_version(None)

    def encrypt(self, mode: str, key: bytes, iv: bytes, plaintext: bytes) -> bytes:
        handle = ctypes.c_void_p()
        self.check(self.lib.gcry_cipher_open(ctypes.byref(handle), GCRY_BLOWFISH, GCRY_MODES[mode], 0))
        self.check(self.lib.gcry_cipher_setkey(handle, key, ctypes.c_size_t(len(key))))
        if mode == "ctr":
            self.check(self.lib.gcry_cipher_setctr(handle, iv, ctypes.c_size_t(BLOCK)))
        elif iv:
            self.check(self.lib.gcry_cipher_setiv(handle, iv, ctypes.c_size_t(BLOCK)))
        out = ctypes.create_string_buffer(len(plaintext))
        size = ctypes.c_size_t(len(plaintext))
        self.check(self.lib.gcry_cipher_encrypt(handle, out, size, plaintext, size))
        self.lib.gcry_cipher_close(handle)
        return out.raw

    @staticmethod
    def check(error: int) -> None:
        if error & 0xFFFF:
            raise RuntimeError(f"libgcrypt error {error & 0xFFFF}")


class Mcrypt:
    def __init__(self) -> None:
        self.lib = load("libmcrypt.so.4")
        self.lib.mcrypt_module_open.restype = ctypes.c_void_p

    def encrypt(self, words: str, mode: str, key: bytes, iv: bytes, plaintext: bytes) -> bytes:
        algorithm = b"blowfish" if words == "big" else b"blowfish-compat"
        module = ctypes.c_void_p(self.lib.mcrypt_module_open(algorithm, None, MCRYPT_MODES[mode], None))
        if self.lib.mcrypt_generic_init(module, key, len(key), iv or None) < 0:
            raise RuntimeError("libmcrypt refused the key")
        data = ctypes.create_string_buffer(plaintext, len(plaintext))
        if self.lib.mcrypt_generic(module, data, len(plaintext)) != 0:
            raise RuntimeError("libmcrypt failed")
        self.lib.mcrypt_generic_end(module)
        return data.raw


def openssl_ecb(key: bytes, blocks: bytes) -> bytes:
    command = ["openssl", "enc", "-bf-ecb", "-nopad", "-K", key.hex(), "-provider", "legacy", "-provider", "default"]
    return subprocess.run(command, input=blocks, stdout=subprocess.PIPE, check=True).stdout


def swap_words(block: bytes) -> bytes:
    return block[3::-1] + block[:3:-1]


def by_definition(ecb, vector: dict) -> bytes:
    """The modes of NIST SP 800-38A over ecb(key, blocks); little-endian words swap around the block cipher."""
    words_little = vector["words"] == "little"

    def encrypt(block: bytes) -> bytes:
        return swap_words(ecb(vector["key"], swap_words(block))) if words_little else ecb(vector["key"], block)

    def xor(a: bytes, b: bytes) -> bytes:
        return bytes(x ^ y for x, y in zip(a, b))

    mode, chain, plaintext = vector["mode"], vector["iv"], vector["plaintext"]
    step = 1 if mode == "cfb8" else BLOCK
    out = b""
    for at in range(0, len(plaintext), step):
        part = plaintext[at : at + step]
        if mode == "ecb":
            out += encrypt(part)
        elif mode == "cbc":
            out += (chain := encrypt(xor(part, chain)))
        elif mode in ("cfb64", "cfb8"):
            out += (cipher := xor(part, encrypt(chain)))
            chain = (chain + cipher)[-BLOCK:]
        elif mode == "ofb":
            out += xor(part, chain := encrypt(chain))
        elif mode == "ctr":
            out += xor(part, encrypt(chain))
            count = (int.from_bytes(chain, vector["counter"]) + 1) % 2**64
            chain = count.to_bytes(BLOCK, vector["counter"])
    return out


def encrypt(gcrypt: Gcrypt, mcrypt: Mcrypt, vector: dict) -> bytes:
    mode, key, iv, plaintext = vector["mode"], vector["key"], vector["iv"], vector["plaintext"]
    values = {"gcrypt-ecb": by_definition(lambda k, b: gcrypt.encrypt("ecb", k, b"", b), vector)}
    if vector["counter"] == "big":
        if len(key) <= MCRYPT_MAX_KEY:
            values["libmcrypt"] = mcrypt.encrypt(vector["words"], mode, key, iv, plaintext)
        if vector["words"] == "big":
            values["libgcrypt"] = gcrypt.encrypt(mode, key, iv, plaintext)
    if len(key) == 16:
        values["openssl-ecb"] = by_definition(openssl_ecb, vector)
    if len(values) < 2 or len(set(values.values())) != 1:
        raise RuntimeError(f"no agreement on {vector}: {values}")
    return next(iter(values.values()))


def read(path: pathlib.Path) -> list[dict]:
    records = []
    for paragraph in path.read_text().split("\n\n"):
        fields = dict(line.split(" = ") for line in paragraph.splitlines() if not line.startswith("#"))
        if fields:
            record = {"mode": fields.pop("mode")}
            record |= {order: fields.pop(order, "big") for order in ("words", "counter")}
            records.append(record | {"iv": b""} | {name: bytes.fromhex(value) for name, value in fields.items()})
    return records


def main() -> int:
    gcrypt, mcrypt = Gcrypt(), Mcrypt()
    faults = []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.vec")):
        records = read(path)
        wrong = [item for item in records if encrypt(gcrypt, mcrypt, item) != item["ciphertext"]]
        print(f"{path.name}: {len(records)} recomputed, {len(wrong)} differ")
        faults += wrong
    if faults:
        print(f"faults: {faults}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
