"""The genetic algorithm: exact lengths, pins and bans, near the optimum, same seed same result."""

from __future__ import annotations

import numpy as np
from toys import ToyObjective

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.search.exhaustive import exhaustive
from tersely.search.genetic import Genetic


def test_near_the_optimum_and_never_above() -> None:
    found = []
    for seed in range(20):
        objective, space = ToyObjective(14, seed), CandidateSpace(Budget.of_words(14, 7))
        best = exhaustive(objective, space, np.random.default_rng(0)).score
        result = Genetic(population=32, generations=40)(objective, space, np.random.default_rng(seed))
        assert result.score <= best
        found.append(result.score == best)
    assert np.mean(found) >= 0.8


def test_children_keep_the_length_the_pins_the_bans_and_the_hosts() -> None:
    space = CandidateSpace(
        Budget.of_words(20, 6),
        pinned=np.isin(np.arange(20), [4]),
        banned=np.isin(np.arange(20), [0, 7]),
        needs=np.array([[10, 9]]),
    )
    result = Genetic(generations=10)(ToyObjective(20, 1), space, np.random.default_rng(0))
    assert (result.masks.sum(axis=1) == 6).all()
    assert result.masks[:, 4].all()
    assert not result.masks[:, [0, 7]].any()
    assert space.feasible(result.masks).all()


def test_same_seed_same_result() -> None:
    space = CandidateSpace(Budget.of_words(24, 8))
    runs = [Genetic(generations=5)(ToyObjective(24, 1), space, np.random.default_rng(3)) for _ in range(2)]
    assert (runs[0].masks == runs[1].masks).all()
