"""Stage 5: exhaustive search: every candidate is scored. It is the oracle for all other searches, and the paper's own
choice for short sentences."""

from __future__ import annotations

import numpy as np

from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first

MAX_CANDIDATES = 5_000_000  # which takes minutes with a real language model


def exhaustive(
    objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
) -> SearchResult:
    """The best of all candidates (`rng` is not used)."""
    if space.count > MAX_CANDIDATES:
        raise InputError(
            f"exhaustive search would score {space.count:,} candidates, the limit is {MAX_CANDIDATES:,}: "
            "use another search or a shorter text"
        )
    masks, scores, evaluations, best = np.zeros((0, space.n), dtype=bool), np.zeros(0), 0, -np.inf
    for chunk in space.all():
        found = objective.log_scores(chunk)
        if observe is not None:
            for mask, score in zip(chunk, found, strict=True):
                observe(Step(0, evaluations, mask, float(score), bool(score > best)))
                best = max(best, score)
                evaluations += 1
        else:
            evaluations += len(chunk)
        masks, scores = best_first(np.concatenate([masks, chunk]), np.concatenate([scores, found]))
    return SearchResult(masks, scores, evaluations=evaluations, accepted=0, restarts=1)
