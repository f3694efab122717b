"""Stage 5: local search: chains of random moves, which all step together as one batch. Hill climbing and annealing are
this loop with different rules of acceptance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.space import CandidateSpace
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first
from tersely.search.work import rows_read, to_climb
from tersely.system.arrays import BoolArray

Scores = NDArray[np.float64]
MOST_CELLS = 4_000_000  # words times chains that step together; the paper's chains for a thousand words fill any memory
Accept = Callable[[int, Scores, Scores], NDArray[np.bool_]]  # (step, current scores, proposed scores) -> moves


def local_search(
    objective: Scorer,
    space: CandidateSpace,
    rng: np.random.Generator,
    observe: Observer | None,
    *,
    chains: int,
    steps: int,
    accept: Accept,
) -> SearchResult:
    """The best candidates that any chain visited."""
    most = max(1, MOST_CELLS // space.n)
    found, found_scores, evaluations, accepted = np.zeros((0, space.n), dtype=bool), np.zeros(0), 0, 0
    for first in range(0, chains, most):
        together = range(first, min(first + most, chains))
        masks, scores, n_scored, n_moves = _step_together(objective, space, rng, observe, together, steps, accept)
        found, found_scores = best_first(np.concatenate([found, masks]), np.concatenate([found_scores, scores]))
        evaluations, accepted = evaluations + n_scored, accepted + n_moves
    work = to_climb(chains, steps + 1, space.budget.n_words, space.n)
    return SearchResult(found, found_scores, evaluations, accepted, chains, rows_read(objective), work)


def _step_together(
    objective: Scorer,
    space: CandidateSpace,
    rng: np.random.Generator,
    observe: Observer | None,
    chains: range,
    steps: int,
    accept: Accept,
) -> tuple[BoolArray, Scores, int, int]:
    """The best candidate of each of these chains and its score, and how many were scored and moved to."""
    masks = space.random(rng, len(chains))
    scores = objective.log_scores(masks)
    best_masks, best_scores = masks.copy(), scores.copy()
    evaluations, accepted = len(chains), 0
    if observe is not None:
        for i, chain in enumerate(chains):
            observe(Step(chain, 0, masks[i], float(scores[i]), accepted=True))  # it may be the optimum
    for step in range(1, steps + 1):
        proposed = space.moves(rng, masks)
        feasible = space.feasible(proposed)
        proposed_scores = np.full(len(chains), -np.inf)
        if feasible.any():
            proposed_scores[feasible] = objective.log_scores(proposed[feasible])
        moves = accept(step, scores, proposed_scores)
        if observe is not None:
            for i, chain in enumerate(chains):
                observe(Step(chain, step, proposed[i], float(proposed_scores[i]), bool(moves[i])))
        masks = np.where(moves[:, None], proposed, masks)
        scores = np.where(moves, proposed_scores, scores)
        better = scores > best_scores
        best_masks[better], best_scores[better] = masks[better], scores[better]
        evaluations += int(feasible.sum())
        accepted += int(moves.sum())
    return best_masks, best_scores, evaluations, accepted
