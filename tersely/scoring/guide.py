"""Stage 3: which word a language model expects beside which, without reading anything: a guide for word pairs.

After a word, whatever stands before it, a language model expects some words more than others. A small network guesses
from the word alone what the model's features would be; their products with the output rows are log-probabilities of
pairs, good to a first glance. `tersely distill` trains it on what the models say of summaries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.table import Table
from tersely.source import IntArray, Source
from tersely.vocab import BEGIN_ID, END_ID

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Expectation:
    """What one language model expects next to a piece."""

    embedding: Table
    output: Table
    output_bias: Array
    hidden: Array  # (hidden, width of the embedding)
    hidden_bias: Array
    features: Array  # (width of the output table, hidden)
    features_bias: Array

    def __call__(self, seen: IntArray, next_to: IntArray) -> Array:
        """The log-probability of each piece of `next_to` after each of `seen`, (seen, next_to)."""
        hidden = np.maximum(self.embedding.gather(seen) @ self.hidden.T + self.hidden_bias, 0)
        features = hidden @ self.features.T + self.features_bias
        return np.asarray(np.minimum(features @ self.output.gather(next_to).T + self.output_bias[next_to], 0))


@dataclass(frozen=True)
class Guide:
    """The expectations of both models."""

    forward: Expectation
    backward: Expectation

    def __call__(self, source: Source) -> tuple[Array, Array]:
        """For all edges of a source, (n + 1, n + 1): the word b after the word before a, and the other way round."""
        pieces = source.piece_ids
        first = np.searchsorted(source.owners, np.arange(len(source)))
        last = np.searchsorted(source.owners, np.arange(len(source)), side="right") - 1
        left = pieces[last]  # the piece of a word that stands next to the word after it
        right = pieces[first]
        after = self.forward(np.append(BEGIN_ID, left), np.append(right, END_ID))
        before = self.backward(np.append(right, BEGIN_ID), np.append(END_ID, left)).T
        return after, before
