"""Stage 7: the checks of options: each takes what a caller gave and returns what is used, or raises one clear error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tersely.errors import InputError, short_repr
from tersely.scoring.factors import refuse_unknown
from tersely.search import search_named
from tersely.search.result import Search

Objective = str | Mapping[str, float]
MAX_WEIGHT = 1e9
MAX_EFFORT = 1e9
MAX_PATTERNS = 1_000  # a text has no more words
MAX_PATTERN_CHARS = 20_000  # of all of them; to split a pattern into words takes as long as for a text


def choice(name: str, *choices: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise InputError(f"unknown {name} {short_repr(value)}: known are {', '.join(choices)}")
        return value

    return check


def words(name: str) -> Callable[[Any], tuple[str, ...]]:
    def check(value: Any) -> tuple[str, ...]:
        try:
            found = (value,) if isinstance(value, str) else tuple(value)
        except TypeError:
            found = (None,)
        if not all(isinstance(word, str) for word in found):
            raise InputError(f"{name} must be a list of words, not {short_repr(value)}")
        if len(found) > MAX_PATTERNS:
            raise InputError(f"{name} has {len(found):,} entries, the limit is {MAX_PATTERNS:,}: give fewer")
        if (n_chars := sum(map(len, found))) > MAX_PATTERN_CHARS:
            raise InputError(f"{name} has {n_chars:,} characters, the limit is {MAX_PATTERN_CHARS:,}: give fewer")
        return found

    return check


def flag(name: str) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            raise InputError(f"{name} must be True or False, not {short_repr(value)}")
        return bool(value)

    return check


def read_flag(text: str) -> Any:
    return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}.get(text.lower(), text)


def objective(value: Any) -> Objective | None:
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise InputError(f"objective must be a name or factors with their weights, not {short_repr(value)}")
    if not value:
        raise InputError("an objective needs at least one factor")
    refuse_unknown(value)
    return {name: weight_of(name, weight) for name, weight in value.items()}


def weight_of(factor: str, weight: Any) -> float:
    """The weight of a factor as a number that is small enough for finite scores."""
    return _finite(f"the weight of {factor}", weight, MAX_WEIGHT)


def _finite(name: str, value: Any, most: float) -> float:
    try:
        number = float("nan") if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not abs(number) <= most:  # nor NaN
        raise InputError(f"{name} must be a finite number, not {short_repr(value)}: at most {most:g}")
    return number


def effort(value: Any) -> float:
    number = _finite("effort", value, MAX_EFFORT)
    if number <= 0:
        raise InputError(f"effort must be above 0, not {short_repr(value)}")
    return number


def search(value: Any) -> str | Search:
    search_named(value)  # refuses what is not known
    found: str | Search = value
    return found
