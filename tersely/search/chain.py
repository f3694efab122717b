"""Stage 4: the best candidates where a score is a sum over neighbours: an exact dynamic programme, under any budget.

The state is (weight used, last word), as in the lattice, but here one prefix per state is enough, or the K best of them
for the K best candidates. Pinned and banned words and most needs are edges that must not be taken. A need whose two
words lie apart is not known to a state: where the best candidates break one, the programme is solved twice more,
without the word and with both, until none of the best breaks any. That is branch and bound, so the result is exact.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tersely.candidates import CandidateSpace
from tersely.errors import InputError
from tersely.length import Budget
from tersely.search.result import MOST_FOUND, Observer, Scorer, SearchResult, Step
from tersely.source import BoolArray, IntArray

Scores = NDArray[np.float64]

_MOST_SOLVED = 400  # programmes; real sentences take one to five
_MOST_STATES = 8_000_000  # that the K best of every state may fill: of a long text there are fewer than asked for


@dataclass(frozen=True)
class Chain:
    """The search for the best sums over edges; `edges[a, b]` is the score of keeping the word before position a and
    then the word b, where at 0 a candidate begins, and at n it ends."""

    edges: Scores  # (n + 1, n + 1)
    most: int = 1  # candidates to find

    def __call__(self, objective: Scorer, space: CandidateSpace, observe: Observer | None = None) -> SearchResult:
        """The best candidates. Nothing here is left to chance, so it takes no generator, unlike other searches."""
        masks, scores, solved = self.best(space)
        if not len(masks):  # what needs each other fits together in no way that was tried
            masks = space.random(np.random.default_rng(0), 1)
        scores = objective.log_scores(masks)
        if observe is not None:
            observe(Step(0, 0, masks[0], float(scores[0]), accepted=True))
        return SearchResult(masks, scores, evaluations=solved, accepted=0, restarts=1)

    def every_weight(self, objective: Scorer, space: CandidateSpace) -> dict[int, SearchResult]:
        """The best candidate of every weight that a candidate can have, the lightest first."""
        found = {}
        for weight in range(1, space.budget.limit + 1):
            try:
                masks, _, solved = self.best(space.within(replace(space.budget, least=weight, limit=weight)))
            except InputError:  # what is pinned weighs more
                continue
            if len(masks):
                found[weight] = SearchResult(masks, objective.log_scores(masks), solved, accepted=0, restarts=1)
        return found

    def best(self, space: CandidateSpace) -> tuple[BoolArray, Scores, int]:
        """The best feasible candidates, their scores, and how many programmes it took."""
        most = max(1, min(self.most, MOST_FOUND, _MOST_STATES // ((space.n + 1) * (space.budget.limit + 1))))
        allowed = _without_broken_needs(self.edges, space.needs)
        waiting: list[tuple[float, int, BoolArray, BoolArray]] = [(-np.inf, 0, space.pinned, space.banned)]
        masks, scores, solved = np.zeros((0, space.n), dtype=bool), np.zeros(0), 0
        number = itertools.count(1)  # of two parts that promise the same, the one met first
        while waiting and solved < _MOST_SOLVED:
            bound, _, pinned, banned = heapq.heappop(waiting)
            if len(masks) >= most and -bound <= scores[most - 1]:
                break  # no part that is left can have a better one
            solved += 1
            found, values = solve(_restricted(allowed, pinned, banned), space.budget, most)
            broken = found[:, space.needs[:, 0]] & ~found[:, space.needs[:, 1]]  # (found, needs)
            first = int(broken.any(axis=1).argmax()) if broken.any() else len(found)
            if first == len(found):
                masks, scores = np.concatenate([masks, found]), np.concatenate([scores, values])
                order = np.argsort(-scores, kind="stable")[:most]
                masks, scores = masks[order], scores[order]
                continue
            word = int(space.needs[broken[first].argmax(), 0])
            for part in (_without(space, word, pinned, banned), _with(space, word, pinned, banned)):
                if not (part[0] & part[1]).any():
                    heapq.heappush(waiting, (-float(values[0]), next(number), *part))
        return masks, scores, solved


def _without(space: CandidateSpace, word: int, pinned: BoolArray, banned: BoolArray) -> tuple[BoolArray, BoolArray]:
    banned = banned.copy()
    banned[[word, *(other for other, needed in space.needed.items() if word in needed)]] = True
    return pinned, banned


def _with(space: CandidateSpace, word: int, pinned: BoolArray, banned: BoolArray) -> tuple[BoolArray, BoolArray]:
    pinned = pinned.copy()
    pinned[space.needed[word]] = True
    return pinned, banned


def _without_broken_needs(edges: Scores, needs: IntArray) -> Scores:
    """The edges that can be taken: forward ones that do not themselves drop what one of their two words needs."""
    n = len(edges) - 1
    allowed = np.where(np.tri(n + 1, k=-1, dtype=bool), -np.inf, edges)
    allowed[0, n] = -np.inf  # nothing kept
    for word, host in needs.tolist():
        if host > word:
            allowed[word + 1, host + 1 :] = -np.inf
        elif host < word:
            allowed[: host + 1, word] = -np.inf
    return allowed


def _restricted(edges: Scores, pinned: BoolArray, banned: BoolArray) -> Scores:
    """The edges that drop no pinned word and keep no banned one."""
    before = np.append(0, pinned.cumsum())
    edges = np.where(before[:, None] == before, edges, -np.inf)
    edges[:, :-1][:, banned] = -np.inf
    return edges


def solve(edges: Scores, budget: Budget, most: int = 1) -> tuple[BoolArray, Scores]:
    """The best candidates within a budget, (at most `most`, n), best first, and their scores."""
    if most == 1 and budget.counts_words:
        return _solve_words(edges, budget.limit)
    n, limit = len(edges) - 1, budget.limit
    # values[used, a, k]: the k-th best prefix of this weight whose last word is the one before a
    values = np.full((limit + 1, n + 1, most), -np.inf)
    values[0, 0, 0] = 0
    came_from = np.zeros(values.shape, dtype=np.int32)  # of the prefix before: `most` times its position, plus its rank
    up_to = budget.weights.cumsum()
    for word, weight in enumerate(budget.weights.tolist()):
        # No prefix weighs more than all words up to here, and none that counts leaves too much to those after it.
        least = max(weight, budget.least - int(up_to[-1] - up_to[word]))
        most_used = min(limit, int(up_to[word]))
        if least > most_used:
            continue
        reached = values[least - weight : most_used + 1 - weight, : word + 1] + edges[: word + 1, word, None]
        best, which = _best(reached.reshape(len(reached), -1), most)
        values[least : most_used + 1, word + 1, : best.shape[1]] = best
        came_from[least : most_used + 1, word + 1, : best.shape[1]] = which
    ends = (values[max(budget.least, 1) :] + edges[:, n, None]).reshape(-1)
    order = np.argsort(-ends, kind="stable")[:most] if most > 1 else np.array([ends.argmax()])
    order = order[np.isfinite(ends[order])]
    masks = np.zeros((len(order), n), dtype=bool)
    for mask, end in zip(masks, order.tolist(), strict=True):
        used, state = divmod(end, (n + 1) * most)
        used += max(budget.least, 1)
        while state >= most:
            position, rank = divmod(state, most)
            mask[position - 1] = True
            state = int(came_from[used, position, rank])
            used -= int(budget.weights[position - 1])
    return masks, ends[order]


def _solve_words(edges: Scores, size: int) -> tuple[BoolArray, Scores]:
    """The one best candidate of so many words: a step for each word that is kept, and not for each of the source."""
    n = len(edges) - 1
    to_words = np.ascontiguousarray(edges[:, :n].T)  # (n, n + 1)
    values, words = np.full(n + 1, -np.inf), np.arange(n)
    values[0] = 0
    came_from = np.zeros((size, n), dtype=np.int64)
    for k in range(size):
        reached = to_words + values
        which = came_from[k] = reached.argmax(axis=1)
        values[1:], values[0] = reached[words, which], -np.inf
    ends = values + edges[:, n]
    position = int(ends.argmax())
    score = ends[position : position + 1]
    masks = np.zeros((int(np.isfinite(score[0])), n), dtype=bool)
    for mask in masks:
        for before in came_from[::-1]:
            mask[position - 1] = True
            position = int(before[position - 1])
    return masks, score[: len(masks)]


def _best(values: Scores, most: int) -> tuple[Scores, IntArray]:
    """The highest values of each row, best first, and their columns."""
    rows = np.arange(len(values))[:, None]
    if most == 1:
        which = values.argmax(axis=1)[:, None]
    else:
        which = np.argpartition(-values, most - 1, axis=1)[:, :most] if values.shape[1] > most else None
        which = np.argsort(-values, axis=1, kind="stable") if which is None else which
        which = np.take_along_axis(which, np.argsort(-values[rows, which], axis=1, kind="stable"), axis=1)
    return values[rows, which], which
