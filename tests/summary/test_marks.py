"""Marks between kept words: those that still divide what is left stay, those of a dropped aside go."""

from __future__ import annotations

import pytest
from tree_toys import FixedParser, tree_of

from tersely.sentence.sentence import Sentence
from tersely.summary.marks import marks_after
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import render, tokenize

# the head of every token, marks included
SENTENCES = {
    "After three weeks of use, the battery died.": [2, 2, 7, 4, 2, 7, 7, 8, 8, 8],
    "The bridge, closed in March, could reopen.": [1, 7, 3, 1, 5, 3, 1, 8, 8, 8],
    "Police in Rome, Italy arrested two men.": [5, 2, 0, 2, 2, 5, 7, 5, 5],
    '"We won, of course," Ann said, "but I fell."': [2, 2, 9, 2, 5, 2, 2, 2, 9, 9, 9, 9, 14, 14, 2, 9, 9],
}
LABELLED = {2: "ccomp", 14: "conj", 8: "nsubj", 9: "root"}  # of the last one; elsewhere they make no difference


def shortened(text: str, kept: str) -> str:
    heads = SENTENCES[text]
    tree = tree_of(heads, [LABELLED.get(i, "nsubj") for i in range(len(heads))])
    sentence = Sentence.of(tokenize(text), Vocabulary.of(["police"]), FixedParser(tree))
    positions = [i for i, word in enumerate(sentence.words) if word.text in kept.split()]
    return render([sentence.words[i] for i in positions], marks=marks_after(sentence, positions))


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("After three weeks of use, the battery died.", "three weeks battery died", "three weeks, battery died"),
        ("After three weeks of use, the battery died.", "the battery died", "the battery died"),
        ("The bridge, closed in March, could reopen.", "bridge could reopen", "bridge could reopen"),
        ("The bridge, closed in March, could reopen.", "bridge closed could reopen", "bridge, closed, could reopen"),
        ("Police in Rome, Italy arrested two men.", "Police in Rome arrested men", "Police in Rome arrested men"),
        ("Police in Rome, Italy arrested two men.", "Police in Italy arrested men", "Police in Italy arrested men"),
        ('"We won, of course," Ann said, "but I fell."', "We won Ann said", "We won, Ann said"),
        ('"We won, of course," Ann said, "but I fell."', "We won but I fell", "We won, but I fell"),
    ],
)
def test_marks(text: str, kept: str, expected: str) -> None:
    assert shortened(text, kept) == expected
