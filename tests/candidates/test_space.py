"""Candidates: exactly the wanted size, pinned words in, banned words out, no word without the one it needs."""

from __future__ import annotations

import itertools
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace, closures
from tersely.errors import InputError


def flags(n: int, *positions: int) -> np.ndarray:
    mask = np.zeros(n, dtype=bool)
    mask[list(positions)] = True
    return mask


def all_of(space: CandidateSpace) -> np.ndarray:
    return np.concatenate(list(space.all(chunk=7)))


def test_all_candidates() -> None:
    space = CandidateSpace(Budget.of_words(6, 3))
    masks = all_of(space)
    assert len(masks) == space.count == 20
    assert len(np.unique(masks, axis=0)) == 20
    assert (masks.sum(axis=1) == 3).all()


def test_pins_and_bans() -> None:
    space = CandidateSpace(Budget.of_words(6, 3), pinned=flags(6, 1), banned=flags(6, 4, 5))
    masks = all_of(space)
    assert len(masks) == space.count == 3
    assert masks[:, 1].all()
    assert not masks[:, 4:].any()


def test_everything_pinned_leaves_one_candidate() -> None:
    space = CandidateSpace(Budget.of_words(4, 2), pinned=flags(4, 0, 3))
    assert all_of(space).tolist() == [[True, False, False, True]]
    assert space.random(np.random.default_rng(0), 2).tolist() == [[True, False, False, True]] * 2


def test_a_pinned_word_pins_what_it_needs_and_a_banned_one_bans_what_needs_it() -> None:
    needs = np.array([[1, 0], [2, 1]])
    budget, first_three = Budget.of_words(4, 3), [True, True, True, False]
    assert CandidateSpace(budget, pinned=flags(4, 2), needs=needs).pinned.tolist() == first_three
    assert CandidateSpace(budget, banned=flags(4, 0), needs=needs).banned.tolist() == first_three


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pinned": flags(4, 0), "banned": flags(4, 0)}, "cannot be kept and dropped"),
        ({"pinned": flags(4, 0, 1, 2)}, "3 words are to be kept, but the summary has only 2"),
        ({"banned": flags(4, 0, 1, 2, 3)}, "no word is left to choose from: drop fewer words"),
        ({"pinned": flags(4, 1), "banned": flags(4, 0), "needs": np.array([[1, 0]])}, "kept and dropped"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CandidateSpace(Budget.of_words(4, 2), **options)


@st.composite
def spaces(draw: st.DrawFn) -> CandidateSpace:
    """Spaces as text makes them: a clitic needs the word before it, a currency sign the number after it."""
    n = draw(st.integers(2, 9))
    needs = [-1] * n
    for i in range(n):
        kind = draw(st.sampled_from("wwwcs"))
        if kind == "c" and i:
            needs[i] = i - 1
        elif kind == "s" and i + 1 < n and (i == 0 or needs[i - 1] != i):
            needs[i] = i + 1
    for i in range(n - 1):  # a number needs nothing
        if needs[i] == i + 1:
            needs[i + 1] = -1
    pinned = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))) & flags(n, draw(st.integers(0, n - 1)))
    pairs = np.array([(i, j) for i, j in enumerate(needs) if j >= 0], dtype=np.int64).reshape(-1, 2)
    return CandidateSpace(Budget.of_words(n, draw(st.integers(1, n))), pinned=pinned, needs=pairs)


def test_a_place_is_handed_over_along_a_chain_that_turns_round() -> None:
    # 3 needs 2, 2 needs 1, 0 needs 1, 5 needs 4, 4 needs 3: whichever way one looks, one of these comes too late
    space = CandidateSpace(Budget.of_words(6, 2), needs=np.array([[0, 1], [2, 1], [3, 2], [4, 3], [5, 4]]))
    pairs = np.array([[i in pair for i in range(6)] for pair in itertools.combinations(range(6), 2)])
    repaired = space.repaired(pairs)
    assert (repaired.sum(axis=1) == 2).all()
    assert space.feasible(repaired).all()


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(0, 5))
def test_random_candidates_are_feasible(data: st.DataObject, seed: int) -> None:
    try:
        space = data.draw(spaces())
    except InputError:
        return  # more words pinned than the size allows
    masks = space.random(np.random.default_rng(seed), 8)
    assert (masks.sum(axis=1) == space.budget.limit).all()
    assert space.feasible(masks).all()
    assert masks[:, space.pinned].all()
    assert space.feasible(all_of(space)).all()
    if space.n_free and len(space.free) > space.n_free:
        rng = np.random.default_rng(seed)
        moved = space.moves(rng, masks)
        assert (moved.sum(axis=1) == space.budget.limit).all()
        assert moved[:, space.pinned].all()
        assert ((moved != masks).sum(axis=1) == 2).all()


def test_random_candidates_are_uniform() -> None:
    masks = CandidateSpace(Budget.of_words(5, 2)).random(np.random.default_rng(0), 10_000)
    counts = Counter(map(tuple, masks.tolist()))
    assert len(counts) == 10
    assert max(abs(count - 1000) for count in counts.values()) < 150  # five standard deviations


def test_swaps_are_uniform() -> None:
    mask = flags(7, 0, 2, 5, 6)
    space = CandidateSpace(Budget.of_words(7, 4), pinned=flags(7, 6))
    moved = space.moves(np.random.default_rng(0), np.tile(mask, (9_000, 1)))
    out, into = np.nonzero(mask & ~moved)[1], np.nonzero(~mask & moved)[1]
    counts = Counter(zip(out.tolist(), into.tolist(), strict=True))
    assert set(counts) == {(o, i) for o in (0, 2, 5) for i in (1, 3, 4)}  # the pinned word stays
    assert max(abs(count - 1000) for count in counts.values()) < 150


def test_words_that_need_each_other_stay_together() -> None:
    space = CandidateSpace(Budget.of_words(6, 3), needs=np.array([[1, 4], [4, 1], [2, 1]]))
    masks = space.random(np.random.default_rng(0), 200)
    assert space.feasible(masks).all()
    assert (masks.sum(axis=1) == 3).all()
    assert (masks[:, 1] == masks[:, 4]).all()
    assert 0 < masks[:, 1].mean() < 1


@pytest.mark.parametrize(("limit", "least"), [(9, 1), (9, 9), (12, 7)])
def test_other_weights_are_other_units(limit: int, least: int) -> None:
    """Words of 2 to 5 units: everything that the space gives is within the budget, and nothing feasible is missing."""
    budget = Budget(np.array([2, 3, 5, 2, 4, 3]), limit, least)
    space = CandidateSpace(budget, pinned=flags(6, 3), banned=flags(6, 4), needs=np.array([[1, 0]]))
    subsets = np.array(list(itertools.product([False, True], repeat=6)))
    right = subsets[space.feasible(subsets) & subsets[:, 3] & ~subsets[:, 4]]
    assert sorted(map(tuple, all_of(space).tolist())) == sorted(map(tuple, right.tolist()))
    drawn = space.random(np.random.default_rng(0), 200)
    assert set(map(tuple, drawn.tolist())) <= set(map(tuple, right.tolist()))
    within = subsets[budget.holds(subsets) & subsets[:, 3] & ~subsets[:, 4]]
    assert space.count == len(within)
    for mask in right:
        near = {tuple(other) for other in space.neighbours(mask, limit=99).tolist()}
        one_away = [other for other in right if 0 < (other != mask).sum() <= 2]
        assert near == {tuple(o) for o in one_away if (o & ~mask).sum() <= 1 and (mask & ~o).sum() <= 1}
        moved = space.moves(np.random.default_rng(1), np.tile(mask, (300, 1)))
        assert {tuple(other) for other in moved[space.feasible(moved)].tolist()} == near | {tuple(mask)}


@pytest.mark.parametrize("pinned", [[], [0, 5], [6]])
@pytest.mark.parametrize(
    ("weights", "limit", "least"), [([1] * 7, 4, 4), ([1] * 7, 5, 2), ([3, 1, 4, 1, 5, 2, 6], 14, 1)]
)
def test_as_many_prefixes_and_suffixes_as_are_counted(
    weights: list[int], limit: int, least: int, pinned: list[int]
) -> None:
    kept = np.isin(np.arange(7), pinned)
    space = CandidateSpace(Budget(np.array(weights), limit, least), pinned=kept, banned=np.arange(7) == 3)
    masks = np.concatenate(list(space.all()))
    chosen = [tuple(np.flatnonzero(mask).tolist()) for mask in masks]
    assert space.n_prefixes() == len({words[: i + 1] for words in chosen for i in range(len(words))})
    assert space.n_prefixes(backward=True) == len({words[i:] for words in chosen for i in range(len(words))})


def test_a_limit_too_small_for_any_word_names_the_smallest() -> None:
    with pytest.raises(InputError, match="limit of 3 words is too small for any word: the smallest possible is 4"):
        CandidateSpace(Budget(np.array([5, 4, 9]), 3))


def test_of_a_long_text_some_words_are_added_or_left_out() -> None:
    space = CandidateSpace(Budget(np.ones(100, dtype=np.int64), 99))
    near = space.neighbours(np.arange(100) < 50, limit=6)
    assert 6 < len(near) <= 12
    assert sorted(near.sum(axis=1).tolist()).count(50) == 6


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_all_that_a_word_needs_through_others(pairs: list[tuple[int, int]]) -> None:
    reached = np.eye(10, dtype=bool)
    for _ in range(10):
        for word, host in pairs:
            reached[word] |= reached[host]
    found = closures(10, np.array(pairs))
    assert set(found) == {word for word, _ in pairs}
    assert all(others.tolist() == np.flatnonzero(reached[word]).tolist() for word, others in found.items())


def test_a_long_chain_of_needs_is_followed_once() -> None:
    n, calls = 400, Counter[str]()
    sys.setprofile(lambda frame, event, arg: calls.update([event]))
    try:
        found = closures(n, np.array([[i, i + 1] for i in range(n - 1)]))
    finally:
        sys.setprofile(None)
    assert [len(found[i]) for i in range(n - 1)] == list(range(n, 1, -1))
    assert calls.total() < 50 * n


@pytest.mark.parametrize(("n", "size"), [(150, 39), (20, 7)])
def test_words_that_need_each_other_fill_any_length(n: int, size: int) -> None:
    """Pairs such as "12 000", and one single word at the end, which an odd number needs."""
    needs = np.array([pair for i in range(0, n, 2) for pair in ((i, i + 1), (i + 1, i))])
    space = CandidateSpace(Budget.of_words(n + 1, size), needs=needs)
    assert space.feasible(space.random(np.random.default_rng(0), 3)).all()
    with pytest.raises(InputError, match="need each other"):
        CandidateSpace(Budget.of_words(n, size), needs=needs).random(np.random.default_rng(0), 1)
