"""Stage 2: the dependency tree of a text: the head of each word, its label, and their probabilities.

The parser reads pieces, but a tree is over words. A word has the head of that piece whose head is outside the word
("Cuba" of "Cuba's").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.sentence.labels import LABELS
from tersely.system.arrays import IntArray

Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Tree:
    """The head and the label of every word, punctuation included; a root's head is its own position.

    A text of two sentences has two roots. `probabilities[i, j]` is the probability that word j is the head of word i,
    and on the diagonal that i is a root; rows add up to 1. `label_probabilities` are those of the labels, given the
    head.
    """

    heads: IntArray  # (words,)
    labels: IntArray  # (words,), positions in LABELS
    probabilities: Array  # (words, words)
    label_probabilities: Array  # (words, labels)
    states: Array  # (words, width) of the encoder

    def __len__(self) -> int:
        return len(self.heads)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The label of each word, by name."""
        return tuple(LABELS[label] for label in self.labels)

    @property
    def sureness(self) -> Array:
        """The probability of each word's head, (words,)."""
        sure: Array = self.probabilities[np.arange(len(self)), self.heads]
        return sure

    @property
    def roots(self) -> IntArray:
        return np.flatnonzero(self.heads == np.arange(len(self)))


def word_probabilities(probabilities: Array, sizes: IntArray) -> tuple[Array, IntArray]:
    """The head probabilities of words, (words, words), from those of pieces, and the piece whose row each word has.

    >>> pieces = np.array([[0.1, 0.0, 0.9], [0.8, 0.1, 0.1], [0, 0, 1]], np.float32)  # Cuba + 's, acts
    >>> rows, by = word_probabilities(pieces, np.array([2, 1]))
    >>> rows.round(2).tolist(), by.tolist()
    ([[0.10000000149011612, 0.8999999761581421], [0.0, 1.0]], [0, 2])
    """
    starts = np.cumsum(sizes) - sizes
    word = np.repeat(np.arange(len(sizes)), sizes)
    pieces = np.arange(len(word))
    to_words = np.add.reduceat(probabilities, starts, axis=1)  # (pieces, words)
    to_words[pieces, word] = probabilities[pieces, pieces]  # within a word, only being a root counts
    outside = to_words.sum(1)
    # The first piece whose head is more likely outside than not: of "didn't" the verb, not the "n't".
    by: IntArray = starts.copy()
    for i in np.flatnonzero(sizes > 1):
        by[i] += np.minimum(outside[starts[i] : starts[i] + sizes[i]], 0.5).argmax()
    return to_words[by] / np.maximum(outside[by, None], np.float32(1e-9)), by


def best_heads(probabilities: Array) -> IntArray:
    """The most likely head of every word, without cycles.

    Cycles are broken one by one: the word that loses least gets a head outside the cycle. A word that leads to a root
    does so for good, and is not followed again.

    >>> best_heads(np.array([[0.3, 0.7, 0.0], [0.8, 0.0, 0.2], [0.0, 0.0, 1.0]], np.float32)).tolist()
    [0, 0, 2]
    """
    scores = np.log(np.maximum(probabilities, 1e-9))
    heads: IntArray = scores.argmax(1)
    leads = heads == np.arange(len(heads))  # whether a word is known to lead to a root
    for word in range(len(heads)):
        path = [word]
        while not leads[path[-1]]:
            head = int(heads[path[-1]])
            if head not in path:
                path.append(head)
                continue
            cycle = np.array(path[path.index(head) :])
            outside = scores[cycle]
            roots = outside[:, cycle].diagonal().copy()
            outside[:, cycle] = -np.inf
            outside[np.arange(len(cycle)), cycle] = roots
            loosest = (scores[cycle, heads[cycle]] - outside.max(1)).argmin()
            loose = cycle[loosest]
            scores[loose] = outside[loosest]  # never again a head in this cycle, so the loop ends
            heads[loose] = outside[loosest].argmax()
            leads[loose] = heads[loose] == loose
            path = path[: path.index(int(loose)) + 1]
        leads[path] = True
    return heads
