"""Stage 4: steepest climb: all swaps of a candidate are scored, and the best one is taken until none is better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tersely.candidates import CandidateSpace
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first
from tersely.source import BoolArray

_MAX_MOVES = 50  # a climb takes a handful; this only bounds the work on sources of hundreds of words


def steepest_climb(
    objective: Scorer,
    space: CandidateSpace,
    masks: BoolArray,
    scores: NDArray[np.float64],
    observe: Observer | None = None,
    *,
    starts: int,
) -> SearchResult:
    """The local optima above the first `starts` of the candidates, which are sorted, best first."""
    evaluations, accepted = len(masks), 0
    for start in range(min(starts, len(masks))):
        mask, score = masks[start], scores[start]
        for move in range(_MAX_MOVES):
            near = neighbours(space, mask)
            if not len(near):
                break
            near_scores = objective.log_scores(near)
            evaluations += len(near)
            best = int(near_scores.argmax())
            better = bool(near_scores[best] > score)
            if observe is not None:
                observe(Step(start, move, near[best], float(near_scores[best]), better))
            masks, scores = np.concatenate([masks, near]), np.concatenate([scores, near_scores])
            if not better:
                break
            mask, score = near[best], near_scores[best]
            accepted += 1
    masks, scores = best_first(masks, scores)
    return SearchResult(masks, scores, evaluations=evaluations, accepted=accepted, restarts=starts)


def neighbours(space: CandidateSpace, mask: BoolArray) -> BoolArray:
    """All feasible candidates that differ from `mask` by one swap."""
    selected, unselected = space.free[mask[space.free]], space.free[~mask[space.free]]
    out, into = np.repeat(selected, len(unselected)), np.tile(unselected, len(selected))
    moved = np.repeat(mask[None], len(out), axis=0)
    rows = np.arange(len(out))
    moved[rows, out], moved[rows, into] = False, True
    return moved[space.feasible(moved)]
