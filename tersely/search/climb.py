"""Stage 5: steepest climb: all swaps of a candidate are scored and the best is taken, until none is better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.space import CandidateSpace
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first
from tersely.search.work import MOST_FAST_WORK, has_models, rows_read, to_score
from tersely.system.arrays import BoolArray

# A candidate has s·(n − s) swaps. For headlines these are a few hundred and all are scored. For long sentences only the
# swaps of near words are, and only a few moves are made: to score a candidate of s words, s prefixes have to be read.
_MOST_WORDS_OF_A_MOVE = 4_000
_MOST_WORK = 40_000
_FURTHER = 500  # up to this work, and without language models, swaps of words further apart come before the end


def steepest_climb(
    objective: Scorer,
    space: CandidateSpace,
    masks: BoolArray,
    scores: NDArray[np.float64],
    observe: Observer | None = None,
    effort: float = 1.0,
) -> SearchResult:
    """The local optimum reached from the best of the candidates, which are all different and have these scores."""
    first, size = int(scores.argmax()), max(space.budget.n_words, 1)
    mask, score, better = masks[first], scores[first], True
    evaluations, accepted, work, move = len(masks), 0, 0.0, 1
    models, further = has_models(objective), False
    most_work = effort * (_MOST_WORK if models else MOST_FAST_WORK)
    limit = max(1, int(_MOST_WORDS_OF_A_MOVE * effort) // size)
    if observe is not None:
        observe(Step(0, 0, mask, float(score), accepted=True))  # it may be the optimum already
    while (better or further) and work < most_work:
        near = space.neighbours(mask, limit)
        if not len(near):
            break
        near_scores = objective.log_scores(near)
        best = int(near_scores.argmax())
        better = bool(near_scores[best] > score)
        if observe is not None:
            observe(Step(0, move, near[best], float(near_scores[best]), better))
        masks, scores = np.concatenate([masks, near]), np.concatenate([scores, near_scores])
        if better:
            mask, score = near[best], near_scores[best]
        evaluations, accepted, move = evaluations + len(near), accepted + better, move + 1
        work += to_score(objective, len(near), size, space.n)
        n_kept = int(mask[space.free].sum())
        cut = limit < n_kept * (len(space.free) - n_kept)
        further = cut and not better and not models and work < _FURTHER * effort
        limit *= 4 if further else 1
    masks, scores = best_first(masks, scores)
    bounded = (better or further) and work > 0
    return SearchResult(masks, scores, evaluations, accepted, 1, rows_read(objective), work, bounded=bounded)
