"""What reads an S-box's tables."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays
from ._errors import UsageError
from ._properties import BoxTables
from ._sbox_values import BoxValues

Scale = Literal["walsh", "bias", "correlation"]
_DIVISORS: Final = {"walsh": 1, "bias": 2, "correlation": 1}


def _part(chosen: range | None, size: int, what: str) -> range:
    """`chosen`, or all of `size`."""
    part = range(size) if chosen is None else chosen
    if part.step != 1 or part.start < 0 or part.stop > size:
        raise UsageError(f"{what} are not a range(first, last) within {size}")
    return part


class TablesOfBox(BoxTables, BoxValues):
    """The tables of SBox, row a by column b; ``rows`` chooses some, and ``columns`` if m may exceed 20."""

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
