"""Stage 5: an observer that records the path of every restart, for figures and for the page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tersely.search.result import Step
from tersely.system.arrays import BoolArray


class Move(NamedTuple):
    """A candidate that a restart moved to."""

    step: int
    mask: BoolArray
    score: float


class Watcher:
    """An observer that records the accepted candidates of each restart."""

    def __init__(self) -> None:
        self.accepted: dict[int, list[Move]] = {}
        self.steps = 0  # of one restart

    def __call__(self, step: Step) -> None:
        """Record a step if the search moved to another candidate."""
        self.steps = max(self.steps, step.step)
        trail = self.accepted.setdefault(step.restart, [])
        if step.accepted and not (trail and np.array_equal(trail[-1].mask, step.mask)):
            trail.append(Move(step.step, step.mask.copy(), step.score))

    def best_trail(self, most: int) -> list[Move]:
        """The trail of the restart with the highest score, reduced to `most` moves with the first and the last.

        Where no restart has moved from its start, there is none.
        """
        trails = [trail for trail in self.accepted.values() if trail]
        if all(len(trail) == 1 for trail in trails):
            return []
        trail = max(trails, key=lambda moves: moves[-1].score)
        end = next(index for index, move in enumerate(trail) if move.score == trail[-1].score)
        trail = trail[: end + 1]  # later moves have the same score
        chosen = np.unique(np.linspace(0, len(trail) - 1, min(most, len(trail))).round().astype(int))
        return [trail[index] for index in chosen]
