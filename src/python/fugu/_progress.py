"""Progress of long work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Callback = Callable[[str, int, int | None, float | None], object]
callback: ContextVar[Callback | None] = ContextVar("callback", default=None)  # the extension calls it

_EVERY = 5  # seconds


class _Display:
    """Lines on standard error."""

    def __init__(self) -> None:
        self._what, self._next = "", 0.0

    def __call__(self, what: str, done: int, total: int | None, seconds: float | None) -> None:
        now = time.monotonic()
        if (is_new := what != self._what) and seconds is not None:
            sys.stderr.write(f"{what}: about {seconds:.0f} s\n")
        elif now >= self._next and (done or total is not None):
            sys.stderr.write(f"{what}: {done}" + ("\n" if total is None else f" of {total}, {100 * done // total} %\n"))
        if is_new or now >= self._next:
            self._what, self._next = what, now + _EVERY


@contextmanager
def progress(show: Callback | None = None) -> Iterator[None]:
    """Within ``with fugu.progress():``, the estimate and the progress of work above 2 s on S-boxes and Boolean functions appear on
    standard error.

    ``show(what, done, total, seconds)`` is called instead, about 20 times a second, and once at the end of the work: ``done``
    of ``total`` steps, and about how many seconds all take; None where that is not known, as for a search without a limit. The
    steps of transforms are not counted.
    What it raises ends the work. Work without an estimate, such as arrays of boxes and searches, is shown after 2 s.
    """
    token = callback.set(show or _Display())
    try:
        yield
    finally:
        callback.reset(token)
