"""Denials, questions and tags in what is left of a cue."""

from __future__ import annotations

import pytest

from tersely.sentence.language import Language
from tersely.subtitles.checks import breaks_a_denial, denials, has_only_a_tag, loses_its_question
from tersely.summary.summary import Summary
from tersely.text.words import tokenize

LANGUAGE = Language({"negation": frozenset(["not", "n't", "no", "never", "nobody"])})


def summary_of(source: str, kept: str) -> Summary:
    tokens = [token for token in tokenize(source) if not token.punctuation]
    wanted, found = kept.split(), []
    for i, token in enumerate(tokens):
        if wanted and token.text == wanted[0]:
            found.append(i)
            wanted.pop(0)
    assert not wanted
    spans = tuple((tokens[i].start, tokens[i].end) for i in found)
    return Summary(kept, tokens=tuple(token.text for token in tokens), kept=tuple(found), spans=spans)


STOP = "He couldn't stop, but he tried. It was not hot. I can't."


@pytest.mark.parametrize(
    ("kept", "broken"),
    [
        ("He couldn't stop It was not hot I can't", False),
        ("He couldn't It was not hot I can't", True),
        ("He couldn't stop It was not I can't", True),
    ],
)
def test_a_denying_word_needs_what_it_denies(kept: str, broken: bool) -> None:
    assert breaks_a_denial(summary_of(STOP, kept), STOP, LANGUAGE) == broken


@pytest.mark.parametrize(
    ("kept", "only"), [("isn't it", True), ("is cold isn't it", False), ("is cold", False), ("Yes", False)]
)
def test_a_tag_needs_its_clause(kept: str, only: bool) -> None:
    source = "Yes. It is cold, isn't it?"
    assert has_only_a_tag(summary_of(source, kept), source) == only


@pytest.mark.parametrize(
    ("source", "kept", "lost"),
    [
        ("So why did you go there?", "why did you go", False),
        ("So why did you go there?", "did you go", True),
        ("Hang on, was that the phone?", "Hang on", True),
        ("Hang on, was that the phone?", "was that the phone", False),
        ("It is cold. Why's it so?", "It is cold", False),
        ("It is cold, isn't it?", "It is cold", False),
        ("You saw it?", "saw it", False),
    ],
)
def test_a_question_needs_the_word_that_asks(source: str, kept: str, lost: bool) -> None:
    assert loses_its_question(summary_of(source, kept), source) == lost


def test_a_tag_denies_nothing() -> None:
    source = "It isn't cold, is it? He never came, didn't he? Nobody's here."
    words = ("isn't", "never", "Nobody's")
    assert sorted(denials(source, tokenize(source), LANGUAGE)) == [source.index(word) for word in words]
