"""Stage 1: text to words with offsets, and kept words back to text.

A *word* is what a reader counts as one: "Cuba's", "didn't", "$5.2", "12.5%". The models know smaller *pieces* in a
normal form ("cuba", "'s"; "$", "#.#"), so each word has a tuple of pieces. The search chooses words, so no summary
separates a clitic from its host or a "%" from its number. Pretokenised text (`pretokenized=True`, benchmark corpora) is
split at white space alone. There every token is a word, and `bindings` says which tokens cannot stand alone.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tersely.text.tokens import SPOKEN, closing_quotes, matches, stands_alone

# A longer "sentence" is a document, which would take hours to search: it is an error.
MAX_CHARS = 100_000
MAX_WORDS = 1_000
MAX_TOKENS = 2_000  # words and punctuation marks

# The brackets of the Penn Treebank, and its escaped slash; they have letters but are punctuation.
_TREEBANK_PUNCTUATION = frozenset(["-lrb-", "-rrb-", "-llb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-", "\\/"])
PLACEHOLDERS = frozenset(["unk", "<unk>"])  # what benchmark corpora write for a word outside their vocabulary

_INVISIBLE = re.compile("[\u00ad\u200c\u200d\ufe0e\ufe0f]")
_QUOTES = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\uff07`\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
)
_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2212": "-"})
# Two clitics at most: "shouldn't've".
_CLITIC = re.compile(r"^(.+?)(n't|'(?:s|re|ve|ll|d|m))$")
_CLITIC_TOKENS = frozenset(["n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "'"])
_NEED_THE_WORD_BEFORE = _CLITIC_TOKENS | {"&"}  # so that no two words need each other: any number of words can be kept
_SAME_WORD = {"%": "percent", "pct": "percent"}  # one word with several spellings in news text
_CLOSED = frozenset(["money", "percent", "price", "grouped"])  # "5 %" is one word: it is rendered without the space
_CLOSING = re.compile(r"[\s\"\u201d\u00bb)\]]")  # dropped before a clitic: '"Titanic"'s' is rendered "Titanic's"
_SECOND_CURRENCY = re.compile(r"-[a-z]{0,3}[^\w.#-](?=[.#])")  # in "$10-$12"
_INCH_SIGN = re.compile(r"\d[\"\u201d]|\u2033")
_QUOTE = re.compile('["\u201c\u201d]')
_INCHES = re.compile(r"[x\u00d7]?\d{1,3}(?:[./]\d{1,3}|['\u2019\u2032]\d{1,2}|[\u00bc-\u00be])*", re.IGNORECASE)
_APOSTROPHE_ENTITY = re.compile(r"&(?:#0?39|#8217|#x27|apos|rsquo);")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[-+.]?[\d#]")
_FIRST_DIGITS = re.compile(r"[^\w.,\s]?\d{1,3}")
_MORE_DIGITS = re.compile(r"\d{3}(?:[.,]\d{1,2})?%?")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: its surface, its offsets in the original string, and its pieces in normal form."""

    text: str
    start: int
    end: int
    pieces: tuple[str, ...]
    chunk: int = 0  # the number of the run of characters without white space that the word stands in

    @property
    def punctuation(self) -> bool:
        """Whether the word is a punctuation mark: it has no pieces, and is dropped before the search."""
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
    closing = closing_quotes(text)
    words: list[Word] = []
    for match in matches(text):
        start, end, kind = match.start(), match.end(), str(match.lastgroup)
        if kind not in ("run", "elided") and end - start > 1 and end - 1 in closing:
            end -= 1  # 'the workers' ends with a closing quote, and not with the apostrophe of a possessive
        host = min(end, match.end(kind))
        words.append(_word(text[start:host], text[host:end], start, end, kind))
        if end < match.end():
            words.append(Word(text[end : match.end()], end, match.end(), ()))
    if _INCH_SIGN.search(text):
        words = _with_inches(words, text)
    return words if text.isascii() else _with_chunks(words)


def _with_inches(words: Sequence[Word], text: str) -> list[Word]:
    """The words, where the inch sign is part of its number: a double quote after a number that closes no quotation."""
    found: list[Word] = []
    quoting = False
    for word in words:
        before = found[-1] if found else word
        touches = before.end == word.start and _INCHES.fullmatch(before.text)
        if touches and (word.text == "\u2033" or (word.text in ('"', "\u201d") and not quoting)):
            found[-1] = Word(before.text + word.text, before.start, word.end, (*before.pieces, "inch"))
            continue
        for quote in _QUOTE.findall(text, word.start, word.end):
            quoting = not quoting if quote == '"' else quote == "\u201c"
        found.append(word)
    return found


def _with_chunks(words: Sequence[Word]) -> list[Word]:
    """The words with the numbers of their chunks; words that touch are of one chunk."""
    found, chunk, end = [], 0, 0
    for word in words:
        chunk += word.start > end
        end = word.end
        found.append(replace(word, chunk=chunk))
    return found


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
    """The pieces that the models know. As in the Penn Treebank, clitics and signs are pieces of their own."""
    if kind == "word":
        return _word_pieces(surface + clitic)
    after = re.findall(r"n't|'\w+", normalize(clitic))
    normal = normalize(surface)
    if kind == "money":
        digit = normal.index("#")
        digit -= normal[digit - 1] == "."  # "$.50"
        return (normal[:digit].lstrip("+-"), _SECOND_CURRENCY.sub("-", normal[digit:]), *after)
    if kind in ("price", "percent"):
        sign = normal[-1]
        return (normal.replace(sign, ""), normalize(sign), *after)
    if kind == "dotted":
        return (normal.rstrip("."), *after)
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
    """Whether a token is punctuation: it has no letter, digit, currency sign, emoji or symbol that is read aloud.

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
    """The token in the models' normal form: composed, lower case, digits as `#`, straight quotes and plain hyphens.

    >>> normalize("Côte‑d’Or"), normalize("1,250.5"), normalize("&amp;"), normalize("%"), normalize("UNK")
    ("côte-d'or", '#,###.#', '&', 'percent', '<unk>')
    """
    normal = _DIGIT.sub("#", fold(token))
    if normal in PLACEHOLDERS:
        return "<unk>"
    return _SAME_WORD.get(normal, normal)


def fold(token: str) -> str:
    """The token in the form in which words are compared: as `normalize`, but with its digits.

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
    """The words (punctuation left out) that cannot stand alone, each with the position of a word that it needs.

    "&" needs both its neighbours. The others occur only in pretokenised text: "'s" needs the noun before it, "n't" its
    verb, "%" the number before it and "$" the number after it.

    >>> bindings(tokenize("delhi 's $ ## & co", pretokenized=True))
    [(1, 0), (2, 3), (4, 3), (4, 5)]
    """
    needs = []
    for i, word in enumerate(words):
        before = words[i - 1].text if i else ""
        after = words[i + 1].text if i + 1 < len(words) else ""
        if word.pieces[0] == "&":
            needs += [(i, i - 1)] if before and words[i - 1].pieces[0] != "&" else []
            needs += [(i, i + 1)] if after and words[i + 1].pieces[0] not in _NEED_THE_WORD_BEFORE else []
        elif unicodedata.category(word.text[-1]) == "Sc" and _NUMBER.match(after):
            needs.append((i, i + 1))
        elif before and (word.pieces[0] in _CLITIC_TOKENS or (word.text == "%" and _NUMBER.match(before))):
            needs.append((i, i - 1))
    return needs


def inseparable(words: Sequence[Word]) -> list[tuple[int, int]]:
    """The neighbours (punctuation left out) that say something else if one of them is kept without the other.

    "200 people" out of "4 200 people" would be a number that the source does not give. But a plain space may also stand
    between two numbers ("65 737 MAX"), so each is a word. And "Harrow" is another firm than "Harrow & Finch".

    >>> inseparable(tokenize("some 4 200 people in 2019 300 ships of 1 234 567")), inseparable(tokenize("3.5 200"))
    ([(1, 2), (9, 10), (10, 11)], [])
    >>> inseparable(tokenize("Harrow & Finch sued"))
    [(0, 1), (1, 2)]
    """
    found: list[tuple[int, int]] = []
    for i, (word, after) in enumerate(itertools.pairwise(words)):
        begins = _FIRST_DIGITS.fullmatch(word.text) or (found and found[-1][1] == i and word.text.isdigit())
        in_number = begins and after.start - word.end == 1 and _MORE_DIGITS.fullmatch(after.text)
        if in_number or (word.pieces[0] == "&" and i) or (after.pieces[0] == "&" and i + 2 < len(words)):
            found.append((i, i + 1))
    return found


def render(
    words: Sequence[Word], *, pretokenized: bool = False, before: Sequence[str] = (), after: Sequence[str] = ()
) -> str:
    """The kept words as text, with a space between two words where `is_spaced` says so.

    `before` and `after` are the punctuation marks at each word, most of them empty.

    >>> render(tokenize("Cuba's 12.5 %")), render(tokenize("no ship"), before=["(", ""], after=["", ")"])
    ("Cuba's 12.5%", '(no ship)')
    """
    if pretokenized:
        return " ".join(word.text for word in words)
    parts: list[str] = []
    for i, word in enumerate(words):
        if i and is_spaced(words[i - 1], word):
            parts.append(" ")
        parts.append((before[i] if before else "") + word.text + (after[i] if after else ""))
    return "".join(parts)


def is_spaced(left: Word, right: Word) -> bool:
    """Whether a summary has a space between two words.

    Scripts without spaces get none, and where such a script is mixed with others ("彼はAT&Tの社員"), words have a space
    between them only if the source separates them by white space somewhere. Between words of other scripts there is
    always one, so that a summary has as many words as were asked for.

    >>> render(tokenize("彼はAT&Tの社員")), render(tokenize("東京 2020"))
    ('彼はAT&Tの社員', '東京 2020')
    """
    alone = stands_alone(left.text) + stands_alone(right.text)
    return alone == 0 or (alone == 1 and left.chunk != right.chunk)
