"""Stage 5: beam search from left to right, as in Zhou and Rush (2019): it extends prefixes and keeps the few best by
the objective of the prefix alone. It never looks ahead; the lattice does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely.candidates.space import CandidateSpace
from tersely.search.cells import Cells
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first


@dataclass(frozen=True)
class Beam:
    """Beam search with `width` prefixes of each length."""

    width: int = 20

    def __call__(
        self, objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
    ) -> SearchResult:
        cells, evaluations = Cells(space, backward=False), 0
        found, found_scores = np.zeros((0, space.n), dtype=bool), np.zeros(0)
        for length in range(space.n):
            rows, words = np.nonzero(cells.allowed())
            if not len(rows):
                break
            cells.advance(rows, words)
            scores = objective.log_scores(cells.masks)
            evaluations += len(scores)
            kept = np.argsort(-scores, kind="stable")[: self.width]
            if observe is not None:
                for rank, row in enumerate(kept):
                    observe(Step(rank, length, cells.masks[row], float(scores[row]), True))
            cells.take(kept)
            done = cells.finished
            found, found_scores = best_first(
                np.concatenate([found, cells.masks[done]]), np.concatenate([found_scores, scores[kept][done]])
            )
        if not len(found):  # every prefix in the beam ends in a word that needs more room than is left
            found = space.random(rng, 1)
            found_scores = objective.log_scores(found)
        return SearchResult(found, found_scores, evaluations=evaluations, accepted=0, restarts=1)


beam = Beam()
