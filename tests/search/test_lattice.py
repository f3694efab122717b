"""Lattice search against its oracle, exhaustive search, and its cells against the space of candidates."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tiny_bundle import WORDS
from toys import bound, read

from tersely.candidates.length import Budget, Length
from tersely.candidates.space import CandidateSpace
from tersely.scoring.objective import BoundObjective
from tersely.search.cells import Cells
from tersely.search.exhaustive import exhaustive
from tersely.search.lattice import WIDTHS, Lattice, lattice, reading
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer


def toy_sources(summarizer: Summarizer, count: int, n: int, seed: int = 0) -> list[tuple[Sentence, BoundObjective]]:
    """Random sources of `n` words of the tiny bundle, each with the paper's objective."""
    rng = np.random.default_rng(seed)
    words = [word for word in WORDS if word.isalpha()]
    sources = [read(summarizer, " ".join(rng.choice(words, size=n)), pretokenized=True) for _ in range(count)]
    return [(source, bound(summarizer, "paper", source)) for source in sources]


@pytest.mark.no_cover
def test_finds_the_optimum_of_short_sources(summarizer: Summarizer) -> None:
    found = []
    for i, (source, objective) in enumerate(toy_sources(summarizer, 40, 11)):
        space = CandidateSpace(Budget.of_words(len(source), 3 + i % 5))
        best = exhaustive(objective, space, np.random.default_rng(0)).score
        result = Lattice()(objective, space, np.random.default_rng(0))
        assert result.score <= best
        assert (result.masks.sum(axis=1) == space.budget.limit).all()
        found.append(result.score == best)
    assert np.mean(found) >= 0.97


@pytest.mark.no_cover
def test_finds_the_optimum_within_a_limit_of_characters(summarizer: Summarizer) -> None:
    """Words weigh their letters and a space, and any subset within the limit is a candidate."""
    found = []
    for i, (source, _) in enumerate(toy_sources(summarizer, 50, 10, seed=1)):
        space = CandidateSpace(Length.of(chars=14 + i % 20).budget(source.tokens))
        objective = bound(summarizer, "paper", source, space.budget)
        best = exhaustive(objective, space, np.random.default_rng(0)).score
        result = Lattice()(objective, space, np.random.default_rng(0))
        assert result.score <= best
        assert space.budget.holds(result.masks).all()
        found.append(result.score == best)
    assert np.mean(found) >= 0.97


def test_the_result_is_a_local_optimum_and_better_than_a_random_one(summarizer: Summarizer) -> None:
    (source, objective), *_ = toy_sources(summarizer, 1, 30)
    space = CandidateSpace(Budget.of_words(len(source), 10))
    result = lattice(objective, space, np.random.default_rng(0))
    best = result.mask
    for out, into in itertools.product(np.flatnonzero(best), np.flatnonzero(~best)):
        swapped = best.copy()
        swapped[out], swapped[into] = False, True
        assert objective.log_scores(swapped[None])[0] <= result.score
    assert result.score > objective.log_scores(space.random(np.random.default_rng(0), 100)).max()


@pytest.mark.parametrize("backward", [False, True])
def test_cells_reach_every_feasible_candidate_and_no_other(backward: bool) -> None:
    """Pins, bans and needs at once: word 2 needs word 1, word 4 needs word 5 (a "$" before its number)."""
    space = CandidateSpace(
        Budget.of_words(8, 4),
        pinned=np.isin(np.arange(8), [3]),
        banned=np.isin(np.arange(8), [0]),
        needs=np.array([[2, 1], [4, 5]]),
    )
    cells = Cells(space, backward)
    for _ in range(space.budget.limit):
        cells.advance(*np.nonzero(cells.allowed()))
    masks = cells.masks[:, ::-1] if backward else cells.masks
    expected = {mask.tobytes() for chunk in space.all() for mask in chunk}
    assert {mask.tobytes() for mask in np.ascontiguousarray(masks)} == expected
    assert len(masks) == len(expected)


def test_pins_bans_and_needs_hold(summarizer: Summarizer) -> None:
    text = "the minister of cuba 's port did n't pay $ ## billion to the u.s. president in new talks on tuesday"
    tokens = text.split()
    for size in (2, 3, 5, 8, 12, 17):
        summary = summarizer(text, words=size, search="lattice", pretokenized=True, keep=["talks"], drop=["the"])
        kept = [tokens[i] for i in summary.kept]
        assert len(kept) == size
        assert "talks" in kept
        assert "the" not in kept
        assert "'s" not in kept or "cuba" in kept
        assert "n't" not in kept or "did" in kept
        assert "$" not in kept or "##" in kept


@pytest.mark.no_cover
def test_every_length_up_to_400_words(summarizer: Summarizer) -> None:
    words = list(itertools.islice(itertools.cycle(WORDS), 400))
    for n, size in ((1, 1), (2, 1), (17, 16), (60, 3), (400, 8)):
        summary = summarizer(" ".join(words[:n]), words=size, search="lattice", pretokenized=True)
        assert len(summary.kept) == size


def test_the_rows_that_are_read_grow_with_the_source_and_not_with_the_summary(summarizer: Summarizer) -> None:
    rows = {}
    for n, size in ((20, 8), (80, 8), (80, 40)):
        ((_, objective),) = toy_sources(summarizer, 1, n)
        reading(objective, CandidateSpace(Budget.of_words(n, size)), WIDTHS[0], backward=False)
        rows[n, size] = objective.rows
    assert rows[20, 8] > 20
    assert rows[80, 8] < 6 * rows[20, 8]
    assert rows[80, 40] < 2 * rows[80, 8]


def test_an_objective_of_few_factors_is_first_read_more_widely(summarizer: Summarizer) -> None:
    ((source, two),) = toy_sources(summarizer, 1, 30)
    names = "fluency similarity position adjacency known clauses".split()
    many = bound(summarizer, dict.fromkeys(names, 1.0), source)
    space = CandidateSpace(Budget.of_words(len(source), 8))
    assert lattice.widths_for(two, space)[0].rows > lattice.widths_for(many, space)[0].rows
    assert Lattice(WIDTHS[1:]).widths_for(two, space) == WIDTHS[1:]  # chosen efforts stay


def test_the_result_says_how_many_rows_were_read(summarizer: Summarizer) -> None:
    ((source, objective),) = toy_sources(summarizer, 1, 30)
    result = lattice(objective, CandidateSpace(Budget.of_words(len(source), 8)), np.random.default_rng(0))
    assert 100 < result.rows == objective.rows


def test_two_readings_that_agree_end_the_search(summarizer: Summarizer) -> None:
    agreed, gained = [], []
    for source, objective in toy_sources(summarizer, 30, 20):
        space = CandidateSpace(Budget.of_words(len(source), 6))
        effort = lattice.widths_for(objective, space)[0]
        first = [reading(objective, space, effort, backward) for backward in (False, True)]
        both = np.concatenate(first)
        best = both[objective.log_scores(both).argmax()]
        agreed.append(all((found == best).all(axis=1).any() for found in first))
        result = Lattice()(objective, space, np.random.default_rng(0))
        assert (result.evaluations <= 2 * effort.rescored) == agreed[-1]
        several = Lattice(most=50)(objective, space, np.random.default_rng(0))
        assert len(several.masks) >= 50
        gained.append(several.score - result.score)
    assert 0 < np.mean(agreed) < 1
    assert np.mean(gained) >= 0  # several are looked for more widely than one


def test_the_work_is_bounded_and_the_result_says_so(summarizer: Summarizer) -> None:
    for budget in (Budget.of_words(60, 30), Budget(np.ones(60, dtype=np.int64), 59), Budget.of_words(60, 4)):
        rows = {}
        for effort in (0.001, 0.05, 1):
            ((_, objective),) = toy_sources(summarizer, 1, 60)
            before = objective.rows
            result = Lattice(most=2, effort=effort)(objective, CandidateSpace(budget), np.random.default_rng(0))
            assert result.bounded == (effort < 1)
            rows[effort] = objective.rows - before
        assert rows[0.001] <= rows[0.05] < rows[1]  # two narrow readings are always made


def test_few_prefixes_are_in_memory_at_once() -> None:
    space = CandidateSpace(Budget.of_words(1000, 3))
    width = WIDTHS[-1].within(math.inf, space)
    assert width.per_level(1000, 3) * 1000 <= 2_000_000
    assert width.per_level(60, 3) == WIDTHS[-1].per_level(60, 3)


def test_observer_sees_the_climb(summarizer: Summarizer) -> None:
    (source, objective), *_ = toy_sources(summarizer, 1, 20)
    steps = []
    result = lattice(objective, CandidateSpace(Budget.of_words(len(source), 6)), np.random.default_rng(0), steps.append)
    assert sum(step.accepted for step in steps if step.step) == result.accepted  # step 0 is the start
    assert max(step.score for step in steps) == result.score
