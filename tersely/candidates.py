"""Stage 2: candidates. A candidate is a Boolean mask over the n words of the source (section 3.2 of the paper).

`CandidateSpace` knows which masks are feasible: exactly `size` words, pinned words in, banned words out, and no word
without the word that it needs ("'s" without its noun). Searches only ever visit feasible candidates.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from tersely.errors import InputError
from tersely.source import BoolArray, IntArray


class CandidateSpace:
    """All ways to choose `size` of `n` words.

    >>> space = CandidateSpace(3, 2)
    >>> space.count
    3
    >>> np.concatenate(list(space.all())).astype(int).tolist()
    [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    """

    def __init__(
        self,
        n: int,
        size: int,
        *,
        pinned: BoolArray | None = None,
        banned: BoolArray | None = None,
        needs: IntArray | None = None,
    ) -> None:
        self.n, self.size = n, size
        self.needs = np.full(n, -1, dtype=np.int64) if needs is None else needs
        self.banned = np.zeros(n, dtype=bool) if banned is None else banned.copy()
        self.pinned = np.zeros(n, dtype=bool) if pinned is None else pinned.copy()
        for i in range(n):  # a pinned word pins what it needs
            j = i
            while self.pinned[i] and self.needs[j] >= 0 and not self.pinned[self.needs[j]]:
                j = int(self.needs[j])
                self.pinned[j] = True
        for _ in range(n):  # a word whose host is banned is banned too
            orphans = (self.needs >= 0) & self.banned[self.needs] & ~self.banned
            if not orphans.any():
                break
            self.banned |= orphans
        self.free = np.flatnonzero(~self.pinned & ~self.banned)
        self.n_pinned = int(self.pinned.sum())
        self._refuse_impossible()
        self._bound = np.flatnonzero(self.needs >= 0)

    def _refuse_impossible(self) -> None:
        if (self.pinned & self.banned).any():
            raise InputError("the same word cannot be kept and dropped: change keep or drop")
        if self.n_pinned > self.size:
            raise InputError(f"{self.n_pinned} words are to be kept, but the summary has only {self.size}")
        if self.n_pinned + len(self.free) < self.size:
            left = self.n_pinned + len(self.free)
            raise InputError(f"only {left} words are left to choose from, but the summary needs {self.size}")

    @property
    def n_free(self) -> int:
        """How many words are chosen freely, beside the pinned ones."""
        return self.size - self.n_pinned

    @property
    def count(self) -> int:
        """The number of candidates of the right size; `needs` may rule out some of them."""
        return math.comb(len(self.free), self.n_free)

    def feasible(self, masks: BoolArray) -> BoolArray:
        """Which of the masks, (batch, n), keep no word without the word it needs."""
        if not len(self._bound):
            return np.ones(len(masks), dtype=bool)
        alone = masks[:, self._bound] & ~masks[:, self.needs[self._bound]]  # (batch, bound words)
        return np.asarray(~alone.any(axis=1), dtype=bool)

    def random(self, rng: np.random.Generator, count: int) -> BoolArray:
        """`count` random feasible candidates, (count, n)."""
        order = np.argsort(rng.random((count, len(self.free))), axis=1)[:, : self.n_free]
        masks = np.tile(self.pinned, (count, 1))
        np.put_along_axis(masks, self.free[order], True, axis=1)
        return self.repaired(masks)

    def repaired(self, masks: BoolArray) -> BoolArray:
        """The masks, where a word without its host hands its place over to the host; the length stays."""
        masks = masks.copy()
        # The host may need a host in its turn ("$ 5 's"). Every hand-over goes up a chain, so this comes to an end.
        while not self.feasible(masks).all():
            for i in self._bound:
                self._hand_over(masks, int(i))
        return masks

    def _hand_over(self, masks: BoolArray, i: int) -> None:
        host = int(self.needs[i])
        alone = masks[:, i] & ~masks[:, host]
        masks[alone, host] = True
        masks[alone, i] = False

    def swaps(self, rng: np.random.Generator, masks: BoolArray) -> tuple[IntArray, IntArray]:
        """For each mask a selected and an unselected free position, drawn uniformly: the move of the paper."""
        masks = masks[:, self.free]
        draws = rng.random((2, len(masks)))
        out = (draws[0] * self.n_free).astype(np.int64)
        into = (draws[1] * (len(self.free) - self.n_free)).astype(np.int64)
        order = np.argsort(~masks, axis=1, kind="stable")  # selected positions first, then the unselected ones
        rows = np.arange(len(masks))
        return self.free[order[rows, out]], self.free[order[rows, self.n_free + into]]

    def all(self, chunk: int = 1024) -> Iterator[BoolArray]:
        """Every feasible candidate, in chunks of at most `chunk` masks."""
        combinations = itertools.combinations(self.free.tolist(), self.n_free)
        while rows := list(itertools.islice(combinations, chunk)):
            masks = np.tile(self.pinned, (len(rows), 1))
            if self.n_free:
                np.put_along_axis(masks, np.array(rows, dtype=np.int64), True, axis=1)
            masks = masks[self.feasible(masks)]
            if len(masks):
                yield masks


def swapped(masks: BoolArray, out: IntArray, into: IntArray) -> BoolArray:
    """The masks with one position taken out and one put in, each."""
    moved = masks.copy()
    rows = np.arange(len(masks))
    moved[rows, out] = False
    moved[rows, into] = True
    return moved
