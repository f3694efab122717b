"""Stage 4: beam search from left to right, in the manner of Zhou and Rush (2019): prefixes of the source's words, the
best few by the objective of the prefix itself. It never looks ahead, which is what the lattice improves on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely.candidates import CandidateSpace
from tersely.search.cells import Cells
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first


@dataclass(frozen=True)
class Beam:
    """Beam search with `width` prefixes of each length."""

    width: int = 20

    def __call__(
        self, objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
    ) -> SearchResult:
        """The best candidate in the last beam (`rng` is not used)."""
        cells = Cells.of(space, backward=False)
        evaluations, scores = 0, np.zeros(1)
        for length in range(space.size):
            rows, words = np.nonzero(cells.allowed(length))
            cells.advance(rows, words)
            scores = objective.log_scores(cells.masks)
            evaluations += len(scores)
            kept = np.argsort(-scores, kind="stable")[: self.width]
            if observe is not None:
                for rank, row in enumerate(kept):
                    observe(Step(rank, length, cells.masks[row], float(scores[row]), True))
            cells.last, cells.masks, scores = cells.last[kept], cells.masks[kept], scores[kept]
        masks, scores = best_first(cells.masks, scores)
        return SearchResult(masks, scores, evaluations=evaluations, accepted=0, restarts=1)


beam = Beam()
