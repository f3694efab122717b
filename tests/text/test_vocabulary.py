"""Pieces to ids and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tersely.errors import BundleError
from tersely.text.vocabulary import BEGIN_ID, END_ID, SPECIAL, UNKNOWN_ID, Vocabulary


def test_special_symbols_come_first() -> None:
    vocabulary = Vocabulary.of(["ship"])
    assert vocabulary.pieces == ("<unk>", "<s>", "</s>", "ship")
    assert [vocabulary.pieces[i] for i in (UNKNOWN_ID, BEGIN_ID, END_ID)] == list(SPECIAL)


def test_an_unknown_piece_gets_the_unknown_symbol() -> None:
    vocabulary = Vocabulary.of(["ship", "ran"])
    assert vocabulary.ids(["ran", "sank", "<unk>", "ship"]) == [4, 0, 0, 3]
    assert "ship" in vocabulary
    assert "sank" not in vocabulary


def test_written_and_read_it_is_the_same(tmp_path: Path) -> None:
    vocabulary = Vocabulary.of(["ship", "n't", "côte", "\u2028", "中", "\x85"])
    vocabulary.write(tmp_path / "vocab.txt")
    assert Vocabulary.read(tmp_path / "vocab.txt").pieces == vocabulary.pieces


@pytest.mark.parametrize("pieces", [[], ["ship"], ["<s>", "<unk>", "</s>"]])
def test_special_symbols_out_of_place_are_refused(pieces: list[str]) -> None:
    with pytest.raises(BundleError, match="must start with <unk>"):
        Vocabulary(pieces)


def test_a_piece_named_twice_is_refused() -> None:
    with pytest.raises(BundleError, match="1 pieces"):
        Vocabulary.of(["ship", "ran", "ship"])
