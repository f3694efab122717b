"""Stage 5: lattice search, which reaches the hill climber's optimum with a hundredth of its evaluations.

A cell is (words used, last position). It keeps the few best prefixes that end there and is extended by every later
word. Prefixes are compared by the factors step by step, which are exact in what depends on the prefix alone and
estimate the rest. The lattice is read from both ends, because the forward and the backward model each score one
direction; the best candidates of both readings are then scored with the whole objective.

The search goes from coarse to fine. First come two narrow readings. If both rank the same candidate first, or both
found the best of all candidates found, the search ends. A reading that missed it is repeated with a wider beam. If the
widest readings still disagree, the best candidate climbs by the steepest swap. The number of prefixes that the language
models read grows with n, not with n·s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.space import CandidateSpace
from tersely.search.cells import Cells
from tersely.search.climb import steepest_climb
from tersely.search.exhaustive import exhaustive
from tersely.search.hill_climbing import hill_climbing
from tersely.search.result import Observer, SearchResult, Step, StepwiseScorer, best_first, first_rows
from tersely.search.work import MOST_WORK, most_at_once, most_scored, to_read, to_score
from tersely.system.arrays import BoolArray, IntArray

Scores = NDArray[np.float64]

_MOST_CELLS = 2_000_000  # prefixes times words at once, some 16 MB for each of a dozen tables


@dataclass(frozen=True)
class Width:
    """How wide one reading of the lattice is."""

    of_a_cell: int  # prefixes kept in it
    rows: int  # prefixes read for each word of the sentence, in equal shares for each number of words used
    rescored: int  # candidates that are scored with the whole objective
    at_once: int = _MOST_CELLS  # the most prefixes of one number of words, whatever their last word

    def per_level(self, n: int, levels: int) -> int:
        """How many prefixes of one number of words are extended, whatever their last word."""
        return min(self.at_once, max(1, self.rows * n // max(levels, 1)))

    def within(self, work: float, space: CandidateSpace) -> Width:
        """No wider than so much work allows, three quarters of it for the reading; nor wider than memory does."""
        at_once = min(most_at_once(0.75 * work, space.budget.most_words, space.n), max(4, _MOST_CELLS // space.n))
        rescored = most_scored(0.25 * work, space.budget.n_words, space.n)
        return replace(self, rescored=min(self.rescored, rescored), at_once=at_once)

    def work(self, objective: StepwiseScorer, space: CandidateSpace) -> float:
        """The work of a reading from one end."""
        size = space.budget.n_words
        read = to_read(space.budget.most_words, self.per_level(space.n, size), space.n)
        return read + to_score(objective, self.rescored, size, space.n)


# `results/search.md` compares these settings with others.
WIDTHS = (Width(of_a_cell=2, rows=9, rescored=2), Width(of_a_cell=6, rows=28, rescored=8), Width(16, 50, 32))
# Two factors, as in the paper, rank prefixes less reliably than eight, so the first reading is wider.
_FEW_FACTORS, _WIDER = 3, Width(of_a_cell=4, rows=14, rescored=4)
_FEW = 64  # candidates: no more than these are all scored


@dataclass(frozen=True)
class Lattice:
    """Lattice search."""

    widths: tuple[Width, ...] = WIDTHS  # of one reading after the other, until both directions agree
    most: int = 1  # candidates wanted: if more than one, agreement on the best does not end the search
    effort: float = 1.0

    def __call__(
        self,
        objective: StepwiseScorer,
        space: CandidateSpace,
        rng: np.random.Generator,
        observe: Observer | None = None,
    ) -> SearchResult:
        """The best candidate; all candidates are scored where they are few."""
        if space.count <= _FEW:
            return exhaustive(objective, space, rng, observe)
        limit, widths = MOST_WORK * self.effort, self.widths_for(objective, space)
        first = widths[0].within(limit / 4, space)
        found = [reading(objective, space, first, backward) for backward in (False, True)]
        work = 2 * first.work(objective, space)
        if self.most == 1 and space.budget.exact and all(map(len, found)) and (found[0][0] == found[1][0]).all():
            found = [masks[:1] for masks in found]  # both rank the same one first: the others need no score
        spent = [1, 1]  # readings of each direction
        while True:
            masks = np.concatenate(found)
            if not len(masks):  # no factor has steps, or no prefix has room for what its words need
                return replace(hill_climbing, effort=self.effort)(objective, space, rng, observe)
            masks = masks[first_rows(masks)]
            scores = objective.log_scores(masks)
            best = masks[scores.argmax()]
            missed = [way for way in (0, 1) if self.most > 1 or not (found[way] == best).all(axis=1).any()]
            if not missed or work > limit:  # without a climb, whose moves of so many words take seconds
                if observe is not None:
                    observe(Step(0, 0, best, float(scores.max()), accepted=True))
                masks, scores = best_first(masks, scores)
                return SearchResult(masks, scores, len(masks), 0, 1, objective.rows, work, bounded=bool(missed))
            wider = [way for way in missed if spent[way] < len(widths)]
            cost = sum(widths[spent[way]].work(objective, space) for way in wider)
            if not wider or work + cost > limit:
                break
            work += cost
            for way in wider:
                width = widths[spent[way]].within(math.inf, space)
                more = reading(objective, space, width, backward=bool(way))
                found[way], spent[way] = np.concatenate([found[way], more]), spent[way] + 1
        result = steepest_climb(objective, space, masks, scores, observe, self.effort)
        bounded = bool(wider) or result.bounded
        return replace(result, work=work + result.work, bounded=bounded)

    def widths_for(self, objective: StepwiseScorer, space: CandidateSpace) -> tuple[Width, ...]:
        """The widths for a space: within a limit candidates of many lengths compete, so the narrowest is left out."""
        if space.budget.exact:
            wider = self.widths == WIDTHS and objective.n_factors <= _FEW_FACTORS
            return (_WIDER, *WIDTHS[1:]) if wider else self.widths
        return tuple(replace(width, rescored=4 * width.rescored) for width in self.widths[1:] or self.widths)


def reading(objective: StepwiseScorer, space: CandidateSpace, width: Width, backward: bool) -> BoolArray:
    """The best candidates of one reading of the lattice, best first, (at most `rescored`, n)."""
    size = space.budget.n_words
    masks, values = np.zeros((0, space.n), dtype=bool), np.zeros(0)
    at_once = width.per_level(space.n, size)
    for found in _levels(objective, Cells(space, backward), width.of_a_cell, at_once, size, backward):
        masks, values = np.concatenate([masks, found[0]]), np.concatenate([values, found[1]])
        best = np.argsort(-values, kind="stable")[: width.rescored]
        masks, values = masks[best], values[best]
    return masks


def _levels(
    objective: StepwiseScorer, cells: Cells, width: int, at_once: int, horizon: int, backward: bool
) -> Iterator[tuple[BoolArray, Scores]]:
    """One reading of the lattice: for each number of words the candidates, best first, (found, n), and their values.

    `width` prefixes of a cell are extended, and `at_once` in all; `horizon` is the number of words that a whole summary
    is expected to have. Without a factor that has steps nothing is found.
    """
    factors = objective.steps(horizon, backward)
    while factors:
        allowed = cells.allowed()
        values = _weighted([(weight, steps.values()) for weight, steps in factors], allowed.shape)
        values[~allowed] = -np.inf
        rows, words = _best(values, width, at_once)
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
    """The rows and columns of the highest finite values, at most `per_column` of each column and `in_all` in all."""
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


lattice = Lattice()
