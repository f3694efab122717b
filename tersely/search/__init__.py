"""Stage 5: searches for the best candidate, one algorithm a file, and the one table of their names.

A search is imported when it is first used: a summary takes milliseconds and should not wait for the others.
"""

from __future__ import annotations

import dataclasses
import importlib

from tersely.errors import InputError, short_repr
from tersely.search.result import Search

# A module of this folder and an object in it, or the search itself. A new search is one more entry.
SEARCHES: dict[str, tuple[str, str] | Search] = {
    "lattice": ("lattice", "lattice"),
    "chain": ("chain", "chain"),
    "hill_climbing": ("hill_climbing", "hill_climbing"),
    "paper": ("hill_climbing", "paper"),
    "annealing": ("annealing", "annealing"),
    "exhaustive": ("exhaustive", "exhaustive"),
}
DEFAULT_SEARCH, FAST_SEARCH = "lattice", "chain"
_CLASSES = {
    "HillClimbing": "hill_climbing", "Annealing": "annealing", "Lattice": "lattice", "Chain": "chain",
    "Exhaustive": "exhaustive",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """The classes of searches that have settings: `from tersely.search import HillClimbing`."""
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"tersely.search.{_CLASSES[name]}"), name)


def search_named(search: str | Search, most: int = 1, effort: float = 1) -> Search:
    """The search of that name, or the search itself, set to find `most` candidates with this effort.

    A search that is a dataclass has these settings if it has such fields.
    """
    known = ", ".join(SEARCHES)
    if not isinstance(search, str):
        if not callable(search):
            raise InputError(f"search must be a name or a search, not {short_repr(search)}: known are {known}")
        found = search
    elif search not in SEARCHES:
        raise InputError(f"unknown search {short_repr(search)}: known are {known}")
    else:
        found = _imported(SEARCHES[search])
    if not dataclasses.is_dataclass(found) or (most, effort) == (1, 1):
        return found
    fields = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    settings = {"most": most, "effort": effort * fields.get("effort", 1)}
    return dataclasses.replace(found, **{name: value for name, value in settings.items() if name in fields})


def _imported(entry: tuple[str, str] | Search) -> Search:
    if not isinstance(entry, tuple):
        return entry
    found: Search = getattr(importlib.import_module(f"tersely.search.{entry[0]}"), entry[1])
    return found
