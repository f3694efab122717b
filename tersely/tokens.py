"""Stage 1: the pattern of a token: what is one word, what is a mark, and what separates them.

The pattern never sees the text itself but its `shadow`, a string of the same length in which every combining mark is
one and the same mark, and every sign of money one and the same sign. So scripts and currencies are told apart by their
Unicode categories, without ranges that are never complete, and the pattern compiles in milliseconds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

SPOKEN = "&%+@#\u00b0\u00a7"  # symbols that are read aloud, and so count as words where they stand alone
MARK, MONEY = "\u0301", "\u20ac"  # what stands in a shadow for every combining mark, and for every sign of money
# Code points that separate words although str.isspace() says no: controls, zero-width space, byte-order mark,
# direction marks. Joiners and variation selectors are left alone, because emoji and some scripts need them.
_SEPARATOR = r"\s\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_CHARACTER = f"(?P<character>[{_CJK}]{MARK}*)(?:['\u2019](?:s|re|ve|ll|d|m)(?![A-Za-z]))?"
_LETTER = rf"(?:[\w{MARK}\u00ad\u200c\u200d]|(?<=\d)\u00b0)"  # "20°C" is one word
APOSTROPHES = "'\u2019\u02bc\uff07"
_APOSTROPHE = f"[{APOSTROPHES}]"
_ANY_APOSTROPHE = f"(?:[{APOSTROPHES}\u2018\u00b4`]|&(?:#0?39|#8217|#x27|apos|rsquo);)"  # as people type it
_SIGN = r"(?:(?<![\w%])[-+\u2212])?"
_CURRENCY = rf"(?:[A-Z]{{1,3}})?[${MONEY}]"
# A space groups digits where no other reading is left: one that does not break, or one before a zero. In "65 737 MAX"
# it stands between two numbers; "4 200" with a plain space may be either, and stays two
# words, of which none is kept without the other (`text.figures`).
_GROUPED = r"\d{1,3}(?:[\u00a0\u2009\u202f]\d{3}|[ ]0\d\d)+(?![\w.,]*\d)"
_NUMERAL = rf"(?:{_GROUPED}|\d+(?:[.,]\d+)*)"
# What may stand inside a word between two of its letters: hyphens, apostrophes, slashes, ampersands anywhere;
# points and commas between digits ("3,000"); a point before a lower-case letter ("amazon.com") or after a single
# capital ("S.Korea").
_JOINT = (
    rf"(?:[-\u2010\u2011_/+\u05f3\u05f4{APOSTROPHES}\u2018\u00b4`]|&(?!(?:quot|[lg]t|nbsp);)(?:amp;)?|(?<=\d)[.,:\u2013](?=\d)|\.(?=[a-z])"
    rf"|(?<=\b[A-Z])\.(?=[A-Z])|\.(?=-\w))"
)
# Abbreviations whose point belongs to the word. A single capital with a point is an initial ("J. Smith").
_ABBREVIATIONS = "|".join(
    "mr mrs ms dr prof sen gov gen rep rev hon col capt cmdr lt sgt maj adm st mt ft jr sr inc corp co ltd bros vs etc "
    "jan feb aug sept oct nov dec dept univ assn ave blvd rd approx est".split()
)
_WORD_CORE = rf"\w{_LETTER}*(?:{_JOINT}{_LETTER}+)*"
# The end of a word that is a sign: "C++", "C#", "Disney+", "1990s%".
_LAST_SIGN = r"(?:\+{1,2}(?![\w+])|(?<=\b[A-Za-z])#(?!\w)|%(?!\w))"
# A clitic belongs to its host also over a mark ("Yahoo!'s", '"Titanic"'s') and where the text was tokenised once
# ("Cuba 's", "did n't").
_CLITIC = (
    rf"(?:[!?\"\u201d\u00bb)\]]{{0,2}}{_ANY_APOSTROPHE}(?:[sS]|t|re|ve|ll|d|m)(?!\w)"
    rf"|[!?\"\u201d\u00bb)\]]{{0,2}}[ \t](?:{_ANY_APOSTROPHE}(?:s|t|re|ve|ll|d|m)|n{_ANY_APOSTROPHE}t)"
    rf"(?!\w|[{APOSTROPHES}]))"
)
_PICTURE = "[\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_EMOJI = rf"[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}(?:[{MARK}\U0001f3fb-\U0001f3ff]|\u200d{_PICTURE})*"
# No alternative may look far ahead and then fail, or a hostile line takes minutes: the parts of an address are bounded.
_HOSTS = "|".join(
    [
        rf"(?P<link>(?:https?://|www\.)[^{_SEPARATOR}<>\"\u201c\u201d]*[\w/])",
        r"(?P<email>(?<![\w.+-])\w[\w.+-]{0,63}@\w[\w-]{0,62}(?:\.\w[\w-]{0,62}){1,8})",
        rf"(?P<handle>(?<!\w)[@#]\w[\w{MARK}\u200c\u200d]*)",
        rf"(?P<money>{_SIGN}(?:{_CURRENCY}|(?<!\w){_CURRENCY}\s)\.?(?=\d)(?:{_GROUPED}|{_WORD_CORE})(?:\.(?=-))?)",
        rf"(?P<percent>(?<![\w%]){_SIGN}{_NUMERAL}(?:[-\u2013/]{_NUMERAL}){{0,3}}(?:%|\s%(?!\w)))",
        rf"(?P<price>(?<![\w%]){_NUMERAL}(?:[${MONEY}](?!\.?\d)|\s{MONEY}(?!\s?\.?\d)))",
        rf"(?P<grouped>(?<![\w.,])[-+\u2212]?{_GROUPED})",
        rf"(?P<acronym>(?<!\w)(?:[^\W\d_]\.){{2,}}(?:-{_WORD_CORE})?|(?<!\w)(?:Ph|Ed|Th|Sc|LL|Ll)\.[A-Z](?!\w)\.?)",
        rf"(?P<abbreviation>(?<!\w)(?:(?i:{_ABBREVIATIONS})\.(?=[{_SEPARATOR},)]|$)|[Nn]o\.(?=\s?\d)))",
        r"(?P<initial>(?<!\w)[A-Z]\.(?=\s+[A-Z]))",
        rf"(?P<elided>(?<!\w){_APOSTROPHE}(?:n{_APOSTROPHE}(?!\w)|(?:em|til|tis|twas|cause|\d\ds)\b))",
        rf"(?P<signed>(?<![\w%])[-+\u2212](?=\d){_WORD_CORE})",
        r"(?P<flag>(?<![\w-])--[a-z]\w*(?:-\w+)*)",
        rf"(?P<word>{_WORD_CORE}{_LAST_SIGN}?)",
        r"(?P<point>(?<![\w.,])\.\d+)",
        r"(?P<entity>&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#(?:34|39|160|8\d\d\d));)",
        rf"(?P<emoji>{_EMOJI})",
        rf"(?P<sign>[{SPOKEN}${MONEY}](?={_CLITIC}))",
    ]
)
_TOKEN = (
    rf"(?:{_HOSTS})(?:{_CLITIC}{{1,2}}|(?<=[sSzZ]){_APOSTROPHE}(?!\w))?|(?P<run>(?P<char>[^{_SEPARATOR}])(?P=char)*)"
)
_OPENING_QUOTE = re.compile(rf"(?:^|[{_SEPARATOR}(\[\"\u201c])['\u2018]\w")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def matches(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a text, as matches in its shadow. Characters of scripts without spaces stand alone and are cut out
    first: to exclude them inside the pattern of a word would triple the time that it takes to compile, and so to start.
    """
    begin, shown = 0, shadow(text)
    for character in () if text.isascii() else re.finditer(_CJK_CHARACTER, shown):
        yield from _token().finditer(shown, begin, character.start())
        yield character
        begin = character.end()
    yield from _token().finditer(shown, begin)


@cache
def _token() -> re.Pattern[str]:
    """The pattern of a token. It takes ten milliseconds to compile, which only those pay who tokenise."""
    return re.compile(_TOKEN)


def shadow(text: str) -> str:
    """The text as the pattern sees it: every combining mark is the same one, and every sign of money.

    >>> shadow("বাংলা, ₺5") == f"ব{MARK}{MARK}ল{MARK}, {MONEY}5"
    True
    """
    return text if text.isascii() else _NOT_ASCII.sub(_stand_in, text)


def _stand_in(match: re.Match[str]) -> str:
    return _class_of(match.group())


@lru_cache(maxsize=4096)
def _class_of(char: str) -> str:
    category = unicodedata.category(char)
    return MARK if category.startswith("M") else MONEY if category == "Sc" else char


def has_opening_quote(text: str) -> bool:
    """Whether a single quote opens somewhere: then an apostrophe after an s more likely closes it."""
    return _OPENING_QUOTE.search(text) is not None


def stands_alone(text: str) -> bool:
    """Whether a word is a character of a script that puts no spaces between words."""
    return not text.isascii() and re.match(_CJK_CHARACTER, text) is not None
