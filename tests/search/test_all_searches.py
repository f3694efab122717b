"""Every search in the table keeps the promises of a search: a new one is tested here as soon as it is in the table."""

from __future__ import annotations

import numpy as np
import pytest
from toys import Neighbours, ToyObjective, bound, read

from tersely import Summarizer
from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.scoring.objective import BoundObjective
from tersely.search import SEARCHES, search_named
from tersely.search.result import FullScorer

TEXT = "the minister of cuba 's port did n't pay $ ## billion to the u.s. president in new talks on tuesday"
SOURCES = {
    "words": Budget.of_words,
    "units": lambda n, size: Budget(1 + np.arange(n) % 4, 2 * size),
    "two": lambda n, size: Budget(1 + np.arange(n) % 4, 2 * size, also=Budget(3 + 5 * np.arange(n) % 7, 4 * size)),
}


def problem(summarizer: Summarizer, unit: str, size: int) -> tuple[FullScorer, CandidateSpace]:
    source = read(summarizer, TEXT, pretokenized=True)
    n = len(source)
    space = CandidateSpace(
        SOURCES[unit](n, size),
        pinned=np.arange(n) == 16,
        banned=np.arange(n) == 0,
        # the source's own, two words far apart that need each other, and one that needs a later word
        needs=np.concatenate([source.needs, [[1, 5], [5, 1], [12, 17]]]),
    )
    paper, neighbours = bound(summarizer, "paper", source, space.budget), Neighbours.random(n)
    return BoundObjective({**paper.factors, "neighbours": neighbours}, {**paper.weights, "neighbours": 1.0}), space


@pytest.mark.no_cover
@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("unit", SOURCES)
@pytest.mark.parametrize("size", [4, 16])
def test_lengths_pins_needs_seeds_and_scores(summarizer: Summarizer, name: str, unit: str, size: int) -> None:
    if name == "exhaustive" and size > 4:
        pytest.skip("too many candidates")
    objective, space = problem(summarizer, unit, size)
    result = search_named(name)(objective, space, np.random.default_rng(3))
    assert space.budget.holds(result.masks).all()
    assert space.feasible(result.masks).all()
    assert result.masks[:, 16].all()
    assert not result.masks[:, 0].any()
    assert np.isfinite(result.scores).all()
    assert (np.diff(result.scores) <= 0).all()
    np.testing.assert_allclose(objective.log_scores(result.masks), result.scores, atol=2e-6)
    assert len(np.unique(result.masks, axis=0)) == len(result.masks)
    again = search_named(name)(objective, space, np.random.default_rng(3))
    assert (again.masks == result.masks).all()
    assert (again.scores == result.scores).all()


class Stepless(ToyObjective):
    """A toy objective as the lattice sees it: it can only be read whole."""

    rows, n_factors = 0, 1

    def steps(self, size: int, backward: bool) -> list[object]:
        return []


@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in ("exhaustive", "chain", "paper")])
def test_toy_weights_against_exhaustive_search(name: str) -> None:
    """Words of 1 to 4 units, at most so many of them together: the optimum, or nearly always."""
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 11))
        least = int(rng.integers(1, 4))
        budget = Budget(rng.integers(1, 5, size=n), int(rng.integers(6, 12)), least)
        objective, space = Stepless(n, seed), CandidateSpace(budget)
        best = search_named("exhaustive")(objective, space, rng).score
        result = search_named(name)(objective, space, rng)
        assert result.score <= best
        assert budget.holds(result.masks).all()
        found.append(result.score == best)
    assert np.mean(found) >= 0.9


def test_effort_is_a_factor_on_that_of_a_search() -> None:
    from tersely.search.hill_climbing import HillClimbing, paper

    assert search_named(HillClimbing(effort=3), effort=2) == HillClimbing(effort=6)
    assert search_named("paper", effort=0.1) == paper
    assert search_named(print, most=5, effort=2) is print


def test_searches_with_settings_are_imported_by_name() -> None:
    from tersely.search import Annealing, Chain, Exhaustive, HillClimbing, Lattice

    assert HillClimbing(effort=1e-9).budget(30, 10) == (1, 1)
    assert all(callable(kind()) for kind in (Annealing, Chain, Exhaustive, Lattice))
    with pytest.raises(ImportError, match="Climbing"):
        from tersely.search import Climbing  # noqa: F401
