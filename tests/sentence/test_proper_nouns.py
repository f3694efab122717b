"""Words that the lists know, and where they are names."""

from __future__ import annotations

import pytest
from english import ENGLISH

from tersely.sentence.proper_nouns import proper_nouns
from tersely.text.words import tokenize


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It may rain, and will.", []),
        ("The talks will be held in May.", ["May"]),
        ("The chairman, Will Harper, resigned.", ["Will"]),
        ("Rates (May) and May's speech", ["May", "May's"]),
        ("May 5 was cold.", ["May"]),
        ("it fell on may ## , ####", ["may"]),
        ("up to 300 may have died", []),
        ("Will it rain?", []),
        ('He asked: "Will it rain?"', []),
        ("It rained. Will it stop?", []),
        ("Harrow Will Sell Its Ships in China", []),  # a title, where capitals say nothing
        ("FIRM MAY SELL SHIPS", []),
    ],
)
def test_may_and_will_are_names_where_they_have_a_capital(text: str, names: list[str]) -> None:
    tokens = tokenize(text, pretokenized="#" in text)
    words = [token.text for token in tokens if not token.punctuation]
    assert [words[i] for i in sorted(proper_nouns(tokens, ENGLISH))] == names
