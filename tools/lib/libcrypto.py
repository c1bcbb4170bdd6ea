"""OpenSSL's ciphers in this process: the same bytes as `openssl enc` writes, without a process per file."""

import ctypes
import ctypes.util
import functools
import hashlib
import json
import shutil
import subprocess


@functools.cache
def library():
    """None without OpenSSL 3 and its legacy provider."""
    found = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
    for name in ("OSSL_PROVIDER_load", "EVP_CIPHER_fetch", "EVP_CIPHER_CTX_new"):
        getattr(found, name).restype = ctypes.c_void_p
    return found if all(found.OSSL_PROVIDER_load(None, name) for name in (b"legacy", b"default")) else None


@functools.cache
def cipher(name):
    """The cipher, its key bytes and its IV bytes; None if this OpenSSL has none."""
    found = ctypes.c_void_p(library().EVP_CIPHER_fetch(None, name.encode(), None))
    return found and (found, library().EVP_CIPHER_get_key_length(found), library().EVP_CIPHER_get_iv_length(found))


def encrypt(name, key, iv, data, pad=False):
    """`name` as OpenSSL has it, for example BF-CBC; a key of any length."""
    calls, kind = library(), cipher(name)[0]
    context = ctypes.c_void_p(calls.EVP_CIPHER_CTX_new())
    out, size, rest = ctypes.create_string_buffer(len(data) + 64), ctypes.c_int(), ctypes.c_int()
    calls.EVP_EncryptInit_ex2(context, kind, None, None, None)
    calls.EVP_CIPHER_CTX_set_key_length(context, len(key))
    done = calls.EVP_EncryptInit_ex2(context, None, key, iv, None) and calls.EVP_CIPHER_CTX_set_padding(context, int(pad))
    done = done and calls.EVP_EncryptUpdate(context, out, ctypes.byref(size), data, len(data))
    done = done and calls.EVP_EncryptFinal_ex(context, ctypes.byref(out, size.value), ctypes.byref(rest))
    calls.EVP_CIPHER_CTX_free(context)
    if not done:
        raise ValueError(f"{name} does not encrypt {len(data)} bytes")
    return out.raw[:size.value + rest.value]


def derive(digest, iterations, secret, salt, size):
    """PBKDF2, or with 0 iterations EVP_BytesToKey."""
    if iterations:
        return hashlib.pbkdf2_hmac(digest, secret, salt, iterations, size)
    stream = last = b""
    while len(stream) < size:
        last = hashlib.new(digest, last + secret + salt).digest()
        stream += last
    return stream[:size]


PERL = """use JSON::PP; use Crypt::CBC; use Crypt::Blowfish; $| = 1;
while (<STDIN>) {
  my %o = %{decode_json($_)}; my $plain = pack("H*", delete $o{plain});
  for (qw(key iv salt)) { $o{$_} = pack("H*", $o{$_}) if defined $o{$_} }
  print unpack("H*", Crypt::CBC->new(-cipher => "Crypt::Blowfish", -nodeprecate => 1, map { ("-$_" => $o{$_}) } keys %o)->encrypt($plain)), "\\n";
}"""


@functools.cache
def perl():
    """One process of Crypt::CBC for all its files; None without it."""
    if not shutil.which("perl") or subprocess.run(["perl", "-MCrypt::CBC", "-MCrypt::Blowfish", "-e", "1"], capture_output=True).returncode:
        return None
    return subprocess.Popen(["perl", "-e", PERL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def crypt_cbc(plain, **options):
    """What Perl's Crypt::CBC writes: its options without the dash, bytes as bytes."""
    given = {name: value.hex() if isinstance(value, bytes) else value for name, value in options.items()}
    perl().stdin.write(json.dumps({**given, "plain": plain.hex()}) + "\n")
    perl().stdin.flush()
    return bytes.fromhex(perl().stdout.readline())
