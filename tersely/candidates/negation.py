"""Stage 3: negations, and the words that must not be kept without them. Not in the paper.

"The minister did not resign" must not become "minister did resign". So a word needs the negation that governs it: the
head of a "not", the noun after "no", the object of "denies", what somebody does not believe. The best tree of the
parser says which word that is, whatever its probability. Without a tree it is the next content word. The words are in
the lists of the language.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray

Pair = tuple[int, int]

_OBJECTS = frozenset("obj xcomp ccomp nsubj:pass".split())  # what a verb such as "deny" denies
_ADJUNCTS = frozenset("obl advcl nmod".split())  # "barred from leaving", "no sign of life"
# Below a denied word they are denied: "no evidence that it harms".
_CLAUSES = frozenset("ccomp xcomp acl acl:relcl".split())
_SUBJECTS = frozenset(["nsubj", "nsubj:pass"])
# Words whose head is denied with them: "neither side accepted", "found no arms".
_PASSING = _SUBJECTS | {"advmod", "obj"}


def negation_needs(sentence: Sentence) -> IntArray:
    """The words that a negation governs, each with that negation, (pairs, 2).

    >>> from tersely.sentence.language import Language
    >>> from tersely.text.vocabulary import Vocabulary
    >>> from tersely.text.words import tokenize
    >>> language = Language({"negation": frozenset(["no"])})
    >>> sentence = Sentence.of(tokenize("there were no casualties"), Vocabulary.of([]), language=language)
    >>> negation_needs(sentence).tolist()
    [[3, 2]]
    """
    if not sentence.among("negation", "denying", "untrue", "scarce", "yet").any():  # most sentences
        return np.zeros((0, 2), dtype=np.int64)
    pairs = _weakened(sentence) + _after_asides(sentence)
    pairs += _by_order(sentence) if sentence.heads is None else _by_tree(sentence, sentence.heads)
    return np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)


def _denies(sentence: Sentence) -> BoolArray:
    """Which words deny in their context: "yet" does in "has yet to pay", "not" does not in "not only"."""
    found = sentence.among("negation") & ~_before(sentence.among("weakening"))
    found |= sentence.among("scarce") & ~_after(sentence.among("before-nouns"))  # except in "a few", "the little boy"
    return found | _yet_to(sentence)


def _yet_to(sentence: Sentence) -> BoolArray:
    """Which words are the "yet" of "has yet to pay"."""
    return sentence.among("yet") & _before(sentence.among("infinitive"))


def _before(words: BoolArray) -> BoolArray:
    """Which words stand directly before one of these."""
    return np.append(words[1:], False)


def _after(words: BoolArray) -> BoolArray:
    """Which words stand directly after one of these."""
    return np.append(False, words[:-1])


def _weakened(sentence: Sentence) -> list[Pair]:
    """The pairs of a "not" and the "only" after it, which need each other."""
    found = np.flatnonzero(sentence.among("negation") & _before(sentence.among("weakening"))).tolist()
    return [pair for i in found for pair in ((i, i + 1), (i + 1, i))]


def _after_asides(sentence: Sentence) -> list[Pair]:
    """The pairs of what comes after an aside and the negation before it: "did not, in spite of all, free".

    It is the next content word; after "it is not true, he said, that ..." it is every one.
    """
    stretches, content = sentence.stretches, np.flatnonzero(~sentence.among("function"))
    opinion, opener = sentence.among("opinion"), sentence.among("clause-openers")
    pairs: list[Pair] = []
    for i in np.flatnonzero(sentence.among("denying-a-verb")).tolist():
        last = i + 1 if _before(opinion)[i] else i
        after = np.flatnonzero(stretches == stretches[last] + 2)
        if len(after) and stretches[last + 1] > stretches[last]:
            found = content[stretches[content] == stretches[after[0]]].tolist()
            pairs += [(j, i) for j in (found if last > i and opener[after[0]] else found[:1] if last == i else [])]
    return pairs


def _by_tree(sentence: Sentence, heads: Sequence[tuple[int, str]]) -> list[Pair]:
    denies, denying, untrue = _denies(sentence), sentence.among("denying"), sentence.among("untrue")
    led = {heads[i][0]: i for i in np.flatnonzero(sentence.among("away")).tolist()}  # "from leaving"
    clausal = {head for head, label in heads if label in ("acl", "acl:relcl", "ccomp", "mark")}
    pairs: list[Pair] = []
    for i, (head, label) in enumerate(heads):
        if head < 0:
            continue
        if denies[i] and label != "conj":
            pairs.append((head, i))
            if heads[head][1] in _PASSING and heads[head][0] >= 0:
                pairs.append((heads[head][0], i))
        objects = label in _OBJECTS or (label in _ADJUNCTS and i in led)
        if objects and (denying[head] or denies[head]):  # "denies paying", "yet to pay"
            pairs.append((i, head))
        before = led.get(i, 0) - 1
        if label in _ADJUNCTS and before >= 0 and denying[before]:  # "stopped short of calling", whatever its head
            pairs.append((i, before))
        if untrue[head] and (label in _CLAUSES or (label in _SUBJECTS and i in clausal)):
            pairs.append((i, head))
    first = np.flatnonzero(_before(~sentence.among("function")) & sentence.among("denying-a-verb")).tolist()
    pairs += [(i + 1, i) for i in first]
    # "Yet to endorse", whatever the parser takes "yet" to depend on.
    pairs += [(heads[i + 1][0], i) for i in np.flatnonzero(_yet_to(sentence)).tolist() if heads[i + 1][0] >= 0]
    return _with_below(sentence, heads, pairs)


def _with_below(sentence: Sentence, heads: Sequence[tuple[int, str]], pairs: list[Pair]) -> list[Pair]:
    """The pairs, and those of the words that are denied because they complete a denied word."""
    of, opinion = sentence.among("of"), sentence.among("opinion")
    views = {i for i, (head, label) in enumerate(heads) if label == "advcl" and opinion[head]}  # "regard it as safe"
    parts = {head for i, (head, label) in enumerate(heads) if of[i] and (label != "mark" or head in views)}  # "of life"
    introduced = {head for head, label in heads if label == "mark"}
    opened = {heads[i][0] for i in np.flatnonzero(sentence.among("clause-openers")).tolist()}  # "whether they fled"

    def completes(i: int, head: int, label: str) -> bool:
        clause = label in _CLAUSES or (label in _SUBJECTS and i in introduced) or (label == "advcl" and i in opened)
        part = label in _ADJUNCTS and (i in parts or (label == "nmod" and bool(opinion[head])))
        return clause or part or (label == "conj" and head in parts)

    below: dict[int, list[tuple[int, str]]] = {}
    for i, (head, label) in enumerate(heads):
        if head >= 0 and completes(i, head, label):
            below.setdefault(head, []).append((i, label))
    found, waiting = set(pairs), list(pairs)
    while waiting:  # a clause may depend on a clause
        governed, negation = waiting.pop()
        for i, label in below.get(governed, ()):
            if i != negation:
                verb = [(i, governed)] if label in ("ccomp", "advcl") or label in _SUBJECTS else []
                new = [pair for pair in [(i, negation), *verb] if pair not in found]
                found.update(new)
                waiting += new
    return list(found)


def _by_order(sentence: Sentence) -> list[Pair]:
    """The next content word; and of what is untrue or not believed, or if a clause follows, all up to the next mark."""
    stretches, content = sentence.stretches, np.flatnonzero(~sentence.among("function")).tolist()
    untrue, opinion, opener = (sentence.among(name) for name in ("untrue", "opinion", "clause-openers"))
    pairs: list[Pair] = []
    for i in np.flatnonzero(_denies(sentence) | sentence.among("denying") | untrue).tolist():
        after = [j for j in content if j > i]
        same = [j for j in after if stretches[j] == stretches[i]]
        governed = (opinion | untrue)[same[:1]].any() or opener[i + 1 :][stretches[i + 1 :] == stretches[i]].any()
        pairs += [(j, i) for j in (same if untrue[i] or governed else after[:1])]
    return pairs
