"""Blowfish's S-boxes, statistics of them, and the search for weak keys."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from . import _fugu
from ._errors import UsageError
from ._names import device_of
from ._sbox import SBox

_KEYS = 1 << 64


def _four(boxes: list[_fugu.SBox], engine: str) -> tuple[SBox, SBox, SBox, SBox]:
    device = device_of(engine)
    first, second, third, fourth = (SBox._of_box(box, device) for box in boxes)
    return first, second, third, fourth


def initial_sboxes(*, engine: str = "auto") -> tuple[SBox, SBox, SBox, SBox]:
    """Blowfish's four 8 x 32 S-boxes before a key is mixed in: the fractional digits of pi."""
    return _four(_fugu.initial_sboxes(), engine)


def blowfish_sboxes(key: bytes | bytearray | memoryview, *, engine: str = "auto") -> tuple[SBox, SBox, SBox, SBox]:
    """The four 8 x 32 S-boxes of a Blowfish key of 1 to 72 bytes. They are as secret as the key."""
    return _four(_fugu.blowfish_sboxes(key), engine)


class WeakKey(NamedTuple):
    """S-box ``box``, 1 to 4, has S(x) = S(y) = value, x < y."""

    key: int
    box: int
    x: int
    y: int
    value: int


def weak_keys(first: int, count: int) -> list[WeakKey]:
    """All such pairs under the keys ``first``, ..., ``first + count - 1``, big-endian numbers of eight bytes, ascending
    (Vaudenay 1996): one key in 33 000 has one. About 30 us per key and processor.
    """
    if not (0 <= first and 0 <= count < _KEYS and first + count <= _KEYS):
        raise UsageError("keys are numbers from 0 to 2^64 - 1")
    return [WeakKey(*found) for found in _fugu.weak_keys(first, count)]


class BoxStatistics(NamedTuple):
    """Statistics of several boxes together. Histograms map values to counts, ascending."""

    boxes: int
    boxes_with_collisions: int  # S(x) = S(y)
    ddt: dict[int, int]  # nonzero delta(a,b), a != 0
    coordinate_nonlinearity: dict[int, int]
    smallest_nonlinearity: dict[int, int]  # of all components of a box; empty unless exhaustive
    nonlinearity: dict[int, int]  # of all components; empty unless exhaustive


class _Sums:
    def __init__(self) -> None:
        self.boxes = self.with_collisions = 0
        self.ddt, self.coordinates, self.smallest, self.components = (Counter[int]() for _ in range(4))

    def add(self, box: SBox, exhaustive: bool) -> None:
        self.boxes += 1
        self.with_collisions += box.collisions != 0
        self.ddt.update({value: count for value, count in box.ddt_histogram.items() if value != 0})
        self.coordinates.update(box.coordinate_nonlinearities)
        if exhaustive:
            self.components.update(box.exhaustive_nonlinearity_histogram)
            self.smallest[min(box.exhaustive_nonlinearity_histogram)] += 1

    def result(self) -> BoxStatistics:
        ddt, coordinates, smallest, components = (
            dict(sorted(counts.items())) for counts in (self.ddt, self.coordinates, self.smallest, self.components)
        )
        return BoxStatistics(self.boxes, self.with_collisions, ddt, coordinates, smallest, components)


def random_key_statistics(
    count: int, *, seed: int = 1, exhaustive: bool = False, engine: str = "auto"
) -> tuple[BoxStatistics, BoxStatistics]:
    """Statistics of Blowfish's S-boxes under ``count`` random keys of 16 bytes, and of as many random 8 x 32 boxes.

    ``seed``: keys and boxes are those of splitmix64 from ``seed`` to ``seed + count - 1`` (Steele, Lea and Flood 2014).
    ``exhaustive``: also the nonlinearities of all 2^32 - 1 components: minutes per box on the CPU.
    ``engine``: as of SBox. About 6 ms per key, on one processor.
    """
    if not (0 < count <= _KEYS and 0 <= seed and seed + count <= _KEYS):
        raise UsageError("count is 1 or more; seeds are numbers from 0 to 2^64 - 1")
    device = device_of(engine)
    keyed, random = _Sums(), _Sums()
    for i in range(count):
        for boxes, sums in zip(_fugu.random_sboxes(seed + i), (keyed, random), strict=True):
            for box in boxes:
                sums.add(SBox._of_box(box, device), exhaustive)
    return keyed.result(), random.result()
