r"""Stage 8: Java properties: "key = value", with continued lines and escapes such as \u00e9."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

from tersely.fit.value import Value, escaped

_NEWLINE = r"(?:\r\n|\r|\n)"
_SPACE = rf"(?:[ \t\f]|\\{_NEWLINE})*"
_ESCAPE = r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[0-9a-fA-F]{4}|\\\r\n|\\."
# A logical line: a comment, or a key and a value, which a backslash before a line break continues; both may be empty.
_LINE = re.compile(
    rf"[ \t\f]*(?:[#!][^\r\n]*|(?P<key>(?:{_ESCAPE}|[^\\\s:=])*){_SPACE}(?:[:=]{_SPACE})?"
    rf"(?P<value>(?:{_ESCAPE}|[^\\\r\n])*)\\?)(?:{_NEWLINE}|\Z)",
    re.DOTALL,
)
_PIECE = re.compile(rf"\\{_NEWLINE}[ \t\f]*|{_ESCAPE}|.", re.DOTALL)
_NAMES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}


def find(text: str, name: str) -> list[Value]:
    found, at = [], 0
    while at < len(text):
        line = _LINE.match(text, at)
        assert line is not None  # whatever a line has is a key and a value
        at = line.end()
        if line["key"] or line["value"]:
            key, value = ("".join(char for char, _ in _pieces(line[part])) for part in ("key", "value"))
            found.append(Value(*line.span("value"), value, (key,), partial(_encoded, line["value"])))
    return found


def parse(text: str) -> list[Any]:
    """All keys and values. Python has no library for this format."""
    return [part for value in find(text, "") for part in (*value.names, value.text)]


def _pieces(source: str) -> list[tuple[str, str]]:
    return [(_decoded(one), one) for one in _PIECE.findall(source)]


def _decoded(one: str) -> str:
    if one[0] != "\\":
        return one
    if one[1] in "\r\n":
        return ""
    return str(json.loads(f'"{one}"')) if len(one) > 2 else _NAMES.get(one[1], one[1])


def _encoded(source: str, text: str) -> str:
    def written(char: str) -> str:
        return json.dumps(char)[1:-1] if "\\u" in source and not char.isascii() else _WRITTEN.get(char, char)

    found = escaped(text, _pieces(source), written)
    return "\\" + found if found.startswith(" ") else found
