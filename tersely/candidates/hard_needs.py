"""Stage 3: the candidates of a sentence, with the needs that no summary may break, whatever its objective prefers.

A clitic stays with its host, a negated word with its negation, the words of a number together, a unit with its number.
Where a length has no room for all of that, the least grave needs are given up first.
"""

from __future__ import annotations

import contextlib

import numpy as np

from tersely.candidates.length import Budget
from tersely.candidates.negation import negation_needs
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.sentence.dependencies import Probabilities
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray
from tersely.text.words import inseparable

SURE = 0.9  # the least probability of a dependency that no candidate may break


def candidates_of(
    sentence: Sentence,
    budget: Budget,
    pinned: BoolArray | None = None,
    banned: BoolArray | None = None,
    *,
    negation: bool = True,
    units: bool = True,
) -> CandidateSpace:
    """The candidates of a sentence within a budget; `negation` and `units` say whether those are hard needs."""

    def space(kinds: list[IntArray]) -> CandidateSpace:
        return CandidateSpace(budget, pinned=pinned, banned=banned, needs=np.concatenate(kinds))

    kinds = [
        sentence.needs,
        sentence.shared("negation needs", lambda: negation_needs(sentence)) if negation else sentence.needs[:0],
        _whole_figures(sentence, budget, banned),
        sentence.shared("unit needs", lambda: _unit_needs(sentence)) if units else sentence.needs[:0],
    ]
    while len(kinds) > 2:
        with contextlib.suppress(InputError):  # there is no room for words that need each other
            return space(kinds)
        kinds.pop()
    try:
        return space(kinds)
    except InputError as error:
        without_negation = space(kinds[:1])
        if pinned is not None and pinned.any():
            raise InputError(f"{error}, with the negations that belong to it: negation=False gives them up") from None
        return without_negation


def _unit_needs(sentence: Sentence) -> IntArray:
    return np.concatenate([np.argwhere(number_units(sentence) > SURE), _spelled(sentence)])


def number_units(sentence: Sentence) -> Probabilities:
    """The probability that word i is the unit of number j, (n, n): "million" of "$5.2 million", "Gate" of "Gate 22"."""
    of = sentence.dependencies
    unit = np.array([word.pieces[-1] in sentence.language["units"] for word in sentence.words])
    after = np.eye(len(unit), k=-1) * of.has_label(("nummod",))[:, None]  # "Gate 22", "section four"
    figure = np.array([any(char in "#0123456789" for char in word.text) for word in sentence.words])
    number = of.depends(("nummod", "compound"))
    number = number + of.depends(("advmod",)) * figure[:, None]  # the parser may label "$5" as an adverb
    return np.asarray((number * np.maximum(unit, after)).T)


def _whole_figures(sentence: Sentence, budget: Budget, banned: BoolArray | None) -> IntArray:
    """The words of a figure with a space, each with the others that it needs: if there are enough words besides."""
    found = sentence.shared("inseparable", lambda: inseparable(sentence.words))
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    others = np.ones(len(sentence), dtype=bool) if banned is None else ~banned
    others[pairs] = False
    alone = budget.unit == "words" and budget.also is None
    enough = others.sum() >= budget.limit if alone else budget.fits[others].any()
    return np.concatenate([pairs, pairs[:, ::-1]]) if enough else pairs[:0]


def _spelled(sentence: Sentence) -> IntArray:
    """The neighbours in numbers that are spelled out, each with the other: "three hundred and twelve"."""
    number, scale = sentence.among("numbers"), sentence.among("units")
    joins = sentence.dependencies.has_label(("cc",)) > SURE
    found = []
    for i in range(len(sentence) - 1):
        stop = i + 2 if scale[i] and joins[i + 1] else i + 1
        if stop < len(sentence) and number[i] and number[stop] and sentence.stretches[i] == sentence.stretches[stop]:
            found += [pair for k in range(i, stop) for pair in ((k, k + 1), (k + 1, k))]
    return np.array(found, dtype=np.int64).reshape(-1, 2)
