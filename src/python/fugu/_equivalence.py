"""Which S-boxes are equivalent, and invariants that show that some are not.

S and T are linearly equivalent if T = B(S(A(x))), A and B linear permutations; affine equivalent if A and B are affine;
EA-equivalent if T = B(S(A(x))) + C(x), C affine; CCZ-equivalent if an affine permutation L maps the graph {(x, S(x))} to
{(x, T(x))}. Each implies the next.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import _fugu
from ._affine import AffineMap
from ._errors import UsageError
from ._sbox import SBox, host_box

_RELATIONS = ("linear", "affine", "ea", "ccz")


class Invariant(NamedTuple):
    """A value that equivalent boxes share: a histogram, a rank, or a digest of sorted values; None: the box has none."""

    equivalence: str  # linear, affine, EA or CCZ
    name: str
    value: int | dict[int, int] | None


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
    return [Invariant(*found) for found in _fugu.invariants(host_box(box, "box"), slow_ranks)]


def compare(first: SBox, second: SBox, *, slow_ranks: bool = False) -> Comparison:
    """Compares two boxes by their invariants. MismatchError for boxes of different sizes."""
    equal, difference = _fugu.compare(host_box(first, "first"), host_box(second, "second"), slow_ranks)
    return Comparison(equal, None if difference is None else Difference(*difference))


@dataclass(frozen=True)
class Equivalence:
    """What is known about S, the first box, and T, the second. As a truth value, ``holds``; undecided, a ValueError.

    ``a``, ``b`` and ``c`` are A, B and C, ``graph`` is L, which maps S(x) + 2^m x to T(y) + 2^m y: None where the relation has
    no such map or does not hold. Every map was checked for every x.
    """

    relation: str  # linear, affine, EA or CCZ
    holds: bool | None  # None: undecided
    by: str = ""  # what decided: invariants, a theorem or a search, with its source
    difference: Difference | None = None  # the invariant that excludes the relation; without one, a search did
    steps: int = 0  # guesses of the search
    a: AffineMap | None = None
    b: AffineMap | None = None
    c: AffineMap | None = None
    graph: AffineMap | None = None

    def __bool__(self) -> bool:
        """``holds``."""
        if self.holds is None:
            raise ValueError(f"{self.relation}-equivalence is undecided after {self.steps} guesses")
        return self.holds


def _map_of(columns: list[int], constant: int, outputs: int) -> AffineMap:
    bits = [[column >> i & 1 for column in columns] for i in range(outputs)]
    return AffineMap(np.array(bits, dtype=np.uint8), constant)


def _position(relation: str) -> int:
    if relation.lower() not in _RELATIONS:
        raise UsageError(f"relation is linear, affine, ea or ccz, not {relation!r}")
    return _RELATIONS.index(relation.lower())


def equivalent(first: SBox, second: SBox, relation: str | None = None, *, seconds: float = 60) -> Equivalence:
    """Whether the boxes are equivalent, by invariants, by theorems, and then by a search for the maps.

    ``relation``: linear, affine, ea or ccz; by default, the strongest that holds, or CCZ if none does. ``seconds``: what
    all of it takes at most; 0 for no limit. Searches for several relations share the time. MismatchError for boxes of different sizes. The search needs at most
    16 inputs and outputs, for EA and CCZ at most 20 together; larger boxes that no invariant separates are undecided.
    """
    strongest, weakest = (0, 3) if relation is None else (_position(relation),) * 2
    boxes = host_box(first, "first"), host_box(second, "second")
    of, holds, by, difference, steps, maps = _fugu.decide(*boxes, strongest, weakest, seconds)[-1]
    found = [] if maps is None else [_map_of(*m) if m[0] else None for m in maps]
    return Equivalence(of, holds, by, None if difference is None else Difference(*difference), steps, *found)


class Canonical(NamedTuple):
    """``box``[x] = B(S(A(x))), the lexicographically least such box."""

    box: SBox
    a: AffineMap
    b: AffineMap


def canonical(box: SBox, relation: str = "affine", *, seconds: float = 60) -> Canonical:
    """The least representative of the class of a box of at most 8 inputs and outputs, ``relation`` linear or affine.

    Boxes are equivalent if and only if they have the same (Biryukov, De Canniere, Braeken and Preneel 2003). ValueError where
    the search was not finished within ``seconds``.
    """
    if _position(relation) > 1:
        raise UsageError("relation is linear or affine")
    found = _fugu.canonical(host_box(box, "box"), _position(relation) == 1, seconds)
    if found is None:
        raise ValueError("undecided: the search was not finished")
    least, a, b = found
    return Canonical(SBox._of_box(least), _map_of(*a), _map_of(*b))


class ListedClass(NamedTuple):
    """A class in a published list: its ``number`` of ``classes``, counted from ``first``."""

    list: str
    classes: int
    first: int
    number: int
    relation: str  # linear, affine, EA or CCZ
    by: str  # what decided it
    origin: str


def class_of(box: SBox, *, seconds: float = 60) -> list[ListedClass]:
    """The classes of a box in all lists about such boxes; empty if it is in none.

    The lists: permutations of 3 and 4 bits (4 and 302 affine classes, numbered by ascending least representatives) and the 16
    optimal ones of 4 bits, functions of 3 and 4 variables (3 and 8 EA classes), APN functions of 6 variables (14 CCZ classes)
    and quadratic ones of 7 (488). ValueError where a search was not finished within ``seconds``.
    """
    found = _fugu.classes_of(host_box(box, "box"), seconds)
    if found is None:
        raise ValueError("undecided: the search was not finished")
    return [ListedClass(*one) for one in found]


def self_equivalences(box: SBox, relation: str = "affine", *, seconds: float = 60) -> int | None:
    """The number of pairs (A, B) with B(S(A(x))) = S(x), ``relation`` linear or affine. None if that takes longer."""
    if _position(relation) > 1:
        raise UsageError("relation is linear or affine")
    count = _fugu.self_equivalences(host_box(box, "box"), _position(relation) == 1, seconds)
    return None if count is None else int(count)


# The CCZ class of an S-box, by its Walsh-zero spaces (Canteaut and Perrin 2019). Functions raise ValueError where the search was not
# finished within ``seconds``; 0 is no limit. n + m is at most 20.


class WalshZeroSpace(NamedTuple):
    """A subspace of dimension n of {(a, b): W(a,b) = 0 or (a, b) = 0}; ``thickness``: the dimension of its projection to b."""

    basis: list[int]  # numbers a 2^m + b
    thickness: int


class TuDecomposition(NamedTuple):
    """B(S(A(z))) + C(z) = ``box``[z] = T_y(x) + 2^t U_x(y) for z = x + 2^t y: T_y is a permutation for every y."""

    box: SBox
    a: AffineMap
    b: AffineMap
    c: AffineMap | None  # None: 0


def _require(decided: bool) -> None:
    if not decided:
        raise ValueError("undecided: the search was not finished")


def walsh_zero_spaces(box: SBox, *, seconds: float = 60) -> list[WalshZeroSpace]:
    """All Walsh-zero spaces. Each gives a function that is CCZ-equivalent to the box."""
    complete, spaces = _fugu.walsh_zero_spaces(host_box(box, "box"), seconds)
    _require(complete)
    return [WalshZeroSpace(*space) for space in spaces]


def thickness_spectrum(box: SBox, *, seconds: float = 60) -> dict[int, int]:
    """Thickness -> number of Walsh-zero spaces, ascending."""
    return dict(sorted(Counter(space.thickness for space in walsh_zero_spaces(box, seconds=seconds)).items()))


def ccz_permutation(box: SBox, *, seconds: float = 60) -> SBox | None:
    """A permutation that is CCZ-equivalent to the box: two Walsh-zero spaces that meet only in 0 give one. None: there is none."""
    complete, found = _fugu.ccz_permutation(host_box(box, "box"), seconds)
    _require(complete or found is not None)
    return None if found is None else SBox._of_box(found, box._device)


def ea_classes(box: SBox, *, seconds: float = 60) -> list[SBox]:
    """One function per EA class of the CCZ class."""
    complete, found = _fugu.ea_classes(host_box(box, "box"), seconds)
    _require(complete and found is not None)
    return [SBox._of_box(member, box._device) for member in found or []]


def tu_decomposition(box: SBox, t: int, *, seconds: float = 60) -> TuDecomposition | None:
    """A TU-decomposition (Perrin, Udovenko and Biryukov 2016), C = 0 if possible. None: no space has thickness t."""
    complete, found = _fugu.tu_decomposition(host_box(box, "box"), t, seconds)
    _require(complete or found is not None)
    if found is None:
        return None
    made, a, b, c = found
    added = _map_of(*c)
    return TuDecomposition(
        SBox._of_box(made, box._device), _map_of(*a), _map_of(*b), added if added.matrix.any() else None
    )
