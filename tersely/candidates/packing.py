"""Stage 3: some choice of words of a length, where words need each other: a knapsack over groups of words.

"12 000" is two words that are kept together or not at all, so a summary of three words must find a word for the third
place. A group has words that are connected by needs. So many of its words are taken that nothing they need is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tersely.candidates.length import Budget
from tersely.system.arrays import BoolArray, IntArray

Needed = Mapping[int, IntArray]  # a word with all words that it needs, itself among them


def packed(budget: Budget, pinned: BoolArray, free: IntArray, needed: Needed) -> list[int] | None:
    """Free words that are within the budget beside the pinned ones; None if none were found.

    >>> pairs = {i: np.array([i - i % 2, i - i % 2 + 1]) for i in range(4)}
    >>> packed(Budget.of_words(5, 3), np.zeros(5, dtype=bool), np.arange(5), pairs)
    [0, 1, 4]
    """
    weights = np.stack([part.weights for part in budget.parts])
    limits = [part.limit for part in budget.parts]
    start = weights[:, pinned].sum(axis=1).tolist()
    # By the first weight: all weights, the others at their least, and the words, linked to those before.
    reached: dict[int, tuple[list[int], Any]] = {start[0]: (start, None)}
    for group in _groups(free.tolist(), needed):
        added = [(words, weights[:, words].sum(axis=1).tolist()) for words in group]
        for total, before in list(reached.values()):
            for words, more in added:
                new = [a + b for a, b in zip(total, more, strict=True)]
                lighter = new[0] not in reached or new < reached[new[0]][0]
                if lighter and all(a <= b for a, b in zip(new, limits, strict=True)):
                    reached[new[0]] = new, (words, before)
        if max(reached) >= budget.least:
            return sorted(_unlinked(reached[max(reached)][1]))
    return None


def _unlinked(link: Any) -> Iterator[int]:
    while link is not None:
        yield from link[0]
        link = link[1]


def _groups(free: list[int], needed: Needed) -> Iterator[list[list[int]]]:
    """Of each group, the sets of words that can be kept: the smallest, and each next one with the words of the last."""
    left = set(free)
    closures = {word: left.intersection([word, *needed[word].tolist()] if word in needed else [word]) for word in free}
    linked: dict[int, set[int]] = {word: set(others) for word, others in closures.items()}
    for word, others in closures.items():
        for other in others:
            linked[other].add(word)
    for first in free:
        group, waiting = [], [first]
        while waiting:
            if (word := waiting.pop()) in left:
                left.remove(word)
                group.append(word)
                waiting += linked[word]
        kept: set[int] = set()
        sets = []
        for word in sorted(group, key=lambda word: (len(closures[word]), word)):
            if not closures[word] <= kept:
                kept |= closures[word]
                sets.append(sorted(kept))
        if sets:
            yield sets
