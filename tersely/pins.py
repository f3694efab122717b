"""Stage 5: pins: which words of a source `keep` and `drop` mean.

A wish is a word ("Havre"), a phrase ("no casualties"), one of several equal words ("the#2", the second one), or a kind
of words: "numbers", "names", "negation". A word that occurs several times is kept wherever it stands, if all fit, and
otherwise where it stands first; one with a capital, first as it is spelled ("US" and not "us").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from tersely.errors import InputError, seen
from tersely.length import Budget
from tersely.scoring.negation import is_negation
from tersely.source import BoolArray, Source
from tersely.text import Word, fold, tokenize

_NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen "
    "half third quarter double twice".split()
)
_ENDS_A_SENTENCE = frozenset(".!?")
_NUMBERED = re.compile(r"(.+)#(\d+)", re.DOTALL)


def pins(source: Source, budget: Budget, keep: Sequence[str], drop: Sequence[str]) -> tuple[BoolArray, BoolArray]:
    """The words that must and that must not be in a summary, (n,) each."""
    banned = np.zeros(len(source), dtype=bool)
    for wish in drop:
        for place in _places(source, wish):
            banned[place] = True
    pinned, repeated = np.zeros(len(source), dtype=bool), []
    for wish in keep:
        places = _places(source, wish)
        if not places and wish not in KINDS:
            raise InputError(f"cannot keep {seen(wish)}: {_why_not(source, wish)}")
        if wish != wish.lower():
            places.sort(key=lambda place: " ".join(source.words[i].text for i in place) != wish)
        for place in places if wish in KINDS else places[:1]:
            pinned[place] = True
        repeated += [] if wish in KINDS else [places[1:]]
        _refuse(source, budget, wish, pinned, banned)
    for others in repeated:
        more = pinned.copy()
        for place in others:
            more[place] = True
        if budget.weights[_with_hosts(source, more)].sum() <= budget.limit and not (more & banned).any():
            pinned = more
    return pinned, banned


def wishes(words: Sequence[Word]) -> list[str]:
    """For each word, the wish that means it alone.

    >>> wishes([word for word in tokenize("Cuba said Cuba's ship") if not word.punctuation])
    ['Cuba#1', 'said#1', "Cuba's#1", 'ship#1']
    """
    called: Counter[str] = Counter()
    found = []
    for word in words:
        called.update(_forms(word))
        found.append(f"{word.text}#{called[fold(word.text)]}")
    return found


def _refuse(source: Source, budget: Budget, wish: str, pinned: BoolArray, banned: BoolArray) -> None:
    """Refuse the wish that makes all of them impossible together."""
    for i in np.flatnonzero(pinned & banned):
        raise InputError(f"{seen(source.words[i].text)} cannot be kept and dropped: change keep or drop")
    kept = int(budget.weights[_with_hosts(source, pinned)].sum())
    if kept > budget.limit:
        if budget.unit == "words":
            why = f"{kept} words are to be kept, but the summary has only {budget.limit}"
        else:
            limit = f"{budget.limit - budget.spare} {budget.unit}"
            why = f"what is to be kept takes up to {kept - budget.spare}, but the limit is {limit}"
        raise InputError(f"cannot keep {seen(wish)}: {why}")


def _with_hosts(source: Source, pinned: BoolArray) -> BoolArray:
    """The pinned words, and those that they cannot stand without."""
    found = pinned.copy()
    for _ in range(len(source.needs)):
        found[source.needs[found[source.needs[:, 0]], 1]] = True
    return found


def _places(source: Source, wish: str) -> list[list[int]]:
    """Where the words of a wish stand: the positions of each place."""
    if wish in KINDS:
        return [[i] for i in range(len(source)) if KINDS[wish](source, i)]
    for words in _readings(wish):
        if found := _occurrences(source, words):
            return found
    if match := _NUMBERED.fullmatch(wish):
        found, number = _places(source, match[1]) if match[1] not in KINDS else _word(source, match[1]), int(match[2])
        return found[number - 1 : number] if number else []
    return []


def _word(source: Source, word: str) -> list[list[int]]:
    return _occurrences(source, [fold(word)])


def _readings(wish: str) -> list[list[str]]:
    """A wish as one word, as words between spaces, and as the words of a text."""
    read = [token.text for token in tokenize(wish) if not token.punctuation]
    return [[fold(wish)], [fold(part) for part in wish.split()], [fold(part) for part in read]]


def _occurrences(source: Source, words: Sequence[str]) -> list[list[int]]:
    forms = [_forms(word) for word in source.words]
    return [
        list(range(i, i + len(words)))
        for i in range(len(source) - len(words) + 1 if words else 0)
        if all(word in form for word, form in zip(words, forms[i:], strict=False))
    ]


def _forms(word: Word) -> set[str]:
    """How a word may be called: whatever its case; "Cuba's" is also "Cuba"."""
    return {fold(word.text), fold(word.text).removesuffix("".join(word.pieces[1:]))}


def _why_not(source: Source, wish: str) -> str:
    if (match := _NUMBERED.fullmatch(wish)) and (found := _places(source, match[1])):
        return f"{seen(match[1])} is there {len(found)} time{'s' * (len(found) > 1)}"
    if len(wish.split()) > 1:
        return "these words do not stand in the text one after the other"
    return "it is not a word of the text"


def _is_number(source: Source, i: int) -> bool:
    word = source.words[i]
    return any(char.isdigit() or char == "#" for char in word.text) or not _NUMBER_WORDS.isdisjoint(word.pieces)


def _is_name(source: Source, i: int) -> bool:
    """Whether a word is all capitals, or begins with one and does not begin a sentence."""
    word = source.words[i]
    if word.pieces[0] == "i":
        return False
    if word.text.isupper() and sum(char.isalpha() for char in word.text) > 1:
        return True
    return word.text[:1].isupper() and not _begins(source, word)


def _begins(source: Source, word: Word) -> bool:
    before = [token for token in source.tokens if token.end <= word.start]
    while before and before[-1].punctuation and not _ENDS_A_SENTENCE.intersection(before[-1].text):
        before.pop()  # an opening quote or bracket
    return not before or before[-1].punctuation


KINDS: dict[str, Callable[[Source, int], bool]] = {
    "numbers": _is_number,
    "names": _is_name,
    "negation": lambda source, i: is_negation(source.words[i]),
}
