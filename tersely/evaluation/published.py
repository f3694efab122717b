"""Figures that others have reported, to be shown with one's own: the paper's systems and later ones.

The figures are in `published.json`, each with its source. They were measured by others on other data, so they are
neither ranked nor tested, and every format marks them as reported elsewhere.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

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


@cache
def _content() -> dict[str, Any]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def read_rows(name: str) -> list[list[Any]]:
    """The rows of `readings`, `seconds` or `deletions`; `columns` of the file names what they hold."""
    return [[*row[:-1], _content()["sources"][row[-1]]] for row in _content()[name]]


def read_published() -> list[Published]:
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
    return rows


def published_claim(name: str) -> str:
    """What the paper reports for one of its claims."""
    return str(_content()["claims"][name])
