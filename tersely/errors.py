"""Every error that tersely raises on purpose.

One base class, so that `except TerselyError` is enough; each child also inherits the builtin that it resembles.
A message says what is wrong, the value seen and what to do next, in one line: the command line prints it as it is.
"""

from __future__ import annotations


class TerselyError(Exception):
    """The base of all errors that tersely raises on purpose."""


class InputError(TerselyError, ValueError):
    """A text, a length, a name or an option that cannot be used."""


class BundleError(TerselyError, ValueError):
    """A model folder that is missing, incomplete, damaged or of a newer format."""


class FileError(TerselyError, OSError):
    """A file that cannot be read or written."""


class MissingExtra(TerselyError, ImportError):
    """An optional package that is not installed."""


class WorkerLost(TerselyError, RuntimeError):
    """A worker process that ended, again and again, before its work was done."""


class GivenUp(TerselyError, TimeoutError):
    """Work that took longer than somebody was ready to wait."""


class TerselyWarning(UserWarning):
    """A text that is shortened although it is probably not what was meant."""


def short_repr(value: object, most: int = 80) -> str:
    """A value as a message shows it: whatever it is, and not all of it where that is long.

    >>> short_repr("8"), short_repr(10**5000), short_repr("x" * 100_000, most=9)
    ("'8'", 'an int that cannot be shown', "'xxxxx...")
    """
    try:
        text = " ".join(repr(value).split("\n"))  # arrays have several lines
    except Exception:  # whatever a caller's object raises; Python itself refuses to write numbers of 4,300 digits
        kind = type(value).__name__
        return f"a{'n' * kind.lower().startswith(tuple('aeiou'))} {kind} that cannot be shown"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def one_line(error: object) -> str:
    """A message on one line: names of files and of columns may have line breaks.

    >>> one_line(FileError("no such file: May\\nJune.csv"))
    'no such file: May June.csv'
    """
    return " ".join(str(error).splitlines())


def missing_extra(extra: str, package: str) -> MissingExtra:
    """The error for an optional package that is not installed; it names the pip command.

    >>> print(missing_extra("eval", "matplotlib"))
    this needs matplotlib, which is not installed: pip install 'tersely[eval]'
    """
    return MissingExtra(f"this needs {package}, which is not installed: pip install 'tersely[{extra}]'")
