"""Training: the weights under which good candidates score high, by minimum risk training.

Minimum error rate training looks at the best candidate alone, and on a thousand sentences it mostly fits noise. Here
every candidate counts by its share of the softmax over the scores. That is smooth, so a gradient finds the weights, and
they hold better on sentences that were not tuned on (results/tuning.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tersely.training.pools import Pool, Weights

_START_NORM = 3.0  # of the weights, for factors of unit variance; the norm is learned with the weights
# L2 regularisation. Without it the weights grow until the best candidate alone counts, and noise is fitted again.
_L2 = 0.01


@dataclass(frozen=True)
class Tuned:
    """Weights, and what was measured under them, by dataset and measure; `value` is what is maximised."""

    weights: Weights
    measured: dict[str, dict[str, float]]
    value: float
    n_pools: int = 0  # sources and lengths that were measured
    stored: bool = False  # whether the bundle has these weights already


class PooledCandidates:
    """The candidates of many pools as arrays; a pool with fewer than the largest has rows that are never chosen.

    All datasets count the same, whatever their sizes. `fixed` are weights that do not change, relative to a fluency
    of 1.
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
        self._quality = np.zeros((len(pools), most, len(measure)))
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
            # A factor whose weight is fixed relative to fluency becomes a part of fluency.
            by_name["fluency"] = by_name["fluency"] + sum(w * by_name[name] for name, w in self._fixed.items())
            features = np.stack([by_name[name] for name in self._factors], axis=1)
            self._features[i, :count] = features - features.mean(axis=0)  # only differences inside a pool count
            self._quality[i, :count] = np.stack([pool.quality[key] for key in pool.features])
            self._missing[i, :count] = False

    def tuned(self, weights: Mapping[str, float]) -> Tuned:
        """The means over the best candidates under these weights, beside those that are fixed."""
        best = self._scores(np.array([weights.get(name, 0.0) for name in self._factors])).argmax(axis=1)
        quality = self._quality[np.arange(len(best)), best]
        means = {name: quality[rows].mean(axis=0).tolist() for name, rows in self._datasets.items()}
        kept = {name: weight for name, weight in weights.items() if weight}
        measured = {name: dict(zip(self._measures, mean, strict=True)) for name, mean in means.items()}
        return Tuned(kept, measured, float(self._share @ quality @ self._value), len(best))

    def minimum_risk(self, start: Mapping[str, float]) -> Weights:
        """The weights of the highest expected quality, by L-BFGS, scaled to a fluency of 1."""
        real = ~self._missing
        spread = np.sqrt((self._features**2).sum(axis=(0, 1)) / real.sum())
        spread = np.where(spread > 0, spread, 1.0)
        quality = self._quality @ self._value
        quality /= float(quality[real].std()) or 1.0

        def risk(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            scores = self._scores(weights / spread)
            share = np.exp(scores - scores.max(axis=1, keepdims=True))
            share /= share.sum(axis=1, keepdims=True)
            expected = (share * quality).sum(axis=1, keepdims=True)
            gain = self._share[:, None] * share * (quality - expected)
            slope = np.einsum("pc,pcf->f", gain, self._features) / spread
            return _L2 / 2 * float(weights @ weights) - float(self._share @ expected[:, 0]), _L2 * weights - slope

        first = np.array([start.get(name, 0.0) for name in self._factors]) * spread
        first *= _START_NORM / (float(np.linalg.norm(first)) or 1.0)
        weights = minimize(risk, first, jac=True, method="L-BFGS-B").x / spread
        weights /= max(weights[0], 1e-6)
        found = {name: float(f"{weight:.3g}") for name, weight in zip(self._factors, weights, strict=True)}
        return {**found, **self._fixed}

    def _scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(self._missing, -np.inf, self._features @ weights)


def percent(tuned: Tuned) -> str:
    """What was measured, in percent, in one line; with the names of the datasets if there are several.

    >>> percent(Tuned({}, {"news": {"ROUGE-1": 0.375, "ROUGE-2": 0.142}}, 0.0))
    '37.50 / 14.20'
    """
    figures = {
        name: " / ".join(f"{100 * value:.2f}" for value in measured.values())
        for name, measured in tuned.measured.items()
    }
    return ", ".join(line if len(figures) == 1 else f"{name} {line}" for name, line in figures.items())
