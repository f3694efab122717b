"""Stage 5: the candidates within a budget, best sums over neighbours first, one by one.

A dynamic programme finds the best prefix of every state (weight used, last word). The best candidate follows from it,
and every other one leaves a better one at some state, for the next best way to reach it. So the candidates come out in
order, and only states on their ways are looked at again: K candidates do not take K programmes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.system.arrays import BoolArray, IntArray

Scores = NDArray[np.float64]
State = tuple[int, int]  # the weight used, and the position after the last word; 0 is the beginning

_MOST_STATES = 2_000_000  # some 50 MB; of a long text, characters are counted in twos, threes, ...
_STATE = 7_000  # edges that take as long as a look at one state
_WAY = 1_000  # edges that take as long as one more way to a state of a candidate
_FINE = 4  # to weigh in smaller parts of a unit takes longer than it is worth
_END = (-1, -1)


def coarse(budget: Budget) -> Budget:
    """The budget with weights in larger units, rounded up, so that every candidate within it is within the old one."""
    if budget.exact:
        return budget
    if budget.also is not None:
        first, second = coarse(replace(budget, also=None)), coarse(budget.also)
        fine = max(1, _MOST_STATES // ((len(budget.weights) + 1) * (first.limit + 1)))
        return replace(first, also=_in_units(second, -(-(second.limit + 1) // fine)))
    unit = -(-(len(budget.weights) + 1) * (budget.limit + 1) // _MOST_STATES)
    return _in_units(budget, max(unit, int(budget.scale / _FINE)))


def _in_units(budget: Budget, unit: int) -> Budget:
    if unit == 1:
        return budget
    weights, limit, spare = -(-budget.weights // unit), budget.limit // unit, budget.spare // unit
    return replace(budget, weights=weights, limit=limit, spare=spare, scale=budget.scale / unit)


class Sums:
    """The candidates within a budget and their sums, best first.

    `edges` are as in `BoundObjective.edges`, with -inf where there is none; `by_weight` is what the weight of a whole
    candidate adds. `most` says how many candidates are wanted, `most_edges` how many edges may be tried. With two
    limits, a weight is one number: the first weight times `base`, plus the second.
    """

    def __init__(
        self, edges: Scores, budget: Budget, most: int, by_weight: Scores | None = None, most_edges: float = np.inf
    ) -> None:
        n, also = len(edges) - 1, budget.also
        self._base = 1 if also is None else also.limit + 1
        weights = budget.weights * self._base + (0 if also is None else also.weights)
        self._edges, self._weights, self._most, self._most_edges = edges, weights.tolist(), most, most_edges
        # Neighbours are at most so far apart; half of the edges are left for what follows.
        self._limit = (budget.limit + 1) * self._base - 1
        self._window = int(min(n + 1, max(1, most_edges / 2 / (n * (self._limit + 1)))))
        self.tried = 0  # edges
        self.bounded = self._window <= n
        self._values = np.full((self._limit + 1, n + 1), -np.inf)
        self._values[0, 0] = 0
        self._came_from = np.zeros(self._values.shape, dtype=np.int32)
        self._fill(budget)
        self._ways: dict[State, tuple[IntArray, Scores]] = {_END: self._to_end(budget, by_weight)}

    def _fill(self, budget: Budget) -> None:
        up_to = np.cumsum(self._weights)
        for word in np.flatnonzero(budget.fits).tolist():
            weight = self._weights[word]
            # No prefix weighs more than all words up to here, and one that is too light cannot reach the least weight.
            least = max(weight, budget.least * self._base - int(up_to[-1] - up_to[word]))
            most_used = min(self._limit, int(up_to[word]))
            if least > most_used:
                continue
            first = max(0, word + 1 - self._window)
            before = self._values[least - weight : most_used + 1 - weight, first : word + 1]
            reached = before + self._edges[first : word + 1, word]
            which = reached.argmax(axis=1)
            best = reached[np.arange(len(reached)), which]
            which += first
            if first and least == weight and self._edges[0, word] >= best[0]:  # a candidate may begin anywhere
                best[0], which[0] = self._edges[0, word], 0
            if self._base > 1:  # what is over the second limit has been carried to the first weight
                best[np.arange(least, most_used + 1) % self._base < weight % self._base] = -np.inf
            self._values[least : most_used + 1, word + 1] = best
            self._came_from[least : most_used + 1, word + 1] = which
            self.tried += reached.size

    def _to_end(self, budget: Budget, by_weight: Scores | None) -> tuple[IntArray, Scores]:
        """The states that a candidate may end in, best first, as weight times (n + 1) plus position, and the sums."""
        ends = self._values + self._edges[:, -1]
        if by_weight is not None:
            ends += by_weight[:, None]
        ends[: max(budget.least * self._base, 1)] = -np.inf
        return _best(ends.ravel(), self._most)

    def _ways_to(self, state: State) -> tuple[IntArray, Scores]:
        """The positions that a state may be reached from, best first, and the values."""
        if state not in self._ways:
            used, position = state
            word, before = position - 1, used - self._weights[position - 1]
            first = max(0, position - self._window)
            values = self._values[before, first:position] + self._edges[first:position, word]
            which, values = _best(values, self._most)
            self._ways[state] = which + first, values
            self.tried += _STATE + position - first
        return self._ways[state]

    def _before(self, state: State, rank: int) -> State:
        way = int(self._ways_to(state)[0][rank])
        return divmod(way, len(self._edges)) if state == _END else (state[0] - self._weights[state[1] - 1], way)

    def __iter__(self) -> Iterator[tuple[BoolArray, float]]:
        values, number = self._ways[_END][1], 0
        # Each is the best of the candidates that end in these words and reach `state` in the way of this rank.
        waiting: list[tuple[float, int, State, int, Any]] = []
        if len(values):
            waiting.append((-float(values[0]), number, _END, 0, None))
        for _ in range(self._most):
            if not waiting:
                return
            if self.tried > self._most_edges:
                self.bounded = True
                return
            minus, _, state, rank, tail = heapq.heappop(waiting)
            mask = np.zeros(len(self._edges) - 1, dtype=bool)
            words = tail
            while words is not None:
                mask[words[0]], words = True, words[1]
            at, on_way = self._before(state, rank), [(state, rank + 1, tail)]
            while at[1]:
                mask[at[1] - 1] = True
                tail = (at[1] - 1, tail)
                on_way.append((at, 1, tail))
                at = (at[0] - self._weights[at[1] - 1], int(self._came_from[at]))
            self.tried += _WAY * len(on_way)
            yield mask, -minus
            for way in on_way:
                values = self._ways_to(way[0])[1]
                if way[1] < len(values):
                    number += 1
                    heapq.heappush(waiting, (minus + float(values[way[1] - 1] - values[way[1]]), number, *way))


def _best(values: Scores, most: int) -> tuple[IntArray, Scores]:
    """The places of the highest finite values, at most `most`, best first and of equals the first, and the values."""
    places = np.arange(len(values))
    if len(values) > 4 * most:
        places = np.sort(np.argpartition(-values, most)[: most + 1])
    places = places[np.argsort(-values[places], kind="stable")][:most]
    places = places[np.isfinite(values[places])]
    return places, values[places]
