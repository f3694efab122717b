"""Stage 5: growing prefixes, and the words that may follow each of them.

The lattice builds candidates word by word. `Cells` keeps them feasible: there is room in the budget, pinned
words are in, banned words are out, and no word is without those that it needs.
"""

from __future__ import annotations

import numpy as np

from tersely.candidates.space import CandidateSpace
from tersely.system.arrays import BoolArray, IntArray


class Cells:
    """The prefixes of one number of words, and the words that may follow them. Positions are in reading order."""

    def __init__(self, space: CandidateSpace, backward: bool) -> None:
        n, budget, order = space.n, space.budget, slice(None, None, -1) if backward else slice(None)
        self._weights, self._limit, self._least = budget.weights[order], budget.limit, budget.least
        self._limits = [(part.weights[order], part.limit) for part in budget.parts]
        self._banned = space.banned[order]
        pinned = space.pinned[order]
        self._room = self._find_room(pinned) if self._least > 1 else None
        needs = n - 1 - space.needs if backward else space.needs
        self._before = needs[needs[:, 1] < needs[:, 0]]
        self._later = _later(space, backward)
        self.last = np.full(1, -1, dtype=np.int64)  # the last word of each prefix
        self.masks = np.zeros((1, n), dtype=bool)
        self._required = pinned[None]  # (prefixes, n) words that must be kept; one row if equal for all

    def _find_room(self, pinned: BoolArray) -> BoolArray:
        """At `room[i, used]`: whether the words from i on, with all pinned ones, can fill the rest of the budget."""
        room = np.ones((len(pinned) + 1, self._limit + 2), dtype=bool)
        room[:, -1] = False
        room[-1, : self._least] = False
        for i in reversed(range(len(pinned))):
            room[i, :-1] = room[i + 1, :-1] & ~pinned[i]
            if not self._banned[i] and (weight := self._weights[i]) <= self._limit:
                room[i, : -1 - weight] |= room[i + 1, weight:-1]
        return room

    def allowed(self) -> BoolArray:
        """Which words may come next after each prefix, (prefixes, n)."""
        words = np.arange(len(self._banned))
        allowed = ~self._banned & (words > self.last[:, None])
        if self._room is not None:
            used = np.minimum(self.used[:, None] + self._weights, self._limit + 1)
            allowed &= self._room[words + 1, used]
        before = np.concatenate([np.zeros((len(self._required), 1), np.int64), self._required.cumsum(axis=1)], axis=1)
        rows = np.arange(len(self.last)) if len(self._required) > 1 else 0
        allowed &= before[:, :-1] == before[rows, self.last + 1][:, None]  # no required word is skipped
        if len(self._before):
            for word, host in self._before.tolist():
                allowed[:, word] &= self.masks[:, host]
        for weights, limit in self._limits if self._room is None or self._later else ():
            # There must be room for words needed later as well.
            required = self._required * weights
            to_come = required[:, ::-1].cumsum(axis=1)[:, ::-1] - required + (self.masks @ weights)[:, None] + weights
            for word, later in self._later.items():
                to_come[:, word] += (weights[later] * ~self._required[:, later]).sum(axis=1)
            allowed &= to_come <= limit
        return np.asarray(allowed)

    @property
    def used(self) -> IntArray:
        """What each prefix weighs, (prefixes,)."""
        return np.asarray(self.masks @ self._weights)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        """Replace the prefixes by those in `rows`, each with one more word."""
        self.last = words
        self.masks = self.masks[rows]
        self.masks[np.arange(len(words)), words] = True
        if self._later:
            required = self._required[rows] if len(self._required) > 1 else self._required
            self._required = np.broadcast_to(required, self.masks.shape).copy()
            for word, later in self._later.items():
                self._required[np.ix_(words == word, later)] = True

    @property
    def finished(self) -> BoolArray:
        """Which prefixes are complete candidates, (prefixes,)."""
        complete = (self._required & ~self.masks).sum(axis=1) == 0
        return np.asarray(complete & (self.used >= self._least))


def _later(space: CandidateSpace, backward: bool) -> dict[int, IntArray]:
    """All later words that a word needs, by its position, in reading order; only words that need some."""
    found = {}
    for word, needed in space.needed.items():
        position, others = (space.n - 1 - word, space.n - 1 - needed) if backward else (word, needed)
        if (others > position).any():
            found[position] = others[others > position]
    return found
