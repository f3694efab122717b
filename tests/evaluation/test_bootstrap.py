from __future__ import annotations

import numpy as np
import pytest

from tersely.errors import InputError
from tersely.evaluation.bootstrap import paired_bootstrap


def test_two_sources_can_be_worked_out() -> None:
    # Differences +1 and -0.5. Of the four equally likely samples, only the one that draws the second source twice
    # has a mean below zero (-0.5); the mixed ones have 0.25. So p is 1/4.
    found = paired_bootstrap([1.0, 0.0], [0.0, 0.5], n_samples=20_000)
    assert found.difference == 0.25
    assert found.p_value == pytest.approx(0.25, abs=0.01)
    assert (found.low, found.high) == (-0.5, 1.0)


def test_equal_scores_in_another_order_of_summation_are_a_tie() -> None:
    scores = np.full(7, 0.1)
    assert paired_bootstrap(scores * 3, np.full(7, 0.3)).p_value == 1.0


def test_nothing_cannot_be_compared() -> None:
    with pytest.raises(InputError):
        paired_bootstrap([], [])
