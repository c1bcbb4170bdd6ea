"""S-boxes: their properties."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _fugu
from ._boolean import BooleanFunction
from ._errors import UsageError
from ._field import Field
from ._properties import BoxProperties, BoxTables
from ._sbox_values import BoxValues

Scale = Literal["walsh", "bias", "correlation"]
_DIVISORS: Final = {"walsh": 1, "bias": 2, "correlation": 1}


def _part(chosen: range | None, size: int, what: str) -> range:
    """`chosen`, or all of `size`."""
    part = range(size) if chosen is None else chosen
    if part.step != 1 or part.start < 0 or part.stop > size:
        raise UsageError(f"{what} are not a range(first, last) within {size}")
    return part


class SBox(BoxTables, BoxValues, BoxProperties):
    """A vectorial Boolean function S from n to m bits, 1 <= n <= 20, 1 <= m <= 32.

    ``values``: S(0), S(1), ... as a sequence or array of integers, or an SBox of SageMath; or an array on a GPU, where
    they are checked and stay: 4 MiB at most, of the SBox's own. "auto" is then that GPU.
    ``univariate``, ``field``: instead of values, a polynomial over GF(2^n) modulo ``field``, such as "g^170 x^192 + x^3" with
    0x11d: coefficients are integers or powers of X, written g, a, w or z; sums in parentheses and Tr(...) are possible.
    ``inputs``, ``outputs``: n and m. n is by default log2 of the number of values; m is n, if the largest value has n
    bits, or the bits of the largest value, if at least a quarter of the values have more than n. UsageError otherwise:
    ``outputs`` is then required.

    Bit i of an input x is x_i, bit j of S(x) is y_j, bit 0 the least significant. The component b is the parity of
    b & S(x). N = 2^n. W(a,b) = sum over x of (-1)^(b.S(x) + a.x), delta(a,b) = #{x: S(x) + S(x+a) = b},
    r(a,b) = sum over x of (-1)^(b.(S(x) + S(x+a))). Properties are computed when they are first asked for, once;
    those over all components need m <= 20. Histograms are read-only mappings, value -> how
    often, ascending; arrays are read-only too. A box can be pickled, with its values alone, and is its own copy.
    ``engine``: on "cuda:N" the GPU measures the properties that say so, of boxes with m <= 20: the boomerang properties of
    permutations, the exhaustive ones for n <= 8 and m >= 8. Everything else reads the values on the host, from one copy
    that is made when it is first asked for.
    ``stream``: for values on a GPU, the CUDA stream to work on; the current one of their library by default.
    """

    avalanche = Field(
        lambda s: s.sac(),
        "#{x: y_j changes when x_i does}: shape (n, m) (Webster and Tavares 1985).",
    )
    equations = Field[tuple[int | None, int | None, int | None]](
        lambda s: tuple(s._session.value(f"eq{degree}") for degree in (1, 2, 3)),
        "Independent equations of degree 1, 2 and 3 or less that hold at every (x, S(x)) (Courtois and Pieprzyk 2002); "
        "None where n + m is above 24 for degree 2, 20 for degree 3.",
    )

    # The tables are read row a by column b; ``rows`` chooses some, and ``columns`` if m may exceed 20.

    def _read_table(
        self, name: str, rows: range | None, columns: range | None = None, scale: Scale = "walsh"
    ) -> npt.NDArray[Any]:
        if scale not in _DIVISORS:
            raise UsageError(f"no scale {scale!r}; choose from walsh, bias and correlation")
        if scale == "correlation":
            return self._read_table(name, rows, columns) / len(self)
        if columns is None:
            all_rows, all_columns = self._box.table_shape(name)
            some = _part(rows, all_rows, "rows")
            table = _arrays.new_array((len(some), all_columns), np.int32)
            self._box.write_rows(name, _DIVISORS[scale], some.start, table)
            return table
        some = _part(rows, len(self), "rows")
        chosen = _part(columns, 1 << self.outputs, "columns")
        by_column = _arrays.new_array((len(chosen), len(self)), np.int32)
        self._box.write_columns(name, _DIVISORS[scale], chosen.start, by_column)
        return np.ascontiguousarray(by_column.T[some.start : some.stop])

    def _table_values(self, name: str) -> npt.NDArray[np.int64]:
        return np.array(self._box.table_values(name), np.int64)

    def ddt_row(self, a: int) -> dict[int, int]:
        """b -> delta(a,b) for nonzero entries; for any m."""
        self._check(a, self.inputs, "difference")
        return self._box.ddt_row(a)

    def uniformity_at_most(self, bound: int) -> bool:
        """Whether the differential uniformity is at most ``bound``; ends at the first row with a larger entry."""
        return self._box.has_uniformity_at_most(min(max(bound, 0), (1 << 32) - 1))

    def equations_of_degree(self, degree: int) -> list[str]:
        """A basis of the equations of at most this degree that hold at every (x, S(x)): "x0 y1 + x2 + 1" is 0 there."""
        return self._box.equations(degree)

    def linear_structures(self, most: int = 4096) -> list[tuple[int, int, int]]:
        """The first (a, b, c), a and b not 0, with b.(S(x) + S(x + a)) = c for all x, ascending (Evertse 1987)."""
        return self._box.linear_structures(most)

    def c_differential_uniformity(self, polynomial: int | None = None) -> npt.NDArray[np.int64]:
        """By c: max over a, b (a != 0 for c = 1) of #{x: S(x + a) + c S(x) = b} in GF(2^n) modulo ``polynomial``, by default the
        primitive one of "power:N:D"; n = m <= 12 (Ellingsen et al. 2020)."""
        return np.array(self._box.c_differential(polynomial), np.int64)

    def ortho_derivative(self) -> SBox | None:
        """Of quadratic APN functions (Canteaut, Couvreur and Perrin 2022); None of others."""
        box = self._box.ortho_derivative()
        return None if box is None else SBox._of_box(box, self._device)


def host_box(box: Any, name: str) -> _fugu.SBox:
    """The values of an argument on the host: of an SBox, a BooleanFunction, or what an SBox is made of."""
    if isinstance(box, BooleanFunction):
        box = SBox(box.truth_table.astype(np.uint32), box.variables, 1)
    if not isinstance(box, SBox):
        try:
            box = SBox(box)
        except TypeError as error:
            raise TypeError(f"{name} is a {type(box).__name__}; an SBox, or its values, are needed") from error
    values: _fugu.SBox = box._box
    return values
