"""Text messages, pixels, reserves and two limits at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tersely import Summarizer
from tersely.candidates.budget import Budget, joint
from tersely.candidates.length import UNITS, Length
from tersely.candidates.pixels import count_pixels
from tersely.candidates.sms import messages
from tersely.errors import InputError

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
    assert (both.holds(masks) <= fine).all()
    assert both.loose.holds(masks)[1:].tolist() == fine[1:].tolist()


def test_two_lengths_are_read_in_any_order() -> None:
    assert str(Length.of(bytes=178, chars=60)) == "chars=60+bytes=178"
    assert Length.of(chars=60, words=8).label == "8 words and 60 characters"
    with pytest.raises(InputError, match="words=8 and ratio"):
        Length.of(words=8, ratio=0.5)
    with pytest.raises(InputError, match="chars=1 and bytes=2 and sms=3"):
        Length.of(sms=3, chars=1, bytes=2)


SIZES = {"words": (1, 5, 9), "chars": (9, 40, 90), "bytes": (9, 42, 95), "pixels": (90, 400, 900), "sms": (1, 2)}
PAIRS = [
    {one: a, other: b} for one, other in itertools.combinations(SIZES, 2) for a in SIZES[one] for b in SIZES[other]
]


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
