"""An S-box's tables."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays
from ._errors import UsageError
from ._sbox_values import BoxValues
from ._transforms import autocorrelate, walsh

Scale = Literal["walsh", "bias", "correlation"]
_MOST_OUTPUTS_OF_ALL: Final = 20


def _part(chosen: range | None, size: int, what: str) -> range:
    """`chosen`, or all of `size`."""
    part = range(size) if chosen is None else chosen
    if part.step != 1 or part.start < 0 or part.stop > size:
        raise UsageError(f"{what} are no range(first, last) within {size}")
    return part


class BoxTables(BoxValues):
    """The tables of SBox: int32, row a by column b; ``rows`` chooses some, and ``columns`` if m may exceed 20."""

    def _table(self, name: str, columns: int, rows: range | None) -> npt.NDArray[np.int32]:
        if columns > 1 << _MOST_OUTPUTS_OF_ALL:
            raise UsageError(f"this table has 2^{self.outputs} columns: at most 2^{_MOST_OUTPUTS_OF_ALL} are possible")
        chosen = _part(rows, len(self), "rows")
        table = _arrays.new_array((len(chosen), columns), np.int32)
        self._box.write_table(name, chosen.start, table)
        return table

    def _components(self, columns: range) -> npt.NDArray[np.bool_]:
        """b.S(x), one row per b."""
        chosen = _part(columns, 1 << self.outputs, "columns")
        return np.array([self.component(b).truth_table for b in chosen], np.bool_).reshape(len(chosen), len(self))

    def ddt(self, rows: range | None = None) -> npt.NDArray[np.int32]:
        """delta(a,b): shape (2^n, 2^m) (Biham and Shamir 1991)."""
        return self._table("ddt", 1 << self.outputs, rows)

    def ddt_row(self, a: int) -> dict[int, int]:
        """b -> delta(a,b) for nonzero entries; for any m."""
        self._check(a, self.inputs, "difference")
        return self._box.ddt_row(a)

    def lat(
        self, scale: Scale = "walsh", *, rows: range | None = None, columns: range | None = None
    ) -> npt.NDArray[Any]:
        """W(a,b): shape (2^n, 2^m), int32 (Matsui 1993); W/2 with ``scale`` "bias"; W/2^n, float64, with "correlation"."""
        if scale not in ("walsh", "bias", "correlation"):
            raise UsageError(f"no scale {scale!r}; there are walsh, bias and correlation")
        if columns is None:
            table = self._table("lat", 1 << self.outputs, rows)
        else:
            table = self._rows_of(walsh(self._components(columns)), rows)
        if scale == "correlation":
            return table / len(self)
        return table if scale == "walsh" else np.floor_divide(table, 2, out=table)

    def act(self, *, rows: range | None = None, columns: range | None = None) -> npt.NDArray[np.int32]:
        """r(a,b): shape (2^n, 2^m)."""
        if columns is None:
            return self._table("act", 1 << self.outputs, rows)
        return self._rows_of(autocorrelate(self._components(columns)), rows)

    def _rows_of(self, by_column: npt.NDArray[Any], rows: range | None) -> npt.NDArray[np.int32]:
        chosen = _part(rows, len(self), "rows")
        return np.ascontiguousarray(by_column.T[chosen.start : chosen.stop], np.int32)

    def dlct(self, *, rows: range | None = None, columns: range | None = None) -> npt.NDArray[np.int32]:
        """r(a,b) / 2: shape (2^n, 2^m) (Bar-On et al. 2019)."""
        table = self.act(rows=rows, columns=columns)
        return np.floor_divide(table, 2, out=table)

    def bct(self, rows: range | None = None) -> npt.NDArray[np.int32]:
        """The boomerang connectivity table: shape (2^n, 2^m) (Cid et al. 2018; Li et al. 2019)."""
        return self._table("bct", 1 << self.outputs, rows)

    def fbct(self, rows: range | None = None) -> npt.NDArray[np.int32]:
        """Its Feistel counterpart: shape (2^n, 2^n) (Boukerrou et al. 2020)."""
        return self._table("fbct", len(self), rows)

    def dbct(self) -> npt.NDArray[np.int64]:
        """The double boomerang connectivity table of a permutation: shape (2^n, 2^n), n <= 8 (Hadipour et al. 2021)."""
        table = np.empty((len(self), len(self)), np.int64)
        if self.outputs != self.inputs or self.inputs > 8:
            raise UsageError("the DBCT needs a permutation of at most 8 bits")
        self._box.write_dbct(table)
        return table

    def _switch_entries(self, table: int, columns: list[int]) -> npt.NDArray[np.int64]:
        return np.array(self._box.switch_entries(table), np.int64).reshape(-1, 5)[:, columns]

    def ubct(self) -> npt.NDArray[np.int64]:
        """UBCT(a,b,d) of a permutation, n <= 8: a row a, b, d, value for each that is not 0, of differences that are not 0
        (Delaune et al. 2020)."""
        return self._switch_entries(0, [0, 1, 3, 4])

    def lbct(self) -> npt.NDArray[np.int64]:
        """LBCT(a,c,d) in the same way."""
        return self._switch_entries(1, [0, 2, 3, 4])

    def ebct(self) -> npt.NDArray[np.int64]:
        """EBCT(a,b,c,d) in the same way."""
        return self._switch_entries(2, [0, 1, 2, 3, 4])
