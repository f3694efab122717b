"""Stage 3: the length of text messages (3GPP TS 23.038 and 23.040).

A message has 160 septets if all its characters are in the alphabet GSM-7, in which some characters take two. Otherwise
it has 70 code units of UCS-2. Each part of a longer text has a header, which leaves room for 153 or 67.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

_BASIC = frozenset(
    "@\u00a3$\u00a5\u00e8\u00e9\u00f9\u00ec\u00f2\u00c7\n\u00d8\u00f8\r\u00c5\u00e5\u0394_\u03a6\u0393\u039b\u03a9\u03a0"
    "\u03a8\u03a3\u0398\u039e\u00c6\u00e6\u00df\u00c9 !\"#\u00a4%&'()*+,-./0123456789:;<=>?\u00a1"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ\u00c4\u00d6\u00d1\u00dc\u00a7\u00bfabcdefghijklmnopqrstuvwxyz\u00e4\u00f6\u00f1\u00fc\u00e0"
)
_ESCAPED = frozenset("^{}\\[~]|\u20ac\f")


def is_gsm(text: str) -> bool:
    """Whether the alphabet GSM-7 has all characters of a text."""
    return (_BASIC | _ESCAPED).issuperset(text)


def septets(text: str) -> int:
    """The length of a text in GSM-7.

    >>> septets("5 \u20ac")
    4
    """
    return len(text) + sum(char in _ESCAPED for char in text)


def code_units(text: str) -> int:
    """The length of a text in UCS-2; an emoji takes two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def messages(text: str, reserve: int = 0) -> int:
    """How many messages a text needs, with room for `reserve` characters more.

    >>> messages("x" * 160), messages("x" * 161), messages("\u0448" * 70), messages("\u0448" * 71)
    (1, 2, 1, 2)
    """
    count, alone, part = (septets, 160, 153) if is_gsm(text) else (code_units, 70, 67)
    if count(text) + reserve <= alone:
        return 1
    used, needed = 0, 1
    for length in [*map(count, text), *[1] * reserve]:
        if used + length > part:  # no character is cut in two
            used, needed = 0, needed + 1
        used += length
    return needed


def measure(words: Iterable[str], size: int) -> tuple[Callable[[str], int], int]:
    """How the words of a text are counted, and how much of that fits into so many messages.

    Where a word is not in GSM-7, all are counted in UCS-2: whatever a summary keeps, it fits.
    """
    gsm = all(is_gsm(word) for word in words)
    alone, part = (160, 153) if gsm else (70, 67)
    return septets if gsm else code_units, alone if size == 1 else size * part - (size - 1)  # a part may end one early
