from __future__ import annotations

import pytest

from tersely.evaluation.agreement import krippendorff_alpha, summarize_votes


@pytest.mark.parametrize("items", [[], [{"ann": 1}, {"bob": -1}], [{"ann": 1, "bob": 1}]])
def test_alpha_is_undefined_without_overlap_or_variety(items: list[dict[str, int]]) -> None:
    assert krippendorff_alpha(items) is None


def test_summary_of_votes() -> None:
    items = [{"ann": 1, "bob": 1}, {"ann": 1, "bob": -1}, {"ann": -1, "bob": -1}, {"ann": 0}, {}]
    found = summarize_votes(items)
    assert found.tally == (1, 2, 1)
    assert (found.n_items, found.n_answers) == (4, 7)
    assert found.score == 0.0  # 1 + 1 + 1 - 1 - 1 - 1 + 0
    assert found.alpha == pytest.approx(4 / 9)
