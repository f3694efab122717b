"""The loop that hill climbing and annealing share."""

from __future__ import annotations

import numpy as np
import pytest
from toys import ToyObjective

import tersely.search.local
from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.search import SEARCHES, search_named
from tersely.search.exhaustive import exhaustive
from tersely.search.local import local_search
from tersely.search.result import Step, best_first


def test_nothing_accepted_leaves_the_start() -> None:
    space = CandidateSpace(Budget.of_words(9, 4))
    result = local_search(
        ToyObjective(9, seed=0),
        space,
        np.random.default_rng(3),
        None,
        chains=1,
        steps=5,
        accept=lambda step, current, proposed: np.zeros(len(current), dtype=bool),
    )
    assert (result.mask == space.random(np.random.default_rng(3), 1)[0]).all()
    assert (result.accepted, result.evaluations, result.restarts) == (0, 6, 1)


def test_infeasible_proposals_are_neither_scored_nor_accepted() -> None:
    space = CandidateSpace(Budget.of_words(8, 3), needs=np.array([[1, 0], [3, 2], [5, 4], [7, 6]]))
    objective = ToyObjective(8, seed=1)
    result = local_search(
        objective,
        space,
        np.random.default_rng(0),
        None,
        chains=4,
        steps=30,
        accept=lambda step, current, proposed: proposed >= current,
    )
    visited = np.concatenate(objective.seen)
    assert space.feasible(visited).all()
    assert result.evaluations == len(visited) < 4 * 31


def test_no_more_chains_step_together_than_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tersely.search.local, "MOST_CELLS", 30)
    objective, steps = ToyObjective(10, seed=1), list[Step]()
    result = local_search(
        objective,
        CandidateSpace(Budget.of_words(10, 4)),
        np.random.default_rng(0),
        steps.append,
        chains=8,
        steps=20,
        accept=lambda step, current, proposed: proposed >= current,
    )
    assert max(map(len, objective.seen)) == 3
    assert (result.evaluations, result.restarts) == (8 * 21, 8)
    assert {step.restart for step in steps} == set(range(8))
    assert result.score == max(step.score for step in steps)


def test_best_first_has_no_repetition_and_keeps_the_order_of_equals() -> None:
    masks = np.array([[1, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    found, scores = best_first(masks, np.array([1.0, 2.0, 1.0, 1.0]))
    assert found.astype(int).tolist() == [[0, 1], [1, 0], [1, 1]]
    assert scores.tolist() == [2.0, 1.0, 1.0]
    assert len(best_first(masks, np.zeros(4), limit=2)[0]) == 2


def test_searches_have_names() -> None:
    assert {"hill_climbing", "exhaustive", "annealing"} <= set(SEARCHES)
    assert [search_named(name) for name in SEARCHES]
    assert search_named("exhaustive") is exhaustive
    with pytest.raises(InputError, match=r"unknown search 'hope': known are .*hill_climbing"):
        search_named("hope")
