"""Stage 3: the wanted length, in one unit or in two, and its budget for a text.

`UNITS` is the one table of units. The library's keywords, the command line's options, and the specs and brackets of an
evaluation come from it; a new unit is one more entry.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tersely.candidates import sms
from tersely.candidates.budget import Budget, joint
from tersely.candidates.measure import count_bytes, count_chars, weigh
from tersely.candidates.pixels import PIXEL, count_pixels, width
from tersely.errors import InputError, short_repr
from tersely.text.punctuation import capitalized
from tersely.text.words import Word

__all__ = ["UNITS", "Budget", "Length", "Rendering", "Size", "Unit", "count_words", "whole_number", "words_in_share"]

Size = float | tuple[int, int]  # a range has the least and the most


class Rendering(NamedTuple):
    """How a summary will be rendered, where its length depends on it."""

    pretokenized: bool = False
    marks: bool = True  # whether punctuation marks of the source may stay
    ends: str = ""  # the marks that end its sentences and may stay
    reserve: int = 0  # room that is left for something else, in the same unit


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
    # Words and text of the summary, words of the source, size; None for a unit of rendered text, which has a `count`.
    is_broken: Callable[[Sequence[Word], str, Sequence[Word], Any], bool] | None
    budget: Callable[[Sequence[Word], Any, Rendering], Budget] | None = None
    metavar: str = "N"
    type: Any = int  # of what `check` returns
    count: Callable[[str, int], int] | None = None  # of rendered text with a reserve: the smallest size that holds it


@dataclass(frozen=True)
class Length:
    """A wanted length: the name of a unit, and a size. With a second length, `also`, neither may be exceeded.

    >>> Length.of(words=8).label, Length.of(ratio=0.5).label, Length.of(chars=60, bytes=75).label
    ('8 words', '50 %', '60 characters and 75 bytes')
    """

    unit: str
    size: Size
    also: Length | None = None

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise InputError(f"unknown unit of length {short_repr(self.unit)}: known are {', '.join(UNITS)}")
        object.__setattr__(self, "size", UNITS[self.unit].check(self.size))

    @classmethod
    def of(cls, **sizes: Any) -> Length:
        """The length among keywords such as `words=8`, or the two lengths; None means not given."""
        units = sorted(sizes, key=[*UNITS, *sizes].index)
        given = [(unit, sizes[unit]) for unit in units if sizes[unit] is not None]
        if not given or len(given) > 2 or not {"words", "ratio"}.isdisjoint(unit for unit, _ in given[1:]):
            found = " and ".join(f"{unit}={short_repr(size)}" for unit, size in given) or "none"
            wanted = " or ".join(f"{unit.name}={unit.metavar}" for unit in UNITS.values() if unit.budget)
            raise InputError(f"give a length, {wanted}, or two of which one is no number of words: {found} was given")
        return cls(*given[0], cls(*given[1]) if len(given) > 1 else None)

    def __str__(self) -> str:
        return f"{self.unit}={_shown(self.size)}" + (f"+{self.also}" if self.also else "")

    @property
    def label(self) -> str:
        return UNITS[self.unit].label(self.size) + (f" and {self.also.label}" if self.also else "")

    @property
    def most(self) -> float:
        """The size, or the most of a range."""
        return _most(self.size)

    @property
    def parts(self) -> tuple[Length, ...]:
        """The lengths of which none may be exceeded."""
        return (self,) if self.also is None else (self, *self.also.parts)

    def budget(self, tokens: Sequence[Word], rendering: Rendering | None = None) -> Budget:
        """The budget for a tokenised text, punctuation included.

        >>> from tersely.text.words import tokenize
        >>> Length.of(ratio=0.25).budget(tokenize("one, two, three, four.")).limit
        2
        """
        rendering = rendering or Rendering()
        shares = [self.reserve_of(part, rendering.reserve) for part in self.parts]
        each = zip(self.parts, shares, strict=True)
        found = [part._budget(tokens, rendering._replace(reserve=share)) for part, share in each]
        return found[0] if len(found) == 1 else joint(found)

    def _budget(self, tokens: Sequence[Word], rendering: Rendering) -> Budget:
        made = UNITS[self.unit].budget
        if made is None:
            usable = ", ".join(unit.name for unit in UNITS.values() if unit.budget)
            raise InputError(f"{self.unit} cannot be the length of a summary: use {usable}")
        return made(tokens, self.size, rendering)

    def reserve_of(self, part: Length, reserve: int) -> int:
        """The reserve in one of the lengths: with two of them, only those of rendered text have one."""
        return reserve if UNITS[part.unit].count or all(UNITS[one.unit].count is None for one in self.parts) else 0

    def is_broken_by(self, words: Sequence[Word], text: str, source: Sequence[Word], reserve: int = 0) -> bool:
        """Whether a summary, given as tokens and as text, is longer than this length less a reserve."""
        return any(part._is_broken(words, text, source, self.reserve_of(part, reserve)) for part in self.parts)

    def _is_broken(self, words: Sequence[Word], text: str, source: Sequence[Word], reserve: int) -> bool:
        unit = UNITS[self.unit]
        if unit.count is not None:
            return unit.count(text, reserve) > self.most
        assert unit.is_broken is not None
        return unit.is_broken([*words, *[Word("x", 0, 0, ("x",))] * reserve], text, source, self.size)


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


def _words_of(tokens: Sequence[Word], size: Any, reserve: int) -> Budget:
    n = count_words(tokens)
    least, most = size if isinstance(size, tuple) else (size, size)
    most = _less(int(most), reserve, "words")
    return Budget(np.ones(n, dtype=np.int64), min(most, n), min(int(least), most, n))


def _less(size: int, reserve: int, unit: str) -> int:
    if reserve >= size:
        raise InputError(f"a reserve of {reserve} leaves no room in {size} {unit}: use a smaller one")
    return size - reserve


def _weighed(
    tokens: Sequence[Word], size: int, count: Callable[[str], int], rendering: Rendering, unit: str, scale: float = 1
) -> Budget:
    """The budget of a rendered text. The weights of marks and spaces depend on how it will be rendered.

    `count` may count parts of the unit, `scale` of them to one, so that sums are exact.
    """
    size = int(_less(size, rendering.reserve, unit) * scale)
    pretokenized, marks, ends, _ = rendering
    weights, spare = weigh(tokens, size, count, pretokenized=pretokenized, marks=marks, ends=ends)
    return Budget(weights, size + spare, unit=unit, spare=spare, scale=scale)


def _messages(tokens: Sequence[Word], size: Any, rendering: Rendering) -> Budget:
    shown = [token.text for token in tokens if not token.punctuation]  # a mark that does not fit is left out
    count, most = sms.measure([*shown, *map(capitalized, shown)], int(size))
    return _weighed(tokens, most, count, rendering, "characters")


def _text_unit(
    name: str,
    help: str,
    noun: str,
    count: Callable[[str], int],
    count_parts: Callable[[str], int] | None = None,
    scale: float = 1,
) -> Unit:
    """A unit of rendered text: at most so many of what `count` counts, or `scale` times as many of its parts."""
    return Unit(
        name, help, partial(_size, name), int, lambda size: f"{size:g} {noun}", None,
        lambda tokens, size, rendering: _weighed(tokens, int(size), count_parts or count, rendering, noun, scale),
        count=lambda text, reserve: count(text) + reserve,
    )  # fmt: skip


UNITS: dict[str, Unit] = {
    unit.name: unit
    for unit in (
        Unit(
            "words", "exactly N words, or the best number of a range: 6-10", _range, _read_range,
            lambda size: f"{_shown(size)} words",
            lambda words, text, source, size: count_words(words) > _most(size),
            lambda tokens, size, rendering: _words_of(tokens, size, rendering.reserve),
            type=int | tuple[int, int],
        ),
        Unit(
            "ratio", "this share of the words, above 0 and at most 1", _share, _read_share,
            lambda size: f"{100 * size:g} %",
            lambda words, text, source, size: count_words(words) > words_in_share(source, size),
            lambda tokens, size, rendering: _words_of(tokens, words_in_share(tokens, size), rendering.reserve),
            "R",
            type=float,
        ),
        _text_unit("chars", "at most N characters, spaces included", "characters", count_chars),
        _text_unit("bytes", "at most N bytes of UTF-8", "bytes", count_bytes),
        Unit(
            "sms", "at most N text messages, in GSM-7 or UCS-2", partial(_size, "sms"), int,
            lambda size: f"{size:g} messages",
            None,
            _messages,
            count=sms.messages,
        ),
        _text_unit(
            "pixels", "at most N pixels wide in Arial of 20 pixels, for search results", "pixels", count_pixels,
            width, PIXEL,
        ),
    )
}  # fmt: skip
