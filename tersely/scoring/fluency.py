"""Stage 3: fluency, f_LM of the paper: the inverse of the geometric mean of two language models' perplexities.

log f_LM(y) = (Σ log p→(y_i | y_<i) + Σ log p←(y_i | y_>i)) / 2(|y| + 1). The paper divides by 2|y|; the authors'
program also counts the end symbol of each direction, hence the + 1, and the published numbers come from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.lstm import LanguageModel
from tersely.source import BoolArray, IntArray, Source
from tersely.vocab import END_ID

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Fluency:
    """The factor f_LM: `forward`, `backward` or both, averaged."""

    forward: LanguageModel | None
    backward: LanguageModel | None
    exact_softmax: bool = False

    def bind(self, source: Source) -> BoundFluency:
        """The factor for one source."""
        models = []
        if self.forward is not None:
            models.append(BoundModel(self.forward, source, backward=False, exact_softmax=self.exact_softmax))
        if self.backward is not None:
            models.append(BoundModel(self.backward, source, backward=True, exact_softmax=self.exact_softmax))
        return BoundFluency(source, tuple(models))


@dataclass(frozen=True)
class BoundFluency:
    """Fluency of candidates of one source."""

    source: Source
    models: tuple[BoundModel, ...]

    def log_scores(self, masks: BoolArray) -> Scores:
        """log f_LM of each candidate, (batch,)."""
        pieces = self.source.piece_masks(masks)
        total: Scores = np.zeros(len(masks))
        for model in self.models:
            total += model.log_probability(pieces)
        total /= len(self.models) * (pieces.sum(axis=1) + 1)
        return total


class BoundModel:
    """A language model with all that it needs to know of one source, computed once.

    The inputs of the source's pieces are projected to the gates, and their output rows gathered: no step multiplies
    by an embedding, and in self-normalised mode none by the vocabulary.
    """

    def __init__(self, model: LanguageModel, source: Source, *, backward: bool, exact_softmax: bool) -> None:
        self.model, self.backward, self.exact_softmax = model, backward, exact_softmax
        # The backward model reads from the last piece to the first, so everything is kept in reading order.
        ids = source.piece_ids[::-1] if backward else source.piece_ids
        targets = np.append(ids, END_ID)
        self.projected = model.project(ids)  # (pieces, 4 hidden)
        self.output = model.output.gather(targets)  # (pieces + 1, width); the last row is the end symbol
        self.output_bias = model.output_bias[targets]
        self.begin = model.begin()

    def log_probability(self, piece_masks: BoolArray) -> Scores:
        """The log-probability of each kept sequence with its end symbol, (batch,)."""
        if self.backward:
            piece_masks = piece_masks[:, ::-1]
        lengths = piece_masks.sum(axis=1)
        end = piece_masks.shape[1]
        # Kept positions first, in reading order: column t of `order` is the t-th piece of every candidate.
        order = np.argsort(~piece_masks, axis=1, kind="stable")  # (batch, pieces)
        total = np.zeros(len(piece_masks))
        rows = np.arange(len(piece_masks))
        state = self.begin.take(np.zeros(len(rows), dtype=np.int64))
        for t in range(int(lengths.max(initial=0)) + 1):
            target = np.where(lengths[rows] > t, order[rows, min(t, end - 1)], end)
            total[rows] += self.log_p(self.model.features(state), target)
            going = target < end
            rows, target = rows[going], target[going]
            state = self.model.step(self.projected[target], state.take(going))
        return total

    def log_p(self, features: NDArray[np.float32], targets: IntArray) -> Scores:
        """log p of one target each, given as a position in reading order; n pieces + 1 means the end symbol."""
        logits = np.einsum("bw,bw->b", features, self.output[targets]) + self.output_bias[targets]
        scores: Scores = logits.astype(np.float64)
        if self.exact_softmax:
            scores -= self.model.log_z(features)
        return scores
