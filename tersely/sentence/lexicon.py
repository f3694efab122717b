"""Stage 2: the features of a token for the parser: its piece in normal form, its suffix, and its shape.

The suffix distinguishes unknown words, the shape names from nouns. Training and inference both compute them here, so
they cannot disagree.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tersely.system.arrays import IntArray
from tersely.text.vocabulary import UNKNOWN_ID, Vocabulary
from tersely.text.words import PLACEHOLDERS, Word, is_punctuation, normalize

N_SUFFIXES = 4_096
SUFFIX_CHARS = 3
# HIDDEN is the shape of every token in a text that does not use capitals as prose does.
HIDDEN, LOWER, CAPITAL, CAPITALS, NUMBER, MARK, OTHER = range(7)
N_SHAPES = 7
# Benchmark corpora write brackets and quotes as the Penn Treebank does.
_MARKS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}", "''": '"'}


class Features(NamedTuple):
    """The features of a text: three numbers for each token."""

    ids: IntArray
    suffixes: IntArray
    shapes: IntArray


@dataclass(frozen=True)
class Lexicon:
    """The pieces that a parser knows: the first of the bundle's vocabulary, then some that it lacks.

    The vocabulary is made from titles, which have no punctuation and lack common words of prose.

    >>> lexicon = Lexicon(Vocabulary.of(["ship", "ran"]), 4, (".", "sank"))
    >>> [lexicon.id(piece) for piece in ("ship", "ran", ".", "sank", "port")]
    [3, 0, 4, 5, 0]
    """

    vocabulary: Vocabulary
    n_shared: int
    extra: tuple[str, ...]

    @cached_property
    def _extra(self) -> dict[str, int]:
        return {piece: self.n_shared + i for i, piece in enumerate(self.extra)}

    def __len__(self) -> int:
        return self.n_shared + len(self.extra)

    def id(self, piece: str) -> int:
        number = self.vocabulary.ids([piece])[0]
        return number if UNKNOWN_ID < number < self.n_shared else self._extra.get(piece, UNKNOWN_ID)

    def features(self, tokens: Sequence[str], normal: Sequence[str]) -> Features:
        """The features of tokens, given as in the text and in normal form."""
        ids = [self.id(piece) for piece in normal]
        shapes = [shape(token) for token in tokens]
        if not capitals_tell(tokens):
            shapes = [HIDDEN] * len(shapes)
        return Features(np.array(ids), np.array([suffix(piece) for piece in normal]), np.array(shapes))


def tokens_of(words: Sequence[Word]) -> tuple[list[str], list[str], list[int]]:
    """The tokens that the parser reads, as in the text and in normal form, and the number of tokens of each word.

    >>> from tersely.text.words import tokenize
    >>> tokens_of(tokenize("Didn't pay 5%!"))
    (['Did', "n't", 'pay', '5', '%', '!'], ['did', "n't", 'pay', '#', 'percent', '!'], [2, 1, 2, 1])
    """
    tokens: list[str] = []
    normal: list[str] = []
    sizes = []
    for word in words:
        pieces = word.pieces or (normal_form(word.text),)
        tokens += surfaces(word) if word.pieces else [word.text]
        normal += pieces
        sizes.append(len(pieces))
    return tokens, normal, sizes


def surfaces(word: Word) -> list[str]:
    """The pieces of a word as they are in the text: "Did" and "n't" of "Didn't"."""
    if len(word.pieces) < 2:
        return [word.text]
    if sum(map(len, word.pieces)) == len(word.text):
        ends = itertools.accumulate(map(len, word.pieces))
        return [word.text[end - len(piece) : end] for piece, end in zip(word.pieces, ends, strict=True)]
    if word.pieces[1:] == ("percent",):
        return [word.text[:-1], "%"]
    return list(word.pieces)


def normal_form(token: str) -> str:
    """The piece that tersely's own tokeniser would make of a token of a treebank.

    >>> [normal_form(token) for token in ("Analysts'", "-LRB-", "``", "12", "'")]
    ['analysts', '(', '"', '##', "'"]
    """
    normal = normalize(token)
    if is_punctuation(token):
        return _MARKS.get(normal, normal)
    return normal.rstrip("'") or normal


def suffix(piece: str) -> int:
    """A number for a piece's last characters: a hash that is the same on every machine."""
    return zlib.crc32(piece[-SUFFIX_CHARS:].encode()) % N_SUFFIXES


def shape(token: str) -> int:
    """The shape of a token: its letter case, or whether it is a number or a punctuation mark.

    >>> [shape(token) for token in ("port", "Port", "NATO", "A", "5.2", "--", "iPhone", "UNK")] == [
    ...     LOWER, CAPITAL, CAPITALS, CAPITAL, NUMBER, MARK, OTHER, OTHER]
    True
    """
    if not (token.isascii() and token.isalpha()):  # the usual case
        if is_punctuation(token):
            return MARK
        if any(char.isdigit() or char == "#" for char in token):
            return NUMBER
    if token.lower() in PLACEHOLDERS:
        return OTHER
    if token.islower():
        return LOWER
    if token.isupper() and sum(map(str.isalpha, token)) > 1:
        return CAPITALS
    return CAPITAL if token[:1].isupper() else OTHER


def capitals_tell(tokens: Sequence[str]) -> bool:
    """Whether a text uses capitals as prose does: it has words in lower case and capitalised words.

    Words all in capitals do not count: a dateline ("LONDON") or an acronym may stand in a lower-cased text.
    """
    shapes = {shape(token) for token in tokens}
    return LOWER in shapes and CAPITAL in shapes
