"""Beside the flow: finds the weights of an objective on development data.

Candidates of the development sources are pooled from the lattice under several weights and measured once. Weights are
then searched for which the candidates that score high are good ones; they give new candidates, so it is done again.
Minimum-error-rate training looks at the best candidate alone, and on a thousand sentences mostly finds luck. Here all
candidates count by their share of the softmax over their scores (minimum risk), which is smooth, so that the gradient
finds the weights, and holds better on sentences that were not tuned on (results/tuning.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tersely.errors import InputError
from tersely.evaluation.datasets import Dataset, Example
from tersely.options import weight_of
from tersely.scoring.factors import refuse_unknown
from tersely.summarizer import Summarizer
from tersely.training.pools import Pool, PoolMaker, Weights, fill, tunable

_SHARPNESS = 3.0  # the norm of the weights at the start, for factors of unit variance; it is learned like they are
# How much the weights are pulled to zero. Without it they grow until the best candidate alone counts: luck again.
_PULL = 0.01


@dataclass(frozen=True)
class Goal:
    """What weights are tuned for: the pools, what is maximised, where the search starts, and what is of no use."""

    pools: Callable[[PoolMaker, Iterable[Example]], list[Pool]]
    measure: Mapping[str, float]
    starts: tuple[Weights, ...]
    without: tuple[str, ...] = ()


_PAPER_LIKE = {"fluency": 1.0, "similarity": 12.0}
GOALS = {
    "headlines": Goal(
        PoolMaker.headlines,
        {"ROUGE-1": 1.0, "ROUGE-2": 2.0, "ROUGE-L": 1.0},  # R-2 separates a headline from a bag of words
        (
            _PAPER_LIKE,
            {
                "fluency": 1, "similarity": 8, "information": 0.6, "style": 3, "position": 4, "adjacency": 0.6,
                "contiguity": 0.6,
            },
            {
                "fluency": 1, "similarity": 25, "information": 0.4, "style": 3, "position": 5, "adjacency": 1,
                "contiguity": 1,
            },
        ),
        without=("clauses",),  # headlines cut anywhere (results/tuning.md)
    ),
    "deletions": Goal(
        PoolMaker.deletions,
        {"token F1": 1.0},
        (
            _PAPER_LIKE,
            {"fluency": 1, "similarity": 6, "information": 0.5, "style": -0.5, "position": -1, "adjacency": 1.5},
            {"fluency": 1, "similarity": 12, "information": 0.5, "adjacency": 3, "clauses": 1},
        ),
    ),
}  # fmt: skip


def goal_for(objective: str) -> str:
    """What an objective of that name is tuned for, if nothing else is said."""
    return "deletions" if objective == "sentence" else "headlines"


@dataclass(frozen=True)
class Tuned:
    """Weights, and what was measured under them, by dataset and measure; `value` is the one that is maximised."""

    weights: Weights
    measured: dict[str, dict[str, float]]
    value: float


class Pooled:
    """The candidates of many pools as arrays; a pool with fewer than the largest has rows that are never chosen.

    Datasets count alike, whatever their sizes. `fixed` are weights that stay as they are beside a fluency of 1.
    """

    def __init__(
        self,
        pools: Sequence[Pool],
        measure: Mapping[str, float],
        factors: Sequence[str],
        fixed: Mapping[str, float] | None = None,
    ) -> None:
        self._fixed = dict(fixed or {})
        self._factors = ["fluency", *(name for name in factors if name != "fluency" and name not in self._fixed)]
        most = max(len(pool.features) for pool in pools)
        self._features = np.zeros((len(pools), most, len(self._factors)))
        self._missing = np.ones((len(pools), most), dtype=bool)
        self._worth = np.zeros((len(pools), most, len(measure)))
        self._measures, self._value = list(measure), np.array(list(measure.values()))
        self._datasets = {
            name: np.array([pool.dataset == name for pool in pools])
            for name in dict.fromkeys(pool.dataset for pool in pools)
        }
        self._share = sum((rows / rows.sum() for rows in self._datasets.values()), np.zeros(len(pools)))
        self._share /= len(self._datasets)
        for i, pool in enumerate(pools):
            count = len(pool.features)
            by_name = dict(zip(pool.names, np.stack(list(pool.features.values())).T, strict=True))
            # A factor whose weight is fixed beside that of fluency is a part of it.
            by_name["fluency"] = by_name["fluency"] + sum(w * by_name[name] for name, w in self._fixed.items())
            features = np.stack([by_name[name] for name in self._factors], axis=1)
            self._features[i, :count] = features - features.mean(axis=0)  # only differences inside a pool count
            self._worth[i, :count] = np.stack([pool.worth[key] for key in pool.features])
            self._missing[i, :count] = False

    def tuned(self, weights: Mapping[str, float]) -> Tuned:
        """The means over the best candidates under these weights; those that are fixed stay so."""
        best = self._scores(np.array([weights.get(name, 0.0) for name in self._factors])).argmax(axis=1)
        worth = self._worth[np.arange(len(best)), best]
        means = {name: worth[rows].mean(axis=0).tolist() for name, rows in self._datasets.items()}
        kept = {name: weight for name, weight in weights.items() if weight}
        measured = {name: dict(zip(self._measures, mean, strict=True)) for name, mean in means.items()}
        return Tuned(kept, measured, float(self._share @ worth @ self._value))

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
            gain = self._share[:, None] * share * (worth - expected)
            slope = np.einsum("pc,pcf->f", gain, self._features) / spread
            return _PULL / 2 * float(weights @ weights) - float(self._share @ expected[:, 0]), _PULL * weights - slope

        first = np.array([start.get(name, 0.0) for name in self._factors]) * spread
        first *= _SHARPNESS / (float(np.linalg.norm(first)) or 1.0)
        weights = minimize(risk, first, jac=True, method="L-BFGS-B").x / spread
        weights /= max(weights[0], 1e-6)
        found = {name: float(f"{weight:.3g}") for name, weight in zip(self._factors, weights, strict=True)}
        return {**found, **self._fixed}

    def _scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(self._missing, -np.inf, self._features @ weights)


def tune(
    summarizer: Summarizer,
    datasets: Sequence[Dataset],
    objective: str,
    goal: str,
    report: Callable[[str], None],
    *,
    sizes: Sequence[int] = (8, 10),
    factors: Sequence[str] | None = None,
    fixed: Mapping[str, float] | None = None,
    rounds: int = 2,
    limit: int | None = None,
    swapped: bool = False,
) -> Tuned:
    """Tune on the first half of each dataset, at most `limit` sources of it, and choose the round on the second halves.

    The search starts at the bundle's objective of that name, if there is one; candidates also come from a few weights
    that served before. Where no round is better than the start, it stays.
    """
    wanted, fixed = GOALS[goal], dict(fixed or {})
    names = _factors(summarizer, wanted, factors, fixed)
    tuned_on, chosen_on = [], []
    for dataset in datasets:
        half = len(dataset) // 2
        maker = PoolMaker(summarizer, names, dataset.is_pretokenized, sizes, dataset.name)
        parts = [wanted.pools(maker, part[:limit]) for part in (dataset.examples[:half], dataset.examples[half:])]
        if not all(parts):
            raise InputError(f"{dataset.name} has no two sources that leave words to choose: give more, or fewer words")
        tuned_on += parts[swapped]
        chosen_on += parts[not swapped]
    own = summarizer.bundle.objectives.get(objective)
    new = [_start(start, names, fixed) for start in (*wanted.starts, *([own] if own else []))]
    latest = new[-1]
    fill(summarizer, chosen_on, [latest])
    best = Pooled(chosen_on, wanted.measure, names, fixed).tuned(latest)
    report(f"start: {show(latest)}\n  held out  {percent(best)}")
    for round_ in range(1, rounds + 1):
        fill(summarizer, tuned_on, new)
        pooled = Pooled(tuned_on, wanted.measure, names, fixed)
        latest = pooled.least_risk(latest)
        new = [latest]
        fill(summarizer, chosen_on, new)
        found = Pooled(chosen_on, wanted.measure, names, fixed).tuned(latest)
        report(f"round {round_}: {show(latest)}")
        report(f"  tuned on  {percent(pooled.tuned(latest))}\n  held out  {percent(found)}")
        best = max(best, found, key=lambda tuned: tuned.value)  # the start, if no round is better
    return best


def _factors(summarizer: Summarizer, goal: Goal, asked: Sequence[str] | None, fixed: Mapping[str, float]) -> list[str]:
    """The factors to measure: fluency, those asked for or all that are of use, and those whose weight is fixed."""
    has = tunable(summarizer.bundle)
    refuse_unknown([*(asked or ()), *fixed])
    for name, weight in fixed.items():
        weight_of(name, weight)
    if "fluency" in fixed:
        raise InputError("the weight of fluency is always 1: fix the others beside it")
    for name in ("fluency", *(asked or ()), *fixed):
        if name not in has:
            raise InputError(f"the bundle cannot tune {name}: it can tune {', '.join(has)}")
    wanted = {*asked} if asked else {*has} - {*goal.without}
    return [name for name in has if name in wanted | {"fluency", *fixed}]


def _start(weights: Mapping[str, float], names: Sequence[str], fixed: Mapping[str, float]) -> Weights:
    """Weights to start from, beside a fluency of 1.

    >>> _start({"fluency": 2.0, "style": 3.0, "clauses": 1.0}, ["fluency", "style"], {"position": 4.0})
    {'fluency': 1.0, 'style': 1.5, 'position': 4.0}
    """
    fluency = weights.get("fluency", 0.0)
    scale = fluency if fluency > 0 else 1.0
    others = {name: weight / scale for name, weight in weights.items() if name in names and name != "fluency"}
    return {"fluency": 1.0, **others, **fixed}


def show(weights: Mapping[str, float]) -> str:
    """Weights in one line."""
    return ", ".join(f"{name} {weight:.3g}" for name, weight in weights.items())


def percent(tuned: Tuned) -> str:
    """What was measured, in percent, in one line; the names of several datasets with it.

    >>> percent(Tuned({}, {"news": {"ROUGE-1": 0.375, "ROUGE-2": 0.142}}, 0.0))
    '37.50 / 14.20'
    """
    figures = {
        name: " / ".join(f"{100 * value:.2f}" for value in measured.values())
        for name, measured in tuned.measured.items()
    }
    return ", ".join(line if len(figures) == 1 else f"{name} {line}" for name, line in figures.items())
