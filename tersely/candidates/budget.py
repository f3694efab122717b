"""Stage 3: a budget: a weight for each word, and bounds for the weight of all kept words. Searches see no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tersely.system.arrays import BoolArray, IntArray


@dataclass(frozen=True)
class Budget:
    """A weight for each of the n words, and the least and the most that the kept words may weigh together.

    >>> budget = Budget.of_words(5, 3)
    >>> budget.least, budget.limit, budget.exact
    (3, 3, True)
    """

    weights: IntArray  # (n,) whole numbers above 0
    limit: int
    least: int = 1
    unit: str = "words"  # for error messages
    parts: tuple[Budget, ...] = ()  # the budgets that this one stands for, if they are several
    spare: int = 0  # what the weights count too much: the space after the last word, less what they do not count

    @classmethod
    def of_words(cls, n: int, size: int) -> Budget:
        """The budget of exactly `size` words out of `n`; of all words if there are fewer."""
        return cls(np.ones(n, dtype=np.int64), min(size, n), min(size, n))

    @property
    def exact(self) -> bool:
        """Whether all candidates have the same weight."""
        return self.least == self.limit

    @property
    def counts_words(self) -> bool:
        """Whether all candidates have the same number of words: then a move is a swap."""
        return self.exact and bool((self.weights == 1).all())

    @property
    def n_words(self) -> int:
        """The expected number of words of a summary, which estimates for an unfinished one are divided by."""
        return max(1, min(len(self.weights), round(self.limit / max(float(self.weights.mean()), 1e-9))))

    @property
    def loose(self) -> Budget:
        """The same budget, which now holds for whatever is within all its parts."""
        return AllBudgets(**vars(self))

    def among(self, usable: BoolArray) -> Budget:
        """The same budget if only some words can be kept: it is no more than their weight."""
        most = int(self.weights[usable].sum())
        return replace(self, limit=min(self.limit, most), least=min(self.least, most))

    @property
    def whole(self) -> Budget:
        """The budget of all words together."""
        most = int(self.weights.sum())
        return replace(self, limit=most, least=most)

    def shares(self, masks: BoolArray) -> NDArray[np.float64]:
        """The share of the limit that each candidate uses, (batch, n) to (batch,)."""
        return self.shares_of(masks @ self.weights)

    def shares_of(self, weights: IntArray) -> NDArray[np.float64]:
        """The share of the limit that candidates of these weights use."""
        return np.asarray(np.maximum(weights - self.spare, 1) / max(self.limit - self.spare, 1))

    def holds(self, masks: BoolArray) -> BoolArray:
        """Which candidates, (batch, n), are within the bounds."""
        used = masks @ self.weights
        return np.asarray((used >= self.least) & (used <= self.limit))


class AllBudgets(Budget):
    """A joint budget that is not stricter than its parts: for moves from a candidate that is within it."""

    def holds(self, masks: BoolArray) -> BoolArray:
        return np.asarray(np.all([part.holds(masks) for part in self.parts], axis=0))


def joint(budgets: Sequence[Budget]) -> Budget:
    """One budget for several: what is within it is within all of them.

    If the weights of one are always the larger share of its limit, it is that one. Otherwise each word has the largest
    of its shares, in the unit of the budget with the largest limit.

    >>> made = joint([Budget(np.array([4, 2]), 8), Budget(np.array([4, 6]), 12)])
    >>> made.weights, made.limit
    (array([6, 6]), 12)
    """
    budgets = [replace(one, least=1) for one in budgets]
    for one in budgets:
        if all((other.weights * one.limit <= one.weights * other.limit).all() for other in budgets):
            return one
    largest = max(budgets, key=lambda one: one.limit)
    shares = [-(-one.weights * largest.limit // one.limit) for one in budgets]
    return replace(largest, weights=np.max(shares, axis=0), parts=tuple(budgets))
