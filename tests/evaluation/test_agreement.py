from __future__ import annotations

import pytest

from tersely.evaluation.agreement import krippendorff_alpha, summarize_votes

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units, missing
# data. The paper works out 0.743 for nominal data.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


def test_alpha_of_the_published_example() -> None:
    units = [
        {name: values[unit] for name, values in OBSERVERS.items() if values[unit] is not None} for unit in range(12)
    ]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=0.0005)  # type: ignore[arg-type]


def test_alpha_is_undefined_without_overlap_or_variety() -> None:
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([{"ann": 1}, {"bob": -1}]) is None
    assert krippendorff_alpha([{"ann": 1, "bob": 1}]) is None


def test_summary_of_votes() -> None:
    items = [{"ann": 1, "bob": 1}, {"ann": 1, "bob": -1}, {"ann": -1, "bob": -1}, {"ann": 0}, {}]
    found = summarize_votes(items)
    assert found.tally == (1, 2, 1)
    assert (found.n_items, found.n_answers) == (4, 7)
    assert found.score == 0.0  # 1 + 1 + 1 - 1 - 1 - 1 + 0
    assert found.alpha == pytest.approx(4 / 9)
