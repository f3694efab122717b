"""Counts, vectors, vocabulary, checkpoints and recipes."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tersely.errors import FileError, InputError
from tersely.training.checkpoint import claim, read_checkpoint, write_checkpoint
from tersely.training.corpus import Encoded, encode_lines
from tersely.training.counts import add_counts, count_corpus, inverse_document_frequency
from tersely.training.prepare import choose_vocabulary, hold_out
from tersely.training.recipes import Recipe, override, recipe
from tersely.training.vectors import train_vectors, whitened


def encoded(lines: list[str]) -> Encoded:
    return encode_lines([line.encode() for line in lines])


def test_document_counts_are_weighted_by_corpus() -> None:
    one = Encoded(np.array([3, 3, 4], np.int32), np.array([0, 3]))
    two = Encoded(np.array([4, 5], np.int32), np.array([0, 1, 2]))
    counts = add_counts([count_corpus(one, 6), count_corpus(two, 6)], [1.0, 0.5])
    assert counts.documents.tolist() == [0, 0, 0, 1, 1.5, 0.5]
    assert (counts.n_lines, counts.n_words) == (2.0, 4.0)


def test_idf_is_log2_of_lines_by_document_frequency() -> None:
    assert inverse_document_frequency(np.array([1, 2, 0], np.float32), 16).tolist() == [4, 3, 4]


def test_words_of_the_same_place_have_similar_vectors() -> None:
    lines = [f"{a} {b} cat" for a in ("red", "blue") for b in ("big", "small")] * 200
    lines += [f"{a} {b} ship" for a in ("iron", "steel") for b in ("long", "short")] * 200
    corpus = encoded(lines)
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


def test_the_vocabulary_is_ordered_by_weighted_frequency() -> None:
    corpora = [encoded(["ship ship port"]), encoded(["port port port ferry ferry rare"])]
    assert choose_vocabulary(corpora, [1.0, 1.0], size=9, min_count=2).pieces[3:] == ("port", "ferry", "ship")
    assert choose_vocabulary(corpora, [1.0, 0.0], size=9, min_count=1).pieces[3:] == ("ship", "port")
    assert len(choose_vocabulary(corpora, [1.0, 1.0], size=2, min_count=1)) == 5


@pytest.mark.parametrize("lines", [[], ["ship"], ["ship ship", "ship"], ["UNK UNK"]])
def test_a_corpus_of_one_word_or_none_is_refused(lines: list[str]) -> None:
    with pytest.raises(InputError, match="different words"):
        choose_vocabulary([encoded(lines)], [1.0], size=9, min_count=1)


def test_held_out_lines_are_not_trained_on() -> None:
    corpora = [encoded(["other " * i for i in range(1, 51)]), encoded([chr(0x4E00 + i) for i in range(50)])]
    rest, held_out = hold_out(corpora, [1.0, 2.0], 3)
    assert (rest[0].n_lines, rest[1].n_lines, held_out.n_lines) == (50, 47, 3)
    assert not set(held_out.ids.tolist()) & set(rest[1].ids.tolist())
    assert hold_out(corpora, [1.0, 2.0], 1000)[1].n_lines == 5  # never more than a tenth


def test_a_checkpoint_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "state.pt"
    write_checkpoint(path, {"step": 1})

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError, match="No space left"):
        write_checkpoint(path, {"step": 2})
    assert read_checkpoint(path) == {"step": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_checkpoint_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    write_checkpoint(path, {"numbers": list(range(1000))})
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(FileError, match=r"cannot read the checkpoint .*delete it to begin again") as caught:
        read_checkpoint(path)
    assert "\n" not in str(caught.value)


def test_a_folder_belongs_to_one_run(tmp_path: Path) -> None:
    assert not claim(tmp_path / "run", {"hidden": 8, "titles": ["a=1"]})
    assert claim(tmp_path / "run", {"hidden": 8, "titles": ["a=1"]})
    with pytest.raises(InputError, match="hidden was 8, now 9"):
        claim(tmp_path / "run", {"hidden": 9, "titles": ["a=1"]})
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to-mother.txt").touch()
    with pytest.raises(InputError, match="not empty and holds no training run"):
        claim(tmp_path / "letters", {})


def test_the_recipe_of_the_paper() -> None:
    paper = recipe("paper")
    assert (paper.layers, paper.hidden, paper.embedding, paper.layer_norm, paper.dropout) == (2, 1024, 1024, True, 0.5)
    assert (paper.optimizer, paper.rate, paper.momentum, paper.clip, paper.longest) == ("sgd", 0.1, 0.9, 15, 20)
    assert (paper.vector_size, paper.vector_epochs, paper.vector_negatives) == (700, 20, 10)
    assert (paper.vector_min_count, paper.vector_rate, paper.vector_subsample) == (5, 0.2, 5e-6)
    assert (paper.vocabulary, paper.negatives, paper.tied, paper.shared) == (70_000, 0, False, False)


def test_a_recipe_from_a_file_changes_what_it_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"hidden": 64, "tied": False}))
    assert recipe(str(path)) == override(Recipe(), {"hidden": "64", "tied": "no"})
    path.write_text("[1]")
    with pytest.raises(InputError, match="not a JSON object"):
        recipe(str(path))
    path.write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        recipe(str(path))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"hiden": 3}, "has no 'hiden'"),
        ({"hidden": "many"}, "hidden is a whole number, not 'many'"),
        ({"hidden": "1.5"}, "hidden is a whole number"),
        ({"hidden": 0}, "hidden is at least 1"),
        ({"tied": "perhaps"}, "tied is yes or no"),
        ({"dropout": 1}, "dropout is at least 0 and below 1"),
        ({"lm_side": "books"}, "lm_side is one of titles, articles"),
        ({"rate": 0}, "rate is above 0"),
        ({"rate": "nan"}, "rate is above 0"),
    ],
)
def test_bad_settings_are_one_clear_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        override(Recipe(), values)


def test_an_unknown_recipe_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="default, paper, tiny"):
        recipe("tinny")
