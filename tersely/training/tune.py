"""Beside the flow: finds the weights of an objective on development data, as minimum-error-rate training does.

Candidates of every development source are pooled from the lattice under several weights, each is measured once (its
factors, and its ROUGE against the references), and weights are searched for the pool: those whose best candidates
have the highest ROUGE. The new weights give new candidates, so it is done again, until nothing changes. A dozen
weights at most are tuned this way, the same for all lengths, never on a test set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tersely.candidates import CandidateSpace
from tersely.evaluation.datasets import Example
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.progress import progress
from tersely.scoring.objective import BoundFactor, BoundObjective
from tersely.search.lattice import Lattice
from tersely.source import BoolArray, Source
from tersely.summarizer import Summarizer
from tersely.text import render, tokenize

FACTORS = ("fluency", "similarity", "information", "style", "position", "adjacency")
# What is maximised: R-2 counts double, because it separates a headline from a bag of words.
_MEASURE = {"ROUGE-1": 1.0, "ROUGE-2": 2.0, "ROUGE-L": 1.0}
_STEPS = (0.0, 0.5, 0.7, 0.85, 0.95, 1.05, 1.2, 1.5, 2.0)  # factors on a weight that a coordinate step tries

Weights = dict[str, float]


@dataclass
class Pool:
    """The candidates of one source at one length, with their factors and their ROUGE."""

    source: Source
    references: tuple[str, ...]
    size: int
    features: dict[bytes, NDArray[np.float64]] = field(default_factory=dict)  # mask -> factors
    rouge: dict[bytes, NDArray[np.float64]] = field(default_factory=dict)  # mask -> R-1, R-2, R-L

    def add(self, masks: BoolArray, factors: Mapping[str, BoundFactor], scorer: Rouge) -> None:
        """Measure the candidates that are new."""
        new = {mask.tobytes(): mask for mask in masks if mask.tobytes() not in self.features}
        if not new:
            return
        values = np.stack([factors[name].log_scores(np.stack(list(new.values()))) for name in FACTORS], axis=1)
        for (key, mask), row in zip(new.items(), values, strict=True):
            text = render([self.source.words[i] for i in np.flatnonzero(mask)], pretokenized=True)
            score = scorer.score(text, self.references)
            self.features[key] = row
            self.rouge[key] = np.array([scorer.value(score[metric]) for metric in METRICS])


def make_pools(summarizer: Summarizer, examples: Sequence[Example], sizes: Iterable[int]) -> list[Pool]:
    """Empty pools, one for each source and length that leaves something to choose."""
    pools = []
    for example in examples:
        source = Source.of(tokenize(example.source, pretokenized=True), summarizer.bundle.vocabulary)
        pools += [Pool(source, example.references, size) for size in sizes if size < len(source)]
    return pools


def fill(summarizer: Summarizer, pools: Sequence[Pool], weights: Sequence[Weights], rescored: int = 24) -> None:
    """Add the lattice's best candidates under each of the weights."""
    scorer, search = Rouge(), Lattice(rescored=rescored)
    objective = summarizer.objective(dict.fromkeys(FACTORS, 1.0))
    for pool in progress(pools, "pooled", len(pools)):
        space = CandidateSpace(len(pool.source), pool.size, needs=pool.source.needs)
        factors = objective.bind(pool.source).factors
        for one in weights:
            bound = BoundObjective({name: factors[name] for name in one}, one)
            masks = np.concatenate([search.pool(bound, space, backward) for backward in (False, True)])
            pool.add(masks, factors, scorer)


class PooledObjective:
    """The mean ROUGE of the pools' best candidates, as a function of the weights."""

    def __init__(self, pools: Sequence[Pool]) -> None:
        most = max(len(pool.features) for pool in pools)
        self._features = np.zeros((len(pools), most, len(FACTORS)))
        self._missing = np.ones((len(pools), most), dtype=bool)
        self._rouge = np.zeros((len(pools), most, len(METRICS)))
        for i, pool in enumerate(pools):
            count = len(pool.features)
            self._features[i, :count] = np.stack(list(pool.features.values()))
            self._rouge[i, :count] = np.stack([pool.rouge[key] for key in pool.features])
            self._missing[i, :count] = False

    def rouge(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Mean R-1, R-2 and R-L of the best candidates under these weights."""
        scores = self._features @ np.array([weights.get(name, 0.0) for name in FACTORS])
        scores[self._missing] = -np.inf
        best = scores.argmax(axis=1)
        return np.asarray(self._rouge[np.arange(len(best)), best].mean(axis=0))

    def value(self, weights: Mapping[str, float]) -> float:
        """What is maximised."""
        return float(self.rouge(weights) @ np.array([_MEASURE[metric] for metric in METRICS]))


def search_weights(objective: PooledObjective, start: Weights, rng: np.random.Generator, restarts: int = 20) -> Weights:
    """The best weights found by coordinate steps from `start` and from random neighbours of it; fluency stays at 1."""
    best, best_value = dict(start), objective.value(start)
    for restart in range(restarts):
        factors = np.exp(rng.normal(scale=0.7, size=len(FACTORS))) if restart else np.ones(len(FACTORS))
        weights = {name: best[name] * factor for name, factor in zip(FACTORS, factors, strict=True)}
        weights["fluency"] = 1.0
        value, improved = objective.value(weights), True
        while improved:
            improved = False
            for name in FACTORS[1:]:
                for factor in _STEPS:
                    trial = {**weights, name: (weights[name] or 0.1) * factor}
                    trial_value = objective.value(trial)
                    if trial_value > value + 1e-5:
                        weights, value, improved = trial, trial_value, True
        if value > best_value + 1e-5:
            best, best_value = weights, value
    return best
