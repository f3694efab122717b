"""The factors from counts, position and neighbours, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tersely.candidates.length import Budget
from tersely.scoring import priors
from tersely.scoring.priors import Adjacency, Contiguity, Counts, Information, Known, Position, Style
from tersely.sentence.sentence import Sentence
from tersely.text.vocabulary import UNKNOWN_ID, Vocabulary
from tersely.text.words import tokenize

VOCABULARY = Vocabulary.of(["the", "deal", "said", "cuba", "'s"])
COUNTS = Counts(
    titles=np.array([0, 0, 0, 100, 4000, 10, 3, 500], dtype=np.float32),
    articles=np.array([0, 0, 0, 50_000, 1000, 9000, 0, 4000], dtype=np.float32),
    n_title_words=100_000,
    n_article_words=1_000_000,
)
SOURCE = Sentence.of(tokenize("the deal, said Cuba's zyx"), VOCABULARY)
THREE = Budget.of_words(5, 3)


def test_information_is_minus_log_p_in_articles() -> None:
    values = Information(COUNTS).bind(SOURCE, THREE).values
    assert values[0] == pytest.approx(-math.log(50_000.5 / 1_000_001))
    assert values[1] == pytest.approx(-math.log(1000.5 / 1_000_001))
    assert values[4] == priors._MOST_INFORMATION  # an unknown word
    cuba, clitic = priors._MOST_INFORMATION, -math.log(4000.5 / 1_000_001)
    assert values[3] == pytest.approx((cuba + clitic) / 2)  # a word of two pieces has their mean


def test_style_prefers_words_of_titles_and_mistrusts_rare_ones() -> None:
    the, deal, said, _, unknown = Style(COUNTS).bind(SOURCE, THREE).values
    assert deal > 0 > said
    assert the < 0
    assert unknown == 0
    both = (4000 / 1e5 + 1000 / 1e6) / 2
    prior = priors._STYLE_PRIOR
    expected = math.log((4000 + prior * both) / (1e5 + prior)) - math.log((1000 + prior * both) / (1e6 + prior))
    assert deal == pytest.approx(expected)
    rare = COUNTS.style(np.array([6, UNKNOWN_ID]))  # "cuba": 3 in titles, 0 in articles
    assert 0 < rare[0] < math.log((3 / 1e5) / (0.5 / 1e6))
    assert rare[1] == 0


def test_known_is_minus_the_share_of_unknown_words() -> None:
    masks = np.array([[0, 1, 0, 1, 1], [1, 1, 1, 1, 0], [0, 0, 0, 0, 1]], dtype=bool)
    assert Known().bind(SOURCE, THREE).log_scores(masks).tolist() == [-1 / 3, 0, -1]


def test_position_is_the_mean_of_minus_i_over_n() -> None:
    mask = np.array([[True, False, True, False, True]])
    assert Position().bind(SOURCE, THREE).log_scores(mask)[0] == pytest.approx(-(0 + 2 / 5 + 4 / 5) / 3)


def test_adjacency_is_the_share_of_neighbours_that_are_neighbours_in_the_source() -> None:
    masks = np.array([[1, 1, 0, 1, 1], [1, 0, 1, 0, 1], [1, 1, 1, 1, 1], [0, 0, 1, 0, 0]], dtype=bool)
    assert Adjacency().bind(SOURCE, THREE).log_scores(masks).tolist() == [2 / 3, 0, 1, 0]


def test_contiguity_does_not_mind_dropped_function_words() -> None:
    # "the" and "said" are function words here, "deal", "Cuba's" and "zyx" are not
    masks = np.array([[0, 1, 0, 1, 1], [1, 0, 1, 0, 1], [1, 0, 0, 1, 0], [0, 1, 0, 0, 1]], dtype=bool)
    assert Contiguity(COUNTS).bind(SOURCE, THREE).log_scores(masks).tolist() == [1, 0, 0, 0]
