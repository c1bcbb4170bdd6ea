"""A truth table in the memory of a GPU."""

from __future__ import annotations

from typing import Any

from . import _arrays, _fugu
from ._errors import UsageError
from ._transforms import Order, walsh


class GpuTable:
    """Packed values, shape (2^n / 8,) and uint8, 5 to 30 variables. It is read in place, on one stream."""

    def __init__(self, packed: Any, engine: str, stream: object) -> None:
        self._packed = packed
        self._owner_of_stream = _arrays.current_stream(packed) if stream is None else stream
        self._stream = _arrays.handle_of(self._owner_of_stream)
        self._view = _arrays.gpu_view(packed, "packed", self._stream)
        _arrays.check_gpu_engine(self._view, "packed", engine)
        if self._view.type != "uint8" or len(self._view.shape) != 1:
            raise TypeError(f"packed is of {self._view.type} and shape {self._view.shape}; a row of uint8 is needed")
        _arrays.check_gpu_table(self._view)
        self.variables = (8 * self._view.values).bit_length() - 1
        if self._view.values & (self._view.values - 1) or self.variables > _fugu.MAX_VARIABLES:
            raise UsageError(f"{self._view.values} bytes are not a packed truth table of up to {_fugu.MAX_VARIABLES} variables")

    @property
    def device(self) -> int:
        return self._view.device

    @property
    def _place(self) -> _fugu.Place:
        return _fugu.Place(self.device, self._stream)

    def session(self) -> _fugu.FunctionSession:
        return _fugu.FunctionSession.of_gpu_values(
            self._view.handle(), self.variables, self._place, (self._packed, self._owner_of_stream)
        )

    def spectrum(self, order: Order, out: Any) -> Any:
        return walsh(self._packed, order=order, out=out, stream=self._stream)
