from __future__ import annotations

import pytest

from tersely.sentence.labels import LABELS, coarse
from tersely.sentence.lexicon import (
    CAPITAL,
    HIDDEN,
    LOWER,
    MARK,
    NUMBER,
    Lexicon,
    normal_form,
    shape,
    suffix,
    tokens_of,
)
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

LEXICON = Lexicon(Vocabulary.of(["ship", "sank"]), 5, (".",))


@pytest.mark.parametrize(
    "text",
    ["Mr. Smith didn't pay $5.2 billion (12.5 %), the U.S. said.", "“Cuba’s workers' pay…”", "S.Korea -- 20°C", "日本"],
)
def test_every_word_has_tokens_and_surfaces_fit_their_pieces(text: str) -> None:
    words = tokenize(text)
    tokens, normal, sizes = tokens_of(words)
    assert len(tokens) == len(normal) == sum(sizes)
    assert sizes == [max(1, len(word.pieces)) for word in words]
    assert all(tokens)


def test_a_treebank_and_the_tokeniser_agree_on_normal_forms() -> None:
    tokens, normal, _ = tokens_of(tokenize("Analysts' pay wasn't 5% of Cuba's \u201cbudget\u201d!"))
    assert [normal_form(token) for token in tokens] == normal


def test_features_of_prose_have_shapes() -> None:
    features = LEXICON.features(["The", "ship", "sank", "2", "."], ["the", "ship", "sank", "#", "."])
    assert features.ids.tolist() == [0, 3, 4, 0, 5]
    assert features.shapes.tolist() == [CAPITAL, LOWER, LOWER, NUMBER, MARK]


@pytest.mark.parametrize(
    "text",
    [
        "the ship sank .",
        "THE SHIP SANK .",
        "The Ship Sank .",
        "the UNK sank near <unk> , Unk said",
        "WASHINGTON ( AP ) - the ship sank",
    ],
)
def test_shapes_are_hidden_where_capitals_say_nothing(text: str) -> None:
    tokens = text.split()
    assert set(LEXICON.features(tokens, [token.lower() for token in tokens]).shapes.tolist()) == {HIDDEN}


def test_suffixes_are_the_same_on_every_machine() -> None:
    assert [suffix("running"), suffix("walking"), suffix("a")] == [suffix("ing"), suffix("king"), suffix("a")]
    assert (suffix("ing"), suffix("é")) == (2927, 3390)


def test_marks_alone_are_marks() -> None:
    assert [shape(token) for token in ("...", "-LRB-", "''")] == [MARK] * 3


@pytest.mark.parametrize(
    ("relation", "label"),
    [("nsubj", "nsubj"), ("csubj:pass", "nsubj:pass"), ("obl:tmod", "obl"), ("flat:name", "compound"), ("x", "dep")],
)
def test_relations_have_coarse_labels(relation: str, label: str) -> None:
    assert LABELS[coarse(relation)] == label


def test_labels_are_distinct() -> None:
    assert len(set(LABELS)) == len(LABELS)
