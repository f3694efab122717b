"""Stage 3: which words of a sentence are names, by their capitals and their neighbours.

The language has days, months, and openers: they begin sentences, and are no name even before one ("The French port").
"""

from __future__ import annotations

import re

from tersely.sentence.sentence import Sentence
from tersely.text.words import Word

_ENDS_A_SENTENCE = frozenset(".!?")
_CAMEL = re.compile(r"[^\W\d_]*[a-z][A-Z]\w*")


def is_name(sentence: Sentence, i: int) -> bool:
    """Whether a word is a name: in capitals, in camel case, or with a capital that no rule of spelling asks for.

    The first word of a sentence is one if another name follows it, if it is a possessive, or if it has a capital
    elsewhere, too. Days and months are none, but "May" after a name is.
    """
    word = sentence.words[i]
    if word.pieces[0] == "i":
        return False
    if _is_date(sentence, i):
        return i > 0 and _touch(sentence, i - 1) and not _is_date(sentence, i - 1) and is_name(sentence, i - 1)
    if _CAMEL.match(word.text) or (word.text.isupper() and sum(char.isalpha() for char in word.text) > 1):
        return True
    if not word.text[:1].isupper():
        return False
    return not _begins(sentence, word) or _is_name_at_first(sentence, i)


def _is_name_at_first(sentence: Sentence, i: int) -> bool:
    word = sentence.words[i]
    if word.pieces[0] in sentence.language["openers"]:
        return False
    after = sentence.words[i + 1] if i + 1 < len(sentence) and _touch(sentence, i) else None
    followed = after is not None and after.text[:1].isupper() and not _is_date(sentence, i + 1)
    again = [other for other in sentence.words[i + 1 :] if other.pieces[0] == word.pieces[0]]
    return followed or word.pieces[-1] == "'s" or any(other.text[:1].isupper() for other in again)


def _is_date(sentence: Sentence, i: int) -> bool:
    word = sentence.words[i]
    return word.pieces[0].rstrip(".") in sentence.language.words(("days", "months")) and word.text[:1].isupper()


def _touch(sentence: Sentence, i: int) -> bool:
    """Whether no punctuation stands between word i and the next one."""
    return bool(sentence.stretches[i] == sentence.stretches[i + 1])


def _begins(sentence: Sentence, word: Word) -> bool:
    before = [token for token in sentence.tokens if token.end <= word.start]
    while before and before[-1].punctuation and not _ENDS_A_SENTENCE.intersection(before[-1].text):
        before.pop()  # an opening quote or bracket
    return not before or before[-1].punctuation
