"""Stage 3: pins: the words of a sentence that `keep` and `drop` name.

Each is a list of pin patterns. A pattern is a word ("Havre"), a phrase ("no casualties"), one of several equal words
("the#2", the second one), or a kind of words: "numbers", "names", "negation". If a word occurs several times, all
occurrences are kept if they fit, and otherwise the first. If the pattern has a capital, occurrences in the same case
come first ("US" before "us"). `prefer` is for soft pins: as many of them as fit are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from tersely.candidates.length import Budget
from tersely.candidates.names import is_name
from tersely.candidates.space import closures, refuse_over_limit
from tersely.errors import InputError, short_repr
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray
from tersely.text.words import Word, fold, tokenize

_NUMBERED = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)


def pins(sentence: Sentence, budget: Budget, keep: Sequence[str], drop: Sequence[str]) -> tuple[BoolArray, BoolArray]:
    """The words that must be in a summary and those that must not, (n,) each."""
    banned = np.zeros(len(sentence), dtype=bool)
    for pattern in dict.fromkeys(drop):
        for match in _matches(sentence, pattern):
            banned[match] = True
    pinned, repeated = np.zeros(len(sentence), dtype=bool), []
    for pattern in dict.fromkeys(keep):
        first, others = _first_and_others(sentence, pattern)
        pinned[first] = True
        repeated.append(others)
        _check(sentence, budget, pattern, pinned, banned)
    for others in filter(None, repeated):
        more = pinned.copy()
        more[others] = True
        if budget.exceeded(more) is None and not (more & banned).any():
            pinned = more
    return pinned, banned


def fewest_words(sentence: Sentence, keep: Sequence[str]) -> int:
    """How many words the shortest summary has that keeps what these patterns name, or fewer."""
    pinned = np.zeros(len(sentence), dtype=bool)
    for pattern in dict.fromkeys(keep):
        pinned[_first_and_others(sentence, pattern)[0]] = True
    return int(pinned.sum())


def _first_and_others(sentence: Sentence, pattern: str) -> tuple[list[int], list[int]]:
    """The words that have to be kept for a pattern, and those that are kept as well if there is room."""
    matches = _matches(sentence, pattern)
    if not matches and pattern not in KINDS:
        raise InputError(f"cannot keep {short_repr(pattern)}: {_why_not(sentence, pattern)}")
    if pattern != pattern.lower():
        matches = sorted(matches, key=lambda match: " ".join(sentence.words[i].text for i in match) != pattern)
    n_first = len(matches) if pattern in KINDS else 1
    return _with_hosts(sentence, matches[:n_first]), _with_hosts(sentence, matches[n_first:])


def soft_pins(sentence: Sentence, prefer: Sequence[str]) -> list[BoolArray]:
    """What `prefer` names, (n,) each, best first: in the order of the patterns, then what is higher in the tree.

    Words of a kind that follow each other are one: a name of two words is preferred as a whole.
    """
    depth = _depths(sentence)
    found: list[list[int]] = []
    for pattern in dict.fromkeys(prefer):
        groups: list[list[int]] = []
        for match in _matches(sentence, pattern):
            goes_on = pattern in KINDS and groups and groups[-1][-1] + 1 == match[0]
            if goes_on and sentence.stretches[match[0] - 1] == sentence.stretches[match[0]]:
                groups[-1] += match
            else:
                groups.append(list(match))
        found += sorted(groups, key=lambda group: min(depth[i] for i in group))
    different = dict.fromkeys(map(tuple, found))  # patterns may name the same words
    return [np.isin(np.arange(len(sentence)), group) for group in different]


def _depths(sentence: Sentence) -> list[int]:
    """How far each word is below the root; 0 for all without a tree."""
    if sentence.heads is None:
        return [0] * len(sentence)
    depths = []
    for i in range(len(sentence)):
        depth = 0
        while (head := sentence.heads[i][0]) >= 0 and depth < len(sentence):
            i, depth = head, depth + 1
        depths.append(depth)
    return depths


def pin_patterns(words: Sequence[Word]) -> list[str]:
    """For each word, the pin pattern that matches it and no other word.

    >>> pin_patterns([word for word in tokenize("Cuba said Cuba's ship") if not word.punctuation])
    ['Cuba#1', 'said#1', "Cuba's#1", 'ship#1']
    """
    occurrences: Counter[str] = Counter()
    found = []
    for word in words:
        occurrences.update(_forms(word))
        found.append(f"{word.text}#{occurrences[fold(word.text)]}")
    return found


def pattern_of_each(sentences: Sequence[Sentence], pattern: str) -> list[str]:
    """What a pattern for a whole text is for each of its sentences; "" for one that has no such word.

    Numbers count over the text: its second "the" may be "the#1" of the second sentence.
    """
    if pattern in KINDS:
        return [pattern] * len(sentences)
    found = [pattern if _matches_of_words(sentence, pattern) else "" for sentence in sentences]
    if not any(found) and (numbered := _NUMBERED.fullmatch(pattern)):
        number = int(numbered[2])
        for i, sentence in enumerate(sentences):
            n_here = len(_matches_of_words(sentence, numbered[1]))
            found[i] = f"{numbered[1]}#{number}" if 0 < number <= n_here else ""
            number -= n_here
    return found


def _check(sentence: Sentence, budget: Budget, pattern: str, pinned: BoolArray, banned: BoolArray) -> None:
    """Raise an error if the pins so far are impossible together; it names the last pattern."""
    for i in np.flatnonzero(pinned & banned):
        raise InputError(f"{short_repr(sentence.words[i].text)} cannot be kept and dropped: change keep or drop")
    try:
        refuse_over_limit(budget, pinned)
    except InputError as error:
        raise InputError(f"cannot keep {short_repr(pattern)}: {error}") from None


def _with_hosts(sentence: Sentence, matches: Sequence[Sequence[int]]) -> list[int]:
    """The words of these matches and those that they cannot stand without."""
    needed = sentence.shared("hosts", lambda: closures(len(sentence), sentence.needs))  # there may be many patterns
    return sorted({host for match in matches for i in match for host in needed.get(i, (i,))})


def _matches(sentence: Sentence, pattern: str) -> list[range]:
    """The occurrences of a pattern, each as the positions of its words."""
    if pattern in KINDS:
        return [range(i, i + 1) for i in range(len(sentence)) if KINDS[pattern](sentence, i)]
    found = _matches_of_words(sentence, pattern)
    if not found and (numbered := _NUMBERED.fullmatch(pattern)):
        number = int(numbered[2])
        found = _matches_of_words(sentence, numbered[1])[number - 1 : number] if number else []
    return found


def _matches_of_words(sentence: Sentence, pattern: str) -> list[range]:
    """The occurrences of a pattern that is no kind of words and has no number."""

    def find() -> list[range]:
        return next((found for words in _readings(pattern) if (found := _occurrences(sentence, words))), [])

    return sentence.shared(("matches", pattern), find)  # asked for again for each length, and for each number


def _readings(pattern: str) -> list[list[str]]:
    """A pattern as one word, as words between spaces, and as the words of a text."""
    read = [token.text for token in tokenize(pattern) if not token.punctuation]
    return [[fold(pattern)], [fold(part) for part in pattern.split()], [fold(part) for part in read]]


def _occurrences(sentence: Sentence, words: Sequence[str]) -> list[range]:
    positions = sentence.shared("positions of forms", lambda: _positions(sentence))  # there may be many patterns
    places = [positions.get(word, set()) for word in words]
    return [
        range(i, i + len(words))
        for i in sorted(places[0] if places else ())
        if all(i + k in place for k, place in enumerate(places))
    ]


def _positions(sentence: Sentence) -> dict[str, set[int]]:
    """The positions of the words that each form may name."""
    found: dict[str, set[int]] = {}
    for i, word in enumerate(sentence.words):
        for form in _forms(word):
            found.setdefault(form, set()).add(i)
    return found


def _forms(word: Word) -> set[str]:
    """The forms in which a pattern may name a word: in any case; "Cuba's" also as "Cuba", "workers'" as "workers"."""
    text = fold(word.text)
    return {text, text.removesuffix("".join(word.pieces[1:])), text.rstrip("'") or text}


def _why_not(sentence: Sentence, pattern: str) -> str:
    if (numbered := _NUMBERED.fullmatch(pattern)) and (found := _matches_of_words(sentence, numbered[1])):
        return f"the text has {short_repr(numbered[1])} {len(found)} time{'s' * (len(found) > 1)}"
    if len(pattern.split()) > 1:
        return "these words do not follow each other in the text"
    return "it is not a word of the text"


def _is_number(sentence: Sentence, i: int) -> bool:
    figure = any(char.isdigit() or char == "#" for char in sentence.words[i].text)
    return figure or bool(sentence.among("numbers")[i])


KINDS: dict[str, Callable[[Sentence, int], bool]] = {
    "numbers": _is_number,
    "names": is_name,
    "negation": lambda sentence, i: bool(sentence.among("negation")[i]),
}
