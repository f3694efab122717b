"""Stage 5: local search: chains of random moves, which all step together as one batch. Hill climbing and annealing are
this loop with different rules of acceptance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.space import CandidateSpace
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first
from tersely.search.work import rows_read, to_climb

Scores = NDArray[np.float64]
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
    masks = space.random(rng, chains)
    scores = objective.log_scores(masks)
    best_masks, best_scores = masks.copy(), scores.copy()
    evaluations, accepted = chains, 0
    if observe is not None:
        for chain in range(chains):
            observe(Step(chain, 0, masks[chain], float(scores[chain]), accepted=True))  # it may be the optimum
    for step in range(1, steps + 1):
        proposed = space.moves(rng, masks)
        feasible = space.feasible(proposed)
        proposed_scores = np.full(chains, -np.inf)
        if feasible.any():
            proposed_scores[feasible] = objective.log_scores(proposed[feasible])
        moves = accept(step, scores, proposed_scores)
        if observe is not None:
            for chain in range(chains):
                observe(Step(chain, step, proposed[chain], float(proposed_scores[chain]), bool(moves[chain])))
        masks = np.where(moves[:, None], proposed, masks)
        scores = np.where(moves, proposed_scores, scores)
        better = scores > best_scores
        best_masks[better], best_scores[better] = masks[better], scores[better]
        evaluations += int(feasible.sum())
        accepted += int(moves.sum())
    found, found_scores = best_first(best_masks, best_scores)
    work = to_climb(chains, steps + 1, space.budget.n_words, space.n)
    return SearchResult(found, found_scores, evaluations, accepted, chains, rows_read(objective), work)
