"""Seconds a sentence, from the rows of other studies, and what others reported."""

from __future__ import annotations

from tersely.evaluation.published import MARK, read_seconds
from tersely.evaluation.scores import Row, Scores
from tersely.evaluation.studies.search_quality import CLIMBING
from tersely.evaluation.studies.setting import Study
from tersely.evaluation.table_formats import markdown_table


def _is_objective(row: Row) -> bool:
    return str(row.settings.get("objective")).startswith(f"{row.label}(")


def show(scores: Scores) -> list[str]:
    rows = [(row.label, row) for name in ("headlines", "duc") for row in scores.rows(name) if _is_objective(row)]
    rows += [("paper", row) for row in scores.rows("climbing") if row.label == CLIMBING]
    lines = []
    for label, row in rows:
        if row.seconds is not None:
            scored = "" if row.evaluations is None else f"{row.evaluations:,.0f}"
            lines.append([label, row.length, row.settings["search"], f"{row.seconds:.2f}", scored])
    if lines and scores.published:
        lines += [[f"{of.system} {MARK}", of.length, of.search, f"{of.seconds:g}", ""] for of in read_seconds()]
    header = ["system", "length", "search", "s/sentence", "candidates scored"]
    return [markdown_table(header, lines)] if lines else []


SPEED = Study(
    "Speed",
    "Measured in the process that makes a summary; what others reported was measured on other machines. Orders of "
    "magnitude only.",
    show,
)
