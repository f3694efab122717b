"""Stage 1: the pattern of a token: what is one word, what is a punctuation mark, and what separates them.

The pattern is matched against the `shadow` of a text: a string of the same length in which one character stands for
every combining mark and one for every currency sign. So the pattern knows scripts and currencies by their Unicode
categories. It needs no lists of ranges, which are never complete, and compiles in milliseconds.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

SPOKEN = "&%+@#\u00b0\u00a7"  # symbols that are read aloud: each is a word where it stands alone
MARK, MONEY = "\u0301", "\u20ac"  # in a shadow they stand for every combining mark and for every currency sign
# White space, and code points that separate words although they are no white space for str.isspace(): controls,
# zero-width space, byte-order mark, direction marks. Not joiners and variation selectors: emoji and some scripts
# need them.
_SEPARATOR = r"\s\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_CHARACTER = f"(?P<character>[{_CJK}]{MARK}*)(?:['\u2019](?:s|re|ve|ll|d|m)(?![A-Za-z]))?"
_LETTER = rf"(?:[\w{MARK}\u00ad\u200c\u200d]|(?<=\d)\u00b0)"  # "20°C" is one word
APOSTROPHES = "'\u2019\u02bc\uff07"
_APOSTROPHE = f"[{APOSTROPHES}]"
_ANY_APOSTROPHE = f"(?:[{APOSTROPHES}\u2018\u00b4`]|&(?:#0?39|#8217|#x27|apos|rsquo);)"  # as people type it
_SIGN = r"(?:(?<![\w%])[-+\u2212])?"
_CURRENCY = rf"(?:[A-Z]{{1,3}})?[${MONEY}]"
# A space groups digits only where that is certain: a no-break space, or a space before a zero. In "65 737 MAX" it
# separates two numbers. "4 200" with a plain space may be either: it stays two words that are kept together
# (`words.inseparable`).
_GROUPED = r"\d{1,3}(?:[\u00a0\u2009\u202f]\d{3}|[ ]0\d\d)+(?![\w.,]*\d)"
_NUMERAL = rf"(?:{_GROUPED}|\d+(?:[.,]\d+)*)"
_AMOUNT = r"\.?\d+(?:[.,]\d+)*[A-Za-z]{0,8}"  # of money in a range: "$3m-$5m", "US$10-US$12"
# What may join two letters of a word: hyphens, apostrophes, slashes, ampersands anywhere; full stops and commas between
# digits ("3,000"); a full stop before a lower-case letter ("amazon.com") or after a single capital ("S.Korea").
_JOINT = (
    rf"(?:[-\u2010\u2011_/+\u05f3\u05f4{APOSTROPHES}\u2018\u00b4`]|&(?!(?:quot|[lg]t|nbsp);)(?:amp;)?|(?<=\d)[.,:\u2013](?=\d)|\.(?=[a-z])"
    rf"|(?<=\b[A-Z])\.(?=[A-Z])|\.(?=-\w))"
)
# Abbreviations whose full stop belongs to the word. A single capital with a full stop is an initial ("J. Smith").
_ABBREVIATIONS = "|".join(
    "mr mrs ms dr prof sen gov gen rep rev hon col capt cmdr lt sgt maj adm st mt ft jr sr inc corp co ltd bros vs etc "
    "jan feb aug sept oct nov dec dept univ assn ave blvd rd approx est".split()
)
# The models know these without their full stop. They are abbreviations only with a capital, most of them of American
# states; those that are also ordinary words, only after a comma ("Jackson, Miss."); or only before a number.
_CAPITALISED = "|".join(
    "Messrs Sens Reps Gens Govs Pres Supt Cpl Pvt Esq Hwy Ala Ariz Calif Colo Conn Fla Ga Kan Ky Md Mich Minn Neb Nev "
    "Okla Ore Pa Tenn Tex Va Vt Wis Wyo".split()
)
_AFTER_COMMA = "|".join("Ark Del Ill Ind La Mass Miss Mo Mont Wash".split())
_BEFORE_NUMBER = "|".join("nos mar apr jun jul sep vol fig art sec pp".split())
_ENDS = rf"(?=[{_SEPARATOR},;:)\]{APOSTROPHES}\"\u201d]|$)"
_WORD_CORE = rf"\w{_LETTER}*(?:{_JOINT}{_LETTER}+)*"
# A sign that ends a word: "C++", "C#", "Disney+", "1990s%".
_LAST_SIGN = r"(?:\+{1,2}(?![\w+])|(?<=\b[A-Za-z])#(?!\w)|%(?!\w))"
# A clitic belongs to its host even if a punctuation mark ("Yahoo!'s", '"Titanic"'s') or, in text that was tokenised
# before, a space stands between them ("Cuba 's", "did n't").
_CLITIC = (
    rf"(?:[!?\"\u201d\u00bb)\]]{{0,2}}{_ANY_APOSTROPHE}(?:[sS]|t|re|ve|ll|d|m)(?!\w)"
    rf"|[!?\"\u201d\u00bb)\]]{{0,2}}[ \t](?:{_ANY_APOSTROPHE}(?:s|t|re|ve|ll|d|m)|n{_ANY_APOSTROPHE}t)"
    rf"(?!\w|[{APOSTROPHES}]))"
)
_PICTURE = "[\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_EMOJI = rf"[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}(?:[{MARK}\U0001f3fb-\U0001f3ff]|\u200d{_PICTURE})*"
# No alternative may look far ahead and then fail, or a hostile line takes minutes. So parts of an address are bounded.
_HOSTS = "|".join(
    [
        rf"(?P<link>(?:https?://|www\.)[^{_SEPARATOR}<>\"\u201c\u201d]*[\w/])",
        r"(?P<email>(?<![\w.+-])\w[\w.+-]{0,63}@\w[\w-]{0,62}(?:\.\w[\w-]{0,62}){1,8})",
        rf"(?P<handle>(?<!\w)[@#]\w[\w{MARK}\u200c\u200d]*)",
        rf"(?P<money>{_SIGN}(?:{_CURRENCY}|(?<!\w){_CURRENCY}\s)"
        rf"(?:{_AMOUNT}(?:[-\u2013]{_CURRENCY}{_AMOUNT}){{1,3}}(?:-[a-z]{{1,20}}){{0,3}}"
        rf"|\.?(?=\d)(?:{_GROUPED}|{_WORD_CORE})(?:\.(?=-))?))",
        rf"(?P<percent>(?<![\w%]){_SIGN}{_NUMERAL}(?:(?:\s?%)?[-\u2013/]{_NUMERAL}){{0,3}}(?:%|\s%(?!\w)))",
        rf"(?P<price>(?<![\w%]){_NUMERAL}(?:[${MONEY}]?[-\u2013]{_NUMERAL})?(?:[${MONEY}](?!\.?\d)|\s{MONEY}(?!\s?\.?\d)))",
        rf"(?P<grouped>(?<![\w.,])[-+\u2212]?{_GROUPED})",
        rf"(?P<acronym>(?<!\w)(?:[^\W\d_]\.){{2,}}(?:-{_WORD_CORE})?|(?<!\w)(?:Ph|Ed|Th|Sc|LL|Ll)\.[A-Z](?!\w)\.?)",
        rf"(?P<abbreviation>(?<!\w)(?:(?i:{_ABBREVIATIONS})\.{_ENDS}|[Nn]o\.(?=\s?\d)))",
        rf"(?P<dotted>(?<!\w)(?:(?:{_CAPITALISED}|(?<=,\s)(?:{_AFTER_COMMA}))\.{_ENDS}"
        rf"|(?i:{_BEFORE_NUMBER})\.(?=\s?\d)))",
        r"(?P<initial>(?<!\w)[A-Z]\.(?=\s+[A-Z]))",
        rf"(?P<elided>(?<!\w){_APOSTROPHE}(?:n{_APOSTROPHE}(?!\w)|(?:em|til|tis|twas|cause|\d\ds)\b))",
        rf"(?P<signed>(?<![\w%])[-+\u2212](?=\d){_WORD_CORE})",
        r"(?P<flag>(?<![\w-])--[a-z]\w*(?:-\w+)*)",
        rf"(?P<word>{_WORD_CORE}{_LAST_SIGN}?)",
        r"(?P<point>(?<![\w.,])\.\d+)",
        r"(?P<entity>&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#(?:34|39|160|8\d\d\d));)",
        r"(?P<degrees>\u00b0[CFK](?!\w))",  # of "44 °C"; in "44°C" they are part of the number
        rf"(?P<emoji>{_EMOJI})",
        rf"(?P<sign>[{SPOKEN}${MONEY}](?={_CLITIC}))",
    ]
)
_TOKEN = (
    rf"(?:{_HOSTS})(?:{_CLITIC}{{1,2}}|(?<=[sSzZ]){_APOSTROPHE}(?!\w))?|(?P<run>(?P<char>[^{_SEPARATOR}])(?P=char)*)"
)
# A single quote that opens, or an apostrophe at the end of a word, which may close it.
_SINGLE_QUOTE = re.compile(
    rf"(?:^|(?<=[{_SEPARATOR}(\[\"\u201c]))(?P<opens>['\u2018])(?=\w)(?!(?:em|til|tis|twas|cause|\d\ds)\b)"
    rf"|(?<=[^{_SEPARATOR}])(?P<ends>{_APOSTROPHE})(?!\w)"
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def matches(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a text, as matches in its shadow.

    Every character of a script without spaces is a token. Such characters are found first, because a pattern of words
    that excludes them takes three times as long to compile, and that is part of the start-up time.
    """
    begin, shown = 0, shadow(text)
    for character in () if text.isascii() else re.finditer(_CJK_CHARACTER, shown):
        yield from _token().finditer(shown, begin, character.start())
        yield character
        begin = character.end()
    yield from _token().finditer(shown, begin)


@cache
def _token() -> re.Pattern[str]:
    """The pattern of a token, compiled at its first use: that takes ten milliseconds."""
    return re.compile(_TOKEN)


def shadow(text: str) -> str:
    """The text with one character for all combining marks, and one for all currency signs.

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


def closing_quotes(text: str) -> set[int]:
    """Where apostrophes close a single quote that was opened before.

    After an "s" that is the last one before another quote opens: the others are of possessives.

    >>> closing_quotes("'the workers' plan' was the bosses' plan"), closing_quotes("the workers' 'plan'")
    ({18}, {18})
    """
    found, opened = set(), False
    marks = list(_SINGLE_QUOTE.finditer(text))
    for mark, after in itertools.zip_longest(marks, marks[1:]):
        last = after is None or after["opens"] is not None
        if mark["opens"]:
            opened = True
        elif opened and (last or text[mark.start() - 1] not in "sSzZ"):
            found.add(mark.start())
            opened = False
    return found


def stands_alone(text: str) -> bool:
    """Whether a word is a character of a script that is written without spaces between words."""
    return not text.isascii() and re.match(_CJK_CHARACTER, text) is not None
