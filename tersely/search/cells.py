"""Stage 4: growing prefixes and where they may go. The lattice and the beam build candidates word by word; this is
what keeps every one of them feasible: enough words left, pinned words in, banned words out, no word without the word
that it needs."""

from __future__ import annotations

import numpy as np

from tersely.candidates import CandidateSpace
from tersely.source import BoolArray, IntArray


class Cells:
    """The prefixes in all cells of one length, and where they may go. Positions are in reading order."""

    def __init__(self, size: int | None, pinned: BoolArray, banned: BoolArray, needs: IntArray) -> None:
        self.size, self.banned, self.needs = size, banned, needs
        n = len(pinned)
        self.last = np.full(1, -1, dtype=np.int64)
        self.masks = np.zeros((1, n), dtype=bool)
        self._free_behind = (~banned)[::-1].cumsum()[::-1] - ~banned  # words that may still come behind each
        self._pinned_before = np.concatenate([[0], pinned.cumsum()])  # pinned words before each position

    @classmethod
    def of(cls, space: CandidateSpace, backward: bool, *, any_length: bool = False) -> Cells:
        """The empty prefix of a space, read forward or backward.

        With `any_length` every prefix is a summary by itself, so that none has to leave room for others to come.
        """
        size = None if any_length else space.size
        if not backward:
            return cls(size, space.pinned, space.banned, space.needs)
        needs = np.where(space.needs >= 0, space.n - 1 - space.needs, -1)[::-1]
        return cls(size, space.pinned[::-1], space.banned[::-1], needs)

    def allowed(self, length: int) -> BoolArray:
        """Which words may come next behind each prefix, (prefixes, n)."""
        n = len(self.banned)
        words = np.arange(n)
        to_come = 0 if self.size is None else self.size - length - 1
        pinned_behind = self._pinned_before[-1] - self._pinned_before[1:]
        possible = ~self.banned & (self._free_behind >= to_come) & (pinned_behind <= to_come)  # (n,)
        skipped = self._pinned_before[words] - self._pinned_before[self.last + 1][:, None]
        allowed = possible & (words > self.last[:, None]) & (skipped == 0)
        # A word that needs one before it needs it in the prefix; one that needs the word behind it needs it next.
        bound = np.flatnonzero((self.needs >= 0) & (self.needs < words))
        allowed[:, bound] &= self.masks[:, self.needs[bound]]
        waiting = (self.last >= 0) & (self.needs[self.last] > self.last)
        allowed[waiting] &= words == self.needs[self.last[waiting]][:, None]
        if to_come == 0:
            allowed &= self.needs <= words  # nothing comes behind the last word
        return np.asarray(allowed)

    def advance(self, rows: IntArray, words: IntArray) -> None:
        """Replace the prefixes by those in `rows`, each with a word more."""
        self.last = words
        self.masks = self.masks[rows]
        self.masks[np.arange(len(words)), words] = True
