"""Stage 4: steepest climb: the swaps of a candidate are scored, and the best one is taken until none is better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tersely.candidates import CandidateSpace
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first
from tersely.source import BoolArray

# A candidate has s·(n − s) swaps. For headlines that is a few hundred and all of them are scored; for long sources only
# the nearest ones are, and only so many moves are made: the climb must not cost more than the lattice below it.
_MOST_SWAPS = 400
_MOST_EVALUATIONS = 2_000


def steepest_climb(
    objective: Scorer,
    space: CandidateSpace,
    masks: BoolArray,
    scores: NDArray[np.float64],
    observe: Observer | None = None,
    *,
    starts: int,
) -> SearchResult:
    """The local optima above the best `starts` of the candidates, which are scored and all different."""
    evaluations, accepted, visited = len(masks), 0, set()
    for start, first in enumerate(np.argsort(-scores, kind="stable")[:starts]):
        mask, score, better, move = masks[first], scores[first], True, 1
        if observe is not None:
            observe(Step(start, 0, mask, float(score), accepted=True))  # it may be the summit already
        while better and mask.tobytes() not in visited and evaluations < _MOST_EVALUATIONS:
            visited.add(mask.tobytes())
            near = space.neighbours(mask, _MOST_SWAPS)
            if not len(near):
                break
            near_scores = objective.log_scores(near)
            best = int(near_scores.argmax())
            better = bool(near_scores[best] > score)
            if observe is not None:
                observe(Step(start, move, near[best], float(near_scores[best]), better))
            masks, scores = np.concatenate([masks, near]), np.concatenate([scores, near_scores])
            if better:
                mask, score = near[best], near_scores[best]
            evaluations, accepted, move = evaluations + len(near), accepted + better, move + 1
    masks, scores = best_first(masks, scores)
    return SearchResult(masks, scores, evaluations=evaluations, accepted=accepted, restarts=starts)
