"""Stage 4: lattice search, which reaches the hill climber's optimum with a hundredth of its evaluations.

A cell is (words used, last position); it keeps the few best prefixes that end there, and is extended by every later
word. Prefixes are compared by the factors step by step: exact in what depends on the prefix alone, an estimate in what
depends on the rest. The lattice is read from both ends, because the forward and the backward model each know their own
direction only. The best candidates are then scored with the whole objective, and the best of those climb by the
steepest swap to a local optimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tersely.candidates import CandidateSpace
from tersely.search.cells import Cells
from tersely.search.climb import steepest_climb
from tersely.search.exhaustive import exhaustive
from tersely.search.result import Observer, SearchResult, StepwiseScorer, best_first, first_met
from tersely.source import BoolArray, IntArray

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Lattice:
    """Lattice search. `results/search.md` compares the settings with others, on the paper's objective.

    Width is what finds the optimum, so cells are wide; but most cells hold nothing that could win, so of each length
    only the best prefixes go on, wherever they end. That finds more than narrow cells at the same cost. A climb costs
    as much as the lattice, and a second one from a place nearby ends on the same hill.
    """

    width: int = 32  # prefixes kept in a cell
    per_word: int = 5  # prefixes kept of one length, for each word of the source: it keeps the cost at n·s
    rescored: int = 64  # candidates of each direction, and of each weight, that are scored with the whole objective
    starts: int = 1  # candidates that climb

    def __call__(
        self,
        objective: StepwiseScorer,
        space: CandidateSpace,
        rng: np.random.Generator,
        observe: Observer | None = None,
    ) -> SearchResult:
        """The best candidate; all are enumerated where that costs no more."""
        if space.count <= self.rescored:
            return exhaustive(objective, space, rng, observe)
        masks = np.concatenate([self.pool(objective, space, backward) for backward in (False, True)])
        if not len(masks):  # words that need others have used up the room of every prefix
            masks = space.random(rng, self.rescored)
        masks = masks[first_met(masks)]
        return steepest_climb(objective, space, masks, objective.log_scores(masks), observe, starts=self.starts)

    def pool(self, objective: StepwiseScorer, space: CandidateSpace, backward: bool) -> BoolArray:
        """The best candidates of one reading of the lattice, (at most `rescored`, n)."""
        masks, values = np.zeros((0, space.n), dtype=bool), np.zeros(0)
        for found in self._levels(objective, Cells(space, backward), space.n, space.budget.n_words, backward):
            masks, values = np.concatenate([masks, found[0]]), np.concatenate([values, found[1]])
        return np.asarray(masks[np.argsort(-values, kind="stable")[: self.rescored]])

    def every_weight(self, objective: StepwiseScorer, space: CandidateSpace) -> dict[int, SearchResult]:
        """The best candidates of every weight, the lightest first, from one reading in each direction.

        The budget of the space has a limit only. The estimates look ahead to half of it, the cells are narrow, and
        nothing climbs: a search for one length may find better. No cell is left out, because a long summary may begin
        where no short one ends.
        """
        narrow, weights, size = replace(self, width=self.per_word), space.budget.weights, space.budget.n_words
        found = [np.zeros((0, space.n), dtype=bool)]
        for backward in (False, True):
            levels = narrow._levels(objective, Cells(space, backward), space.n, max(1, size // 2), backward)
            found += [masks[_first_of_each(masks @ weights, self.rescored)] for masks, _ in levels]
        masks = np.concatenate(found)
        masks = masks[first_met(masks)]
        masks, scores = best_first(masks, objective.log_scores(masks), limit=len(masks))
        used = masks @ weights
        return {
            weight: SearchResult(masks[used == weight], scores[used == weight], len(masks), accepted=0, restarts=1)
            for weight in np.unique(used).tolist()
        }

    def _levels(
        self, objective: StepwiseScorer, cells: Cells, longest: int, horizon: int, backward: bool
    ) -> Iterator[tuple[BoolArray, Scores]]:
        """One reading of the lattice: for each number of words the candidates, best first, (found, n), and their
        values. `horizon` is the number of words that a whole summary is taken to have."""
        factors = objective.steps(horizon, backward)
        for _ in range(longest):
            allowed = cells.allowed()
            values = _weighted([(weight, steps.values()) for weight, steps in factors], allowed.shape)
            values[~allowed] = -np.inf
            rows, words = _best(values, self.width, self.per_word * allowed.shape[1])
            if not len(rows):
                return
            for _, steps in factors:
                steps.advance(rows, words)
            cells.advance(rows, words)
            final = _weighted([(weight, steps.final()) for weight, steps in factors], (len(cells.last),))
            done = np.flatnonzero(cells.finished)
            best = done[np.argsort(-final[done], kind="stable")]
            yield cells.masks[best][:, ::-1] if backward else cells.masks[best], final[best]


def _weighted(parts: Sequence[tuple[float, Scores]], shape: tuple[int, ...]) -> Scores:
    total: Scores = np.zeros(shape)
    for weight, values in parts:
        total += weight * values
    return total


def _best(values: Scores, per_column: int, in_all: int) -> tuple[IntArray, IntArray]:
    """The rows and columns of the highest values, at most so many of each column and in all; none at minus infinity."""
    if len(values) > per_column:
        rows = np.argpartition(-values, per_column - 1, axis=0)[:per_column]  # (per_column, n)
    else:
        rows = np.repeat(np.arange(len(values))[:, None], values.shape[1], axis=1)
    columns = np.broadcast_to(np.arange(values.shape[1]), rows.shape)
    fine = np.isfinite(values[rows, columns])
    rows, columns = rows[fine], columns[fine]
    if len(rows) > in_all:
        best = np.sort(np.argpartition(-values[rows, columns], in_all - 1)[:in_all])
        rows, columns = rows[best], columns[best]
    return rows, columns


def _first_of_each(values: IntArray, most: int) -> IntArray:
    """Where each value stands first, and so often in all.

    >>> _first_of_each(np.array([7, 5, 7, 7]), 2).tolist()
    [1, 0, 2]
    """
    order = np.argsort(values, kind="stable")
    rank = np.arange(len(values)) - np.searchsorted(values[order], values[order])
    return np.asarray(order[rank < most])


lattice = Lattice()
