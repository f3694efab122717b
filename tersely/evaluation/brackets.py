"""Length brackets: groups of systems whose figures can be compared.

ROUGE F1 and even more recall grow with the length of the summary, so the paper compares systems only inside a group of
equal length: 8 words, 10 words, half of the source. A system with a length belongs to the bracket of that length; an
output file without one joins the bracket nearest to its average length.
"""

from __future__ import annotations

from collections.abc import Sequence

from tersely.candidates.length import Length

# Outputs whose average lengths differ by more are of different brackets; six bytes are about a word with its space.
TOLERANCE = {"words": 1.0, "bytes": 6.0}


def assign_brackets(asked: Sequence[Length | None], mean_words: Sequence[float]) -> list[str]:
    """The bracket of each system, from its length or else from its average length in words.

    >>> assign_brackets([Length.of(words=8), None, None], [8.0, 7.4, 12.1])
    ['8 words', '8 words', 'about 12 words']
    """
    declared = [(mean, length.label) for length, mean in zip(asked, mean_words, strict=True) if length]
    labels = []
    for length, mean in zip(asked, mean_words, strict=True):
        if length:
            labels.append(length.label)
            continue
        distance, label = min(((abs(mean - other), label) for other, label in declared), default=(float("inf"), ""))
        labels.append(label if distance <= TOLERANCE["words"] else f"about {mean:.0f} words")
    return labels


def bracket_warnings(
    names: Sequence[str], brackets: Sequence[str], lengths: Sequence[float], unit: str = "words"
) -> list[str]:
    """The warnings of a table: several brackets, or different average lengths inside one.

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
        members = [(mean, name) for mean, name, own in zip(lengths, names, brackets, strict=True) if own == bracket]
        (low, shortest), (high, longest) = min(members), max(members)
        if high - low > TOLERANCE[unit]:
            warnings.append(
                f"{bracket}: {longest} is {high - low:.1f} {unit} longer than {shortest} on average, "
                "so their figures are not comparable"
            )
    return warnings
