"""The objective: a weighted product of any factors, in logarithms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tersely.candidates.length import Budget
from tersely.scoring.objective import BoundObjective, Objective
from tersely.sentence.sentence import Sentence
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize


@dataclass(frozen=True)
class Constant:
    """A factor of one's own: anything with `bind` will do. With the value 0 it says nothing."""

    value: float

    def bind(self, sentence: Sentence, budget: Budget) -> Constant | None:
        return self if self.value else None

    def log_scores(self, masks: np.ndarray) -> np.ndarray:
        return self.value * masks.sum(axis=1)

    def steps(self, size: int, backward: bool) -> None:
        return None


MASKS = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)


def objective(weights: dict[str, float], **values: float) -> BoundObjective:
    """The objective of constant factors."""
    sentence = Sentence.of(tokenize("ship ran aground"), Vocabulary.of([]))
    factors = {name: Constant(value) for name, value in values.items()}
    return Objective("mine", factors, weights).bind(sentence, Budget.of_words(3, 1))


def test_the_score_is_the_weighted_sum_of_logarithms() -> None:
    made = objective({"a": 1.0, "b": 12.0}, a=-1.0, b=-0.25)
    assert made.log_scores(MASKS) == pytest.approx([-4.0, -8.0, -12.0])
    assert made.breakdown(MASKS[1]) == pytest.approx({"a": -2.0, "b": -0.5})  # before the weights


def test_a_factor_without_a_weight_or_with_nothing_to_say_is_left_out() -> None:
    made = objective({"b": 2.0, "c": 1.0}, a=-1.0, b=-0.25, c=0.0)
    assert made.log_scores(MASKS) == pytest.approx([-0.5, -1.0, -1.5])
    assert list(made.breakdown(MASKS[0])) == ["b"]


def test_noise_in_the_last_bits_is_rounded_away() -> None:
    one, other = (objective({"a": 1.0}, a=value).log_scores(MASKS) for value in (-1 / 3, -1 / 3 + 1e-9))
    assert (one == other).all()
