from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.candidates.length import Length
from tersely.evaluation.baselines import lead, lead_chars, random_words, style_words
from tersely.text.words import render, tokenize

RATIOS = {"the": -2.0, "ship": 1.0, "a": -1.0, "ferry": 3.0, "ran": -0.5, "aground": 0.5, "'s": -3.0, "port": -0.5}


@pytest.mark.parametrize(
    ("source", "pretokenized", "expected"),
    [("Mr. Smith (12.5 %) didn't.", False, "Mr. Smith 12.5%"),
     ("mr. smith -lrb- 12.5 % -rrb- did n't .", True, "mr. smith 12.5")],
)  # fmt: skip
def test_lead_has_the_words_of_the_summariser(source: str, pretokenized: bool, expected: str) -> None:
    assert lead(Length.of(words=3))(source, pretokenized) == expected


@given(st.text(alphabet="ab ,", max_size=40), st.integers(1, 30))
def test_lead_by_characters_loses_at_most_one_word(source: str, n_chars: int) -> None:
    soft, hard = lead_chars(source, n_chars), lead_chars(source, n_chars, hard=True)
    assert len(soft) <= n_chars
    assert hard.startswith(soft)
    assert len(hard.split()) - len(soft.split()) <= 1


def test_random_words_keep_their_order_and_follow_the_seed() -> None:
    words = tokenize(" ".join(f"w{i}" for i in range(20)))
    picked = random_words(words, 5, np.random.default_rng(3))
    assert len(picked) == 5
    assert picked == sorted(picked, key=lambda word: word.start)
    assert picked == random_words(words, 5, np.random.default_rng(3))
    assert picked != random_words(words, 5, np.random.default_rng(4))
    assert random_words(words[:2], 5, np.random.default_rng(0)) == words[:2]


@pytest.mark.parametrize(
    ("source", "n_words", "expected"),
    [
        ("the ship a ferry ran aground", 2, "ship ferry"),  # the first two, although "aground" is high, too
        ("the ship a ferry ran aground", 4, "ship ferry ran aground"),
        ("The SHIP", 1, "SHIP"),
        ("ship's port", 1, "port"),  # a word has the mean of its pieces: -1 against -0.5
    ],
)
def test_style_words_takes_the_first_high_ones_then_the_next_best(source: str, n_words: int, expected: str) -> None:
    assert render(style_words(tokenize(source), n_words, RATIOS)) == expected
