"""Stage 5: chain search: the best sums over neighbours by dynamic programming, then a climb.

It is for objectives with a part that is a sum over kept neighbours (`edges`). The state is (weight used, last word), as
in the lattice, but one prefix per state is enough, or K of them for the K best candidates. Edges that would drop a
pinned word, keep a banned one or break a need are removed. A need between words further apart is invisible to a state.
Where the best candidates break one, the problem is split in two, without the word and with both, until none of the best
breaks any: branch and bound, so the sums are exact. The whole objective is then climbed by the steepest swap.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.search.climb import steepest_climb
from tersely.search.result import MOST_FOUND, NeighbourScorer, Observer, SearchResult
from tersely.system.arrays import BoolArray, IntArray

Scores = NDArray[np.float64]

_MOST_SOLVED = 400  # subproblems; real sentences take one to five
# Of a long text there are fewer candidates and subproblems, or characters are counted in twos, threes, ...
_MOST_STATES = 8_000_000  # prefixes kept in all states
_MOST_EDGES = 2_000_000_000  # edges tried in all subproblems, about ten seconds
_MOST_EDGES_OF_ONE = 10_000_000_000  # in one subproblem, if it has only one prefix in each state


@dataclass(frozen=True)
class Chain:
    """Chain search."""

    most: int = 8  # candidates that the climb starts from

    def looking_for(self, most: int) -> Chain:
        """The same search for `most` candidates."""
        return replace(self, most=max(self.most, most))

    def __call__(
        self,
        objective: NeighbourScorer,
        space: CandidateSpace,
        rng: np.random.Generator,
        observe: Observer | None = None,
    ) -> SearchResult:
        """The best candidates by the whole objective that a climb from the best sums finds."""
        edges = objective.edges(space.budget.n_words)
        if edges is None:
            raise InputError(
                "the search chain needs a factor that scores neighbours, which this objective lacks: use another search"
            )
        masks, solved = (~space.banned)[None], 0
        if not space.budget.holds(masks)[0] or not space.budget.exact:  # else all words are kept
            masks, _, solved = self.best(edges, space, objective.by_weight(space.budget))
        found = steepest_climb(objective, space, masks, objective.log_scores(masks), observe)
        return replace(found, evaluations=found.evaluations + solved)

    def best(
        self, edges: Scores, space: CandidateSpace, by_weight: Scores | None = None
    ) -> tuple[BoolArray, Scores, int]:
        """The best feasible candidates, their sums, and how many subproblems were solved.

        Where too many subproblems would have to be solved, the best candidate of the first one is made feasible.
        """
        n_states = (space.n + 1) * (space.budget.limit + 1)
        n_edges = (space.n + 1) * n_states
        most = max(1, min(self.most, MOST_FOUND, _MOST_STATES // n_states, _MOST_EDGES // (8 * n_edges)))
        most_solved = max(1, min(_MOST_SOLVED, _MOST_EDGES // (most * n_edges)))
        budget, by_weight = _coarse(space.budget, by_weight, 1 + n_edges // _MOST_EDGES_OF_ONE)
        best = space.pinned  # of all candidates, whether they break needs or not
        allowed = _without_broken_needs(edges, space.needs)
        waiting: list[tuple[float, int, BoolArray, BoolArray]] = [(-np.inf, 0, space.pinned, space.banned)]
        masks, scores, solved = np.zeros((0, space.n), dtype=bool), np.zeros(0), 0
        number = itertools.count(1)  # of two subproblems with the same bound, the first comes first
        while waiting and solved < most_solved:
            bound, _, pinned, banned = heapq.heappop(waiting)
            if len(masks) >= most and -bound <= scores[most - 1]:
                break  # no subproblem that is left has a better candidate
            solved += 1
            found, values = solve(_restricted(allowed, pinned, banned), budget, most, by_weight)
            best = found[0] if solved == 1 and len(found) else best
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
        if not len(masks):
            masks = space.filled(np.argsort(~best[None, space.free], axis=1, kind="stable"))
            scores = np.full(1, -np.inf)
        return masks, scores, solved


def _coarse(budget: Budget, by_weight: Scores | None, unit: int) -> tuple[Budget, Scores | None]:
    """The budget with weights in larger units, rounded up, so that every candidate within it is within the old one."""
    if unit == 1 or budget.exact:
        return budget, by_weight
    made = replace(budget, weights=-(-budget.weights // unit), limit=budget.limit // unit)
    return made, None if by_weight is None else by_weight[::unit][: made.limit + 1]


def _without(space: CandidateSpace, word: int, pinned: BoolArray, banned: BoolArray) -> tuple[BoolArray, BoolArray]:
    banned = banned.copy()
    banned[[word, *(other for other, needed in space.needed.items() if word in needed)]] = True
    return pinned, banned


def _with(space: CandidateSpace, word: int, pinned: BoolArray, banned: BoolArray) -> tuple[BoolArray, BoolArray]:
    pinned = pinned.copy()
    pinned[space.needed[word]] = True
    return pinned, banned


def _without_broken_needs(edges: Scores, needs: IntArray) -> Scores:
    """The edges that go forward and do not skip a word that one of their two words needs."""
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
    """The edges that skip no pinned word and keep no banned one."""
    before = np.append(0, pinned.cumsum())
    edges = np.where(before[:, None] == before, edges, -np.inf)
    edges[:, :-1][:, banned] = -np.inf
    return edges


def solve(edges: Scores, budget: Budget, most: int = 1, by_weight: Scores | None = None) -> tuple[BoolArray, Scores]:
    """The best candidates within a budget, (at most `most`, n), best first, and their scores.

    `by_weight` is what the weight of a whole candidate adds to its score, (limit + 1,).
    """
    if most == 1 and budget.counts_words:
        return _solve_words(edges, budget.limit)
    n, limit = len(edges) - 1, budget.limit
    # values[used, a, k]: the k-th best prefix of this weight whose last word is the one before a
    values = np.full((limit + 1, n + 1, most), -np.inf)
    values[0, 0, 0] = 0
    came_from = np.zeros(values.shape, dtype=np.int32)  # the state before: `most` times its position, plus its rank
    up_to = budget.weights.cumsum()
    for word, weight in enumerate(budget.weights.tolist()):
        # No prefix weighs more than all words up to here, and one that is too light cannot reach the least weight.
        least = max(weight, budget.least - int(up_to[-1] - up_to[word]))
        most_used = min(limit, int(up_to[word]))
        if least > most_used:
            continue
        reached = values[least - weight : most_used + 1 - weight, : word + 1] + edges[: word + 1, word, None]
        best, which = _best(reached.reshape(len(reached), -1), most)
        values[least : most_used + 1, word + 1, : best.shape[1]] = best
        came_from[least : most_used + 1, word + 1, : best.shape[1]] = which
    ends = values + edges[:, n, None]
    if by_weight is not None:
        ends += by_weight[:, None, None]
    ends = ends[max(budget.least, 1) :].reshape(-1)
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
    """The best candidate of `size` words, in one step for each kept word instead of one for each word."""
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


chain = Chain()
