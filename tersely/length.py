"""Stage 1: the wanted length as a budget: a weight for each word and a limit for their sum.

A length in words is a weight of 1 each. The searches only ever see the budget, so that other units are other weights.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tersely.errors import InputError
from tersely.source import IntArray
from tersely.text import Word


@dataclass(frozen=True)
class Budget:
    """A weight for each of the n words, and the sum that a summary must reach.

    >>> budget = Budget.of_words(5, 3)
    >>> budget.limit, budget.fits_whole
    (3, False)
    """

    weights: IntArray  # (n,)
    limit: int

    @classmethod
    def of_words(cls, n: int, size: int) -> Budget:
        """The budget of exactly `size` words out of `n`; all of them where there are no more."""
        return cls(np.ones(n, dtype=np.int64), min(size, n))

    @property
    def fits_whole(self) -> bool:
        """Whether the whole source is within the limit, so that there is nothing to choose."""
        return int(self.weights.sum()) <= self.limit


def check_length(words: int | None, ratio: float | None) -> None:
    """Refuse a length that no text could have, before any text is read."""
    if (words is None) == (ratio is None):
        seen = "none was given" if words is None else f"both words={words} and ratio={ratio} were given"
        raise InputError(f"give exactly one length, words=N or ratio=SHARE: {seen}")
    if words is not None:
        try:
            size = operator.index(words)
        except TypeError:
            raise InputError(f"words must be a whole number, not {words!r}") from None
        if isinstance(words, bool) or size < 1:
            raise InputError(f"words must be at least 1, not {words!r}")
    elif ratio is not None and (isinstance(ratio, bool) or not _in_unit_interval(ratio)):
        raise InputError(f"ratio must be above 0 and at most 1, not {ratio!r}")


def _in_unit_interval(ratio: float) -> bool:
    try:
        return 0 < float(ratio) <= 1
    except (TypeError, ValueError):
        return False


def budget_for(tokens: Sequence[Word], *, words: int | None = None, ratio: float | None = None) -> Budget:
    """The budget for a tokenised text, punctuation included.

    A ratio is a share of the words *including* punctuation, as in the paper, rounded, and at least one word.

    >>> from tersely.text import tokenize
    >>> budget_for(tokenize("one, two, three, four."), ratio=0.25).limit
    2
    """
    check_length(words, ratio)
    n = sum(not token.punctuation for token in tokens)
    size = operator.index(words) if words is not None else max(1, round(len(tokens) * float(ratio or 0)))
    return Budget.of_words(n, size)
