"""Baselines: the beginning of the source, random words, words that are frequent in titles.

The paper's are Lead-N, Lead-P and Lead-C (its section on competing methods). Lead-C cuts characters. The others choose
as many words as a summariser would get for the same length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tersely.candidates.length import Length
from tersely.text.words import Word, render, tokenize

Rule = Callable[[str, bool], str]  # a source, and whether it is pretokenised, to a summary
Choice = Callable[[Sequence[Word], int], Sequence[Word]]  # the words of a source and how many to keep, to those kept


def word_rule(length: Length, choose: Choice) -> Rule:
    """The rule that keeps the words that `choose` returns."""

    def shorten(source: str, pretokenized: bool) -> str:
        tokens = tokenize(source, pretokenized=pretokenized)
        words = [token for token in tokens if not token.punctuation]
        return render(choose(words, length.budget(tokens).limit), pretokenized=pretokenized)

    return shorten


def lead(length: Length) -> Rule:
    """The first words (Lead-N), or the first words up to a share of the source (Lead-P).

    >>> lead(Length.of(words=3))("Shares fell, he said.", False)
    'Shares fell he'
    >>> lead(Length.of(ratio=0.5))("Shares fell, he said.", False)  # of six tokens
    'Shares fell he'
    """
    return word_rule(length, lambda words, n_words: words[:n_words])


def lead_chars(source: str, n_chars: int, *, hard: bool = False) -> str:
    """The first characters (Lead-C), up to the end of a word; `hard` cuts inside a word, as the DUC baseline does.

    >>> lead_chars("shares fell, he said.", 14)
    'shares fell,'
    >>> lead_chars("shares fell, he said.", 14, hard=True)
    'shares fell, h'
    """
    text = " ".join(source.split())
    cut = text[:n_chars]
    if hard or len(text) <= n_chars or text[n_chars] == " ":
        return cut.rstrip()
    whole, _, _ = cut.rpartition(" ")
    return whole or cut  # if the first word is too long, it is cut


def random_words(words: Sequence[Word], n_words: int, rng: np.random.Generator) -> list[Word]:
    """Words at random positions, in source order."""
    if n_words >= len(words):
        return list(words)
    return [words[position] for position in sorted(rng.choice(len(words), size=n_words, replace=False).tolist())]


def style_words(words: Sequence[Word], n_words: int, ratios: Mapping[str, float]) -> list[Word]:
    """The first words that are more frequent in titles than in articles, filled up with the next best.

    `ratios` maps a piece to log p_title(w) / p_article(w), 0 where it is unknown; a word has the mean of its pieces.

    >>> words = tokenize("the talks on friday were in the end a failure")
    >>> render(style_words(words, 3, {"talks": 2.0, "failure": 1.0, "friday": -0.1, "the": -1.0, "on": -0.5,
    ...     "were": -2.0, "in": -0.3, "a": -1.0, "end": -0.2}))
    'talks friday failure'
    """
    ratio = [sum(ratios.get(piece, 0.0) for piece in word.pieces) / len(word.pieces) for word in words]
    high = [position for position, value in enumerate(ratio) if value >= 0][:n_words]
    rest = sorted((p for p in range(len(words)) if ratio[p] < 0), key=lambda p: (-ratio[p], p))
    return [words[position] for position in sorted(high + rest[: n_words - len(high)])]
