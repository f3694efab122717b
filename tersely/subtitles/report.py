"""What became of a cue."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from tersely.subtitles.cues import Cue, clock_time
from tersely.subtitles.limits import Limits, cps_of
from tersely.subtitles.markup import visible
from tersely.summary.diff import diff
from tersely.text.words import tokenize

COLUMNS = ("number", "start", "end", "cps_before", "cps_after", "status", "dropped", "before", "after")


@dataclass(frozen=True)
class CueReport:
    """A cue, its text afterwards, its limits, the words that were dropped, and why it was left over a limit.

    `dropped` are positions among the words, between spaces, of `shown`.
    """

    cue: Cue
    text: str
    limits: Limits
    dropped: frozenset[int] = frozenset()
    why: str = ""

    @property
    def changed(self) -> bool:
        return self.text != self.cue.text

    @cached_property
    def over(self) -> list[str]:
        """The limits that the cue was over."""
        return self.limits.problems(self.cue, self.cue.text)

    @property
    def fits(self) -> bool:
        """Whether the new text is within all limits."""
        return not (self.limits.problems(self.cue, self.text) if self.changed else self.over)

    @property
    def limit(self) -> int:
        """The number of characters that the cue has room for."""
        return self.limits.chars(self.cue)

    @property
    def cps_before(self) -> float:
        return cps_of(self.cue, self.cue.text)

    @property
    def cps_after(self) -> float:
        return cps_of(self.cue, self.text)

    @property
    def status(self) -> str:
        """What was done, in a word or two; for a cue that is still over a limit, why."""
        if not self.changed:
            return f"left: {'; '.join([*self.over, *([self.why] if self.why else [])])}" if self.over else "within"
        return "shortened" if self.dropped else "laid out"

    @property
    def shown(self) -> str:
        """The old text as it is read, in one line."""
        return " ".join(visible(self.cue.text, vtt=self.cue.vtt).split())

    @property
    def dropped_words(self) -> str:
        return " ".join(word for i, word in enumerate(self.shown.split()) if i in self.dropped)

    def diff(self, *, colour: bool = False) -> str:
        """Number, time and characters a second, the old text with its dropped words marked, and the new text."""
        shown, starts = self.shown, [0]
        for word in shown.split():
            starts.append(starts[-1] + len(word) + 1)
        words = [token for token in tokenize(shown) if not token.punctuation]
        kept = [i for i, word in enumerate(words) if bisect_right(starts, word.start) - 1 not in self.dropped]
        head = f"{self.cue.number}  {clock_time(self.cue.start)}  {self.cps_before:.1f} -> {self.cps_after:.1f}"
        new = visible(self.text, vtt=self.cue.vtt).replace("\n", "\n  ")
        return f"{head}\n  {diff(shown, kept, colour=colour)}\n  {new}"

    def row(self) -> tuple[str, ...]:
        """The cells of `COLUMNS`."""
        times = clock_time(self.cue.start), clock_time(self.cue.end)
        rates = f"{self.cps_before:.1f}", f"{self.cps_after:.1f}"
        return (self.cue.number, *times, *rates, self.status, self.dropped_words, self.cue.text, self.text)
