"""The source: words with the ids of their pieces."""

from __future__ import annotations

import numpy as np

from tersely.source import Source
from tersely.text import tokenize
from tersely.vocab import Vocabulary

VOCABULARY = Vocabulary.of(["cuba", "'s", "ship", "did", "n't", "sink"])


def test_a_word_has_all_its_pieces() -> None:
    source = Source.of(tokenize("Cuba's ship didn't sink, today."), VOCABULARY)
    assert [word.text for word in source.words] == ["Cuba's", "ship", "didn't", "sink", "today"]
    assert source.piece_ids.tolist() == [3, 4, 5, 6, 7, 8, 0]
    assert source.owners.tolist() == [0, 0, 1, 2, 2, 3, 4]
    assert source.needs.tolist() == []
    assert len(source) == 5


def test_masks_over_words_become_masks_over_pieces() -> None:
    source = Source.of(tokenize("Cuba's ship didn't sink"), VOCABULARY)
    masks = np.array([[True, False, False, True], [False, False, True, False]])
    assert source.piece_masks(masks).astype(int).tolist() == [[1, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 0]]


def test_pretokenised_clitics_need_their_word() -> None:
    source = Source.of(tokenize("cuba 's , ship did n't", pretokenized=True), VOCABULARY)
    assert source.needs.tolist() == [[1, 0], [4, 3]]
