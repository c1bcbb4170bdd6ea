"""What tells S-boxes apart that are not equivalent.

Two boxes are affine equivalent if T = B(S(A(x))), A and B affine permutations; EA-equivalent if T = B(S(A(x))) + C(x), C
affine; CCZ-equivalent if an affine permutation maps the graph {(x, S(x))} of one to the other's. Each implies the next.
"""

from __future__ import annotations

from typing import NamedTuple

from . import _fugu
from ._sbox import SBox


class Invariant(NamedTuple):
    """What equivalent boxes have in common: a histogram, a rank, or a digest of sorted values."""

    equivalence: str  # affine, EA or CCZ
    name: str
    value: int | dict[int, int]


class Difference(NamedTuple):
    """The boxes are not ``equivalence``-equivalent, because of these values; None: that box has none."""

    equivalence: str
    name: str
    first: int | dict[int, int] | None
    second: int | dict[int, int] | None


class Comparison(NamedTuple):
    """The invariants that are equal, by name, and the first that is not; none are computed after it."""

    equal: list[str]
    difference: Difference | None


def invariants(box: SBox, *, slow_ranks: bool = False) -> list[Invariant]:
    """Those of a box, of CCZ-equivalence first. ``slow_ranks``: also the ranks of 7 and 8 inputs, minutes each."""
    return [Invariant(*found) for found in _fugu.invariants(box._box, slow_ranks)]


def compare(first: SBox, second: SBox, *, slow_ranks: bool = False) -> Comparison:
    """What tells two boxes apart, if any of the invariants does. MismatchError for boxes of different sizes."""
    equal, difference = _fugu.compare(first._box, second._box, slow_ranks)
    return Comparison(equal, None if difference is None else Difference(*difference))
