"""Training: trees as arrays, and batches of them.

A treebank is a few flat arrays, so ten million tokens are 150 MB. A head is stored as its distance, so any run of whole
sentences is an example: also two sentences joined, because users' lines may hold two, or a sentence without its full
stop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.sentence.labels import PUNCTUATION, coarse
from tersely.sentence.lexicon import Features, Lexicon, normal_form, shape, suffix
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import is_punctuation
from tersely.training.conllu import read_trees

LONGEST = 100  # a longer sentence is a list or a table, and costs the square of its length
MAX_MARKS = 64  # kinds of punctuation marks in a lexicon


@dataclass(frozen=True)
class Treebank:
    """Sentences one after the other; `starts` has one more entry than there are sentences."""

    ids: NDArray[np.int32]
    suffixes: NDArray[np.int16]
    shapes: NDArray[np.int8]
    distances: NDArray[np.int16]  # head minus position: 0 for a root
    labels: NDArray[np.int8]
    starts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def take(self, sentences: NDArray[np.int64]) -> Treebank:
        lengths = self.lengths[sentences]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        index = np.repeat(self.starts[sentences] - starts[:-1], lengths) + np.arange(starts[-1])
        ids, suffixes, shapes = self.ids[index], self.suffixes[index], self.shapes[index]
        return Treebank(ids, suffixes, shapes, self.distances[index], self.labels[index], starts)

    def hold_out(self, n: int) -> tuple[Treebank, Treebank]:
        n = min(n, len(self.lengths) // 10)
        held = np.linspace(0, len(self.lengths) - 1, n, dtype=np.int64)
        return self.take(np.setdiff1d(np.arange(len(self.lengths)), held)), self.take(held)


@dataclass(frozen=True)
class Batch:
    """Examples of one length: the features, the position of each token's head, and the label."""

    features: Features  # (examples, tokens) each
    heads: NDArray[np.int64]
    labels: NDArray[np.int64]


def learn_lexicon(paths: Sequence[Path], vocabulary: Vocabulary, *, n_shared: int, n_extra: int) -> Lexicon:
    """The lexicon for these trees: their frequent pieces that are not among the first pieces of the vocabulary."""
    counts = Counter(form for path in paths for sentence in read_trees(path) for form in sentence.forms)
    marks: Counter[str] = Counter()
    pieces: Counter[str] = Counter()
    for form, count in counts.items():
        (marks if is_punctuation(form) else pieces)[normal_form(form)] += count
    n_shared = min(n_shared, len(vocabulary))
    known = set(vocabulary.pieces[:n_shared])
    extra = [mark for mark, _ in marks.most_common(MAX_MARKS) if mark not in known]
    extra += [piece for piece, count in pieces.most_common() if piece not in known and count > 1]
    return Lexicon(vocabulary, n_shared, tuple(dict.fromkeys(extra))[:n_extra])


def read_treebank(paths: Sequence[Path], lexicon: Lexicon) -> Treebank:
    """The trees of several files as arrays. Repeated sentences are left out, so that none is in both parts."""

    @cache
    def features(form: str) -> tuple[int, int, int]:
        piece = normal_form(form)
        return lexicon.id(piece), suffix(piece), shape(form)

    seen: set[int] = set()
    lengths: list[int] = []
    parts = []
    for path in paths:
        rows: list[tuple[int, ...]] = []
        for sentence in read_trees(path):
            key = hash(sentence.forms)
            if 2 <= len(sentence.forms) <= LONGEST and key not in seen:
                seen.add(key)
                lengths.append(len(sentence.forms))
                for i, (form, head) in enumerate(zip(sentence.forms, sentence.heads, strict=True)):
                    rows.append((*features(form), head - i, coarse(sentence.relations[i])))
        parts.append(np.array(rows, np.int32).reshape(-1, 5))
    if not lengths:
        raise InputError(f"no sentence of 2 to {LONGEST} tokens in {', '.join(map(str, paths))}: give a treebank")
    ids, suffixes, shapes, distances, labels = np.concatenate(parts).T
    return Treebank(
        ids.copy(),
        suffixes.astype(np.int16),
        shapes.astype(np.int8),
        distances.astype(np.int16),
        labels.astype(np.int8),
        np.concatenate([[0], np.cumsum(lengths)]),
    )


@dataclass
class TreePosition:
    """The position in a stream of batches: the round over the treebank, and the batch in it."""

    n_rounds: int = 0
    n_taken: int = 0


class TreeBatches:
    """An endless stream of batches of one length each; a round takes every sentence once, in random order."""

    def __init__(self, treebank: Treebank, *, n_tokens: int, joined: float, unended: float, seed: int) -> None:
        self.treebank, self.n_tokens, self.seed = treebank, n_tokens, seed
        self.joined, self.unended = joined, unended
        self.position = TreePosition()
        self._round = self._batches()

    def next(self) -> Batch:
        if self.position.n_taken >= len(self._round):
            self.position = TreePosition(self.position.n_rounds + 1)
            self._round = self._batches()
        starts, length = self._round[self.position.n_taken]
        self.position.n_taken += 1
        return batch(self.treebank, starts, length)

    def resume(self, position: TreePosition) -> None:
        """Continue at the position of another stream of the same treebank."""
        self.position = position
        self._round = self._batches()

    def _batches(self) -> list[tuple[NDArray[np.int64], int]]:
        """The batches of a round: where their examples start, and how long they are."""
        rng = np.random.default_rng([self.seed, self.position.n_rounds])
        trees = self.treebank
        starts, lengths = trees.starts[:-1], trees.lengths.copy()
        ended = (trees.labels[trees.starts[1:] - 1] == PUNCTUATION) & (lengths > 2)
        behind = np.append(lengths[1:], LONGEST)  # the length of the next sentence; the last has none
        join = (rng.random(len(lengths)) < self.joined) & (lengths + behind <= LONGEST)
        unended = (rng.random(len(lengths)) < self.unended) & ended & ~join
        lengths = lengths + np.where(join, behind, 0) - unended
        order = rng.permutation(len(lengths))
        order = order[np.argsort(lengths[order], kind="stable")]
        batches = []
        for group in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
            length = int(lengths[group[0]])
            size = max(1, self.n_tokens // length)
            batches += [(starts[group[i : i + size]], length) for i in range(0, len(group), size)]
        return [batches[i] for i in rng.permutation(len(batches))]


def batch(treebank: Treebank, starts: NDArray[np.int64], length: int) -> Batch:
    """The examples of one length that start at these tokens."""
    positions = np.arange(length)
    index = starts[:, None] + positions
    features = Features(
        treebank.ids[index].astype(np.int64),
        treebank.suffixes[index].astype(np.int64),
        treebank.shapes[index].astype(np.int64),
    )
    # The full stop that was cut off may have been a head, in a treebank with errors: then the token becomes a root.
    heads = positions + treebank.distances[index]
    return Batch(features, np.where(heads < length, heads, positions), treebank.labels[index].astype(np.int64))
