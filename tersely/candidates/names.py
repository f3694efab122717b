"""Stage 3: which words of a sentence are names, by their capitals and their neighbours. The lists are English."""

from __future__ import annotations

import re

from tersely.sentence.sentence import Sentence
from tersely.text.words import Word

_ENDS_A_SENTENCE = frozenset(".!?")
_CAMEL = re.compile(r"[^\W\d_]*[a-z][A-Z]\w*")
_DATES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep "
    "sept oct nov dec".split()
)
# They begin sentences, and are no name even before one: "The French port", "It's London".
_BEGINNERS = frozenset(
    "a an the this that these those he she it they we you his her its their our my your there here in on at by "
    "for from with after before when while if as but and or so however meanwhile although since during of to into "
    "over under about against between through some many most all no not what who why how where which yet then "
    "still both each every one two three four five six seven eight nine ten new old let do did does is are was "
    "were will would can could should has have had former late only also even just now today yesterday".split()
)


def is_name(sentence: Sentence, i: int) -> bool:
    """Whether a word is a name: in capitals, in camel case, or with a capital that no rule of spelling asks for.

    The first word of a sentence is one if another name follows it, if it is a possessive, or if it has a capital
    elsewhere, too. Days and months are none, but "May" after a name is.
    """
    word = sentence.words[i]
    if word.pieces[0] == "i":
        return False
    if _is_date(word):
        return i > 0 and _touch(sentence, i - 1) and not _is_date(sentence.words[i - 1]) and is_name(sentence, i - 1)
    if _CAMEL.match(word.text) or (word.text.isupper() and sum(char.isalpha() for char in word.text) > 1):
        return True
    if not word.text[:1].isupper():
        return False
    return not _begins(sentence, word) or _is_name_at_first(sentence, i)


def _is_name_at_first(sentence: Sentence, i: int) -> bool:
    word = sentence.words[i]
    if word.pieces[0] in _BEGINNERS:
        return False
    after = sentence.words[i + 1] if i + 1 < len(sentence) and _touch(sentence, i) else None
    followed = after is not None and after.text[:1].isupper() and not _is_date(after)
    again = [other for other in sentence.words[i + 1 :] if other.pieces[0] == word.pieces[0]]
    return followed or word.pieces[-1] == "'s" or any(other.text[:1].isupper() for other in again)


def _is_date(word: Word) -> bool:
    return word.pieces[0].rstrip(".") in _DATES and word.text[:1].isupper()


def _touch(sentence: Sentence, i: int) -> bool:
    """Whether no punctuation stands between word i and the next one."""
    return bool(sentence.stretches[i] == sentence.stretches[i + 1])


def _begins(sentence: Sentence, word: Word) -> bool:
    before = [token for token in sentence.tokens if token.end <= word.start]
    while before and before[-1].punctuation and not _ENDS_A_SENTENCE.intersection(before[-1].text):
        before.pop()  # an opening quote or bracket
    return not before or before[-1].punctuation
