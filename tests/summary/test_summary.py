"""A summary is a str with its evidence: whatever takes texts takes it."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import json
import pickle

import pytest
import yaml
from fastapi.encoders import jsonable_encoder

from tersely import Summarizer, Summary

SHIP = "The German ship  ran aground, (authorities) said 5 % more"


@pytest.fixture
def summary(summarizer: Summarizer) -> Summary:
    return summarizer(SHIP, words=3, n_best=2)


def test_a_summary_is_its_text(summary: Summary) -> None:
    assert isinstance(summary, str)
    assert summary == summary.text == str(summary) == f"{summary}"
    assert hash(summary) == hash(summary.text)


def test_whatever_writes_strings_writes_it(summary: Summary) -> None:
    assert not dataclasses.is_dataclass(summary)  # or FastAPI would write an object
    assert jsonable_encoder({"headline": summary}) == {"headline": summary.text}
    assert json.loads(json.dumps([summary])) == [summary.text]
    assert yaml.safe_load(yaml.safe_dump([summary])) == [summary.text]
    table = io.StringIO()
    csv.writer(table).writerow([summary, 3])
    assert table.getvalue() == f"{summary.text},3\r\n"


def test_copies_keep_the_evidence(summary: Summary) -> None:
    for twin in (pickle.loads(pickle.dumps(summary)), copy.copy(summary), copy.deepcopy(summary)):
        assert type(twin) is Summary
        assert twin.to_dict() == summary.to_dict()
    assert json.loads(json.dumps(summary.to_dict()))["others"][0]["text"] == summary.others[0]


@pytest.mark.parametrize("name", ["text", "kept", "note"])
def test_it_cannot_be_changed(summary: Summary, name: str) -> None:
    with pytest.raises(AttributeError, match=f"cannot be changed: {name}"):
        setattr(summary, name, ())


@pytest.mark.parametrize("words", [3, 20])
@pytest.mark.parametrize("pretokenized", [False, True])
def test_spans_are_where_its_words_stand_in_the_source(summarizer: Summarizer, words: int, pretokenized: bool) -> None:
    summary = summarizer(SHIP, words=words, pretokenized=pretokenized)
    found = [SHIP[start:end] for start, end in summary.spans]
    assert [text.replace(" ", "") for text in found] == [summary.tokens[i] for i in summary.kept]
    assert list(summary.spans) == sorted(summary.spans)


def test_of_very_many_broken_needs_the_gravest_are_named(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(["the ship ran aground on tuesday and the minister said no"] * 12)
    options = {"words": 60, "objective": {"editor": 1.0, "grammar": 1.0}, "search": "chain"}
    named = summarizer(text, **options).broken
    for module in ("needs", "objective"):
        monkeypatch.setattr(f"tersely.scoring.{module}.MOST_NAMED", 10**9)
    every = summarizer(text, **options).broken
    assert len(every) > 1000
    assert named == every[:100]
