"""Training: an endless stream of batches of sentences of one length, drawn from several corpora by weight.

A *round* takes the next lines of each corpus, as many as its weight says, sorts them by length and cuts them into
batches of about the same number of tokens; no sentence is padded. A corpus that is used up starts again. The position
of the stream is a few numbers in the checkpoint, so a resumed run reads the same batches as one that was never stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.training.corpus import Encoded

BATCHES_PER_ROUND = 512  # enough that nearly all batches of a round are full


@dataclass
class StreamPosition:
    """The position in a stream: the round, the batch in it, and the first line of each corpus in this round."""

    cursors: list[int]
    weights: list[float] = field(default_factory=list)
    n_rounds: int = 0
    n_taken: int = 0


class Batches:
    """Batches of (lines, length) ids from `corpora`."""

    def __init__(self, corpora: Sequence[Encoded], *, n_tokens: int, longest: int, seed: int) -> None:
        self.corpora, self.n_tokens, self.longest = corpora, n_tokens, longest
        self.seed = seed
        self.lines = [np.flatnonzero((c.lengths >= 1) & (c.lengths <= longest)) for c in corpora]
        if not any(len(lines) for lines in self.lines):
            raise InputError(f"no sentence of 1 to {longest} words to train on: give more text or a larger --longest")
        self.position = StreamPosition([0] * len(corpora))
        self._next_cursors = self.position.cursors
        self._round: list[NDArray[np.int32]] = []

    def next(self, weights: Sequence[float]) -> NDArray[np.int32]:
        """The next batch; `weights` are the shares of the corpora in the tokens, from the next round on."""
        at = self.position
        if at.n_taken >= len(self._round):
            at.cursors, at.weights = self._next_cursors, list(weights)
            at.n_rounds, at.n_taken = at.n_rounds + 1, 0
            self._fill()
        batch = self._round[at.n_taken]
        at.n_taken += 1
        return batch

    def resume(self, position: StreamPosition) -> None:
        """Continue at the position of another stream of the same corpora."""
        self.position = position
        if position.n_rounds:
            self._fill()

    def _fill(self) -> None:
        rng = np.random.default_rng([self.seed, self.position.n_rounds])
        by_length: dict[int, list[NDArray[np.int32]]] = {}
        for corpus, chosen in self._draw():
            lengths = corpus.lengths[chosen]
            for length in np.unique(lengths):
                starts = corpus.offsets[chosen[lengths == length]]
                by_length.setdefault(int(length), []).append(corpus.ids[starts[:, None] + np.arange(length)])
        self._round = []
        for length, parts in sorted(by_length.items()):
            lines = rng.permutation(np.concatenate(parts))
            n_batches = max(1, round(len(lines) * (length + 1) / self.n_tokens))
            self._round.extend(np.array_split(lines, n_batches))
        rng.shuffle(self._round)

    def _draw(self) -> Iterator[tuple[Encoded, NDArray[np.int64]]]:
        """The corpora and the numbers of their next lines."""
        weights = self.position.weights
        usable = [weight if len(lines) else 0.0 for weight, lines in zip(weights, self.lines, strict=True)]
        total = sum(usable)
        if total <= 0:
            raise InputError("no corpus with a weight above 0 has a usable sentence: give more text or other weights")
        available = sum(len(c.ids) for c, weight in zip(self.corpora, usable, strict=True) if weight)
        n_round = min(self.n_tokens * BATCHES_PER_ROUND, available)
        self._next_cursors = list(self.position.cursors)
        for k, (corpus, lines, weight) in enumerate(zip(self.corpora, self.lines, usable, strict=True)):
            if not weight:
                continue
            mean = 1 + float(corpus.lengths[lines].mean())
            n_lines = max(1, round(n_round * weight / total / mean))
            self._next_cursors[k] += n_lines
            yield corpus, lines[(self.position.cursors[k] + np.arange(n_lines)) % len(lines)]
