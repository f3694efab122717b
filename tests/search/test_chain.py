"""The chain: the best sums over neighbours, exact under any budget, with pins, bans and needs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import Neighbours, ToyObjective

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.scoring.objective import BoundObjective
from tersely.scoring.use import BoundUse
from tersely.search.chain import Chain, chain, solve
from tersely.search.exhaustive import exhaustive
from tersely.search.result import Step


def test_prefers_the_best_neighbours() -> None:
    edges = np.zeros((4, 4))
    edges[1, 2] = 5  # the first word and then the third
    masks, scores = solve(np.where(np.tri(4, k=-1, dtype=bool), -np.inf, edges), Budget.of_words(3, 2))
    assert masks.astype(int).tolist() == [[1, 0, 1]]
    assert scores.tolist() == [5]


def random_space(rng: np.random.Generator) -> CandidateSpace:
    """Words that all weigh 1 or not, an exact length, a range or a limit, pins, bans and needs."""
    n = int(rng.integers(2, 10))
    weights = rng.integers(1, 5, n) if rng.random() < 0.5 else np.ones(n, dtype=np.int64)
    limit = int(rng.integers(1, weights.sum() + 1))
    least = int(rng.integers(1, limit + 1)) if (weights == 1).all() else 1
    needs = rng.integers(0, n, (int(rng.integers(0, 6)), 2))
    needs = needs[needs[:, 0] != needs[:, 1]]
    return CandidateSpace(
        Budget(weights, limit, least, spare=int(rng.integers(0, 2))),
        pinned=rng.random(n) < 0.1,
        banned=rng.random(n) < 0.1,
        needs=needs,
    )


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_equals_exhaustive_search(seed: int) -> None:
    """The most that is asked for, in order; within a limit the share of it that is used counts as well."""
    rng = np.random.default_rng(seed)
    try:
        space = random_space(rng)
    except InputError:
        return
    factors = {"neighbours": Neighbours.random(space.n, seed), "use": BoundUse(space.budget)}
    objective = BoundObjective(factors, {"neighbours": 1.5, "use": 2.0})
    best = exhaustive(objective, space, rng)
    most = int(rng.integers(1, 9))
    edges = objective.edges(space.budget.n_words)
    masks, scores, _ = Chain(most).best(edges, space, objective.by_weight(space.budget))
    np.testing.assert_allclose(scores, best.scores[:most], atol=2e-6)
    np.testing.assert_allclose(objective.log_scores(masks), best.scores[:most], atol=2e-6)
    assert space.feasible(masks).all()
    assert masks[:, space.pinned].all()
    assert not masks[:, space.banned].any()
    assert len(np.unique(masks, axis=0)) == len(masks)
    assert chain(objective, space, rng).score == best.score


def test_what_is_no_sum_over_neighbours_is_climbed() -> None:
    space, rng = CandidateSpace(Budget.of_words(12, 5)), np.random.default_rng(0)
    factors = {"neighbours": Neighbours.random(12), "others": ToyObjective(12, seed=1)}
    objective = BoundObjective(factors, {"neighbours": 1.0, "others": 3.0})
    seen: list[Step] = []
    result = chain(objective, space, rng, seen.append)
    start, *_ = chain.best(objective.edges(5), space)
    assert seen[0].score == objective.log_scores(start).max() < result.score
    assert objective.log_scores(space.neighbours(result.mask, 1000)).max() <= result.score


def far_needs(n: int) -> CandidateSpace:
    """A space in which word i needs word n - 1 - i: nearly all best sums break needs."""
    return CandidateSpace(Budget.of_words(n, n // 2), needs=np.array([[i, n - 1 - i] for i in range(n // 2)]))


@pytest.mark.parametrize("edges", [10**3, 10**5])
def test_the_work_is_limited(monkeypatch: pytest.MonkeyPatch, edges: int) -> None:
    """With more subproblems than can be solved there is still a candidate, and no better than the best."""
    monkeypatch.setattr("tersely.search.chain._MOST_EDGES", edges)
    space, rng = far_needs(14), np.random.default_rng(0)
    objective = BoundObjective({"neighbours": Neighbours.random(14)}, {"neighbours": 1.0})
    masks, _, solved = Chain(1).best(objective.edges(7), space)
    assert solved <= max(1, edges // (15 * 15 * 8))
    assert len(masks) == 1
    assert space.feasible(masks).all()
    assert chain(objective, space, rng).score <= exhaustive(objective, space, rng).score


def test_a_long_text_is_counted_in_larger_units(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    budget = Budget(rng.integers(3, 30, 12), 101)
    space, neighbours = CandidateSpace(budget), Neighbours.random(12)
    objective = BoundObjective({"neighbours": neighbours, "use": BoundUse(budget)}, {"neighbours": 1.0, "use": 2.0})
    monkeypatch.setattr("tersely.search.chain._MOST_EDGES_OF_ONE", 13 * 13 * 102 // 4)
    masks, scores, _ = chain.best(neighbours.scores, space, objective.by_weight(budget))
    assert budget.holds(masks).all()
    best = exhaustive(objective, space, rng).score
    assert best - 0.5 < objective.log_scores(masks[:1])[0] <= best
    np.testing.assert_allclose(scores, objective.log_scores(masks), atol=0.5)


def test_it_needs_a_sum_over_neighbours() -> None:
    objective = BoundObjective({"others": ToyObjective(5, seed=1)}, {"others": 1.0})
    with pytest.raises(InputError, match="chain needs a factor that scores neighbours"):
        chain(objective, CandidateSpace(Budget.of_words(5, 2)), np.random.default_rng(0))


def test_an_observer_sees_the_result() -> None:
    objective, seen = BoundObjective({"neighbours": Neighbours.random(5)}, {"neighbours": 1.0}), []
    result = chain(objective, CandidateSpace(Budget.of_words(5, 2)), np.random.default_rng(0), seen.append)
    assert max(step.score for step in seen) == result.score
