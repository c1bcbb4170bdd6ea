"""What can go wrong, by kind. The program's exit status for a kind is its ``exit_status``."""

from __future__ import annotations

from typing import ClassVar


class Error(Exception):
    """Everything that the library throws. Its text says what happened; no secret is ever in it."""

    exit_status: ClassVar[int] = 1


class UsageError(Error, ValueError):
    """The call asks for what does not exist, cannot be combined, or would not be exact."""


class FileError(Error):
    """Reading, writing, opening or renaming failed."""

    exit_status = 2


class WrongKeyError(Error):
    """The passphrase or key does not open this input."""

    exit_status = 3


class DamagedError(Error):
    """The input is truncated, altered or not whole."""

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
    """The engine or GPU that was asked for is not present on this machine."""


class MismatchError(Error):
    """A verification found a difference."""

    exit_status = 7


class Interrupted(Error):
    """The work was asked to stop."""

    exit_status = 130
