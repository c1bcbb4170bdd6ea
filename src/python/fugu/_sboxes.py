"""Arrays of S-boxes: each property as an array."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _fugu
from ._errors import UsageError
from ._field import Immutable
from ._names import column_of, device_of
from ._properties import BoxArrayProperties
from ._sbox import SBox

_SUMMARIZED = {"linearity": 0, "differential_uniformity": 1, "degree": 2}


def _host_values(values: Any, engine: str) -> tuple[npt.NDArray[Any], int | None]:
    """Rows of integers of 1, 2 or 4 bytes, and the GPU to work on."""
    device: int | None
    if _arrays.is_on_gpu(values):
        view, stream = _arrays.view_for_call(values, "values", engine, None)
        array, device = _arrays.copy_to_host(view, stream).reshape(view.shape), view.device
    else:
        array, device = np.asarray(values), device_of(engine)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"values are of {array.dtype} and shape {array.shape}; rows of integers, one per box, are needed")
    if array.dtype not in (np.uint8, np.uint16, np.uint32):
        if array.size and (array.min() < 0 or array.max() >= 1 << 32):
            raise UsageError("a value is below 0 or above 32 bits")
        array = array.astype(np.min_scalar_type(int(array.max(initial=0))))
    own = array if array is not values and array.base is None else array.copy()  # the caller may change the original
    return np.ascontiguousarray(own, own.dtype.newbyteorder("=")), device


class SBoxes(BoxArrayProperties, Immutable):
    """Many S-boxes of one shape, with the properties of SBox: numbers as read-only arrays, others as tuples, by box.

    ``values``: shape (B, 2^n), integers: S(0), S(1), ... of each box, in host or GPU memory.
    ``outputs``: m; by default n, or the bits of the largest value, if that has more.
    A property is computed when it is first asked for, once, on all cores; the short names of the program's columns, such as
    ``du`` and ``bu``, are possible too. ``engine``: on "cuda:N", or for values in a GPU's memory, the differential uniformity,
    the linearity and the degree of boxes of up to 8 bits are computed there.
    """

    def __init__(self, values: Any, outputs: int | None = None, *, engine: str = "auto") -> None:
        self._values, self._device = _host_values(values, engine)  # a copy of its own
        self._inputs = _fugu.inputs_of(self._values.shape[1])
        largest = int(self._values.max(initial=0))
        self._outputs = max(self._inputs, largest.bit_length()) if outputs is None else outputs
        if not 1 <= self._outputs <= 32 or largest >> self._outputs:
            raise UsageError(f"the largest value, {largest}, does not fit {self._outputs} outputs")

    @property
    def inputs(self) -> int:
        """n."""
        return self._inputs

    @property
    def outputs(self) -> int:
        """m."""
        return self._outputs

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, i: int) -> SBox:
        """Box i."""
        return SBox(self._values[i], self._inputs, self._outputs)

    def __iter__(self) -> Iterator[SBox]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} SBoxes of {self._inputs} inputs and {self._outputs} outputs>"

    def uniformity_at_most(self, bound: int) -> npt.NDArray[np.bool_]:
        """Whether the differential uniformity is at most ``bound``: a box is left at the first larger entry's row."""
        found = np.empty(len(self), np.uint8)
        _fugu.write_uniformity_at_most(*self._arguments, min(max(bound, 0), (1 << 32) - 1), found)
        return found.astype(np.bool_)

    @property
    def _arguments(self) -> tuple[npt.NDArray[Any], int, int, int]:
        return self._values, self._inputs, self._outputs, self._values.dtype.itemsize

    def __reduce__(self) -> tuple[Any, ...]:
        engine = "auto" if self._device is None else f"cuda:{self._device}"
        return partial(SBoxes, engine=engine), (self._values, self._outputs)

    def _values_of(self, name: str) -> npt.NDArray[Any] | list[Any]:
        if self._device is not None and name in _SUMMARIZED and max(self._inputs, self._outputs) <= _fugu.MAX_SMALL_BITS:
            return self._summaries()[:, _SUMMARIZED[name]]
        if (column := column_of(name)) is not None and column.is_whole_number:
            numbers = np.empty(len(self), np.int64)
            _fugu.write_boxes_numbers(*self._arguments, name, numbers)
            return numbers
        values = _fugu.boxes_values(*self._arguments, name)
        return np.array(values) if values and isinstance(values[0], (bool, float)) else values

    def _summaries(self) -> npt.NDArray[np.int64]:
        if "_found" not in self.__dict__:
            found = np.empty((len(self), 3), np.int64)
            _fugu.write_boxes_summaries(
                np.ascontiguousarray(self._values, np.uint8), self._inputs, self._outputs, self._device or 0, found
            )
            self._found = found
        return self._found

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if (column := column_of(name)) is None or name.startswith("_"):
                raise AttributeError(f"SBoxes have no attribute {name!r}")
            return getattr(self, column.attribute)


def sboxes(values: Any, outputs: int | None = None, *, engine: str = "auto") -> SBoxes:
    """SBoxes(values, outputs, engine=engine): the boxes in the rows of an array, to be measured together."""
    return SBoxes(values, outputs, engine=engine)
