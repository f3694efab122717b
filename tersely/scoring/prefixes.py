"""Stage 4: a language model's states for the prefixes of one source's candidates, each computed once.

Candidates of one source share most of their beginnings. A node of the tree is a prefix, an edge one more piece; a node
keeps the state and the log-probability of every piece of the source that may come next, and of the end symbol. A
candidate is a path from the root: only the part of it that no earlier candidate had reaches the LSTM, and no step
multiplies by the vocabulary (unless the softmax is to be exact).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.lstm import LanguageModel, State
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray
from tersely.text.vocabulary import END_ID

_MAX_BYTES = 64 << 20  # when the nodes take more than this, the tree starts anew


class PrefixTree:
    """The prefixes of one source in one direction; pieces are numbered in reading order, the end symbol comes last."""

    def __init__(self, model: LanguageModel, sentence: Sentence, *, backward: bool, exact_softmax: bool) -> None:
        self.model, self.backward, self.exact_softmax = model, backward, exact_softmax
        ids = sentence.piece_ids[::-1] if backward else sentence.piece_ids
        self.end = len(ids)
        targets = np.append(ids, END_ID)
        # A piece that occurs twice in the source is one piece here: equal texts are equal paths.
        _, first, which = np.unique(ids, return_index=True, return_inverse=True)
        self._first = first[which]
        self._projected = model.project(ids)  # (pieces, 4 hidden)
        self._output, self._output_bias = model.output_of(targets)  # (hidden, pieces + 1)
        row_bytes = 8 * sum(layer.hidden for layer in model.layers) + 8 * (self.end + 1)
        self._max_nodes = max(1024, _MAX_BYTES // row_bytes)
        self.rows = 0  # that the model has read
        self._start()

    def _start(self) -> None:
        """An empty tree: only the root, the state after the begin symbol."""
        room, hidden = 1024, [layer.hidden for layer in self.model.layers]
        self._h = [np.empty((room, width), dtype=np.float32) for width in hidden]
        self._c = [np.empty((room, width), dtype=np.float32) for width in hidden]
        self._log_p = np.empty((room, self.end + 1), dtype=np.float32)
        self._children = np.full((room, self.end), -1, dtype=np.int32)
        self.size = 0
        self._add(self.model.begin)

    def log_probability(self, piece_masks: BoolArray) -> NDArray[np.float64]:
        """The log-probability of each kept sequence with its end symbol, (batch, pieces) to (batch,)."""
        lengths = piece_masks.sum(axis=1)
        at_once = max(1, self._max_nodes // int(lengths.max(initial=0) + 1))
        if len(piece_masks) > at_once:  # thousands of long candidates: their nodes would not fit
            chunks = [piece_masks[i : i + at_once] for i in range(0, len(piece_masks), at_once)]
            return np.concatenate([self.log_probability(chunk) for chunk in chunks])
        if self.full:
            self._start()
        if self.backward:
            piece_masks = piece_masks[:, ::-1]
        # Kept positions first, in reading order: column t of `order` is the t-th piece of every candidate.
        order = np.argsort(~piece_masks, axis=1, kind="stable")  # (batch, pieces)
        total = np.zeros(len(piece_masks))
        rows = np.arange(len(piece_masks))
        nodes = np.zeros(len(rows), dtype=np.int64)
        for t in range(int(lengths.max(initial=0)) + 1):
            pieces = np.where(lengths[rows] > t, order[rows, min(t, self.end - 1)], self.end)
            total[rows] += self._log_p[nodes, pieces]
            going = pieces < self.end
            rows, nodes = rows[going], self.extend(nodes[going], pieces[going])
        return total

    @property
    def full(self) -> bool:
        """Whether the nodes take more memory than they are worth."""
        return self.size > self._max_nodes

    def forget_all_but(self, nodes: IntArray) -> IntArray:
        """Drop all prefixes but the root and `nodes`, which get new numbers: those are returned."""
        kept = np.append(0, nodes)
        self._h, self._c = [h[kept] for h in self._h], [c[kept] for c in self._c]
        self._log_p = self._log_p[kept]
        self._children = np.full((len(kept), self.end), -1, dtype=np.int32)
        self.size = len(kept)
        return np.arange(1, len(kept))

    def log_p(self, nodes: IntArray) -> NDArray[np.float32]:
        """The log-probability of every piece, and of the end symbol, after each prefix: (nodes, pieces + 1)."""
        return np.asarray(self._log_p[nodes])

    def extend(self, nodes: IntArray, pieces: IntArray) -> IntArray:
        """The prefixes with one more piece each; those that are not there yet are computed, all at once."""
        pieces = self._first[pieces]
        children = self._children[nodes, pieces].astype(np.int64)
        missing = np.flatnonzero(children < 0)
        if len(missing):
            keys, first = np.unique(nodes[missing] * self.end + pieces[missing], return_index=True)
            parents, added = keys // self.end, pieces[missing][first]
            new = np.append(True, parents[1:] != parents[:-1])  # they are in order, and many go on in several ways
            distinct, which = parents[new], np.cumsum(new) - 1
            state = State(tuple(h[distinct] for h in self._h), tuple(c[distinct] for c in self._c))
            begin = self.size
            self._add(self.model.step(self._projected[added], state, which))
            self._children[parents, added] = np.arange(begin, self.size)
            children[missing] = self._children[nodes[missing], pieces[missing]]
        return children

    def _add(self, state: State) -> None:
        log_p = state.h[-1] @ self._output + self._output_bias
        if self.exact_softmax:
            log_p = log_p - self.model.log_z(self.model.features(state))[:, None]
        begin, self.size = self.size, self.size + len(log_p)
        self.rows += len(log_p)
        self._make_room()
        for depth, (h, c) in enumerate(zip(state.h, state.c, strict=True)):
            self._h[depth][begin : self.size], self._c[depth][begin : self.size] = h, c
        # A probability is at most 1; a self-normalised score may miss that by a hair.
        self._log_p[begin : self.size] = np.minimum(log_p, 0)
        self._children[begin : self.size] = -1

    def _make_room(self) -> None:
        room = len(self._log_p)
        if self.size > room:
            room = max(self.size, 2 * room)
            self._h, self._c = [_grown(h, room) for h in self._h], [_grown(c, room) for c in self._c]
            self._log_p, self._children = _grown(self._log_p, room), _grown(self._children, room)


def _grown(rows: NDArray[Any], room: int) -> NDArray[Any]:
    """The rows with room for more after them."""
    grown = np.empty((room, rows.shape[1]), dtype=rows.dtype)
    grown[: len(rows)] = rows
    return grown
