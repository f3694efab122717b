"""What the encoder reads of a text, and no more."""

from __future__ import annotations

import numpy as np

from tersely.sentence import encoder
from tersely.sentence.encoder import Encoder, gelu, pieces_of
from tersely.sentence.wordpiece import WordPiece
from tersely.text.words import tokenize

WORDPIECE = WordPiece(("[UNK]", "[CLS]", "[SEP]", "a", "##a"))


def test_of_a_long_text_fewer_pieces_of_each_token_are_read() -> None:
    few, many = (tokenize(" ".join(["aaaaaa"] * n)) for n in (10, 700))
    assert pieces_of(few, WORDPIECE, 4).of_tokens.tolist() == [4] * 10
    assert pieces_of(many, WORDPIECE, 4).of_tokens.tolist() == [2] * 700
    assert len(pieces_of(many, WORDPIECE, 4).ids) == 1400


def test_the_last_windows_of_too_many_tokens_are_not_read(monkeypatch) -> None:
    read = []

    def layers(self, ids):
        read.extend(ids)
        return np.ones((len(ids), 2), np.float32)

    monkeypatch.setattr(Encoder, "layers", layers)
    monkeypatch.setattr(Encoder, "_matrices", {"position": np.zeros((1, 2))})
    states = Encoder(WORDPIECE, lambda name: np.zeros(1), 1, 1, 100, 4).read(tokenize("a " * 3000))
    assert len(read) <= encoder._MOST_READ + 100
    assert states.words[0].tolist() == [1, 1]
    assert states.words[-1].tolist() == [0, 0]


def test_gelu_is_the_same_by_rows() -> None:
    x = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32)
    whole = gelu(x)
    assert all((gelu(x[i : i + 1]) == whole[i]).all() for i in range(100))
    assert gelu(np.zeros((0, 3), np.float32)).shape == (0, 3)
