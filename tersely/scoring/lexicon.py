"""Stage 3: what the parser sees of a token: its piece in normal form, its suffix, and its shape.

The suffix tells words apart that the parser does not know, the shape names from nouns. Both training and inference
make their numbers here, so they cannot disagree.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tersely.source import IntArray
from tersely.text import Word, is_punctuation, normalize
from tersely.vocab import UNKNOWN_ID, Vocabulary

N_SUFFIXES = 4_096
SUFFIX_CHARS = 3
# 0 is what every token of a text gets that does not use capitals as prose does.
HIDDEN, LOWER, CAPITAL, CAPITALS, NUMBER, MARK, OTHER = range(7)
N_SHAPES = 7
# Benchmark corpora write brackets and quotes in the manner of the Penn Treebank.
_MARKS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}", "''": '"'}


class Features(NamedTuple):
    """What the parser sees: three numbers for each token."""

    ids: IntArray
    suffixes: IntArray
    shapes: IntArray


@dataclass(frozen=True)
class Lexicon:
    """The pieces that a parser knows: the first ones of the bundle's vocabulary, then a few that it lacks.

    Titles, of which the vocabulary is made, have no punctuation and few words of plain prose.

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
        """The features of tokens, given as they stand in the text and in normal form."""
        ids = [self.id(piece) for piece in normal]
        shapes = [shape(token) for token in tokens]
        if not prose(shapes):
            shapes = [HIDDEN] * len(shapes)
        return Features(np.array(ids), np.array([suffix(piece) for piece in normal]), np.array(shapes))


def tokens_of(words: Sequence[Word]) -> tuple[list[str], list[str], list[int]]:
    """The tokens that the parser reads: as they stand in the text, in normal form, and how many each word has.

    >>> from tersely.text import tokenize
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
    """The pieces of a word as they stand in the text: "Didn't" as "Did" and "n't"."""
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
    """The number of a piece's last characters: a hash that is the same on every machine."""
    return zlib.crc32(piece[-SUFFIX_CHARS:].encode()) % N_SUFFIXES


def shape(token: str) -> int:
    """How a token is written.

    >>> [shape(token) for token in ("port", "Port", "NATO", "A", "5.2", "--", "iPhone")] == [
    ...     LOWER, CAPITAL, CAPITALS, CAPITAL, NUMBER, MARK, OTHER]
    True
    """
    if not (token.isascii() and token.isalpha()):  # as most are
        if is_punctuation(token):
            return MARK
        if any(char.isdigit() or char == "#" for char in token):
            return NUMBER
    if token.islower():
        return LOWER
    if token.isupper() and sum(map(str.isalpha, token)) > 1:
        return CAPITALS
    return CAPITAL if token[:1].isupper() else OTHER


def is_prose(words: Sequence[Word]) -> bool:
    """Whether the words of a text, punctuation included, use capitals as prose does."""
    return prose([shape(word.text) for word in words])


def prose(shapes: Sequence[int]) -> bool:
    """Whether a text uses capitals as prose does, so that they say something: it has small words and capital ones."""
    return LOWER in shapes and (CAPITAL in shapes or CAPITALS in shapes)
