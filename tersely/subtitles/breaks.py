"""Where the lines of a cue are broken, and how the words of a sentence are laid out over its cues.

A reader pauses before a conjunction or a preposition, after a comma, and not between an article and its noun. Lines
should be of like length.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from tersely.candidates.measure import count_chars
from tersely.sentence.language import Language
from tersely.subtitles.markup import Word

_OPENS = ("small-in-titles", "connective", "clause-openers", "conditions")
_LEADS_ON = ("before-nouns", "small-in-titles", "connective", "clause-openers", "modal", "infinitive", "denying-a-verb")
_SHIFT = 1.0  # what it costs to show a character in the cue before or after its own


class Frame(NamedTuple):
    """The room of a cue: characters in all, lines and characters in a line; and what stands around its words."""

    chars: int
    lines: int
    line: int
    prefix: str = ""
    suffix: str = ""


Lines = list[list[Word]]


class Layout:
    """Breaks text by the word lists of a language."""

    def __init__(self, language: Language) -> None:
        self.opens = language.words(_OPENS) - language["before-nouns"]
        self.leads_on = language.words(_LEADS_ON)
        self.function = language["function"]
        self._cost = cache(self._cost_between)

    def lines(self, words: Sequence[Word], frame: Frame) -> Lines | None:
        """The words in as few lines as they fit in, broken where it is best; None if they do not fit."""
        dressed = _dressed(words, frame)
        sizes = [count_chars(word.text) for word in dressed]
        if not words or sum(sizes) + len(sizes) - 1 > frame.chars:
            return None
        for count in range(1, min(frame.lines, len(words)) + 1):
            if edges := self._edges(dressed, sizes, count, frame.line):
                return [dressed[a:b] for a, b in itertools.pairwise(edges)]
        return None

    def _edges(self, words: Sequence[Word], sizes: Sequence[int], count: int, most: int) -> list[int]:
        """Where so many lines begin and end; empty if a line would be too long."""
        mean = (sum(sizes) + len(sizes) - count) / count
        best: dict[int, tuple[float, list[int]]] = {0: (0.0, [0])}  # by the number of words in the lines so far
        for _ in range(count):
            found: dict[int, tuple[float, list[int]]] = {}
            for start, (cost, edges) in best.items():
                length = -1
                for stop in range(start + 1, len(words) + 1):
                    length += sizes[stop - 1] + 1
                    if length > most:
                        break
                    total = cost + abs(length - mean) + (self.cost(words, stop) if stop < len(words) else 0.0)
                    if total < found.get(stop, (float("inf"),))[0]:
                        found[stop] = (total, [*edges, stop])
            best = found
        return best[len(words)][1] if len(words) in best else []

    def cost(self, words: Sequence[Word], i: int) -> float:
        """What it costs to break before word i."""
        return self._cost(words[i - 1].text, words[i].text, i == 1)

    def _cost_between(self, left: str, right: str, first: bool) -> float:
        bare, after = (re.sub(r"^\W+|\W+$", "", text).lower() for text in (left, right))
        if re.search(r"[.?!\u2026][\"'\u2019\u201d)]*$", left):
            return -14.0
        if re.search(r"[,;:\u2013\u2014-][\"'\u2019\u201d)]*$", left):
            return -10.0
        names = left[:1].isupper() and right[:1].isupper() and not first
        figure = left[-1:].isdigit()
        cost = 14.0 if bare in self.leads_on or names or figure else 4.0 if bare in self.function else 0.0
        return cost - (6.0 if after in self.opens else 0.0)

    def over_cues(self, words: Sequence[Word], homes: Sequence[int], frames: Sequence[Frame]) -> list[Lines] | None:
        """The words over several cues, each with one at least and close to its own cue; None if they do not fit.

        `homes` has the cue of each word of the source, by `Word.at`.
        """
        n = len(words)
        best: dict[int, tuple[float, list[int]]] = {0: (0.0, [0])}  # by the number of words laid out so far
        for k, frame in enumerate(frames):
            found: dict[int, tuple[float, list[int]]] = {}
            for start, (cost, edges) in best.items():
                size = count_chars(frame.prefix) + count_chars(frame.suffix) - 1
                shift = 0.0
                for stop in range(start + 1, n + 1):
                    length = count_chars(words[stop - 1].text) + 1
                    size += length
                    shift += _SHIFT * length * abs(homes[words[stop - 1].at] - k)
                    if size > frame.chars:
                        break
                    total = cost + shift + (self.cost(words, stop) if stop < n else 0.0)
                    if total < found.get(stop, (float("inf"),))[0] and self.lines(words[start:stop], frame):
                        found[stop] = (total, [*edges, stop])
            best = found
        if n not in best:
            return None
        parts = itertools.pairwise(best[n][1])
        return [self.lines(words[a:b], frame) or [] for (a, b), frame in zip(parts, frames, strict=True)]


def _dressed(words: Sequence[Word], frame: Frame) -> list[Word]:
    """The words with what stands before the first and after the last one."""
    made = list(words)
    if made:
        made[0] = made[0]._replace(text=frame.prefix + made[0].text)
        ended = frame.suffix in (",", ";", ":") and made[-1].text.endswith((".", "?", "!"))  # the sentence went
        made[-1] = made[-1]._replace(text=made[-1].text + ("" if ended else frame.suffix))
    return made
