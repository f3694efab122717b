"""Text messages, pixels, reserves and two limits at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from tersely import Summarizer
from tersely.candidates.budget import Budget, joint
from tersely.candidates.length import UNITS, Length
from tersely.candidates.pixels import count_pixels
from tersely.candidates.sms import messages
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.text.words import render, tokenize

OBJECTIVE = {"fluency": 1.0, "similarity": 12.0}
TEXT = (
    "A German container ship, the \u201cCaf\u00e9\u201d, ran aground at the French port of Le Havre early Tuesday! But "
    "authorities said: no casualties; no pollution, who knew? In Cuba [there] were talks \u20ac5 on a plan (the U.S.)."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 160, 1),
        ("x" * 161, 2),
        ("x" * 306, 2),
        ("x" * 307, 3),
        ("\u20ac" * 80, 1),  # two septets each
        ("\u20ac" * 81, 2),
        ("x" * 152 + "\u20ac" + "x" * 152, 3),  # the escape does not fit into the first part
        ("\u2019" * 70, 1),  # not in GSM-7
        ("\u2019" * 71, 2),
        ("\u2019" * 134, 2),
        ("\U0001f600" * 35, 1),
        ("\U0001f600" * 36, 2),
        ("\u00e0\u00c9\u00df\u03a9@", 1),
        ("", 1),
    ],
)
def test_messages(text: str, expected: int) -> None:
    assert messages(text) == expected


def test_messages_with_a_reserve() -> None:
    assert messages("x" * 136, 24) == 1
    assert messages("x" * 137, 24) == 2


def test_pixels_are_those_of_arial() -> None:
    assert count_pixels("W") == 19  # 1933 of 2048, at 20 pixels
    assert count_pixels("i" * 100) == 445
    assert count_pixels("caf\u00e9") == count_pixels("cafe") == count_pixels("cafe\u0301")
    assert count_pixels("\u6771") == 20


def test_a_joint_budget_is_the_stricter_one_or_both() -> None:
    chars, wide = Budget(np.array([5, 4, 6]), 60), Budget(np.array([5, 8, 6]), 178)
    assert joint([chars, wide]).weights.tolist() == [5, 4, 6]
    words = Budget.of_words(3, 2)
    both = joint([words, Budget(np.array([2, 9, 3]), 10)])
    masks = np.array(list(itertools.product([False, True], repeat=3)))
    fine = (masks @ np.array([2, 9, 3]) <= 10) & (masks.sum(axis=1) <= 2)
    assert both.holds(masks)[1:].tolist() == fine[1:].tolist()


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(60))
def test_two_limits_allow_all_that_is_within_both(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    sizes = [rng.integers(1, most, n) for most in (5, 9)]
    limits = [int(rng.integers(1, weights.sum() + 1)) for weights in sizes]
    needs = rng.integers(0, n, (2, 2))
    pinned = rng.random(n) < 0.15
    masks = np.array(list(itertools.product([False, True], repeat=n)))[1:]
    fine = np.all([masks @ weights <= limit for weights, limit in zip(sizes, limits, strict=True)], axis=0)
    fine &= ~(masks[:, needs[:, 0]] & ~masks[:, needs[:, 1]]).any(axis=1) & masks[:, pinned].all(axis=1)
    expected = masks[fine].tolist()
    budget = joint([Budget(weights, limit) for weights, limit in zip(sizes, limits, strict=True)])
    if expected:
        space = CandidateSpace(budget, pinned=pinned, needs=needs)
        assert sorted(np.concatenate(list(space.all())).tolist()) == expected
        assert space.feasible(space.random(rng, 9)).all()
        assert space.count >= len(expected)
    else:
        with pytest.raises(InputError):
            CandidateSpace(budget, pinned=pinned, needs=needs)


WORDS = "the ship caf\u00e9 port \u0448\u0442\u043e\u0440\u043c of authorities at casualties wheel".split()


@pytest.mark.no_cover
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(20))
def test_two_limits_have_the_best_of_all_summaries_within_both(summarizer: Summarizer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = " ".join(rng.choice(WORDS, 8))
    units = rng.choice(["words", "chars", "bytes", "pixels"], 2, replace=False)
    sizes = {"words": 4, "chars": 20, "bytes": 26, "pixels": 180}
    asked = {unit: int(sizes[unit] * rng.uniform(0.6, 1.4)) for unit in units}
    weights = {"position": 1.0, "adjacency": 1.0, "use": 2.0}

    def masks_within() -> Iterator[tuple[int, ...]]:
        for kept in itertools.product([False, True], repeat=8):
            shown = render([word for word, stays in zip(words, kept, strict=True) if stays])
            used = {unit: sum(kept) if unit == "words" else UNITS[unit].count(shown, 0) for unit in asked}
            if any(kept) and all(used[unit] <= asked[unit] for unit in asked):
                yield tuple(np.flatnonzero(kept).tolist())

    words = tokenize(text)
    found = summarizer(text, objective=weights, search="exhaustive", n_best=300, **asked)
    texts = {render([words[i] for i in kept]) for kept in masks_within()}
    assert {str(one) for one in (found, *found.others)} == texts
    assert summarizer(text, objective=weights, **asked).score == found.score


def test_two_lengths_are_read_in_any_order() -> None:
    assert str(Length.of(bytes=178, chars=60)) == "chars=60+bytes=178"
    assert Length.of(chars=60, words=8).label == "8 words and 60 characters"
    with pytest.raises(InputError, match="words=8 and ratio"):
        Length.of(words=8, ratio=0.5)
    with pytest.raises(InputError, match="chars=1 and bytes=2 and sms=3"):
        Length.of(sms=3, chars=1, bytes=2)


SIZES = {"words": (1, 9), "chars": (9, 60), "bytes": (9, 95), "pixels": (90, 400), "sms": (1, 2)}
PAIRS = [
    {one: a, other: b} for one, other in itertools.combinations(SIZES, 2) for a in SIZES[one] for b in SIZES[other]
]


@pytest.mark.no_cover
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_no_limit_of_a_pair_is_broken(summarizer: Summarizer, pair: dict[str, int]) -> None:
    summary = summarizer(TEXT, objective=OBJECTIVE, end="period", **pair)
    for name, size in pair.items():
        unit = UNITS[name]
        assert (len(summary.kept) if unit.count is None else unit.count(summary, 0)) <= size
    if pair.get("words") == 1 and "sms" in pair:
        assert len(summary.kept) == 1


@pytest.mark.filterwarnings("ignore")
def test_two_limits_are_used_well(summarizer: Summarizer) -> None:
    text = "the a of to in container authorities at on casualties"
    summary = summarizer(text, words=6, chars=30, objective={"position": 1.0, "use": 5.0})
    assert len(summary.kept) == 6 or len(summary) > 25


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("length", "reserve"), [({"chars": 60}, 24), ({"bytes": 60}, 24), ({"pixels": 500}, 200)])
def test_a_reserve_stays_free(summarizer: Summarizer, length: dict[str, int], reserve: int) -> None:
    ((unit, size),) = length.items()
    for one in [
        summarizer(TEXT, reserve=reserve, objective=OBJECTIVE, **length),
        *summarizer.lengths(TEXT[:60], reserve=reserve, objective=OBJECTIVE, **length),
    ]:
        assert UNITS[unit].count(one, reserve) <= size


def test_a_reserve_of_words_and_of_too_much(summarizer: Summarizer) -> None:
    text = "the german container ship ran aground"
    assert len(summarizer(text, words=5, reserve=2).kept) == 3
    assert len(summarizer(text, words=6, reserve=1).kept) == 5
    assert len(summarizer.lengths(text, words=5, reserve=2)) == 3
    assert summarizer(text, chars=37, words=6) == text
    with pytest.raises(InputError, match="leaves no room"):
        summarizer(text, chars=20, reserve=20)


@pytest.mark.filterwarnings("ignore")
def test_marks_that_are_left_out_cost_no_message_its_alphabet(summarizer: Summarizer) -> None:
    text = "the ship ran aground at the port of the authorities \u2014 no casualties were there " * 3
    assert len(summarizer(text, sms=1, objective=OBJECTIVE)) > 100
    assert len(summarizer(text.replace("\u2014", "\u2026"), sms=1, objective=OBJECTIVE)) > 100


@pytest.mark.filterwarnings("ignore")
def test_pixels_have_as_many_lengths_as_characters(summarizer: Summarizer) -> None:
    text = "The old storm killed people at the port of Cuba early Tuesday"
    chars, pixels = (summarizer.lengths(text, objective=OBJECTIVE, **size) for size in ({"chars": 40}, {"pixels": 400}))
    assert len(pixels) > 0.6 * len(chars)
    for one in pixels[::7]:
        assert summarizer(text, objective=OBJECTIVE, pixels=count_pixels(one)) == one
