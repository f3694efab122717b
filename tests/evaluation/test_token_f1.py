"""Token F1 by hand."""

from __future__ import annotations

import pytest

from tersely.evaluation.token_f1 import kept_words, token_f1


def test_a_word_counts_as_often_as_it_occurs() -> None:
    assert token_f1(["the", "the", "ship"], ["the", "ship"]) == pytest.approx(2 * 2 / 5)


def test_nothing_in_common_and_nothing_at_all() -> None:
    assert token_f1(["ship"], ["port"]) == 0
    assert token_f1([], []) == 0


def test_case_and_punctuation_do_not_count() -> None:
    assert token_f1(kept_words("The ship , it sank !"), kept_words("the ship it sank .")) == 1
