"""Stage 2: the dependency tree as probabilities over the words, for rules and factors.

"i is the subject of j" is a probability, so a rule counts as much as the parser is sure of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tersely.sentence.labels import LABELS
from tersely.sentence.tree import Tree
from tersely.system.arrays import BoolArray, IntArray
from tersely.text.words import Word

Probabilities = NDArray[np.float64]
Labels = tuple[str, ...]


@cache
def _indicator(names: Labels) -> Probabilities:
    """1 for each of these labels, (labels,)."""
    return np.array([label in names for label in LABELS], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Dependencies:
    """The probabilities of heads and labels."""

    words: tuple[Word, ...]
    heads: Probabilities  # (n, n) that word j is the head of word i
    labels: Probabilities  # (n, labels)
    roots: Probabilities  # (n,) that a word is a root
    _known: dict[Labels, Probabilities] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, words: Sequence[Word], tree: Tree | None, positions: IntArray) -> Dependencies:
        """The dependencies of the words at these positions of a tree over all tokens."""
        n = len(words)
        if tree is None:
            return cls(tuple(words), np.zeros((n, n)), np.zeros((n, len(LABELS))), np.zeros(n))
        heads = tree.probabilities[np.ix_(positions, positions)].astype(np.float64)
        roots = np.diagonal(heads).copy()
        np.fill_diagonal(heads, 0)
        return cls(tuple(words), heads, tree.label_probabilities[positions].astype(np.float64), roots)

    def has_label(self, names: Labels) -> Probabilities:
        """The probability that each word has one of these labels, (n,)."""
        if names not in self._known:
            self._known[names] = np.asarray(self.labels @ _indicator(names))
        return self._known[names]

    def depends(self, names: Labels) -> Probabilities:
        """The probability that word i depends on word j with one of these labels, (n, n)."""
        return self.heads * self.has_label(names)[:, None]

    def has_dependent(self, dependents: Probabilities | BoolArray) -> Probabilities:
        """The probability that each word has one of these dependents, (n,)."""
        return np.clip(dependents @ self.heads, 0, 1)
