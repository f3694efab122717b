"""Stage 4: what unpaired titles and articles, and the source itself, say of single words and neighbours.

A language model alone prefers frequent words; these factors correct it, and are not in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray
from tersely.text.vocabulary import UNKNOWN_ID

Scores = NDArray[np.float64]

_MOST_INFORMATION = 11.0  # nats; beyond one word in sixty thousand, rarer says nothing more
_STYLE_PRIOR = 100_000.0  # words; pulls the ratio of words that were seldom seen towards 0
_STRONGEST_STYLE = 3.0  # nats
_CONTENT_INFORMATION = 6.0  # nats: a word rarer than one in four hundred has something to say


@dataclass(frozen=True)
class Counts:
    """In how many lines of titles and of articles each piece stands, and how many words the lines have."""

    titles: NDArray[np.float32]  # (vocabulary,)
    articles: NDArray[np.float32]
    n_title_words: float
    n_article_words: float

    def information(self, ids: IntArray) -> Scores:
        """−log p_article of each piece, capped; an unknown piece is as rare as can be."""
        p = (self.articles[ids].astype(np.float64) + 0.5) / (self.n_article_words + 1)
        return np.where(ids == UNKNOWN_ID, _MOST_INFORMATION, np.minimum(-np.log(p), _MOST_INFORMATION))

    def style(self, ids: IntArray) -> Scores:
        """log p_title / p_article of each piece: a log-odds ratio with an informative prior, clipped.

        The prior is the piece's share of both sides together, worth `_STYLE_PRIOR` words of each: a word seen three
        times says little about style, however the three are divided.
        """
        titles, articles = self.titles[ids].astype(np.float64), self.articles[ids].astype(np.float64)
        both = (titles / self.n_title_words + articles / self.n_article_words) / 2
        p_title = (titles + _STYLE_PRIOR * both) / (self.n_title_words + _STYLE_PRIOR)
        p_article = (articles + _STYLE_PRIOR * both) / (self.n_article_words + _STYLE_PRIOR)
        seen = (both > 0) & (ids != UNKNOWN_ID)
        ratio = np.log(np.where(seen, p_title, 1)) - np.log(np.where(seen, p_article, 1))
        return np.asarray(np.clip(ratio, -_STRONGEST_STYLE, _STRONGEST_STYLE))


@dataclass(frozen=True)
class Information:
    """The factor `information`."""

    counts: Counts

    def bind(self, sentence: Sentence, budget: Budget) -> WordMean:
        return WordMean(of_words(sentence, self.counts.information(sentence.piece_ids)))


@dataclass(frozen=True)
class Style:
    """The factor `style`."""

    counts: Counts

    def bind(self, sentence: Sentence, budget: Budget) -> WordMean:
        return WordMean(of_words(sentence, self.counts.style(sentence.piece_ids)))


@dataclass(frozen=True)
class Known:
    """The factor `known`: minus the share of pieces that the vocabulary lacks.

    The language models know all of them as one frequent word, so that fluency likes them better than it should.
    """

    def bind(self, sentence: Sentence, budget: Budget) -> WordMean:
        return WordMean(-of_words(sentence, (sentence.piece_ids == UNKNOWN_ID).astype(np.float64)))


@dataclass(frozen=True)
class Position:
    """The factor `position`: the mean of −i/n."""

    def bind(self, sentence: Sentence, budget: Budget) -> WordMean:
        return WordMean(-np.arange(len(sentence)) / len(sentence))


def of_words(sentence: Sentence, of_pieces: Scores) -> Scores:
    """The mean over each word's pieces, (pieces,) to (n,)."""
    total = np.bincount(sentence.owners, weights=of_pieces, minlength=len(sentence))
    return np.asarray(total / np.bincount(sentence.owners, minlength=len(sentence)))


@dataclass(frozen=True)
class WordMean:
    """The mean of a value that each word has by itself."""

    values: Scores  # (n,)
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Scores:
        return np.asarray(masks @ self.values / masks.sum(axis=1))

    def steps(self, size: int, backward: bool) -> WordMeanSteps:
        return WordMeanSteps(self.values[::-1] if backward else self.values, size)


class WordMeanSteps:
    """The sum of growing prefixes, divided by the length to come."""

    def __init__(self, values: Scores, size: int) -> None:
        self._values = values / size
        self._total = np.zeros(1)

    def values(self) -> Scores:
        return np.asarray(self._total[:, None] + self._values)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._total = self._total[rows] + self._values[words]

    def final(self) -> Scores:
        return self._total


@dataclass(frozen=True)
class Adjacency:
    """The factor `adjacency`: of the kept words but the first, the share whose left neighbour is kept."""

    def bind(self, sentence: Sentence, budget: Budget) -> BoundAdjacency:
        return BoundAdjacency(np.ones(len(sentence), dtype=bool))


@dataclass(frozen=True)
class Contiguity:
    """The factor `contiguity`: adjacency that does not mind dropped function words, which headlines drop by habit.

    A function word is one that articles use all the time, so that no list is needed for another language.
    """

    counts: Counts

    def bind(self, sentence: Sentence, budget: Budget) -> BoundAdjacency:
        return BoundAdjacency(of_words(sentence, self.counts.information(sentence.piece_ids)) >= _CONTENT_INFORMATION)


@dataclass(frozen=True)
class BoundAdjacency:
    """Of the kept words but the first, the share with no content word dropped between them and the kept one before."""

    content: BoolArray  # (n,)
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Scores:
        """The share, (batch,); a summary of one word has no neighbours, and none apart."""
        dropped = (~masks & self.content).cumsum(axis=1)
        rows, words = np.nonzero(masks)
        together = (rows[1:] == rows[:-1]) & (dropped[rows[1:], words[1:]] == dropped[rows[:-1], words[:-1]])
        pairs = np.bincount(rows[1:][together], minlength=len(masks))
        return np.asarray(pairs / np.maximum(masks.sum(axis=1) - 1, 1))

    def steps(self, size: int, backward: bool) -> AdjacencySteps:
        return AdjacencySteps(self.content[::-1] if backward else self.content, size)


class AdjacencySteps:
    """The neighbours in growing prefixes."""

    def __init__(self, content: BoolArray, size: int) -> None:
        self._content_before = np.concatenate([[0], content.cumsum()])  # (n + 1,)
        self._gain = 1 / max(size - 1, 1)
        self._next = np.full(1, -1, dtype=np.int64)  # the position after each prefix; nothing is near an empty one
        self._total = np.zeros(1)

    def values(self) -> Scores:
        words = np.arange(len(self._content_before) - 1)
        return np.asarray(self._total[:, None] + self._gain * self._near(self._next[:, None], words))

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._total = self._total[rows] + self._gain * self._near(self._next[rows], words)
        self._next = words + 1

    def final(self) -> Scores:
        return self._total

    def _near(self, begin: IntArray, words: IntArray) -> BoolArray:
        """Whether no content word stands from `begin` up to each word."""
        between = self._content_before[words] - self._content_before[np.maximum(begin, 0)]
        return np.asarray((between == 0) & (begin >= 0))
