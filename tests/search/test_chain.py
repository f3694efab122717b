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
from tersely.search.chain import Chain, chain
from tersely.search.exhaustive import exhaustive
from tersely.search.result import Step
from tersely.search.sums import Sums


def test_prefers_the_best_neighbours() -> None:
    edges = np.zeros((4, 4))
    edges[1, 2] = 5  # the first word and then the third
    (mask, score), *others = Sums(np.where(np.tri(4, k=-1, dtype=bool), -np.inf, edges), Budget.of_words(3, 2), 9)
    assert (mask.astype(int).tolist(), score) == ([1, 0, 1], 5)
    assert [(mask.astype(int).tolist(), score) for mask, score in others] == [([1, 1, 0], 0), ([0, 1, 1], 0)]


def random_space(rng: np.random.Generator) -> CandidateSpace:
    """Words that all weigh 1 or not, an exact length, a range, a limit or two, pins, bans and needs."""
    n = int(rng.integers(2, 10))
    weights = rng.integers(1, 5, n) if rng.random() < 0.5 else np.ones(n, dtype=np.int64)
    limit = int(rng.integers(1, weights.sum() + 1))
    least = int(rng.integers(1, limit + 1)) if (weights == 1).all() else 1
    also = None
    if rng.random() < 0.5:
        least, more = 1, rng.integers(1, 7, n)
        also = Budget(more, int(rng.integers(1, more.sum() + 1)), spare=int(rng.integers(0, 2)))
    needs = rng.integers(0, n, (int(rng.integers(0, 6)), 2))
    needs = needs[needs[:, 0] != needs[:, 1]]
    return CandidateSpace(
        Budget(weights, limit, least, spare=int(rng.integers(0, 2)), also=also),
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
    most = int(rng.integers(1, 60))
    edges = objective.edges(space.budget.n_words)
    if not len(best.masks):
        with pytest.raises(InputError):
            Chain(most).best(edges, space, objective.by_weight)
        return
    found = Chain(most).best(edges, space, objective.by_weight)
    masks, expected = found.masks, best.scores[: max(most, 8)]
    np.testing.assert_allclose(found.scores, expected, atol=2e-6)
    np.testing.assert_allclose(objective.log_scores(masks), expected, atol=2e-6)
    assert not found.bounded
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
    start = chain.best(objective.edges(5), space)
    assert seen[0].score == objective.log_scores(start.masks).max() < result.score
    assert objective.log_scores(space.neighbours(result.mask, 1000)).max() <= result.score


def far_needs(n: int) -> CandidateSpace:
    """A space in which word i needs word n - 1 - i: nearly all best sums break needs."""
    return CandidateSpace(Budget.of_words(n, n // 2), needs=np.array([[i, n - 1 - i] for i in range(n // 2)]))


def test_many_candidates_that_break_needs_are_passed_over() -> None:
    """Half of the words need their neighbour but one, and most of the best sums break such a need."""
    n = 60
    space = CandidateSpace(Budget.of_words(n, 20), needs=np.array([[i, i + 2] for i in range(0, n - 2, 4)]))
    found = Chain(50).best(Neighbours.random(n).scores, space)
    assert len(found.masks) == 50
    assert space.feasible(found.masks).all()
    assert found.edges < 5_000_000


def test_candidates_are_found_without_a_programme_for_each() -> None:
    n, budget = 100, Budget.of_words(100, 20)
    one, many = (Sums(np.triu(Neighbours.random(n).scores) - np.tri(n + 1, k=-1) * 1e9, budget, k) for k in (1, 500))
    (best,), all_of_them = list(one), list(many)
    assert (all_of_them[0][0] == best[0]).all()
    assert len({mask.tobytes() for mask, _ in all_of_them}) == 500
    assert np.all(np.diff([score for _, score in all_of_them]) <= 1e-9)
    assert many.tried < 100 * one.tried


def test_of_a_long_text_far_words_are_no_neighbours() -> None:
    n, budget = 60, Budget.of_words(60, 20)
    scores = Neighbours.random(n).scores
    edges = np.where(np.tri(n + 1, k=-1, dtype=bool), -np.inf, scores)
    sums = Sums(edges, budget, 1, most_edges=2 * 10 * n * 21)
    ((mask, score),) = sums
    assert sums.bounded
    assert np.diff(np.flatnonzero(mask)).max() <= 10
    assert score == pytest.approx(Neighbours(scores).log_scores(mask[None])[0])


@pytest.mark.parametrize("edges", [10**3, 10**5])
def test_the_work_is_limited(monkeypatch: pytest.MonkeyPatch, edges: int) -> None:
    """With more subproblems than can be solved there is still a candidate, and no better than the best."""
    monkeypatch.setattr("tersely.search.chain._MOST_EDGES", edges)
    space, rng = far_needs(14), np.random.default_rng(0)
    objective = BoundObjective({"neighbours": Neighbours.random(14)}, {"neighbours": 1.0})
    found = Chain(1).best(objective.edges(7), space)
    assert found.bounded
    assert found.edges <= 3 * edges + 60_000  # the last problem is solved to its end
    assert space.feasible(found.masks).all()
    result = chain(objective, space, rng)
    assert result.bounded
    assert result.score <= exhaustive(objective, space, rng).score
    assert not Chain(effort=1e6)(objective, space, rng).bounded


def test_a_long_text_is_counted_in_larger_units(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    budget = Budget(rng.integers(3, 30, 12), 101)
    space, neighbours = CandidateSpace(budget), Neighbours.random(12)
    objective = BoundObjective({"neighbours": neighbours, "use": BoundUse(budget)}, {"neighbours": 1.0, "use": 2.0})
    monkeypatch.setattr("tersely.search.sums._MOST_STATES", 13 * 102 // 4)
    found = chain.best(neighbours.scores, space, objective.by_weight)
    assert budget.holds(found.masks).all()
    best = exhaustive(objective, space, rng).score
    assert best - 0.5 < objective.log_scores(found.masks[:1])[0] <= best
    np.testing.assert_allclose(found.scores, objective.log_scores(found.masks), atol=0.5)


def test_it_needs_a_sum_over_neighbours() -> None:
    objective = BoundObjective({"others": ToyObjective(5, seed=1)}, {"others": 1.0})
    with pytest.raises(InputError, match="chain needs a factor that scores neighbours"):
        chain(objective, CandidateSpace(Budget.of_words(5, 2)), np.random.default_rng(0))


def test_an_observer_sees_the_result() -> None:
    objective, seen = BoundObjective({"neighbours": Neighbours.random(5)}, {"neighbours": 1.0}), []
    result = chain(objective, CandidateSpace(Budget.of_words(5, 2)), np.random.default_rng(0), seen.append)
    assert max(step.score for step in seen) == result.score
