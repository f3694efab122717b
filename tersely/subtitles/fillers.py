"""Fillers of speech, which go before anything else does: "um", "you know", "I mean", and words said twice.

A filler goes if it is set off, by commas or by the beginning of a sentence: "a kind of cake" is left alone. English.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from tersely.subtitles.markup import Word
from tersely.text.punctuation import capitalized

_SOUNDS = frozenset("um uh er erm uhm umm uhh hmm mm ah".split())  # they go wherever they are
_AT_START = "well so oh okay ok look listen anyway now like see".split()
_ANYWHERE = ["you know", "i mean", "you see", "sort of", "kind of", "like", "well", "you know what i mean"]
_FILLERS = sorted((tuple(phrase.split()) for phrase in {*_AT_START, *_ANYWHERE, *_SOUNDS}), key=len, reverse=True)
_INSIDE = {tuple(phrase.split()) for phrase in _ANYWHERE}
# A comma stays before these: "It was hard, you know, and we were young."
CLAUSE = frozenset("and but or so which i we he she it they you there i'm it's we're".split())
NO_COMMA_AFTER = frozenset(
    "and but or so because that although though if when while until unless since".split()
)  # "and, well, it fits"
_STUTTERED = frozenset("i we he she it they you the a an and but to in for at on of my is was it's i'm".split())
_MARKS = ",.;:?!\u2026-\u2013\u2014\"'\u2019\u201d)"


def without_fillers(words: Sequence[Word], keep: Collection[str] = (), fixed: Set[int] = frozenset()) -> list[Word]:
    """The words without fillers, but for those in `keep`, in small letters, and those at the places `fixed`.

    >>> text = "Well, it was, you know, um, the, the best day, and, I mean, we slept."
    >>> " ".join(word.text for word in without_fillers([Word(word, i) for i, word in enumerate(text.split())]))
    'It was the best day, and we slept.'
    """
    left = list(words)
    for length_of in (_filler, _stutter):
        i = 0
        while i < len(left):
            length = length_of(left, i)
            gone = left[i : i + length]
            stays = any(word.at in fixed or _bare(word) in keep for word in gone)
            if length and not stays and (shorter := _without(left, i, length)):
                left, i = shorter, max(0, i - 1)
            else:
                i += 1
    return left


def _bare(word: Word) -> str:
    return word.text.strip(_MARKS + "\u2018\u201c(").lower().replace("\u2019", "'")


def _end(word: Word) -> str:
    """The mark that a word ends with."""
    return word.text[-1] if word.text[-1] in _MARKS else ""


def _stutter(words: Sequence[Word], i: int) -> int:
    """The number of words, from word i on, that are said again at once: "I, I think", "she was, she was"."""
    for length in (3, 2, 1):
        again = [_bare(word) for word in words[i + length : i + 2 * length]]
        said = words[i : i + length]
        if again != [_bare(word) for word in said] or any(_end(word) for word in said[:-1]):
            continue
        if again[0] in ("it", "you") and i and not _end(words[i - 1]):
            continue  # "I never liked it, it pulls to the left"
        pause = _end(said[-1]) in (",", "-", "\u2014")
        if (length > 1 and pause) or (length == 1 and again[0] in _STUTTERED and (pause or not _end(said[-1]))):
            return length
    return 0


def _filler(words: Sequence[Word], i: int) -> int:
    """The number of words of the filler that begins at word i."""
    starts = i == 0 or _end(words[i - 1]) in (".", "?", "!")
    for phrase in _FILLERS:
        stop = i + len(phrase)
        if tuple(map(_bare, words[i:stop])) != phrase or any(_end(word) for word in words[i : stop - 1]):
            continue
        mark = _end(words[stop - 1])
        inside = phrase in _INSIDE and not starts and _end(words[i - 1]) == ","
        if phrase[0] in _SOUNDS or (mark == "," and (starts or inside)) or (inside and mark in (".", "?")):
            return len(phrase)
    return 0


def _without(words: Sequence[Word], i: int, length: int) -> list[Word]:
    """The words without a filler, with the marks and the capital that are then right; none if nothing is left."""
    before, gone, after = list(words[:i]), words[i : i + length], list(words[i + length :])
    if not before and not after:
        return []
    mark = _end(gone[-1])
    stutter = bool(after) and [_bare(word) for word in gone] == [_bare(word) for word in after[:length]]
    starts = not before or _end(before[-1]) in (".", "?", "!")
    if after and starts and gone[0].text[0].isupper():
        core = after[0].text.rstrip(_MARKS)
        after[0] = after[0]._replace(text=capitalized(core) + after[0].text[len(core) :])
    elif before and not starts and not stutter:
        bare = before[-1].text.rstrip(",")
        if mark in (".", "?", "!") or not after:
            bare += "." if mark == "?" and _bare(gone[0]) == "you" else mark
        elif _bare(before[-1]) == _bare(after[0]):  # "names, I mean, names"
            if before[-1].text[0].isupper():
                after[0] = after[0]._replace(text=capitalized(after[0].text))
            return before[:-1] + after
        elif _end(before[-1]) == "," and (mark != "," or _bare(after[0]) in CLAUSE or _calls(before)):
            bare += "" if _bare(before[-1]) in NO_COMMA_AFTER else ","
        before[-1] = before[-1]._replace(text=bare)
    return before + after


def _calls(words: Sequence[Word]) -> bool:
    """Whether the last of these words is a sentence's first one and calls somebody or answers: "Mum, um, it's gone"."""
    first = len(words) == 1 or _end(words[-2]) in (".", "?", "!")
    return first and _bare(words[-1]) not in CLAUSE | _STUTTERED
