"""Stage 5: the work of a search, in one unit: prefixes that a language model reads.

One takes some 60 µs of a core with the bundle of the package; everything else is converted. The counts suppose that
nothing was read before: a call has the same bounds alone, among all lengths, or after other calls.
"""

from __future__ import annotations

import math

# About eight seconds, and half of one. The option `effort` is a factor on these and on all that is derived from them.
MOST_WORK, MOST_FAST_WORK = 130_000, 10_000
_STEP = 16  # what a step with few prefixes takes: the weights of the models have to be fetched
_CLIMB = 26  # what a step of random climbs takes for each word, from both ends, however few restarts there are
_LEVEL = 40  # what a level of the lattice takes, however few prefixes it has
_CELLS = 300  # pairs of a prefix and a next word that take as long as one prefix
_PAIRS = 100_000  # entries of the tables of pairs of words that take as long, if a candidate is scored
EDGES = 10_000  # of the chain


def to_score(objective: object, count: int, words: float, n: int) -> float:
    """The work of scoring a batch of candidates of so many words out of n, from both ends."""
    return (2 * (count + _STEP) * words if has_models(objective) else 0) + count * n * n / _PAIRS


def to_climb(restarts: float, steps: float, words: float, n: int) -> float:
    """The work of random climbs to so many words out of n.

    A proposal shares half of its words, from either end, with the candidate before. Prefixes of many restarts are read
    together, which halves what each takes; but one restart or another hardly shares a word.
    """
    return steps * ((restarts / 2 + _CLIMB) * words + restarts * n * n / _PAIRS)


def most_restarts(work: float, steps_each: float, words: float, n: int) -> float:
    """How many restarts of random climbs may be made in so much work, each of `steps_each` steps for every restart."""
    square, linear = words / 2 + n * n / _PAIRS, _CLIMB * words  # to_climb is a polynomial in the restarts
    return (math.sqrt(linear**2 + 4 * square * work / steps_each) - linear) / (2 * square)


def to_read(levels: int, at_once: int, n: int) -> float:
    """The work of reading a lattice of so many levels from one end, with so many prefixes of one level."""
    return levels * (_LEVEL + at_once * (1 + n / _CELLS))


def most_at_once(work: float, levels: int, n: int) -> int:
    """How many prefixes of one level a reading of so much work may have; four are always read."""
    return int(max(4, min(1e9, (work / levels - _LEVEL) / (1 + n / _CELLS))))


def most_scored(work: float, words: float, n: int) -> int:
    """How many candidates of so many words may be scored in so much work; two always are."""
    return int(max(2, min(1e9, work / (2 * words + n * n / _PAIRS) - _STEP)))


def to_repeat(work: float, rows: int, n: int) -> float:
    """The work of a search of n words after others of the same words: `rows` prefixes had not been read by those.

    Fitted to the times of `lengths()` for texts of 30 to 400 words, with and without language models.
    """
    return rows + work * (0.1 + n / 1_500) + 50 + n * n / 160


def to_encode(n: int) -> float:
    """The work of reading a text of n words by the encoder, which is done once."""
    return 10.0 * n


def rows_read(objective: object) -> int:
    """How many prefixes the language models of an objective have read; none if it has no language models."""
    return int(getattr(objective, "rows", 0))


def has_models(objective: object) -> bool:
    """Whether language models score the candidates: they have read the begin symbol at least."""
    return rows_read(objective) > 0
