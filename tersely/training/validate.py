"""Training: the quality of a language model on lines that it was not trained on.

Perplexity by the exact softmax over the vocabulary, with the end symbol; and how far log Z is from 0, which is the
error of the unnormalised scores that the search uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tersely.training.corpus import Encoded

if TYPE_CHECKING:
    from tersely.training.lm_network import Network  # needs torch

LINES_AT_ONCE = 64  # (lines, length, vocabulary) floats have to fit into memory

Score = Callable[[NDArray[np.int32]], tuple[NDArray[Any], NDArray[Any]]]  # as `Network.score`


@dataclass(frozen=True, slots=True)
class Quality:
    """The perplexity and log Z of a model on some lines."""

    n_tokens: int
    perplexity: float
    log_z: float  # mean
    abs_log_z: float  # mean of the absolute value

    def __str__(self) -> str:
        return f"perplexity {self.perplexity:.1f}, log Z {self.log_z:+.3f}, |log Z| {self.abs_log_z:.3f}"


def measure_all(networks: Mapping[str, Network], lines: Encoded) -> dict[str, Quality]:
    """The quality of each direction."""
    return {name: measure(network.score, lines, backward=name == "backward") for name, network in networks.items()}


def measure(score: Score, corpus: Encoded, *, backward: bool) -> Quality:
    """The perplexity and log Z of one direction on the lines of `corpus`.

    >>> def certain(lines):
    ...     return np.zeros((len(lines), lines.shape[1] + 1)), np.full((len(lines), lines.shape[1] + 1), np.log(2.0))
    >>> print(measure(certain, Encoded(np.array([5, 6], np.int32), np.array([0, 2])), backward=False))
    perplexity 2.0, log Z +0.693, |log Z| 0.693
    """
    n_tokens, total, sum_log_z, sum_abs_log_z = 0, 0.0, 0.0, 0.0
    for lines in by_length(corpus):
        right, log_z = score(lines[:, ::-1] if backward else lines)
        n_tokens += right.size
        total += float((right - log_z).sum())
        sum_log_z += float(log_z.sum())
        sum_abs_log_z += float(np.abs(log_z).sum())
    n = max(n_tokens, 1)
    return Quality(n_tokens, float(np.exp(-total / n)), sum_log_z / n, sum_abs_log_z / n)


def by_length(corpus: Encoded) -> Iterator[NDArray[np.int32]]:
    """Batches of lines of one length, (lines, length)."""
    lengths = corpus.lengths
    for length in np.unique(lengths[lengths > 0]):
        starts = corpus.offsets[:-1][lengths == length]
        for first in range(0, len(starts), LINES_AT_ONCE):
            yield corpus.ids[starts[first : first + LINES_AT_ONCE, None] + np.arange(length)]
