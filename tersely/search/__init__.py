"""Stage 4: scores to the best candidate. One algorithm a file; this is the one table of their names.

A search is imported when it is asked for: a summary takes milliseconds, and should not wait for the others.
"""

from __future__ import annotations

import importlib

from tersely.errors import InputError, seen
from tersely.search.result import Search

# A name stands for the object of that name in the module of that name; another search is one more entry.
SEARCHES: dict[str, Search | None] = dict.fromkeys(
    ("lattice", "hill_climbing", "annealing", "beam", "genetic", "exhaustive")
)
DEFAULT_SEARCH = "lattice"


def search_named(search: str | Search, most: int = 1) -> Search:
    """The search of that name, or the search itself; if it can, it looks as widely as `most` candidates ask for."""
    if not isinstance(search, str):
        if not callable(search):
            raise InputError(f"search must be a name or a search, not {seen(search)}: known are {', '.join(SEARCHES)}")
        found = search
    elif search not in SEARCHES:
        raise InputError(f"unknown search {seen(search)}: known are {', '.join(SEARCHES)}")
    else:
        found = SEARCHES[search] or getattr(importlib.import_module(f"tersely.search.{search}"), search)
    return found.looking_for(most) if hasattr(found, "looking_for") else found
