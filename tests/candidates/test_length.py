"""The wanted length: exact from 1 to 400 words, refused where no text could have it."""

from __future__ import annotations

import numpy as np
import pytest

from tersely.candidates.length import Budget, Length
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError, TerselyError
from tersely.text.words import render, tokenize

SIZES = (1, 8, 50, 399, 400, 1000)


@pytest.mark.no_cover
@pytest.mark.parametrize("repeated", [False, True])
def test_words_and_ratio_are_exact_for_every_n(repeated: bool) -> None:
    rng = np.random.default_rng(0)
    longest = tokenize(" ".join("the" if repeated else f"w{i}x" for i in range(400)) + ".")
    for n in (*range(1, 21), *range(40, 400, 40), 399, 400):
        tokens = longest[:n] + longest[-1:]
        words = [token for token in tokens if not token.punctuation]
        for size in SIZES:
            budget = Length.of(words=size).budget(tokens)
            assert budget.limit == min(size, n)
            assert budget.counts_words
        half = Length.of(ratio=0.5).budget(tokens).limit
        assert half == max(1, round((n + 1) / 2))  # the full stop counts
        for mask in CandidateSpace(Budget.of_words(n, half)).random(rng, 1):
            assert len(render([words[i] for i in np.flatnonzero(mask)]).split()) == half


def test_a_ratio_is_a_share_of_all_tokens_and_at_least_one_word() -> None:
    tokens = tokenize("one, two, three, four.")
    assert [Length.of(ratio=r).budget(tokens).limit for r in (0.01, 0.25, 0.5, 1)] == [1, 2, 4, 4]


def test_a_budget_has_a_weight_for_each_word() -> None:
    budget = Budget.of_words(5, 3)
    assert budget.weights.tolist() == [1] * 5
    assert (budget.exact, budget.n_words) == (True, 3)
    other = Budget(np.array([4, 6, 2]), 9)  # other units are other weights
    assert (other.exact, other.counts_words, other.n_words) == (False, False, 2)
    assert other.holds(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 1]], dtype=bool)).tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("words", [0, -1, True, 2.5, "8", np.float64(3)])
def test_a_length_that_is_no_positive_number_is_refused(words: object) -> None:
    with pytest.raises(InputError, match="words must be"):
        Length.of(words=words)


@pytest.mark.parametrize("ratio", [0, -0.5, 1.01, float("nan"), float("inf"), True, "half", 10**400, None.__class__])
def test_a_ratio_outside_its_interval_is_refused(ratio: object) -> None:
    with pytest.raises(InputError, match="ratio must be above 0 and at most 1"):
        Length.of(ratio=ratio)


def test_no_length_and_two_numbers_of_words_are_refused() -> None:
    with pytest.raises(
        TerselyError, match=r"give a length, words=N or ratio=R or chars=N or bytes=N .*: none was given"
    ):
        Length.of(words=None)
    with pytest.raises(TerselyError, match=r"words=8 and ratio=0.5 was given"):
        Length.of(words=8, ratio=0.5)
    with pytest.raises(TerselyError, match="unknown unit of length 'miles': known are words, ratio"):
        Length("miles", 3)


def test_numpy_integers_are_whole_numbers() -> None:
    assert Length.of(words=np.int64(2)).budget(tokenize("one two three")).limit == 2


def test_a_length_beyond_all_floats_is_the_whole_text() -> None:
    assert str(Length.of(words=10**400)) == "words=1e+15"
    assert Length.of(words=10**400).budget(tokenize("one two")).limit == 2
