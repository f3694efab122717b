from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.candidates.length import Length
from tersely.evaluation.baselines import (
    lead_chars,
    lead_share,
    lead_words,
    random_words,
    style_words,
    word_rule,
)
from tersely.text.words import Word, render, tokenize

SOURCE = "the ship , a ferry , ran aground ."  # six words and three marks
TOKENS = tokenize(SOURCE, pretokenized=True)


def text(words: list[Word]) -> str:
    return render(words, pretokenized=True)


@pytest.mark.parametrize("pretokenized", [True, False])
@pytest.mark.parametrize("ratio", [0.1, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("source", [SOURCE, "The ship, a ferry, ran aground.", "Cuba's shares (12.5 %) fell, it said."])
def test_a_share_is_as_many_words_as_a_summariser_gets(source: str, ratio: float, pretokenized: bool) -> None:
    tokens = tokenize(source, pretokenized=pretokenized)
    assert len(lead_share(tokens, ratio)) == Length.of(ratio=ratio).budget(tokens).limit


def test_raw_text_is_cut_into_the_words_of_the_summariser() -> None:
    lead = word_rule(lambda tokens: lead_words(tokens, 3))
    assert lead("Mr. Smith (12.5 %) didn't.", False) == "Mr. Smith 12.5%"
    assert lead("mr. smith -lrb- 12.5 % -rrb- did n't .", True) == "mr. smith 12.5"


@given(st.text(alphabet="ab ,", max_size=40), st.integers(1, 30))
def test_lead_by_characters_loses_at_most_one_word(source: str, n_chars: int) -> None:
    soft, hard = lead_chars(source, n_chars), lead_chars(source, n_chars, hard=True)
    assert len(soft) <= n_chars
    assert hard.startswith(soft)
    assert len(hard.split()) - len(soft.split()) <= 1


def test_random_words_keep_their_order_and_follow_the_seed() -> None:
    tokens = tokenize(" ".join(f"w{i}" for i in range(20)))
    picked = random_words(tokens, 5, np.random.default_rng(3))
    assert len(picked) == 5
    assert picked == sorted(picked, key=lambda word: word.start)
    assert picked == random_words(tokens, 5, np.random.default_rng(3))
    assert picked != random_words(tokens, 5, np.random.default_rng(4))
    assert random_words(tokens[:2], 5, np.random.default_rng(0)) == tokens[:2]


def test_style_words_takes_the_first_high_ones_then_the_next_best() -> None:
    ratios = {"the": -2.0, "ship": 1.0, "a": -1.0, "ferry": 3.0, "ran": -0.5, "aground": 0.5}
    assert text(style_words(TOKENS, 2, ratios)) == "ship ferry"  # the first two, although "aground" is high, too
    assert text(style_words(TOKENS, 4, ratios)) == "ship ferry ran aground"
    assert text(style_words(tokenize("The SHIP"), 1, ratios)) == "SHIP"


def test_the_style_of_a_word_is_the_mean_of_its_pieces() -> None:
    ratios = {"ship": 1.0, "'s": -3.0, "port": -0.5}
    assert text(style_words(tokenize("ship's port"), 1, ratios)) == "port"  # -1 against -0.5
