"""Stage 4: what each word of a source needs, by its tree, kind by kind.

`needs` gives, kind by kind, how sure it is that word i needs word j; the factor `grammar` weighs them by their costs
(`costs.py`) and adds them up.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.hard_needs import SURE, number_units
from tersely.sentence import english
from tersely.sentence.dependencies import Dependencies
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray

Costs = NDArray[np.float64]

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
_BEFORE = "det amod nummod compound nmod:poss case mark cc aux aux:pass cop nsubj nsubj:pass advmod"
_BODY = "amod nummod compound nmod obl obj advcl acl xcomp ccomp"
_SCORE = re.compile("#+[-:]#+")
_BOUND = 0.4  # of a fixed phrase: how much a number needs what bounds it, or what it is counted by


@dataclass(frozen=True, eq=False)
class Parsed(Dependencies):
    """The dependencies of a sentence, and what the needs ask of them more than once."""

    sentence: Sentence = field(kw_only=True)

    @classmethod
    def by_tree(cls, sentence: Sentence) -> Parsed:
        of = sentence.dependencies
        return cls(of.words, of.heads, of.labels, of.roots, sentence=sentence)

    @cached_property
    def unmarked(self) -> BoolArray:
        """Whether no mark stands between two words, (n, n): a clause after a comma is an aside, one without is not."""
        return np.asarray(self.sentence.stretches[:, None] == self.sentence.stretches)

    @cached_property
    def turning(self) -> NDArray[np.str_]:
        """In which way each word turns the meaning of its head, mostly none."""
        pieces = [word.pieces for word in self.sentence.words]
        kinds = [next((english.TURNING[piece] for piece in word if piece in english.TURNING), "") for word in pieces]
        for i in english.proper_nouns(self.sentence):
            kinds[i] = ""
        for i in range(1, len(kinds)):
            if pieces[i][0] in ("longer", "more") and pieces[i - 1][-1] == "no":  # "no longer" denies as one word does
                kinds[i] = "negation"
        return np.array(kinds)

    @cached_property
    def said(self) -> Costs:
        """How sure it is that word i is what was said by word j, (n, n).

        Only the verb of the whole sentence counts, with polite words before it or without, and not one that is denied
        or doubted ("would not say whether").
        """
        first, polite = self.roots, self.among(english.POLITE)
        if polite.any():
            for _ in range(2):  # "writing to let you know"
                first = np.maximum(first, self.depends("xcomp ccomp advcl acl") @ (first * polite))
        saying = self.among(english.SAYING) * first * (1 - self.has_dependent(self.turning != ""))
        return (
            self.depends("ccomp parataxis acl") * saying * (1 - self.has_dependent(self.among(english.ASKING)))[:, None]
        )

    @cached_property
    def main_predicate(self) -> Costs:
        """How sure it is that each word is the main predicate, (n,); what was said goes before the verb of saying."""
        main = self.roots * (1 - min(1.0, self.said.sum())) + self.said.sum(axis=1)
        return np.asarray(main / max(main.sum(), 1.0))

    @cached_property
    def waiting(self) -> Costs:
        """How sure it is that the head of each word comes after it, (n,): "aide" before "said", "my" before "car"."""
        return np.asarray(np.triu(self.depends(_BEFORE), k=1).sum(axis=1))

    @cached_property
    def going_on(self) -> Costs:
        """How sure it is that each word joins what comes after it to something before it, (n,): "of", "and"."""
        before = np.tril(self.heads, k=-1).sum(axis=1)
        return np.asarray(np.triu(self.depends("case mark cc"), k=1) @ before)

    @cached_property
    def second(self) -> Costs:
        """How sure it is that word i is the predicate of a clause that stands beside that of the main predicate j."""
        own_subject = self.has_dependent(self.has_label("nsubj nsubj:pass"))
        return np.asarray(self.depends("conj") * own_subject[:, None] * self.main_predicate)


def needs(parsed: Parsed) -> Iterator[tuple[str, Costs]]:
    """The needs of a source's words kind by kind: how sure it is that word i needs word j, (n, n).

    Kinds that ask for words by name are left out where no such word is there.
    """
    yield from _of_heads(parsed)
    yield from _of_dependents(parsed)
    yield from _of_meaning(parsed)
    yield from _of_phrases(parsed)


def _of_heads(of: Parsed) -> Iterator[tuple[str, Costs]]:
    """What a word hangs on."""
    for kind, names in HEADS.items():
        need = (of.heads - of.said) * of.has_label(names)[:, None]
        if kind == "head of a function word":  # "that" needs the verb of saying, too
            need += of.depends("mark") @ of.said
        elif kind == "head of a conjunct":
            need -= of.second
        yield kind, need
    possessive = of.among(english.POSSESSIVE)  # a word with it, or the word before it where the text was tokenised once
    yield "head of a possessor", of.depends("nmod:poss") * np.maximum(possessive, of.has_dependent(possessive))[:, None]
    yield "head of a negation", of.heads * (of.turning == "negation")[:, None]
    saying = of.among(english.SAYING)
    if saying.any():  # "..., an aide to the president said": nothing of this without "said"
        speaker = of.depends("nsubj") * saying
        yield "verb of a speaker", speaker + of.depends("compound amod appos nmod") @ speaker


def _of_dependents(of: Parsed) -> Iterator[tuple[str, Costs]]:
    """What hangs on a word and completes it."""
    plain = ((of.turning == "") & ~of.among(english.OPTIONAL))[
        :, None
    ]  # those that turn the meaning have their own cost
    for kind, names in _DEPENDENTS.items():
        need = of.depends(names)
        if kind == "object":  # "raised rates, its third increase": the second one is an addition
            second = np.minimum((need * of.unmarked).sum(axis=0), 1)
            need = need * np.where(of.unmarked, 1, 1 - second)
        yield kind, (need * plain if kind in ("marker", "auxiliary") else need).T
    yield "both sides of a preposition", of.depends("case") @ of.depends("nmod obl")  # else it joins what it should not
    yield "preposition of an addition", of.depends("appos") @ of.depends("case").T
    helper = of.depends("aux aux:pass cop")
    yield "subject of a helper", helper @ of.depends("nsubj nsubj:pass expl").T  # "will be sold at auction": what?
    helper = helper * plain
    beside = of.heads * (of.has_label("aux aux:pass cop mark") + (of.turning == "negation"))[:, None]
    yield "auxiliary beside another", (helper * np.minimum(beside.sum(axis=0) - beside, 1)).T
    yield (
        "auxiliary of a pronoun",
        (helper * of.has_dependent(of.among(english.PERSONAL) * of.has_label("nsubj nsubj:pass expl"))).T,
    )
    if of.sentence.tokens[-1].text == "?":
        yield "auxiliary of a question", helper.T
        relative = of.heads @ of.has_label("acl:relcl")  # "who" in "anyone who knows?" does not ask
        yield "word of a question", of.main_predicate[:, None] * (of.among(english.QUESTION) * (1 - relative))
    participle, bare, denied = (of.among(words) for words in (english.PARTICIPLES, english.BARE, frozenset(["not"])))
    if participle.any():
        yield "auxiliary of a participle", (of.depends("aux") * of.among(english.HAVE)[:, None] * participle).T
    if bare.any() or denied.any():
        helping = of.depends("aux aux:pass mark") * ~of.among(english.OPTIONAL)[:, None]
        # "Been" with the "has" before it, of the same verb or, where it is the verb itself, its own; "has" with "been".
        siblings = of.depends("aux aux:pass cop") @ helping.T * np.tri(len(helping), k=-1) * bare[:, None]
        denying = (of.heads * denied[:, None]) @ of.depends("aux aux:pass").T  # "will not", no "not fall"
        yield "helper of a helper", siblings + siblings.T + helping.T * bare[:, None] + denying
    conjunct, joining = of.depends("conj"), of.depends("cc")
    joined = conjunct @ (joining @ conjunct).T  # the "and" of the list, wherever in it the conjunct stands
    yield "and", joined * np.where(of.unmarked, 1, 0.4)  # a comma does as well, where one stands
    clause = of.has_label("root ccomp xcomp advcl acl acl:relcl parataxis")
    yield "and of clauses", (conjunct * clause) @ (joining @ conjunct).T
    objects = of.depends("obj")
    yield "second clause", of.second
    yield "first clause", joining @ of.second
    alone = 1 - np.minimum(objects.sum(axis=0), 1)  # "press" in "press and hold the button"
    yield "shared object", alone[:, None] * ((conjunct * of.unmarked).T @ objects.T)
    between = of.among(frozenset(["between"]))
    if between.any():
        yield "other side", (conjunct * of.has_dependent(between)).T  # "between the EU and" whom?
    yield "who is asked", _asked(of)
    part = 1 + 3 * of.among(english.PARTS)  # any noun a little, "end" and "half" much more
    yield (
        "what it is a part of",
        (of.depends("nmod obl") * of.has_dependent(of.among(frozenset(["of"])))[:, None] * part).T,
    )
    content = of.among(english.CONTENT)
    if content.any():
        yield "content", (of.depends("acl ccomp") * of.unmarked * content).T
    yield "adjunct of a bare verb", _first_adjuncts(of)
    placing = of.among(english.PLACING)
    if placing.any():
        yield "place of an object", _places(of, placing)
    addition = of.has_label("appos acl") + of.has_label("obj") * (of.heads * ~of.unmarked).sum(axis=1)
    yield "body of an addition", (of.depends(_BODY) * addition).T  # "rates rose, increase" without its "third"
    yield (
        "quality of a predicate",
        (of.depends("amod") * of.has_dependent(of.has_label("cop"))).T,
    )  # "it will be a winter"


def _of_meaning(of: Parsed) -> Iterator[tuple[str, Costs]]:
    """What turns or restricts the meaning of a word."""
    verbal = of.has_label("conj acl acl:relcl advcl ccomp xcomp")  # "a man suspected of"
    for kind in dict.fromkeys(of.turning.tolist()):
        if kind:
            yield kind, (of.heads * ((of.turning == kind) * (1 - verbal))[:, None]).T
    negated = of.has_dependent(of.turning == "negation")
    # "Unlikely to fall" and "not expected to fall" are not "to fall".
    yield "turning head", of.depends("xcomp ccomp") * np.maximum(of.turning != "", negated)
    conditions, anyone = of.among(english.CONDITIONS), of.among(english.ANYONE)
    if conditions.any():
        yield "condition", (of.depends("advcl") * of.has_dependent(conditions * of.has_label("mark"))[:, None]).T
    exceptions = of.among(english.EXCEPTIONS)
    if exceptions.any():
        yield "exception", (of.depends("obl nmod advcl") * of.has_dependent(exceptions)[:, None]).T
    failing = of.among(english.FAILING)
    if negated.any() or failing.any():
        limit = of.depends("obl advcl advmod nmod acl acl:relcl") * negated  # "not back before 7", "no evidence that"
        scope = under = denied = np.maximum(negated, failing)
        below = of.depends("nsubj nsubj:pass obj xcomp ccomp nmod obl acl")
        for _ in range(3):  # "does not cover damage caused by improper use", "failed to provide adequate training"
            under = below @ under
            scope = np.minimum(scope + under, 1)
        inside = of.depends("nummod amod nmod acl compound") * (scope - denied).clip(0)
        yield "limit of a negation", (limit + inside).T  # "no more than eight tablets"
    singling, only = of.among(english.SINGLING), of.among(frozenset(["only"]))
    singled = of.has_dependent(singling | only)
    if singling.any():
        yield "which one", (of.depends("amod") * singling[:, None]).T
        one = of.has_dependent(
            singling * of.has_label("amod")
        )  # "the highest level in seven years" is not the highest level
        yield "scope of which one", (of.depends("nmod acl") * of.unmarked * one).T
    yield "restriction", (of.depends("acl:relcl") * of.unmarked * (1 + 3 * singled)).T  # "the only one who"
    if only.any():
        having = of.has_dependent(
            only * of.has_label("advmod")
        )  # "only starts after rain", "fails, but only after rain"
        yield "restriction of only", (of.depends("obl advcl") * np.maximum(having, having[:, None])).T
    empty = of.among(english.EMPTY)
    if empty.any():
        body = of.depends("amod compound nummod nmod acl acl:relcl")
        body += of.depends("det") * of.among(english.DEMONSTRATIVE)[:, None]  # "arrived this morning"
        yield "body of an empty noun", (body * of.unmarked * empty).T
    if anyone.any():
        yield "restriction of anyone", (of.depends("acl:relcl acl nmod") * of.unmarked * anyone).T
    yield "antecedent", _antecedents(of)


def _of_phrases(of: Parsed) -> Iterator[tuple[str, Costs]]:
    """What belongs to a number, a name or an expression."""
    yield "number of a unit", number_units(of)
    capital = np.array([word.text[:1].isupper() for word in of.sentence.words])
    yield "part of a name", (of.depends("compound") * (capital[:, None] & capital)).T
    next_to = np.eye(len(capital), k=1, dtype=bool)
    place = of.heads * (of.among(english.PLACE)[:, None] & next_to)  # no "Hong" without "Kong" either
    yield "part of a place", place + place.T
    yield "name of a company", (of.depends("compound") * of.among(english.COMPANY)).T
    yield "fixed phrase", _fixed(of.sentence)


def _fixed(sentence: Sentence) -> Costs:
    """Words that mean nothing, or something else, alone: "at least", "as soon as", "from 5 to 7", a score, (n, n)."""
    found = np.zeros((len(sentence), len(sentence)))
    pieces = [word.pieces for word in sentence.words]
    digits = [any(char.isdigit() or char == "#" for char in word.text) for word in sentence.words]
    for i, (word, after) in enumerate(itertools.pairwise(pieces)):
        pair = (word[-1], after[0])
        if pair in english.FIXED or all(_SCORE.fullmatch(piece) for piece in pair):
            found[i, i + 1] = found[i + 1, i] = 1
        if (
            word[0] in ("a", "an")
            and after[0] in english.EACH
            and i
            and (digits[i - 1] or pieces[i - 1][-1] in english.AMOUNTS)
        ):
            found[i + 1, i] = found[i + 1, i - 1] = 1
            found[i - 1, i + 1] = _BOUND  # 412 euros a month are not 412 euros
        if word[0] == "as" and pieces[i + 2 : i + 3] == [word]:
            found[i : i + 3, i : i + 3] = 1 - np.eye(3)
        if pair in english.BOUNDS and any(digits[i + 2 : i + 4]):  # "up to $ 5 billion", in tokenised text
            found[i + 2 + digits[i + 2 :].index(True), i] = _BOUND
        if digits[i] and i:
            for j in range(i + 2, min(i + 5, len(pieces))):
                if digits[j] and (pieces[i - 1][-1], pieces[j - 1][-1]) in english.RANGES:
                    found[i, j] = found[j, i] = found[j, i - 1] = 1
    return found


def _first_adjuncts(of: Parsed) -> Costs:
    """The first adjunct after a verb that has a subject or is a clause of its own, but no object, (n, n)."""
    found = np.zeros_like(of.heads)
    clause = np.maximum(of.roots, of.has_label("acl advcl"))
    verb = np.maximum(
        of.has_dependent(of.has_label("nsubj nsubj:pass mark")), np.maximum(clause, of.among(english.COMPLETED))
    )
    filled = of.has_dependent(of.has_label("obj xcomp ccomp cop")) * ~of.among(english.COMPLETED)
    adjunct = _adjuncts(of)
    for j in np.flatnonzero(verb * (1 - filled) > 0.5):
        after = np.flatnonzero(adjunct[j + 1 :, j] > 0.5)
        if len(after):
            found[j, j + 1 + after[0]] = verb[j] * (1 - filled[j])
    return found


def _adjuncts(of: Parsed) -> Costs:
    """What may complete a verb, (n, n): a day never does."""
    return of.depends("obl advmod advcl compound:prt") * ~of.among(english.DAYS)[:, None]


def _places(of: Parsed, placing: BoolArray) -> Costs:
    """For a verb that puts its object somewhere, the first adjunct after the object, (n, n)."""
    found = np.zeros_like(of.heads)
    adjunct, place = _adjuncts(of), np.arange(len(placing))
    for i, j in np.argwhere((of.depends("obj") * placing).T > 0.5):  # a verb and its object
        after = np.flatnonzero((adjunct[:, i] > 0.5) & (place > max(i, j)))
        if len(after):
            found[i, after[0]] = 1
    return found


def _asked(of: Parsed) -> Costs:
    """For "to help" in "called on them to help", who is to do it: else it is the caller, (n, n)."""
    asked = of.depends("obj iobj") + of.depends("obl") * of.has_dependent(of.among(english.ASKED))[:, None]
    return np.tril(np.tril(of.depends("xcomp"), k=-1) @ np.tril(asked, k=-1).T, k=-1)


def _antecedents(of: Parsed) -> Costs:
    """What a pronoun stands for, as a guess: the nearest subject before it that is not a pronoun, (n, n)."""
    subject = of.has_label("nsubj nsubj:pass") * ~of.among(english.PRONOUNS | english.RELATIVE)
    found = np.zeros_like(of.heads)
    for i in np.flatnonzero(of.among(english.PRONOUNS)):
        before = np.flatnonzero(subject[:i] > SURE)
        if len(before):
            found[i, before[-1]] = subject[before[-1]]
    return found
