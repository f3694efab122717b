"""Length brackets: which systems may be compared with each other.

ROUGE F1 and, more so, recall grow with the length of the summary, so the paper compares systems only inside a group
of equal length: 8 words, 10 words, half of the source. A system with a declared limit belongs to the bracket of that
limit; an output file without one joins the bracket that its average length fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tersely.errors import InputError
from tersely.evaluation.baselines import words_in_share, words_of

UNITS = ("words", "ratio", "chars", "bytes")
TOLERANCE = 1.0  # words: outputs whose average lengths differ by more are not of one bracket


@dataclass(frozen=True, slots=True)
class Limit:
    """A length that was asked for, such as 8 words or half of the source.

    >>> Limit("words", 8).label, Limit("ratio", 0.5).label, Limit("bytes", 75).label
    ('8 words', '50 %', '75 bytes')
    """

    unit: str
    size: float

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise InputError(f"no length is given in {self.unit!r}: choose one of {', '.join(UNITS)}")
        if self.size <= 0 or (self.unit == "ratio" and self.size > 1):
            raise InputError(f"a length of {self.unit}={self.size:g} is out of range")

    @property
    def label(self) -> str:
        """The name of the bracket."""
        if self.unit == "ratio":
            return f"{100 * self.size:g} %"
        return f"{self.size:g} {'characters' if self.unit == 'chars' else self.unit}"

    def is_broken_by(self, summary: str, source: str) -> bool:
        """Whether a summary is longer than was asked for.

        >>> Limit("words", 2).is_broken_by("shares fell .", "shares fell sharply .")
        False
        >>> Limit("chars", 8).is_broken_by("shares fell", "shares fell sharply .")
        True
        """
        if self.unit == "chars":
            return len(summary) > self.size
        if self.unit == "bytes":
            return len(summary.encode()) > self.size
        allowed = words_in_share(source, self.size) if self.unit == "ratio" else self.size
        return len(words_of(summary)) > allowed


def assign_brackets(limits: Sequence[Limit | None], mean_words: Sequence[float]) -> list[str]:
    """The bracket of each system, from its limit or else from its average length in words.

    >>> assign_brackets([Limit("words", 8), None, None], [8.0, 7.4, 12.1])
    ['8 words', '8 words', 'about 12 words']
    """
    declared = [(mean, limit.label) for limit, mean in zip(limits, mean_words, strict=True) if limit]
    labels = []
    for limit, mean in zip(limits, mean_words, strict=True):
        if limit:
            labels.append(limit.label)
            continue
        distance, label = min(((abs(mean - other), label) for other, label in declared), default=(float("inf"), ""))
        labels.append(label if distance <= TOLERANCE else f"about {mean:.0f} words")
    return labels


def bracket_warnings(names: Sequence[str], brackets: Sequence[str], mean_words: Sequence[float]) -> list[str]:
    """What a reader of the table has to be warned of: several brackets, or unequal lengths inside one.

    >>> bracket_warnings(["a", "b"], ["8 words", "8 words"], [8.0, 5.5])
    ['8 words: a is 2.5 words longer than b on average, so their figures are not comparable']
    """
    warnings = []
    distinct = list(dict.fromkeys(brackets))
    if len(distinct) > 1:
        warnings.append(
            f"systems of {len(distinct)} length brackets ({', '.join(distinct)}): compare only inside a bracket"
        )
    for bracket in distinct:
        members = [(mean, name) for mean, name, own in zip(mean_words, names, brackets, strict=True) if own == bracket]
        (low, shortest), (high, longest) = min(members), max(members)
        if high - low > TOLERANCE:
            warnings.append(
                f"{bracket}: {longest} is {high - low:.1f} words longer than {shortest} on average, "
                "so their figures are not comparable"
            )
    return warnings
