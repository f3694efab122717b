"""Stage 2: a sentence for all later stages: its n words, their pieces, and what is computed from them once.

Punctuation is not among the words (the paper drops it before the search). A candidate is a mask over the n words, but
language models read pieces: `piece_masks` converts one to the other. The tree is made by the bundle's parser when it is
first used.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np

from tersely.sentence.dependencies import Dependencies
from tersely.sentence.language import Language
from tersely.sentence.proper_nouns import proper_nouns
from tersely.sentence.tree import Tree
from tersely.system.arrays import BoolArray, IntArray
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word, bindings

T = TypeVar("T")


class TreeParser(Protocol):
    """A parser: words in, tree out."""

    def parse(self, words: Sequence[Word]) -> Tree:
        """The tree over all words, punctuation included."""


@dataclass(frozen=True, eq=False)
class Sentence:
    """The words that a summary can keep, with everything known about them.

    >>> from tersely.text.words import tokenize
    >>> sentence = Sentence.of(tokenize("Cuba's ship, aground!"), Vocabulary.of(["cuba", "'s", "ship"]))
    >>> len(sentence), sentence.piece_ids, sentence.owners, sentence.stretches
    (3, array([3, 4, 5, 0]), array([0, 0, 1, 2]), array([0, 0, 1]))
    """

    words: tuple[Word, ...]
    tokens: tuple[Word, ...]  # the words with the punctuation between them
    piece_ids: IntArray  # (pieces,) vocabulary id of every piece, in order
    owners: IntArray  # (pieces,) the position of each piece's word
    needs: IntArray  # (pairs, 2) a clitic or sign, and the word that it needs
    stretches: IntArray  # (n,) the number of each word's stretch, a run of words between punctuation marks
    parser: TreeParser | None = None
    language: Language = field(default_factory=Language, repr=False)
    _shared: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        words: Sequence[Word],
        vocabulary: Vocabulary,
        parser: TreeParser | None = None,
        language: Language | None = None,
    ) -> Sentence:
        """The sentence of a tokenised text."""
        kept = tuple(word for word in words if not word.punctuation)
        pieces = [(piece, i) for i, word in enumerate(kept) for piece in word.pieces]
        return cls(
            words=kept,
            tokens=tuple(words),
            piece_ids=np.array(vocabulary.ids(piece for piece, _ in pieces), dtype=np.int64),
            owners=np.array([i for _, i in pieces], dtype=np.int64),
            needs=np.array(bindings(kept), dtype=np.int64).reshape(-1, 2),
            stretches=stretches_of(words),
            parser=parser,
            language=language or Language(),
        )

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def positions(self) -> IntArray:
        """The position of each word among the tokens, (n,)."""
        return np.flatnonzero([not token.punctuation for token in self.tokens])

    @cached_property
    def tree(self) -> Tree | None:
        """The dependency tree over all tokens; None without a parser."""
        return None if self.parser is None else self.parser.parse(self.tokens)

    @cached_property
    def dependencies(self) -> Dependencies:
        """The probabilities of the tree for the words alone; without a tree no word depends on another."""
        return Dependencies.of(self.words, self.tree, self.positions)

    @cached_property
    def heads(self) -> tuple[tuple[int, str], ...] | None:
        """The tree over the words: each word's head, -1 for a root, and its label; None without a parser."""
        if self.tree is None:
            return None
        above = self.tree.heads[self.positions]
        words = np.where(above == self.positions, -1, np.searchsorted(self.positions, above))
        labels = self.tree.relations
        return tuple((head, labels[i]) for head, i in zip(words.tolist(), self.positions.tolist(), strict=True))

    def among(self, *lists: str) -> BoolArray:
        """Which words have a piece in one of these lists of the language, or begin one of their phrases, (n,).

        Names are in no list.
        """
        return self.shared(lists, lambda: self._among(lists))

    def _among(self, lists: tuple[str, ...]) -> BoolArray:
        entries, found = self.language.words(lists), np.zeros(len(self), dtype=bool)
        if not entries.isdisjoint(self._pieces):
            found[[i for i, word in enumerate(self.words) if not entries.isdisjoint(word.pieces)]] = True
            found[list(self.names)] = False
        found[[phrase.start for phrase in self.phrases(lists)]] = True
        return found

    @cached_property
    def names(self) -> frozenset[int]:
        """The words that are names here, though lists know them as something else."""
        return proper_nouns(self.tokens, self.language)

    @cached_property
    def _pieces(self) -> frozenset[str]:
        return frozenset(piece for word in self.words for piece in word.pieces)

    def phrases(self, lists: tuple[str, ...]) -> list[slice]:
        """Where the phrases of these lists are."""
        text, found = [word.pieces for word in self.words], []
        for phrase in self.language.phrases(lists):
            if self._pieces.issuperset(phrase):
                places = range(len(text) - len(phrase) + 1)
                found += [
                    slice(i, i + len(phrase))
                    for i in places
                    if all(piece in word for piece, word in zip(phrase, text[i:], strict=False))
                ]
        return found

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value for `key`, made once: several searches of this sentence can use it."""
        if key not in self._shared:
            self._shared[key] = make()
        found: T = self._shared[key]  # type: ignore[assignment]
        return found

    def piece_masks(self, masks: BoolArray) -> BoolArray:
        """Masks over words, (batch, n), as masks over pieces, (batch, pieces)."""
        return masks[:, self.owners]


def stretches_of(words: Sequence[Word]) -> IntArray:
    """The number of each word's stretch, from 0; marks in a row are one border, and marks at the start none."""
    punctuation = np.array([word.punctuation for word in words], dtype=bool)
    marks = punctuation.cumsum()[~punctuation]
    return np.asarray(np.unique(marks, return_inverse=True)[1], dtype=np.int64)
