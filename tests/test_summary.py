"""A summary is a str with its evidence: whatever takes texts takes it."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import json
import pickle

from tersely import Summarizer, Summary

SHIP = "The German ship ran aground, authorities said"


def test_a_summary_is_its_text(summarizer: Summarizer) -> None:
    summary = summarizer(SHIP, words=3, n_best=2)
    assert isinstance(summary, str)
    assert summary == summary.text == str(summary) == f"{summary}"
    assert json.loads(json.dumps([summary])) == [summary.text]
    assert len(summary) == len(summary.text)
    assert hash(summary) == hash(summary.text)
    table = io.StringIO()
    csv.writer(table).writerow([summary, 3])
    assert table.getvalue() == f"{summary.text},3\r\n"
    for twin in (pickle.loads(pickle.dumps(summary)), copy.deepcopy(summary), dataclasses.replace(summary)):
        assert isinstance(twin, Summary)
        assert twin.to_dict() == summary.to_dict()
    assert json.loads(json.dumps(summary.to_dict()))["others"][0]["text"] == summary.others[0]
