"""Stage 4: editor: what a careful editor would keep, learned from shortenings by deletion. Not in the paper.

Given the sentence, its tree and the number of words, log f of a candidate is a sum over its neighbours (`edges`, which
hold the score of the later word), less a sum over every kept word and every dropped one that it needs (`needs`). Needs
of two neighbours for the words between them are a part of the chain, whose likelihood was learned over all candidates;
the others were learned against some candidates only and count by `far_needs`.
`edges[a, b]`: the word before position a is kept, then the word b; at 0 a candidate begins, and at n it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.scoring.need_steps import NeedSteps
from tersely.scoring.needs import gravest
from tersely.sentence.articles import clashes
from tersely.sentence.encoder import gelu
from tersely.sentence.labels import LABELS
from tersely.sentence.sentence import Sentence
from tersely.sentence.states import Array, Lookup, floats
from tersely.sentence.tree import Tree
from tersely.system.arrays import BoolArray, IntArray

Scores = NDArray[np.float64]
Real = TypeVar("Real", bound=np.floating[Any])

_AROUND = 2  # words more and less than expected, where what one more word adds is measured
_TINY = 1e-300
_CLASH = 12.0  # of an article with its next word: "a ear"
_NAMED = 1.0  # a broken need that costs less is not worth a line
_DECIMALS = 5  # beyond these a score is noise of float32
_MOST_TRIED = 40_000_000  # pairs of neighbours, to compare lengths: some 50 ms
EDITED, COMPRESSED, SPOKEN = STYLES = range(3)  # styles: our editors', sentence compression data, subtitles
N_LENGTH, N_GAP, N_PAIR, N_LINKS = 4, 9, 4, 4
N_ASKED = N_LENGTH + len(STYLES) - 1


def asked(n: int, size: float, style: int = EDITED, known: int = len(STYLES)) -> Array:
    """What the editor is told: the number of words asked for, out of n, and the style, one of those `known`."""
    length = np.array([1, size / n, 4 / size, np.log(size) / 2], np.float32)
    return np.append(length, np.arange(1, known, dtype=np.float32) == style).astype(np.float32)


def gap_clues(stretches: IntArray) -> Array:
    """What is known of every pair of neighbours, (n + 1, n + 1, clues): the words and marks between them, the ends."""
    clues, kinds = gap_kinds(stretches)
    return np.asarray(clues[kinds])


def gap_kinds(stretches: IntArray) -> tuple[Array, IntArray]:
    """The clues of every kind of gap, (kinds, clues), and the kind of every pair of neighbours, (n + 1, n + 1).

    A kind is the number of words between, that of marks up to 3, and whether the gap is at the beginning or at the end:
    many pairs, few kinds.
    """
    n = len(stretches)
    a, b = np.arange(n + 1)[:, None], np.arange(n + 1)
    marks = stretches[np.minimum(b, n - 1)] - stretches[np.maximum(a - 1, 0)]
    marks = np.where((a > 0) & (b < n), marks.clip(0, 3), 0)
    kinds = np.maximum(b - a, 0) * 16 + marks * 4 + (a == 0) * 2 + (b == n)
    gap, marks, first, last = np.indices((n + 1, 4, 2, 2)).reshape(4, -1)
    clues = [np.log1p(gap), gap == 0, gap == 1, marks / 2, (first + last + marks == 0)]
    clues += [first, last, first * (gap == 0), last * (gap == 0)]
    return np.stack(clues, 1).astype(np.float32), kinds


def pair_clues(stretches: IntArray) -> Array:
    """What is known of every pair of words, (n, n, clues): distance, same stretch between marks, order, neighbours."""
    i = np.arange(len(stretches))
    far = np.abs(i[:, None] - i)
    clues = np.empty((len(i), len(i), N_PAIR), np.float32)
    of_pairs = np.log1p(i)[far], stretches[:, None] == stretches, i[:, None] < i, far == 1
    for k, clue in enumerate(of_pairs):
        clues[:, :, k] = clue
    return clues


def gap_needs(needs: NDArray[Real]) -> NDArray[Real]:
    """What two neighbours need of the words between them, (n + 1, n + 1), by position as in edges.

    >>> needs = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]])  # both others need the middle word
    >>> gap_needs(needs)[1, 1:3].tolist()
    [0.0, 5.0]
    """
    sums = np.pad(needs.cumsum(1), ((0, 0), (1, 0)))  # (n, n + 1): of the needed words before a position
    before, after = np.pad(sums, ((1, 0), (0, 0))), np.pad(sums, ((0, 1), (0, 0)))
    return np.asarray(before - before.diagonal()[:, None] + (after.diagonal()[:, None] - after).T)


@dataclass(frozen=True)
class Editor:
    """The factor `editor`."""

    tensor: Lookup
    far_needs: float  # how much the needs count that a chain does not see, from 0 to 1
    style: int = EDITED

    def bind(self, sentence: Sentence, budget: Budget) -> BoundEditor | None:
        """The editor's scores for summaries of about as many words as the budget allows; None without a tree."""
        if sentence.tree is None:
            return None
        edges, needs = self.scores(sentence.tree, sentence.positions, sentence.stretches, budget.n_words)
        edges -= (1 - np.float32(self.far_needs)) * gap_needs(needs)
        needs *= np.float32(self.far_needs)
        edges[1:, :-1] -= _CLASH * clashes(sentence).astype(np.float32)
        if not budget.exact and self.style != SPOKEN:
            edges[:, :-1] -= worth_of_a_word(edges, budget.n_words)
        exact_edges, exact_needs = (some.astype(np.float64).round(_DECIMALS) for some in (edges, needs))
        by_length = np.zeros(len(edges))
        if not budget.exact and self.style == SPOKEN:
            found = log_partitions(exact_edges - gap_needs(exact_needs), budget.most_words).round(_DECIMALS)
            by_length = np.pad(found, (0, len(edges) - len(found)), mode="edge")
        return BoundEditor(exact_edges, exact_needs, sentence.tree.labels[sentence.positions], by_length)

    def scores(self, tree: Tree, words: IntArray, stretches: IntArray, size: float) -> tuple[Array, Array]:
        """The edges, (n + 1, n + 1), and the needs, (n, n), for words at these positions of a tree."""
        weights, bias = self._weights, self.tensor
        n, states = len(words), tree.states[words]
        above, labels = tree.probabilities[np.ix_(words, words)], tree.label_probabilities[words]
        told = asked(n, size, self.style, weights["word_asked"].shape[1] - N_LENGTH + 1)
        before, after, needing, needed = np.split(states @ weights["roles"].T + bias("roles.bias"), 4, axis=1)
        scale = np.float32(before.shape[1] ** -0.5)
        border = weights["border"]
        edges = np.concatenate([border[:1], before]) @ np.concatenate([after, border[1:]]).T * scale

        inner = np.hstack([states, labels, above.diagonal()[:, None]]) @ weights["word"].T
        inner += bias("word.bias") + weights["word_asked"] @ told
        edges[:, :n] += gelu(inner) @ weights["word_out"][0] + bias("word_out.bias")
        clues, kinds = gap_kinds(stretches)
        inner = clues @ weights["gap"][:, :N_GAP].T
        inner += weights["gap"][:, N_GAP:] @ told + bias("gap.bias")
        edges += (gelu(inner) @ weights["gap_out"][0] + bias("gap_out.bias"))[kinds]

        of_labels = (labels @ weights["link_label"].T).reshape(n, N_LINKS, len(told)) @ told
        links = states @ weights["link"].T + bias("link.bias") + of_labels  # (n, links)
        up, down, to_after, to_before = (above * links[:, k : k + 1] for k in range(N_LINKS))
        edges[1:, :n] += to_after + to_before.T
        needs = needing @ needed.T * scale + pair_clues(stretches) @ weights["pair"][0] + bias("pair.bias")
        needs = np.logaddexp(0, needs + up + down.T)
        np.fill_diagonal(needs, 0)
        return edges, needs

    @cached_property
    def _weights(self) -> Mapping[str, Array]:
        names = ("roles", "border", "word", "word_asked", "word_out", "gap", "gap_out", "link", "link_label", "pair")
        return {name: floats(self.tensor, name) for name in names}


def worth_of_a_word(edges: Array, size: int) -> np.float32:
    """What one more word adds to the best sum over neighbours, around so many words.

    The editor has learned to compare summaries of one length, so what it gives to any word is arbitrary. Within a
    limit, where lengths compete, that is taken away: the best of a few more words and of a few fewer are then equal.

    >>> worth_of_a_word(np.full((9, 9), 2.0, np.float32), 4)
    np.float32(2.0)
    """
    n = len(edges) - 1
    least, most = max(1, size - _AROUND), min(n, size + _AROUND)
    if most == least:
        return np.float32(0)
    ahead = _edges_ahead(edges, most)
    near = ahead.shape[1]
    padded, best = np.full(n + near, -np.inf), {}
    values = padded[near - 1 :]  # by the position after the last word
    values[0] = 0
    for k in range(1, most + 1):
        reached = ahead + _values_before(padded, near)
        values[0], values[1:] = -np.inf, reached.max(axis=1)
        if k in (least, most):
            best[k] = (values + edges[:, n]).max()
    return np.float32((best[most] - best[least]) / (most - least))


def log_partitions(edges: Scores, most: int) -> Scores:
    """The logarithm of the sum over all candidates of each number of words up to `most`, (most + 1,); 0 for no words.

    >>> np.exp(log_partitions(np.zeros((5, 5)), 4)).round().tolist()
    [1.0, 4.0, 6.0, 4.0, 1.0]
    """
    n = len(edges) - 1
    ahead = _edges_ahead(edges, most)
    near = ahead.shape[1]
    highest, last = ahead.max(), edges[:, n].max()
    factors, ends = np.exp(ahead - highest), np.exp(edges[:, n] - last)
    padded, found, scale = np.zeros(n + near), np.zeros(most + 1), 0.0
    values = padded[near - 1 :]  # by the position after the last word, all times exp(-scale)
    values[0] = 1
    for k in range(1, most + 1):
        reached = (factors * _values_before(padded, near)).sum(axis=1)
        total = max(reached.max(), _TINY)
        values[0], values[1:] = 0, reached / total
        scale += highest + np.log(total)
        found[k] = scale + last + np.log(max(values @ ends, _TINY))
    return found


def _edges_ahead(edges: NDArray[Real], most: int) -> NDArray[Real]:
    """The edges to each word from the positions before it, the nearest first, (n, positions); -inf where there is none.

    Of a long text, words that are far apart are no neighbours.
    """
    n = len(edges) - 1
    near = min(n, max(1, _MOST_TRIED // (n * most)))
    before = np.arange(n)[:, None] - np.arange(near)
    return np.where(before < 0, -np.inf, edges[before.clip(0), np.arange(n)[:, None]])


def _values_before(padded: Scores, near: int) -> Scores:
    """The values by position, with near - 1 before the first, in the order of `_edges_ahead`."""
    return np.lib.stride_tricks.sliding_window_view(padded, near)[: len(padded) - near, ::-1]


@dataclass(frozen=True)
class BoundEditor:
    """The editor's scores of the candidates of one sentence and budget."""

    neighbours: Scores  # (n + 1, n + 1)
    needs: Scores  # (n, n)
    labels: IntArray  # (n,) of the words in the tree, to name what is lost
    by_length: Scores  # (n + 1,) subtracted from what has so many words
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Scores:
        kept = masks.astype(np.float64)
        rows, words = np.nonzero(np.pad(masks, ((0, 0), (0, 1)), constant_values=True))  # the end is always there
        first = np.append(True, rows[1:] != rows[:-1])
        before = np.where(first, 0, np.append(0, words[:-1] + 1))
        total = np.bincount(rows, weights=self.neighbours[before, words], minlength=len(masks))
        return np.asarray(total - ((kept @ self.needs) * (1 - kept)).sum(axis=1) - self.by_length[masks.sum(axis=1)])

    def edges(self, size: int) -> Scores:
        """What a chain knows of the score: the sum over neighbours, with their needs for the words between them.

        It does not count words, so what one more word adds around that size is subtracted from each.
        """
        edges = self.neighbours - gap_needs(self.needs)
        least, most = max(1, size - _AROUND), min(len(self.needs), size + _AROUND)
        edges[:, :-1] -= (self.by_length[most] - self.by_length[least]) / max(1, most - least)
        return np.asarray(edges)

    def steps(self, size: int, backward: bool) -> EditorSteps:
        order = slice(None, None, -1) if backward else slice(None)
        edges = self.neighbours[::-1, ::-1].T if backward else self.neighbours
        return EditorSteps(edges, self.needs[order, order], self.by_length)

    def broken(self, mask: BoolArray) -> list[tuple[int, int, str, float]]:
        """The gravest needs that a candidate breaks: a kept word, the dropped one it needs, its label, and the cost."""
        kept, dropped = np.flatnonzero(mask), np.flatnonzero(~mask)
        costs = self.needs[np.ix_(kept, dropped)]
        rows, columns = np.nonzero(costs > _NAMED)
        first = gravest(costs[rows, columns])
        lost = zip(kept[rows[first]].tolist(), dropped[columns[first]].tolist(), strict=True)
        return [(i, j, LABELS[self.labels[j]], float(self.needs[i, j])) for i, j in lost]


class EditorSteps:
    """The scores of growing prefixes; positions are in reading order."""

    def __init__(self, edges: Scores, needs: Scores, by_length: Scores) -> None:
        self._edges, self._needs, self._by_length, self._n_words = edges, NeedSteps(needs), by_length, 0
        self._total, self._next = np.zeros(1), np.zeros(1, dtype=np.int64)

    def values(self) -> Scores:
        return np.asarray(self._total[:, None] + self._edges[self._next, :-1] + self._needs.values())

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._total = self._total[rows] + self._edges[self._next[rows], words]
        self._next = words + 1
        self._n_words += 1
        self._needs.advance(rows, words)

    def final(self) -> Scores:
        lost = self._needs.final() - self._by_length[self._n_words]
        return np.asarray(self._total + self._edges[self._next, -1] + lost)
