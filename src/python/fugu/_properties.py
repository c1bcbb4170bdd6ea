"""Attributes made of the library's tables of properties; the build writes their types, _properties.pyi."""

from __future__ import annotations

from . import _fugu
from ._field import Field


class BoxProperties:
    """Has `_session`, whose values these are."""


class FunctionProperties:
    """Has `_session`, whose values these are."""


def _add(owner: type, attributes: list[tuple[str, str]]) -> None:
    for name, doc in attributes:
        field = Field[object](lambda subject, name=name: subject._session.value(name), doc)
        field.__set_name__(owner, name)
        setattr(owner, name, field)


_add(BoxProperties, _fugu.box_properties())
_add(FunctionProperties, _fugu.function_properties())
