"""Sealing, opening, and Blowfish in its modes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, overload

from . import _fugu
from ._names import device_of

Buffer = Any  # any contiguous buffer object of bool, numbers or bytes: bytes, bytearray, memoryview, a NumPy array
Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Options = Mapping[str, str | int | bytes | bool]


@dataclass(frozen=True)
class Opened:
    """The findings of open_file()."""

    parameters: str  #: for people: "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations"
    evidence_bits: float  #: a wrong secret looks right once in 2^this; inf where a MAC or key check matched
    authenticated: bool  #: every byte was covered by a MAC, or OpenPGP's MDC, that matched
    by_trial: bool  #: the parameters were found, not given or stored
    all_content: bool  #: nothing of the content was left out
    notes: tuple[str, ...]  #: for people
    lost: str = ""  #: of a damaged input with salvage=True: what did not come, for people; empty if all came


@dataclass(frozen=True)
class OpenedDirectory:
    """The findings of open_directory()."""

    opened: Opened
    #: (path, reason) of each part that could not be opened; the others are there. Paths as of os.fsdecode().
    failed: tuple[tuple[str, str], ...]


def _opened(found: _fugu.Opened) -> Opened:
    bits = float("inf") if found.certain else found.evidence_bits
    return Opened(
        found.parameters, bits, found.authenticated, found.by_trial, found.all_content, tuple(found.notes), found.lost
    )


def _option_text(value: str | int | bytes | bool) -> str:
    if value is True:
        return ""  # a flag
    return value.hex() if isinstance(value, bytes) else str(value)


def _arguments(
    passphrase: str | Buffer | None, key: Buffer | None, format: str | None, options: Options | None, engine: str,
    accept_weak_evidence: bool = False, salvage: bool = False
) -> tuple[str | Buffer | None, Buffer | None, _fugu.CodecChoice]:
    """The secret and the choice of a codec, as the extension takes them."""
    if (passphrase is None) == (key is None):
        raise TypeError("give passphrase= or key=, and one of them only")
    if isinstance(key, str):
        raise TypeError("key is a str; a key is bytes: bytes.fromhex(key), or passphrase=")
    device_of(engine)
    pairs = [(name, _option_text(value)) for name, value in (options or {}).items() if value is not False]
    return passphrase, key, _fugu.CodecChoice(format or "", pairs, engine, accept_weak_evidence, salvage)


def seal(
    data: Buffer, *, passphrase: str | Buffer | None = None, key: Buffer | None = None, format: str | None = None,
    options: Options | None = None, engine: str = "auto"
) -> bytes:
    """Encrypts ``data``.

    ``data``: a contiguous buffer object, whose bytes are taken as they lie; read without the GIL, so do not write to it
    meanwhile. TypeError for elements that are not plain data: Python objects, text, dates, structures.
    ``passphrase``: str (encoded as UTF-8; one from os.environ gives the bytes it has there) or bytes; 1 to 4096 bytes.
    ``key``: bytes. Give one of the two; fugu's own copies of it are wiped.
    ``format``: of ``fugu formats``; "sealed", which is authenticated, by default.
    ``options``: of the format, by their names on the command line: {"cipher": "bf-cfb", "iter": 5000}; flags are True.
    ``engine``: "auto", "cpu" or "cuda:N".

    UsageError for a format or option that there is not, and for an empty or longer passphrase.
    """
    return _fugu.seal(data, *_arguments(passphrase, key, format, options, engine))


@overload
def open(data: Buffer, *, salvage: Literal[True], passphrase: str | Buffer | None = ..., key: Buffer | None = ...,
         format: str | None = ..., options: Options | None = ..., accept_weak_evidence: bool = ..., engine: str = ...,
         ) -> tuple[bytes, Opened]: ...
@overload
def open(data: Buffer, *, salvage: Literal[False] = ..., passphrase: str | Buffer | None = ..., key: Buffer | None = ...,
         format: str | None = ..., options: Options | None = ..., accept_weak_evidence: bool = ..., engine: str = ...,
         ) -> bytes: ...
def open(
    data: Buffer, *, passphrase: str | Buffer | None = None, key: Buffer | None = None, format: str | None = None,
    options: Options | None = None, accept_weak_evidence: bool = False, engine: str = "auto", salvage: bool = False
) -> bytes | tuple[bytes, Opened]:
    """Decrypts ``data``. Arguments as of seal(); without ``format`` it is recognised.

    ``accept_weak_evidence``: go on where a wrong secret could not be told.
    ``salvage``: returns (what can be saved of damaged data, the findings); their ``lost`` says what did not come, and
    ``authenticated`` whether anything vouches for what did.

    WrongKeyError, DamagedError; UnknownFormatError for what nothing recognises, and where parameters that are not
    stored do not show clearly. Formats without any check, as Vim's, give noise under a wrong secret, without an error.
    """
    arguments = _arguments(passphrase, key, format, options, engine, accept_weak_evidence, salvage)
    content, found = _fugu.open(data, *arguments)
    return (content, _opened(found)) if salvage else content


def seal_file(
    source: Path, target: Path, *, passphrase: str | Buffer | None = None, key: Buffer | None = None, format: str | None = None,
    options: Options | None = None, engine: str = "auto"
) -> None:
    """As seal(), from file to file. Names that are not UTF-8 are bytes, or str as os.fsdecode() has them. ``target``
    must not exist (FileError); it appears whole or not at all."""
    _fugu.seal_file(source, target, *_arguments(passphrase, key, format, options, engine))


def open_file(
    source: Path, target: Path, *, passphrase: str | Buffer | None = None, key: Buffer | None = None, format: str | None = None,
    options: Options | None = None, accept_weak_evidence: bool = False, engine: str = "auto", salvage: bool = False
) -> Opened:
    """As open(), from file to file; with ``salvage``, of damaged data what can be saved. ``target`` must not exist (FileError); it appears whole or not at all."""
    arguments = _arguments(passphrase, key, format, options, engine, accept_weak_evidence, salvage)
    return _opened(_fugu.open_file(source, target, *arguments))


def open_directory(
    source: Path, target: Path, *, passphrase: str | Buffer | None = None, key: Buffer | None = None, format: str | None = None,
    options: Options | None = None, accept_weak_evidence: bool = False, engine: str = "auto"
) -> OpenedDirectory:
    """As open_file(), from a directory that is a container, such as EncFS's, into the directory ``target``.

    Each file in it appears whole or not at all, and must not exist.
    """
    found = _fugu.open_directory(source, target, *_arguments(passphrase, key, format, options, engine, accept_weak_evidence))
    return OpenedDirectory(_opened(found.opened), tuple((part.path, part.reason) for part in found.failed))


def recognise(data: Buffer) -> tuple[str, ...]:
    """The names of the formats that ``data`` may have, by its beginning: none, one, or those that open() tries."""
    return tuple(_fugu.recognise(data))


class Blowfish:
    """One message under one key, in a mode of operation.

    ``key``: 1 to 72 bytes. ``mode``: "ecb", "cbc", "cfb", "cfb8", "ofb", "ofb8", "ctr" or "pcbc". ``iv``: 8 bytes,
    of ecb none. ``direction``: "encrypt" or "decrypt". ``padding``, of ecb, cbc and pcbc: "pkcs7", "zero", "space" or
    "none". ``offset``: the byte of the message to start at: ctr; ecb between blocks.

    No mode authenticates: anyone who can alter the ciphertext can alter the plaintext. seal() does.
    Key and state are wiped when the object dies. Several threads may share one; they take turns.
    """

    def __init__(
        self, key: Buffer, mode: str, iv: Buffer = b"", *, direction: Literal["encrypt", "decrypt"] = "encrypt",
        padding: Literal["pkcs7", "zero", "space", "none"] = "pkcs7", offset: int = 0
    ) -> None:
        if direction not in ("encrypt", "decrypt"):
            raise ValueError(f"no direction {direction!r}; choose from encrypt and decrypt")
        self._message = _fugu.Message(key, mode, iv, direction == "decrypt", padding, offset)

    def update(self, data: Buffer) -> bytes:
        """Takes any number of bytes; returns those that are ready. An update that Ctrl-C ends has no effect."""
        return self._message.update(data)

    def finish(self) -> bytes:
        """Ends the message: adds or removes padding. DamagedError, WrongKeyError; UsageError afterwards."""
        return self._message.finish()
