"""Stage 3: negations, and the words that must not be kept without them. Not in the paper.

"The minister did not resign" must not become "minister did resign". So a word needs the negation that governs it: the
head of a "not", the noun after "no", the object of "denies". The best tree of the parser says which word that is,
whatever its probability. Without a tree it is the next content word. The lists are English.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tersely.sentence.english import TURNING, proper_nouns
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import IntArray
from tersely.text.words import Word

# Verbs whose object did not happen.
DENYING = frozenset(
    "deny denies denied denying denial reject rejects rejected rejecting refuse refuses refused refusing "
    "decline declines declined declining fail fails failed failing lack lacks lacked lacking avoid avoids "
    "avoided prevent prevents prevented cancel cancels canceled cancelled forbid forbids forbade forbidden "
    "prohibit prohibits prohibited dispute disputes disputed dismiss dismisses dismissed abandon abandons "
    "abandoned avert averts averted ban bans banned".split()
)
_GOVERNED = frozenset("obj xcomp ccomp nsubj:pass".split())
_BELOW = frozenset(["xcomp", "acl"])  # "isn't planning to sell", "no evidence that it harms": these are denied too
_WEAKENED = frozenset("only just merely simply".split())  # "not only safe" is safe
_SCARCE = frozenset(["few", "little"])  # they deny, except in "a few" and "the little boy"
_DENYING_OR_NEGATION = DENYING | _SCARCE | {"yet"} | {word for word, kind in TURNING.items() if kind == "negation"}
_BEFORE_A_NOUN = frozenset("a an the this that these those his her its their my your our very so".split())
_PASSING = frozenset(["nsubj", "nsubj:pass", "advmod"])  # words whose head is denied with them
_FUNCTION = frozenset(
    "a an the this that these those his her its their my your our any some to of in on at by for from with as be been "
    "being is are was were am do does did done have has had having will would can could may might must shall should "
    "and or but so it he she they we you i there even yet so very too much many more most all every each".split()
)


def is_negation(word: Word) -> bool:
    """Whether a word is a negation by itself: "not", "didn't", "no", "never", "without".

    >>> from tersely.text.words import tokenize
    >>> [word.text for word in tokenize("He didn't say that no ship sank without help") if is_negation(word)]
    ["didn't", 'no', 'without']
    """
    return any(TURNING.get(piece) == "negation" for piece in word.pieces)


def negation_needs(sentence: Sentence) -> IntArray:
    """The words that a negation governs, each with that negation, (pairs, 2).

    >>> from tersely.text.words import tokenize
    >>> from tersely.text.vocabulary import Vocabulary
    >>> sentence = Sentence.of(tokenize("there were no casualties"), Vocabulary.of(["no"]))
    >>> negation_needs(sentence).tolist()
    [[3, 2]]
    """
    pieces = itertools.chain.from_iterable(word.pieces for word in sentence.words)
    if _DENYING_OR_NEGATION.isdisjoint(pieces):  # most sentences
        return np.zeros((0, 2), dtype=np.int64)
    pairs = _by_order(sentence) if sentence.heads is None else _by_tree(sentence, sentence.heads)
    return np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)


def _denies(sentence: Sentence, i: int) -> bool:
    """Whether a word denies in its context: "yet" does in "has yet to pay", "not" does not in "not only"."""
    before, word, after = (_last_piece(sentence, j) for j in (i - 1, i, i + 1))
    if word == "yet":
        return after == "to"
    if word in _SCARCE:
        return before not in _BEFORE_A_NOUN
    return is_negation(sentence.words[i]) and after not in _WEAKENED


def _last_piece(sentence: Sentence, i: int) -> str:
    return sentence.words[i].pieces[-1] if 0 <= i < len(sentence) else ""


def _weakened(sentence: Sentence) -> list[tuple[int, int]]:
    """The pairs of a "not" and the "only" after it, which it needs."""
    found = [i for i in range(len(sentence) - 1) if is_negation(sentence.words[i])]
    return [(i, i + 1) for i in found if _last_piece(sentence, i + 1) in _WEAKENED]


def _by_tree(sentence: Sentence, heads: Sequence[tuple[int, str]]) -> list[tuple[int, int]]:
    pairs = _weakened(sentence)
    for i, (head, label) in enumerate(heads):
        if _denies(sentence, i) and head >= 0 and label != "conj":
            pairs.append((head, i))
            if heads[head][1] in _PASSING and heads[head][0] >= 0:  # "neither side accepted", "no longer shows"
                pairs.append((heads[head][0], i))
        governs = head >= 0 and (DENYING.intersection(sentence.words[head].pieces) or _denies(sentence, head))
        if label in _GOVERNED and governs:  # "denies paying", "yet to pay"
            pairs.append((i, head))
    below = [(i, head) for i, (head, label) in enumerate(heads) if label in _BELOW and head >= 0]
    for governed, denying in pairs:  # grows during the loop: a clause may depend on a clause
        pairs += [(i, denying) for i, head in below if head == governed and i != denying and (i, denying) not in pairs]
    return pairs


def _by_order(sentence: Sentence) -> list[tuple[int, int]]:
    pairs, names = _weakened(sentence), proper_nouns(sentence)
    content = [i for i, word in enumerate(sentence.words) if i in names or not _FUNCTION.issuperset(word.pieces)]
    for i, word in enumerate(sentence.words):
        if _denies(sentence, i) or DENYING.intersection(word.pieces):
            pairs += [(j, i) for j in content if j > i][:1]
    return pairs
