"""Stage 8: a value of a file: its text, its names, and the span of the file that holds it.

A format finds its values with their spans. Whoever changes one replaces its span, so every other byte stays. A value
is written with the escapes that its own characters have in the file; only what is new follows the format's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Value:
    """A text in a file."""

    start: int
    end: int
    text: str
    names: tuple[str, ...]  # what a limit can call it; the last one is the fullest
    encode: Callable[[str], str] = str  # a new text as the file has to have it
    language: str | None = None  # where the file says so
    fixed: str = ""  # why it cannot be changed


class FileFormat(Protocol):
    """A module that reads a file format; both functions raise ValueError if the text is not of that format."""

    def find(self, text: str, name: str) -> list[Value]:
        """The values of a file, in their order."""

    def parse(self, text: str) -> list[Any]:
        """All that a file says, in its order, as the format's own library reads it: to check what was written."""


def replaced(text: str, changes: Mapping[Value, str]) -> str:
    """The text of a file with new values in the spans of the old ones.

    >>> replaced("a = 1, b = 2", {Value(4, 5, "1", ("a",)): "one"})
    'a = one, b = 2'
    """
    parts, at = [], 0
    for value in sorted(changes, key=lambda value: value.start):
        parts += [text[at : value.start], value.encode(changes[value])]
        at = value.end
    return "".join([*parts, text[at:]])


def escaped(text: str, pieces: Iterable[tuple[str, str]], default: Callable[[str], str]) -> str:
    r"""The text as a file has it: each character as in `pieces`, pairs of a character and its source, or by `default`.

    So characters keep the escapes that they have. White space does not: what is around it decides.

    >>> escaped("été a", [("é", r"\u00e9"), ("t", "t")], str.upper)
    '\\u00e9t\\u00e9 A'
    """
    known = dict(reversed([(char, source) for char, source in pieces if len(char) == 1 and not char.isspace()]))
    return "".join(known.get(char) or default(char) for char in text)
