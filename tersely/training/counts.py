"""Training: document counts (in how many lines a word occurs) on each side, and idf.

The factors `information` and `style` are computed from document counts of titles and of articles. A corpus has a weight
in the counts that need not be its weight in the language models. The counts are stored unsmoothed; the factors smooth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.training.corpus import Encoded


@dataclass(frozen=True)
class DocumentCounts:
    """Weighted document counts (words,), and the weighted number of lines and words that were counted."""

    documents: NDArray[np.float32]
    n_lines: float
    n_words: float


def count_corpus(corpus: Encoded, n_words: int) -> DocumentCounts:
    """In how many lines of a corpus each word occurs.

    >>> corpus = Encoded(np.array([3, 3, 4, 4, 5], np.int32), np.array([0, 3, 5]))
    >>> count_corpus(corpus, 6).documents
    array([0., 0., 0., 1., 2., 1.], dtype=float32)
    """
    line_numbers = np.repeat(np.arange(corpus.n_lines, dtype=np.int64), corpus.lengths)
    pairs = np.sort(line_numbers * n_words + corpus.ids)  # takes a fiftieth of the time of np.unique
    first = np.ones(len(pairs), bool)
    first[1:] = pairs[1:] != pairs[:-1]
    documents = np.bincount(pairs[first] % n_words, minlength=n_words).astype(np.float32)
    return DocumentCounts(documents, corpus.n_lines, len(corpus.ids))


def add_counts(parts: Sequence[DocumentCounts], weights: Sequence[float]) -> DocumentCounts:
    """The weighted sum of the counts of several corpora."""
    weighted = list(zip(parts, weights, strict=True))
    documents = np.sum([weight * part.documents.astype(np.float64) for part, weight in weighted], axis=0)
    return DocumentCounts(
        np.asarray(documents, np.float32),
        sum(weight * part.n_lines for part, weight in weighted),
        sum(weight * part.n_words for part, weight in weighted),
    )


def inverse_document_frequency(documents: NDArray[np.float32], n_lines: float) -> NDArray[np.float32]:
    """idf = log2(N / df) over lines, as in the paper; a word that never occurs is counted once.

    >>> inverse_document_frequency(np.array([0, 4, 8], np.float32), 8)
    array([3., 1., 0.], dtype=float32)
    """
    return np.log2(max(n_lines, 1.0) / np.maximum(documents, 1.0)).clip(min=0).astype(np.float32)
