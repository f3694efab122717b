"""Stage 5: simulated annealing: the moves of hill climbing, but a worse candidate is accepted with a probability that
falls with the temperature. It runs a few long chains where hill climbing has many short restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.space import CandidateSpace
from tersely.search.exhaustive import Exhaustive
from tersely.search.local import Scores, local_search
from tersely.search.result import Observer, Scorer, SearchResult
from tersely.search.work import MOST_WORK, to_climb


@dataclass(frozen=True)
class Annealing:
    """Simulated annealing with a geometric schedule.

    The temperatures are differences of log f: at the first one a candidate worse by 0.5 nats is accepted in a third
    of the cases, at the last one almost never.
    """

    chains: int = 8
    sweeps: int = 4  # how often each of the s·(n − s) swaps comes up in a chain, on average
    first_temperature: float = 0.5
    last_temperature: float = 0.005
    effort: float = 1.0

    def __call__(
        self, objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
    ) -> SearchResult:
        """The best candidate that any chain visited; all candidates are scored where that costs no more."""
        size = space.budget.n_words
        n_free = max(size - int(space.pinned.sum()), 0)
        wanted = max(1, self.sweeps * n_free * (len(space.free) - n_free))
        steps = max(1, int(min(wanted, MOST_WORK * self.effort / to_climb(self.chains, 1, size, space.n))))
        if space.count <= steps * self.chains and (every := Exhaustive(self.effort)).allows(space):
            return every(objective, space, rng, observe)
        temperatures = np.geomspace(self.first_temperature, self.last_temperature, steps)

        def accept(step: int, current: Scores, proposed: Scores) -> NDArray[np.bool_]:
            gain = np.minimum(0, (proposed - current) / temperatures[step - 1])
            return np.asarray(rng.random(self.chains) < np.exp(gain))

        found = local_search(objective, space, rng, observe, chains=self.chains, steps=steps, accept=accept)
        return replace(found, bounded=steps < wanted)


annealing = Annealing()
