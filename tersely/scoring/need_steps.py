"""Stage 4: broken needs word by word: what a growing prefix has lost, exact as it grows."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.system.arrays import IntArray

Costs = NDArray[np.float64]


class NeedSteps:
    """The needs that growing prefixes have broken: a need is broken when the later of its two words is passed."""

    def __init__(self, costs: Costs) -> None:
        n = len(costs)
        self._dropped_before = np.concatenate([np.zeros((n, 1)), costs.cumsum(axis=1)], axis=1)  # (n, n + 1)
        self._next = np.zeros(1, dtype=np.int64)  # the position after each prefix
        self._total = np.zeros(1)
        self._if_dropped = np.zeros((1, n + 1))  # what the kept words of a prefix lose with the words before j
        self._if_kept = np.zeros((1, n))  # what word j has already lost

    @cached_property
    def _words(self) -> IntArray:
        return np.arange(len(self._dropped_before))

    def values(self) -> Costs:
        return np.asarray(-self._added(np.arange(len(self._next))[:, None], self._words))

    def _added(self, rows: IntArray, words: IntArray) -> Costs:
        begin = self._next[rows]
        passed = self._if_dropped[rows, words] - self._if_dropped[rows, begin]
        lost = self._dropped_before[words, words] - self._dropped_before[words, begin] + self._if_kept[rows, words]
        return np.asarray(self._total[rows] + passed + lost)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._total = self._added(rows, words)
        begin = self._next[rows]
        self._if_kept = self._if_kept[rows] + (self._dropped_before[:, words] - self._dropped_before[:, begin]).T
        self._if_dropped = self._if_dropped[rows] + self._dropped_before[words]
        self._next = words + 1

    def final(self) -> Costs:
        rest = self._if_dropped[:, -1] - self._if_dropped[np.arange(len(self._next)), self._next]
        return np.asarray(-(self._total + rest))
