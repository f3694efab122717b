"""Stage 4: local search: chains of swaps, all of them together as one batch. Hill climbing and annealing are this loop
with a rule for what is accepted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tersely.candidates import CandidateSpace, swapped
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first

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
    needed: Callable[[Scores], Scores] | None = None,
) -> SearchResult:
    """The best candidates that any chain has met.

    `needed` says what a proposal must reach, given the current scores, to have a chance of being accepted: one that
    cannot is not scored.
    """
    masks = space.random(rng, chains)
    scores = objective.log_scores(masks)
    best_masks, best_scores = masks.copy(), scores.copy()
    evaluations, accepted = chains, 0
    for step in range(1, steps + 1):
        proposed = swapped(masks, *space.swaps(rng, masks))
        feasible = space.feasible(proposed)
        proposed_scores = np.full(chains, -np.inf)
        if needed is None:
            proposed_scores[feasible] = objective.log_scores(proposed[feasible])
        else:
            proposed_scores[feasible] = objective.log_scores_from(proposed[feasible], needed(scores)[feasible])
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
    return SearchResult(found, found_scores, evaluations=evaluations, accepted=accepted, restarts=chains)
