"""Candidates: exactly the wanted size, pinned words in, banned words out, no word without the one it needs."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.candidates import CandidateSpace, swapped
from tersely.errors import InputError


def flags(n: int, *positions: int) -> np.ndarray:
    mask = np.zeros(n, dtype=bool)
    mask[list(positions)] = True
    return mask


def all_of(space: CandidateSpace) -> np.ndarray:
    return np.concatenate(list(space.all(chunk=7)))


def test_all_candidates() -> None:
    space = CandidateSpace(6, 3)
    masks = all_of(space)
    assert len(masks) == space.count == 20
    assert len(np.unique(masks, axis=0)) == 20
    assert (masks.sum(axis=1) == 3).all()


def test_pins_and_bans() -> None:
    space = CandidateSpace(6, 3, pinned=flags(6, 1), banned=flags(6, 4, 5))
    masks = all_of(space)
    assert len(masks) == space.count == 3
    assert masks[:, 1].all()
    assert not masks[:, 4:].any()


def test_everything_pinned_leaves_one_candidate() -> None:
    space = CandidateSpace(4, 2, pinned=flags(4, 0, 3))
    assert all_of(space).tolist() == [[True, False, False, True]]
    assert space.random(np.random.default_rng(0), 2).tolist() == [[True, False, False, True]] * 2


def test_a_pinned_word_pins_what_it_needs_and_a_banned_one_bans_what_needs_it() -> None:
    needs = np.array([-1, 0, 1, -1])
    assert CandidateSpace(4, 3, pinned=flags(4, 2), needs=needs).pinned.tolist() == [True, True, True, False]
    assert CandidateSpace(4, 1, banned=flags(4, 0), needs=needs).banned.tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pinned": flags(4, 0), "banned": flags(4, 0)}, "cannot be kept and dropped"),
        ({"pinned": flags(4, 0, 1, 2)}, "3 words are to be kept, but the summary has only 2"),
        ({"banned": flags(4, 0, 1, 2)}, "only 1 words are left to choose from, but the summary needs 2"),
        ({"pinned": flags(4, 1), "banned": flags(4, 0), "needs": np.array([-1, 0, -1, -1])}, "kept and dropped"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CandidateSpace(4, 2, **options)


@st.composite
def spaces(draw: st.DrawFn) -> CandidateSpace:
    """Spaces as text makes them: a clitic needs the word before it, a currency sign the number behind it."""
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
    return CandidateSpace(n, draw(st.integers(1, n)), pinned=pinned, needs=np.array(needs))


def test_a_place_is_handed_over_along_a_chain_that_turns_round() -> None:
    # 3 needs 2, 2 needs 1, 0 needs 1, 5 needs 4, 4 needs 3: whichever way one looks, one of these comes too late
    space = CandidateSpace(6, 2, needs=np.array([1, -1, 1, 2, 3, 4]))
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
    assert (masks.sum(axis=1) == space.size).all()
    assert space.feasible(masks).all()
    assert masks[:, space.pinned].all()
    assert space.feasible(all_of(space)).all()
    if space.n_free and len(space.free) > space.n_free:
        rng = np.random.default_rng(seed)
        out, into = space.swaps(rng, masks)
        moved = swapped(masks, out, into)
        assert (moved.sum(axis=1) == space.size).all()
        assert moved[:, space.pinned].all()
        assert ((moved != masks).sum(axis=1) == 2).all()


def test_random_candidates_are_uniform() -> None:
    masks = CandidateSpace(5, 2).random(np.random.default_rng(0), 10_000)
    counts = Counter(map(tuple, masks.tolist()))
    assert len(counts) == 10
    assert max(abs(count - 1000) for count in counts.values()) < 150  # five standard deviations


def test_swaps_are_uniform() -> None:
    mask = flags(7, 0, 2, 5, 6)
    space = CandidateSpace(7, 4, pinned=flags(7, 6))
    out, into = space.swaps(np.random.default_rng(0), np.tile(mask, (9_000, 1)))
    counts = Counter(zip(out.tolist(), into.tolist(), strict=True))
    assert set(counts) == {(o, i) for o in (0, 2, 5) for i in (1, 3, 4)}  # the pinned word stays
    assert max(abs(count - 1000) for count in counts.values()) < 150
