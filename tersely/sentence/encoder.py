"""Stage 2: a pretrained encoder in numpy: what each word of a text means where it stands.

BERT's architecture (Devlin et al. 2019): pieces with positions, layers of attention and a feed-forward part, each with
a residual and a norm. Matrices are stored as int8 with a scale for each output row and become float32 once, when first
used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tersely.sentence.lexicon import normal_form, tokens_of
from tersely.sentence.states import Array, Lookup, States, floats, windows
from tersely.sentence.wordpiece import BEGIN, END, UNKNOWN, WordPiece
from tersely.system.arrays import IntArray
from tersely.system.table import Table
from tersely.text.words import Word, fold

# Pieces of a text that are read, about half a second. Of a text with more, fewer pieces of each token are read; where
# one of each is too many, the last windows are not read.
_MOST_READ = 1_500
_ROWS = 32  # of `gelu` at a time


@dataclass(frozen=True)
class Pieces:
    """What the encoder reads of a text: piece numbers, pieces of each token, tokens of each word."""

    ids: IntArray  # (pieces,)
    of_tokens: IntArray  # (tokens,)
    of_words: IntArray  # (words,)
    last: tuple[str, ...]  # the last token of each word, for the borders of windows


def pieces_of(words: Sequence[Word], wordpiece: WordPiece, most: int) -> Pieces:
    """The pieces of a text, given all its words, punctuation included; at most `most` of one token are read."""
    tokens, normal, sizes = tokens_of(words)
    texts = [_text(*pair) for pair in zip(tokens, normal, strict=True)]
    unknown = (wordpiece.numbers[UNKNOWN],)
    ids = [wordpiece.ids(text)[:most] if text else unknown for text in texts]
    while sum(map(len, ids)) > _MOST_READ and most > 1:
        most -= 1
        ids = [some[:most] for some in ids]
    ends = np.cumsum(sizes)
    flat = np.array([i for some in ids for i in some], dtype=np.int64)
    return Pieces(
        flat,
        np.array([len(some) for some in ids]),
        np.array(sizes),
        tuple(texts[end - 1] or UNKNOWN for end in ends),
    )


def _text(token: str, normal: str) -> str:
    """A token as the encoder reads it: benchmark brackets as brackets, quotes straight; nothing for an unknown word."""
    if normal == "<unk>":
        return ""
    return normal_form(token) if not any(map(str.isalnum, normal)) or token.startswith("-") else fold(token)


@dataclass(frozen=True)
class Encoder:
    """A pretrained encoder: words in, states out."""

    wordpiece: WordPiece
    tensor: Lookup  # by the names in a bundle, without `encoder.`
    n_layers: int
    n_heads: int
    window: int
    most_pieces: int

    @classmethod
    def from_tensors(cls, tensor: Lookup, description: Mapping[str, Any], vocabulary: Sequence[str]) -> Encoder:
        sizes = (int(description[name]) for name in ("layers", "heads", "window", "most_pieces"))
        return cls(WordPiece(vocabulary), tensor, *sizes)

    def read(self, words: Sequence[Word]) -> States:
        """The states of a text, given all its words, punctuation included."""
        pieces = pieces_of(words, self.wordpiece, self.most_pieces)
        tokens_to = np.append(0, pieces.of_words.cumsum())
        pieces_to = np.append(0, pieces.of_tokens.cumsum())
        states = np.empty((len(pieces.of_tokens), self._matrices["position"].shape[1]), np.float32)
        of_words = np.empty((len(words), states.shape[1]), np.float32)
        of_words_pieces = np.add.reduceat(pieces.of_tokens, tokens_to[:-1]) if len(words) else pieces.of_tokens
        parts = tuple(windows(of_words_pieces, pieces.last, self.window))
        for begin, end in parts:
            first, last = tokens_to[begin], tokens_to[end]
            if pieces_to[last] > _MOST_READ + self.window:
                states[first:last] = of_words[begin:end] = 0
                continue
            read = self.layers(pieces.ids[pieces_to[first] : pieces_to[last]])
            starts = pieces_to[first:last] - pieces_to[first]
            sums = np.add.reduceat(read, starts, axis=0)
            sizes = pieces.of_tokens[first:last].astype(np.float32)
            states[first:last] = sums / sizes[:, None]
            starts = tokens_to[begin:end] - first
            sums, sizes = np.add.reduceat(sums, starts, axis=0), np.add.reduceat(sizes, starts)
            of_words[begin:end] = sums / sizes[:, None]
        return States(states, of_words, pieces.of_words, parts)

    def layers(self, ids: IntArray) -> Array:
        """The last layer's states of some pieces, (pieces, width), between the encoder's begin and end."""
        matrices, numbers = self._matrices, self.wordpiece.numbers
        ids = np.concatenate([[numbers[BEGIN]], ids, [numbers[END]]])
        states = Table(self.tensor("piece"), self.tensor("piece.scale")).gather(ids) + matrices["position"][: len(ids)]
        states = _norm(states, self.tensor("norm.weight"), self.tensor("norm.bias"))
        for i in range(self.n_layers):
            states = self._layer(f"layer.{i}.", states)
        return states[1:-1]

    def _layer(self, name: str, states: Array) -> Array:
        matrices, tensor = self._matrices, self.tensor
        n, width = states.shape
        mixed = states @ matrices[name + "attention"]
        mixed += tensor(name + "attention.bias")
        query, key, value = mixed.reshape(n, 3, self.n_heads, -1).transpose(1, 2, 0, 3)  # (heads, n, width / heads)
        scores = query @ key.transpose(0, 2, 1)
        scores *= np.float32((width / self.n_heads) ** -0.5)
        scores -= scores.max(2, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(2, keepdims=True)
        read = (scores @ value).transpose(1, 0, 2).reshape(n, width) @ matrices[name + "output"]
        read += tensor(name + "output.bias")
        read += states
        states = _norm(read, tensor(name + "output.norm.weight"), tensor(name + "output.norm.bias"))
        wide = states @ matrices[name + "up"]
        wide += tensor(name + "up.bias")
        read = gelu(wide) @ matrices[name + "down"]
        read += tensor(name + "down.bias")
        read += states
        return _norm(read, tensor(name + "down.norm.weight"), tensor(name + "down.norm.bias"))

    @cached_property
    def _matrices(self) -> dict[str, Array]:
        """The matrices as floats, transposed for a product from the left, made once: every sentence uses all."""
        parts = [f"layer.{i}.{part}" for i in range(self.n_layers) for part in ("attention", "output", "up", "down")]
        found = {name: np.ascontiguousarray(floats(self.tensor, name).T) for name in parts}
        return found | {"position": floats(self.tensor, "position")}


def gelu(x: Array) -> Array:
    """x Φ(x), by a few rows at a time, which stay in the processor's cache: a third of the time."""
    if len(x) <= _ROWS:
        return _gelu(x)
    return np.concatenate([_gelu(x[i : i + _ROWS]) for i in range(0, len(x), _ROWS)])


def _gelu(x: Array) -> Array:
    """x Φ(x); the error function after Abramowitz and Stegun 7.1.26 (error below 2e-7), few passes over memory."""
    z = np.abs(x)
    z *= np.float32(np.sqrt(0.5))
    t = z * np.float32(0.3275911)
    t += 1
    np.reciprocal(t, out=t)
    poly = t * np.float32(1.061405429)
    for c in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        poly += np.float32(c)
        poly *= t
    z *= z
    np.negative(z, out=z)
    poly *= np.exp(z, out=z)  # 1 - erf(|x| / sqrt 2)
    # x Φ(x) is max(x, 0) - |x| (1 - erf) / 2
    poly *= np.abs(x)
    poly *= np.float32(0.5)
    found: Array = np.subtract(np.maximum(x, 0), poly, out=poly)
    return found


def _norm(x: Array, weight: Array, bias: Array) -> Array:
    x = x - x.mean(1, keepdims=True)
    variance = np.einsum("nw,nw->n", x, x)[:, None] / np.float32(x.shape[1])
    x *= 1 / np.sqrt(variance + np.float32(1e-12))
    x *= weight
    x += bias
    return x
