"""Stage 1: what the punctuation of a text does: it ends sentences, comes in pairs, and closes a dateline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tersely.text.sentences import sentence_bounds
from tersely.text.words import Word

ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f")
_CALLS = frozenset("!?\uff01\uff1f")
CLOSES = {
    "(": ")", "[": "]", "{": "}", "\u201c": "\u201d", "\u201e": "\u201c\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb",
    "\uff08": "\uff09", "\u300c": "\u300d", "\u300e": "\u300f", "\u300a": "\u300b", '"': '"', "'": "'",
}  # fmt: skip
_STRAIGHT = frozenset("\"'")
BRACKETS = frozenset("([{\uff08")
_AGENCY = (
    "AP|Associated Press|Reuters|AFP|UPI|CNN|CNBC|BBC|ABC|CBS|NBC|Fox|dpa|ANSA|EFE|PTI|ANI|IANS|TASS|Xinhua|Kyodo|"
    "Yonhap|Bloomberg|Interfax|KUNA|WAM|PRNewswire|PR Newswire|(?i:Business Wire)|(?i:Globe ?Newswire)|NYT"
)
_PLACE = r"[^\W\d_a-z][\w.'\u2019-]*(?:[, ]+[^\W_a-z][\w.'\u2019-]*){0,6}"
_DASH = r"(?:\u2014|\u2013|--|[-:_](?=\s))"
_CAPITALS = r"[A-Z][A-Z.'\u2019-]{3,}(?:[, ]+[A-Z][\w.'\u2019-]+){0,3}"
_DATELINE = re.compile(
    rf"\s*(?:(?:{_PLACE}\s+)?\((?:{_AGENCY})(?:[ /-][^()]{{0,30}})?\)\s*{_DASH}\s*"
    rf"|{_CAPITALS}(?:\s*(?:\u2014|--)|\s+(?:\u2013|-))\s*(?=[\"\u201c]?[A-Z][a-z\s]))"
)
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*['\u2019]?")


class Ending(NamedTuple):
    """A sentence among the tokens of a text, and how it ends.

    `text` is the mark that ends it, "" for none. It stands at token `at`, which is a word where the mark is the full
    stop of an abbreviation ("in the U.S.").
    """

    start: int
    stop: int
    at: int
    text: str

    @property
    def calls(self) -> bool:
        """Whether the sentence asks or exclaims."""
        return not _CALLS.isdisjoint(self.text)


def endings(text: str, tokens: Sequence[Word]) -> list[Ending]:
    """The sentences of a tokenised text that have words, in order.

    >>> from tersely.text.words import tokenize
    >>> text = "Don't miss out! Only 3 rooms left in the U.S."
    >>> endings(text, tokenize(text))
    [Ending(start=0, stop=4, at=3, text='!'), Ending(start=4, stop=11, at=10, text='.')]
    """
    found, start = [], 0
    for _, end in sentence_bounds(text):
        stop = start
        while stop < len(tokens) and tokens[stop].start < end:
            stop += 1
        if any(not token.punctuation for token in tokens[start:stop]):
            found.append(_ending(tokens, start, stop))
            start = stop
    return found


def _ending(tokens: Sequence[Word], start: int, stop: int) -> Ending:
    last = max(i for i in range(start, stop) if not tokens[i].punctuation)
    marks = [i for i in range(last + 1, stop) if ENDS.issuperset(tokens[i].text)]
    marks = [i for i in marks if tokens[i - 1].end == tokens[i].start]  # what stands alone ends nothing
    if marks:
        # In 'He asked: "Why?".' the first of two marks is the one that says more.
        at = max((i for i in marks if not _CALLS.isdisjoint(tokens[i].text)), default=marks[-1])
        run = [i for i in marks if all(k in marks for k in range(min(i, at), max(i, at)))]
        return Ending(start, stop, run[-1], "".join(tokens[i].text for i in run))
    return Ending(start, stop, last, "." if tokens[last].text.endswith(".") else "")


def pairs(tokens: Sequence[Word]) -> list[tuple[int, int]]:
    """The quotation marks and brackets that belong together, inner pairs first.

    >>> from tersely.text.words import tokenize
    >>> pairs(tokenize('the "old (French) port" isn\\'t'))
    [(3, 5), (1, 7)]
    """
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    may_open = _openers(tokens)
    for i, token in enumerate(tokens):
        if not token.punctuation:
            continue
        touches = i > 0 and tokens[i - 1].end == token.start
        matching = [k for k in opened if touches and token.text in CLOSES[tokens[k].text]]
        if matching:
            found.append((matching[-1], i))
            del opened[opened.index(matching[-1]) :]
        elif i in may_open:
            may_close = token.text in _STRAIGHT and touches and not tokens[i - 1].punctuation
            opened += [] if may_close else [i]
    return found


def _openers(tokens: Sequence[Word]) -> set[int]:
    """The marks that may open something: each touches a word, or a mark that may open something."""
    found: set[int] = set()
    for i in reversed(range(len(tokens) - 1)):
        after = tokens[i + 1]
        inside = not after.punctuation or i + 1 in found
        if tokens[i].punctuation and tokens[i].text in CLOSES and tokens[i].end == after.start and inside:
            found.add(i)
    return found


def dateline_end(text: str) -> int:
    """Where the dateline of a news text ends, as an offset; 0 without one.

    >>> text = "LONDON (Reuters) - Shares fell."
    >>> text[dateline_end(text):], dateline_end("NASA - the agency - said no")
    ('Shares fell.', 0)
    """
    match = _DATELINE.match(text)
    return match.end() if match else 0


def capitalized(word: str) -> str:
    """The word with a capital, if it is an ordinary word in small letters: "iPhone" and "amazon.com" stay.

    >>> capitalized("ship"), capitalized("iPhone"), capitalized("3rd")
    ('Ship', 'iPhone', '3rd')
    """
    capital = word[:1].upper()
    return capital + word[1:] if word.islower() and len(capital) == 1 and _PLAIN_WORD.fullmatch(word) else word
