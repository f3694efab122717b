"""Stage 4: the objective, a weighted product of factors: f(y; x) = Π f_k(y; x)^w_k (equation 1 of the paper).

Everything is in logarithms: the score of a candidate is log f, the sum of weight times log factor. The length is not
a factor here, because it is a hard constraint: searches only visit candidates of the right length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.scoring.needs import MOST_NAMED
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray

# Beyond these decimals a score is noise: float32, batches of different shapes, a different number of threads.
_DECIMALS = 6
_MAX_KNOWN = 200_000  # remembered candidates of one source; about 30 MB


def in_a_line(weights: Mapping[str, float]) -> str:
    """Weights as people read them.

    >>> in_a_line({"fluency": 1.0, "similarity": 12.0})
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

    def bind(self, sentence: Sentence, budget: Budget) -> BoundFactor | None:
        """The factor for one sentence and budget, with everything computed that does not depend on the candidate.

        None where it says nothing, because all candidates have the same value.
        """


@dataclass(frozen=True)
class Objective:
    """Factors by name, and a weight for each.

    `plain` is for systems to compare with: a summary has nothing that its factors do not ask for. Elsewhere a negation
    stays with its word, a number with its unit, and the text has its commas.
    """

    name: str
    factors: Mapping[str, Factor]
    weights: Mapping[str, float]
    plain: bool = False

    def bind(self, sentence: Sentence, budget: Budget) -> BoundObjective:
        """The objective for one sentence and budget."""
        bound = {name: self.factors[name].bind(sentence, budget) for name in self.weights}
        return BoundObjective({name: factor for name, factor in bound.items() if factor is not None}, self.weights)


@dataclass(frozen=True)
class BoundObjective:
    """The objective over the candidates of one sentence and budget: all that a search gets to see.

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

    def edges(self, size: int) -> NDArray[np.float64] | None:
        """The part of the score that is a sum over kept neighbours, for summaries of `size` words; None without one.

        `edges[a, b]` is the score of keeping the word before position a and then the word b, (n + 1, n + 1); at 0 a
        candidate begins, and at n it ends. `tersely.search.chain` finds the best sums.
        """
        found = [(self.weights[name], getattr(factor, "edges", None)) for name, factor in self.factors.items()]
        parts = [weight * edges(size) for weight, edges in found if edges is not None]
        return sum(parts[1:], parts[0]) if parts else None

    def by_weight(self, budget: Budget) -> NDArray[np.float64]:
        """What the weight of a whole candidate adds to its score, as `Budget.all_shares`."""
        found = [(self.weights[name], getattr(factor, "by_weight", None)) for name, factor in self.factors.items()]
        return sum((weight * values(budget) for weight, values in found if values is not None), np.zeros(1))

    def steps(self, size: int, backward: bool) -> list[tuple[float, Steps]]:
        """The factors step by step with their weights, as far as they can be read in that direction."""
        found = [(self.weights[name], factor.steps(size, backward)) for name, factor in self.factors.items()]
        return [(weight, steps) for weight, steps in found if steps is not None]

    def breakdown(self, mask: BoolArray) -> dict[str, float]:
        """The logarithm of each factor of one candidate, before its weight."""
        return {name: float(factor.log_scores(mask[None])[0]) for name, factor in self.factors.items()}

    def broken(self, mask: BoolArray) -> list[tuple[int, int, str, float]]:
        """The gravest needs that a candidate breaks, in order: a kept word, the dropped one it needs, kind and cost."""
        ways = [getattr(factor, "broken", None) for factor in self.factors.values()]
        found = sorted((need for way in ways if way is not None for need in way(mask)), key=lambda need: -need[-1])
        return found[:MOST_NAMED]
