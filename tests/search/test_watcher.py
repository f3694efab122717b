from __future__ import annotations

import numpy as np

from tersely.search.result import Step
from tersely.search.watcher import Watcher


def test_the_watcher_follows_the_best_restart_until_it_only_drifts() -> None:
    watcher = Watcher()

    def step(restart: int, number: int, kept: int, score: float, accepted: bool) -> None:
        watcher(Step(restart, number, np.arange(4) == kept, score, accepted))

    step(0, 1, 0, -3.0, True)
    step(1, 1, 1, -2.5, True)
    step(0, 2, 2, -1.0, True)
    step(0, 3, 3, -4.0, False)  # refused: not part of the way
    step(0, 4, 1, -1.0, True)  # as good, so only a drift
    trail = watcher.best_trail(24)
    assert [(number, int(mask.argmax()), score) for number, mask, score in trail] == [(1, 0, -3.0), (2, 2, -1.0)]
    assert watcher.steps == 4
    assert Watcher().best_trail(24) == []


def test_the_best_restart_may_stay_at_its_start() -> None:
    watcher = Watcher()
    for restart, score in enumerate((-3.0, -1.0)):
        watcher(Step(restart, 0, np.arange(4) == restart, score, True))
    assert watcher.best_trail(24) == []
    watcher(Step(0, 1, np.arange(4) == 2, -2.0, True))
    assert [move.score for move in watcher.best_trail(24)] == [-1.0]


def test_a_long_trail_is_thinned_and_keeps_its_ends() -> None:
    watcher = Watcher()
    for number in range(100):
        watcher(Step(0, number, np.arange(100) == number, float(number), True))
    trail = watcher.best_trail(10)
    assert len(trail) == 10
    assert [trail[0].step, trail[-1].step] == [0, 99]
