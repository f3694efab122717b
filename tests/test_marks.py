"""Marks between kept words: those that still divide what is left stay, those of a dropped aside go."""

from __future__ import annotations

import numpy as np
import pytest

from tersely.marks import marks_after
from tersely.scoring.labels import LABELS
from tersely.scoring.tree import Tree
from tersely.source import Source
from tersely.text import render, tokenize
from tersely.vocab import Vocabulary

# the head of every token, marks included
SENTENCES = {
    "After three weeks of use, the battery died.": [2, 2, 7, 4, 2, 7, 7, 8, 8, 8],
    "The bridge, closed in March, could reopen.": [1, 7, 3, 1, 5, 3, 1, 8, 8, 8],
    "Police in Rome, Italy arrested two men.": [5, 2, 0, 2, 2, 5, 7, 5, 5],
    '"We won, of course," Ann said, "but I fell."': [2, 2, 9, 2, 5, 2, 2, 2, 9, 9, 9, 9, 14, 14, 2, 9, 9],
}
LABELLED = {2: "ccomp", 14: "conj", 8: "nsubj", 9: "root"}  # of the last one; elsewhere they make no difference


def shortened(text: str, kept: str) -> str:
    source = Source.of(tokenize(text), Vocabulary.of(["police"]))
    heads = np.array(SENTENCES[text])
    n = len(heads)
    assert n == len(source.tokens)
    labels = np.zeros((n, len(LABELS)), np.float32)
    numbers = np.array([LABELS.index(LABELLED.get(i, "nsubj")) for i in range(n)])
    tree = Tree(heads, numbers, np.eye(n, dtype=np.float32)[heads], labels)
    places = [i for i, word in enumerate(source.words) if word.text in kept.split()]
    marks = marks_after(source, places, tree)
    return render([source.words[i] for i in places], marks=marks)


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("After three weeks of use, the battery died.", "three weeks battery died", "three weeks, battery died"),
        ("After three weeks of use, the battery died.", "the battery died", "the battery died"),
        ("The bridge, closed in March, could reopen.", "bridge could reopen", "bridge could reopen"),
        ("The bridge, closed in March, could reopen.", "bridge closed could reopen", "bridge, closed, could reopen"),
        ("Police in Rome, Italy arrested two men.", "Police in Rome arrested men", "Police in Rome arrested men"),
        ('"We won, of course," Ann said, "but I fell."', "We won Ann said", "We won, Ann said"),
        ('"We won, of course," Ann said, "but I fell."', "We won but I fell", "We won, but I fell"),
    ],
)
def test_marks(text: str, kept: str, expected: str) -> None:
    assert shortened(text, kept) == expected
