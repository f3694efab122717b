"""Stage 3: the length of rendered text in characters and in bytes, and what each word adds to it.

A character is what a person counts as one, a grapheme cluster: an accented letter, a flag or a family of emoji is one
character, however many code points it has. `weigh` gives upper bounds: the searches add them up, and no summary that
they find is too long when it is rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from tersely.system.arrays import IntArray
from tersely.text.tokens import stands_alone
from tersely.text.words import Word

DIVIDING = frozenset(",;:")  # the punctuation marks that a summary may keep


def count_chars(text: str) -> int:
    r"""The number of characters, as a person counts them.

    >>> count_chars("cafe"), count_chars("cafe\u0301"), count_chars("\U0001f1eb\U0001f1f7")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text) - text.count("\r\n")
    return len(_clusters().findall(text))


def count_bytes(text: str) -> int:
    r"""The number of bytes in UTF-8.

    >>> count_bytes("cafe"), count_bytes("caf\u00e9")
    (4, 5)
    """
    return len(text.encode("utf-8", "surrogatepass"))


@cache
def _clusters() -> Any:
    """The pattern of a grapheme cluster. ASCII text does not need it, so its package is imported here."""
    import regex

    return regex.compile(r"\X")


def divides(tokens: Sequence[Word], i: int) -> bool:
    """Whether token i is a mark inside a sentence that a summary may keep: it touches the word before it.

    "?" and "!" are such marks before a small letter: '"Who goes there?" he asked', "Yahoo! said".
    """
    token = tokens[i]
    if not token.punctuation or i == 0 or tokens[i - 1].end != token.start:
        return False
    if token.text in ("?", "!"):
        return next((word.text[0].islower() for word in tokens[i + 1 :] if not word.punctuation), False)
    return token.text in DIVIDING


def weigh(
    tokens: Sequence[Word], size: int, count: Callable[[str], int], *, pretokenized: bool, marks: bool, ends: str = ""
) -> tuple[IntArray, int]:
    """What each word adds to a text of at most `size`, its space included, and by how much the sum is too large.

    The punctuation mark that touches a word is counted with it, and the marks that end sentences (`ends`) with the
    whole text, but for at most an eighth of it: a text of many sentences keeps few of them. So the sum may also be too
    small. A word that fits alone always fits.

    >>> from tersely.text.words import tokenize
    >>> weigh(tokenize("In Havre, no"), 60, count_chars, pretokenized=False, marks=True)
    (array([3, 7, 3]), 1)
    >>> weigh(tokenize("In Havre!"), 60, count_chars, pretokenized=False, marks=True, ends="!")
    (array([3, 6]), 0)
    """
    words = [i for i, token in enumerate(tokens) if not token.punctuation]
    text = np.array([count(tokens[i].text) for i in words], dtype=np.int64)
    close = np.array([not pretokenized and stands_alone(tokens[i].text) for i in words], dtype=bool)
    space = count(" ")
    if 2 * close.sum() > len(close):
        # Mostly a script without spaces: only words of other scripts have spaces, one before each of them and, if the
        # source has white space at all, one after it.
        spare, spaces = 0, np.where(close, 0, space * (1 if len({tokens[i].chunk for i in words}) == 1 else 2))
    else:
        spare, spaces = space, np.full(len(words), space, dtype=np.int64)  # one after each word but the last
    after = [tokens[i + 1].text if marks and i + 1 < len(tokens) and divides(tokens, i + 1) else "" for i in words]
    marked = np.array([count(mark) if mark else 0 for mark in after], dtype=np.int64)
    spare -= min(count(ends), size // 8)
    return np.minimum(text + spaces + marked, np.maximum(text, size) + spare), spare
