"""The selector in numpy: the shares of words in all candidates, against every candidate written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.candidates import CandidateSpace
from tersely.length import Budget
from tersely.scoring.selector import BoundSelector, shares


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_shares_are_those_of_all_candidates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 10))
    size = int(rng.integers(1, n + 1))
    edges = rng.normal(size=(n + 1, n + 1)) * rng.choice([0.1, 1, 10])
    masks = np.concatenate(list(CandidateSpace(Budget.of_words(n, size)).all()))
    scores = BoundSelector(edges).log_scores(masks)
    chances = np.exp(scores - scores.max())
    np.testing.assert_allclose(shares(edges, size), chances @ masks / chances.sum(), atol=1e-9)


def test_shares_of_a_long_text_are_finite() -> None:
    edges = np.random.default_rng(0).normal(size=(801, 801)) * 5
    found = shares(edges, 400)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(), 400)
