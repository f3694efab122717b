"""Stage 1: how long rendered text is, in characters and in bytes, and what each word adds to it.

A character is what a person counts as one: a grapheme cluster, so that an accent, a flag or a family of emoji is one
whatever it is made of. `weigh` is an upper bound for whatever subset is kept: the searches add weights, and what they
find cannot be too long when it is rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from tersely.source import IntArray
from tersely.text import Word, render

DIVIDING = frozenset(",;:")  # the marks that a summary may keep


def count_chars(text: str) -> int:
    r"""How many characters a person counts.

    >>> count_chars("cafe"), count_chars("cafe\u0301"), count_chars("\U0001f1eb\U0001f1f7")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text) - text.count("\r\n")
    return len(_clusters().findall(text))


def count_bytes(text: str) -> int:
    r"""How many bytes the text has in UTF-8.

    >>> count_bytes("cafe"), count_bytes("caf\u00e9")
    (4, 5)
    """
    return len(text.encode("utf-8", "surrogatepass"))


@cache
def _clusters() -> Any:
    """The pattern of a grapheme cluster. Its package is imported only by those whose text is not ASCII."""
    import regex

    return regex.compile(r"\X")


def divides(tokens: Sequence[Word], i: int) -> bool:
    """Whether token i is a mark that a summary may keep: one that touches the word before it."""
    token = tokens[i]
    return token.text in DIVIDING and token.punctuation and i > 0 and tokens[i - 1].end == token.start


def weigh(
    tokens: Sequence[Word], size: int, count: Callable[[str], int], *, pretokenized: bool, marks: bool
) -> tuple[IntArray, int]:
    """What each word adds to a text of at most `size`, its space included, and by how much all together are too many.

    A mark that touches a word is added to it. A word that fits alone always fits, because a last word has no mark.

    >>> from tersely.text import tokenize
    >>> weigh(tokenize("In Havre, no"), 60, count_chars, pretokenized=False, marks=True)
    (array([3, 7, 3]), 1)
    """
    words = [i for i, token in enumerate(tokens) if not token.punctuation]
    text = np.array([count(tokens[i].text) for i in words], dtype=np.int64)
    close = np.array([not pretokenized and _stands_close(tokens[i]) for i in words], dtype=bool)
    # Between characters of a script without spaces there is none. Where they are the most, a space is put on either
    # side of every other word; elsewhere one is put after every word, and the last one has none.
    spaced = text + np.where(close, 0, 2) if 2 * close.sum() > len(close) else text + 1
    spare = 0 if 2 * close.sum() > len(close) else 1
    marked = np.array([marks and i + 1 < len(tokens) and divides(tokens, i + 1) for i in words], dtype=bool)
    return np.minimum(spaced + marked, np.maximum(text + spare, size + spare)), spare


def _stands_close(word: Word) -> bool:
    """Whether the word is of a script without spaces."""
    return not word.text.isascii() and render([word, word]) == 2 * word.text
