"""Baselines: the beginning of the source, random words, words that are frequent in titles.

The paper's are Lead-N, Lead-P and Lead-C (its section on competing methods). Lead-C cuts characters. The others take
the tokens of a source, with punctuation, and return the words to keep, counted as the summariser counts words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tersely.candidates.length import words_in_share
from tersely.text.words import Word, render, tokenize

Rule = Callable[[str, bool], str]  # a source, and whether it is pretokenised, to a summary


def word_rule(choose: Callable[[Sequence[Word]], Sequence[Word]]) -> Rule:
    """The rule that keeps the words that `choose` returns."""

    def shorten(source: str, pretokenized: bool) -> str:
        return render(choose(tokenize(source, pretokenized=pretokenized)), pretokenized=pretokenized)

    return shorten


def lead_words(tokens: Sequence[Word], n_words: int) -> list[Word]:
    """The first words (Lead-N).

    >>> word_rule(lambda tokens: lead_words(tokens, 3))("Shares fell, he said.", False)
    'Shares fell he'
    """
    return _words(tokens)[:n_words]


def lead_share(tokens: Sequence[Word], ratio: float) -> list[Word]:
    """The first words up to a share of the source (Lead-P).

    >>> word_rule(lambda tokens: lead_share(tokens, 0.5))("Shares fell, he said.", False)  # of six tokens
    'Shares fell he'
    """
    return lead_words(tokens, words_in_share(tokens, ratio))


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


def random_words(tokens: Sequence[Word], n_words: int, rng: np.random.Generator) -> list[Word]:
    """Words at random positions, in source order."""
    words = _words(tokens)
    if n_words >= len(words):
        return words
    return [words[position] for position in sorted(rng.choice(len(words), size=n_words, replace=False).tolist())]


def style_words(tokens: Sequence[Word], n_words: int, ratios: Mapping[str, float]) -> list[Word]:
    """The first words that are more frequent in titles than in articles, filled up with the next best.

    `ratios` maps a piece to log p_title(w) / p_article(w), 0 where it is unknown; a word has the mean of its pieces.

    >>> tokens = tokenize("the talks on friday were in the end a failure")
    >>> render(style_words(tokens, 3, {"talks": 2.0, "failure": 1.0, "friday": -0.1, "the": -1.0, "on": -0.5,
    ...     "were": -2.0, "in": -0.3, "a": -1.0, "end": -0.2}))
    'talks friday failure'
    """
    words = _words(tokens)
    ratio = [sum(ratios.get(piece, 0.0) for piece in word.pieces) / len(word.pieces) for word in words]
    high = [position for position, value in enumerate(ratio) if value >= 0][:n_words]
    rest = sorted((p for p in range(len(words)) if ratio[p] < 0), key=lambda p: (-ratio[p], p))
    return [words[position] for position in sorted(high + rest[: n_words - len(high)])]


def _words(tokens: Sequence[Word]) -> list[Word]:
    return [token for token in tokens if not token.punctuation]
