"""Stage 3: grammar: what a kept word needs, and what it costs to lose it. Not in the paper.

A word that is kept needs others: its head, a verb its subject and its object, a noun its preposition, a verb its "not"
(`needs.py`). All needs of a source are one matrix: C[i, j] is the cost of keeping word i and dropping word j, and
log f = −Σ C[i, j] over kept i and dropped j, less the cost of losing the main predicate, of a first word that goes on
from something, and of a last word that waits for something. The parser's distribution over heads and labels gives the
expected C, so that a need counts as much as the parser is sure of it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from tersely.scoring.costs import COSTS, HARD, SURE
from tersely.scoring.needs import HEADS, Costs, Parsed, needs
from tersely.scoring.parser import Parser
from tersely.scoring.tree import Tree
from tersely.source import BoolArray, IntArray, Source

_NAMED = 0.1  # a broken need that costs less is not worth a line
_AT_ONCE = 2_000_000  # costs, of several kinds: of a long text one kind fills that alone

Named = tuple[list[str], IntArray, IntArray, Costs]  # kinds; of each need which of them, where in `costs`, and its cost


@dataclass(frozen=True)
class Grammar:
    """The factor `grammar`; `one_way`, the factor `attachment`: only a word's need of its head counts."""

    parser: Parser
    one_way: bool = False

    def bind(self, source: Source) -> BoundGrammar:
        return bound_grammar(source, self.parser.parse(source.tokens), one_way=self.one_way)


def bound_grammar(source: Source, tree: Tree, *, one_way: bool = False) -> BoundGrammar:
    """The needs of a source by its tree, all kinds in one pass."""
    costs = np.zeros((len(source), len(source)))
    named: list[Named] = []
    hard = [np.zeros((0, 2), dtype=np.int64)]
    parsed = Parsed.of(source, tree)
    found = ((kind, need) for kind, need in needs(parsed) if not one_way or kind in HEADS)
    while some := list(itertools.islice(found, max(1, _AT_ONCE // costs.size))):
        kinds = [kind for kind, _ in some]
        each = np.stack([sureness for _, sureness in some]).reshape(len(some), -1)
        hard += [
            np.argwhere(sureness > SURE) for kind, sureness in some if kind in HARD and kind != "negation"
        ]  # which has rules of its own: negation.py
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
        tree,
        tuple(named),
        np.concatenate(hard),
    )


@dataclass(frozen=True)
class BoundGrammar:
    """The broken needs of candidates of one source."""

    costs: Costs  # (n, n) of keeping i and dropping j
    main: Costs  # (n,) of dropping a main predicate
    first: Costs  # (n,) of beginning with a word
    last: Costs  # (n,) of ending with it
    tree: Tree
    named: tuple[Named, ...]  # the needs worth naming
    hard: IntArray  # (pairs, 2) the gravest needs that the parser is sure of: no candidate may break them
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

    def steps(self, size: int, backward: bool) -> GrammarSteps:
        order = slice(None, None, -1) if backward else slice(None)
        first, last = (self.last, self.first) if backward else (self.first, self.last)
        return GrammarSteps(self.costs[order, order], self.main[order], first[order], last[order])


class GrammarSteps:
    """The needs that growing prefixes have broken: a need is broken when the later of its two words is passed."""

    def __init__(self, costs: Costs, main: Costs, first: Costs, last: Costs) -> None:
        n = len(costs)
        self._costs, self._main = costs, np.concatenate([[0], main.cumsum()])
        self._first, self._last = first, np.concatenate([[0], last])  # by the position after the word
        self._dropped_before = np.concatenate([np.zeros((n, 1)), costs.cumsum(axis=1)], axis=1)  # (n, n + 1)
        self._next = np.zeros(1, dtype=np.int64)  # the position after each prefix
        self._total = np.zeros(1)
        self._if_dropped = np.zeros((1, n + 1))  # what the kept words of a prefix lose with the words before j
        self._if_kept = np.zeros((1, n))  # what word j has already lost

    @cached_property
    def _words(self) -> IntArray:
        return np.arange(len(self._costs))

    def values(self) -> Costs:
        return np.asarray(-self._added(np.arange(len(self._next))[:, None], self._words))

    def _added(self, rows: IntArray, words: IntArray) -> Costs:
        begin = self._next[rows]
        passed = self._if_dropped[rows, words] - self._if_dropped[rows, begin]
        lost = self._dropped_before[words, words] - self._dropped_before[words, begin] + self._if_kept[rows, words]
        begun = np.where(begin == 0, self._first[words], 0)
        return np.asarray(self._total[rows] + passed + lost + self._main[words] - self._main[begin] + begun)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        self._total = self._added(rows, words)
        begin = self._next[rows]
        self._if_kept = self._if_kept[rows] + (self._dropped_before[:, words] - self._dropped_before[:, begin]).T
        self._if_dropped = self._if_dropped[rows] + self._dropped_before[words]
        self._next = words + 1

    def final(self) -> Costs:
        rest = self._if_dropped[:, -1] - self._if_dropped[np.arange(len(self._next)), self._next]
        return np.asarray(-(self._total + rest + self._main[-1] - self._main[self._next] + self._last[self._next]))
