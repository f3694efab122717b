"""Stage 2: the states that an encoder computes for a text, one for every token, in windows.

A word has one token or several: "didn't" is "did" and "n't" (`lexicon.tokens_of`). A long text is read in windows, so
that time and memory grow with its length and not with its square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.system.arrays import IntArray
from tersely.text.words import Word

Array = NDArray[np.float32]
Lookup = Callable[[str], NDArray[Any]]  # a tensor by its name
Window = tuple[int, int]  # its first word, and the word after it

_ENDS = frozenset(".?!…;") | {"...", "?!", "!!", "!!!", "??"}


@dataclass(frozen=True)
class States:
    """The states of a text."""

    tokens: Array  # (tokens, width)
    words: Array  # (words, width) the mean of each word's tokens
    sizes: IntArray  # (words,) how many tokens each word has
    windows: tuple[Window, ...]


class Reader(Protocol):
    """An encoder: words in, states out."""

    def read(self, words: Sequence[Word]) -> States:
        """The states of a text, given all its words, punctuation included."""


def floats(tensor: Lookup, name: str) -> Array:
    """A matrix as floats; it may be stored as int8 rows with a scale each."""
    rows: Array = tensor(name)
    if rows.dtype != np.int8:
        return rows
    scaled: Array = rows.astype(np.float32) * tensor(name + ".scale")[:, None]
    return scaled


def windows(sizes: IntArray, last: Sequence[str], most: int) -> Iterator[Window]:
    """The windows of a text of at most `most` units; `sizes` are the units of each word, `last` its last token.

    A window ends after the last full stop in its second half or, if there is none, at the last other mark, or where it
    is full.

    >>> list(windows(np.ones(8, np.int64), "a b c . d e f g".split(), 6))
    [(0, 4), (4, 8)]
    """
    ends = np.cumsum(sizes)
    begin = first = 0
    while begin < len(ends):
        full = max(begin + 1, int(np.searchsorted(ends, first + most, side="right")))
        end = full
        if full < len(ends):
            half = range((begin + full) // 2, full)
            marks = [i + 1 for i in half if last[i] in _ENDS]
            marks = marks or [i + 1 for i in half if not last[i].strip(",:-—()\"'")]
            end = marks[-1] if marks else full
        yield begin, end
        begin, first = end, int(ends[end - 1])
