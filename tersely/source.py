"""Stage 1: the source as the search sees it: n words, each with the ids of its pieces.

Punctuation is already gone (the paper drops it before the search). A candidate is a mask over the n words; the models
read pieces, and `piece_masks` is the one place where the one becomes the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.text import Word, bindings
from tersely.vocab import Vocabulary

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.floating]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Source:
    """The words to choose from, without punctuation.

    >>> from tersely.text import tokenize
    >>> source = Source.of(tokenize("Cuba's ship, aground!"), Vocabulary.of(["cuba", "'s", "ship"]))
    >>> len(source), source.piece_ids, source.owners, source.stretches
    (3, array([3, 4, 5, 0]), array([0, 0, 1, 2]), array([0, 0, 1]))
    """

    words: tuple[Word, ...]
    tokens: tuple[Word, ...]  # the words with the punctuation between them
    piece_ids: IntArray  # (pieces,) vocabulary id of every piece, in order
    owners: IntArray  # (pieces,) the position of the word that a piece belongs to
    needs: IntArray  # (pairs, 2) a word, and one that it cannot stand without
    stretches: IntArray  # (n,) in which stretch between punctuation marks a word stands, from 0

    @classmethod
    def of(cls, words: Sequence[Word], vocabulary: Vocabulary) -> Source:
        """The source of a tokenised text; punctuation is left out."""
        kept = tuple(word for word in words if not word.punctuation)
        pieces = [(piece, i) for i, word in enumerate(kept) for piece in word.pieces]
        return cls(
            words=kept,
            tokens=tuple(words),
            piece_ids=np.array(vocabulary.ids(piece for piece, _ in pieces), dtype=np.int64),
            owners=np.array([i for _, i in pieces], dtype=np.int64),
            needs=np.array(bindings(kept), dtype=np.int64).reshape(-1, 2),
            stretches=_stretches(words),
        )

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> IntArray:
        """Where each word stands among the tokens, (n,)."""
        return np.flatnonzero([not token.punctuation for token in self.tokens])

    def heads(self, heads: IntArray, labels: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """A tree over all tokens as one over the words: the position of each head, -1 for a root, and the label."""
        above = heads[self.places]
        words = np.where(above == self.places, -1, np.searchsorted(self.places, above))
        return tuple((head, labels[i]) for head, i in zip(words.tolist(), self.places.tolist(), strict=True))

    def piece_masks(self, masks: BoolArray) -> BoolArray:
        """Masks over words, (batch, n), as masks over pieces, (batch, pieces)."""
        return masks[:, self.owners]


def _stretches(words: Sequence[Word]) -> IntArray:
    """The number of each word's stretch; several marks in a row are one border, and a first mark is none."""
    punctuation = np.array([word.punctuation for word in words], dtype=bool)
    marks = punctuation.cumsum()[~punctuation]
    return np.asarray(np.unique(marks, return_inverse=True)[1], dtype=np.int64)
