"""Invariants that show S-boxes to be inequivalent.

Two boxes are affine equivalent if T = B(S(A(x))), A and B affine permutations; EA-equivalent if T = B(S(A(x))) + C(x), C
affine; CCZ-equivalent if an affine permutation maps the graph {(x, S(x))} of one to the other's. Each implies the next.
"""

from __future__ import annotations

from typing import NamedTuple

from . import _fugu
from ._sbox import SBox


class Invariant(NamedTuple):
    """A value that equivalent boxes share: a histogram, a rank, or a digest of sorted values."""

    equivalence: str  # EA or CCZ
    name: str
    value: int | dict[int, int]


class Difference(NamedTuple):
    """The boxes are not ``equivalence``-equivalent, because of these values; None: that box has none."""

    equivalence: str
    name: str
    first: int | dict[int, int] | None
    second: int | dict[int, int] | None


class Comparison(NamedTuple):
    """The names of the equal invariants, and the first that differs; none are computed after it.

    Without a difference nothing is proved: inequivalent boxes may agree in all of them.
    """

    equal: list[str]
    difference: Difference | None


def invariants(box: SBox, *, slow_ranks: bool = False) -> list[Invariant]:
    """The invariants of a box, those of CCZ-equivalence first. ``slow_ranks``: also ranks for 7 and 8 inputs, minutes each."""
    return [Invariant(*found) for found in _fugu.invariants(box._box, slow_ranks)]


def compare(first: SBox, second: SBox, *, slow_ranks: bool = False) -> Comparison:
    """Compares two boxes by their invariants. MismatchError for boxes of different sizes."""
    equal, difference = _fugu.compare(first._box, second._box, slow_ranks)
    return Comparison(equal, None if difference is None else Difference(*difference))
