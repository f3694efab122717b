"""Stage 8: the parts of a text that are shortened by themselves: lines, sentences, a name before a dash or a colon.

What stands between the parts stays: line breaks and bullets, " – ", " | ", "Fernhill: ".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from tersely.errors import InputError
from tersely.text.sentences import sentence_bounds

_BULLET = r"(?:[-*+•–·]\s+|\d{1,2}[.)]\s+)"
_BETWEEN = re.compile(
    rf"^{_BULLET}|\s*[\r\n]\s*{_BULLET}?|\s+[-–—|·•]\s+"
    r"|(?:^|(?<=[\n|–—]\s))[^:.!?|–—\n]{1,25}(?P<colon>:[^\S\n]+)"  # a name, or "Only today: "
)
_NAME = 3  # words
_LEAST = 0.4  # of a part has to stay: with less, hardly any sentence says anything


def parts(text: str) -> list[str]:
    """The parts of a text, and between each two of them what separates them.

    >>> parts("Fernhill: find walks. Share them | Free")
    ['Fernhill', ': ', 'find walks.', ' ', 'Share them', ' | ', 'Free']
    """
    cuts = [match.span("colon" if match["colon"] else 0) for match in _BETWEEN.finditer(text)]
    cuts += [(end, start) for (_, end), (start, _) in pairwise(sentence_bounds(text))]
    found, at = [], 0
    for start, end in sorted(cuts):
        if start >= at:  # a line break may also end a sentence
            found += [text[at:start], text[start:end]]
            at = end
    return [*found, text[at:]]


def shared(text: str, room: int, count: Callable[[str], int], cut: Callable[[str, int], str]) -> str:
    """A text with its long parts cut so that it has room: each part has an equal share, and what a short one leaves.

    A part of up to three words is perhaps a name, and stays.

    >>> shared("Fernhill | find more walks and trails", 22, len, lambda part, share: part[:share])
    'Fernhill | find more w'
    """
    found = parts(text)
    left = room - sum(count(between) for between in found[1::2])
    order = sorted(range(0, len(found), 2), key=lambda i: count(found[i]))
    for rank, i in enumerate(order):
        share, length = left // (len(order) - rank), count(found[i])
        if length > share and (len(order) == 1 or len(found[i].split()) > _NAME):
            if len(order) > 1 and share < _LEAST * length:
                raise InputError("there is too little room for its sentences or lines")
            found[i] = cut(found[i], share)
        left -= count(found[i])
    return "".join(found)
