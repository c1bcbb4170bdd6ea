"""The names of engines."""

from __future__ import annotations

import re
from typing import Final

from ._errors import UsageError

_GPU: Final = re.compile(r"cuda:([0-9]{1,9})")


def device_of(engine: str) -> int | None:
    """The GPU that ``engine`` names, or None for "auto" and "cpu"."""
    if not isinstance(engine, str):
        raise TypeError(f"engine is a {type(engine).__name__}; give 'auto', 'cpu' or 'cuda:N'")
    if engine in ("auto", "cpu"):
        return None
    if named := _GPU.fullmatch(engine):
        return int(named[1])
    raise UsageError(f"no engine {engine!r}; choose from auto, cpu and cuda:N")
