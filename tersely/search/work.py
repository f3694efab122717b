"""Stage 5: the work of a search, in one unit: prefixes that a language model reads.

One takes some 60 µs of a core with the bundle of the package; everything else is converted. The counts suppose that
nothing was read before: a call has the same bounds alone, among all lengths, or after other calls.
"""

from __future__ import annotations

import math

# About ten seconds. The option `effort` is a factor on this and on all bounds that are derived from it.
MOST_WORK = 172_000
_STEP = 16  # what a step with few prefixes takes: the weights of the models have to be fetched
_LEVEL = 40  # what a level of the lattice takes, however few prefixes it has
_CELLS = 300  # pairs of a prefix and a next word that take as long as one prefix
_PAIRS = 100_000  # entries of the tables of pairs of words that take as long, if a candidate is scored
EDGES = 10_000  # of the chain


def to_score(objective: object, count: int, words: float, n: int) -> float:
    """The work of scoring a batch of candidates of so many words out of n, from both ends."""
    return (2 * (count + _STEP) * words if has_models(objective) else 0) + count * n * n / _PAIRS


def to_climb(restarts: float, steps: float, words: float) -> float:
    """The work of random climbs: a proposal shares half of its words, from either end, with the candidate before."""
    return steps * (restarts + _STEP) * words


def most_restarts(work: float, steps_each: float, words: float) -> float:
    """How many restarts of random climbs may be made in so much work, each of `steps_each` steps for every restart."""
    return math.sqrt(_STEP**2 / 4 + work / (steps_each * words)) - _STEP / 2


def to_read(levels: int, at_once: int, n: int) -> float:
    """The work of reading a lattice of so many levels from one end, with so many prefixes of one level."""
    return levels * (_LEVEL + at_once * (1 + n / _CELLS))


def most_at_once(work: float, levels: int, n: int) -> int:
    """How many prefixes of one level a reading of so much work may have; four are always read."""
    return int(max(4, min(1e9, (work / levels - _LEVEL) / (1 + n / _CELLS))))


def most_scored(work: float, words: float, n: int) -> int:
    """How many candidates of so many words may be scored in so much work; two always are."""
    return int(max(2, min(1e9, work / (2 * words + n * n / _PAIRS) - _STEP)))


def to_prepare(n: int) -> float:
    """The work before a search of n words: the factors are bound to the words and the length."""
    return n * n / 40


def has_models(objective: object) -> bool:
    """Whether language models score the candidates: they have read the begin symbol at least."""
    return bool(getattr(objective, "rows", 0))
