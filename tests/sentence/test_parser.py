"""The numpy parser with random weights: shapes and windows. What it learns is in tests/training/test_parser.py."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from tiny_bundle import tiny_parser

from tersely.errors import BundleError
from tersely.sentence.bilstm import BiLstm
from tersely.sentence.labels import PUNCTUATION, ROOT
from tersely.sentence.parser import Parser
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

VOCABULARY = Vocabulary.of("the ship sank near port of havre".split())


def random_parser(changed: dict[str, np.ndarray] | None = None, **described: Any) -> Parser:
    """A parser with layers of its own."""
    tensors = {**tiny_parser(len(VOCABULARY), np.random.default_rng(0)), **(changed or {})}

    def lookup(name: str) -> np.ndarray:
        return tensors[f"parser.{name}"]

    described = {"layers": 2, "pieces": len(VOCABULARY), **described}
    return Parser(BiLstm.from_tensors(lookup, described, VOCABULARY), lookup)


def test_a_tree_has_a_head_and_a_label_for_every_word() -> None:
    words = tokenize("The ship didn't sink near the port of Havre, police said.")
    tree = random_parser().parse(words)
    assert len(tree) == len(words)
    np.testing.assert_allclose(tree.probabilities.sum(1), 1, atol=1e-4)
    np.testing.assert_allclose(tree.label_probabilities.sum(1), 1, atol=1e-4)
    for i, word in enumerate(words):
        assert (tree.labels[i] == PUNCTUATION) == word.punctuation
        assert (tree.labels[i] == ROOT) == (tree.heads[i] == i)
        assert not words[tree.heads[i]].punctuation  # nothing depends on a mark


@pytest.mark.parametrize("text", ["", "ship", "...", "! ?"])
def test_texts_without_sentences_have_trees_too(text: str) -> None:
    words = tokenize(text)
    assert len(random_parser().parse(words)) == len(words)


def test_a_long_text_is_parsed_in_bounded_memory() -> None:
    parser = random_parser()
    words = tokenize(" ".join(["the ship sank near the port of Havre"] * 125))
    assert len(words) == 1_000
    parser.parse(words[:10])
    tracemalloc.start()
    tree = parser.parse(words)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(tree) == 1_000
    assert peak < 40e6  # the table of probabilities alone has 4 MB
    np.testing.assert_allclose(tree.probabilities.sum(1), 1, atol=1e-3)


def test_a_window_sees_nothing_of_another() -> None:
    """Its tree is that of its words alone."""
    parser, words = random_parser(), tokenize("The ship sank near the port of Havre. " * 30)
    tree = parser.parse(words)
    (_, end), *others = parser.encoder.read(words).windows
    assert others
    alone = parser.parse(words[:end])
    assert tree.heads[:end].tolist() == alone.heads.tolist()
    np.testing.assert_allclose(tree.probabilities[:end, :end], alone.probabilities, atol=1e-6)


def test_a_parser_that_does_not_fit_is_refused() -> None:
    with pytest.raises(BundleError, match="vectors for 13 pieces and names 12"):
        random_parser(pieces=len(VOCABULARY) - 1)
    with pytest.raises(BundleError, match="not UTF-8"):
        random_parser({"parser.extra": np.full(1, 255, np.uint8)})
