"""Stage 3: the wanted length as a budget: a weight for each word, and bounds for the total weight of the kept words.

`UNITS` is the one table of units. The library's keywords, the command line's options, and the specs and brackets of an
evaluation come from it; a new unit is one more entry. Searches see the budget alone.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.measure import count_bytes, count_chars, weigh
from tersely.errors import InputError, short_repr
from tersely.system.arrays import BoolArray, IntArray
from tersely.text.words import Word

Size = float | tuple[int, int]  # a range has the least and the most


@dataclass(frozen=True)
class Budget:
    """A weight for each of the n words, and the least and the most that the kept words may weigh together.

    >>> budget = Budget.of_words(5, 3)
    >>> budget.least, budget.limit, budget.exact
    (3, 3, True)
    """

    weights: IntArray  # (n,) whole numbers above 0
    limit: int
    least: int = 1
    unit: str = "words"  # for error messages
    spare: int = 0  # what the weights count too much: the space after the last word

    @classmethod
    def of_words(cls, n: int, size: int) -> Budget:
        """The budget of exactly `size` words out of `n`; of all words if there are fewer."""
        return cls(np.ones(n, dtype=np.int64), min(size, n), min(size, n))

    @property
    def exact(self) -> bool:
        """Whether all candidates have the same weight."""
        return self.least == self.limit

    @property
    def counts_words(self) -> bool:
        """Whether all candidates have the same number of words: then a move is a swap."""
        return self.exact and bool((self.weights == 1).all())

    @property
    def n_words(self) -> int:
        """The expected number of words of a summary, which estimates for an unfinished one are divided by."""
        return max(1, min(len(self.weights), round(self.limit / max(float(self.weights.mean()), 1e-9))))

    def among(self, usable: BoolArray) -> Budget:
        """The same budget if only some words can be kept: it is no more than their weight."""
        most = int(self.weights[usable].sum())
        return replace(self, limit=min(self.limit, most), least=min(self.least, most))

    @property
    def whole(self) -> Budget:
        """The budget of all words together."""
        most = int(self.weights.sum())
        return replace(self, limit=most, least=most)

    def shares(self, masks: BoolArray) -> NDArray[np.float64]:
        """The share of the limit that each candidate uses, (batch, n) to (batch,)."""
        return self.shares_of(masks @ self.weights)

    def shares_of(self, weights: IntArray) -> NDArray[np.float64]:
        """The share of the limit that candidates of these weights use."""
        return np.asarray(np.maximum(weights - self.spare, 1) / max(self.limit - self.spare, 1))

    def holds(self, masks: BoolArray) -> BoolArray:
        """Which candidates, (batch, n), are within the bounds."""
        used = masks @ self.weights
        return np.asarray((used >= self.least) & (used <= self.limit))


class Rendering(NamedTuple):
    """How a summary will be rendered, where its length depends on it."""

    pretokenized: bool = False
    marks: bool = True  # whether punctuation marks of the source may stay


@dataclass(frozen=True)
class Unit:
    """A unit of length.

    `check` returns the size as a plain number or raises InputError. `budget` returns the budget for a tokenised text; a
    unit without one can only measure existing summaries. `is_broken` says whether a summary is longer than asked.
    """

    name: str  # the keyword of the library, the option of the command line, the key in an evaluation spec
    help: str
    check: Callable[[Any], Size]
    read: Callable[[str], Size]  # from the command line
    label: Callable[[Any], str]  # of a bracket in a table
    is_broken: Callable[
        [Sequence[Word], str, Sequence[Word], Any], bool
    ]  # words and text of the summary, words of the source, size
    budget: Callable[[Sequence[Word], Any, Rendering], Budget] | None = None
    metavar: str = "N"
    type: Any = int  # of what `check` returns
    count: Callable[[str], int] | None = None  # the length of a text, for limits of the rendered text


@dataclass(frozen=True)
class Length:
    """A wanted length: the name of a unit, and a size.

    >>> Length.of(words=8).label, Length.of(ratio=0.5).label, Length.of(bytes=75).label
    ('8 words', '50 %', '75 bytes')
    """

    unit: str
    size: Size

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise InputError(f"unknown unit of length {short_repr(self.unit)}: known are {', '.join(UNITS)}")
        object.__setattr__(self, "size", UNITS[self.unit].check(self.size))

    @classmethod
    def of(cls, **sizes: Any) -> Length:
        """The one length among keywords such as `words=8`; None means not given."""
        given = {unit: size for unit, size in sizes.items() if size is not None}
        if len(given) != 1:
            found = " and ".join(f"{unit}={short_repr(size)}" for unit, size in given.items()) or "none"
            wanted = " or ".join(f"{unit.name}={unit.metavar}" for unit in UNITS.values() if unit.budget)
            raise InputError(f"give exactly one length, {wanted}: {found} was given")
        return cls(*next(iter(given.items())))

    def __str__(self) -> str:
        return f"{self.unit}={_shown(self.size)}"

    @property
    def label(self) -> str:
        return UNITS[self.unit].label(self.size)

    def budget(self, tokens: Sequence[Word], rendering: Rendering | None = None) -> Budget:
        """The budget for a tokenised text, punctuation included.

        >>> from tersely.text.words import tokenize
        >>> Length.of(ratio=0.25).budget(tokenize("one, two, three, four.")).limit
        2
        """
        made = UNITS[self.unit].budget
        if made is None:
            usable = ", ".join(unit.name for unit in UNITS.values() if unit.budget)
            raise InputError(f"{self.unit} cannot be the length of a summary: use {usable}")
        return made(tokens, self.size, rendering or Rendering())

    def is_broken_by(self, words: Sequence[Word], text: str, source: Sequence[Word]) -> bool:
        """Whether a summary, given as tokens and as text, is longer than this length."""
        return UNITS[self.unit].is_broken(words, text, source, self.size)


def words_in_share(tokens: Sequence[Word], ratio: float) -> int:
    """The number of words that is this share of all tokens, punctuation included as in the paper; at least 1."""
    return max(1, round(len(tokens) * ratio))


def count_words(tokens: Sequence[Word]) -> int:
    """The number of tokens that are words and not punctuation."""
    return sum(not token.punctuation for token in tokens)


def whole_number(name: str, value: Any, least: int, most: float = math.inf) -> int:
    """The value of an option as a whole number between two bounds."""
    try:
        whole = operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, not {short_repr(value)}") from None
    if isinstance(value, bool) or whole < least:
        raise InputError(f"{name} must be at least {least}, not {short_repr(value)}")
    if whole > most:
        raise InputError(f"{name} must be at most {most:,}, not {short_repr(value)}")
    return whole


def _size(unit: str, size: Any) -> int:
    return min(whole_number(unit, size, 1), 10**15)  # more than any text has, and exact as a float


def _share(size: Any) -> float:
    try:
        share = math.nan if isinstance(size, (bool, str, bytes)) else float(size)
    except (TypeError, ValueError, OverflowError):
        share = math.nan
    if not 0 < share <= 1:
        raise InputError(f"ratio must be above 0 and at most 1, not {short_repr(size)}")
    return share


def _read_share(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _range(size: Any) -> Size:
    if not isinstance(size, tuple | list):
        return _size("words", size)
    if len(size) != 2:
        raise InputError(f"invalid range of words {short_repr(size)}: expected a least and a most, such as (6, 10)")
    least, most = (_size("words", end) for end in size)
    if least > most:
        raise InputError(f"invalid range of words {short_repr(size)}: the least comes first, as in (6, 10)")
    return least if least == most else (least, most)


def _read_range(text: str) -> Size:
    least, dash, most = text.partition("-")
    return (int(least), int(most)) if dash and least else int(text)


def _most(size: Any) -> float:
    return float(size[1] if isinstance(size, tuple) else size)


def _shown(size: Size) -> str:
    return f"{size[0]}-{size[1]}" if isinstance(size, tuple) else f"{size:g}"


def _words_of(tokens: Sequence[Word], size: Any) -> Budget:
    n = count_words(tokens)
    if isinstance(size, tuple):
        return Budget(np.ones(n, dtype=np.int64), min(size[1], n), min(size[0], n))
    return Budget.of_words(n, int(size))


def _rendered(unit: str, count: Callable[[str], int]) -> Callable[[Sequence[Word], Any, Rendering], Budget]:
    def budget(tokens: Sequence[Word], size: Any, rendering: Rendering) -> Budget:
        weights, spare = weigh(tokens, int(size), count, pretokenized=rendering.pretokenized, marks=rendering.marks)
        return Budget(weights, int(size) + spare, unit=unit, spare=spare)

    return budget


UNITS: dict[str, Unit] = {
    unit.name: unit
    for unit in (
        Unit(
            "words", "exactly N words, or the best number of a range: 6-10", _range, _read_range,
            lambda size: f"{_shown(size)} words",
            lambda words, text, source, size: count_words(words) > _most(size),
            lambda tokens, size, rendering: _words_of(tokens, size),
            type=int | tuple[int, int],
        ),
        Unit(
            "ratio", "this share of the words, above 0 and at most 1", _share, _read_share,
            lambda size: f"{100 * size:g} %",
            lambda words, text, source, size: count_words(words) > words_in_share(source, size),
            lambda tokens, size, rendering: _words_of(tokens, words_in_share(tokens, size)),
            "R",
            type=float,
        ),
        Unit(
            "chars", "at most N characters, spaces included", partial(_size, "chars"), int,
            lambda size: f"{size:g} characters",
            lambda words, text, source, size: count_chars(text) > size,
            _rendered("characters", count_chars),
            count=count_chars,
        ),
        Unit(
            "bytes", "at most N bytes of UTF-8", partial(_size, "bytes"), int, lambda size: f"{size:g} bytes",
            lambda words, text, source, size: count_bytes(text) > size,
            _rendered("bytes", count_bytes),
            count=count_bytes,
        ),
    )
}  # fmt: skip
