"""Stage 3: candidates. A candidate is a Boolean mask over the n words of a sentence (section 3.2 of the paper).

`CandidateSpace` knows which masks are feasible: within the budget, with all pinned words, without banned ones, and no
word without the words that it needs ("'s" without its noun). Searches visit feasible candidates only.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from tersely.candidates.length import Budget
from tersely.candidates.packing import packed
from tersely.errors import InputError
from tersely.system.arrays import BoolArray, IntArray

_FEW = 100_000  # candidates: to look for a feasible one among more could take for ever


class CandidateSpace:
    """All ways to choose words within a budget.

    >>> space = CandidateSpace(Budget.of_words(3, 2))
    >>> space.count
    3
    >>> np.concatenate(list(space.all())).astype(int).tolist()
    [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    """

    def __init__(
        self,
        budget: Budget,
        *,
        pinned: BoolArray | None = None,
        banned: BoolArray | None = None,
        needs: IntArray | None = None,  # (pairs, 2): a word, and one that it needs
    ) -> None:
        self.n = len(budget.weights)
        self.pinned = np.zeros(self.n, dtype=bool) if pinned is None else pinned.copy()
        self.banned = np.zeros(self.n, dtype=bool) if banned is None else banned.copy()
        self.needs = np.zeros((0, 2), dtype=np.int64) if needs is None else needs
        self.needed = closures(self.n, self.needs)
        for word, others in self.needed.items():
            if self.pinned[word]:  # what a pinned word needs is pinned
                self.pinned[others] = True
            if self.banned[others].any():  # what needs a banned word is banned
                self.banned[word] = True
        self.budget = budget.among(~self.banned)
        self.free = np.flatnonzero(~self.pinned & ~self.banned)
        self._refuse_impossible()

    def _refuse_impossible(self) -> None:
        budget = self.budget
        if (self.pinned & self.banned).any():
            raise InputError("the same word cannot be kept and dropped: change keep or drop")
        if self.banned.all():
            raise InputError("no word is left to choose from: drop fewer words")
        refuse_over_limit(budget, self.pinned)
        if self.pinned.any():
            return
        least = [self.needed.get(word, np.array([word])) for word in self.free.tolist()]
        over = []
        for words in least:
            part = budget.exceeded(np.isin(np.arange(self.n), words))
            if part is None:
                return
            over.append(part)
        if over:
            part = over[0]
            smallest = min(int(part.weights[words].sum()) for words in least)
            raise InputError(
                f"the limit of {part.shown(part.limit)} {part.unit} is too small for any word: "
                f"the smallest possible is {part.shown(smallest)}"
            )

    def pinning(self, groups: Iterable[BoolArray]) -> CandidateSpace:
        """The same candidates with those groups of words pinned, (n,) each, that there is room for, the first first."""
        pinned = self.pinned.copy()
        for group in groups:
            more = pinned | group
            for word in np.flatnonzero(group).tolist():
                more[self.needed.get(word, word)] = True
            if not (more & self.banned).any() and self.budget.exceeded(more) is None:
                pinned = more
        return CandidateSpace(self.budget, pinned=pinned, banned=self.banned, needs=self.needs)

    @property
    def n_free(self) -> int:
        """How many words are kept beside the pinned ones, if all candidates have the same number of words."""
        return self.budget.limit - int(self.pinned.sum())

    @property
    def count(self) -> float:
        """The number of candidates within the budget, or more: `needs` and a second limit may rule out some of them."""
        budget = self.budget
        if budget.counts_words:
            return math.comb(len(self.free), self.n_free)
        return min(self._count(part) for part in budget.parts)

    def _count(self, budget: Budget) -> float:
        ways = np.zeros(budget.limit + 1)  # candidates of each weight
        ways[budget.weights[self.pinned].sum()] = 1
        for weight in budget.weights[self.free]:
            ways[weight:] += ways[:-weight].copy()
        return float(ways[max(budget.least, 1) :].sum())

    def n_prefixes(self, *, backward: bool = False) -> float:
        """How many different prefixes these candidates have, or more; backward, how many suffixes.

        >>> CandidateSpace(Budget.of_words(3, 2)).n_prefixes()  # two of one word, three of two
        5.0
        """
        usable = np.flatnonzero(~self.banned)
        return min(self._n_prefixes(part, usable[::-1] if backward else usable) for part in self.budget.parts)

    def _n_prefixes(self, budget: Budget, words: IntArray) -> float:
        pinned, left = int(budget.weights[self.pinned].sum()), int(budget.weights[self.free].sum())
        ways, found = np.zeros(budget.limit - pinned + 1), 0.0  # prefixes up to here, by the weight of their free words
        ways[0] = 1
        for word in words.tolist():
            longer = ways
            if not self.pinned[word]:
                weight = int(budget.weights[word])
                longer = np.concatenate([np.zeros(weight), ways])[: len(ways)]
                ways, left = ways + longer, left - weight
            for one in (longer, ways):
                one[: max(0, budget.least - pinned - left)] = 0  # the words that are left are too few
            found += float(longer.sum())
        return found

    def feasible(self, masks: BoolArray) -> BoolArray:
        """Which of the masks, (batch, n), are within the budget and keep no word without the words it needs."""
        fine = np.ones(len(masks), dtype=bool) if self.budget.counts_words else self.budget.holds(masks)
        if len(self.needs):
            fine &= ~(masks[:, self.needs[:, 0]] & ~masks[:, self.needs[:, 1]]).any(axis=1)
        return fine

    def random(self, rng: np.random.Generator, count: int) -> BoolArray:
        """Random feasible candidates, (count, n)."""
        return self.filled(np.argsort(rng.random((count, len(self.free))), axis=1))

    def filled(self, order: IntArray) -> BoolArray:
        """Feasible candidates from rankings: each row of `order`, (count, free words), has preferred words first."""
        masks = np.tile(self.pinned, (len(order), 1))
        if self.budget.counts_words:
            np.put_along_axis(masks, self.free[order[:, : self.n_free]], True, axis=1)
            return self.repaired(masks)
        for mask, row in zip(masks, order, strict=True):
            self._fill(mask, self.free[row])
        return masks

    def _fill(self, mask: BoolArray, order: IntArray) -> None:
        """Add words in this order, each with all that it needs, if they fit."""
        weights = np.stack([part.weights for part in self.budget.parts])
        room = np.array([part.limit for part in self.budget.parts]) - weights[:, mask].sum(axis=1)
        for word in order:
            new = self.needed.get(int(word), word[None])
            new = new[~mask[new]]
            if ((weight := weights[:, new].sum(axis=1)) <= room).all():
                mask[new], room = True, room - weight
        if self.budget.limit - room[0] < self.budget.least:  # no word that is left fits: take any candidate
            mask[:] = self._any

    @cached_property
    def _any(self) -> BoolArray:
        """Some feasible candidate: the first of all if they are few, else one that is put together from groups."""
        if self.count <= _FEW:
            for masks in self.all(chunk=1):
                return np.asarray(masks[0])
        elif (words := packed(self.budget, self.pinned, self.free, self.needed)) is not None:
            mask = self.pinned.copy()
            mask[words] = True
            return mask
        raise InputError("no choice of words has this length, because some need each other: ask for another one")

    def repaired(self, masks: BoolArray) -> BoolArray:
        """The masks, with kept words replaced by dropped ones that they need; the number of words stays the same."""
        masks = masks.copy()
        chains = [(word, host) for word, host in self.needs.tolist() if word not in self.needed.get(host, ())]
        # A host may need a host itself ("$ 5 's"). Every replacement goes up a chain of needs, so the loop ends.
        while any((masks[:, word] & ~masks[:, host]).any() for word, host in chains):
            for word, host in chains:
                alone = masks[:, word] & ~masks[:, host]
                masks[alone, host], masks[alone, word] = True, False
        for row in np.flatnonzero(~self.feasible(masks)):  # some of several words that need each other
            for word, others in self.needed.items():
                masks[row, word] &= bool(masks[row, others].all())
            self._fill(masks[row], self.free)
        return masks

    def moves(self, rng: np.random.Generator, masks: BoolArray) -> BoolArray:
        """A random neighbour of each mask, which may be infeasible.

        If the number of words is fixed, a selected and an unselected free position are swapped, drawn uniformly: the
        move of the paper. Otherwise either of them may also be missing, which adds or removes a word.
        """
        free = masks[:, self.free]
        selected = free.sum(axis=1)
        nothing = 0 if self.budget.counts_words else 1
        draws = rng.random((2, len(masks)))
        out = (draws[0] * (selected + nothing)).astype(np.int64)
        into = (draws[1] * (len(self.free) - selected + nothing)).astype(np.int64)
        order = np.argsort(~free, axis=1, kind="stable")  # selected positions first, then the unselected ones
        rows = np.arange(len(masks))
        moved = masks.copy()
        takes, puts = out < selected, into < len(self.free) - selected
        moved[rows[takes], self.free[order[rows[takes], out[takes]]]] = False
        moved[rows[puts], self.free[order[rows[puts], (selected + into)[puts]]]] = True
        return moved

    def neighbours(self, mask: BoolArray, limit: int) -> BoolArray:
        """The feasible candidates one move away from `mask`.

        Of more than `limit` swaps there are those of the nearest words, and of more than `limit` words that may be
        added or left out there are some, evenly spread.

        >>> space = CandidateSpace(Budget.of_words(3, 1))
        >>> space.neighbours(np.array([False, True, False]), limit=9).astype(int).tolist()
        [[1, 0, 0], [0, 0, 1]]
        """
        selected, unselected = self.free[mask[self.free]], self.free[~mask[self.free]]
        out, into = np.repeat(selected, len(unselected)), np.tile(unselected, len(selected))
        if len(out) > limit:
            nearest = np.argsort(np.abs(out - into), kind="stable")[:limit]
            out, into = out[nearest], into[nearest]
        moved = np.repeat(mask[None], len(out), axis=0)
        rows = np.arange(len(out))
        moved[rows, out], moved[rows, into] = False, True
        if not self.budget.counts_words:  # one word less, or one more
            words = self.free[:: max(1, -(-len(self.free) // limit))]
            changed = np.repeat(mask[None], len(words), axis=0)
            changed[np.arange(len(words)), words] ^= True
            moved = np.concatenate([moved, changed])
        return np.asarray(moved[self.feasible(moved)])

    def all(self, chunk: int = 1024) -> Iterator[BoolArray]:
        """Every feasible candidate, in chunks of at most `chunk` masks."""
        chosen = itertools.combinations(self.free.tolist(), self.n_free) if self.budget.counts_words else self._within()
        while rows := list(itertools.islice(chosen, chunk)):
            masks = np.tile(self.pinned, (len(rows), 1))
            for mask, row in zip(masks, rows, strict=True):
                mask[list(row)] = True
            masks = masks[self.feasible(masks)]
            if len(masks):
                yield masks

    def _within(self) -> Iterator[tuple[int, ...]]:
        """Every choice of free words within the budget, depth first, without branches that cannot reach the least."""
        pinned = int(self.budget.weights[self.pinned].sum())
        # A word that fits one limit may be too long for the other: `feasible` leaves out what is over that one.
        free = self.free[self.budget.weights[self.free] <= self.budget.limit - pinned].tolist()
        weights = self.budget.weights[free].tolist()
        to_come = [sum(weights[i:]) for i in range(len(free) + 1)]
        waiting: list[tuple[int, int, tuple[int, ...]]] = [(0, pinned, ())]
        while waiting:
            begin, used, chosen = waiting.pop()
            if used >= self.budget.least:
                yield chosen
            for i in reversed(range(begin, len(free))):
                if used + weights[i] <= self.budget.limit and used + to_come[i] >= self.budget.least:
                    waiting.append((i + 1, used + weights[i], (*chosen, free[i])))


def refuse_over_limit(budget: Budget, kept: BoolArray) -> None:
    """Raise an error if these words, which have to be kept, are over the limit."""
    if (part := budget.exceeded(kept)) is None:
        return
    weight = int(part.weights[kept].sum())
    if part.unit == "words":
        raise InputError(f"{weight} words are to be kept, but the summary has only {part.limit}")
    limit = f"{part.shown(part.limit)} {part.unit}"
    raise InputError(f"what is to be kept takes up to {part.shown(weight)}, but the limit is {limit}")


def closures(n: int, needs: IntArray) -> dict[int, IntArray]:
    """For each word that needs others: itself and all that it needs, directly or through others.

    >>> {word: others.tolist() for word, others in closures(4, np.array([[1, 0], [2, 1]])).items()}
    {1: [0, 1], 2: [0, 1, 2]}
    """
    pairs = needs.tolist()
    both_ways, reached, before = (*pairs, *reversed(pairs)), [1 << word for word in range(n)], list[int]()
    while reached != before:  # a number is a set of words: a long chain has many, and Python joins them at once
        before = reached.copy()
        for word, host in both_ways:
            reached[word] |= reached[host]
    return {word: _words(reached[word], n) for word in dict.fromkeys(needs[:, 0].tolist())}


def _words(bits: int, n: int) -> IntArray:
    """The words of a set that is a number: word i has the bit i."""
    found = np.unpackbits(np.frombuffer(bits.to_bytes(-(-n // 8), "little"), np.uint8), bitorder="little")
    return np.flatnonzero(found)
