"""Stage 4: `clauses`, how much of what is dropped goes as whole stretches between punctuation marks.

People who shorten running text cut an aside or a clause, and leave the rest of the sentence as it is. The search knows
no grammar, but the commas of the source show where such stretches begin and end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Clauses:
    """The factor `clauses`."""

    def bind(self, sentence: Sentence, budget: Budget) -> BoundClauses:
        return BoundClauses(sentence.stretches)


@dataclass(frozen=True)
class BoundClauses:
    """Of the dropped words, the share whose whole stretch is dropped."""

    stretches: IntArray  # (n,) the number of the stretch that a word stands in, from 0
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Scores:
        """The share, (batch,); where nothing is dropped it is 0."""
        kept = np.add.reduceat(masks, self._begins, axis=1, dtype=np.int64)
        dropped = masks.shape[1] - masks.sum(axis=1)
        return np.asarray((kept == 0) @ self._lengths / np.maximum(dropped, 1))

    @cached_property
    def _lengths(self) -> IntArray:
        return np.bincount(self.stretches)

    @cached_property
    def _begins(self) -> IntArray:
        return np.searchsorted(self.stretches, np.arange(len(self._lengths)))

    def steps(self, size: int, backward: bool) -> ClausesSteps:
        stretches = self.stretches[-1] - self.stretches[::-1] if backward else self.stretches
        return ClausesSteps(stretches, size)


class ClausesSteps:
    """The stretches that growing prefixes have left out."""

    def __init__(self, stretches: IntArray, size: int) -> None:
        self._begins = np.searchsorted(stretches, stretches)  # (n,) where each word's stretch begins, and what is
        self._ends = np.searchsorted(stretches, stretches, side="right")  # the first position after it
        self._gain = 1 / max(len(stretches) - size, 1)
        self._end = np.zeros(1, dtype=np.int64)  # after the last stretch that each prefix has touched
        self._total = np.zeros(1)

    def values(self) -> Scores:
        return np.asarray(self._total[:, None] + self._gain * np.maximum(self._begins - self._end[:, None], 0))

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._total = self._total[rows] + self._gain * np.maximum(self._begins[words] - self._end[rows], 0)
        self._end = self._ends[words]

    def final(self) -> Scores:
        return np.asarray(self._total + self._gain * (len(self._begins) - self._end))
