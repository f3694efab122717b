"""What is counted in the corpora, and the word vectors."""

from __future__ import annotations

import numpy as np
import pytest

from tersely.errors import InputError
from tersely.training.corpus import Encoded, choose_vocabulary, encode_lines
from tersely.training.counts import add_counts, count_corpus
from tersely.training.recipes import override, recipe
from tersely.training.vectors import train_vectors, whitened


def test_document_counts_are_weighted_by_corpus() -> None:
    one = Encoded(np.array([3, 3, 4], np.int32), np.array([0, 3]))
    two = Encoded(np.array([4, 5], np.int32), np.array([0, 1, 2]))
    counts = add_counts([count_corpus(one, 6), count_corpus(two, 6)], [1.0, 0.5])
    assert counts.documents.tolist() == [0, 0, 0, 1, 1.5, 0.5]
    assert (counts.n_lines, counts.n_words) == (2.0, 4.0)


def test_words_of_the_same_place_have_similar_vectors() -> None:
    lines = [f"{a} {b} cat" for a in ("red", "blue") for b in ("big", "small")] * 200
    lines += [f"{a} {b} ship" for a in ("iron", "steel") for b in ("long", "short")] * 200
    corpus = encode_lines([line.encode() for line in lines])
    vocabulary = choose_vocabulary([corpus], [1.0], size=50, min_count=1)
    settings = override(recipe("tiny"), {"vector_subsample": 1, "vector_epochs": 10})
    vectors = train_vectors([corpus.remap(vocabulary)], len(vocabulary), settings, workers=1)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    red, cat, iron, ship = (unit[vocabulary.ids([word])[0]] for word in ("red", "cat", "iron", "ship"))
    assert red @ cat > red @ ship
    assert iron @ ship > iron @ cat
    assert not vectors[:3].any()  # the special symbols have none


def test_whitened_vectors_have_no_mean_and_no_strong_direction() -> None:
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(40, 4)) * [9, 1, 1, 0.1] + [5, 0, 0, 0]).astype(np.float32)
    vectors[:3] = 0  # words without a vector
    counts = rng.integers(1, 50, size=40).astype(np.float32)
    white = whitened(vectors, counts)
    share = counts[3:] / counts[3:].sum()
    assert not white[:3].any()
    assert share @ white[3:] == pytest.approx(np.zeros(4), abs=1e-5)
    assert (white[3:] * share[:, None]).T @ white[3:] == pytest.approx(np.eye(4), abs=1e-4)


def test_whitening_leaves_alone_what_it_knows_nothing_about() -> None:
    flat = np.zeros((5, 3), np.float32)
    flat[2:, 0] = [1, 2, 3]  # two directions are empty: there is no noise to stretch
    assert not whitened(flat, np.ones(5, np.float32))[:, 1:].any()
    assert whitened(flat, np.zeros(5, np.float32)) is flat


def test_too_little_text_for_vectors_is_one_clear_line() -> None:
    corpus = Encoded(np.array([3, 4], np.int32), np.array([0, 2]))
    with pytest.raises(InputError, match="no word occurs 9 times"):
        train_vectors([corpus], 5, override(recipe("tiny"), {"vector_min_count": 9}), workers=1)
