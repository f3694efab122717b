"""The work of a request."""

from __future__ import annotations

import json

import pytest

from tersely.scoring.objective import BoundObjective
from tersely.search.work import MOST_WORK
from tersely.serve import tasks
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.system.arrays import BoolArray

WORDS = "the german ship ran aground early on tuesday and the minister said there were no casualties"


@pytest.fixture
def n_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The words that an objective reads; few, so that a climb is quick."""
    monkeypatch.setattr(tasks, "EFFORT", 0.02)
    read: list[int] = []
    score = BoundObjective.log_scores

    def counted(self: BoundObjective, masks: BoolArray) -> object:
        read.append(int(masks.sum()))
        return score(self, masks)

    monkeypatch.setattr(BoundObjective, "log_scores", counted)
    return read


@pytest.mark.parametrize(("n_texts", "words"), [(2, 8), (4, 30), (12, 90)])
def test_a_climb_stays_within_its_bound(summarizer: Summarizer, n_read: list[int], n_texts: int, words: int) -> None:
    text = " ".join([WORDS] * n_texts)
    found = json.loads(tasks.climb(summarizer, text, Options.of(words=words)))
    assert len(found["summary"]["kept"]) == words
    assert sum(n_read) < 2 * tasks.EFFORT * MOST_WORK  # the starts, and the summary, come on top


def test_of_a_json_that_is_too_big_only_the_size_comes_back(summarizer: Summarizer) -> None:
    work = (tasks.summarize, WORDS, Options.of(words=3), False)
    written = tasks.bounded(summarizer, 10_000, *work)
    assert isinstance(written, str)
    assert tasks.bounded(summarizer, 100, *work) == len(written)
