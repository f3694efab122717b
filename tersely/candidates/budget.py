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

    With a second budget, `also`, candidates have to be within both; then each of the two is only a limit.

    >>> budget = Budget.of_words(5, 3)
    >>> budget.least, budget.limit, budget.exact
    (3, 3, True)
    """

    weights: IntArray  # (n,) whole numbers above 0
    limit: int
    least: int = 1
    unit: str = "words"  # for error messages
    spare: int = 0  # what the weights count too much: the space after the last word, less what they do not count
    scale: float = 1  # what one of the unit weighs
    also: Budget | None = None

    @classmethod
    def of_words(cls, n: int, size: int) -> Budget:
        """The budget of exactly `size` words out of `n`; of all words if there are fewer."""
        return cls(np.ones(n, dtype=np.int64), min(size, n), min(size, n))

    @property
    def exact(self) -> bool:
        """Whether all candidates have the same weight."""
        return self.least == self.limit and self.also is None

    @property
    def counts_words(self) -> bool:
        """Whether all candidates have the same number of words: then a move is a swap."""
        return self.exact and bool((self.weights == 1).all())

    @property
    def n_words(self) -> int:
        """The expected number of words of a summary, which estimates for an unfinished one are divided by."""
        expected = min(round(part.limit / max(float(part.weights.mean()), 1e-9)) for part in self.parts)
        return max(1, min(len(self.weights), expected))

    @property
    def most_words(self) -> int:
        """The number of words of the longest candidates."""
        return max(1, min(int((np.sort(part.weights).cumsum() <= part.limit).sum()) for part in self.parts))

    @property
    def parts(self) -> tuple[Budget, ...]:
        """This budget, and the second one if there is one."""
        return (self,) if self.also is None else (self, self.also)

    def among(self, usable: BoolArray) -> Budget:
        """The same budget if only some words can be kept: it is no more than their weight."""
        most = int(self.weights[usable].sum())
        also = None if self.also is None else self.also.among(usable)
        return replace(self, limit=min(self.limit, most), least=min(self.least, most), also=also)

    @property
    def whole(self) -> Budget:
        """The budget of all words together."""
        most = int(self.weights.sum())
        return replace(self, limit=most, least=most, also=None)

    @property
    def fits(self) -> BoolArray:
        """Which words are within the limits if they stand alone, (n,)."""
        return np.asarray(np.all([part.weights <= part.limit for part in self.parts], axis=0))

    def exceeded(self, mask: BoolArray) -> Budget | None:
        """The part whose limit these words are over, if there is one."""
        return next((part for part in self.parts if int(part.weights[mask].sum()) > part.limit), None)

    def shown(self, weight: int) -> int:
        """So much weight of a whole candidate in the unit."""
        return int(-(-(weight - self.spare) // self.scale))

    def shares(self, masks: BoolArray) -> NDArray[np.float64]:
        """The share of the limit that each candidate uses, (batch, n) to (batch,); of two, the larger one."""
        return np.asarray(np.max([part.shares_of(masks @ part.weights) for part in self.parts], axis=0))

    def shares_of(self, weights: IntArray) -> NDArray[np.float64]:
        """The share of this limit that candidates of these weights use."""
        return np.asarray(np.maximum(weights - self.spare, 1) / max(self.limit - self.spare, 1))

    @property
    def all_shares(self) -> NDArray[np.float64]:
        """The shares by weight, (limit + 1,), or by both weights, ((limit + 1)·(second limit + 1),)."""
        tables = [part.shares_of(np.arange(part.limit + 1)) for part in self.parts]
        return np.asarray(tables[0] if len(tables) == 1 else np.maximum.outer(*tables).ravel())

    def holds(self, masks: BoolArray) -> BoolArray:
        """Which candidates, (batch, n), are within the bounds."""
        used = [masks @ part.weights for part in self.parts]
        each = zip(used, self.parts, strict=True)
        return np.asarray(np.all([(sums >= part.least) & (sums <= part.limit) for sums, part in each], axis=0))


def joint(budgets: Sequence[Budget]) -> Budget:
    """One budget for two limits. If what is within one of them is always within the other, it is that one.

    >>> chars, size = Budget(np.array([4, 2]), 8), Budget(np.array([4, 6]), 12)
    >>> joint([chars, size]).also is not None, joint([chars, Budget(np.array([4, 3]), 16)]).also
    (True, None)
    """
    one, other = (replace(budget, least=1) for budget in budgets)
    for first, second in ((one, other), (other, one)):
        if (second.weights * first.limit <= first.weights * second.limit).all():
            return first
    return replace(one, also=other)
