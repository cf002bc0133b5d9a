"""The exceptions of the package: one for each exit code of the command line (docs/exit_codes.md)."""

from __future__ import annotations


class OndaWarning(UserWarning):
    """What the command line warns of: a configuration that runs, and may not be what was meant."""


class OndaError(Exception):
    """Something went wrong. The message is that of the command line."""

    exit_code: int = 70
    """What `onda` would have returned."""


class UsageError(OndaError, ValueError):
    """An argument is wrong."""

    exit_code = 64


class InputDataError(OndaError, ValueError):
    """An input file, or an array, does not hold what it must."""

    exit_code = 65


class MissingInputError(OndaError, FileNotFoundError):
    """An input file is not there, or cannot be read."""

    exit_code = 66


class DeviceError(OndaError, RuntimeError):
    """The device that was requested is not there, or failed."""

    exit_code = 69


class InternalError(OndaError, RuntimeError):
    """A bug in Onda."""

    exit_code = 70


class OutOfMemoryError(OndaError, MemoryError):
    """The run needs more memory than there is."""

    exit_code = 71


class CannotCreateError(OndaError, FileExistsError):
    """A file is there already, or cannot be created."""

    exit_code = 73


class FileError(OndaError, OSError):
    """Reading or writing failed."""

    exit_code = 74


class UnstableError(OndaError, ArithmeticError):
    """The wavefield grew beyond all bounds."""

    exit_code = 77


class ConfigError(OndaError, ValueError):
    """The configuration has errors: all of them are in the message, each with its line and column."""

    exit_code = 78


_BY_CODE = {
    error.exit_code: error
    for error in (
        UsageError,
        InputDataError,
        MissingInputError,
        DeviceError,
        InternalError,
        OutOfMemoryError,
        CannotCreateError,
        FileError,
        UnstableError,
        ConfigError,
    )
}


def error_of(code: int, message: str) -> OndaError:
    """The exception for an exit code."""
    error = _BY_CODE.get(code, OndaError)(message)
    error.exit_code = code
    return error
