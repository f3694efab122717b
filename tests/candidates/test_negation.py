"""No summary turns a meaning round: a word stays only with the negation that it is under."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from english import ENGLISH
from tree_toys import parsed

from tersely.candidates.negation import negation_needs
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import DEFAULT_BUNDLE, Summarizer
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize


# A negation, the word that it governs, and an invented sentence whose meaning would flip without it.
def cases(name: str) -> list[list[str]]:
    lines = (Path(__file__).parent.parent / "cases" / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


CASES, DENIALS = cases("negations.tsv"), cases("denials.tsv")


@pytest.fixture(scope="module")
def shorten() -> Summarizer:
    if not DEFAULT_BUNDLE.is_dir():
        pytest.skip("no bundle in the package")
    return Summarizer.load()


@pytest.mark.no_cover
@pytest.mark.slow
@pytest.mark.parametrize("objective", ["headline", "sentence"])
def test_no_meaning_is_turned_round(shorten: Summarizer, objective: str) -> None:
    assert len(CASES) >= 60
    flipped = []
    lengths = itertools.cycle([{"words": 4}, {"words": 8}, {"chars": 40}])
    for (negation, governed, sentence), length in zip(CASES, lengths, strict=False):
        kept = words_of(shorten(sentence, objective=objective, **length))
        if governed in kept and negation not in kept:
            flipped.append(" ".join(kept))
    assert flipped == []


@pytest.mark.no_cover
@pytest.mark.slow
def test_a_denial_is_a_hard_need(shorten: Summarizer) -> None:
    """So it holds in every search, with every objective, at every length; the editor alone would keep many of them."""
    lost = [case for case in CASES + DENIALS if not is_needed(shorten, *case)]
    assert lost == []


def is_needed(shorten: Summarizer, negation: str, governed: str, text: str) -> bool:
    """Whether no candidate keeps a word without one of the negations, by any chain of hard needs."""
    sentence = shorten.bundle.sentence(tokenize(text))
    words = [word.text for word in sentence.words]
    needs = np.concatenate([sentence.needs, negation_needs(sentence)]).tolist()
    for i in (i for i, word in enumerate(words) if word == governed):
        kept = {i}
        while more := {needed for word, needed in needs if word in kept} - kept:
            kept |= more
        if negation not in {words[j] for j in kept}:
            return False
    return governed in words


@pytest.mark.no_cover
@pytest.mark.slow
@pytest.mark.parametrize("fast", [True, False])
def test_no_denial_is_lost_at_any_length(shorten: Summarizer, fast: bool) -> None:
    assert len(DENIALS) >= 600
    flipped = []
    for negation, governed, sentence in DENIALS if fast else DENIALS[::24]:
        for summary in shorten.lengths(sentence, fast=fast):
            kept = words_of(summary)
            flipped += [" ".join(kept)] if governed in kept and negation not in kept else []
    assert flipped == []


@pytest.mark.no_cover
@pytest.mark.slow
def test_a_pinned_word_brings_its_negation(shorten: Summarizer) -> None:
    lost = []
    for negation, governed, sentence in CASES:
        asked = {"words": 5, "keep": f"{governed}#1", "fast": True}
        held = words_of(shorten(sentence, **asked))
        free = words_of(shorten(sentence, drop=f"{negation}#1", negation=False, **asked))
        assert governed in held
        assert negation not in free
        lost += [sentence] if negation not in held else []
    assert lost == []


def words_of(summary: object) -> list[str]:
    return [summary.tokens[i] for i in summary.kept]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("there were no serious casualties", [("serious", "no")]),
        ("they did not even reach the port", [("reach", "not")]),
        ("the firm denies any wrongdoing", [("wrongdoing", "denies")]),
        ("it has yet to pay", [("pay", "yet")]),
        ("yet it paid", []),
        ("few ships sank and a few did", [("ships", "few")]),
        ("it is not only safe", [("not", "only"), ("only", "not")]),
        ("it may not sink, and will", [("sink", "not")]),
        ("the firm had no May sales", [("May", "no")]),  # the month, and no modal verb
        ("it is not may 5 yet", [("may", "not")]),
        ("they did not, as he said, free the man", [("said", "not"), ("free", "not")]),
        ("it is false that ships sank", [("ships", "false"), ("sank", "false")]),
        ("they do not believe ships sank", [("believe", "not"), ("ships", "not"), ("sank", "not")]),
        ("it is not true, he said, that ships sank", [("true", "not"), ("ships", "not"), ("sank", "not")]),
        ("he ruled out rises", [("out", "ruled")]),
        ("nobody", []),
        ("all went well", []),
    ],
)
def test_without_a_tree_the_next_content_word_needs_it(text: str, pairs: list[tuple[str, str]]) -> None:
    sentence = Sentence.of(tokenize(text), Vocabulary.of(["ship"]), language=ENGLISH)
    assert [tuple(sentence.words[i].text for i in pair) for pair in negation_needs(sentence)] == pairs


def test_where_there_is_no_tree(summarizer: Summarizer) -> None:
    custom = {"fluency": 1.0, "similarity": 2.0}
    text = "the ship did not sink in the port"
    assert words_of(summarizer(text, words=2, keep="sink", objective=custom)) == ["not", "sink"]
    assert len(summarizer(text, words=1, keep="sink", objective=custom, negation=False).kept) == 1
    assert len(summarizer(text, words=1, keep="sink", objective="paper").kept) == 1  # the paper knows no such rule


def test_a_long_chain_of_denied_clauses() -> None:
    """If every pair were compared with all others, this would take minutes."""
    n = 300
    chain = [f"not {2 * i + 1} advmod | believe {max(2 * i - 1, 1)} {'ccomp' if i else 'root'}" for i in range(n)]
    pairs = {tuple(pair) for pair in negation_needs(parsed(" | ".join(chain))).tolist()}
    assert {(2 * i + 1, 2 * j) for i in range(n) for j in range(i + 1)} <= pairs
