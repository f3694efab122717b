"""The interpreter of kinds of needs: each sort of step and condition on a hand-made tree, and the examples."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from english import ENGLISH
from tree_toys import parsed

from tersely.scoring.needs import needs
from tersely.sentence.language import Kind, read_language
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import DEFAULT_BUNDLE, Summarizer
from tersely.text.words import tokenize

TREE = """The 1 det | crew 4 nsubj | has 4 aux | not 4 advmod | paid 4 root | 5,000 6 nummod | euros 4 obj | and 8 cc |
    left 4 conj | , 8 punct | because 11 case | of 12 fixed | rain 8 obl"""
LISTS = {"negation": "not, never", "have": "has, had", "because": "because of", "of": "of"}


def pairs(sentence: Sentence) -> dict[str, list[tuple[str, str]]]:
    """The two words of each need, kind by kind."""
    found = {}
    for kind, matrix in (*needs(sentence), *needs(sentence, prose=True)):
        places = np.argwhere(matrix > 0.5).tolist()
        found[kind.name] = [(sentence.words[i].text, sentence.words[j].text) for i, j in places if i != j]
    return found


@pytest.mark.parametrize(
    ("need", "expected"),
    [
        ({"path": "up nsubj"}, [("crew", "paid")]),
        ({"path": "down nsubj obj"}, [("paid", "crew"), ("paid", "euros")]),
        ({"path": "up cc, up conj"}, [("and", "paid")]),
        ({"path": "up aux, down obj"}, [("has", "euros")]),
        ({"path": "up any", "word": "in have"}, [("has", "paid")]),
        ({"path": "down any", "needed": "in negation"}, [("paid", "not")]),
        ({"path": "down obj", "word": "with negation"}, [("paid", "euros")]),
        ({"path": "down obj", "word": "with negation as aux"}, []),
        ({"path": "down obj", "word": "not with negation"}, []),
        ({"path": "up conj", "word": "not having nsubj"}, [("left", "paid")]),
        ({"path": "up any", "word": "as conj nummod"}, [("5,000", "euros"), ("left", "paid")]),
        ({"path": "next", "word": "figure"}, [("5,000", "euros")]),
        ({"path": "previous, previous", "word": "figure", "through": "in negation"}, []),
        ({"path": "previous, previous", "word": "figure", "needed": "in negation"}, [("5,000", "not")]),
        ({"path": "phrase because"}, [("because", "of"), ("of", "because")]),
        ({"path": "next or previous", "word": "in negation"}, [("not", "has"), ("not", "paid")]),
        ({"path": "down obl"}, [("left", "rain")]),
        ({"path": "down obl", "unmarked": True}, []),
    ],
)
def test_a_path(need: dict[str, object], expected: list[tuple[str, str]]) -> None:
    row = {"kind": "it", "cost": 1, **need}
    language = read_language(json.dumps({"lists": LISTS, "needs": [row]}).encode())
    assert pairs(replace(parsed(TREE.replace("fixed", "case")), language=language)).get("it", []) == expected


@pytest.mark.parametrize("kind", ENGLISH.kinds, ids=lambda kind: kind.name)
def test_the_example_of_each_kind(kind: Kind) -> None:
    """The word between asterisks needs the word in brackets, by the tree of the shipped parser."""
    sentence = summarizer().bundle.sentence(tokenize(re.sub(r"[*\[\]]", "", kind.example)))
    (word,), (needed,) = re.findall(r"\*(.+?)\*", kind.example), re.findall(r"\[(.+?)\]", kind.example)
    assert (word, needed) in pairs(sentence)[kind.name]


_loaded: list[Summarizer] = []


def summarizer() -> Summarizer:
    if not DEFAULT_BUNDLE.is_dir():
        pytest.skip("no bundle in the package")
    if not _loaded:
        _loaded.append(Summarizer.load())
    return _loaded[0]
