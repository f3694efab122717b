"""Stage 4: scores to the best candidate. One algorithm a file; this is the one table of their names."""

from __future__ import annotations

from tersely.errors import InputError
from tersely.search.annealing import annealing
from tersely.search.beam import beam
from tersely.search.exhaustive import exhaustive
from tersely.search.genetic import genetic
from tersely.search.hill_climbing import hill_climbing
from tersely.search.lattice import lattice
from tersely.search.result import Search

SEARCHES: dict[str, Search] = {
    "lattice": lattice,
    "hill_climbing": hill_climbing,
    "annealing": annealing,
    "beam": beam,
    "genetic": genetic,
    "exhaustive": exhaustive,
}
DEFAULT_SEARCH = "lattice"


def search_named(name: str) -> Search:
    """The search of that name."""
    if name not in SEARCHES:
        raise InputError(f"unknown search {name!r}: known are {', '.join(SEARCHES)}")
    return SEARCHES[name]
