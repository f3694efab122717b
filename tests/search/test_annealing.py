"""Simulated annealing against exhaustive search."""

from __future__ import annotations

import numpy as np
from toys import ToyObjective, toy_problems

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.search.annealing import Annealing, annealing
from tersely.search.exhaustive import exhaustive
from tersely.search.result import Step


def test_it_finds_the_optimum_and_never_more() -> None:
    found = 0
    for objective, n, size in toy_problems(40, seed=2):
        space = CandidateSpace(Budget.of_words(n, size))
        best = exhaustive(objective, space, np.random.default_rng(0)).score
        result = annealing(objective, space, np.random.default_rng(1))
        assert result.score <= best
        assert (result.masks.sum(axis=1) == size).all()
        found += result.score == best
    assert found >= 38


def test_it_anneals_where_there_is_too_much_to_enumerate() -> None:
    objective, space = ToyObjective(14, seed=4), CandidateSpace(Budget.of_words(14, 7))
    search = Annealing(chains=4, sweeps=4)
    seen: list[Step] = []
    result = search(objective, space, np.random.default_rng(0), seen.append)
    again = search(objective, space, np.random.default_rng(0))
    assert result.restarts == 4
    assert len(seen) == 4 + 4 * 4 * 49  # with the starts
    assert (result.masks == again.masks).all()
    assert result.score <= exhaustive(objective, space, np.random.default_rng(0)).score
    assert not result.bounded
    assert Annealing(effort=0.001)(objective, space, np.random.default_rng(0)).bounded
    worse = [b for a, b in zip(seen[:-4], seen[4:], strict=True) if b.accepted and b.score < a.score]
    assert worse  # it goes downhill at times
