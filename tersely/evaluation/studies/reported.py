"""What readers prefer (the paper's Table 5), and seconds a sentence: from what is stored, and what others reported."""

from __future__ import annotations

from tersely.evaluation.published import MARK, read_rows
from tersely.evaluation.scores import Row, Scores
from tersely.evaluation.studies.search_quality import CLIMBING
from tersely.evaluation.studies.setting import Study
from tersely.evaluation.table_formats import markdown_table


def show_readings(scores: Scores) -> list[str]:
    """The stored reports of `tersely judge`."""
    lines = []
    for reading in scores.readings:
        for question, of in reading["questions"].items():
            tally = [str(of["tally"][name]) for name in ("wins", "ties", "losses")]
            alpha = "" if of["alpha"] is None else f"{of['alpha']:.2f}"
            pair = f"{reading['first']} against {reading['second']}"
            lines.append([pair, question, *tally, f"{of['score']:+.2f}", alpha])
    if lines and scores.published:
        for pair, question, tally, score, alpha, _ in read_rows("readings"):
            lines.append([f"{pair} {MARK}", question, *map(str, tally), f"{score:+.2f}", f"{alpha:.2f}"])
    header = ["pair", "question", "wins", "ties", "losses", "score", "alpha"]
    return [markdown_table(header, lines)] if lines else []


def show_speed(scores: Scores) -> list[str]:
    """The seconds of the rows of other studies."""
    rows = [(row.label, row) for name in ("headlines", "duc") for row in scores.rows(name) if _is_objective(row)]
    rows += [("paper", row) for row in scores.rows("climbing") if row.label == CLIMBING]
    lines = []
    for label, row in rows:
        if row.seconds is not None:
            scored = "" if row.evaluations is None else f"{row.evaluations:,.0f}"
            lines.append([label, row.length, row.settings["search"], f"{row.seconds:.2f}", scored])
    if lines and scores.published:
        for system, length, search, seconds, _ in read_rows("seconds"):
            lines.append([f"{system} {MARK}", length, search, f"{seconds:g}", ""])
    header = ["system", "length", "search", "s/sentence", "candidates scored"]
    return [markdown_table(header, lines)] if lines else []


def _is_objective(row: Row) -> bool:
    return str(row.settings.get("objective")).startswith(f"{row.label}(")


READINGS = Study(
    "Readers",
    "Pairs of summaries of the same source, read blind. Wins, ties and losses are items by majority, for the first of "
    "the pair; the score is the paper's, the mean of +1, 0 and -1; alpha is Krippendorff's.",
    show_readings,
)
SPEED = Study(
    "Speed",
    "Measured in the process that makes a summary; what others reported was measured on other machines. Orders of "
    "magnitude only.",
    show_speed,
)
