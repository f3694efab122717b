"""Paired bootstrap: whether a difference between two systems may be chance (Koehn 2004).

Both systems are scored on the same resampled sources. The p-value is the share of samples in which the system that is
better on the whole set is *not* better.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError

N_SAMPLES = 1000


class Comparison(NamedTuple):
    """The difference between the first system and the second, with a 95 % interval and the p-value."""

    difference: float
    low: float
    high: float
    p_value: float

    @property
    def may_be_chance(self) -> bool:
        """Whether the interval contains 0 (two-sided; the p-value is one-sided)."""
        return self.low <= 0 <= self.high

    def __str__(self) -> str:
        return f"{self.difference:+.2f}" + ("°" if self.may_be_chance else "")


def paired_bootstrap(
    better: Sequence[float] | NDArray[np.float64],
    worse: Sequence[float] | NDArray[np.float64],
    seed: int = 0,
    n_samples: int = N_SAMPLES,
) -> Comparison:
    """The comparison of two systems from their scores on the same sources, in the same order.

    >>> paired_bootstrap([0.5, 0.6, 0.7], [0.4, 0.5, 0.6]).p_value  # better on every source, so in every sample
    0.0
    >>> paired_bootstrap([0.5, 0.5], [0.5, 0.5]).p_value
    1.0
    """
    differences = np.asarray(better, dtype=np.float64) - np.asarray(worse, dtype=np.float64)
    if differences.ndim != 1 or not len(differences):
        raise InputError("a paired bootstrap needs two lists of scores of the same length, at least 1")
    means = _draws(len(differences), seed, n_samples) @ differences / len(differences)
    low, high = np.percentile(means, [2.5, 97.5])
    # 1e-12: rounding errors must not turn a tie into a win.
    p_value = float(np.mean(means <= 1e-12))
    return Comparison(float(differences.mean()), float(low), float(high), p_value)


@lru_cache(maxsize=4)
def _draws(n: int, seed: int, n_samples: int) -> NDArray[np.int64]:
    """How often each of n sources is drawn, (samples, sources): a multinomial is n draws with replacement.

    All comparisons on n sources share them: drawing takes longest, and a p-value does not depend on the other systems
    of a table.
    """
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=n_samples)
