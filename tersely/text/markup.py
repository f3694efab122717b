"""Stage 1: HTML to plain text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_MARKUP = re.compile(r"</?[A-Za-z][\w-]*(?:\s+[\w:-]+=[^<>]*)?\s*/?>|&(?:[a-z]{2,6}|#\d{2,5}|#x[\da-f]{2,5});")
_UNSEEN = frozenset(["script", "style", "template", "head"])
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var "
    "wbr".split()
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _UNSEEN:
            self.unseen.append(tag)
        elif tag not in _INLINE:  # a paragraph or a line break separates words
            self.parts.append(" ")

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.parts.append("" if tag in _INLINE else " ")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.unseen:
            del self.unseen[self.unseen.index(tag) :]
        self.parts.append("" if tag in _INLINE else " ")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(data)


def without_markup(text: str) -> str:
    """The text that a reader of an HTML page sees.

    >>> without_markup("<p>AT&amp;T <b>b</b>uys<br>rivals &lt; 5</p>")
    'AT&T buys rivals < 5'
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return " ".join("".join(reader.parts).split())


def looks_like_markup(text: str) -> bool:
    """Whether a text has tags or entities.

    >>> looks_like_markup("<b>5</b>"), looks_like_markup("AT&amp;T"), looks_like_markup("3 < 5 & 7 > 6; I <3 R&D;")
    (True, True, False)
    """
    return _MARKUP.search(text) is not None
