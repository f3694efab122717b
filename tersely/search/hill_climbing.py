"""Stage 5: first-choice hill climbing, the search of the paper (section 3.3).

A restart begins at a random candidate. Each step proposes to swap one selected with one unselected word, drawn
uniformly, and moves there if the score is not lower. All restarts take their steps together, as one batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tersely.candidates.space import CandidateSpace
from tersely.search.exhaustive import exhaustive
from tersely.search.local import local_search
from tersely.search.result import Observer, Scorer, SearchResult

# The paper's budget grows with n²s⁴: 60 words cut in half would take ten million evaluations. Beyond this many words
# read, steps and restarts are scaled down alike. 30 words cut to 15 still have the paper's budget.
MAX_WORDS_READ = 3_000_000
# The paper accepts f' >= f. The last bits of a score depend on the shape of its batch, so scores this close count as
# equal: otherwise chance would decide whether one "the" is swapped for another.
TIE = 1e-5
# For a few words the paper's budget is tiny (one word out of twelve: one step, one restart) and misses the best of a
# dozen candidates. Up to this many are one batch, faster than a few steps: all are scored.
ENUMERATE_UP_TO = 1_000


@dataclass(frozen=True)
class HillClimbing:
    """First-choice hill climbing with T = β_T·n·s² steps and R = β_R·n·s² restarts.

    >>> HillClimbing().budget(30, 10)
    (300, 105)
    """

    beta_steps: float = 0.1
    beta_restarts: float = 0.035
    max_words_read: float = MAX_WORDS_READ
    enumerate_up_to: int | None = ENUMERATE_UP_TO  # None: never, as in the authors' program

    def budget(self, n: int, size: int) -> tuple[int, int]:
        """Steps of a restart, and restarts, for `size` words out of `n`."""
        steps, restarts = self.beta_steps * n * size**2, self.beta_restarts * n * size**2
        shrink = min(1.0, math.sqrt(self.max_words_read / (steps * restarts * size)))
        return max(1, round(steps * shrink)), max(1, round(restarts * shrink))

    def __call__(
        self, objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
    ) -> SearchResult:
        """The best candidate of all restarts; all candidates are scored where they are few or that costs no more."""
        steps, restarts = self.budget(space.n, space.budget.n_words)
        if self.enumerate_up_to is not None and space.count <= max(steps * restarts, self.enumerate_up_to):
            return exhaustive(objective, space, rng, observe)
        return local_search(
            objective,
            space,
            rng,
            observe,
            chains=restarts,
            steps=steps,
            accept=lambda step, current, proposed: proposed >= current - TIE,
        )


hill_climbing = HillClimbing()
paper = HillClimbing(max_words_read=math.inf, enumerate_up_to=None)  # to the letter, however long it takes
