"""Stage 4: scores to the best candidate. One algorithm a file; this is the one table of their names.

A search is imported when it is asked for: a summary takes milliseconds, and should not wait for the others.
"""

from __future__ import annotations

import importlib

from tersely.errors import InputError
from tersely.search.result import Search

SEARCHES = ("lattice", "hill_climbing", "annealing", "beam", "genetic", "exhaustive")  # each in the file of its name
DEFAULT_SEARCH = "lattice"


def search_named(name: str) -> Search:
    """The search of that name."""
    if name not in SEARCHES:
        raise InputError(f"unknown search {name!r}: known are {', '.join(SEARCHES)}")
    search: Search = getattr(importlib.import_module(f"tersely.search.{name}"), name)
    return search
