"""Stage 5: the fast path: a bundle's selector in the place of an objective, and the exact search for its best.

One reading by the parser and a few small matrix products give the score of every edge; no language model is asked. What
a summary shows for it is the selector's score, and the grammar with its tree and its broken needs, which count nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tersely.bundle import Bundle
from tersely.errors import InputError
from tersely.length import Budget
from tersely.scoring.clues import Clues
from tersely.scoring.grammar import Grammar
from tersely.scoring.objective import BoundObjective
from tersely.scoring.selector import BoundSelector, Selector
from tersely.search.chain import Chain
from tersely.source import Source

_DIVERSE = 256  # candidates among which different ones are looked for


def check_style(selector: Selector, objective: str) -> None:
    """Refuse an objective that a selector has not learned."""
    if objective not in selector.styles:
        known = ", ".join(selector.styles)
        raise InputError(f"fast knows the objectives {known}, not {objective!r}: leave out fast, or ask for another")


@dataclass(frozen=True)
class FastPath:
    """The fast path for one source and one style, which has the name of the objective that the selector learned."""

    selector: Selector
    style: str
    clues: Clues
    evidence: BoundObjective  # what limits the candidates and is shown: it needs no budget

    @classmethod
    def of(cls, bundle: Bundle, objective: str, source: Source) -> FastPath:
        selector = bundle.selector
        check_style(selector, objective)
        grammar = Grammar(bundle.parser()).bind(source)
        evidence = BoundObjective({"grammar": grammar}, {"grammar": 0.0})
        return cls(selector, objective, selector.clues(source, grammar), evidence)

    def within(self, objective: BoundObjective, budget: Budget) -> BoundObjective:
        """The objective within a budget: with the selector's scores for it."""
        return objective.beside("selector", self.selector.bind(self.clues, self.style, budget), 1.0)


def chain_of(objective: BoundObjective, n_best: int = 1, *, diverse: bool = False) -> Chain:
    """The search for the best by a selector's scores."""
    scores = objective.factors["selector"]
    assert isinstance(scores, BoundSelector)
    return Chain(scores.edges, _DIVERSE if diverse else n_best)
