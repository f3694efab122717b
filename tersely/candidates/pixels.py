"""Stage 3: the width of text on a screen, for titles of search results: in Arial of 20 pixels, as desktops show them.

The widths of ASCII and of typographic marks are those of Liberation Sans, which has the metrics of Arial. An accented
letter is as wide as the letter. Other characters are estimated: letters like Latin ones, all else as wide as high.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

FONT_SIZE = 20
_EM = 2048  # units of the table
PIXEL = _EM / FONT_SIZE
_WIDTHS = {
    391: "'", 455: "ijl\u2018\u2019", 532: "|", 569: " !,./:;I[\\]ft\u00b7", 682: "()-`r\u201c\u201d", 684: "{}",
    717: "\u2022", 727: '"', 768: "\u0165", 797: "*", 819: "\u00b0", 961: "^", 1024: "Jcksvxyz",
    1139: "#$0123456789?L_abdeghnopqu\u2013\u20ac\u00a3\u00a5\u00ab\u00bb", 1196: "+<=>~", 1251: "FTZ", 1259: "\u010f",
    1366: "&ABEKPSVXY", 1479: "CDHNRUw", 1509: "\u00a9\u00ae", 1593: "GOQ", 1706: "Mm", 1821: "%", 1933: "W",
    2048: "\u2014\u2026\u2122", 2079: "@",
}  # fmt: skip
_WIDTH = {char: width for width, chars in _WIDTHS.items() for char in chars}
_ACCENTED, _SMALL, _CAPITAL, _PICTURE = 569, 1139, 1479, 2560  # at least; a letter of another alphabet; an emoji


def count_pixels(text: str) -> int:
    """The width of a text, rounded up.

    >>> count_pixels("Ship"), count_pixels(" ")
    (41, 6)
    """
    return -(-width(text) * FONT_SIZE // _EM)


def width(text: str) -> int:
    """The width of a text in units of the table, whose sums are exact."""
    return sum(map(_width, text))


@lru_cache(maxsize=4096)
def _width(char: str) -> int:
    if char in _WIDTH:
        return _WIDTH[char]
    base, category = unicodedata.normalize("NFD", char)[0], unicodedata.category(char)
    if category[0] == "M" or category == "Cf":
        return 0
    if base != char and base in _WIDTH:
        return max(_WIDTH[base], _ACCENTED)
    if unicodedata.east_asian_width(char) in "WF":
        return _PICTURE if category == "So" else _EM
    return {"Ll": _SMALL, "Lu": _CAPITAL}.get(category, _EM)
