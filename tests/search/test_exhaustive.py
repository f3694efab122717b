"""Exhaustive search: every candidate once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from toys import ToyObjective

from tersely import Summarizer
from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.search.annealing import annealing
from tersely.search.exhaustive import Exhaustive, exhaustive
from tersely.search.hill_climbing import hill_climbing
from tersely.search.result import Search, Step


def test_it_is_the_best_of_all() -> None:
    objective = ToyObjective(8, seed=1)
    result = exhaustive(objective, CandidateSpace(Budget.of_words(8, 3)), np.random.default_rng(0))
    masks = np.array([[i in kept for i in range(8)] for kept in itertools.combinations(range(8), 3)])
    scores = objective.log_scores(masks)
    assert result.score == scores.max()
    assert (result.mask == masks[scores.argmax()]).all()
    assert result.evaluations == 56
    assert (result.accepted, result.restarts) == (0, 1)
    assert result.scores.tolist() == sorted(scores.tolist(), reverse=True)


def test_the_observer_sees_every_candidate() -> None:
    seen: list[Step] = []
    result = exhaustive(
        ToyObjective(7, seed=2), CandidateSpace(Budget.of_words(7, 2)), np.random.default_rng(0), seen.append
    )
    assert [step.step for step in seen] == list(range(21))
    assert len({tuple(step.mask) for step in seen}) == 21
    assert result.evaluations == 21
    assert [step.score for step in seen if step.accepted][-1] == result.score


def test_only_feasible_candidates_are_scored() -> None:
    space = CandidateSpace(Budget.of_words(5, 2), needs=np.array([[1, 0]]))
    objective = ToyObjective(5, seed=3)
    exhaustive(objective, space, np.random.default_rng(0))
    assert space.feasible(np.concatenate(objective.seen)).all()


def test_too_many_candidates_are_refused_at_once() -> None:
    for n, size in ((50, 5), (60, 30), (1000, 500)):
        with pytest.raises(InputError, match="exhaustive search would score") as caught:
            exhaustive(ToyObjective(n, seed=0), CandidateSpace(Budget.of_words(n, size)), np.random.default_rng(0))
        assert len(str(caught.value)) < 200


def test_long_candidates_are_more_work() -> None:
    space = CandidateSpace(Budget.of_words(60, 57))  # 34,220 candidates
    with pytest.raises(InputError, match=r"34,220 candidates, the work of 260,\d+ short ones, the limit is 130,000"):
        exhaustive(ToyObjective(60, seed=0), space, np.random.default_rng(0))
    assert exhaustive.allows(CandidateSpace(Budget.of_words(60, 3)))
    assert not exhaustive.allows(CandidateSpace(Budget.of_words(1000, 999)))


@pytest.mark.parametrize("search", [hill_climbing, annealing])
def test_no_search_scores_all_long_candidates(search: Search) -> None:
    """There are only a thousand, but each shares few words with the next one."""
    space = CandidateSpace(Budget.of_words(1000, 999))
    assert search(ToyObjective(1000, seed=0), space, np.random.default_rng(0)).evaluations < 200


def test_effort_moves_the_limit() -> None:
    objective, space = ToyObjective(14, seed=0), CandidateSpace(Budget.of_words(14, 7))
    with pytest.raises(InputError, match="effort"):
        Exhaustive(effort=0.01)(objective, space, np.random.default_rng(0))
    assert Exhaustive()(objective, space, np.random.default_rng(0)).evaluations == 3432


def test_the_exact_softmax_is_more_work(summarizer: Summarizer) -> None:
    text = " ".join(f"ship{i}" for i in range(43))
    with pytest.raises(InputError, match="123,410 candidates, the limit is 16,250"):
        summarizer(text, words=4, objective="paper", softmax="exact", search="exhaustive")
