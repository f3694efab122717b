"""Stage 4: what every search takes and what it gives back.

A search knows no words. It gets an objective over masks, the space of candidates, a random generator, and an observer
that sees every step; the observer is the only way out of a running search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.candidates import CandidateSpace
from tersely.scoring.objective import Steps
from tersely.source import BoolArray, IntArray


@dataclass(frozen=True)
class Step:
    """One step of a search: the candidate proposed, its score, and whether the search moved there."""

    restart: int
    step: int
    mask: BoolArray
    score: float
    accepted: bool


Observer = Callable[[Step], None]

MOST_FOUND = 1_000  # candidates that a search hands back, and so the most that `n_best` can ask for


class Scorer(Protocol):
    """An objective over masks."""

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        """log f of each candidate, (batch, n) to (batch,)."""


class StepwiseScorer(Scorer, Protocol):
    """An objective over masks that can also be read step by step, which the lattice needs."""

    @property
    def rows(self) -> int:
        """How many prefixes its language models have read."""

    @property
    def n_factors(self) -> int:
        """How many factors it has."""

    def steps(self, size: int, backward: bool) -> list[tuple[float, Steps]]:
        """The factors step by step, each with its weight."""


class Search(Protocol):
    """A search: the best candidate of a space."""

    def __call__(
        self,
        objective: StepwiseScorer,
        space: CandidateSpace,
        rng: np.random.Generator,
        observe: Observer | None = None,
    ) -> SearchResult:
        """Search `space` for the highest score."""


@dataclass(frozen=True)
class SearchResult:
    """The best candidate, and what it took to find it.

    `masks` and `scores` also hold the other good candidates that were met, best first, without repetition.
    """

    masks: BoolArray  # (found, n)
    scores: NDArray[np.float64]  # (found,)
    evaluations: int
    accepted: int
    restarts: int
    rows: int = 0  # prefixes that language models read, where the search counts them

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
    """Candidates without repetition, best first, at most `limit`; of equal scores the one met first."""
    first = first_met(masks)
    order = first[np.argsort(-scores[first], kind="stable")][:limit]
    return masks[order], scores[order]


def first_met(masks: BoolArray) -> IntArray:
    """The rows of candidates that no row above repeats.

    >>> first_met(np.array([[True, False], [False, True], [True, False]])).tolist()
    [0, 1]
    """
    _, first = np.unique(masks, axis=0, return_index=True)  # without the index numpy imports a tenth of itself more
    return np.sort(first)
