"""Stage 1: text to sentences, by rules, so that there is no model to download.

A sentence ends with a full stop, a question or exclamation mark or an ellipsis, and the quotes and brackets that close
after it, if what follows can begin a sentence. The full stop of an initial or a title does not end a sentence. That of
"Inc." or "U.S." does so only if the next word is one that often begins sentences. The lists are English.
"""

from __future__ import annotations

import itertools
import re

_END = re.compile(
    # A run of marks is tried from its first one only: from each of them it would take quadratic time.
    r"(?<![.!?\u2026])(?P<mark>[.!?\u2026]+)(?P<close>[\"'\u2019\u201d\u00bb)\]]*)(?P<gap>\s+)(?=(?P<open>[\"'\u2018\u201c\u00ab(\[]*)(?P<next>\w+))"
    r"|(?P<wide>[\u3002\uff01\uff1f]+[\u300d\u300f\uff09]*)\s*(?=\S)"
)
_BACK = 64  # the characters before a mark that are looked at: all of them would take minutes on a hostile line
_LAST_WORD = re.compile(r"[\w.&'\u2019-]+$")
# They stand before a name, and so inside a sentence.
_TITLES = frozenset(
    "mr mrs ms messrs dr prof sen gov gen rep rev hon col capt cmdr lt sgt maj adm st mt ft pres sr fr vs cf e.g i.e "
    "viz approx ca jan feb mar apr jun jul aug sept sep oct nov dec".split()
)
_NUMBERED = frozenset("no nos vol pp fig art sec".split())  # they stand inside a sentence before a number
_NUMBER = re.compile(r"\d|[IVXLC]{2}")
# They may also end a sentence.
_SHORT = frozenset(
    "inc corp co ltd bros jr etc dept univ assn ave blvd rd est a.m p.m u.s u.k u.n e.u d.c ph.d".split()
)
_STARTERS = frozenset(
    "the a an this that these those he she it they we i you his her its their our my there here in on at by for from "
    "with after before when while if as but and so however meanwhile although since during two three four some many "
    "most all no not what who why how where yet then still both each".split()
)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, without the white space between them.

    >>> sentences('Mr. J. Smith paid $5.2 million. "Was it worth it?" He smiled... The U.S. firm did not.')
    ['Mr. J. Smith paid $5.2 million.', '"Was it worth it?"', 'He smiled...', 'The U.S. firm did not.']
    """
    return [text[begin:end] for begin, end in sentence_bounds(text)]


def sentence_bounds(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends in the text.

    >>> sentence_bounds(" Stop! Who goes there?")
    [(1, 6), (7, 22)]
    """
    cuts = [0]
    for match in _END.finditer(text):
        end = match.end("close") if match["wide"] is None else match.end("wide")
        if match["wide"] is not None or _ends(text[max(cuts[-1], match.start() - _BACK) : match.start()], match):
            cuts.append(end)
    found = []
    for begin, end in itertools.pairwise([*cuts, len(text)]):
        part = text[begin:end]
        start = begin + len(part) - len(part.lstrip())
        if part.strip():
            found.append((start, start + len(part.strip())))
    return found


def _ends(before: str, match: re.Match[str]) -> bool:
    """Whether the matched mark ends the sentence; `before` are the characters before it."""
    follows = match["next"]
    if not (follows[0].isupper() or follows[0].isdigit() or not follows[0].islower()):
        return False
    if match["mark"] != "." or match["close"]:
        return not follows[0].isdigit() or match["mark"] not in ("...", "\u2026")
    if re.fullmatch(r"\s*\d{1,3}", before):  # the number of an item: "1. Open the box. 2. Read this."
        return False
    last = _LAST_WORD.search(before)
    if last is None:
        return bool(before.strip())
    word = last.group()
    low = word.lower()
    if low in _TITLES or (low in _NUMBERED and _NUMBER.match(follows)):
        return False
    if re.fullmatch(r"[^\W\d_]", word):  # an initial, unless the sentence is "It was I."
        return word == "I" and follows.lower() in _STARTERS
    if low in _SHORT or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", word):
        return follows.lower() in _STARTERS and follows[0].isupper()
    return True
