"""How much of what people kept a summary keeps: token F1, the usual measure where references are made by deletion.

Words are compared as the models see them, without case and punctuation, and as often as they occur; where in the
source they stood is not asked, because "the" deleted here and kept there reads the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tersely.text import tokenize


def kept_words(text: str, *, pretokenized: bool = True) -> list[str]:
    """The words that count.

    >>> kept_words("The ship , they said , sank .")
    ['the', 'ship', 'they', 'said', 'sank']
    """
    words = tokenize(text, pretokenized=pretokenized)
    return [piece for word in words if not word.punctuation for piece in word.pieces]


def token_f1(summary: Iterable[str], reference: Iterable[str]) -> float:
    """The harmonic mean of precision and recall of the words.

    >>> token_f1(["the", "ship", "sank"], ["ship", "sank", "fast", "fast", "fast"])
    0.5
    """
    ours, theirs = Counter(summary), Counter(reference)
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 0.0
