"""Stage 5: the arguments of every search, and its result.

A search knows no words. It gets an objective over masks, the space of candidates, a random generator, and an observer.
The observer is called with every step, and is the only way to watch a running search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.scoring.objective import Steps
from tersely.search.work import MOST_WORK
from tersely.system.arrays import BoolArray, IntArray


@dataclass(frozen=True)
class Step:
    """One step of a search: the candidate proposed, its score, and whether the search moved there."""

    restart: int
    step: int
    mask: BoolArray
    score: float
    accepted: bool


Observer = Callable[[Step], None]

MOST_FOUND = 1_000  # candidates that a search returns at most, and so the limit of `n_best`


class Scorer(Protocol):
    """An objective over masks."""

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        """log f of each candidate, (batch, n) to (batch,)."""


class StepwiseScorer(Scorer, Protocol):
    """An objective over masks that also has steps, which the lattice needs."""

    @property
    def rows(self) -> int:
        """How many prefixes the language models have read."""

    @property
    def n_factors(self) -> int:
        """How many factors it has."""

    def steps(self, size: int, backward: bool) -> list[tuple[float, Steps]]:
        """The factors step by step, each with its weight."""


class NeighbourScorer(Scorer, Protocol):
    """An objective over masks with a part that is a sum over kept neighbours, which the chain needs."""

    def edges(self, size: int) -> NDArray[np.float64] | None:
        """The score of every two neighbours in summaries of `size` words, (n + 1, n + 1); None without such a part."""

    def by_weight(self, budget: Budget) -> NDArray[np.float64]:
        """What the weight of a whole candidate adds to its score, as `Budget.all_shares`; (1,) if nothing."""


class FullScorer(StepwiseScorer, NeighbourScorer, Protocol):
    """An objective that every search can use."""


class Search(Protocol):
    """A search for the best candidate of a space."""

    def __call__(
        self,
        objective: FullScorer,
        space: CandidateSpace,
        rng: np.random.Generator,
        observe: Observer | None = None,
    ) -> SearchResult:
        """The candidate of `space` with the highest score found."""


@dataclass(frozen=True)
class SearchResult:
    """The best candidate, and what the search did to find it.

    `masks` and `scores` also hold other good candidates that were visited, best first, without repetition.
    """

    masks: BoolArray  # (found, n)
    scores: NDArray[np.float64]  # (found,)
    evaluations: int
    accepted: int
    restarts: int
    rows: int = 0  # prefixes that the language models have read, for this search and for those before
    work: float = 0  # as it was counted for the bounds, see `work.py`
    most_work: float = MOST_WORK  # the bound of one call, however many searches it makes
    bounded: bool = False  # whether the search would have gone on with a higher `effort`

    @property
    def mask(self) -> BoolArray:
        """The best candidate."""
        return np.asarray(self.masks[0], dtype=bool)

    @property
    def score(self) -> float:
        """The score of the best candidate, log f."""
        return float(self.scores[0])


def best_first(
    masks: BoolArray, scores: NDArray[np.float64], limit: int = MOST_FOUND
) -> tuple[BoolArray, NDArray[np.float64]]:
    """Candidates without repetition, best first, at most `limit`; of equal scores the first row comes first."""
    first = first_rows(masks)
    order = first[np.argsort(-scores[first], kind="stable")][:limit]
    return masks[order], scores[order]


def first_rows(masks: BoolArray) -> IntArray:
    """The rows of candidates that do not repeat an earlier row.

    >>> first_rows(np.array([[True, False], [False, True], [True, False]])).tolist()
    [0, 1]
    """
    seen: dict[bytes, int] = {}
    for row, packed in enumerate(np.packbits(masks, axis=1)):  # numpy would sort rows of n values
        seen.setdefault(packed.tobytes(), row)
    return np.fromiter(seen.values(), dtype=np.int64)
