"""Attributes made of the library's tables of properties; the build writes their types, _properties.pyi."""

from __future__ import annotations

from . import _fugu
from ._field import Field


class BoxProperties:
    """Has `_session`, whose values these are."""


class BoxArrayProperties:
    """Has `_values_of(name)`, a value for each box."""


class FunctionProperties:
    """Has `_session`, whose values these are."""


def _add(owner: type, attributes: list[tuple[str, str]], of_all: bool = False) -> None:
    for name, doc in attributes:
        if of_all:
            field = Field[object](lambda subject, name=name: subject._values_of(name), doc)
        else:
            field = Field[object](lambda subject, name=name: subject._session.value(name), doc)
        field.__set_name__(owner, name)
        setattr(owner, name, field)


_add(BoxProperties, _fugu.box_properties())
_add(BoxArrayProperties, _fugu.box_properties(), of_all=True)
_add(FunctionProperties, _fugu.function_properties())
