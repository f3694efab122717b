"""What a search works on: a figure with a space in it is kept whole or not at all."""

from __future__ import annotations

import pytest

from tersely import Summarizer
from tersely.search import SEARCHES

TEXT = "Some 4 200 people died in floods and 65 737 MAX jets stayed on the ground"


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("length", [{"words": 1}, {"words": 3}, {"words": 4}, {"words": (2, 5)}, {"chars": 20}])
def test_no_part_of_a_figure_stays_alone(
    summarizer: Summarizer, neighbours: str, search: str, length: dict[str, object]
) -> None:
    objective = {"style": 1.0, "fluency": -1.0, neighbours: 1.0}  # fond of odd numbers
    for summary in (best := summarizer(TEXT, n_best=20, search=search, objective=objective, **length), *best.others):
        kept = [summary.tokens[i] for i in summary.kept]
        assert ("4" in kept) == ("200" in kept)
        assert ("65" in kept) == ("737" in kept)


def test_in_every_length(summarizer: Summarizer) -> None:
    for summary in summarizer.lengths(TEXT, words=9):
        assert ("4" in summary.split()) == ("200" in summary.split())


def test_a_figure_is_parted_where_nothing_else_is_possible(summarizer: Summarizer) -> None:
    assert summarizer("4 200", words=1) in ("4", "200")
    assert len(summarizer("10 200 30 400", words=3).kept) == 3
    assert summarizer(TEXT, words=1, keep=["4"]) == "4"
    assert "4" not in summarizer(TEXT, words=3, keep=["200"], drop=["4"]).split()
    assert summarizer(TEXT, words=2, keep=["4"]) == "4 200"
