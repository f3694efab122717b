"""Stage 4: similarity, f_SIM of the paper: the cosine of the idf-weighted sums of the words' vectors.

The paper's formula is the plain cosine. The authors' program uses (cos + 1) / 2, and the published numbers come from
it, so `shifted` is the default. A word without a vector adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray
from tersely.system.table import Table
from tersely.text.vocabulary import UNKNOWN_ID

_SMALLEST = 1e-9  # a plain cosine can be 0 or less; its logarithm has to stay finite


@dataclass(frozen=True)
class Similarity:
    """The factor f_SIM (its power γ is its weight in the objective)."""

    vectors: Table
    idf: NDArray[np.float32]
    shifted: bool = True

    def bind(self, sentence: Sentence, budget: Budget) -> BoundSimilarity:
        """The factor for one source: only inner products between its words are kept, (n, n).

        With G the inner products of the words' weighted vectors, e(x)·e(y) and |e(y)|² are sums over entries of G:
        no candidate touches a vector again.
        """
        ids = sentence.piece_ids
        pieces = self.vectors.gather(ids).astype(np.float64) * self.idf[ids, None]
        pieces[ids == UNKNOWN_ID] = 0  # whatever the table has there
        words = np.zeros((len(sentence), self.vectors.width))
        np.add.at(words, sentence.owners, pieces)
        return BoundSimilarity(words @ words.T, self.shifted)


@dataclass(frozen=True)
class BoundSimilarity:
    """Similarity of candidates of one source."""

    products: NDArray[np.float64]  # (n, n)
    shifted: bool
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        kept = masks.astype(np.float64)
        with_source = kept @ self.products.sum(axis=1)  # e(y)·e(x)
        square = np.einsum("bn,bn->b", kept @ self.products, kept)  # |e(y)|²
        return self.log_cosine(with_source, square)

    def log_cosine(self, with_source: NDArray[np.float64], square: NDArray[np.float64]) -> NDArray[np.float64]:
        lengths = np.sqrt(np.maximum(square, 0) * self.products.sum())
        cosine = np.divide(with_source, lengths, out=np.zeros_like(lengths), where=lengths > _SMALLEST)
        value = (cosine + 1) / 2 if self.shifted else cosine
        return np.asarray(np.log(np.maximum(value, _SMALLEST)), dtype=np.float64)

    def steps(self, size: int, backward: bool) -> SimilaritySteps:
        products = self.products[::-1, ::-1] if backward else self.products
        return SimilaritySteps(BoundSimilarity(products, self.shifted), size)


class SimilaritySteps:
    """The similarity that growing prefixes may reach if the rest is drawn at random from the words after them.

    With a share φ of the words after word i to come, the expected e(x)·e(y) and |e(y)|² are sums over parts of G:
    prefix with prefix, prefix with rest, rest with rest. All parts are running sums.
    """

    def __init__(self, similarity: BoundSimilarity, size: int) -> None:
        products = similarity.products
        n = len(products)
        self._similarity, self._size, self._length = similarity, size, 0
        self._products = products
        self._diagonal = np.diagonal(products)
        self._with_source = products.sum(axis=1)
        # behind[p, i]: word p with all words after word i
        self._behind = products[:, ::-1].cumsum(axis=1)[:, ::-1] - products
        self._rest_with_source = _behind(self._with_source)
        rest = np.array([products[i + 1 :, i + 1 :].sum() for i in range(n)])
        self._rest_square, self._rest_diagonal = rest, _behind(self._diagonal)
        self._n_behind = np.arange(n - 1, -1, -1)
        self._dot = np.zeros(1)  # e(x)·e(prefix)
        self._square = np.zeros(1)  # |e(prefix)|²
        self._to_words = np.zeros((1, n))  # the prefix with each word
        self._to_rest = np.zeros((1, n))  # the prefix with all words after each word

    def values(self) -> NDArray[np.float64]:
        to_come = max(0, self._size - self._length - 1)
        share = np.minimum(to_come / np.maximum(self._n_behind, 1), 1)
        dot = self._dot[:, None] + self._with_source + share * self._rest_with_source
        square = self._square[:, None] + 2 * self._to_words + self._diagonal
        square = square + 2 * share * (self._to_rest + np.diagonal(self._behind))
        square = square + share**2 * self._rest_square + share * (1 - share) * self._rest_diagonal
        return self._similarity.log_cosine(dot, square)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._dot = self._dot[rows] + self._with_source[words]
        self._square = self._square[rows] + 2 * self._to_words[rows, words] + self._diagonal[words]
        self._to_words = self._to_words[rows] + self._products[words]
        self._to_rest = self._to_rest[rows] + self._behind[words]
        self._length += 1

    def final(self) -> NDArray[np.float64]:
        return self._similarity.log_cosine(self._dot, self._square)


def _behind(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each position the sum of the values after it."""
    return np.asarray(values[::-1].cumsum()[::-1] - values)
