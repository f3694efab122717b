"""Figures that others have reported, to be shown with one's own: the paper's systems and later ones.

The figures are in `published.json`, each with its source. They were measured by others on other data, so they are
neither ranked nor tested, and every format marks them as reported elsewhere.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tersely.evaluation.rouge import METRICS

FILE = Path(__file__).with_name("published.json")
NO_LENGTH = "no fixed length"
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


def read_published() -> tuple[Published, ...]:
    """All figures of the file.

    >>> next(row.figures["ROUGE-1"] for row in read_published() if row.system == "HC_title")
    26.32
    """
    content = json.loads(FILE.read_text(encoding="utf-8"))
    rows = []
    for system, dataset, bracket, figures, source in content["figures"]:
        of = content["datasets"][dataset]
        values = dict(zip(METRICS, figures, strict=True))
        rows.append(
            Published(system, bracket, of["name"], of["measure"], of["cut_bytes"], values, content["sources"][source])
        )
    return tuple(rows)


def published_beside(brackets: list[str], measure: str) -> tuple[Published, ...]:
    """The rows to show with a table: of its brackets and its measure, or of no fixed length.

    >>> [row.system for row in published_beside(["50 %"], "f1")]
    ['Lead', 'HC_title', 'NAUS', 'MSRP, soft length', 'ZR']
    >>> published_beside(["8 words"], "recall")
    ()
    """
    wanted = [*brackets, NO_LENGTH]
    return tuple(row for row in read_published() if row.measure == measure and row.bracket in wanted)
