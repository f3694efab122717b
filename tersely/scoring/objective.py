"""Stage 3: the objective, a weighted product of factors: f(y; x) = Π f_k(y; x)^w_k (equation 1 of the paper).

Everything is in logarithms: the score of a candidate is log f, the sum of weight times log factor. The length is not
a factor here, because it is a hard constraint: searches only visit candidates of the right length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.source import BoolArray, IntArray, Source

PAPER = {"fluency": 1.0, "similarity": 12.0}  # γ = 12, tuned by the authors on held-out data

# Beyond these decimals a score is noise: float32, batches of different shapes, a different number of threads.
_DECIMALS = 6
_MAX_KNOWN = 200_000  # remembered candidates of one source; about 30 MB


def in_a_line(weights: Mapping[str, float]) -> str:
    """Weights as people read them.

    >>> in_a_line(PAPER)
    'fluency 1, similarity 12'
    """
    return ", ".join(f"{factor} {weight:g}" for factor, weight in weights.items())


class Steps(Protocol):
    """A factor for prefixes that grow word by word in reading order: from the first word, or backward from the last.

    Words are numbered in reading order. Values are estimates of log f of the whole summary, good enough to compare
    prefixes of the same length that end in the same word.
    """

    def values(self) -> NDArray[np.float64]:
        """For each prefix and each word that might come next, (prefixes, n)."""

    def advance(self, rows: IntArray, words: IntArray) -> None:
        """Replace the prefixes by those in `rows`, each with a word more."""

    def final(self) -> NDArray[np.float64]:
        """For each prefix as a whole summary, (prefixes,)."""


class BoundFactor(Protocol):
    """A factor that knows its source."""

    @property
    def steps_are_exact(self) -> bool:
        """Whether `steps` ends at what `log_scores` says; an estimate otherwise."""

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        """log f of each candidate: masks over the words, (batch, n), to (batch,)."""

    def steps(self, size: int, backward: bool) -> Steps | None:
        """The factor step by step, for summaries of `size` words; None if it cannot be read in that direction."""


class Factor(Protocol):
    """One reason to prefer a candidate. Any object with this method can be part of an objective."""

    def bind(self, source: Source) -> BoundFactor:
        """The factor for one source, with everything computed that does not depend on the candidate."""


@dataclass(frozen=True)
class Objective:
    """Factors by name, and a weight for each."""

    factors: Mapping[str, Factor]
    weights: Mapping[str, float]

    def bind(self, source: Source) -> BoundObjective:
        """The objective for one source."""
        return BoundObjective({name: self.factors[name].bind(source) for name in self.weights}, self.weights)


@dataclass(frozen=True)
class BoundObjective:
    """The objective over the candidates of one source: all that a search gets to see.

    A candidate that was scored before is looked up: a climber proposes the same swaps again and again.
    """

    factors: Mapping[str, BoundFactor]
    weights: Mapping[str, float]
    _known: dict[bytes, float] = field(default_factory=dict, repr=False)

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        """log f of each candidate, (batch,)."""
        keys = [row.tobytes() for row in np.packbits(masks, axis=1)]
        new = {key: i for i, key in enumerate(keys) if key not in self._known}
        if new:
            if len(self._known) > _MAX_KNOWN:
                self._known.clear()
                return self.log_scores(masks)
            rows = np.fromiter(new.values(), dtype=np.int64)
            self._known.update(zip(new, self._compute(masks[rows]).tolist(), strict=True))
        return np.array([self._known[key] for key in keys])

    def _compute(self, masks: BoolArray) -> NDArray[np.float64]:
        total = np.zeros(len(masks))
        for name, factor in self.factors.items():
            total += self.weights[name] * factor.log_scores(masks)
        return np.round(total, _DECIMALS)

    @property
    def rows(self) -> int:
        """How many prefixes the language models of the factors have read."""
        return sum(getattr(factor, "rows", 0) for factor in self.factors.values())

    @property
    def n_factors(self) -> int:
        return len(self.factors)

    def beside(self, name: str, factor: BoundFactor, weight: float) -> BoundObjective:
        """The objective with one factor more."""
        return BoundObjective({**self.factors, name: factor}, {**self.weights, name: weight})

    def steps(self, size: int, backward: bool) -> list[tuple[float, Steps]]:
        """The factors step by step with their weights, as far as they can be read in that direction."""
        found = [(self.weights[name], factor.steps(size, backward)) for name, factor in self.factors.items()]
        return [(weight, steps) for weight, steps in found if steps is not None]

    def breakdown(self, mask: BoolArray) -> dict[str, float]:
        """The logarithm of each factor of one candidate, before its weight."""
        return {name: float(factor.log_scores(mask[None])[0]) for name, factor in self.factors.items()}
