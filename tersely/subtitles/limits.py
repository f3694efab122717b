"""What a viewer can read: characters a second, characters in a line, lines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tersely.candidates.length import whole_number
from tersely.candidates.measure import count_chars
from tersely.errors import InputError, short_repr
from tersely.subtitles.cues import Cue
from tersely.subtitles.markup import visible

MOST = 10_000  # of each limit


@dataclass(frozen=True)
class Limits:
    """The limits of a cue. Characters are those that are seen, with spaces; a line break counts as a space."""

    cps: float = 17.0
    line: int = 42
    lines: int = 2

    def __post_init__(self) -> None:
        if isinstance(self.cps, bool) or not isinstance(self.cps, (int, float)) or not 0 < self.cps < math.inf:
            raise InputError(f"cps must be a number above 0, not {short_repr(self.cps)}")
        if self.cps > MOST:
            raise InputError(f"cps must be at most {MOST:,}, not {short_repr(self.cps)}")
        for name in ("line", "lines"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least=1, most=MOST))

    def chars(self, cue: Cue) -> int:
        """The number of characters that can be read while a cue is shown and that its lines have room for."""
        return min(int(self.cps * (cue.end - cue.start) / 1000 + 1e-6), self.lines * (self.line + 1) - 1)

    def problems(self, cue: Cue, text: str) -> list[str]:
        """The limits that a text is over in the place of a cue's own.

        >>> Limits().problems(Cue("1", 0, 1000, ""), "This cannot be read in a second.")
        ['32.0 characters a second, the limit is 17']
        """
        shown = [" ".join(line.split()) for line in visible(text, vtt=cue.vtt).split("\n")]
        shown = [line for line in shown if line]
        longest = max(map(count_chars, shown), default=0)
        found = []
        if shown and count_chars(" ".join(shown)) > int(self.cps * (cue.end - cue.start) / 1000 + 1e-6):
            found.append(f"{cps_of(cue, text):.1f} characters a second, the limit is {self.cps:g}")
        if longest > self.line:
            found.append(f"a line of {longest} characters, the limit is {self.line}")
        if len(shown) > self.lines:
            found.append(f"{len(shown)} lines, the limit is {self.lines}")
        return found


def cps_of(cue: Cue, text: str) -> float:
    """The characters a second of a text in the place of a cue's own; infinite if it is shown for no time."""
    chars = count_chars(" ".join(visible(text, vtt=cue.vtt).split()))
    return chars / cue.seconds if cue.end > cue.start else math.inf if chars else 0.0
