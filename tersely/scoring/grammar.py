"""Stage 4: grammar: what a kept word needs, and what it costs to lose it. Not in the paper.

A word that is kept needs others: its head, a verb its subject and its object, a noun its preposition, a verb its "not"
(`needs.py`). All needs of a source are one matrix: C[i, j] is the cost of keeping word i and dropping word j, and
log f = −Σ C[i, j] over kept i and dropped j, less the cost of losing the main predicate, of a first word that goes on
from something, and of a last word that waits for something. The parser's distribution over heads and labels gives the
expected C, so that a need counts as much as the parser is sure of it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.candidates.length import Budget
from tersely.scoring.costs import COSTS
from tersely.scoring.need_steps import NeedSteps
from tersely.scoring.needs import HEADS, Costs, Parsed, needs
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray

_NAMED = 0.1  # a broken need that costs less is not worth a line
_AT_ONCE = 2_000_000  # costs, of several kinds: of a long text one kind fills that alone

Named = tuple[list[str], IntArray, IntArray, Costs]  # kinds; of each need which of them, where in `costs`, and its cost


@dataclass(frozen=True)
class Grammar:
    """The factor `grammar`; `one_way`, the factor `attachment`: only a word's need of its head counts."""

    one_way: bool = False

    def bind(self, sentence: Sentence, budget: Budget) -> BoundGrammar:
        return sentence.shared(self, lambda: bound_grammar(sentence, one_way=self.one_way))


def bound_grammar(sentence: Sentence, *, one_way: bool = False) -> BoundGrammar:
    """The needs of a sentence by its tree, all kinds in one pass."""
    costs = np.zeros((len(sentence), len(sentence)))
    named: list[Named] = []
    parsed = Parsed.by_tree(sentence)
    found = ((kind, need) for kind, need in needs(parsed) if not one_way or kind in HEADS)
    while some := list(itertools.islice(found, max(1, _AT_ONCE // costs.size))):
        kinds = [kind for kind, _ in some]
        each = np.stack([sureness for _, sureness in some]).reshape(len(some), -1)
        each *= np.array([COSTS[kind] for kind in kinds])[:, None]
        costs += each.sum(axis=0).reshape(costs.shape)
        which, places = np.nonzero(each > _NAMED)
        named.append((kinds, which, places, each[which, places]))
    main, first, last = (0.0 if one_way else COSTS[kind] for kind in ("main predicate", "first word", "last word"))
    return BoundGrammar(
        costs,
        main * parsed.main_predicate,
        first * parsed.going_on,
        last * parsed.waiting,
        tuple(named),
    )


@dataclass(frozen=True)
class BoundGrammar:
    """The broken needs of candidates of one source."""

    costs: Costs  # (n, n) of keeping i and dropping j
    main: Costs  # (n,) of dropping a main predicate
    first: Costs  # (n,) of beginning with a word
    last: Costs  # (n,) of ending with it
    named: tuple[Named, ...]  # the needs worth naming
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Costs:
        kept = masks.astype(np.float64)
        ends = self.first[masks.argmax(axis=1)] + self.last[masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)]
        broken = ((kept @ self.costs) * (1 - kept)).sum(axis=1)
        return np.asarray(-(broken + (1 - kept) @ self.main + ends * masks.any(axis=1)))

    def broken(self, mask: BoolArray) -> list[tuple[int, int, str, float]]:
        """The needs that a candidate breaks, gravest first: a kept word, the dropped one it needs, kind and cost."""
        lost = (mask[:, None] & ~mask).ravel()
        found = [
            (*divmod(place, len(mask)), kinds[kind], cost)
            for kinds, which, places, costs in self.named
            for kind, place, cost in zip(*(row[lost[places]].tolist() for row in (which, places, costs)), strict=True)
        ]
        return sorted(found, key=lambda need: -need[-1])

    def steps(self, size: int, backward: bool) -> NeedSteps:
        order = slice(None, None, -1) if backward else slice(None)
        first, last = (self.last, self.first) if backward else (self.first, self.last)
        return NeedSteps(self.costs[order, order], self.main[order], first[order], last[order])
