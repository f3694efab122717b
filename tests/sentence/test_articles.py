from __future__ import annotations

import numpy as np
import pytest
from tree_toys import parsed

from tersely.sentence.articles import clashes


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a 2 det | perfect 2 amod | ear 2 root", ["a ear"]),
        ("an 2 det | old 2 amod | man 2 root", ["an man"]),
        ("A 2 det | small 2 amod | one 2 root", []),
        ("an 2 det | old 2 amod | hour 2 root", []),
        ("a 2 det | modern 2 amod | union 2 root", []),
        ("the 2 det | perfect 2 amod | ear 2 root", []),
    ],
)
def test_articles_that_do_not_fit_their_next_word(text: str, wrong: list[str]) -> None:
    sentence = parsed(text)
    found = np.argwhere(clashes(sentence)).tolist()
    assert [f"{sentence.words[i].text} {sentence.words[j].text}" for i, j in found] == wrong
