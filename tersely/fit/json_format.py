"""Stage 8: JSON: the texts of objects and arrays, named by their path: "store.title", "items.0.title"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from tersely.fit.value import Value, escaped

_STRINGS = json.JSONDecoder()
_TOKEN = re.compile(r"[^\s:,]")
_ATOM = re.compile(r"[^\s,\]}]+")
_CHAR = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)


def find(text: str, name: str) -> list[Value]:
    parse(text)  # refuses what is no JSON
    found: list[Value] = []
    path: list[str | int] = []  # of the next value; for an object whose next key is to come, the key before
    wants_key: list[bool] = []
    at = 0
    while token := _TOKEN.search(text, at):
        at, char = token.end(), token.group()
        if char in "{[":
            path.append("" if char == "{" else 0)
            wants_key.append(char == "{")
            continue
        if char in "}]":
            path.pop()
            wants_key.pop()
        elif char == '"':
            start = token.start()
            read, at = _STRINGS.raw_decode(text, start)
            if wants_key and wants_key[-1]:
                path[-1], wants_key[-1] = read, False
                continue
            key = ".".join(map(str, path))
            found.append(Value(start + 1, at - 1, read, (key,), partial(_encoded, text[start + 1 : at - 1])))
        else:
            at = _ATOM.match(text, token.start()).end()  # type: ignore[union-attr]
        if path:  # a value has ended
            last = path[-1]
            wants_key[-1] = isinstance(last, str)
            path[-1] = last if isinstance(last, str) else last + 1
    return found


def parse(text: str) -> list[Any]:
    """All keys and values of a JSON file; numbers as they are written."""
    try:
        read = json.loads(text, object_pairs_hook=_Pairs, parse_float=_Number, parse_int=_Number)
        return list(_flat(read))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class _Pairs(list[Any]):
    """The keys and values of an object, also where a key comes twice."""


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _flat(read: Any) -> Iterator[Any]:
    if not isinstance(read, list):
        yield read if type(read) is str else (type(read).__name__, read)
        return
    yield type(read).__name__, len(read)
    for one in read:
        for part in one if isinstance(read, _Pairs) else [one]:
            yield from _flat(part)


def _encoded(source: str, text: str) -> str:
    pieces = [(json.loads(f'"{one}"'), one) for one in _CHAR.findall(source)]
    return escaped(text, pieces, lambda char: json.dumps(char, ensure_ascii="\\u" in source)[1:-1])
