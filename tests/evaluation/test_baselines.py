from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.evaluation.baselines import lead_chars, lead_share, lead_words, random_words, style_words, words_of

SOURCE = "the ship , a ferry , ran aground ."  # six words and three marks


def test_lead_counts_words_and_not_punctuation() -> None:
    assert lead_words(SOURCE, 4) == "the ship a ferry"
    assert lead_words(SOURCE, 99) == "the ship a ferry ran aground"


def test_a_share_is_of_all_tokens() -> None:
    # Nine tokens: a third is three words; 5 % would be none, and is one.
    assert lead_share(SOURCE, 1 / 3) == "the ship a"
    assert lead_share(SOURCE, 0.05) == "the"


@pytest.mark.parametrize(
    ("n_chars", "soft", "hard"),
    [
        (8, "the ship", "the ship"),
        (9, "the ship", "the ship"),
        (7, "the", "the shi"),
        (2, "th", "th"),
        (99, SOURCE, SOURCE),
    ],
)
def test_lead_by_characters(n_chars: int, soft: str, hard: str) -> None:
    assert lead_chars(SOURCE, n_chars) == soft
    assert lead_chars(SOURCE, n_chars, hard=True) == hard


@given(st.text(alphabet="ab ,", max_size=40), st.integers(1, 30))
def test_lead_by_characters_loses_at_most_one_word(source: str, n_chars: int) -> None:
    soft, hard = lead_chars(source, n_chars), lead_chars(source, n_chars, hard=True)
    assert len(soft) <= n_chars
    assert hard.startswith(soft)
    assert len(hard.split()) - len(soft.split()) <= 1


def test_random_words_keep_their_order_and_follow_the_seed() -> None:
    source = " ".join(f"w{i}" for i in range(20))
    picked = random_words(source, 5, np.random.default_rng(3)).split()
    assert len(picked) == 5
    assert picked == sorted(picked, key=lambda word: int(word[1:]))
    assert picked == random_words(source, 5, np.random.default_rng(3)).split()
    assert picked != random_words(source, 5, np.random.default_rng(4)).split()
    assert random_words("a b", 5, np.random.default_rng(0)) == "a b"


def test_style_words_takes_the_first_high_ones_then_the_next_best() -> None:
    ratios = {"the": -2.0, "ship": 1.0, "a": -1.0, "ferry": 3.0, "ran": -0.5, "aground": 0.5}
    assert style_words(SOURCE, 2, ratios) == "ship ferry"  # the first two, although "aground" is high, too
    assert style_words(SOURCE, 4, ratios) == "ship ferry ran aground"
    assert style_words("The SHIP", 1, ratios) == "SHIP"


def test_words_of_drops_what_carries_no_meaning() -> None:
    assert words_of("`` $ 5.2 -lrb- 's & -- -rrb- ''") == ["$", "5.2", "'s", "&"]
