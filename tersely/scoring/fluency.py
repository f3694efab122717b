"""Stage 4: fluency, f_LM of the paper: the inverse of the geometric mean of two language models' perplexities.

log f_LM(y) = (Σ log p→(y_i | y_<i) + Σ log p←(y_i | y_>i)) / 2(|y| + 1). The paper divides by 2|y|; the authors'
program also counts the end symbol of each direction, hence the + 1, and the published numbers come from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.scoring.lstm import LanguageModel
from tersely.scoring.prefixes import PrefixTree
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray


@dataclass(frozen=True)
class Fluency:
    """The factor f_LM: `forward`, `backward` or both, averaged."""

    forward: LanguageModel | None
    backward: LanguageModel | None
    exact_softmax: bool = False

    def bind(self, sentence: Sentence, budget: Budget) -> BoundFluency:
        def tree(model: LanguageModel, backward: bool) -> PrefixTree:
            return sentence.shared(
                ("prefixes", id(model), self.exact_softmax),
                lambda: PrefixTree(model, sentence, backward=backward, exact_softmax=self.exact_softmax),
            )

        both = ((self.forward, False), (self.backward, True))
        return BoundFluency(sentence, tuple(tree(model, backward) for model, backward in both if model is not None))


@dataclass(frozen=True)
class BoundFluency:
    """Fluency of candidates of one source."""

    sentence: Sentence
    trees: tuple[PrefixTree, ...]
    steps_are_exact: ClassVar[bool] = False

    @property
    def rows(self) -> int:
        """How many prefixes the models have read."""
        return sum(tree.rows for tree in self.trees)

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        pieces = self.sentence.piece_masks(masks)
        total: NDArray[np.float64] = np.zeros(len(masks))
        for tree in self.trees:
            total += tree.log_probability(pieces)
        total /= len(self.trees) * (pieces.sum(axis=1) + 1)
        return total

    def steps(self, size: int, backward: bool) -> FluencySteps | None:
        """Fluency word by word, by the model that reads in this direction alone.

        Both models estimate the same probability of the whole summary, so one of them stands for both here.
        """
        trees = [tree for tree in self.trees if tree.backward == backward]
        return FluencySteps(self.sentence, trees[0], size) if trees else None


# What the second piece of a word ("'s", "percent") costs before the first one is read, in nats: about its mean.
_TAIL = -2.0


class FluencySteps:
    """The log-probability of growing prefixes."""

    def __init__(self, sentence: Sentence, tree: PrefixTree, size: int) -> None:
        owners = len(sentence) - 1 - sentence.owners[::-1] if tree.backward else sentence.owners
        self._tree = tree
        self._first = np.searchsorted(owners, np.arange(len(sentence)))  # (n,) first piece of each word
        self._pieces = np.bincount(owners, minlength=len(sentence))  # (n,) pieces of each word
        self._nodes = np.zeros(1, dtype=np.int64)
        self._total = np.zeros(1)
        self._denominator = size * len(owners) / len(sentence) + 1

    def values(self) -> NDArray[np.float64]:
        """The mean log-probability with each next word, as if the rest cost nothing."""
        next_word = self._tree.log_p(self._nodes)[:, self._first] + _TAIL * (self._pieces - 1)
        return np.asarray((self._total[:, None] + next_word) / self._denominator)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        nodes, total = self._nodes[rows], self._total[rows]
        if self._tree.full:
            nodes = self._tree.forget_all_but(nodes)
        for k in range(int(self._pieces[words].max(initial=0))):
            more = np.flatnonzero(self._pieces[words] > k)
            pieces = self._first[words[more]] + k
            total[more] += self._tree.log_p(nodes[more])[np.arange(len(more)), pieces]
            nodes[more] = self._tree.extend(nodes[more], pieces)
        self._nodes, self._total = nodes, total

    def final(self) -> NDArray[np.float64]:
        return np.asarray((self._total + self._tree.log_p(self._nodes)[:, -1]) / self._denominator)
