"""Stage 3: which words deny, and which words must not be kept without them. Not in the paper.

"The minister did not resign" must not become "minister did resign". So the word that a negation governs needs it: the
head of a "not", the noun after "no", what somebody denies. The tree says which word that is, as the parser's best
guess, however sure it is; without a tree it is the next content word. The lists are English.
"""

from __future__ import annotations

import itertools

import numpy as np

from tersely.scoring.english import TURNING
from tersely.scoring.tree import Tree
from tersely.source import IntArray, Source
from tersely.text import Word

# Verbs whose object is what did not happen.
DENYING = frozenset(
    "deny denies denied denying denial reject rejects rejected rejecting refuse refuses refused refusing "
    "decline declines declined declining fail fails failed failing lack lacks lacked lacking avoid avoids "
    "avoided prevent prevents prevented cancel cancels canceled cancelled forbid forbids forbade forbidden "
    "prohibit prohibits prohibited dispute disputes disputed dismiss dismisses dismissed abandon abandons "
    "abandoned avert averts averted ban bans banned".split()
)
_GOVERNED = frozenset("obj xcomp ccomp nsubj:pass".split())
_BELOW = frozenset(["xcomp", "acl"])  # "isn't planning to sell", "no evidence that it harms": they are denied as well
_WEAKENED = frozenset("only just merely simply".split())  # "not only safe" is safe
_SCARCE = frozenset(["few", "little"])  # as good as none, but for "a few" and "the little boy"
_ANY = DENYING | _SCARCE | {"yet"} | {word for word, kind in TURNING.items() if kind == "negation"}
_BEFORE_A_NOUN = frozenset("a an the this that these those his her its their my your our very so".split())
_SUBJECT = frozenset(["nsubj", "nsubj:pass"])
_FUNCTION = frozenset(
    "a an the this that these those his her its their my your our any some to of in on at by for from with as be been "
    "being is are was were am do does did done have has had having will would can could may might must shall should "
    "and or but so it he she they we you i there even yet so very too much many more most all every each".split()
)


def is_negation(word: Word) -> bool:
    """Whether a word denies by itself: "not", "didn't", "no", "never", "without".

    >>> from tersely.text import tokenize
    >>> [word.text for word in tokenize("He didn't say that no ship sank without help") if is_negation(word)]
    ["didn't", 'no', 'without']
    """
    return any(TURNING.get(piece) == "negation" for piece in word.pieces)


def negation_needs(source: Source, tree: Tree | None) -> IntArray:
    """The words that are governed by a negation, each with the negation that it needs, (pairs, 2).

    >>> from tersely.text import tokenize
    >>> from tersely.vocab import Vocabulary
    >>> source = Source.of(tokenize("there were no casualties"), Vocabulary.of(["no"]))
    >>> negation_needs(source, None).tolist()
    [[3, 2]]
    """
    if _ANY.isdisjoint(itertools.chain.from_iterable(word.pieces for word in source.words)):  # as in most sentences
        return np.zeros((0, 2), dtype=np.int64)
    pairs = _by_tree(source, tree) if tree is not None else _by_order(source)
    return np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)


def _denies(source: Source, i: int) -> bool:
    """Whether a word denies where it stands: "yet" does in "has yet to pay", "not" does not in "not only"."""
    before, word, after = (_last_piece(source, j) for j in (i - 1, i, i + 1))
    if word == "yet":
        return after == "to"
    if word in _SCARCE:
        return before not in _BEFORE_A_NOUN
    return is_negation(source.words[i]) and after not in _WEAKENED


def _last_piece(source: Source, i: int) -> str:
    return source.words[i].pieces[-1] if 0 <= i < len(source) else ""


def _weakened(source: Source) -> list[tuple[int, int]]:
    """A "not" that is followed by "only" needs it."""
    found = [i for i in range(len(source) - 1) if is_negation(source.words[i])]
    return [(i, i + 1) for i in found if _last_piece(source, i + 1) in _WEAKENED]


def _by_tree(source: Source, tree: Tree) -> list[tuple[int, int]]:
    pairs = _weakened(source)
    heads = source.heads(tree.heads, tree.relations)
    for i, (head, label) in enumerate(heads):
        if _denies(source, i) and head >= 0 and label != "conj":
            pairs.append((head, i))
            if heads[head][1] in _SUBJECT and heads[head][0] >= 0:  # "neither side accepted"
                pairs.append((heads[head][0], i))
        if label in _GOVERNED and head >= 0 and DENYING.intersection(source.words[head].pieces):
            pairs.append((i, head))
    below = [(i, head) for i, (head, label) in enumerate(heads) if label in _BELOW and head >= 0]
    for governed, denying in pairs:  # grows while it is read: a clause may hang on a clause
        pairs += [(i, denying) for i, head in below if head == governed and i != denying and (i, denying) not in pairs]
    return pairs


def _by_order(source: Source) -> list[tuple[int, int]]:
    pairs = _weakened(source)
    for i, word in enumerate(source.words):
        if _denies(source, i) or DENYING.intersection(word.pieces):
            content = (j for j in range(i + 1, len(source)) if not _FUNCTION.issuperset(source.words[j].pieces))
            pairs += [(j, i) for j in (next(content, None),) if j is not None]
    return pairs
