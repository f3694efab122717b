"""The factor `clauses`: whole stretches between punctuation marks, at once and word by word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.candidates.length import Budget
from tersely.scoring.clauses import BoundClauses, Clauses
from tersely.sentence.sentence import Sentence
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

# 0 1 | 2 3 4 | 5 6
TEXT = '"The ship, a German one", ran aground.'


def kept(*words: int, n: int = 7) -> np.ndarray:
    return np.isin(np.arange(n), words)[None]


def test_stretches_lie_between_punctuation_marks() -> None:
    sentence = Sentence.of(tokenize(TEXT), Vocabulary.of([]))
    assert sentence.stretches.tolist() == [0, 0, 1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("words", "share"),
    [
        ((0, 1, 5, 6), 1),  # the aside goes as a whole
        ((0, 1, 2, 3, 4, 5), 0),
        ((1, 6), 3 / 5),
        ((2,), 4 / 6),
        ((0, 2, 5), 0),  # a bit of everything
        ((0, 1, 2, 3, 4, 5, 6), 0),
    ],
)
def test_the_share_of_dropped_words_that_go_as_a_whole_stretch(words: tuple[int, ...], share: float) -> None:
    bound = Clauses().bind(Sentence.of(tokenize(TEXT), Vocabulary.of([])), Budget.of_words(7, len(words)))
    assert bound.log_scores(kept(*words))[0] == pytest.approx(share)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data(), st.booleans())
def test_step_by_step_ends_at_the_score(lengths: list[int], data: st.DataObject, backward: bool) -> None:
    stretches = np.repeat(np.arange(len(lengths)), lengths)
    n = len(stretches)
    words = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    mask = kept(*words, n=n)
    bound = BoundClauses(stretches)
    steps = bound.steps(len(words), backward)
    for word in np.flatnonzero(mask[0, ::-1] if backward else mask[0]):
        expected = steps.values()[0, word]
        steps.advance(np.zeros(1, dtype=np.int64), np.array([word]))
        assert steps._total[0] == pytest.approx(expected)
    assert steps.final()[0] == pytest.approx(bound.log_scores(mask)[0])
