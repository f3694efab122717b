"""Denials and tags in what is left of a cue."""

from __future__ import annotations

import pytest

from tersely.sentence.language import Language
from tersely.subtitles.denials import breaks_a_denial, has_only_a_tag, loses_a_denial
from tersely.summary.summary import Summary
from tersely.text.words import tokenize

LANGUAGE = Language({"negation": frozenset(["not", "no", "never"])})


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
    ("kept", "broken", "lost"),
    [
        ("He couldn't stop It was not hot I can't", False, False),
        ("he tried It was not hot I can't", False, True),
        ("He couldn't It was not hot I can't", True, False),
        ("He stop It was not hot I can't", True, True),
        ("he tried It was hot I can't", True, True),
        ("he tried It was not I can't", True, True),
    ],
)
def test_a_denying_word_goes_only_with_what_it_denies(kept: str, broken: bool, lost: bool) -> None:
    summary = summary_of(STOP, kept)
    assert breaks_a_denial(summary, STOP, LANGUAGE) == broken
    assert loses_a_denial(summary, LANGUAGE) == lost


@pytest.mark.parametrize(
    ("kept", "only"), [("isn't it", True), ("is cold isn't it", False), ("is cold", False), ("Yes", False)]
)
def test_a_tag_needs_its_clause(kept: str, only: bool) -> None:
    source = "Yes. It is cold, isn't it?"
    assert has_only_a_tag(summary_of(source, kept), source) == only
