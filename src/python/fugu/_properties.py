"""Attributes and methods made of the library's tables; the build writes their types, _properties.pyi."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

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


def _add(owner: type, properties: list[tuple[str, str, str, bool, bool]], value_of: Callable[[Any, str], object]) -> None:
    for _, name, doc, _, _ in properties:
        if name:
            field = Field[object](partial(value_of, name=name), doc)
            field.__set_name__(owner, name)
            setattr(owner, name, field)


def _session_value(subject: Any, name: str) -> object:
    return subject._session.value(name)


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

_add(BoxProperties, _fugu.box_properties(), _session_value)
_add(BoxArrayProperties, _fugu.box_properties(), lambda boxes, name: boxes._values_of(name))
_add(FunctionProperties, _fugu.function_properties(), _session_value)
