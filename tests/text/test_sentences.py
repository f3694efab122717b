"""Sentences by rule: what ends one, and what only looks like it. All invented; a bar stands between sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.text.sentences import sentences
from tersely.text.words import MAX_CHARS

CASES = [
    "The ship ran aground.|Nobody was hurt.",
    "Did it sink?|No!|It floats.",
    "Mr. Smith met Dr. Jones on Main St. Bridge.|They left.",
    "J. R. Miller wrote it.|The book sold well.",
    "George W. Hill ran.|He lost.",
    "Shares rose 3.5 percent to $12.50.|Analysts cheered.",
    "The U.S. Navy sent a ship.|It came late.",
    "He lives in the U.S.|The house is small.",
    "Apple Inc. Chief Tim left.|The shares fell.",
    "She works for Foo Corp.|It is based in Rome.",
    "They met at 5 p.m. Tuesday.|The talks failed.",
    "They met at 5 p.m.|The talks failed.",
    '"It is over," he said.|"Go home."|They went.',
    "\u201cWho knows?\u201d|She shrugged.",
    "\u201cWho knows?\u201d she asked.|Nobody did.",
    "He waited...|Nothing came.",
    "He waited... and waited.|Nothing came.",
    "Wait\u2026|What was that?",
    "See No. 5 on the list.|It is new.",
    "Room no. 12 is free.|Take it.",
    "Was it hot?|No.|I slept well.|She paints modern art.|Vol. II is out.",
    "Fruit, e.g. Apples, is cheap.|Buy some.",
    "(It rained.)|We left.",
    "It was Jan. 5 when it snowed.|Roads closed.",
    "Visit example.com today.|It is free.",
    "Version 2.0.1 is out.|Try it.",
    "The end",
    "\u96e8\u304c\u964d\u308b\u3002|\u5bd2\u3044\uff01",
    "What?!|Really.",
    "In 2020.|3 ships sank.",
    "1. Open the box.|2. Read this.",
]


@pytest.mark.parametrize("case", CASES)
def test_sentences(case: str) -> None:
    gap = "" if "\u3002" in case else " "
    assert sentences(case.replace("|", gap)) == case.split("|")


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "unit",
    [".", ".)", ". (", "...\n", "A. ", "Mr. ", "U.S. ", ". ", "?! ", "a.b.c", "x" * 50 + ". ", "\u3002", "Inc. A"],
)
def test_hostile_text_is_split_in_linear_time(unit: str) -> None:
    """A pattern that needs quadratic time would not end here within minutes."""
    text = unit * (MAX_CHARS // len(unit))
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text())
def test_nothing_is_lost_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
