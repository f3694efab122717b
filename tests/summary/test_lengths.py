"""Every length at once: each summary is the one that a call for its length alone gives."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tersely import Summarizer
from tersely.candidates.measure import count_bytes, count_chars
from tersely.errors import InputError
from tersely.search.exhaustive import exhaustive
from tersely.search.result import SearchResult
from tersely.search.work import MOST_FAST_WORK, MOST_WORK
from tersely.summary.options import Options

TEXT = "A German container ship, the Café, ran aground at the French port of Le Havre early Tuesday, authorities said."
COUNT = {"words": lambda summary: len(summary.kept), "chars": count_chars, "bytes": count_bytes}
PINS = {"keep": ["Havre", "Tuesday"], "drop": ["the"]}


@pytest.mark.no_cover
@pytest.mark.parametrize("options", [{}, PINS, {"objective": {"position": 1.0}}], ids=["plain", "pins", "weights"])
@pytest.mark.parametrize("unit", COUNT)
def test_a_length_has_one_summary(summarizer: Summarizer, unit: str, options: dict[str, Any]) -> None:
    most = {"words": 9, "chars": 30, "bytes": 30}[unit]
    found = {COUNT[unit](summary): summary for summary in summarizer.lengths(TEXT, **{unit: most}, **options)}
    assert list(found) == sorted(found)
    assert len(found) > 5
    for length, summary in found.items():
        alone = summarizer(TEXT, **{unit: length}, **options)
        assert (summary, summary.kept, summary.signature) == (alone, alone.kept, alone.signature)
        assert summary.score == pytest.approx(alone.score, abs=2e-6)


@pytest.mark.no_cover
@pytest.mark.parametrize("unit", COUNT)
def test_no_length_twice_and_as_many_as_the_effort_allows(summarizer: Summarizer, unit: str) -> None:
    few, some, more = (summarizer.lengths(TEXT, **{unit: 19}, effort=effort) for effort in (1e-4, 0.008, 1.0))
    assert [COUNT[unit](one) for one in more] == sorted({COUNT[unit](one) for one in more})
    assert 0 < len(few) < len(some) < len(more)
    assert all(one.endswith("|effort:1.0") for one in (each.signature for each in more))


def test_as_many_words_as_there_are_or_as_are_asked_for(summarizer: Summarizer) -> None:
    def sizes(**options: Any) -> list[int]:
        return [len(summary.kept) for summary in summarizer.lengths(TEXT, **options)]

    assert sizes() == list(range(1, 20))
    assert sizes(words=4) == sizes(words=(2, 4)) == sizes(ratio=0.17) == [1, 2, 3, 4]
    assert sizes(words=5, **PINS) == [2, 3, 4, 5]  # what has to be kept needs two
    assert summarizer.lengths("The ship, it ran.", chars=10**15)[-1] == "The ship, it ran."  # whole


def test_where_there_is_no_length_an_error_says_why(summarizer: Summarizer) -> None:
    with pytest.raises(InputError, match="cannot keep 'whale': it is not a word of the text"):
        summarizer.lengths(TEXT, keep=["whale"])
    with pytest.raises(InputError, match="2 words are to be kept, but the summary has only 1"):
        summarizer.lengths(TEXT, words=1, **PINS)


def test_lengths_too_short_for_what_is_kept_are_not_tried(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, found = [], Summarizer._found

    def counted(self: Summarizer, text: str, options: Options, *more: Any, **others: Any) -> Any:
        tried.append(options.length.most)
        return found(self, text, options, *more, **others)

    monkeypatch.setattr(Summarizer, "_found", counted)
    keep = ["A German container ship, the Café", "early Tuesday", "authorities"]
    assert len(summarizer.lengths(TEXT, keep=keep, words=13)) == len(tried) == 5


def test_the_work_is_bounded_where_no_summary_fills_its_limit(summarizer: Summarizer) -> None:
    rows = itertools.count(MOST_WORK, MOST_WORK)

    def second_longest(objective: Any, space: Any, *more: Any) -> SearchResult:
        result = exhaustive(objective, space, *more)
        lengths = result.masks @ space.budget.weights
        chosen = np.flatnonzero(lengths == np.unique(lengths)[-2])[:1]
        return replace(result, masks=result.masks[chosen], scores=result.scores[chosen], rows=next(rows))

    text = "the ships ran aground in the port of Havre"
    assert summarizer.lengths(text, objective="paper", search=second_longest, chars=40)
    assert next(rows) <= 3 * MOST_WORK  # one and a half bounds: the summary of the whole limit is not found again


def test_lengths_are_bounded_by_what_each_has_read(summarizer: Summarizer) -> None:
    def lengths_within(read: int, **bound: float) -> int:
        """How many lengths are found if each search reads so many prefixes more."""
        rows = itertools.count(read, read)

        def search(*problem: Any) -> SearchResult:
            return replace(exhaustive(*problem), rows=next(rows), work=0, **bound)

        return len(summarizer.lengths(TEXT, objective="paper", search=search, words=8))

    assert lengths_within(MOST_WORK // 2) == 3
    assert lengths_within(MOST_WORK // 4) == 6
    assert lengths_within(MOST_WORK // 4, most_work=MOST_FAST_WORK) == 1


def test_reading_a_text_is_a_part_of_the_work(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.summary.lengths.to_encode", lambda n: 2 * MOST_WORK)
    assert len(summarizer.lengths(TEXT)) == 1
