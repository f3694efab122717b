"""Figures that others have reported, to be shown with one's own: the paper's systems and later ones.

The figures are in `published.json`, each with its source. They were measured by others on other data, so they are
neither ranked nor tested, and every format marks them as reported elsewhere.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tersely.evaluation.rouge import METRICS

FILE = Path(__file__).with_name("published.json")
MARK = "†"


@dataclass(frozen=True)
class Published:
    """The figures of one system in one length bracket, times 100, and who reported them."""

    system: str
    bracket: str
    dataset: str
    measure: str
    cut_bytes: int | None
    figures: dict[str, float]  # by metric
    source: str
    words: float | None = None  # the average length, where it was reported
    data: str | None = None  # what the system learned from


class Reading(NamedTuple):
    """Pairs that people read: wins, ties and losses of the first system, mean vote, Krippendorff's alpha."""

    pair: str
    question: str
    tally: tuple[int, int, int]
    score: float
    alpha: float
    source: str


class Seconds(NamedTuple):
    """Seconds a sentence, on the machine of those who reported them."""

    system: str
    length: str
    search: str
    seconds: float
    source: str


class Deletion(NamedTuple):
    """Token F1 x 100 on the 1,000 test sentences of Google's compression set, and the average length in words."""

    system: str
    token_f1: float | str
    words: str
    source: str


@cache
def _content() -> dict[str, Any]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def _sourced(name: str) -> list[list[Any]]:
    """The rows of a list, each with the whole source in place of its key."""
    return [[*row[:-1], _content()["sources"][row[-1]]] for row in _content()[name]]


def read_published() -> tuple[Published, ...]:
    """All ROUGE figures of the file.

    >>> next(row.figures["ROUGE-1"] for row in read_published() if row.system == "HC_title")
    26.32
    """
    rows = []
    for system, dataset, bracket, figures, source, more in _content()["figures"]:
        of = _content()["datasets"][dataset]
        values = dict(zip(METRICS, figures, strict=True))
        known = (system, bracket, of["name"], of["measure"], of["cut_bytes"], values, _content()["sources"][source])
        rows.append(Published(*known, **more))
    return tuple(rows)


def read_readings() -> list[Reading]:
    return [Reading(*row) for row in _sourced("readings")]


def read_seconds() -> list[Seconds]:
    return [Seconds(*row) for row in _sourced("seconds")]


def read_deletions() -> list[Deletion]:
    return [Deletion(*row) for row in _sourced("deletions")]


def published_claim(name: str) -> str:
    """What the paper reports for one of its claims."""
    return str(_content()["claims"][name])


def published_beside(brackets: list[str], measure: str) -> tuple[Published, ...]:
    """The rows to show with a table: of its brackets and its measure.

    >>> sorted({row.system for row in published_beside(["8 words"], "f1")})[:3]
    ['HC_article', 'HC_title', "HC_title, the authors' program"]
    >>> published_beside(["8 words"], "recall")
    ()
    """
    return tuple(row for row in read_published() if row.measure == measure and row.bracket in brackets)
