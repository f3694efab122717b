"""Stage 5: chain search: the best sums over neighbours by dynamic programming, then a climb.

It is for objectives with a part that is a sum over kept neighbours (`edges`). The state is (weight used, last word), as
in the lattice, but one prefix per state is enough: `Sums` finds the next best candidates from it one by one. Edges that
would drop a pinned word, keep a banned one or break a need are removed. A need between words further apart is invisible
to a state. Candidates that break one are passed over. Where there are too many of those, the problem is split in two,
without the word and with both: branch and bound, so the sums are exact. The whole objective is then climbed by the
steepest swap.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.errors import InputError
from tersely.search.climb import steepest_climb
from tersely.search.result import MOST_FOUND, NeighbourScorer, Observer, SearchResult, best_first
from tersely.search.sums import Scores, Sums, coarse
from tersely.search.work import EDGES, MOST_FAST_WORK
from tersely.system.arrays import BoolArray, IntArray

# Edges tried, about a sixth of a second. Of a long text, words that are far apart are then no neighbours.
_MOST_EDGES = 30_000_000
_STARTS = 8  # candidates that the climb starts from, at least
_PASSED_OVER = 50  # candidates that break needs, before a problem is split


Candidate = tuple[BoolArray, float]  # with its sum


@dataclass(frozen=True)
class Best:
    """The best candidates found so far, their sums, and how they were found."""

    masks: BoolArray
    scores: Scores
    solved: int = 0  # subproblems
    edges: int = 0  # tried
    bounded: bool = False

    def with_more(self, found: list[Candidate], sums: Sums, most: int) -> Best:
        """With the candidates of one more subproblem."""
        masks = np.concatenate([self.masks, *(mask[None] for mask, _ in found)])
        masks, scores = best_first(masks, np.append(self.scores, [score for _, score in found]), most)
        return Best(masks, scores, self.solved + 1, self.edges + sums.tried, self.bounded or sums.bounded)


@dataclass(frozen=True)
class Chain:
    """Chain search."""

    most: int = 1  # candidates wanted
    effort: float = 1.0

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
        found = Best(~space.banned[None], np.zeros(1))
        if not space.budget.holds(found.masks)[0] or not space.budget.exact:  # else all words are kept
            found = self.best(edges, space, objective.by_weight)
        scores = objective.log_scores(found.masks)
        result = steepest_climb(objective, space, found.masks, scores, observe, self.effort)
        work, bounded = result.work + found.edges / EDGES, result.bounded or found.bounded
        evaluations = result.evaluations + found.solved
        return replace(result, evaluations=evaluations, work=work, most_work=MOST_FAST_WORK, bounded=bounded)

    def best(self, edges: Scores, space: CandidateSpace, by_weight: Callable[[Budget], Scores] | None = None) -> Best:
        """The best feasible candidates by their sums; where the work ends before one is found, one is made feasible."""
        limit, most = _MOST_EDGES * self.effort, min(max(self.most, _STARTS), MOST_FOUND)
        budget = coarse(space.budget)
        added = None if by_weight is None else by_weight(budget)
        allowed = _without_broken_needs(edges, space.needs)
        waiting: list[tuple[float, int, BoolArray, BoolArray]] = [(-np.inf, 0, space.pinned, space.banned)]
        best, start = Best(np.zeros((0, space.n), dtype=bool), np.zeros(0)), space.pinned
        number = itertools.count(1)  # of two subproblems with the same bound, the first comes first
        while waiting and best.edges < limit:
            bound, _, pinned, banned = heapq.heappop(waiting)
            if len(best.masks) >= most and -bound <= best.scores[most - 1]:
                return best  # no subproblem that is left has a better candidate
            sums = Sums(_restricted(allowed, pinned, banned), budget, most + _PASSED_OVER, added, limit)
            found, broken = _feasible(sums, space, most)
            if not best.solved and (found or broken):
                start = (found or broken)[0][0]
            best = best.with_more(found, sums, most)
            if len(found) < most and broken and not sums.bounded:
                needs = broken[0][0][space.needs[:, 0]] & ~broken[0][0][space.needs[:, 1]]
                word, value = int(space.needs[needs.argmax(), 0]), max(each[0][1] for each in (found, broken) if each)
                for part in (_without(space, word, pinned, banned), _with(space, word, pinned, banned)):
                    if not (part[0] & part[1]).any():
                        heapq.heappush(waiting, (-value, next(number), *part))
        if not len(best.masks):
            masks = space.filled(np.argsort(~start[None, space.free], axis=1, kind="stable"))
            best = replace(best, masks=masks, scores=np.full(1, -np.inf))
        return replace(best, bounded=best.bounded or bool(waiting))


def _feasible(sums: Sums, space: CandidateSpace, most: int) -> tuple[list[Candidate], list[Candidate]]:
    """The best candidates that break no need, at most `most`, and those that break one, until there are too many."""
    found: list[Candidate] = []
    broken: list[Candidate] = []
    for candidate in sums:
        (found if space.feasible(candidate[0][None])[0] else broken).append(candidate)
        if len(found) == most or len(broken) == _PASSED_OVER:
            break
    else:
        broken = [] if not sums.bounded else broken  # there are no others
    return found, broken


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


chain = Chain()
