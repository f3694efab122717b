"""Stage 3: what the selector sees of a source: clues for each word, and for each two words that may become neighbours.

Most factors of an objective are sums over words and neighbours, or nearly so: their parts are the clues, so that little
is left to learn. An *edge* (a, b) of a summary keeps the word before position a and the word b, and drops the words
from a up to b; at a = 0 the summary begins, at b = n it ends. Training and inference make their numbers here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.grammar import BoundGrammar
from tersely.scoring.guide import Guide
from tersely.scoring.labels import LABELS
from tersely.scoring.negation import is_negation
from tersely.scoring.priors import Counts, of_words
from tersely.scoring.similarity import BoundSimilarity, Similarity
from tersely.source import Source

Array = NDArray[np.float32]

_CONTENT = 6.0  # nats of information, as for the factor contiguity
N_EDGE, N_WORD = 21, 17 + len(LABELS)  # clues of an edge, and of a word


@dataclass(frozen=True)
class Clues:
    """The clues of one source."""

    source: Source
    grammar: BoundGrammar
    information: NDArray[np.float64]  # (n,)
    style: NDArray[np.float64]
    similarity: BoundSimilarity
    after: Array  # (n + 1, n + 1) what the language model expects after the word before a: the word b
    before: Array  # (n + 1, n + 1) what it expects before the word b

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def states(self) -> Array:
        """What the parser's encoder makes of each word, (n, width)."""
        states = self.grammar.tree.states
        assert states is not None
        return states[self.source.places]

    @cached_property
    def words(self) -> Array:
        """Clues for each word by itself, (n, clues)."""
        n, source, grammar = len(self), self.source, self.grammar
        tree = grammar.tree
        rows = source.places
        place = np.arange(n)
        products = self.similarity.products
        whole = np.sqrt(max(float(products.sum()), 1e-9))
        first = np.append(True, np.diff(source.stretches) > 0)
        columns = [
            self.information / 8,
            self.information >= _CONTENT,
            self.style,
            place / n,
            1 / (1 + place),
            grammar.main,
            np.log1p(np.maximum(grammar.costs.sum(axis=1), 0)),  # a second clause takes back more than it costs
            np.log1p(np.maximum(grammar.costs.sum(axis=0), 0)),
            products.sum(axis=1) / (whole * whole) * n / 4,
            np.sqrt(np.maximum(np.diagonal(products), 0)) / whole * 2,
            np.diagonal(tree.probabilities)[rows],
            [is_negation(word) for word in source.words],
            [word.text[:1].isupper() for word in source.words],
            [any(char in "#0123456789" for char in word.text) for word in source.words],
            first,
            np.append(first[1:], True),
            np.minimum(source.stretches, 4) / 4,
        ]
        alone = np.stack([np.asarray(column, np.float32) for column in columns], axis=1)
        return np.concatenate([alone, tree.label_probabilities[rows]], axis=1)

    def edges(self, begin: int, end: int) -> Array:
        """Clues for the edges from positions `begin` up to `end`, (end - begin, n + 1 - begin, clues).

        No edge goes back, so those to positions before `begin` are left out.
        """
        n = len(self)
        a, b = np.arange(begin, end)[:, None], np.arange(begin, n + 1)[None]
        i, j = np.maximum(a - 1, 0), np.minimum(b, n - 1)  # the words kept at either side, where there are any
        inner, last = a > 0, b < n
        both = inner & last
        costs, lost, sums = self.grammar.costs, self._costs_before, self._sums
        heads = self._heads
        dropped = b - a
        content, main = (sums[k][b] - sums[k][a] for k in range(2))
        marks = self.source.stretches[j] - self.source.stretches[i]
        whole = self._whole_stretches(a, b)
        products = self.similarity.products
        scale = float(np.diagonal(products).mean()) + 1e-9
        columns = [
            np.log1p(np.maximum(dropped, 0)),
            (dropped == 0) & both,
            (dropped == 1) & both,
            np.log1p(np.maximum(content, 0)),
            (content == 0) & both,
            np.minimum(marks, 3) / 2,
            (marks == 0) & both,
            main,
            np.log1p(np.maximum(np.where(inner, lost[i, b] - lost[i, a], 0), 0)),
            np.log1p(np.maximum(np.where(last, lost[j, b] - lost[j, a], 0), 0)),
            np.where(both, costs[i, j], 0) / 2,
            np.where(both, costs[j, i], 0) / 2,
            np.where(both, heads[i, j], 0),
            np.where(both, heads[j, i], 0),
            self.after[begin:end, begin:] / 4 + 1.5,
            self.before[begin:end, begin:] / 4 + 1.5,
            np.broadcast_to(~inner, dropped.shape),
            np.broadcast_to(~last, dropped.shape),
            whole / np.maximum(dropped, 1),
            np.log1p(np.maximum(dropped - whole, 0)),
            np.where(both, products[i, j], 0) / scale,
        ]
        return np.stack([np.asarray(column, np.float32) for column in columns], axis=2)

    @cached_property
    def _costs_before(self) -> NDArray[np.float64]:
        """What each word loses with all words before a position, (n, n + 1)."""
        costs = self.grammar.costs
        return np.concatenate([np.zeros((len(costs), 1)), costs.cumsum(axis=1)], axis=1)

    @cached_property
    def _heads(self) -> NDArray[np.float32]:
        rows = self.source.places
        return self.grammar.tree.probabilities[np.ix_(rows, rows)]

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        """Running sums before each position, (2, n + 1): content words, main predicates."""
        kinds = np.stack([self.information >= _CONTENT, self.grammar.main]).astype(np.float64)
        return np.concatenate([np.zeros((2, 1)), kinds.cumsum(axis=1)], axis=1)

    def _whole_stretches(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of the words from a up to b lie in stretches that are dropped whole."""
        starts = np.append(np.flatnonzero(np.append(True, np.diff(self.source.stretches) > 0)), len(self))
        up = starts[np.searchsorted(starts, a)]  # the first border at a or after it
        down = starts[np.maximum(np.searchsorted(starts, b, side="right") - 1, 0)]
        return np.asarray(np.maximum(down - up, 0))


@dataclass(frozen=True)
class ClueReader:
    """Makes the clues of sources from the parts of a bundle."""

    counts: Counts
    similarity: Similarity
    guide: Guide

    def __call__(self, source: Source, grammar: BoundGrammar) -> Clues:
        after, before = self.guide(source)
        return Clues(
            source,
            grammar,
            of_words(source, self.counts.information(source.piece_ids)),
            of_words(source, self.counts.style(source.piece_ids)),
            self.similarity.bind(source),
            after,
            before,
        )
