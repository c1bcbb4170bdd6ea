"""Blowfish's S-boxes, and the search for weak keys."""

from __future__ import annotations

from typing import NamedTuple

from . import _fugu
from ._engine import device_of
from ._errors import UsageError
from ._sbox import SBox

_KEYS = 1 << 64


def initial_sboxes(*, engine: str = "auto") -> tuple[SBox, SBox, SBox, SBox]:
    """Blowfish's four 8 x 32 S-boxes before a key is mixed in: the fractional digits of pi."""
    device = device_of(engine)
    first, second, third, fourth = (SBox._of_box(box, device) for box in _fugu.initial_sboxes())
    return first, second, third, fourth


def blowfish_sboxes(key: bytes | bytearray | memoryview, *, engine: str = "auto") -> tuple[SBox, SBox, SBox, SBox]:
    """The four 8 x 32 S-boxes that a Blowfish key of 1 to 72 bytes makes. They are as secret as the key."""
    device = device_of(engine)
    first, second, third, fourth = (SBox._of_box(box, device) for box in _fugu.blowfish_sboxes(key))
    return first, second, third, fourth


class WeakKey(NamedTuple):
    """S-box ``box``, 1 to 4, has S(x) = S(y) = value, x < y."""

    key: int
    box: int
    x: int
    y: int
    value: int


def weak_keys(first: int, count: int, *, engine: str = "auto") -> list[WeakKey]:
    """Such pairs under the keys ``first``, ..., ``first + count - 1``, big-endian numbers of eight bytes, ascending
    (Vaudenay 1996): one key in 33 000 has one. About 30 us per key and processor, 40 ns on an H200.

    ``engine``: "auto", which is the CPU, "cpu" or "cuda:N".
    """
    device = device_of(engine)
    if not (0 <= first and 0 <= count < _KEYS and first + count <= _KEYS):
        raise UsageError("keys are numbers from 0 to 2^64 - 1")
    return [WeakKey(*found) for found in _fugu.weak_keys(first, count, device)]
