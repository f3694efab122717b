"""Statistics of judgements: majority vote, the paper's score, and how far the annotators agree.

A judgement is +1 for the first system, 0 for a tie, -1 for the second one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import multimode
from typing import NamedTuple

import numpy as np

from tersely.errors import missing_extra

Votes = Mapping[str, int]  # annotator -> +1, 0 or -1


class Tally(NamedTuple):
    """How many items each side won by majority."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class VoteStatistics:
    """The statistics of one question, from the point of view of the first system."""

    n_items: int
    n_answers: int
    tally: Tally
    score: float  # the mean of all judgements, between -1 and +1
    alpha: float | None  # None where it is not defined


def majority(votes: Sequence[int]) -> int:
    """The answer with most votes; 0, a tie, if several have as many.

    >>> majority([1, 1, -1]), majority([1, -1]), majority([1, 0, -1])
    (1, 0, 0)
    """
    first, *others = multimode(votes)
    return 0 if others else first


def krippendorff_alpha(items: Sequence[Mapping[str, int]]) -> float | None:
    """Krippendorff's alpha (nominal) over items with one value per annotator; 1 is agreement, 0 is chance.

    It is not defined, and None, where no item has two answers, or where all answers are the same.

    >>> krippendorff_alpha([{"ann": 1, "bob": 1}, {"ann": -1, "bob": -1}, {"ann": 0}])
    1.0
    >>> krippendorff_alpha([{"ann": 1}, {"ann": 1}]) is None
    True
    """
    try:
        import krippendorff
    except ImportError:
        raise missing_extra("eval", "krippendorff") from None
    paired = [item for item in items if len(item) > 1]
    values = {value for item in paired for value in item.values()}
    if len(values) < 2:
        return None
    annotators = sorted({name for item in paired for name in item})
    table = np.array([[item.get(name, np.nan) for item in paired] for name in annotators], dtype=float)
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement="nominal"))


def summarize_votes(items: Sequence[Votes]) -> VoteStatistics:
    """The statistics of one question, from the votes on each item."""
    answered = [votes for votes in items if votes]
    decided = Counter(majority(list(votes.values())) for votes in answered)
    everything = [vote for votes in answered for vote in votes.values()]
    return VoteStatistics(
        n_items=len(answered),
        n_answers=len(everything),
        tally=Tally(decided[1], decided[0], decided[-1]),
        score=float(np.mean(everything)) if everything else 0.0,
        alpha=krippendorff_alpha(answered),
    )
