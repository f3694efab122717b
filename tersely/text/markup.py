"""Stage 1: HTML to plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_MARKUP = re.compile(r"</?[A-Za-z][\w-]*(?:\s+[\w:-]+=[^<>]*)?\s*/?>|&(?:[a-z]{2,6}|#\d{2,5}|#x[\da-f]{2,5});")
_UNSEEN = frozenset(["script", "style", "template", "head"])
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var "
    "wbr".split()
)


_NAME = re.compile(r"</?([A-Za-z][^\s/>]{0,40})")
_REST = re.compile(r"""(?:[^>"']|"[^"]*"|'[^']*')*>""")  # of a tag: there may be ">" in quotes
_END, _END_OF_COMMENT = re.compile(">"), re.compile("-->")
_END_OF = {name: re.compile(f"(?=</{name})", re.IGNORECASE) for name in ("script", "style")}  # nothing inside is a tag


def without_markup(text: str) -> str:
    """The text that a reader of an HTML page sees.

    >>> without_markup("<p>AT&amp;T <b>b</b>uys<br>rivals &lt; 5</p>")
    'AT&T buys rivals < 5'
    """
    parts: list[str] = []
    unseen: list[str] = []
    at = 0
    for begin, end, name in _tags(text):
        parts.append("" if unseen else unescape(text[at:begin]))
        at = end
        if name and name not in _INLINE:  # a paragraph or a line break separates words
            parts.append(" ")
        if name in unseen and text[begin + 1] == "/":
            del unseen[unseen.index(name) :]
        elif name in _UNSEEN and name not in unseen and text[begin + 1] != "/" and text[end - 2] != "/":
            unseen.append(name)
    parts.append("" if unseen else unescape(text[at:]))
    return " ".join("".join(parts).split())


def _tags(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each tag begins and ends, and its name; comments and declarations have none. What is not closed is text.

    An end that was not found is not looked for again. `html.parser` does so, in quadratic time, and refuses some texts.
    """
    missing: set[re.Pattern[str]] = set()

    def end_of(pattern: re.Pattern[str], found: re.Match[str] | None) -> int:
        if found is None:
            missing.add(pattern)
        return 0 if found is None else found.end()

    def first(pattern: re.Pattern[str], begin: int) -> int:
        return 0 if pattern in missing else end_of(pattern, pattern.search(text, begin))

    at = 0
    while (begin := text.find("<", at)) >= 0:
        at, end, name = begin + 1, 0, ""
        if tag := _NAME.match(text, begin):
            name = tag[1].lower()
            end = 0 if _REST in missing else end_of(_REST, _REST.match(text, tag.end()))
        elif text.startswith("<!--", begin):
            end = first(_END_OF_COMMENT, begin + 2)
        elif not text.startswith(("<!", "<?"), begin):
            continue
        if end := end or first(_END, begin):
            yield begin, end, name
            at = end
            if name in _END_OF and text[begin + 1] != "/" and text[end - 2] != "/":
                at = first(_END_OF[name], end) or len(text)


def looks_like_markup(text: str) -> bool:
    """Whether a text has tags or entities.

    >>> looks_like_markup("<b>5</b>"), looks_like_markup("AT&amp;T"), looks_like_markup("3 < 5 & 7 > 6; I <3 R&D;")
    (True, True, False)
    """
    return _MARKUP.search(text) is not None
