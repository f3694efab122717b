"""Characters and bytes as a person and a program count them, and weights that no subset of the words can break."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.candidates.measure import count_bytes, count_chars, weigh
from tersely.text.words import render, tokenize

COUNTED = [
    ("", 0, 0),
    ("cafe", 4, 4),
    ("caf\u00e9", 4, 5),
    ("cafe\u0301", 4, 6),  # the same with a combining accent
    ("a\u0323\u0307b", 2, 6),  # two marks on one letter
    ("\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", 2, 16),  # two flags
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", 1, 25),  # a family
    ("\U0001f44d\U0001f3fd!", 2, 9),  # a thumb with a tone of skin
    ("\ud55c\uad6d", 2, 6),  # Hangul, composed
    ("\u1112\u1161\u11ab", 1, 9),  # Hangul, in its parts
    ("\u0645\u064e\u0631\u062d", 3, 8),  # Arabic with a vowel sign
    ("\u0928\u093f", 1, 6),  # a Devanagari letter with its vowel
    ("\u6771\u4eac", 2, 6),
    ("1\ufe0f\u20e3", 1, 7),  # a keycap
]


@pytest.mark.parametrize(("text", "chars", "n_bytes"), COUNTED)
def test_characters_are_clusters_and_bytes_are_utf8(text: str, chars: int, n_bytes: int) -> None:
    assert (count_chars(text), count_bytes(text)) == (chars, n_bytes)


def test_ascii_text_needs_no_table_of_clusters() -> None:
    code = "import sys; from tersely.candidates.measure import count_chars as count; count('a')\n"
    code += "print('regex' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@given(st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_ascii_and_other_text_are_counted_alike(text: str) -> None:
    ascii_part = text.encode("ascii", "ignore").decode()
    assert count_chars(ascii_part) == len(regex.findall(r"\X", ascii_part))
    assert count_chars(text) == len(regex.findall(r"\X", text))


TEXT = st.text(max_size=30) | st.lists(
    st.sampled_from(["ship", "Havre,", "東京", "\u3067", "\U0001f1eb\U0001f1f7", "caf\u00e9;", "5", "%", "-", " ", " "])
).map("".join)


@given(TEXT, st.integers(1, 40), st.booleans(), st.sampled_from([count_chars, count_bytes]), st.randoms())
@settings(max_examples=500, deadline=None)
def test_no_subset_is_longer_than_its_weights(text: str, size: int, pretokenized: bool, count, random) -> None:
    tokens = tokenize(text, pretokenized=pretokenized)
    words = [token for token in tokens if not token.punctuation]
    weights, spare = weigh(tokens, size, count, pretokenized=pretokenized, marks=True)
    assert len(weights) == len(words)
    for _ in range(5):
        kept = [i for i in range(len(words)) if random.random() < 0.5]
        if kept and weights[kept].sum() <= size + spare:
            assert count(render([words[i] for i in kept], pretokenized=pretokenized)) <= size
    alone = [count(word.text) <= size for word in words]
    assert (weights <= size + spare).tolist() == alone  # a word that fits alone is never refused


def test_a_script_without_spaces_fills_its_limit() -> None:
    tokens = tokenize("\u6771\u4eac\u3067\u96e8\u304c\u964d\u308b")
    weights, spare = weigh(tokens, 5, count_chars, pretokenized=False, marks=True)
    assert (weights.tolist(), spare) == ([1] * 7, 0)
    mixed, spare = weigh(tokenize("彼はAT&Tの社員"), 9, count_chars, pretokenized=False, marks=True)
    assert (mixed.tolist(), spare) == ([1, 1, 5, 1, 1, 1], 0)  # a space only between two words that are not Japanese
    assert np.all(weigh(tokens, 5, count_chars, pretokenized=True, marks=True)[0] == 2)
