"""Stage 5: exhaustive search: every candidate is scored. It is the oracle for all other searches, and the paper's own
choice for short sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first
from tersely.search.work import MOST_WORK, rows_read

_AT_ONCE = 4  # prefixes that take as long in large batches as one alone


@dataclass(frozen=True)
class Exhaustive:
    """Exhaustive search. Too many candidates are refused: the best of some would be no oracle."""

    effort: float = 1.0

    def __call__(
        self, objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
    ) -> SearchResult:
        """The best of all candidates (`rng` is not used)."""
        if not self.allows(space):
            count, most = space.count, MOST_WORK * self.effort
            shown = f"{count:,.0f}" if count < 1e9 else f"{float(count):.0e}"
            long = f", the work of {self.work(space):,.0f} short ones" if count <= most else ""
            raise InputError(
                f"exhaustive search would score {shown} candidates{long}, the limit is {most:,.0f}: "
                "use another search, a shorter text or more effort"
            )
        masks, scores, evaluations, best = np.zeros((0, space.n), dtype=bool), np.zeros(0), 0, -np.inf
        for chunk in space.all():
            found = objective.log_scores(chunk)
            if observe is not None:
                for row, (mask, score) in enumerate(zip(chunk, found, strict=True), evaluations):
                    observe(Step(0, row, mask, float(score), bool(score > best)))
                    best = max(best, score)
            evaluations += len(chunk)
            masks, scores = best_first(np.concatenate([masks, chunk]), np.concatenate([scores, found]))
        return SearchResult(masks, scores, evaluations, 0, 1, rows_read(objective), self.work(space))

    def allows(self, space: CandidateSpace) -> bool:
        """Whether there are few enough candidates."""
        most = MOST_WORK * self.effort
        return space.count <= most and self.work(space) <= most

    def work(self, space: CandidateSpace) -> float:
        """The work of scoring all candidates: those that keep most of the words share few of their prefixes."""
        return max(space.count, (space.n_prefixes() + space.n_prefixes(backward=True)) / _AT_ONCE)


exhaustive = Exhaustive()
