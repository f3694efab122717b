"""Beside the flow: how good a language model is, on lines it has not read.

Perplexity by the exact softmax over the vocabulary, the end symbol counted; how far log Z is from 0, which is the error
of the unnormalised scores that the search uses; and whether real lines win against the same lines with two neighbouring
words swapped or all words shuffled. The models come in as functions, so that the torch models in training and the
numpy models of a finished bundle are measured by the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.training.corpus import Encoded

LINES_AT_ONCE = 64  # (lines, length, vocabulary) floats have to fit into memory


class Model(Protocol):
    """A language model of one direction."""

    def __call__(self, lines: NDArray[np.int32], *, exact: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """The scores (lines, length + 1) of words and end symbols, and log Z of each: exact, or taken to be 0."""


@dataclass(frozen=True, slots=True)
class Quality:
    """What was measured on some lines."""

    n_tokens: int
    perplexity: float
    log_z: float  # mean
    abs_log_z: float  # mean of the absolute value

    def __str__(self) -> str:
        return f"perplexity {self.perplexity:.1f}, log Z {self.log_z:+.3f}, |log Z| {self.abs_log_z:.3f}"


def by_length(corpus: Encoded) -> Iterator[NDArray[np.int64]]:
    """The numbers of the lines, in groups of one length."""
    lengths = corpus.lengths
    for length in np.unique(lengths[lengths > 0]):
        alike = np.flatnonzero(lengths == length)
        for start in range(0, len(alike), LINES_AT_ONCE):
            yield alike[start : start + LINES_AT_ONCE]


def measure(model: Model, corpus: Encoded, *, backward: bool) -> Quality:
    """The perplexity and log Z of one direction on the lines of `corpus`.

    >>> def certain(lines, exact):
    ...     return np.zeros((len(lines), lines.shape[1] + 1)), np.full((len(lines), 1), np.log(2.0))
    >>> print(measure(certain, Encoded(np.array([5, 6], np.int32), np.array([0, 2])), backward=False))
    perplexity 2.0, log Z +0.693, |log Z| 0.693
    """
    n_tokens, total, sum_log_z, sum_abs_log_z = 0, 0.0, 0.0, 0.0
    for numbers in by_length(corpus):
        lines = np.stack([corpus.line(i) for i in numbers])
        right, log_z = model(np.ascontiguousarray(lines[:, ::-1]) if backward else lines, exact=True)
        log_z = np.broadcast_to(log_z, right.shape)
        n_tokens += right.size
        total += float((right - log_z).sum())
        sum_log_z += float(log_z.sum())
        sum_abs_log_z += float(np.abs(log_z).sum())
    n = max(n_tokens, 1)
    return Quality(n_tokens, float(np.exp(-total / n)), sum_log_z / n, sum_abs_log_z / n)


def line_scores(models: Sequence[Model], lines: Sequence[NDArray[np.int32]]) -> NDArray[np.float64]:
    """The fluency of each line: the mean unnormalised score per word, end symbols counted, over both directions."""
    offsets = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
    corpus = Encoded(np.concatenate(lines), offsets)
    scores = np.zeros(len(lines))
    for numbers in by_length(corpus):
        batch = np.stack([corpus.line(i) for i in numbers])
        for model, order in zip(models, (1, -1), strict=False):
            right, _ = model(np.ascontiguousarray(batch[:, ::order]), exact=False)
            scores[numbers] += right.mean(axis=1) / len(models)
    return scores


def preferences(models: Sequence[Model], corpus: Encoded, rng: np.random.Generator) -> dict[str, float]:
    """The share of lines that score higher than a disturbed copy: two neighbours swapped, all words shuffled.

    Lines of fewer than three words, and copies that came out as they were, are left out.
    """
    lines = [corpus.line(i) for i in range(corpus.n_lines) if corpus.lengths[i] >= 3]
    if not lines:
        return {}
    original = line_scores(models, lines)
    shares = {}
    for name, disturb in (("swap", swap_neighbours), ("shuffle", shuffle)):
        copies = [disturb(line, rng) for line in lines]
        changed = np.array([not np.array_equal(a, b) for a, b in zip(lines, copies, strict=True)])
        if changed.any():
            shares[name] = float((original > line_scores(models, copies))[changed].mean())
    return shares


def swap_neighbours(line: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """A copy of the line with two neighbouring words, drawn at random, in the other order."""
    i = int(rng.integers(len(line) - 1))
    copy = line.copy()
    copy[[i, i + 1]] = line[[i + 1, i]]
    return copy


def shuffle(line: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """A copy of the line with its words in any order."""
    return rng.permutation(line)
