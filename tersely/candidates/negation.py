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
Heads = Sequence[tuple[int, str]]  # of each word, its head and its label

# What a verb such as "deny" denies, or a noun: "the refusal to pay".
_OBJECTS = frozenset("obj xcomp ccomp nsubj:pass acl".split())
_ADJUNCTS = frozenset("obl advcl nmod".split())  # "barred from leaving", "no sign of life"
# Below a denied word they are denied: "no evidence that it harms".
_CLAUSES = frozenset("ccomp xcomp acl acl:relcl".split())
_COMPLEMENTS = _OBJECTS | {"acl:relcl", "advcl"}
_LED = _ADJUNCTS | {"acl"}
_RAISING = frozenset(["ccomp", "xcomp"])
_SUBJECTS = frozenset(["nsubj", "nsubj:pass"])
_INFINITIVES = _SUBJECTS | {"advcl"}  # what the parser may take an infinitive for
_AUXILIARIES = frozenset(["aux", "aux:pass", "cop"])
_DENYING = ("negation", "denying", "untrue", "scarce", "yet", "excluding", "contrast", "against", "too")
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
    if not sentence.among(*_DENYING).any():  # most sentences
        return np.zeros((0, 2), dtype=np.int64)
    pairs = _after_asides(sentence) + _contrasted(sentence)
    if sentence.heads is None:
        pairs += _by_order(sentence)
    else:
        pairs = _with_below(sentence, sentence.heads, pairs + _by_tree(sentence, sentence.heads))
    pairs += _weakened(sentence)
    return np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)


def _denies(sentence: Sentence) -> BoolArray:
    """Which words deny in their context: "yet" does in "has yet to pay", "not" does not in "not only"."""
    found = sentence.among("negation") & ~_before(sentence.among("weakening"))
    # except in "a few", "the little boy"; "very few" denies
    found |= sentence.among("scarce") & ~_after(sentence.among("before-nouns") & ~sentence.among("intensifying"))
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


def _contrasted(sentence: Sentence) -> list[Pair]:
    """The pairs of what is set aside and the words that do so: "rather than repair it", "anything but simple"."""
    content, heads = np.flatnonzero(~sentence.among("function")).tolist(), sentence.heads or ()
    pairs: list[Pair] = []
    for phrase in sentence.phrases(("contrast",)):
        after = [j for j in content if j >= phrase.stop][:1] + [
            head for head, _ in heads[phrase] if head >= phrase.stop
        ]
        pairs += [(j, i) for j in after for i in range(phrase.start, phrase.stop)]
    return pairs


def _by_tree(sentence: Sentence, heads: Heads) -> list[Pair]:
    denies, denying, against = _denies(sentence), sentence.among("denying"), sentence.among("against")
    infinitives = _marked(sentence, heads, "infinitive")
    excluding = denies | denying | sentence.among("excluding")
    led = {heads[i][0]: i for i in np.flatnonzero(sentence.among("away")).tolist()}  # "from leaving"
    pairs: list[Pair] = []
    for i, (head, label) in enumerate(heads):
        if head < 0:
            continue
        if (denies[i] and label != "conj") or (against[i] and label == "mark"):  # "voted against joining"
            pairs.append((head, i))
            if heads[head][1] in _PASSING and heads[head][0] >= 0:
                pairs.append((heads[head][0], i))
        # "denies paying", "yet to pay", "nothing that shows it", "nowhere to be found"
        if (label in _OBJECTS and denying[head]) or (label in _COMPLEMENTS and denies[head]):
            pairs.append((i, head))
        late = label == "acl:relcl" or (label in _INFINITIVES and i in infinitives)
        if late and i > head and denying[head]:  # "failed on Thursday to reach it", "the denial that she knew him"
            pairs.append((i, head))
        if i in led and label in _LED:  # "barred from leaving", "cleared the man of theft"
            verbs = [head, heads[head][0]] if heads[head][1] == "obj" else [head]
            pairs += [(i, verb) for verb in verbs if excluding[verb]]
        before = led.get(i, 0) - 1
        if label in _ADJUNCTS and before >= 0 and denying[before]:  # "stopped short of calling", whatever its head
            pairs.append((i, before))
    pairs += _untrue(sentence, heads) + _too(sentence, heads)
    pairs += _inverted(sentence, heads) + _retracted(sentence, heads)
    first = np.flatnonzero(_before(~sentence.among("function")) & sentence.among("denying-a-verb")).tolist()
    pairs += [(i + 1, i) for i in first]
    # "Yet to endorse", whatever the parser takes "yet" to depend on.
    pairs += [(heads[i + 1][0], i) for i in np.flatnonzero(_yet_to(sentence)).tolist() if heads[i + 1][0] >= 0]
    return pairs


def _untrue(sentence: Sentence, heads: Heads) -> list[Pair]:
    """The pairs of a clause, or a noun with a clause, and the word that calls it untrue."""
    untrue, view = sentence.among("untrue"), sentence.among("opinion", "saying")
    clausal = {head for head, label in heads if label in ("acl", "acl:relcl", "ccomp", "mark")}
    openers = np.flatnonzero(sentence.among("clause-openers")).tolist()
    opened = {heads[i][0] for i in openers if heads[i][1] == "mark"}  # "untrue, and always was, that he fled"
    subjects = {head for head, label in heads if label in _SUBJECTS}
    # "The report that he fled turned out to be false": the subject is that of the verb above.
    raised = {heads[i][0]: i for i in np.flatnonzero(untrue).tolist() if heads[i][1] in _RAISING and i not in subjects}
    pairs: list[Pair] = []
    for i, (head, label) in enumerate(heads):
        if head >= 0 and untrue[head]:  # "wrong if you think"
            subject, adverbial = label in _SUBJECTS and i in clausal, label == "advcl" and bool(view[i])
            pairs += [(i, head)] if label in _CLAUSES or i in opened or subject or adverbial else []
        elif label in _SUBJECTS and i in clausal and raised.get(head, -1) > i:
            pairs.append((i, raised[head]))
    return pairs


def _retracted(sentence: Sentence, heads: Heads) -> list[Pair]:
    """The pairs of a claim and the later word that takes it back: "they say he *fled*, but that is a lie".

    A word alone before the first mark does so as well: "Myth: bats are *blind*".
    """
    untrue, true, contesting = (sentence.among(name) for name in ("untrue", "true", "contesting"))
    claims = [i for i, (_, label) in enumerate(heads) if label == "ccomp"]
    denied = _marked(sentence, heads, "denying-a-verb")
    pairs: list[Pair] = []
    for i in np.flatnonzero(sentence.among("demonstrative")).tolist():
        word, label = heads[i]  # "which is false", "but that is not true", "which he denies"
        false = label in _SUBJECTS and (untrue[word] or (true[word] and word in denied))
        if false or (label == "obj" and contesting[word]):
            pairs += [(claim, word) for claim in claims if claim < i]
    opening = np.flatnonzero((sentence.stretches == sentence.stretches[0]) & ~sentence.among("function")).tolist()
    if len(opening) == 1 and untrue[opening[0]]:
        word = opening[0]
        pairs += [(i, word) for i, (head, _) in enumerate(heads) if i > word and head == word]
        pairs += [(heads[word][0], word)] if heads[word][0] > word else []
    return pairs


def _too(sentence: Sentence, heads: Heads) -> list[Pair]:
    """The pairs of a verb and the "too" of "too weak to walk"."""
    too = {heads[i][0]: i for i in np.flatnonzero(sentence.among("too")).tolist()}
    infinitives = _marked(sentence, heads, "infinitive")
    return [(i, too[head]) for i, (head, _) in enumerate(heads) if i in infinitives and head >= 0 and head in too]


def _marked(sentence: Sentence, heads: Heads, name: str) -> set[int]:
    """The heads of the words of a list: the verb of "to pay", the noun of "of life"."""
    return {heads[i][0] for i in np.flatnonzero(sentence.among(name)).tolist()}


def _inverted(sentence: Sentence, heads: Heads) -> list[Pair]:
    """The pairs of a verb and the negation before its inverted subject: "never in its history has the club *lost*"."""
    denying, stretches, function = np.flatnonzero(_denies(sentence)), sentence.stretches, sentence.among("function")
    introduced = {head for head, label in heads if label == "mark"}
    first: dict[int, int] = {}
    for i, (head, label) in enumerate(heads):
        if label in _AUXILIARIES:
            first.setdefault(head, i)
    # The parser may take the auxiliary for a verb of its own.
    root = next((i for i, (head, _) in enumerate(heads) if head < 0 and function[i]), len(heads))
    pairs: list[Pair] = []
    for subject, (verb, label) in enumerate(heads):
        auxiliary = first.get(verb, root)
        if label in _SUBJECTS and auxiliary < subject < verb and verb not in introduced:
            here = denying[(denying < auxiliary) & (stretches[denying] == stretches[subject])]
            for i in here[-1:].tolist():
                if heads[i][0] < 0 or _depends(heads, i, {verb, auxiliary}):  # not so in "no rush, but could you"
                    pairs.append((verb, i))
                    pairs += [(verb, heads[i][0])] if heads[i][1] == "det" else []  # "at no *time* did they agree"
    return pairs


def _depends(heads: Heads, i: int, words: set[int]) -> bool:
    """Whether a word depends on one of these, by any number of steps."""
    for _ in heads:
        i = heads[i][0]
        if i < 0 or i in words:
            break
    return i in words


def _with_below(sentence: Sentence, heads: Heads, pairs: list[Pair]) -> list[Pair]:
    """The pairs, and those of the words that are denied because they complete a denied word."""
    of, opinion, denying = (sentence.among(name) for name in ("of", "opinion", "denying"))
    views = {i for i, (head, label) in enumerate(heads) if label == "advcl" and opinion[head]}  # "regard it as safe"
    parts = {head for i, (head, label) in enumerate(heads) if of[i] and (label != "mark" or head in views)}  # "of life"
    introduced = {head for head, label in heads if label == "mark"}
    opened = _marked(sentence, heads, "clause-openers")  # "whether they fled"
    # "not interested in selling", "not strong enough to lift it"
    gerunds, infinitives = (_marked(sentence, heads, name) for name in ("gerund-markers", "infinitive"))
    completing = opened | {i for i in gerunds | infinitives if i > heads[i][0]}
    joining = [head for i, (head, label) in enumerate(heads) if sentence.among("or")[i] and label == "cc"]
    either = {heads[i][0] for i in joining}  # "resign or apologise"
    subjects = {head for head, label in heads if label in _SUBJECTS}

    def completes(i: int, head: int, label: str) -> bool:
        clause = label in _CLAUSES or (label in _SUBJECTS and i in introduced) or (label == "advcl" and i in completing)
        part = label in _ADJUNCTS and (i in parts or (label == "nmod" and bool(opinion[head])))
        both = heads[head][1] in ("obj", "xcomp") and bool(denying[heads[head][0]])  # "denies murder and rape"
        joined = label == "conj" and (head in parts or ((head in either or both) and i not in subjects))
        return clause or part or joined

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
