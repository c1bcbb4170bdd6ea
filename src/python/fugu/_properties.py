"""Attributes and methods made of the library's tables; the build writes their types, _properties.pyi."""

from __future__ import annotations

from collections.abc import Callable

from . import _fugu
from ._field import Field


class BoxTables:
    """Has `_read_table(name, ...)` and `_table_values(name)`."""


class BoxProperties:
    """Has `_session`, whose values these are."""


class BoxArrayProperties:
    """Has `_values_of(name)`, a value for each box."""


class FunctionProperties:
    """Has `_session`, whose values these are."""


def _add(owner: type, attributes: list[tuple[str, str, bool]], of_all: bool = False) -> None:
    for name, doc, _ in attributes:
        if of_all:
            field = Field[object](lambda subject, name=name: subject._values_of(name), doc)
        else:
            field = Field[object](lambda subject, name=name: subject._session.value(name), doc)
        field.__set_name__(owner, name)
        setattr(owner, name, field)


def _method(name: str, form: str) -> Callable[..., object]:
    if form == "rows":
        return lambda box, rows=None: box._read_table(name, rows)
    if form == "columns":
        return lambda box, *, rows=None, columns=None: box._read_table(name, rows, columns)
    if form == "scales":
        return lambda box, scale="walsh", *, rows=None, columns=None: box._read_table(name, rows, columns, scale)
    return lambda box: box._table_values(name)


for _name, _, _, _, _form, _doc in _fugu.box_tables():
    _table = _method(_name, _form)
    _table.__name__, _table.__qualname__, _table.__doc__ = _name, f"BoxTables.{_name}", _doc
    setattr(BoxTables, _name, _table)

_add(BoxProperties, _fugu.box_properties())
_add(BoxArrayProperties, _fugu.box_properties(), of_all=True)
_add(FunctionProperties, _fugu.function_properties())
