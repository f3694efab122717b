"""Words as ROUGE counts them: two tokenisers and the stemmer of the Perl program ROUGE-1.5.5.

The `perl` tokeniser is that of the program: lower case for ASCII, everything but a-z and 0-9 becomes a space, byte by
byte, so "café" is the word "caf". The `unicode` tokeniser keeps words outside ASCII, and is no longer comparable with
published figures; the signature of a score says which one was used.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

import regex

from tersely.errors import missing_extra

_ASCII_WORD = regex.compile(rb"[a-z0-9]+")
# Scripts written without spaces: each character counts as a word, as is usual for ROUGE in Chinese and Japanese.
_UNSPACED = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_LETTER = r"[\p{L}\p{M}\p{N}]"
_WORD = regex.compile(rf"[{_LETTER}&&{_UNSPACED}]|[{_LETTER}--{_UNSPACED}]+", regex.VERSION1)

Tokenizer = Callable[[str, int | None], list[str]]


def perl_tokens(text: str, limit_bytes: int | None = None) -> list[str]:
    """The words that ROUGE-1.5.5 sees in a text, cut at a number of bytes as its option `-b` does.

    >>> perl_tokens("U.S. stocks fall 3.5% in café")
    ['u', 's', 'stocks', 'fall', '3', '5', 'in', 'caf']
    >>> perl_tokens("police kill gunman", limit_bytes=14)
    ['police', 'kill', 'gu']
    """
    raw = text.encode("utf-8", "surrogatepass").lower()  # bytes.lower() changes A-Z alone, as Perl's tr/A-Z/a-z/
    return [word.decode("ascii") for word in _ASCII_WORD.findall(raw[:limit_bytes])]


def unicode_tokens(text: str, limit_bytes: int | None = None) -> list[str]:
    """The words of a text in any script: runs of letters, marks and digits, Chinese and Japanese by character.

    >>> unicode_tokens("Café 3.5% Ünlü 東京")
    ['café', '3', '5', 'ünlü', '東', '京']
    """
    cut = text.encode("utf-8", "surrogatepass")[:limit_bytes].decode("utf-8", "ignore")
    words: list[str] = _WORD.findall(unicodedata.normalize("NFC", cut).casefold())
    return words


TOKENIZERS: dict[str, Tokenizer] = {"perl": perl_tokens, "unicode": unicode_tokens}


@cache
def irregular_forms() -> dict[str, str]:
    """Irregular forms with their base form, from WordNet's exception lists, as ROUGE-1.5.5 looks them up.

    >>> irregular_forms()["taken"], irregular_forms()["crises"]
    ('take', 'crisis')
    """
    text = Path(__file__).with_name("wordnet_exceptions.txt").read_text(encoding="utf-8")
    pairs = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {form: base for form, base in pairs}  # noqa: C416 (dict(pairs) is untyped)


@cache
def stem(word: str) -> str:
    """The stem of one word: an irregular form's base, else what the Porter stemmer leaves; short words stay.

    >>> [stem(word) for word in ["attacks", "killed", "sought", "was", "ünlü"]]
    ['attack', 'kill', 'seek', 'was', 'ünlü']

    As in the Perl program, a base form is not stemmed again, so "denied" (deny) and "denies" (deni) differ.
    """
    base = irregular_forms().get(word) if len(word) > 3 else None
    return base or porter_stem(word)


@cache
def porter_stem(word: str) -> str:
    """The stem of one word by the Porter stemmer alone: what the Perl program does where its WordNet lists are missing.

    >>> porter_stem("killed"), porter_stem("sought")
    ('kill', 'sought')
    """
    return _porter()(word) if len(word) > 3 and word.isascii() else word


@cache
def _porter() -> Callable[[str], str]:
    try:
        from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise missing_extra("eval", "nltk") from None
    # The Perl program has the two rules that Porter added later (-logi, -bli), and none of NLTK's own, which
    # rouge-score uses: with those "says" becomes "say" like "said", where the Perl program has "sai".
    stemmer: Callable[[str], str] = PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS).stem
    return stemmer


STEMMERS: dict[str, Callable[[str], str]] = {"porter+wordnet": stem, "porter": porter_stem, "no": str}
