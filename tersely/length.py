"""Stage 1: the wanted length as a budget: a weight for each word, and the bounds of the sum of what is kept.

`UNITS` is the one table of units. The library's keywords, the command line's options, the specs and brackets of an
evaluation are read from it, so that another unit is one more object in it. The searches see the budget alone.
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

from tersely.errors import InputError, seen
from tersely.measure import count_bytes, count_chars, weigh
from tersely.source import BoolArray, IntArray
from tersely.text import Word

Size = float | tuple[int, int]  # a range has the least and the most


@dataclass(frozen=True)
class Budget:
    """A weight for each of the n words, and the least and the most that the kept ones may weigh together.

    >>> budget = Budget.of_words(5, 3)
    >>> budget.least, budget.limit, budget.exact
    (3, 3, True)
    """

    weights: IntArray  # (n,) whole numbers above 0
    limit: int
    least: int = 1
    unit: str = "words"  # for messages
    spare: int = 0  # what weights count too much: the space after the last word

    @classmethod
    def of_words(cls, n: int, size: int) -> Budget:
        """The budget of exactly `size` words out of `n`; all of them where there are no more."""
        return cls(np.ones(n, dtype=np.int64), min(size, n), min(size, n))

    @property
    def exact(self) -> bool:
        """Whether the sum has to be reached, and not only kept."""
        return self.least == self.limit

    @property
    def counts_words(self) -> bool:
        """Whether all candidates have the same number of words: then a move is a swap."""
        return self.exact and bool((self.weights == 1).all())

    @property
    def n_words(self) -> int:
        """How many words a summary has, about: what estimates of an unfinished summary are divided by."""
        return max(1, min(len(self.weights), round(self.limit / max(float(self.weights.mean()), 1e-9))))

    def among(self, usable: BoolArray) -> Budget:
        """The same budget where only some words can be kept: it asks for no more than there is."""
        most = int(self.weights[usable].sum())
        return replace(self, limit=min(self.limit, most), least=min(self.least, most))

    @property
    def whole(self) -> Budget:
        """The budget that only all words together meet."""
        most = int(self.weights.sum())
        return replace(self, limit=most, least=most)

    def shares(self, masks: BoolArray) -> NDArray[np.float64]:
        """How much of the limit each candidate uses, (batch, n) to (batch,)."""
        used = np.maximum(masks @ self.weights - self.spare, 1)
        return np.asarray(used / max(self.limit - self.spare, 1))

    def holds(self, masks: BoolArray) -> BoolArray:
        """Which candidates, (batch, n), are neither too long nor too short."""
        used = masks @ self.weights
        return np.asarray((used >= self.least) & (used <= self.limit))


class Look(NamedTuple):
    """How a summary will be rendered, as far as its length depends on it."""

    pretokenized: bool = False
    marks: bool = True  # whether commas of the source may stay


@dataclass(frozen=True)
class Unit:
    """A unit of length.

    `check` gives the size as a plain number or raises InputError. `budget` gives a tokenised text its budget; a unit
    without one only measures what others wrote. `is_broken` says whether a summary, in tokens, is longer than asked.
    """

    name: str  # the keyword of the library, the option of the command line, the key in an evaluation spec
    help: str
    check: Callable[[Any], Size]
    read: Callable[[str], Size]  # from the command line
    label: Callable[[Any], str]  # of a bracket in a table
    is_broken: Callable[[Sequence[Word], str, Sequence[Word], Any], bool]  # summary's words, its text, source, size
    budget: Callable[[Sequence[Word], Any, Look], Budget] | None = None
    metavar: str = "N"
    type: Any = int  # of what `check` gives


@dataclass(frozen=True)
class Length:
    """A length that was asked for: a unit's name and a size.

    >>> Length.of(words=8).label, Length.of(ratio=0.5).label, Length.of(bytes=75).label
    ('8 words', '50 %', '75 bytes')
    """

    unit: str
    size: Size

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise InputError(f"no length is given in {seen(self.unit)}: known are {', '.join(UNITS)}")
        object.__setattr__(self, "size", UNITS[self.unit].check(self.size))

    @classmethod
    def of(cls, **sizes: Any) -> Length:
        """The one length among keywords such as `words=8`; those that are None were not given."""
        given = {unit: size for unit, size in sizes.items() if size is not None}
        if len(given) != 1:
            found = " and ".join(f"{unit}={seen(size)}" for unit, size in given.items()) or "none"
            wanted = " or ".join(f"{unit.name}={unit.metavar}" for unit in UNITS.values() if unit.budget)
            raise InputError(f"give exactly one length, {wanted}: {found} was given")
        return cls(*next(iter(given.items())))

    def __str__(self) -> str:
        return f"{self.unit}={_shown(self.size)}"

    @property
    def label(self) -> str:
        return UNITS[self.unit].label(self.size)

    def budget(self, tokens: Sequence[Word], look: Look | None = None) -> Budget:
        """The budget for a tokenised text, punctuation included; `look` is how the summary will be rendered.

        >>> from tersely.text import tokenize
        >>> Length.of(ratio=0.25).budget(tokenize("one, two, three, four.")).limit
        2
        """
        made = UNITS[self.unit].budget
        if made is None:
            usable = ", ".join(unit.name for unit in UNITS.values() if unit.budget)
            raise InputError(f"a summary cannot be asked for in {self.unit}: use {usable}")
        return made(tokens, self.size, look or Look())

    def is_broken_by(self, words: Sequence[Word], text: str, source: Sequence[Word]) -> bool:
        """Whether a summary, tokenised and as text, is longer than was asked for."""
        return UNITS[self.unit].is_broken(words, text, source, self.size)


def words_in_share(tokens: Sequence[Word], ratio: float) -> int:
    """How many words a share of a text is: of all its tokens, punctuation as well (the paper), rounded, at least 1."""
    return max(1, round(len(tokens) * ratio))


def count_words(tokens: Sequence[Word]) -> int:
    """How many of the tokens are words, and not punctuation."""
    return sum(not token.punctuation for token in tokens)


def whole_number(name: str, value: Any, least: int, most: float = math.inf) -> int:
    """The value of an option as a whole number between two bounds."""
    try:
        whole = operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, not {seen(value)}") from None
    if isinstance(value, bool) or whole < least:
        raise InputError(f"{name} must be at least {least}, not {seen(value)}")
    if whole > most:
        raise InputError(f"{name} must be at most {most:,}, not {seen(value)}")
    return whole


def _size(unit: str, size: Any) -> int:
    return min(whole_number(unit, size, 1), 10**15)  # more than any text has, and still a float


def _share(size: Any) -> float:
    try:
        share = math.nan if isinstance(size, (bool, str, bytes)) else float(size)
    except (TypeError, ValueError, OverflowError):
        share = math.nan
    if not 0 < share <= 1:
        raise InputError(f"ratio must be above 0 and at most 1, not {seen(size)}")
    return share


def _read_share(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _range(size: Any) -> Size:
    if not isinstance(size, tuple | list):
        return _size("words", size)
    if len(size) != 2:
        raise InputError(f"a range of words has a least and a most, as (6, 10), not {seen(size)}")
    least, most = (_size("words", end) for end in size)
    if least > most:
        raise InputError(f"a range of words goes from the least to the most, as (6, 10), not {seen(size)}")
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


def _rendered(unit: str, count: Callable[[str], int]) -> Callable[[Sequence[Word], Any, Look], Budget]:
    def budget(tokens: Sequence[Word], size: Any, look: Look) -> Budget:
        weights, spare = weigh(tokens, int(size), count, pretokenized=look.pretokenized, marks=look.marks)
        return Budget(weights, int(size) + spare, unit=unit, spare=spare)

    return budget


UNITS: dict[str, Unit] = {
    unit.name: unit
    for unit in (
        Unit(
            "words", "exactly N words, or the best number of a range: 6-10", _range, _read_range,
            lambda size: f"{_shown(size)} words",
            lambda words, text, source, size: count_words(words) > _most(size),
            lambda tokens, size, look: _words_of(tokens, size),
            type=int | tuple[int, int],
        ),
        Unit(
            "ratio", "this share of the words, above 0 and at most 1", _share, _read_share,
            lambda size: f"{100 * size:g} %",
            lambda words, text, source, size: count_words(words) > words_in_share(source, size),
            lambda tokens, size, look: _words_of(tokens, words_in_share(tokens, size)),
            "R",
            type=float,
        ),
        Unit(
            "chars", "at most N characters, spaces included", partial(_size, "chars"), int,
            lambda size: f"{size:g} characters",
            lambda words, text, source, size: count_chars(text) > size,
            _rendered("characters", count_chars),
        ),
        Unit(
            "bytes", "at most N bytes of UTF-8", partial(_size, "bytes"), int, lambda size: f"{size:g} bytes",
            lambda words, text, source, size: count_bytes(text) > size,
            _rendered("bytes", count_bytes),
        ),
    )
}  # fmt: skip
