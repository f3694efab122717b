"""Stage 3: the selector: a score for every edge of a summary, learned from what the search finds (`tersely distill`).

An edge is two words that become neighbours (`clues.py`); the score of a candidate is the sum over its edges, so that
the best one under any budget is an exact dynamic programme (`tersely.search.chain`). A small network on the parser's
encoder, in numpy; the length asked for is one of its inputs, the style another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.errors import BundleError
from tersely.length import Budget
from tersely.scoring.clues import N_EDGE, ClueReader, Clues
from tersely.scoring.guide import Expectation, Guide
from tersely.scoring.priors import Counts
from tersely.scoring.similarity import Similarity
from tersely.scoring.table import Table
from tersely.source import BoolArray

Array = NDArray[np.float32]
Lookup = Callable[[str], NDArray[Any]]

N_AIMS = 5
# How much it counts that a word is in many good candidates, and how far from the best ones those may be; by ROUGE on
# development data (results/tuning.md).
SHARED, WARMTH = 10.0, 6.0
_DECIMALS = 5  # beyond these a score is noise of float32
_EDGES = 20_000  # whose clues are in memory at a time


def aims(size: float, n: int, *, exact: bool) -> Array:
    """The length asked for as the selector sees it: words to keep, of how many, and whether it is exact."""
    return np.array([1, size / n, 4 / size, np.log(size) / 2, not exact], np.float32)


@dataclass(frozen=True)
class Selector:
    """The weights of a selector; `styles` are the objectives that it has learned."""

    styles: tuple[str, ...]
    weights: Mapping[str, Array]
    clues: ClueReader

    @classmethod
    def from_tensors(cls, tensor: Lookup, styles: tuple[str, ...], clues: ClueReader) -> Selector:
        names = "word.hidden word.hidden.bias word left left.bias right right.bias start end pair edge.hidden "
        names += "edge.hidden.bias edge.aims edge linear"
        weights = {name: tensor(f"selector.{name}").astype(np.float32) for name in names.split()}
        seen, n = weights["edge.hidden"].shape[1:], len(styles)
        by_style = ("word", "pair", "edge.aims", "edge", "linear")
        if seen != (N_EDGE,) or any(weights[name].shape[:1] != (n,) for name in by_style):
            raise BundleError("the selector of this bundle is not for this version of tersely: distill it anew")
        return cls(styles, weights, clues)

    def bind(self, clues: Clues, style: str, budget: Budget) -> BoundSelector:
        """The factor `selector` for one source and a budget."""
        edges: NDArray[np.float64] = self.scores(clues, style, budget).astype(np.float64)
        edges[:, :-1] += SHARED * shares(edges / WARMTH, budget.n_words)
        return BoundSelector(edges.round(_DECIMALS))

    def scores(self, clues: Clues, style: str, budget: Budget) -> Array:
        """The score of every edge, (n + 1, n + 1), for a budget."""
        weights, which, n = self.weights, self.styles.index(style), len(clues)
        asked = aims(budget.n_words, n, exact=budget.exact)
        hidden = np.concatenate([clues.states, clues.words], axis=1) @ weights["word.hidden"].T
        hidden = np.maximum(hidden + weights["word.hidden.bias"], 0)
        left = np.vstack([weights["start"], hidden @ weights["left"].T + weights["left.bias"]])
        right = np.vstack([hidden @ weights["right"].T + weights["right.bias"], weights["end"]])
        scores: Array = (left * weights["pair"][which]) @ right.T
        scores[:, :-1] += hidden @ (asked @ weights["word"][which])
        bias = weights["edge.hidden.bias"] + weights["edge.aims"][which] @ asked
        linear = asked @ weights["linear"][which]
        begin = 0
        while begin <= n:
            end = min(n + 1, begin + max(1, _EDGES // (n + 1 - begin)))
            edges = clues.edges(begin, end)
            seen = np.maximum(edges @ weights["edge.hidden"].T + bias, 0)
            scores[begin:end, begin:] += seen @ weights["edge"][which] + edges @ linear
            begin = end
        return scores


def shares(edges: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """In which share of all candidates of `size` words each word is, (n,), each candidate counted by exp(its score).

    A best candidate may stand alone; one whose words others share is the better guess (least Bayes risk). These are
    the marginals of a chain: what comes before a word as its k-th, times what may come after it.

    >>> shares(np.zeros((4, 4)), 2).round(3).tolist()  # of 3 words 2: each word is in two candidates of three
    [0.667, 0.667, 0.667]
    """
    n = len(edges) - 1
    # Words lie far apart where few of many are kept. A factor for each word passed is the same for all candidates, and
    # keeps the numbers of a long text within what a float can hold.
    passed = np.arange(n + 1) * np.log1p(-size / (n + 1))
    ahead = np.triu(np.ones((n + 1, n + 1), dtype=bool))  # from the word before a position to one at it or after it
    chances = np.exp(np.where(ahead, edges - edges.max() + passed - passed[:, None], -np.inf))
    before, after = np.zeros((size + 1, n + 1)), np.zeros((size, n + 1))
    before[0, 0], after[0] = 1, chances[:, n]
    steps, tiny = chances[:, :n], np.finfo(np.float64).tiny
    for k in range(1, size + 1):
        reached = before[k - 1] @ steps
        np.divide(reached, reached.sum() + tiny, out=before[k, 1:])
    for k in range(1, size):
        left = steps @ after[k - 1, 1:]
        np.divide(left, left.sum() + tiny, out=after[k])
    places = before[1:, 1:] * after[::-1, 1:]  # (size, n) each word as the k-th
    found: NDArray[np.float64] = (places / (places.sum(axis=1, keepdims=True) + tiny)).sum(axis=0)
    return found


@dataclass(frozen=True)
class BoundSelector:
    """The score of candidates: the sum over their edges. A factor like others, but known to no objective."""

    edges: NDArray[np.float64]  # (n + 1, n + 1)
    steps_are_exact: ClassVar[bool] = False

    def log_scores(self, masks: BoolArray) -> NDArray[np.float64]:
        n = masks.shape[1]
        rows, words = np.nonzero(np.pad(masks, ((0, 0), (0, 1)), constant_values=True))  # the end is always there
        first = np.append(True, rows[1:] != rows[:-1])
        before = np.where(first, 0, np.append(0, words[:-1] + 1))
        total = np.bincount(rows, weights=self.edges[before, np.minimum(words, n)], minlength=len(masks))
        return np.asarray(total, dtype=np.float64)

    def steps(self, size: int, backward: bool) -> None:
        return None


class Parts(Protocol):
    """What a selector is made from: the part of a bundle that it may ask for."""

    def tensor(self, name: str) -> NDArray[Any]: ...

    def table(self, name: str) -> Table: ...

    def counts(self) -> Counts: ...

    def similarity(self) -> Similarity: ...


def make_selector(parts: Parts, styles: tuple[str, ...]) -> Selector:
    """The selector of a bundle."""
    return Selector.from_tensors(parts.tensor, styles, clue_reader(parts, parts.tensor))


def clue_reader(parts: Parts, guide: Lookup) -> ClueReader:
    """What shows a selector its sources; `guide` gives the tensors of the guide."""

    def expectation(direction: str, name: str) -> Expectation:
        names = ("hidden", "hidden.bias", "features", "features.bias")
        return Expectation(
            parts.table(f"{direction}.embedding"),
            parts.table(f"{direction}.output"),
            parts.tensor(f"{direction}.output.bias"),
            *(guide(f"selector.{name}.{part}").astype(np.float32) for part in names),
        )

    both = Guide(expectation("forward", "after"), expectation("backward", "before"))
    return ClueReader(parts.counts(), parts.similarity(), both)
