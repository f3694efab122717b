"""Stage 4: grammar: what a kept word needs, and what it costs to lose it. Not in the paper.

A word that is kept needs others: its head, a verb its subject and its object, a noun its preposition, a verb its "may"
(`needs.py`). All needs of a source are one matrix: C[i, j] is the cost of keeping word i and dropping word j, and
log f = −Σ C[i, j] over kept i and dropped j. The parser's distribution over heads and labels gives the expected C, so
that a need counts as much as the parser is sure of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tersely.candidates.length import Budget
from tersely.scoring.need_steps import NeedSteps
from tersely.scoring.needs import Costs, gravest, needs
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray, IntArray

_NAMED = 0.1  # a broken need that costs less is not worth a line


@dataclass(frozen=True)
class Grammar:
    """The factor `grammar`.

    `one_way`: the factor `attachment`, only a word's need of its head counts. `prose`: the factor `prose`, the needs
    that headlines do without.
    """

    one_way: bool = False
    prose: bool = False

    def bind(self, sentence: Sentence, budget: Budget) -> BoundGrammar:
        return sentence.shared(self, lambda: bound_grammar(sentence, one_way=self.one_way, prose=self.prose))


def bound_grammar(sentence: Sentence, *, one_way: bool = False, prose: bool = False) -> BoundGrammar:
    """The needs of a sentence by its tree."""
    costs = np.zeros((len(sentence), len(sentence)))
    named: list[Named] = []
    for kind, sureness in needs(sentence, prose=prose):
        if not one_way or all([step.way for step in path] == ["up"] for path in kind.paths):
            each = kind.cost * sureness
            costs += each
            words, needed = np.nonzero(each > _NAMED)
            named.append(Named(kind.name, words, needed, each[words, needed]))
    return BoundGrammar(costs, tuple(named))


@dataclass(frozen=True, eq=False)
class Named:
    """The needs of one kind that are worth naming: two words and a cost each."""

    kind: str
    words: IntArray
    needed: IntArray
    costs: Costs


@dataclass(frozen=True)
class BoundGrammar:
    """The broken needs of candidates of one source."""

    costs: Costs  # (n, n) of keeping i and dropping j
    named: tuple[Named, ...]
    steps_are_exact: ClassVar[bool] = True

    def log_scores(self, masks: BoolArray) -> Costs:
        kept = masks.astype(np.float64)
        return np.asarray(-((kept @ self.costs) * (1 - kept)).sum(axis=1))

    def broken(self, mask: BoolArray) -> list[tuple[int, int, str, float]]:
        """The gravest needs that a candidate breaks, in order: a kept word, the dropped one it needs, kind and cost."""
        found = []
        for named in self.named:
            lost = np.flatnonzero(mask[named.words] & ~mask[named.needed])
            lost = lost[gravest(named.costs[lost])]
            pairs = zip(
                named.words[lost].tolist(), named.needed[lost].tolist(), named.costs[lost].tolist(), strict=True
            )
            found += [(i, j, named.kind, cost) for i, j, cost in pairs]
        return sorted(found, key=lambda need: -need[-1])

    def steps(self, size: int, backward: bool) -> NeedSteps:
        order = slice(None, None, -1) if backward else slice(None)
        return NeedSteps(self.costs[order, order])
