"""Stage 2: a dependency parser on the states of an encoder. Not in the paper.

A biaffine form scores every pair of token and head (Dozat and Manning 2017); a token that is its own head is a root. No
word depends on a word of another window of the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tersely.sentence.labels import LABELS, PUNCTUATION, ROOT
from tersely.sentence.states import Array, Lookup, Reader, States, floats
from tersely.sentence.tree import Tree, best_heads, word_probabilities
from tersely.system.arrays import BoolArray, IntArray
from tersely.text.words import Word

_SLOPE = np.float32(0.1)  # of the leaky rectifier


@dataclass(frozen=True)
class Parser:
    """A dependency parser: words in, `Tree` out."""

    encoder: Reader
    tensor: Lookup  # by the names in a bundle, without `parser.`

    def parse(self, words: Sequence[Word]) -> Tree:
        """The tree of a text, given all its words, punctuation included."""
        return self.tree(self.encoder.read(words), np.array([word.punctuation for word in words], bool))

    def tree(self, states: States, punctuation: BoolArray) -> Tree:
        """The tree of a text that an encoder has read; `punctuation` says which of its words are marks."""
        n = len(punctuation)
        heads, probabilities = np.arange(n), np.zeros((n, n), np.float32)
        labels = np.zeros((n, len(LABELS)), np.float32)
        ends = np.append(0, states.sizes.cumsum())
        for begin, end in states.windows:
            part = slice(begin, end)
            scores, dependents, of_heads = self.scores(states.tokens[ends[begin] : ends[end]])
            rows, by = word_probabilities(softmax(scores), states.sizes[part])
            _attach_punctuation(rows, punctuation[part])
            best = best_heads(rows)
            heads[part], probabilities[part, part] = best + begin, rows
            of_labels = softmax(self.label_scores(dependents[by], of_heads[by[best]]))
            labels[part] = _word_labels(of_labels, best, punctuation[part])
        return Tree(heads, labels.argmax(1) if n else heads, probabilities, labels, states.words)

    def scores(self, tokens: Array) -> tuple[Array, Array, Array]:
        """The score of every head for every token, (tokens, heads), and two inputs of `label_scores`.

        These are the rows of each token as a dependent and as a head, (tokens, width + 1).
        """
        weights, arc = self._weights, len(self._weights["arc"])
        roles = tokens @ weights["roles"].T + self.tensor("roles.bias")
        roles = np.maximum(roles, _SLOPE * roles).astype(np.float32, copy=False)
        label = (roles.shape[1] - 2 * arc) // 2
        dependent, head, label_dependent, label_head = np.split(roles, [arc, 2 * arc, 2 * arc + label], axis=1)
        scores: Array = np.asarray(dependent @ weights["arc"] @ head.T + head @ self.tensor("arc.head"), np.float32)
        scores[np.diag_indices(len(scores))] += dependent @ self.tensor("arc.root")
        one = np.ones((len(roles), 1), np.float32)
        return scores, np.hstack([label_dependent, one]), np.hstack([label_head, one])

    def label_scores(self, dependents: Array, heads: Array) -> Array:
        """The score of each label for pairs of dependent and head, (pairs, labels)."""
        left = (dependents @ self._weights["label"]).reshape(len(heads), -1, heads.shape[1])
        scores: Array = np.asarray((left @ heads[:, :, None])[:, :, 0], np.float32)
        return scores

    @cached_property
    def _weights(self) -> dict[str, Array]:
        return {name: floats(self.tensor, name) for name in ("roles", "arc", "label")}


def softmax(scores: Array) -> Array:
    """Scores as probabilities along the last axis."""
    odds = np.exp(scores - scores.max(-1, keepdims=True))
    probabilities: Array = odds / odds.sum(-1, keepdims=True)
    return probabilities


def _word_labels(probabilities: Array, heads: IntArray, punctuation: BoolArray) -> Array:
    """The label probabilities of words; only roots and punctuation have the labels `root` and `punct`."""
    probabilities[:, [ROOT, PUNCTUATION]] = 0
    probabilities /= probabilities.sum(1, keepdims=True)
    for label, rows in ((PUNCTUATION, punctuation), (ROOT, heads == np.arange(len(heads)))):
        probabilities[rows] = 0
        probabilities[rows, label] = 1
    return probabilities


def _attach_punctuation(probabilities: Array, punctuation: BoolArray) -> None:
    """Make sure that nothing depends on punctuation and no mark is a root, unless there is nothing else."""
    if punctuation.all():
        return
    probabilities[:, punctuation] = 0
    total = probabilities.sum(1, keepdims=True)
    word = ~punctuation
    probabilities[:, word] = np.where(total > 1e-6, probabilities[:, word] / np.maximum(total, 1e-6), 1 / word.sum())
