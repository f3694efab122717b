"""Toy objectives over masks, whose optimum exhaustive search finds: no words, no models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
