"""Stage 3: what each word of a source needs, by its tree: the kinds of needs, their costs, and the words that matter.

`needs` gives, kind by kind, how sure it is that word i needs word j; the factor `grammar` adds them up. The costs were
chosen by reading summaries without knowing their system, and then as far as ROUGE allows (results/tuning.md). The word
lists are English: for another language the labels alone count.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tersely.scoring.labels import LABELS
from tersely.scoring.tree import Tree
from tersely.source import BoolArray, Source

Costs = NDArray[np.float64]

# The kinds of needs, and what it costs to break one.
COSTS = {
    # a word without its head, by what the word is
    "head of a function word": 1.3,
    "head of a negation": 1.0,  # beside what any such word costs
    "head of a modifier": 1.0,
    "head of a compound": 0.9,
    "head of an argument": 1.6,
    "head of a complement": 2.0,
    "head of an adjunct": 1.5,
    "head of a clause": 2.0,
    "head of a conjunct": 1.9,
    "head of an addition": 1.3,
    # a head without its dependent
    "subject": 1.3,
    "object": 1.8,
    "complement": 2.1,
    "particle": 1.5,
    "marker": 1.3,
    "preposition": 1.8,
    "copula": 0.15,
    "auxiliary": 0.05,
    "auxiliary beside another": 1.6,
    "number": 0.4,
    "number of a unit": 1.5,
    "part of a name": 0.4,
    "part of a place": 1.5,
    "name of a company": 1.0,
    "antecedent": 1.1,
    "and": 1.7,
    "and of clauses": 1.2,  # beside what any "and" costs
    "auxiliary of a pronoun": 1.5,
    "what it is a part of": 0.5,
    "adjunct of a bare verb": 0.8,
    "restriction": 0.5,
    "body of an addition": 1.2,
    # a head without a word that turns its meaning
    "negation": 3.0,
    "hedge": 2.4,
    "connective": 1.6,
    "modal": 0.7,
    "condition": 2.6,
    "degree": 0.5,
    "limit of a negation": 1.5,
    "fixed phrase": 1.5,
    # a summary without what the sentence is about
    "main predicate": 2.4,
}
HEADS = {
    "head of a function word": "det aux aux:pass cop case mark cc nmod:poss compound:prt expl",
    "head of a modifier": "amod nummod advmod",
    "head of a compound": "compound",
    "head of an argument": "nsubj nsubj:pass obj iobj",
    "head of a complement": "xcomp ccomp",
    "head of an adjunct": "obl nmod",
    "head of a clause": "advcl acl acl:relcl",
    "head of a conjunct": "conj",
    "head of an addition": "appos parataxis dep",
}
_DEPENDENTS = {
    "subject": "nsubj nsubj:pass expl",
    "object": "obj",
    "complement": "ccomp xcomp",
    "particle": "compound:prt",
    "marker": "mark",
    "preposition": "case",
    "copula": "cop",
    "auxiliary": "aux aux:pass",
    "number": "nummod",
}
# Words whose loss turns the meaning round, makes a fact of a guess, or a lot of a little.
_TURNING = {
    "negation": "not n't no never nobody none neither nor without hardly nothing nowhere cannot barely scarcely",
    "hedge": "could would may might must should if unless whether allegedly reportedly former ex vice deputy acting "
    "alleged suspected so-called attempted would-be failed fake false possible potential proposed planned "
    "until except instead",
    "connective": "when where why how while because although though whereas",
    "modal": "will can shall",
    "degree": "only almost nearly about half few less fewer least most some likely unlikely",
}
TURNING = {word: kind for kind, words in _TURNING.items() for word in words.split()}
# Verbs whose complement is the news: what was said counts as the main predicate.
SAYING = frozenset(
    "said says say saying reported reports report announced announces told tells added adds warned confirmed confirms "
    "stated states claimed noted explained insisted showed shows argued suggests according".split()
)
_BODY = "amod nummod compound nmod obl obj advcl acl xcomp ccomp"
_PLACE = frozenset("south north east west new united saudi hong los san las sri costa puerto sierra el le la".split())
_CONDITIONS = frozenset("if unless until provided".split())
_COMPANY = frozenset("ltd. ltd inc. inc corp. corp co. co group holdings plc llc company".split())
_PERSONAL = frozenset("i you he she it we they this that there who".split())
_PARTS = frozenset("end half part number lot majority series group pair bit most some one rest side top".split())
_FIXED = frozenset(
    tuple(pair.split())
    for pair in "at least|at most|more than|less than|fewer than|such as|each other|one another|a few|a lot|a little|"
    "up to|no one|even if|only just|because of|out of|rather than|due to|according to|as well|take place".split("|")
)
_SCORE = re.compile("#+[-:]#+")
_PRONOUNS = frozenset("it he she they its his her their him them".split())
_RELATIVE = frozenset("who which that what".split())
_ASKING = frozenset(["whether", "if"])
_OPTIONAL = frozenset(["that"])  # "said that it would": nobody misses it
# Kinds that are not weighed but kept, where the parser is as sure as this.
HARD = ("negation", "number of a unit")
SURE = 0.9
_UNITS = frozenset(
    "hundred thousand million billion trillion percent dozen january february march april june july august september "
    "october november december".split()
)


def _columns(names: str) -> list[int]:
    return [LABELS.index(name) for name in names.split()]


def needs(source: Source, tree: Tree) -> Iterator[tuple[str, Costs]]:
    """The needs of a source's words kind by kind: how sure it is that word i needs word j, (n, n)."""
    heads, labels, roots = _of_words(source, tree)
    turning = _turning(source)
    said = _said(source, heads, labels, roots)
    for kind, names in HEADS.items():
        need = (heads - said) * labels[:, _columns(names)].sum(axis=1, keepdims=True)
        if kind == "head of a function word":  # "that" needs the verb of saying, too
            need += (heads * labels[:, _columns("mark")]) @ said
        yield kind, need
    yield "head of a negation", heads * (turning == "negation")[:, None]
    plain = ((turning == "") & ~_among(source, _OPTIONAL))[:, None]  # those that turn the meaning have their own cost
    for kind, names in _DEPENDENTS.items():
        need = heads * labels[:, _columns(names)].sum(axis=1, keepdims=True)
        if kind == "object":
            need = need * _unmarked(source)  # "raised rates, its third increase": the second one is an addition
        yield kind, (need * plain if kind in ("marker", "auxiliary") else need).T
    verbal = labels[:, _columns("conj acl advcl ccomp xcomp")].sum(axis=1, keepdims=True)  # "a man suspected of"
    for kind in _TURNING:
        yield kind, (heads * (turning == kind)[:, None] * (1 - verbal)).T
    helper = heads * labels[:, _columns("aux aux:pass cop")].sum(axis=1, keepdims=True) * plain
    beside = heads * (labels[:, _columns("aux aux:pass cop mark")].sum(axis=1) + (turning == "negation"))[:, None]
    yield "auxiliary beside another", (helper * np.minimum(beside.sum(axis=0) - beside, 1)).T
    number = heads * labels[:, _columns("nummod compound")].sum(axis=1, keepdims=True)
    unit = np.array([word.pieces[-1] in _UNITS for word in source.words])
    after = np.eye(len(source), k=-1) * labels[:, _columns("nummod")]  # "Gate 22", "section four"
    yield "number of a unit", (number * np.maximum(unit, after)).T
    capital = np.array([word.text[:1].isupper() for word in source.words])
    yield "part of a name", (heads * labels[:, _columns("compound")] * (capital[:, None] & capital)).T
    next_to = np.eye(len(source), k=1, dtype=bool)
    yield "part of a place", (heads * (_among(source, _PLACE)[:, None] & next_to)).T
    conditional = np.clip(_among(source, _CONDITIONS) @ (heads * labels[:, _columns("mark")]), 0, 1)
    yield "condition", (heads * labels[:, _columns("advcl")] * conditional[:, None]).T
    negated = np.clip((turning == "negation") @ heads, 0, 1)
    limit = heads * labels[:, _columns("obl advcl advmod")].sum(axis=1, keepdims=True) * negated  # "not back before 7"
    of_object = heads * labels[:, _columns("nummod amod nmod acl")].sum(axis=1, keepdims=True) * (heads @ negated)
    yield "limit of a negation", (0.7 * limit + of_object).T  # "no more than eight tablets"
    yield "fixed phrase", _fixed(source)
    company = _among(source, _COMPANY)
    yield "name of a company", (heads * labels[:, _columns("compound")] * company).T
    yield "antecedent", _antecedents(source, labels)
    conjunct, joining = heads * labels[:, _columns("conj")], heads * labels[:, _columns("cc")]
    joined = conjunct @ (joining @ conjunct).T  # the "and" of the list, wherever in it the conjunct stands
    yield "and", joined * np.where(_unmarked(source), 1, 0.4)  # a comma does as well, where one stands
    clause = labels[:, _columns("root ccomp xcomp advcl acl acl:relcl parataxis")].sum(axis=1)
    yield "and of clauses", (conjunct * clause) @ (joining @ conjunct).T
    spoken = np.clip(
        (_among(source, _PERSONAL) * labels[:, _columns("nsubj nsubj:pass expl")].sum(axis=1)) @ heads, 0, 1
    )
    yield "auxiliary of a pronoun", (helper * spoken).T
    of = np.clip(_among(source, frozenset(["of"])) @ heads, 0, 1)
    part = 1 + _among(source, _PARTS)  # any noun a little, "end" and "half" twice as much
    yield "what it is a part of", (heads * (labels[:, _columns("nmod")] * of[:, None]) * part).T
    yield "adjunct of a bare verb", _first_adjuncts(heads, labels)
    apart = labels[:, _columns("obj")].sum(axis=1) * (heads * ~_unmarked(source)).sum(axis=1)
    addition, body = labels[:, _columns("appos acl")].sum(axis=1) + apart, labels[:, _columns(_BODY)].sum(axis=1)
    yield "body of an addition", (heads * body[:, None] * addition).T  # "rates rose, increase" without its "third"
    yield "restriction", (heads * labels[:, _columns("acl:relcl")] * _unmarked(source)).T


def _fixed(source: Source) -> Costs:
    """Neighbours that mean nothing, or something else, alone: "at least", and the sets of a score, (n, n)."""
    found = np.zeros((len(source), len(source)))
    for i, (word, after) in enumerate(itertools.pairwise(source.words)):
        pair = (word.pieces[-1], after.pieces[0])
        if pair in _FIXED or all(_SCORE.fullmatch(piece) for piece in pair):
            found[i, i + 1] = found[i + 1, i] = 1
    return found


def _first_adjuncts(heads: Costs, labels: Costs) -> Costs:
    """The first adjunct after a verb that has a subject or is a clause of its own, but no object, (n, n)."""
    found = np.zeros_like(heads)
    verb = np.clip(labels[:, _columns("nsubj nsubj:pass mark")].sum(axis=1) @ heads, 0, 1)
    filled = np.clip(labels[:, _columns("obj xcomp ccomp cop")].sum(axis=1) @ heads, 0, 1)
    adjunct = heads * labels[:, _columns("obl advmod compound:prt")].sum(axis=1, keepdims=True)
    for j in np.flatnonzero(verb * (1 - filled) > 0.5):
        after = np.flatnonzero(adjunct[j + 1 :, j] > 0.5)
        if len(after):
            found[j, j + 1 + after[0]] = verb[j] * (1 - filled[j])
    return found


def _unmarked(source: Source) -> BoolArray:
    """Whether no mark stands between two words, (n, n): a clause after a comma is an aside, one without it is not."""
    return np.asarray(source.stretches[:, None] == source.stretches)


def _antecedents(source: Source, labels: Costs) -> Costs:
    """What a pronoun stands for, as a guess: the nearest subject before it that is not a pronoun, (n, n)."""
    pronoun = _among(source, _PRONOUNS)
    subject = labels[:, _columns("nsubj nsubj:pass")].sum(axis=1) * ~_among(source, _PRONOUNS | _RELATIVE)
    found = np.zeros((len(source), len(source)))
    for i in np.flatnonzero(pronoun):
        before = np.flatnonzero(subject[:i] > SURE)
        if len(before):
            found[i, before[-1]] = subject[before[-1]]
    return found


def main_predicate(source: Source, tree: Tree) -> Costs:
    """How sure it is that each word is the main predicate, (n,); what was said goes before the verb of saying."""
    heads, labels, roots = _of_words(source, tree)
    said = _said(source, heads, labels, roots)
    main = roots - said.sum(axis=0).clip(max=roots) + said.sum(axis=1)
    return np.asarray(main / max(main.sum(), 1.0))


def _of_words(source: Source, tree: Tree) -> tuple[Costs, Costs, Costs]:
    """The probabilities of heads, (n, n), of labels, (n, labels), and of being a root, (n,), without punctuation."""
    words = np.flatnonzero([not token.punctuation for token in source.tokens])
    heads = tree.probabilities[np.ix_(words, words)].astype(np.float64)
    roots = np.diagonal(heads).copy()
    np.fill_diagonal(heads, 0)
    return heads, tree.label_probabilities[words].astype(np.float64), roots


def _turning(source: Source) -> NDArray[np.str_]:
    """In which way each word turns the meaning of its head, mostly none."""
    pieces = [word.pieces for word in source.words]
    kinds = [next((TURNING[piece] for piece in word if piece in TURNING), "") for word in pieces]
    for i in range(1, len(kinds)):
        if pieces[i][0] in ("longer", "more") and pieces[i - 1][-1] == "no":  # "no longer" denies as one word does
            kinds[i] = "negation"
    return np.array(kinds)


def _said(source: Source, heads: Costs, labels: Costs, roots: Costs) -> Costs:
    """How sure it is that word i is what was said by word j, (n, n).

    Only the verb of the whole sentence counts, and not one that is denied or doubted ("would not say whether").
    """
    saying = _among(source, SAYING) * roots * np.clip(1 - (_turning(source) != "") @ heads, 0, 1)
    asked = np.clip(_among(source, _ASKING) @ heads, 0, 1)
    return np.asarray(heads * saying * (labels[:, _columns("ccomp parataxis")].sum(axis=1) * (1 - asked))[:, None])


def _among(source: Source, words: frozenset[str]) -> BoolArray:
    return np.array([any(piece in words for piece in word.pieces) for word in source.words])
