"""The objective: a weighted product of any factors, in logarithms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tersely.scoring.objective import PAPER, Objective
from tersely.source import Source
from tersely.text import tokenize
from tersely.vocab import Vocabulary


@dataclass(frozen=True)
class Constant:
    """A factor of one's own: anything with `bind` will do."""

    value: float
    most: float | None = None

    def bind(self, source: Source) -> Constant:
        return self

    def log_scores(self, masks: np.ndarray) -> np.ndarray:
        return self.value * masks.sum(axis=1)

    def steps(self, size: int, backward: bool) -> None:
        return None


SOURCE = Source.of(tokenize("ship ran aground"), Vocabulary.of([]))
MASKS = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)


def test_the_papers_weights() -> None:
    assert PAPER == {"fluency": 1.0, "similarity": 12.0}


def test_the_score_is_the_weighted_sum_of_logarithms() -> None:
    objective = Objective({"a": Constant(-1.0), "b": Constant(-0.25)}, {"a": 1.0, "b": 12.0}).bind(SOURCE)
    assert objective.log_scores(MASKS) == pytest.approx([-4.0, -8.0, -12.0])


def test_the_breakdown_is_before_the_weights() -> None:
    objective = Objective({"a": Constant(-1.0), "b": Constant(-0.25)}, {"a": 1.0, "b": 12.0}).bind(SOURCE)
    assert objective.breakdown(MASKS[1]) == pytest.approx({"a": -2.0, "b": -0.5})


def test_a_factor_without_a_weight_is_left_out() -> None:
    objective = Objective({"a": Constant(-1.0), "b": Constant(-0.25)}, {"b": 2.0}).bind(SOURCE)
    assert objective.log_scores(MASKS) == pytest.approx([-0.5, -1.0, -1.5])
    assert list(objective.breakdown(MASKS[0])) == ["b"]


def test_noise_in_the_last_bits_is_rounded_away() -> None:
    one = Objective({"a": Constant(-1 / 3)}, {"a": 1.0}).bind(SOURCE).log_scores(MASKS)
    other = Objective({"a": Constant(-1 / 3 + 1e-9)}, {"a": 1.0}).bind(SOURCE).log_scores(MASKS)
    assert (one == other).all()
