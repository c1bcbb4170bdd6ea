"""An S-box's values, the boxes and functions derived from them, and their HTML and LaTeX."""

from __future__ import annotations

import base64
import contextlib
import difflib
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
import numpy.typing as npt

from . import _arrays, _fugu
from ._affine import AffineMap
from ._boolean import BooleanFunction
from ._errors import UsageError
from ._field import Field, Immutable
from ._names import SAGE_SBOX, device_of, refuse_attribute


def _values_of(values: Any) -> npt.NDArray[np.uint32]:
    if isinstance(values, str):
        raise TypeError("values are a text; give integers, such as [int(value, 0) for value in text.split()]")
    if isinstance(values, (bytes, bytearray, memoryview)):
        values = np.asarray(memoryview(values))
    if not isinstance(values, np.ndarray) and hasattr(values, "__len__"):
        _fugu.inputs_of(len(values))  # checked before anything is built from them
    array = np.asarray(list(values) if hasattr(values, "input_size") else values)  # Sage's SBox has input_size()
    if array.ndim != 1 or not (np.issubdtype(array.dtype, np.integer) or array.dtype == object):
        raise TypeError("values are not a list or one-dimensional array of integers")
    _fugu.inputs_of(array.size)
    if array.dtype == object:  # Sage's integers, and such as exceed 64 bits
        array = np.array([int(value) for value in array], object)
    if array.min() < 0 or array.max() >= 1 << 32:
        raise UsageError("a value is below 0 or above 32 bits")
    return np.require(array, np.uint32, ["C", "A"])


def _session_on_gpu(values: Any, outputs: int | None, engine: str, stream: object) -> tuple[_fugu.BoxSession, int]:
    """A session with a copy of the values in the GPU's memory, and the GPU's number."""
    view, handle, owner_of_stream = _arrays.kept_view(values, "values", engine, stream)
    if not view.type.startswith(("int", "uint")) or len(view.shape) != 1:
        raise TypeError(f"values are of {view.type} and shape {view.shape}; one dimension of integers is needed")
    place = _fugu.Place(view.device, handle)
    return _fugu.BoxSession.of_gpu_values(view.handle(), outputs, place, owner_of_stream), view.device


class BoxValues(Immutable):
    """The part of SBox that holds the values, in host or GPU memory."""

    def __init__(
        self, values: Any = None, inputs: int | None = None, outputs: int | None = None, *, univariate: str | None = None,
        field: int | None = None, engine: str = "auto", stream: object = None
    ) -> None:
        self._device: int | None
        if (values is None) == (univariate is None) or (univariate is None) != (field is None):
            raise TypeError("an SBox is made of values, or of univariate= and field=")
        if univariate is not None and field is not None:
            if not isinstance(univariate, str) or not isinstance(field, int):
                raise TypeError('univariate= is a text, such as "g^170 x^192 + x^3", and field= an integer, such as 0x11d')
            if (inputs, outputs) != (None, None):
                raise TypeError("univariate= needs neither inputs nor outputs: they follow from field=")
            self._take(_fugu.SBox.of_univariate(univariate, field), device_of(engine))
            return
        if _arrays.is_on_gpu(values):
            self._session, self._device = _session_on_gpu(values, outputs, engine, stream)
            if inputs not in (None, self.inputs):
                raise UsageError(f"{len(self)} values are those of {self.inputs} inputs, not {inputs}")
            return
        numbers = _values_of(values)
        if inputs is None:
            inputs = _fugu.inputs_of(numbers.size)
        if outputs is None:
            sage_outputs = getattr(values, "output_size", None)
            outputs = int(sage_outputs()) if sage_outputs else _fugu.usual_outputs(inputs, numbers)
        self._take(_fugu.SBox.of_values(numbers, inputs, outputs), device_of(engine))

    def _take(self, box: _fugu.SBox, device: int | None) -> None:
        self._session, self._device = _fugu.BoxSession.of_box(box, device), device

    @property
    def _box(self) -> _fugu.SBox:
        """The values on the host."""
        return self._session.values

    @classmethod
    def named(cls, name: str, *, engine: str = "auto") -> Self:
        """A box of a standard, or of a family, such as "AES" or "power:8:254:0x11b", in letters of either case;
        ``SBox.names()`` lists them."""
        device = device_of(engine)
        box = _fugu.named_box(name)
        if box is None:
            names = {row[0].casefold(): row[0] for row in _fugu.box_names()}
            nearest = difflib.get_close_matches(name.casefold(), names, 1)
            hint = f" (did you mean {names[nearest[0]]}?)" if nearest else ""
            raise UsageError(f"no box {name!r}{hint}; SBox.names() lists the names")
        return cls._of_box(box, device)

    @staticmethod
    def names() -> list[tuple[str, str, str]]:
        """Names and families, their parameters in capitals; inputs x outputs; source or definition."""
        return _fugu.box_names()

    @staticmethod
    def tables() -> list[tuple[str, str, str]]:
        """The methods that give tables: name, title and definition."""
        return [(name, title, definition) for name, _, title, definition, _, _ in _fugu.box_tables()]

    @classmethod
    def _of_box(cls, box: _fugu.SBox, device: int | None = None) -> Self:
        result = cls.__new__(cls)
        result._take(box, device)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.values, self.inputs, self.outputs, self._device)

    @property
    def inputs(self) -> int:
        """n."""
        return self._session.inputs

    @property
    def outputs(self) -> int:
        """m."""
        return self._session.outputs

    def seconds(self, name: str) -> float:
        """About how many seconds a property, such as "gamma_rank", takes here, before it is asked for; 0: less than is worth mention."""
        return self._session.seconds(name)

    values = Field(lambda s: s._written_values(), "S(0), S(1), ...: shape (2^n,), uint32.")

    def _written_values(self) -> npt.NDArray[np.uint32]:
        values = np.empty(len(self), np.uint32)
        self._box.write_values(values)
        return values

    def __len__(self) -> int:
        return 1 << self.inputs

    @overload
    def __getitem__(self, x: int) -> int: ...
    @overload
    def __getitem__(self, x: slice) -> list[int]: ...
    def __getitem__(self, x: int | slice) -> int | list[int]:
        """S(x); as of a list, S[-1] is the last value, and S[:8] a list."""
        if isinstance(x, slice):
            values: list[int] = self.values[x].tolist()
            return values
        if not -len(self) <= x < len(self):
            raise IndexError(f"x is {x}; it goes from 0 to {len(self) - 1}")
        return int(self.values[x])

    def __call__(self, x: int) -> int:
        """S(x)."""
        if not 0 <= x < len(self):
            raise UsageError(f"x is {x}; it goes from 0 to {len(self) - 1}")
        return self[x]

    def __matmul__(self, other: Any) -> Self:
        """S(T(x)), of a box or an affine map T."""
        inner = _box_of(other)
        if inner is None:
            return NotImplemented
        if inner.outputs != self.inputs:
            raise UsageError(f"T has {inner.outputs} outputs and S {self.inputs} inputs")
        return self._of_values(self.values[inner.values], inner.inputs, self.outputs)

    def __rmatmul__(self, other: Any) -> Self:
        outer = _box_of(other)
        return NotImplemented if outer is None else self._of_values((outer @ self).values, self.inputs, outer.outputs)

    def __xor__(self, other: Any) -> Self:
        """S(x) + T(x), of a box, an affine map or a constant T."""
        if isinstance(other, int | np.integer):
            self._check(int(other), self.outputs, "constant")
            return self._of_values(self.values ^ np.uint32(other), self.inputs, self.outputs)
        summand = _box_of(other)
        if summand is None:
            return NotImplemented
        if (summand.inputs, summand.outputs) != (self.inputs, self.outputs):
            raise UsageError(f"boxes of {self.inputs} x {self.outputs} and of {summand.inputs} x {summand.outputs}")
        return self._of_values(self.values ^ summand.values, self.inputs, self.outputs)

    __rxor__ = __xor__

    def _of_values(self, values: npt.NDArray[np.uint32], inputs: int, outputs: int) -> Self:
        return self._of_box(_fugu.SBox.of_values(np.ascontiguousarray(values), inputs, outputs), self._device)

    def __iter__(self) -> Iterator[int]:
        return iter(self.values.tolist())

    def __eq__(self, other: object) -> bool:
        return self._box.is_equal(other._box) if isinstance(other, BoxValues) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.outputs, self.values.tobytes()))

    def __repr__(self) -> str:
        if self.inputs <= 4 and self._device is None:  # a box on a GPU is not copied to be shown
            return f"SBox({self.values.tolist()}, {self.inputs}, {self.outputs})"
        return f"<SBox of {self.inputs} inputs and {self.outputs} outputs>"

    def _repr_html_(self) -> str:
        return _html_of(self)

    def latex(self, table: str | None = None) -> str:
        """A LaTeX tabular of the values, or of a table such as "ddt" or "lat"; numbers of rows and columns are hexadecimal."""
        if table is not None and table not in (name for name, *_ in self.tables()):
            raise UsageError(f"no table {table!r}; SBox.tables() lists them")
        return _latex_of(self, table)

    def report(self, seconds: float = 1) -> dict[str, Any]:
        """The properties that the box has, by name, without those that would take longer than ``seconds`` each."""
        values: dict[str, Any] = {}
        for _, name, _, _, _ in _fugu.box_properties():
            if not name or self.seconds(name) > seconds:
                continue
            with contextlib.suppress(UsageError):  # boxes of this size may lack it
                values[name] = getattr(self, name)
        return {name: value for name, value in values.items() if value is not None}

    # Other boxes and functions.

    def component(self, b: int) -> BooleanFunction:
        """b.S(x) as a function of x."""
        self._check(b, self.outputs, "mask")
        return BooleanFunction._of_table(self._box.component(b), self._device)

    def derivative(self, a: int) -> Self:
        """S(x) + S(x + a)."""
        self._check(a, self.inputs, "difference")
        return self._of_box(self._box.derivative(a), self._device)

    def inverse(self) -> Self:
        """The inverse. UsageError, with two inputs of equal value, unless the box is a permutation."""
        return self._of_box(self._box.inverse(), self._device)

    def univariate(self, polynomial: int) -> list[int]:
        """c with S(x) = sum over k of c[k] x^k in GF(2^n) modulo ``polynomial``; n = m <= 12."""
        return self._box.univariate(polynomial)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise refuse_attribute("SBox", name, SAGE_SBOX)

    @staticmethod
    def _check(value: int, bits: int, what: str) -> None:
        if not 0 <= value < 1 << bits:
            raise UsageError(f"{value} is not a {what} of {bits} bits")


def _box_of(other: Any) -> BoxValues | None:
    """A box, or an affine map as one; None of anything else."""
    if isinstance(other, AffineMap):
        return BoxValues(other.values(), other.inputs, other.outputs)
    return other if isinstance(other, BoxValues) else None


def _restored(kind: type[BoxValues], values: npt.NDArray[np.uint32], inputs: int, outputs: int, device: int | None) -> BoxValues:
    return kind._of_box(_fugu.SBox.of_values(values, inputs, outputs), device)


_MAX_PICTURE_BITS = 8


def _png(grey: npt.NDArray[np.uint8]) -> bytes:
    """A picture, a byte per cell."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)  # each without a filter
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _grid(box: BoxValues) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the values in hexadecimal, 16 to a row, each after its first x."""
    values = box.values.tolist()
    width, digits = min(16, len(values)), (box.outputs + 3) // 4
    rows = [[f"{x:x}", *(f"{value:0{digits}x}" for value in values[x : x + width])] for x in range(0, len(values), width)]
    return ["", *(f"{x:x}" for x in range(width))], rows


def _html_of(box: Any) -> str:
    """The values, of up to 8 inputs, and the magnitudes of the LAT as a picture, of up to 8 inputs and outputs."""
    text = f"<p>S-box of {box.inputs} inputs and {box.outputs} outputs</p>"
    if box.inputs <= _MAX_PICTURE_BITS:
        headings, rows = _grid(box)
        text += "<table><tr>" + "".join(f"<th>{cell}</th>" for cell in headings) + "</tr>"
        for first, *cells in rows:
            text += f"<tr><th>{first}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        text += "</table>"
    if max(box.inputs, box.outputs) <= _MAX_PICTURE_BITS:
        magnitudes = np.abs(box.lat())
        magnitudes[:, 0] = 0  # W(0, 0) = N
        grey = 255 - (magnitudes * (255 / max(1, magnitudes.max()))).astype(np.uint8)
        picture = base64.b64encode(_png(grey)).decode()
        text += (
            f'<img src="data:image/png;base64,{picture}" width="256" style="image-rendering: pixelated" '
            f'alt="|W(a,b)|, a down, b to the right, black is {magnitudes.max()}"/>'
        )
    return text


def _latex_of(box: BoxValues, table: str | None) -> str:
    """A tabular of the values, or of a table."""
    if table is None:
        headings, rows = _grid(box)
    else:
        entries = getattr(box, table)().tolist()
        headings = ["", *(f"{b:x}" for b in range(len(entries[0])))]
        rows = [[f"{a:x}", *map(str, row)] for a, row in enumerate(entries)]
    lines = [" & ".join(row) + r" \\" for row in (headings, *rows)]
    return "\n".join([rf"\begin{{tabular}}{{r|*{{{len(headings) - 1}}}{{r}}}}", lines[0], r"\hline", *lines[1:], r"\end{tabular}", ""])
