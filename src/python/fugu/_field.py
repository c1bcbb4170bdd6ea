"""Properties that are computed once, of objects that do not change."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Generic, NoReturn, Self, TypeVar, overload

import numpy as np

T = TypeVar("T")


def _frozen(value: Any) -> Any:
    """The value, which no holder can change for the others: arrays and mappings are read-only, lists become tuples."""
    array = value
    while isinstance(array, np.ndarray):  # the array, then the one that it is a view of
        array.flags.writeable = False
        array = array.base
    if isinstance(value, dict):
        return MappingProxyType(value)
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


class Field(Generic[T]):
    """An attribute that ``compute`` computes on first use, and that cannot be set."""

    def __init__(self, compute: Callable[[Any], T], doc: str) -> None:
        self._compute = compute
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Field[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Field[T] | T:
        if instance is None:
            return self
        if self._name not in instance.__dict__:
            instance.__dict__[self._name] = _frozen(self._compute(instance))
        value: T = instance.__dict__[self._name]
        return value

    def __set__(self, instance: object, value: object) -> NoReturn:
        raise AttributeError(f"{self._name} follows from the values and cannot be set")


class Immutable:
    """An object that is its own copy."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self
