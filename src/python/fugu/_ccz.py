"""The CCZ class of an S-box, by its Walsh-zero spaces (Canteaut and Perrin 2019).

Functions raise ValueError where the search was not finished within ``seconds``; 0 is no limit. n + m is at most 20.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from . import _fugu
from ._affine import AffineMap
from ._equivalence import _map_of
from ._sbox import SBox, host_box


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
    first, second, added = _map_of(*a), _map_of(*b), _map_of(*c)
    assert first is not None and second is not None and added is not None
    return TuDecomposition(SBox._of_box(made, box._device), first, second, added if added.matrix.any() else None)
