"""Stage 5: first-choice hill climbing, the search of the paper (section 3.3).

A restart begins at a random candidate. Each step proposes to swap one selected with one unselected word, drawn
uniformly, and moves there if the score is not lower. All restarts take their steps together, as one batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tersely.candidates.space import CandidateSpace
from tersely.search.exhaustive import Exhaustive
from tersely.search.local import local_search
from tersely.search.result import Observer, Scorer, SearchResult
from tersely.search.work import MOST_WORK, most_restarts

# The paper accepts f' >= f. The last bits of a score depend on the shape of its batch, so scores this close count as
# equal: otherwise chance would decide whether one "the" is swapped for another.
TIE = 1e-5
# For a few words the paper's budget is tiny (one word out of twelve: one step, one restart) and misses the best of a
# dozen candidates. Up to this many are one batch, faster than a few steps: all are scored.
ENUMERATE_UP_TO = 1_000


@dataclass(frozen=True)
class HillClimbing:
    """First-choice hill climbing with T = β_T·n·s² steps and R = β_R·n·s² restarts.

    >>> HillClimbing().budget(20, 10)
    (200, 70)
    """

    beta_steps: float = 0.1
    beta_restarts: float = 0.035
    enumerate_up_to: int | None = ENUMERATE_UP_TO  # None: never, as in the authors' program
    effort: float = 1.0

    def budget(self, n: int, size: int) -> tuple[int, int]:
        """Steps of a restart, and restarts, for `size` words out of `n`.

        The paper's numbers grow with n²s⁴: 60 words cut in half would take ten million evaluations. Beyond the bound,
        both are scaled down alike. 20 words cut to 10 still have the paper's.
        """
        steps, restarts = self.beta_steps * n * size**2, self.beta_restarts * n * size**2
        most = most_restarts(MOST_WORK * self.effort, steps / restarts, size, n)
        if restarts > most:
            steps, restarts = steps * most / restarts, most
        return max(1, round(steps)), max(1, round(restarts))

    def __call__(
        self, objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
    ) -> SearchResult:
        """The best candidate of all restarts; all candidates are scored where they are few or that costs no more."""
        steps, restarts = self.budget(space.n, space.budget.n_words)
        few = self.enumerate_up_to is not None and space.count <= max(steps * restarts, self.enumerate_up_to)
        if few and (every := Exhaustive(self.effort)).allows(space):
            return every(objective, space, rng, observe)
        found = local_search(
            objective,
            space,
            rng,
            observe,
            chains=restarts,
            steps=steps,
            accept=lambda step, current, proposed: proposed >= current - TIE,
        )
        unbounded = replace(self, effort=math.inf).budget(space.n, space.budget.n_words)
        return replace(found, bounded=(steps, restarts) != unbounded)


hill_climbing = HillClimbing()
paper = HillClimbing(enumerate_up_to=None, effort=math.inf)  # to the letter, however long it takes
