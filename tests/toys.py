"""Toy objectives over masks, whose optimum exhaustive search finds; and real ones, bound in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.scoring.objective import BoundObjective
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer
from tersely.text.words import tokenize


class ToyObjective:
    """A worth for each position and for each pair of positions, averaged over what is kept."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.single = rng.normal(size=n)
        self.pairs = rng.normal(scale=0.5, size=(n, n))
        self.seen: list[NDArray[np.bool_]] = []

    def log_scores(self, masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        self.seen.append(masks)
        kept = masks.astype(np.float64)
        total = kept @ self.single + np.einsum("bn,bn->b", kept @ self.pairs, kept)
        return np.round(total / kept.sum(axis=1), 6)


def toy_problems(count: int, seed: int = 0) -> list[tuple[ToyObjective, int, int]]:
    """`count` problems with n up to 12 and every size below n."""
    rng = np.random.default_rng(seed)
    problems = []
    for i in range(count):
        n = int(rng.integers(2, 13))
        problems.append((ToyObjective(n, seed=1000 + i), n, int(rng.integers(1, n))))
    return problems


def read(summarizer: Summarizer, text: str, *, pretokenized: bool = False) -> Sentence:
    """A text as the models of a bundle see it."""
    return summarizer.bundle.sentence(tokenize(text, pretokenized=pretokenized))


def bound(
    summarizer: Summarizer,
    objective: str | Mapping[str, float],
    sentence: Sentence,
    length: int | Budget = 1,
    **variants: Any,
) -> BoundObjective:
    """An objective for the summaries of so many words of a sentence, or for those within a budget."""
    budget = length if isinstance(length, Budget) else Budget.of_words(len(sentence), length)
    return summarizer.bundle.objectives.objective(objective, **variants).bind(sentence, budget)


@dataclass(frozen=True)
class Neighbours:
    """A factor that is a sum over kept neighbours, with its score for every two of them, (n + 1, n + 1)."""

    scores: NDArray[np.float64]
    steps_are_exact: ClassVar[bool] = False

    @classmethod
    def random(cls, n: int, seed: int = 0) -> Neighbours:
        return cls(np.random.default_rng(seed).normal(size=(n + 1, n + 1)))

    def log_scores(self, masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        total = np.zeros(len(masks))
        for row, mask in enumerate(masks):
            kept = np.flatnonzero(mask)
            total[row] = self.scores[np.append(0, kept + 1), np.append(kept, len(mask))].sum()
        return total

    def edges(self, size: int) -> NDArray[np.float64]:
        return self.scores

    def steps(self, size: int, backward: bool) -> None:
        return None
