"""Stage 4: use: the share of the limit that a candidate uses. It makes candidates of different lengths comparable.

Where the length is a limit and not a number of words, candidates have more words or fewer. Most factors are means over
the words kept, and a mean is easily high for a few good ones: three words would win. So f has one more factor, the
share of the limit that is used. Candidates of equal length keep their order. Not in the paper, whose candidates all
have the same number of words.

The editor and the needs are sums over words, not means: what they can gain by a short candidate grows with the limit.
So from ten words on the factor is the share to the power of the number of words that the limit holds, over ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray

Scores = NDArray[np.float64]

_WORDS = 10  # of the limits that the weights of this factor were chosen at: 60 characters


class Use:
    """The factor `use`."""

    def bind(self, sentence: Sentence, budget: Budget) -> BoundUse | None:
        """Nothing where the length is exact: all candidates use the same."""
        return None if budget.exact else BoundUse(budget, max(1.0, budget.n_words / _WORDS))


@dataclass(frozen=True)
class BoundUse:
    """The logarithm of the share of the limit that candidates of one sentence use."""

    budget: Budget
    power: float = 1.0
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Scores:
        return np.asarray(self.power * np.log(self.budget.shares(masks)))

    def by_weight(self, budget: Budget) -> Scores:
        """The same by the weight of a candidate, in the units of this budget: as `Budget.all_shares`."""
        return np.asarray(self.power * np.log(budget.all_shares))

    def steps(self, size: int, backward: bool) -> UseSteps:
        return UseSteps(self, backward)


class UseSteps:
    """What growing prefixes use: nothing is known of it before the end, because any of them may still fill the rest."""

    def __init__(self, factor: BoundUse, backward: bool) -> None:
        self._factor, self._backward = factor, backward
        self._masks = np.zeros((1, len(factor.budget.weights)), dtype=bool)

    def values(self) -> Scores:
        return np.zeros(self._masks.shape)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._masks = self._masks[rows]
        self._masks[np.arange(len(words)), words] = True

    def final(self) -> Scores:
        return self._factor.log_scores(self._masks[:, ::-1] if self._backward else self._masks)
