"""Stage 5: a text and what is asked of it, ready for a search: the objective bound to its words, and its candidates."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tersely.candidates import CandidateSpace
from tersely.errors import InputError
from tersely.length import Budget, Look
from tersely.options import Options
from tersely.pins import pins
from tersely.scoring.grammar import BoundGrammar
from tersely.scoring.negation import negation_needs
from tersely.scoring.objective import BoundObjective
from tersely.scoring.use import with_use
from tersely.source import BoolArray, IntArray, Source
from tersely.text import figures

Within = Callable[[BoundObjective, Budget], BoundObjective]


@dataclass(frozen=True)
class Task:
    """What a search works on, and what its result is turned into text with."""

    text: str
    options: Options
    source: Source
    objective: BoundObjective  # for the budget: where candidates may differ in length, with the factor `use`
    space: CandidateSpace
    look: Look
    whole: str | None  # the text itself, where it is no longer than asked

    @classmethod
    def of(
        cls,
        text: str,
        options: Options,
        source: Source,
        objective: BoundObjective,
        within: Within = with_use,
        *,
        negation: bool,
    ) -> Task:
        """The task of a text, whose words the objective knows; with `negation`, none stays without its "not".

        `within` makes the objective one for a budget.
        """
        look = Look(options.pretokenized, options.punctuation and "grammar" in objective.factors)
        budget = options.length.budget(source.tokens, look)
        pinned, banned = pins(source, budget, options.keep, options.drop)
        whole = " ".join(text.split())
        fits = len(text.split()) <= budget.limit and not banned.any()
        if fits := fits and not options.length.is_broken_by(source.tokens, whole, source.tokens):
            budget = budget.whole
        space = candidates_of(source, objective, budget, pinned, banned, negation=negation)
        objective = within(objective, space.budget)
        return cls(text, options, source, objective, space, look, whole if fits else None)

    def fits(self, text: str) -> bool:
        """Whether a rendered text is no longer than asked."""
        return not self.options.length.is_broken_by((), text, self.source.tokens)


def candidates_of(
    source: Source,
    objective: BoundObjective,
    budget: Budget,
    pinned: BoolArray | None = None,
    banned: BoolArray | None = None,
    *,
    negation: bool = True,
) -> CandidateSpace:
    """The candidates of a source: words that cannot stand alone, and the gravest needs of grammar where they fit."""
    grammar = objective.factors.get("grammar")
    tree, hard = (grammar.tree, grammar.hard) if isinstance(grammar, BoundGrammar) else (None, source.needs[:0])
    denied = np.concatenate([source.needs, negation_needs(source, tree)]) if negation else source.needs
    whole = _whole_figures(source, budget, banned)
    for needs in ([denied, whole, hard], [denied, whole]):
        with contextlib.suppress(InputError):  # too few words for what needs each other
            return CandidateSpace(budget, pinned=pinned, banned=banned, needs=np.concatenate(needs))
    try:
        return CandidateSpace(budget, pinned=pinned, banned=banned, needs=denied)
    except InputError as error:
        space = CandidateSpace(budget, pinned=pinned, banned=banned, needs=source.needs)
        if pinned is not None and pinned.any():
            raise InputError(f"{error}, with the negations that belong to it: negation=False gives them up") from None
        return space


def _whole_figures(source: Source, budget: Budget, banned: BoolArray | None) -> IntArray:
    """The words of a figure with a space, each with the others that it needs: if there are enough words besides."""
    pairs = np.array(figures(source.words), dtype=np.int64).reshape(-1, 2)
    others = np.ones(len(source), dtype=bool) if banned is None else ~banned
    others[pairs] = False
    enough = others.sum() >= budget.limit if budget.unit == "words" else (budget.weights[others] <= budget.limit).any()
    return np.concatenate([pairs, pairs[:, ::-1]]) if enough else pairs[:0]
