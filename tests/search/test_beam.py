"""Beam search: exact lengths, never above the optimum, and the optimum itself when the beam is wide enough."""

from __future__ import annotations

import numpy as np
from toys import ToyObjective, toy_problems

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.search.beam import Beam, beam
from tersely.search.exhaustive import exhaustive


def test_never_above_the_optimum() -> None:
    for objective, n, size in toy_problems(60):
        space = CandidateSpace(Budget.of_words(n, size))
        result = beam(objective, space, np.random.default_rng(0))
        assert result.score <= exhaustive(objective, space, np.random.default_rng(0)).score
        assert (result.masks.sum(axis=1) == size).all()


def test_a_beam_that_keeps_all_prefixes_is_exhaustive() -> None:
    for objective, n, size in toy_problems(30, seed=3):
        space = CandidateSpace(Budget.of_words(n, size))
        result = Beam(width=1000)(objective, space, np.random.default_rng(0))
        assert result.score == exhaustive(objective, space, np.random.default_rng(0)).score


def test_observer_sees_each_beam() -> None:
    steps, space = [], CandidateSpace(Budget.of_words(6, 2))
    Beam(width=2)(ToyObjective(6, seed=1), space, np.random.default_rng(0), steps.append)
    assert [step.step for step in steps] == [0, 0, 1, 1]
