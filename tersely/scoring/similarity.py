"""Stage 3: similarity, f_SIM of the paper: the cosine of the idf-weighted sums of the words' vectors.

The paper's formula is the plain cosine. The authors' program uses (cos + 1) / 2, and the published numbers come from
it, so `shifted` is the default. A word without a vector adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.table import Table
from tersely.source import BoolArray, Source

_SMALLEST = 1e-9  # a plain cosine can be 0 or less; its logarithm has to stay finite


@dataclass(frozen=True)
class Similarity:
    """The factor f_SIM (its power γ is its weight in the objective)."""

    vectors: Table
    idf: NDArray[np.float32]
    shifted: bool = True

    def bind(self, source: Source) -> BoundSimilarity:
        """The factor for one source: only inner products between its words are kept, (n, n).

        With G the inner products of the words' weighted vectors, e(x)·e(y) and |e(y)|² are sums over entries of G:
        no candidate touches a vector again.
        """
        ids = source.piece_ids
        pieces = self.vectors.gather(ids).astype(np.float64) * self.idf[ids, None]
        words = np.zeros((len(source), self.vectors.width))
        np.add.at(words, source.owners, pieces)
        return BoundSimilarity(words @ words.T, self.shifted)


@dataclass(frozen=True)
class BoundSimilarity:
    """Similarity of candidates of one source."""

    products: NDArray[np.float64]  # (n, n)
    shifted: bool

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        """log f_SIM of each candidate, (batch,)."""
        kept = masks.astype(np.float64)
        with_source = kept @ self.products.sum(axis=1)  # e(y)·e(x)
        square = np.einsum("bn,bn->b", kept @ self.products, kept)  # |e(y)|²
        lengths = np.sqrt(np.maximum(square, 0) * self.products.sum())
        cosine = np.divide(with_source, lengths, out=np.zeros(len(masks)), where=lengths > _SMALLEST)
        value = (cosine + 1) / 2 if self.shifted else cosine
        return np.asarray(np.log(np.maximum(value, _SMALLEST)), dtype=np.float64)
