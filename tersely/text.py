"""Stage 1: text to words with offsets, and kept words back to text.

A *word* is what a reader counts as one: "Cuba's", "didn't", "$5.2", "12.5%". The models know smaller *pieces* in a
normal form ("cuba", "'s"; "$", "#.#"), so a word carries its pieces, and because the search chooses words, a clitic
can never lose its host nor a "%" its number. Pretokenised text (`pretokenized=True`, benchmark corpora) is split on
white space alone: there every token is a word, and `bindings` says which tokens cannot stand alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

# A longer "sentence" is a document: refuse it rather than search it for hours.
MAX_CHARS = 100_000
MAX_WORDS = 1_000

# Symbols that are read aloud, and so count as words where they stand alone.
_SPOKEN = frozenset("&%+@#°§")
# The brackets of the Penn Treebank, and its escaped slash; they have letters but are punctuation.
_TREEBANK_PUNCTUATION = frozenset(["-lrb-", "-rrb-", "-llb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-", "\\/"])
UNKNOWN_MARKS = frozenset(["unk", "<unk>"])  # how benchmark corpora write a word outside their vocabulary

# Code points that separate words although str.isspace() says no: controls, zero-width space, byte-order mark,
# direction marks. Joiners and variation selectors are left alone, because emoji and some scripts need them.
_SEPARATOR = r"\s\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\ufe0e\ufe0f]")
_MARKS = "\u0300-\u036f\u0483-\u0487\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e4e\u20d0-\u20f0"
_CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_LETTER = rf"(?:\w|[{_MARKS}\u00ad\u200c\u200d\ufe0f]|(?<=\d)\u00b0)"  # "20°C" is one word
_APOSTROPHE = "['\u2019\u02bc\uff07]"
_SIGN = r"(?:(?<![\w%])[-+\u2212])?"
_CURRENCY = r"(?:[A-Z]{1,3})?[$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9]"
_NUMERAL = r"\d+(?:[.,]\d+)*"
# What may stand inside a word between two of its letters: hyphens, apostrophes, slashes, ampersands anywhere;
# points and commas between digits ("3,000"); a point before a lower-case letter ("amazon.com") or after a single
# capital ("S.Korea").
_JOINT = (
    rf"(?:[-\u2010\u2011_/&+]|{_APOSTROPHE}|(?<=\d)[.,:\u2013](?=\d)|\.(?=[a-z])|(?<=\b[A-Z])\.(?=[A-Z])|\.(?=-\w))"
)
# Abbreviations whose point belongs to the word. A single capital with a point is an initial ("J. Smith").
_ABBREVIATIONS = "|".join(
    "mr mrs ms dr prof sen gov gen rep rev hon col capt cmdr lt sgt maj adm st mt ft jr sr inc corp co ltd bros vs etc "
    "jan feb aug sept oct nov dec dept univ assn ave blvd rd approx est".split()
)
_WORD_CORE = rf"\w{_LETTER}*(?:{_JOINT}{_LETTER}+)*"
# Text that was tokenised once ("Cuba 's", "did n't") gets its clitics back.
_LOOSE_CLITIC = rf"[ \t](?:{_APOSTROPHE}(?:s|t|re|ve|ll|d|m)|n{_APOSTROPHE}t)(?!\w|{_APOSTROPHE})"
_PICTURE = "[\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_EMOJI = rf"[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}(?:[\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d{_PICTURE})*"
# No alternative may look far ahead and then fail, or a hostile line takes minutes: the parts of an address are bounded.
_TOKEN = "|".join(
    [
        rf"(?P<link>(?:https?://|www\.)[^{_SEPARATOR}<>\"\u201c\u201d]*[\w/])",
        r"(?P<email>(?<![\w.+-])\w[\w.+-]{0,63}@\w[\w-]{0,62}(?:\.\w[\w-]{0,62}){1,8})",
        r"(?P<handle>(?<!\w)[@#]\w+)",
        rf"(?P<money>{_SIGN}{_CURRENCY}\s?\.?(?=\d){_WORD_CORE}(?:\.(?=-))?)",
        rf"(?P<percent>(?<![\w%]){_SIGN}{_NUMERAL}(?:[-\u2013/]{_NUMERAL}){{0,3}}\s?%(?!\w))",
        rf"(?P<price>(?<![\w%]){_NUMERAL}\s?[\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u00a2](?!\s?\.?\d))",
        rf"(?P<acronym>(?<!\w)(?:[^\W\d_]\.){{2,}}(?:-{_WORD_CORE})?(?:{_APOSTROPHE}s\b)?)",
        rf"(?P<abbreviation>(?<!\w)(?:(?i:{_ABBREVIATIONS})\.(?=[{_SEPARATOR},)]|$)|[Nn]o\.(?=\s?\d)))",
        r"(?P<initial>(?<!\w)[A-Z]\.(?=\s+[A-Z]))",
        rf"(?P<elided>(?<!\w){_APOSTROPHE}(?:n{_APOSTROPHE}|(?:em|til|tis|twas|cause|\d\ds)\b))",
        rf"(?P<signed>(?<![\w%])[-+\u2212](?=\d){_WORD_CORE})",
        rf"(?P<word>{_WORD_CORE}(?:{_LOOSE_CLITIC}|(?<=[sSzZ]){_APOSTROPHE}(?![\w]))?)",
        r"(?P<point>(?<![\w.,])\.\d+)",
        rf"(?P<emoji>{_EMOJI})",
        rf"(?P<run>(?P<char>[^{_SEPARATOR}])(?P=char)*)",
    ]
)
_OPENING_QUOTE = re.compile(rf"(?:^|[{_SEPARATOR}(\[\"\u201c])['\u2018]\w")
_QUOTES = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\uff07`\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
)
_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2212": "-"})
# Two clitics at most: "shouldn't've".
_CLITIC = re.compile(r"^(.+?)(n't|'(?:s|re|ve|ll|d|m))$")
_CLITIC_TOKENS = frozenset(["n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "'"])
_SAME_WORD = {"&amp;": "&", "%": "percent", "pct": "percent"}  # one word, several spellings in news text
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[-+.]?[\d#]")


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
    quoted = _OPENING_QUOTE.search(text) is not None
    words = []
    for match in _matches(text):
        start, end, kind = match.start(), match.end(), match.lastgroup
        if kind == "word" and quoted and text[end - 1] in "'\u2019\u02bc\uff07":
            end -= 1  # 'the workers' is more likely a closing quote than a possessive where a quote was opened
        words.append(_word(text[start:end], start, end, kind or "character"))
        if end < match.end():
            words.append(_word(text[end : match.end()], end, match.end(), "run"))
    return words


@cache
def _token() -> re.Pattern[str]:
    """The pattern of a token. It takes ten milliseconds to compile, which only those pay who tokenise."""
    return re.compile(_TOKEN)


def _matches(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a text. Characters of scripts without spaces stand alone and are cut out first: to exclude them
    inside the pattern of a word would triple the time that it takes to compile, and so to start."""
    begin = 0
    for character in () if text.isascii() else _CJK_CHARACTER.finditer(text):
        yield from _token().finditer(text, begin, character.start())
        yield character
        begin = character.end()
    yield from _token().finditer(text, begin)


def _word(surface: str, start: int, end: int, kind: str) -> Word:
    if kind in ("run", "emoji") and is_punctuation(surface):  # the range of pictures has some punctuation in it
        return Word(surface, start, end, ())
    if kind in ("money", "percent", "price", "word"):
        surface = re.sub(r"\s", "", surface)  # "5 %" is one word, so it is rendered without the gap
    return Word(surface, start, end, _pieces(surface, kind))


def _pieces(surface: str, kind: str) -> tuple[str, ...]:
    """The units that the models know, in the manner of the Penn Treebank: clitics and signs stand alone."""
    normal = normalize(surface)
    if kind == "money":
        digit = normal.index("#")
        digit -= normal[digit - 1] == "."  # "$.50"
        return (normal[:digit].lstrip("+-"), normal[digit:])
    if kind == "price":
        return (normal[:-1], normal[-1])
    if kind == "percent":
        return (normal[:-1], "percent")
    if kind == "acronym" and normal.endswith("'s"):
        return (normal[:-2], "'s")
    if kind == "word":
        clitics: list[str] = []
        while len(clitics) < 2 and (match := _CLITIC.match(normal)) and match[1] not in ("o", "d", "l"):
            normal = match[1]
            clitics.insert(0, match[2])
        normal = normal.rstrip("'") or normal
        initial = re.match(r"^([a-z]\.)([a-z]{2,}.*)$", normal) if surface[:1].isupper() else None
        return (*(initial.groups() if initial else (normal,)), *clitics)
    return (normal,)


def _pretokenized_word(token: str, start: int, end: int) -> Word:
    return Word(token, start, end, () if is_punctuation(token) else (normalize(token),))


def is_punctuation(token: str) -> bool:
    """Whether a token is dropped before the search: nothing in it is a letter, a digit, money, emoji or spoken.

    >>> [t for t in ["--", "-lrb-", "...", "&", "$", "#.#", "'s", "``", "="] if is_punctuation(t)]
    ['--', '-lrb-', '...', '``', '=']
    """
    if token.lower() in _TREEBANK_PUNCTUATION:
        return True
    return not any(_carries_meaning(char) for char in token)


def _carries_meaning(char: str) -> bool:
    return char.isalnum() or char in _SPOKEN or unicodedata.category(char) in ("Sc", "So", "Co", "No")


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
        if i and not (_is_cjk(words[i - 1].text) and _is_cjk(word.text)) and not _percent_of(words[i - 1], word):
            parts.append(" ")
        parts.append(word.text + (marks[i] if marks else ""))
    return "".join(parts)


def _percent_of(number: Word, sign: Word) -> bool:
    return sign.text == "%" and _NUMBER.match(number.text) is not None


def _is_cjk(text: str) -> bool:
    return re.fullmatch(f"[{_CJK}]+", text) is not None
