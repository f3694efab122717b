"""Beside the flow: finds the weights of an objective on development data.

Candidates of the development sources are pooled from the lattice under several weights and measured once. Weights are
then searched for which the candidates that score high are good ones; they give new candidates, so it is done again.
Minimum-error-rate training looks at the best candidate alone, and on a thousand sentences mostly finds luck. Here all
candidates count by their share of the softmax over their scores (minimum risk), which is smooth, so that the gradient
finds the weights, and holds better on sentences that were not tuned on (results/tuning.md).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tersely.bundle import set_objective
from tersely.evaluation.datasets import Example, read_dataset
from tersely.summarizer import Summarizer
from tersely.training.pools import FACTORS, Pool, Weights, fill, headline_pools, sentence_pools

_SHARPNESS = 3.0  # the norm of the weights at the start, for factors of unit variance; it is learned like they are
# How much the weights are pulled to zero. Without it they grow until the best candidate alone counts: luck again.
_PULL = 0.01


@dataclass(frozen=True)
class TuningTask:
    """What an objective is tuned for: its pools, its factors, what is maximised, and where the search starts."""

    pools: Callable[[Summarizer, Iterable[Example], Sequence[int]], list[Pool]]
    factors: Sequence[str]
    measure: dict[str, float]
    starts: tuple[Weights, ...]


def _weights(*values: float) -> Weights:
    return {name: weight for name, weight in zip(FACTORS, values, strict=False) if weight}


TASKS = {
    # R-2 counts double, because it separates a headline from a bag of words.
    "headline": TuningTask(
        headline_pools,
        [name for name in FACTORS if name != "clauses"],  # headlines cut anywhere (results/tuning.md)
        {"ROUGE-1": 1.0, "ROUGE-2": 2.0, "ROUGE-L": 1.0},
        (_weights(1, 12), _weights(1, 8, 0.6, 3, 4, 0.6, 0.6), _weights(1, 25, 0.4, 3, 5, 1, 1)),
    ),
    "sentence": TuningTask(
        sentence_pools,
        FACTORS,
        {"token F1": 1.0},
        (_weights(1, 12), _weights(1, 6, 0.5, -0.5, -1, 1.5), _weights(1, 12, 0.5, 0, 0, 3, 0, 1)),
    ),
}


class Pooled:
    """The candidates of many pools as arrays; a pool with fewer than the largest has rows that are never chosen."""

    def __init__(self, pools: Sequence[Pool], measure: Mapping[str, float], factors: Sequence[str] = FACTORS) -> None:
        self._factors = factors
        columns = [FACTORS.index(name) for name in factors]
        most = max(len(pool.features) for pool in pools)
        self._features = np.zeros((len(pools), most, len(columns)))
        self._missing = np.ones((len(pools), most), dtype=bool)
        self._worth = np.zeros((len(pools), most, len(measure)))
        self._value = np.array(list(measure.values()))
        for i, pool in enumerate(pools):
            count = len(pool.features)
            features = np.stack(list(pool.features.values()))[:, columns]
            self._features[i, :count] = features - features.mean(axis=0)  # only differences inside a pool count
            self._worth[i, :count] = np.stack([pool.worth[key] for key in pool.features])
            self._missing[i, :count] = False

    def measured(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """The mean of every measure over the best candidates under these weights."""
        best = self._scores(np.array([weights.get(name, 0.0) for name in self._factors])).argmax(axis=1)
        return np.asarray(self._worth[np.arange(len(best)), best].mean(axis=0))

    def value(self, weights: Mapping[str, float]) -> float:
        """What is maximised, of the best candidates."""
        return float(self.measured(weights) @ self._value)

    def least_risk(self, start: Mapping[str, float]) -> Weights:
        """The weights of the highest expected worth, by L-BFGS; fluency is set to 1."""
        real = ~self._missing
        spread = np.sqrt((self._features**2).sum(axis=(0, 1)) / real.sum())
        spread = np.where(spread > 0, spread, 1.0)
        worth = self._worth @ self._value
        worth /= float(worth[real].std()) or 1.0

        def risk(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            scores = self._scores(weights / spread)
            share = np.exp(scores - scores.max(axis=1, keepdims=True))
            share /= share.sum(axis=1, keepdims=True)
            expected = (share * worth).sum(axis=1, keepdims=True)
            slope = np.einsum("pc,pcf->f", share * (worth - expected), self._features) / spread / len(worth)
            return _PULL / 2 * float(weights @ weights) - float(expected.mean()), _PULL * weights - slope

        first = np.array([start.get(name, 0.0) for name in self._factors]) * spread
        weights = minimize(risk, _SHARPNESS * first / np.linalg.norm(first), jac=True, method="L-BFGS-B").x / spread
        weights /= max(weights[0], 1e-6)
        return {name: float(f"{weight:.3g}") for name, weight in zip(self._factors, weights, strict=True)}

    def _scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(self._missing, -np.inf, self._features @ weights)


def main(argv: Sequence[str] | None = None) -> None:
    """Tune on the first half of a dataset, choose on the second, and store the weights in the bundle."""
    parser = argparse.ArgumentParser(prog="python -m tersely.training.tune", description=main.__doc__)
    parser.add_argument("--dataset", required=True, metavar="DIR", help="pretokenised development data")
    parser.add_argument("--bundle", required=True, metavar="DIR", help="the bundle to tune; its description is changed")
    parser.add_argument("--objective", default="headline", choices=TASKS, help="the objective (default: %(default)s)")
    parser.add_argument("--words", type=int, nargs="+", default=[8, 10], help="lengths of headlines (default: 8 10)")
    parser.add_argument("--limit", type=int, help="at most so many sources of each half")
    parser.add_argument("--rounds", type=int, default=2, help="pool and search so often (default: %(default)s)")
    args = parser.parse_args(argv)
    task = TASKS[args.objective]
    examples = read_dataset(args.dataset).examples
    half = len(examples) // 2
    summarizer = Summarizer.load(args.bundle)
    tuned_on = task.pools(summarizer, examples[:half][: args.limit], args.words)
    chosen_on = task.pools(summarizer, examples[half:][: args.limit], args.words)
    new, latest = list(task.starts), task.starts[-1]
    best: tuple[float, Weights] = (-np.inf, {})
    for round_ in range(1, args.rounds + 1):
        fill(summarizer, tuned_on, new)
        pooled = Pooled(tuned_on, task.measure, task.factors)
        latest = pooled.least_risk(latest)
        new = [latest]
        fill(summarizer, chosen_on, new)
        held_out = Pooled(chosen_on, task.measure, task.factors)
        print(f"round {round_}: {_show(latest)}")
        print(f"  tuned on  {_percent(pooled.measured(latest))}")
        print(f"  held out  {_percent(held_out.measured(latest))}", flush=True)
        best = max(best, (held_out.value(latest), latest), key=lambda pair: pair[0])
    stored = {name: weight for name, weight in best[1].items() if weight}
    set_objective(args.bundle, args.objective, stored)
    print(f"stored as {args.objective}: {_show(stored)}")


def _show(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:.3g}" for name, weight in weights.items())


def _percent(measured: NDArray[np.float64]) -> str:
    return " / ".join(f"{100 * value:.2f}" for value in measured)


if __name__ == "__main__":
    main()
