"""f_SIM by hand: cosines of idf-weighted sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tersely.candidates.length import Budget
from tersely.scoring.similarity import Similarity
from tersely.sentence.sentence import Sentence
from tersely.system.table import Table
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

VOCABULARY = Vocabulary.of(["ship", "ran", "aground"])
#                    <unk>   <s>     </s>    ship    ran     aground
VECTORS = np.array([[9, 9], [0, 0], [0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.float32)
IDF = np.array([5, 0, 0, 2, 1, 3], dtype=np.float32)


def log_scores(text: str, *masks: tuple[int, ...], shifted: bool = True) -> np.ndarray:
    sentence = Sentence.of(tokenize(text), VOCABULARY)
    similarity = Similarity(Table(VECTORS), IDF, shifted=shifted)
    return similarity.bind(sentence, Budget.of_words(len(sentence), 1)).log_scores(np.array(masks, dtype=bool))


def test_plain_and_shifted_by_hand() -> None:
    # e(x) = 2·(1,0) + 1·(0,1) + 3·(1,1) = (5,4); e(y) for "ship ran" = (2,1)
    cosine = (5 * 2 + 4 * 1) / (math.sqrt(41) * math.sqrt(5))
    plain = log_scores("ship ran aground", (1, 1, 0), shifted=False)[0]
    shifted = log_scores("ship ran aground", (1, 1, 0))[0]
    assert plain == pytest.approx(math.log(cosine))
    assert shifted == pytest.approx(math.log((cosine + 1) / 2))


def test_the_whole_source_is_like_itself() -> None:
    assert log_scores("ship ran aground", (1, 1, 1))[0] == pytest.approx(0, abs=1e-12)


def test_idf_weighs_the_words() -> None:
    frequent, rare = log_scores("ship ran aground", (0, 1, 0), (0, 0, 1))
    assert rare > frequent


def test_an_unknown_word_has_no_vector() -> None:
    """Neither in the source nor in the summary, whatever the table has for the unknown symbol."""
    with_unknown = log_scores("ship tanker ran aground", (1, 1, 1, 0), (1, 0, 1, 0), (0, 1, 0, 0))
    without = log_scores("ship ran aground", (1, 1, 0))[0]
    assert with_unknown[:2] == pytest.approx([without, without])
    assert with_unknown[2] == pytest.approx(math.log(0.5))  # no direction: cosine 0


def test_the_logarithm_stays_finite() -> None:
    assert log_scores("tanker sank", (1, 0), shifted=False)[0] == pytest.approx(math.log(1e-9))
    opposite = Similarity(Table(-VECTORS * np.array([[1, 1]] * 5 + [[-1, -1]], dtype=np.float32)), IDF, shifted=False)
    sentence = Sentence.of(tokenize("ship aground"), VOCABULARY)
    assert np.isfinite(opposite.bind(sentence, Budget.of_words(2, 1)).log_scores(np.array([[True, False]]))).all()


def test_repeated_words_count_twice() -> None:
    # e(x) = (2,0)·2 + (0,1) = (4,1), e(y) = (4,0)
    score = log_scores("ship ship ran", (1, 1, 0), shifted=False)[0]
    assert score == pytest.approx(math.log(4 / math.sqrt(17)))
