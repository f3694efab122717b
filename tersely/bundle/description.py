"""Stage 6: a bundle's description, `bundle.json`, validated when it is read, so that later code can rely on it.

`_FIELDS` lists all that tersely reads from it: their types are checked, and numbers that decide a summary are finite. A
field that is not in the list may be anything, so that newer bundles can say more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

MOST_WEIGHT = 1e6  # of a factor: tuned weights are below a hundred, and scores are rounded to six decimals
_MOST_LAYERS = 100


class BadDescription(ValueError):
    """A description is not valid; the message says why."""


def _number(value: Any) -> str:
    fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "" if fits else "must be a number"


def _weight(value: Any) -> str:
    fits = not _number(value) and abs(value) <= MOST_WEIGHT  # false for nan
    return "" if fits else f"must be a number of at most {MOST_WEIGHT:,.0f}"


def _total(value: Any) -> str:
    return "" if not _number(value) and 0 <= value < math.inf else "must be a finite number, 0 or above"


def _count(value: Any) -> str:
    fits = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1_000_000_000
    return "" if fits else "must be a whole number above 0"


def _depth(value: Any) -> str:
    """Layers are looked up one by one, so their number has a limit."""
    return "" if not _count(value) and value <= _MOST_LAYERS else f"must be a whole number from 1 to {_MOST_LAYERS}"


def _text(value: Any) -> str:
    return "" if isinstance(value, str) else "must be a text"


# A type is a check, a list of one type, or an object: "*" is any name, a name with "!" is required.
_Type = Callable[[Any], str] | list[Any] | dict[str, Any]
_FIELDS: dict[str, _Type] = {
    "!files": {"!vocab.txt": _text, "!weights.safetensors": _text, "*": _text},
    "name": _text,
    "aliases": {"*": _text},
    "counts": {"*": {"!lines": _total, "!words": _total}},
    "objectives": {"*": {"*": _weight}},
    "objectives from": {"*": lambda value: ""},
    "adapted": [{}],
    "encoder": {"!layers": _depth, "!heads": _count, "!window": _count, "!most_pieces": _count},
    "editor": {
        "!far_needs": _weight,
        "pairs": {"!sources": _total},
        "held out": {"!f1": _number, "!identical": _number},
    },
    "parser": {
        "layers": _depth,  # this and the next only if the parser has layers of its own
        "pieces": _count,
        "!labels": [_text],
        "trees": {"!trees": _total},
        "held out": {"*": {"!heads": _number, "!labels": _number}},
    },
    "corpora": {"*": [{"!name": _text, "!lines": _total}]},
    "figures": {"*": {"!models": {"*": {"!perplexity": _number, "!abs_log_z": _number}}}},
}


def read_description(content: bytes) -> dict[str, Any]:
    """The description in a file's content, with fields of the right types.

    >>> read_description(b'{"format": 1, "files": []}')
    Traceback (most recent call last):
    tersely.bundle.description.BadDescription: files must be an object, not []
    """
    try:
        description = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadDescription("it is not JSON in UTF-8") from None
    if not isinstance(description, dict):
        raise BadDescription("it is not an object")
    if "format" not in description:
        raise BadDescription("format is missing")
    if description["format"] == 1:  # only a newer tersely can check a newer format
        _check(description, _FIELDS, "")
    return description


def _check(value: Any, wanted: _Type, path: str) -> None:
    if isinstance(wanted, dict):
        wrong = "" if isinstance(value, dict) else "must be an object"
    elif isinstance(wanted, list):
        wrong = "" if isinstance(value, list) else "must be a list"
    else:
        wrong = wanted(value)
    if wrong:
        shown = repr(value)
        raise BadDescription(f"{path} {wrong}, not {shown if len(shown) < 40 else shown[:40] + '...'}")
    if isinstance(wanted, list):
        for i, item in enumerate(value):
            _check(item, wanted[0], f"{path}[{i}]")
    elif isinstance(wanted, dict):
        for name in wanted:
            if name.startswith("!") and name[1:] not in value:
                raise BadDescription(f"{path}{'.' if path else ''}{name[1:]} is missing")
        for name, item in value.items():
            kind = wanted.get(name, wanted.get("!" + name, wanted.get("*")))
            if kind is not None:
                _check(item, kind, f"{path}.{name}" if path else name)
