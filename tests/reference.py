"""A plain reference of the authors' program: every candidate is read from its first word by both language models.

Nothing is cached and nothing shared: this is what the paper's search costs if the objective is a black box. With the
exact softmax it is the program's arithmetic; without, hill climbing without caches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.lstm import LanguageModel
from tersely.scoring.objective import BoundFactor
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray
from tersely.text.vocabulary import END_ID


@dataclass(frozen=True)
class ReferenceObjective:
    """The paper's objective over the candidates of one source, recomputed for every candidate."""

    source: Sentence
    forward: LanguageModel
    backward: LanguageModel
    similarity: BoundFactor
    gamma: float = 12.0
    exact_softmax: bool = True

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        pieces = self.source.piece_masks(masks)
        total = np.zeros(len(masks))
        for model, backward in ((self.forward, False), (self.backward, True)):
            total += self._log_probability(model, pieces, backward)
        fluency = total / (2 * (pieces.sum(axis=1) + 1))
        return np.round(fluency + self.gamma * self.similarity.log_scores(masks), 6)

    def _log_probability(self, model: LanguageModel, pieces: BoolArray, backward: bool) -> NDArray[np.float64]:
        ids = self.source.piece_ids
        if backward:
            pieces, ids = pieces[:, ::-1], ids[::-1]
        targets = np.append(ids, END_ID)
        order = np.argsort(~pieces, axis=1, kind="stable")
        lengths = pieces.sum(axis=1)
        total = np.zeros(len(pieces))
        rows = np.arange(len(pieces))
        state = model.begin.take(np.zeros(len(rows), dtype=np.int64))
        for t in range(int(lengths.max()) + 1):
            target = targets[np.where(lengths[rows] > t, order[rows, min(t, len(ids) - 1)], len(ids))]
            features = model.features(state)
            log_p = np.einsum("bw,bw->b", features, model.output.gather(target)) + model.output_bias[target]
            if self.exact_softmax:
                log_p = log_p - model.log_z(features)
            total[rows] += np.minimum(log_p, 0)
            going = lengths[rows] > t
            rows = rows[going]
            state = model.step(model.project(target[going]), state.take(going))
        return total
