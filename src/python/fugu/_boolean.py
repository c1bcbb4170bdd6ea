"""Boolean functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays, _fugu
from ._errors import UsageError
from ._field import Field, Immutable
from ._names import SAGE_FUNCTION, device_of, refuse_attribute
from ._properties import FunctionProperties
from ._transforms import Order, order_index, walsh

BitOrder = Literal["msb", "sage"]

_FORMS: Final = "give values, bits=, packed=, hex= or polynomial= (with variables=), and one of them only"


def _bits_of(values: Any) -> npt.NDArray[np.bool_]:
    if not isinstance(values, np.ndarray) and hasattr(values, "__len__"):
        _log2(len(values), "values")  # checked before anything is built from them
    array = np.asarray(values)
    if array.ndim != 1:
        raise TypeError(f"values have {array.ndim} dimensions; a truth table has one")
    _log2(array.size, "values")
    if array.dtype != np.bool_ and not (np.issubdtype(array.dtype, np.integer) and array.min() >= 0 and array.max() <= 1):
        raise TypeError("values are not all 0 or 1; for a polarity table s of 1 and -1 give s < 0")
    return np.ascontiguousarray(array, np.bool_)


def _log2(size: int, what: str) -> int:
    if size < 1 or size & (size - 1):
        raise UsageError(f"{size} {what} are not a power of two")
    variables = size.bit_length() - 1
    if variables > _fugu.MAX_VARIABLES:
        raise UsageError(f"{variables} variables: 0 to {_fugu.MAX_VARIABLES} are possible")
    return variables


def _of_values(values: Any) -> _fugu.TruthTable:
    if isinstance(values, str):
        return _fugu.TruthTable.of_bits(values)
    if isinstance(values, (bytes, bytearray, memoryview)):
        raise TypeError("values are bytes; packed=values takes eight values per byte")
    if _arrays.is_on_gpu(values):
        raise TypeError("values are on a GPU; a truth table there is packed: packed=packbits(values, bitorder='little')")
    if hasattr(values, "truth_table") and hasattr(values, "nvariables"):  # Sage's BooleanFunction
        values = [int(value) for value in values.truth_table()]
    bits = _bits_of(values)
    return _fugu.TruthTable.of_values(bits, _log2(bits.size, "values"))


def _of_packed(packed: Any, variables: int | None) -> _fugu.TruthTable:
    array = packed if hasattr(packed, "__dlpack__") else np.asarray(memoryview(packed))
    data = _arrays.host_array(array, "packed", "bytes and arrays of uint8")
    if data.dtype != np.uint8:
        raise TypeError(f"packed is of {data.dtype}; bytes and arrays of uint8 are possible")
    n = _log2(8 * data.size, "values") if variables is None else variables
    if not 0 <= n <= _fugu.MAX_VARIABLES or data.size != max(1, (1 << n) // 8):
        raise UsageError(f"{data.size} bytes are not a packed truth table of {n} variables")
    return _fugu.TruthTable.of_values(data, n)


def _of_hex(text: str, bit_order: str) -> _fugu.TruthTable:
    if bit_order not in ("msb", "sage"):
        raise UsageError(f"no bit order {bit_order!r}; choose from msb and sage")
    if bit_order == "msb":
        return _fugu.TruthTable.of_hex(text)
    table = _fugu.TruthTable.of_hex(text)  # the same digits, reversed as a whole
    return _of_values(_bits(table)[::-1])


def _bits(table: _fugu.TruthTable) -> npt.NDArray[np.bool_]:
    bits = np.empty(1 << table.variables, np.bool_)
    table.write_bits(bits)
    return bits


def _session_on_gpu(packed: Any, engine: str, stream: object) -> tuple[_fugu.FunctionSession, int, int]:
    """A session of the values where they are, which keeps them; the GPU's number and the stream."""
    view, handle, owner_of_stream = _arrays.kept_view(packed, "packed", engine, stream)
    if view.type != "uint8" or len(view.shape) != 1:
        raise TypeError(f"packed is of {view.type} and shape {view.shape}; a row of uint8 is needed")
    _arrays.check_gpu_table(view)
    variables = (8 * view.values).bit_length() - 1
    if view.values & (view.values - 1) or variables > _fugu.MAX_VARIABLES:
        raise UsageError(f"{view.values} bytes are not a packed truth table of up to {_fugu.MAX_VARIABLES} variables")
    place = _fugu.Place(view.device, handle)
    session = _fugu.FunctionSession.of_gpu_values(view.handle(), variables, place, (packed, owner_of_stream))
    return session, view.device, handle


class BooleanFunction(FunctionProperties, Immutable):
    """A function f of n variables, 0 to 30; bit i of an index x is the variable x_i.

    Made from one of:

    ``values``: f(0), f(1), ... as a sequence or array of bool or of 0 and 1, as a text of the digits 0 and 1, or a
    BooleanFunction of SageMath;
    ``packed``: bytes, bit i of byte k being f(8 k + i); with ``variables`` below 3, where a byte holds less than 8;
    or an array of uint8 on a GPU, 5 variables or more, which is read where it is and must not change;
    ``hex``: four values per digit. ``bit_order`` "msb": f(0) is the most significant bit of the first digit;
    "sage": the least significant bit of the last digit, as in SageMath;
    ``polynomial``: the algebraic normal form, "1 + x0 x2 + x3*x1", of ``variables`` variables.

    Properties are computed when they are first asked for, once; arrays and histograms are read-only. A function can be
    pickled, with its values alone, and is its own copy. W and r are the spectra of (-1)^f:
    W(a) = sum over x of (-1)^{f(x) + a.x}, r(a) = sum over x of (-1)^{f(x) + f(x ^ a)}.
    ``engine``: where spectra, nonlinearity and degree are computed: "auto" is the GPU that ``packed`` is on, otherwise
    the CPU; "cpu"; "cuda:N". Everything else reads the values on the host, of a GPU's from one copy, 2^n / 8 bytes,
    that is made when it is first asked for.
    ``stream``: for ``packed`` on a GPU, the CUDA stream to work on; the current one of its library by default.
    """

    def __init__(
        self, values: Any = None, /, *, bits: str | None = None, packed: Any = None, hex: str | None = None,
        polynomial: str | None = None, variables: int | None = None, bit_order: BitOrder = "msb", engine: str = "auto",
        stream: object = None
    ) -> None:
        if sum(form is not None for form in (values, bits, packed, hex, polynomial)) != 1:
            raise TypeError(_FORMS)
        self._device = device_of(engine)
        self._on_gpu: tuple[Any, int] | None = None  # the packed values, and the stream
        if values is not None or bits is not None:
            self._take(_of_values(bits if values is None else values))
        elif packed is not None and _arrays.is_on_gpu(packed):
            self._session, self._device, handle = _session_on_gpu(packed, engine, stream)
            self._on_gpu = packed, handle
        elif packed is not None:
            self._take(_of_packed(packed, variables))
        elif hex is not None:
            self._take(_of_hex(hex, bit_order))
        elif polynomial is None or variables is None:
            raise TypeError("polynomial= needs variables=, the number of variables")
        else:
            self._take(_fugu.TruthTable.of_polynomial(polynomial, variables))
        if variables not in (None, self.variables):
            raise UsageError(f"the truth table has {self.variables} variables, not {variables}")

    @classmethod
    def _of_table(cls, table: _fugu.TruthTable, device: int | None) -> BooleanFunction:
        function = cls.__new__(cls)
        function._device, function._on_gpu = device, None
        function._take(table)
        return function

    def _take(self, table: _fugu.TruthTable) -> None:
        self._session = _fugu.FunctionSession.of_table(table, self._device)

    @property
    def _table(self) -> _fugu.TruthTable:
        """The values on the host."""
        return self._session.values

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (np.packbits(self.truth_table, bitorder="little").tobytes(), self.variables, self._device)

    @property
    def variables(self) -> int:
        """n."""
        return self._session.variables

    def seconds(self, name: str) -> float:
        """About how many seconds a property, such as "annihilators", takes here, before it is asked for; 0: less than is worth mention."""
        return self._session.seconds(name)

    def __len__(self) -> int:
        return 1 << self.variables

    def __getitem__(self, x: int) -> int:
        """f(x)."""
        if not 0 <= x < len(self):
            raise IndexError(f"x is {x}; it goes from 0 to {len(self) - 1}")
        return int(self._table.value(x))

    def __eq__(self, other: object) -> bool:
        return self._table.is_equal(other._table) if isinstance(other, BooleanFunction) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.variables, self._table.to_bits()))

    def __repr__(self) -> str:
        short = self.variables <= 6
        return f"BooleanFunction(bits='{self.to_bits()}')" if short else f"<BooleanFunction of {self.variables} variables>"

    def __call__(self, x: int | Sequence[int]) -> int:
        """f(x), of an integer or of the variables x_0, x_1, ..."""
        if isinstance(x, int | np.integer):
            return self[int(x)]
        if len(x) != self.variables or not all(bit in (0, 1) for bit in x):
            raise UsageError(f"give 0 or 1 for each of the {self.variables} variables")
        return self[sum(int(bit) << i for i, bit in enumerate(x))]

    def _with(self, other: Any, combine: Any) -> BooleanFunction:
        if isinstance(other, BooleanFunction):
            if other.variables != self.variables:
                raise UsageError(f"functions of {self.variables} and of {other.variables} variables")
            return self._same(combine(self.truth_table, other.truth_table))
        return self._same(combine(self.truth_table, np.bool_(other))) if other in (0, 1) else NotImplemented

    def _same(self, values: npt.NDArray[np.bool_]) -> BooleanFunction:
        return self._of_table(_of_values(values), self._device)

    def __add__(self, other: BooleanFunction | int) -> BooleanFunction:
        """f(x) + g(x) modulo 2."""
        return self._with(other, np.logical_xor)

    def __mul__(self, other: BooleanFunction | int) -> BooleanFunction:
        """f(x) g(x)."""
        return self._with(other, np.logical_and)

    __radd__, __rmul__ = __add__, __mul__
    __xor__, __rxor__, __and__, __rand__ = __add__, __add__, __mul__, __mul__

    def __invert__(self) -> BooleanFunction:
        """f(x) + 1."""
        return self._same(~self.truth_table)

    def __or__(self, other: BooleanFunction) -> BooleanFunction:
        """concatenate(other), as in SageMath."""
        return self.concatenate(other)

    def concatenate(self, other: BooleanFunction) -> BooleanFunction:
        """The function of one more variable, the last, that is f where it is 0 and ``other`` where it is 1."""
        if other.variables != self.variables:
            raise UsageError(f"functions of {self.variables} and of {other.variables} variables")
        return self._same(np.concatenate([self.truth_table, other.truth_table]))

    def derivative(self, a: int) -> BooleanFunction:
        """f(x) + f(x + a)."""
        if not 0 <= a < len(self):
            raise UsageError(f"{a} is not a difference of {self.variables} bits")
        return self._same(self.truth_table ^ self.truth_table[np.arange(len(self)) ^ a])

    def annihilator_basis(self) -> list[BooleanFunction]:
        """A basis of the annihilators g of least degree, g f = 0 and g != 0; n <= 16 (Courtois and Meier 2003)."""
        return [self._of_table(table, self._device) for table in self._table.annihilators()]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise refuse_attribute("BooleanFunction", name, SAGE_FUNCTION)

    def to_bits(self) -> str:
        """f(0), f(1), ... as digits."""
        return self._table.to_bits()

    def to_hex(self, bit_order: BitOrder = "msb") -> str:
        """Four values per digit, in the format of ``hex``; at least two variables."""
        if bit_order == "msb":
            return self._table.to_hex()
        return _of_values(self.truth_table[::-1]).to_hex()

    def walsh_spectrum(self, order: Order = "natural", *, out: Any = None) -> Any:
        """W(a) for every a, in ``order``: shape (2^n,), int32; ``out``, a new array, or one on the GPU of ``packed``."""
        if self._on_gpu:
            packed, stream = self._on_gpu
            return walsh(packed, order=order, out=out, stream=stream)
        spectrum = _arrays.host_output(out, (len(self),), np.int32)
        self._table.write_spectrum(spectrum, order_index(order), self._device)
        return spectrum if out is None else out

    def autocorrelation(self) -> npt.NDArray[np.int64]:
        """r(a) for every a: shape (2^n,), int64."""
        values = _arrays.new_array((len(self),), np.int64)
        self._table.write_autocorrelation(values)
        return values

    @cached_property
    def _form(self) -> _fugu.TruthTable:
        return self._table.algebraic_normal_form()

    truth_table = Field(lambda f: _bits(f._table), "f(0), f(1), ...: shape (2^n,), bool.")
    polynomial = Field(lambda f: f._form.polynomial(), "The algebraic normal form, '1 + x0 x2'; '0' for the zero function.")
    algebraic_normal_form = Field(
        lambda f: BooleanFunction._of_table(f._form, f._device),
        "The coefficients as a function: bit m is that of the product of the x_i with bit i of m set.",
    )


def _restored(packed: bytes, variables: int, device: int | None) -> BooleanFunction:
    return BooleanFunction._of_table(_of_packed(packed, variables), device)
