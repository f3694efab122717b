"""Beside the flow: finds the weights of an objective on development data, as minimum-error-rate training does.

Candidates of every development source are pooled from the lattice under several weights, each is measured once (its
factors, and its ROUGE against the references), and weights are searched for the pool: those whose best candidates
have the highest ROUGE. The new weights give new candidates, so it is done again, until nothing changes. A dozen
weights at most are tuned this way, the same for all lengths, never on a test set.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tersely.bundle import set_objective
from tersely.candidates import CandidateSpace
from tersely.evaluation.datasets import Example, read_dataset
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
_STEPS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1.05, 1.2, 1.5, 2.0, 3.0, 10.0)  # what a coordinate step multiplies by

Weights = dict[str, float]

STARTS: tuple[Weights, ...] = (
    {"fluency": 1, "similarity": 12, "information": 0, "style": 0, "position": 0, "adjacency": 0},
    {"fluency": 1, "similarity": 6, "information": 0.5, "style": 1, "position": 2, "adjacency": 1.5},
    {"fluency": 1, "similarity": 1, "information": 0.7, "style": 2, "position": 4, "adjacency": 0.5},
)


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
    return {name: float(f"{weight:.3g}") for name, weight in best.items()}


def main(argv: Sequence[str] | None = None) -> None:
    """Tune on the first half of a dataset, choose on the second, and store the weights in the bundle."""
    parser = argparse.ArgumentParser(prog="python -m tersely.training.tune", description=main.__doc__)
    parser.add_argument("--dataset", required=True, metavar="DIR", help="pretokenised development data")
    parser.add_argument("--bundle", required=True, metavar="DIR", help="the bundle to tune; its description is changed")
    parser.add_argument("--objective", default="headline", help="the name to store (default: %(default)s)")
    parser.add_argument("--words", type=int, nargs="+", default=[8, 10], help="the lengths (default: 8 10)")
    parser.add_argument("--limit", type=int, help="at most so many sources of each half")
    parser.add_argument("--rounds", type=int, default=3, help="pool and search so often (default: %(default)s)")
    args = parser.parse_args(argv)
    examples = read_dataset(args.dataset).examples
    half = len(examples) // 2
    summarizer, rng = Summarizer.load(args.bundle), np.random.default_rng(0)
    tuned_on = make_pools(summarizer, examples[:half][: args.limit], args.words)
    chosen_on = make_pools(summarizer, examples[half:][: args.limit], args.words)
    tried = list(STARTS)
    best: tuple[float, Weights] = (-np.inf, {})
    for round_ in range(1, args.rounds + 1):
        new = tried if round_ == 1 else tried[-1:]
        fill(summarizer, tuned_on, new)
        weights = search_weights(PooledObjective(tuned_on), tried[-1], rng)
        tried.append(weights)
        fill(summarizer, chosen_on, [*new, weights])
        held_out = PooledObjective(chosen_on)
        print(f"round {round_}: {_show(weights)}")
        print(f"  tuned on  {_percent(PooledObjective(tuned_on).rouge(weights))}")
        print(f"  held out  {_percent(held_out.rouge(weights))}", flush=True)
        best = max(best, (held_out.value(weights), weights), key=lambda pair: pair[0])
    stored = {name: weight for name, weight in best[1].items() if weight}
    set_objective(args.bundle, args.objective, stored)
    print(f"stored as {args.objective}: {_show(stored)}")


def _show(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:.3g}" for name, weight in weights.items())


def _percent(rouge: NDArray[np.float64]) -> str:
    return " / ".join(f"{100 * value:.2f}" for value in rouge)


if __name__ == "__main__":
    main()
