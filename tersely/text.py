"""Stage 1: text to words with offsets, and kept words back to text.

A *word* is what a reader counts as one: "Cuba's", "didn't", "$5.2", "12.5%". The models know smaller *pieces* in a
normal form ("cuba", "'s"; "$", "#.#"), so a word carries its pieces, and because the search chooses words, a clitic
can never lose its host nor a "%" its number. Pretokenised text (`pretokenized=True`, benchmark corpora) is split on
white space alone: there every token is a word, and `bindings` says which tokens cannot stand alone.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tersely.tokens import APOSTROPHES, SPOKEN, has_opening_quote, matches, stands_alone

# A longer "sentence" is a document: refuse it rather than search it for hours.
MAX_CHARS = 100_000
MAX_WORDS = 1_000

# The brackets of the Penn Treebank, and its escaped slash; they have letters but are punctuation.
_TREEBANK_PUNCTUATION = frozenset(["-lrb-", "-rrb-", "-llb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-", "\\/"])
UNKNOWN_MARKS = frozenset(["unk", "<unk>"])  # how benchmark corpora write a word outside their vocabulary

_INVISIBLE = re.compile("[\u00ad\u200c\u200d\ufe0e\ufe0f]")
_QUOTES = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\uff07`\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
)
_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2212": "-"})
# Two clitics at most: "shouldn't've".
_CLITIC = re.compile(r"^(.+?)(n't|'(?:s|re|ve|ll|d|m))$")
_CLITIC_TOKENS = frozenset(["n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "'"])
_SAME_WORD = {"%": "percent", "pct": "percent"}  # one word, several spellings in news text
_CLOSED = frozenset(["money", "percent", "price", "grouped"])  # "5 %" is one word, so it is rendered without the gap
_CLOSING = re.compile(r"[\s\"\u201d\u00bb)\]]")  # between a word and its clitic: '"Titanic"'s' is rendered "Titanic's"
_APOSTROPHE_ENTITY = re.compile(r"&(?:#0?39|#8217|#x27|apos|rsquo);")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[-+.]?[\d#]")
_FIRST_DIGITS = re.compile(r"[^\w.,\s]?\d{1,3}")
_MORE_DIGITS = re.compile(r"\d{3}(?:[.,]\d{1,2})?%?")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a source: its text, its place in the original string, and its pieces in normal form."""

    text: str
    start: int
    end: int
    pieces: tuple[str, ...]

    @property
    def punctuation(self) -> bool:
        """Whether the word is only punctuation: it has no pieces, is dropped before the search, and never kept."""
        return not self.pieces


def tokenize(text: str, *, pretokenized: bool = False) -> list[Word]:
    """The words of `text` in order, punctuation included, with offsets into the original string.

    >>> [w.text for w in tokenize("Mr. Smith didn't pay $5.2 billion (12.5 %), the U.S. said.")]
    ['Mr.', 'Smith', "didn't", 'pay', '$5.2', 'billion', '(', '12.5%', ')', ',', 'the', 'U.S.', 'said', '.']
    >>> tokenize("didn't")[0].pieces
    ('did', "n't")
    >>> [w.text for w in tokenize("delhi 's -lrb- #.# -rrb-", pretokenized=True)]
    ['delhi', "'s", '-lrb-', '#.#', '-rrb-']
    """
    if pretokenized:
        return [_pretokenized_word(m.group(), m.start(), m.end()) for m in re.finditer(r"\S+", text)]
    quoted = has_opening_quote(text)
    words = []
    for match in matches(text):
        start, end, kind = match.start(), match.end(), str(match.lastgroup)
        if kind not in ("run", "elided") and quoted and end - start > 1 and text[end - 1] in APOSTROPHES:
            end -= 1  # 'the workers' is more likely a closing quote than a possessive where a quote was opened
        host = min(end, match.end(kind))
        words.append(_word(text[start:host], text[host:end], start, end, kind))
        if end < match.end():
            words.append(Word(text[end : match.end()], end, match.end(), ()))
    return words


def _word(surface: str, clitic: str, start: int, end: int, kind: str) -> Word:
    if kind == "entity" and surface != "&amp;":
        return Word(surface, start, end, ())
    if kind in ("run", "word", "emoji", "character") and is_punctuation(surface):  # some pictures are, and "____"
        return Word(surface + clitic, start, end, ())
    if kind in _CLOSED:
        surface = re.sub(r"\s", "", surface)
    clitic = _CLOSING.sub("", clitic)
    return Word(surface + clitic, start, end, _pieces(surface, clitic, kind))


def _pieces(surface: str, clitic: str, kind: str) -> tuple[str, ...]:
    """The units that the models know, in the manner of the Penn Treebank: clitics and signs stand alone."""
    if kind == "word":
        return _word_pieces(surface + clitic)
    after = re.findall(r"n't|'\w+", normalize(clitic))
    normal = normalize(surface)
    if kind == "money":
        digit = normal.index("#")
        digit -= normal[digit - 1] == "."  # "$.50"
        return (normal[:digit].lstrip("+-"), normal[digit:], *after)
    if kind == "price":
        return (normal[:-1], normal[-1], *after)
    if kind == "percent":
        return (normal[:-1], "percent", *after)
    return (normal.lstrip("-") if kind == "flag" else normal, *after)


def _word_pieces(surface: str) -> tuple[str, ...]:
    """The pieces of an ordinary word: an initial, the word, its sign, its clitics."""
    normal = normalize(surface)
    after: list[str] = []
    while len(after) < 2 and (match := _CLITIC.match(normal)) and match[1] not in ("o", "d", "l"):
        normal = match[1]
        after.insert(0, match[2])
    normal = normal.rstrip("'!?") or normal
    if normal[-1] in "+%" and (bare := normal.rstrip("+%")):  # "C++", "Disney+", "1990s%"
        after.insert(0, normalize(normal[-1]))
        normal = bare
    initial = re.match(r"^([a-z]\.)([a-z]{2,}.*)$", normal) if surface[:1].isupper() else None
    return (*(initial.groups() if initial else (normal,)), *after)


def _pretokenized_word(token: str, start: int, end: int) -> Word:
    return Word(token, start, end, () if is_punctuation(token) else (normalize(token),))


def is_punctuation(token: str) -> bool:
    """Whether a token is dropped before the search: nothing in it is a letter, a digit, money, emoji or spoken.

    >>> [t for t in ["--", "-lrb-", "...", "&", "$", "#.#", "'s", "``", "="] if is_punctuation(t)]
    ['--', '-lrb-', '...', '``', '=']
    """
    if token.isascii() and token.isalnum():  # as most are
        return False
    if token.lower() in _TREEBANK_PUNCTUATION:
        return True
    return not any(_carries_meaning(char) for char in token)


def _carries_meaning(char: str) -> bool:
    return (
        (char.isalnum() and char != "\u02bc")
        or char in SPOKEN
        or unicodedata.category(char) in ("Sc", "So", "Co", "No")
    )


def normalize(token: str) -> str:
    """The normal form for the models: composed, lower case, digits as `#`, quotes and dashes straightened.

    >>> normalize("Côte‑d’Or"), normalize("1,250.5"), normalize("&amp;"), normalize("%"), normalize("UNK")
    ("côte-d'or", '#,###.#', '&', 'percent', '<unk>')
    """
    normal = _DIGIT.sub("#", fold(token))
    if normal in UNKNOWN_MARKS:
        return "<unk>"
    return _SAME_WORD.get(normal, normal)


def fold(token: str) -> str:
    """The token as people compare words: composed, lower case, quotes and dashes straightened; digits stay.

    >>> fold("Côte‑d’Or"), fold("2012")
    ("côte-d'or", '2012')
    """
    if token.isascii() and token.isalpha():  # as most are
        return token.lower()
    if "&" in token:
        token = _APOSTROPHE_ENTITY.sub("'", token).replace("&amp;", "&")
    composed = unicodedata.normalize("NFC", _INVISIBLE.sub("", token)).lower()
    return composed.translate(_QUOTES).translate(_DASHES)


def bindings(words: Sequence[Word]) -> list[tuple[int, int]]:
    """The words (punctuation left out) that cannot stand alone, each with the position of the word that it needs.

    Only pretokenised text has such words: there "'s" needs the noun before it, "n't" its verb, "%" the number before
    it and "$" the number after it.

    >>> bindings(tokenize("delhi 's $ ##", pretokenized=True))
    [(1, 0), (2, 3)]
    """
    needs = []
    for i, word in enumerate(words):
        before = words[i - 1].text if i else ""
        after = words[i + 1].text if i + 1 < len(words) else ""
        if unicodedata.category(word.text[-1]) == "Sc" and _NUMBER.match(after):
            needs.append((i, i + 1))
        elif before and (word.pieces[0] in _CLITIC_TOKENS or (word.text == "%" and _NUMBER.match(before))):
            needs.append((i, i - 1))
    return needs


def figures(words: Sequence[Word]) -> list[tuple[int, int]]:
    """The words (punctuation left out) that may be one figure with the word before: "4 200" with a plain space.

    They may as well be two ("65 737 MAX"), so each stays a word of its own; but neither should be kept without the
    other, because "200 people" out of "4 200 people" would be a figure that nobody gave.

    >>> figures(tokenize("some 4 200 people in 2019 300 ships of 1 234 567")), figures(tokenize("3.5 200"))
    ([(1, 2), (9, 10), (10, 11)], [])
    """
    found: list[tuple[int, int]] = []
    for i, (word, after) in enumerate(itertools.pairwise(words)):
        begins = _FIRST_DIGITS.fullmatch(word.text) or (found and found[-1][1] == i and word.text.isdigit())
        if begins and after.start - word.end == 1 and _MORE_DIGITS.fullmatch(after.text):
            found.append((i, i + 1))
    return found


def render(words: Sequence[Word], *, pretokenized: bool = False, marks: Sequence[str] = ()) -> str:
    """The kept words as text: one space between two words, none between two characters of a script without spaces.

    `marks` are the punctuation marks that follow the words, one for each, mostly empty.

    >>> render(tokenize("Cuba's 12.5 %"))
    "Cuba's 12.5%"
    """
    if pretokenized:
        return " ".join(word.text for word in words)
    parts: list[str] = []
    for i, word in enumerate(words):
        if i and not (stands_alone(words[i - 1].text) and stands_alone(word.text)):
            parts.append(" ")
        parts.append(word.text + (marks[i] if marks else ""))
    return "".join(parts)
