"""Baselines that any system has to beat: the beginning of the source, random words, words that look like titles.

The paper's are Lead-N, Lead-P and Lead-C (its section on competing methods). Words are what stands between spaces and
is not punctuation, so eight words are as many as a summariser may spend.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tersely.text import is_punctuation, normalize


def words_of(text: str) -> list[str]:
    """The words of a text without its punctuation tokens.

    >>> words_of("shares fell , he said .")
    ['shares', 'fell', 'he', 'said']
    """
    return [token for token in text.split() if not is_punctuation(token)]


def words_in_share(text: str, ratio: float) -> int:
    """How many words a share of the text is: of all tokens, punctuation as well, rounded, at least 1.

    >>> words_in_share("shares fell , he said .", 0.5)
    3
    """
    return max(1, round(ratio * len(text.split())))


def lead_words(source: str, n_words: int) -> str:
    """The first words (Lead-N).

    >>> lead_words("shares fell , he said .", 3)
    'shares fell he'
    """
    return " ".join(words_of(source)[:n_words])


def lead_share(source: str, ratio: float) -> str:
    """The first words up to a share of the source (Lead-P).

    >>> lead_share("shares fell , he said .", 0.5)
    'shares fell he'
    """
    return lead_words(source, words_in_share(source, ratio))


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


def random_words(source: str, n_words: int, rng: np.random.Generator) -> str:
    """Words at random positions, in source order."""
    words = words_of(source)
    if n_words >= len(words):
        return " ".join(words)
    positions = sorted(rng.choice(len(words), size=n_words, replace=False).tolist())
    return " ".join(words[position] for position in positions)


def style_words(source: str, n_words: int, ratios: Mapping[str, float]) -> str:
    """The first words that titles use more than articles do, filled up with the next best.

    `ratios` maps a word's normal form to log p_title(w) / p_article(w); unknown words count as 0.

    >>> style_words("the talks on friday were in the end a failure", 3, {"talks": 2.0, "failure": 1.0, "friday": -0.1,
    ...     "the": -1.0, "on": -0.5, "were": -2.0, "in": -0.3, "a": -1.0, "end": -0.2})
    'talks friday failure'
    """
    words = words_of(source)
    ratio = [ratios.get(normalize(word), 0.0) for word in words]
    high = [position for position, value in enumerate(ratio) if value >= 0][:n_words]
    rest = sorted((p for p in range(len(words)) if ratio[p] < 0), key=lambda p: (-ratio[p], p))
    return " ".join(words[position] for position in sorted(high + rest[: n_words - len(high)]))
