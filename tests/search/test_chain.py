"""The chain: the best sums over neighbours, exact under any budget, with pins, bans and needs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.candidates import CandidateSpace
from tersely.errors import InputError
from tersely.length import Budget
from tersely.scoring.selector import BoundSelector
from tersely.search.chain import Chain, solve


def all_of(space: CandidateSpace) -> np.ndarray:
    """Every feasible candidate with a word in it: the oracle."""
    masks = np.concatenate([np.zeros((0, space.n), dtype=bool), *space.all()])
    return masks[masks.any(axis=1)]


def test_prefers_the_best_neighbours():
    edges = np.zeros((4, 4))
    edges[1, 2] = 5  # the first word and then the third
    masks, scores = solve(np.where(np.tri(4, k=-1, dtype=bool), -np.inf, edges), Budget.of_words(3, 2))
    assert masks.astype(int).tolist() == [[1, 0, 1]]
    assert scores.tolist() == [5]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_equals_exhaustive_search(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    weights = rng.integers(1, 5, n) if rng.random() < 0.5 else np.ones(n, dtype=np.int64)
    limit = int(rng.integers(1, weights.sum() + 1))
    least = int(rng.integers(1, limit + 1)) if (weights == 1).all() else 1
    needs = rng.integers(0, n, (int(rng.integers(0, 6)), 2))
    needs = needs[needs[:, 0] != needs[:, 1]]
    try:
        space = CandidateSpace(
            Budget(weights, limit, least), pinned=rng.random(n) < 0.1, banned=rng.random(n) < 0.1, needs=needs
        )
    except InputError:
        return
    scorer, most = BoundSelector(rng.normal(size=(n + 1, n + 1))), int(rng.integers(1, 9))
    masks, scores, _ = Chain(scorer.edges, most).best(space)
    expected = np.sort(scorer.log_scores(all_of(space)))[::-1][:most]
    np.testing.assert_allclose(scores, expected, atol=1e-9)
    np.testing.assert_allclose(scorer.log_scores(masks), expected, atol=1e-9)
    assert space.feasible(masks).all()
    assert (masks[:, space.pinned]).all()
    assert not masks[:, space.banned].any()
    assert len(np.unique(masks, axis=0)) == len(masks)


def test_finds_the_best_of_every_weight():
    rng = np.random.default_rng(3)
    space = CandidateSpace(Budget(np.array([2, 3, 4, 2, 5]), 9), needs=np.array([[0, 3]]))
    scorer = BoundSelector(rng.normal(size=(6, 6)))
    masks = all_of(space)
    found = Chain(scorer.edges).every_weight(scorer, space)
    used = masks @ space.budget.weights
    assert set(found) == set(used.tolist())
    for weight, result in found.items():
        assert result.score == pytest.approx(scorer.log_scores(masks[used == weight]).max())


def test_an_observer_sees_the_result():
    space = CandidateSpace(Budget.of_words(5, 2))
    rng = np.random.default_rng(0)
    scorer, seen = BoundSelector(rng.normal(size=(6, 6))), []
    result = Chain(scorer.edges)(scorer, space, seen.append)
    assert [step.score for step in seen] == [result.score]
    assert result.evaluations == 1
