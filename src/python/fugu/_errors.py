"""Exceptions by kind of failure. The program's exit status for a kind is its ``exit_status``."""

from __future__ import annotations

from typing import ClassVar


class Error(Exception):
    """The base of all errors of the library. Its text says what happened and never holds a secret."""

    exit_status: ClassVar[int] = 1


class UsageError(Error, ValueError):
    """The call requests something that does not exist, cannot be combined, or would not be exact."""


class FileError(Error):
    """Reading, writing, opening or renaming failed."""

    exit_status = 2


class WrongKeyError(Error):
    """The passphrase or key does not open this input."""

    exit_status = 3


class DamagedError(Error):
    """The input is truncated, altered or incomplete."""

    exit_status = 4


class UnknownFormatError(Error):
    """The format is not recognised, or a parameter that it does not store is missing."""

    exit_status = 5


class OutOfMemoryError(Error, MemoryError):
    """The work needs more memory than there is."""

    exit_status = 2


class EngineError(Error):
    """A compute engine failed."""

    exit_status = 6


class NoDeviceError(EngineError):
    """The requested engine or GPU is not available on this machine."""


class MismatchError(Error):
    """A verification found a difference."""

    exit_status = 7


class Interrupted(Error):
    """The work was stopped on request."""

    exit_status = 130
