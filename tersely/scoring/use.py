"""Stage 4: use: the share of the limit that a candidate uses. It makes candidates of different lengths comparable.

Where the length is a limit and not a number of words, candidates have more words or fewer. Most factors are means over
the words kept, and a mean is easily high for a few good ones: three words would win. So f has one more factor, the
share of the limit that is used. Candidates of equal length keep their order. Not in the paper, whose candidates all
have the same number of words.
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


class Use:
    """The factor `use`."""

    def bind(self, sentence: Sentence, budget: Budget) -> BoundUse | None:
        """Nothing where the length is exact: all candidates use the same."""
        return None if budget.exact else BoundUse(budget)


@dataclass(frozen=True)
class BoundUse:
    """The logarithm of the share of the limit that candidates of one sentence use."""

    budget: Budget
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Scores:
        return np.asarray(np.log(self.budget.shares(masks)))

    def by_weight(self, budget: Budget) -> Scores:
        """The same by the weight of a candidate, in the units of this budget: as `Budget.all_shares`."""
        return np.asarray(np.log(budget.all_shares))

    def steps(self, size: int, backward: bool) -> UseSteps:
        return UseSteps(self.budget, backward)


class UseSteps:
    """What growing prefixes use: nothing is known of it before the end, because any of them may still fill the rest."""

    def __init__(self, budget: Budget, backward: bool) -> None:
        self._budget, self._backward = budget, backward
        self._masks = np.zeros((1, len(budget.weights)), dtype=bool)

    def values(self) -> Scores:
        return np.zeros(self._masks.shape)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._masks = self._masks[rows]
        self._masks[np.arange(len(words)), words] = True

    def final(self) -> Scores:
        masks = self._masks[:, ::-1] if self._backward else self._masks
        return np.asarray(np.log(self._budget.shares(masks)))
