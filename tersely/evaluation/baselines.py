"""Baselines that any system has to beat: the beginning of the source, random words, words that look like titles.

The paper's are Lead-N, Lead-P and Lead-C (its section on competing methods). Lead-C cuts characters; the others take
the tokens of a source, punctuation included, and give the words to keep, which are words as the summariser sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tersely.length import words_in_share
from tersely.text import Word, render, tokenize

Rule = Callable[[str, bool], str]  # a source, and whether it is pretokenised, to a summary


def word_rule(choose: Callable[[Sequence[Word]], Sequence[Word]]) -> Rule:
    """The rule that keeps what `choose` chooses from the tokens."""

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
    """The first characters (Lead-C), ended at a word; `hard` cuts inside a word, as the DUC baseline does.

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
    return whole or cut  # a first word that is too long on its own has to be cut


def random_words(tokens: Sequence[Word], n_words: int, rng: np.random.Generator) -> list[Word]:
    """Words at random positions, in source order."""
    words = _words(tokens)
    if n_words >= len(words):
        return words
    return [words[position] for position in sorted(rng.choice(len(words), size=n_words, replace=False).tolist())]


def style_words(tokens: Sequence[Word], n_words: int, ratios: Mapping[str, float]) -> list[Word]:
    """The first words that titles use more than articles do, filled up with the next best.

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
