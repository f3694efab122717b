"""A sentence: words with the ids of their pieces, and what is read from them once."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from tree_toys import FixedParser, tree_of

from tersely.sentence.sentence import Sentence
from tersely.sentence.tree import Tree
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word, tokenize

VOCABULARY = Vocabulary.of(["cuba", "'s", "ship", "did", "n't", "sink"])


def test_a_word_has_all_its_pieces() -> None:
    sentence = Sentence.of(tokenize("Cuba's ship didn't sink, today."), VOCABULARY)
    assert [word.text for word in sentence.words] == ["Cuba's", "ship", "didn't", "sink", "today"]
    assert sentence.piece_ids.tolist() == [3, 4, 5, 6, 7, 8, 0]
    assert sentence.owners.tolist() == [0, 0, 1, 2, 2, 3, 4]
    assert sentence.needs.tolist() == []
    assert len(sentence) == 5


def test_masks_over_words_become_masks_over_pieces() -> None:
    sentence = Sentence.of(tokenize("Cuba's ship didn't sink"), VOCABULARY)
    masks = np.array([[True, False, False, True], [False, False, True, False]])
    assert sentence.piece_masks(masks).astype(int).tolist() == [[1, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 0]]


def test_pretokenised_clitics_need_their_word() -> None:
    sentence = Sentence.of(tokenize("cuba 's , ship did n't", pretokenized=True), VOCABULARY)
    assert sentence.needs.tolist() == [[1, 0], [4, 3]]


# the head of every token, with its label: "Police, he said, left."
TREE = tree_of([5, 0, 3, 5, 3, 5, 5], "nsubj punct nsubj parataxis punct root punct".split())


def test_the_tree_is_made_once_and_when_it_is_asked_for() -> None:
    calls = []

    class Parser:
        def parse(self, words: Sequence[Word]) -> Tree:
            calls.append(len(words))
            return TREE

    sentence = Sentence.of(tokenize("Police, he said, left."), VOCABULARY, Parser())
    assert calls == []
    assert sentence.positions.tolist() == [0, 2, 3, 5]
    assert sentence.heads == ((3, "nsubj"), (2, "nsubj"), (3, "parataxis"), (-1, "root"))  # by words, not by tokens
    assert sentence.dependencies.depends(("nsubj",)).tolist() == [[0, 0, 0, 1], [0, 0, 1, 0], [0] * 4, [0] * 4]
    assert sentence.dependencies.roots.tolist() == [0, 0, 0, 1]
    assert calls == [7]


def test_without_a_parser_no_word_depends_on_another() -> None:
    sentence = Sentence.of(tokenize("Police, he said, left."), VOCABULARY)
    assert sentence.tree is sentence.heads is None
    assert not sentence.dependencies.heads.any()
    assert not sentence.dependencies.has_label(("root", "nsubj")).any()


def test_what_searches_share_is_made_once_for_a_sentence() -> None:
    sentence = Sentence.of(tokenize("The ship sank"), VOCABULARY)
    shared = sentence.shared("key", list)
    assert sentence.shared("key", list) is shared
    assert dataclasses.replace(sentence, parser=FixedParser(TREE)).shared("key", list) is not shared
