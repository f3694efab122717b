"""A table in five formats: text, Markdown, LaTeX, json, csv.

Figures are shown times 100 with two digits, as in the literature. Inside a bracket the best figure is bold, and a
degree sign marks a figure whose difference to the best may be chance (paired bootstrap, p of at least 0.05).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

from tersely.errors import InputError, missing_extra
from tersely.evaluation.published import MARK, Published
from tersely.evaluation.results import Evaluation, Row
from tersely.evaluation.rouge import METRICS

HEADER = ["system", "R-1", "R-2", "R-L", "words", "too long", "in source", "compression", "s/sentence"]
_LEGEND = "bold: best in its bracket; °: may be chance against the best (paired bootstrap, 1,000 samples, p >= 0.05)"
_ELSEWHERE = "reported elsewhere, on other data, so neither ranked nor tested"
_NO_SIGN = "\ue000"  # in place of an asterisk or degree sign, until the columns are aligned


def format_evaluation(evaluation: Evaluation, form: str = "text", *, color: bool = False) -> str:
    """The table in one of the formats, with a newline at the end."""
    if form not in FORMATS:
        raise InputError(f"unknown format {form!r}: known are {', '.join(FORMATS)}")
    if form == "text":
        return format_text(evaluation, color=color)
    return FORMATS[form](evaluation)


def format_text(evaluation: Evaluation, *, color: bool = False) -> str:
    """The table for a terminal; without colours the best figures have an asterisk."""

    def mark(cell: str, best: bool) -> str:
        if best and not color:
            return f"{cell}*"
        return (f"\x1b[1m{cell}\x1b[0m" if best else cell) + ("" if cell.endswith("°") else _NO_SIGN)

    rows = [row for block in _blocks(evaluation).values() for row in block]
    table = [HEADER, *map(_cells, rows)]  # one table, so that the columns of all brackets are aligned
    bests = [frozenset(), *map(_best, rows)]
    header, *lines = _tabulate([_marked(cells, best, mark) for cells, best in zip(table, bests, strict=True)], "plain")
    blocks = []
    for bracket in _blocks(evaluation):
        own = [line for row, line in zip(rows, lines, strict=True) if row.bracket == bracket]
        blocks.append("\n".join([bracket, header, *own]))
    legend = _LEGEND if color else _LEGEND.replace("bold", "*")
    return "\n\n".join([*blocks, "\n".join(_notes(evaluation, legend))]) + "\n"


def format_markdown(evaluation: Evaluation) -> str:
    """The table as Markdown, one for each bracket."""
    sections = []
    for bracket, rows in _blocks(evaluation).items():
        bold = [_marked(_cells(row), _best(row), lambda cell, best: f"**{cell}**" if best else cell) for row in rows]
        sections += [f"**{bracket}**", markdown_table(HEADER, bold)]
    return "\n\n".join([*sections, *_notes(evaluation, _LEGEND)]) + "\n"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, figures to the right.

    >>> print(markdown_table(["a", "b"], [["x|y", "1"]]))
    | a    |   b |
    |:-----|----:|
    | x\\|y |   1 |
    """
    head, *body = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in [header, *rows]]
    return "\n".join(_tabulate(body, "pipe", head))


def _tabulate(rows: Sequence[Sequence[str]], form: str, header: Sequence[str] = ()) -> list[str]:
    try:
        from tabulate import tabulate
    except ImportError:
        raise missing_extra("eval", "tabulate") from None
    aligned = ["left"] + ["right"] * (len(rows[0]) - 1)
    table = tabulate(rows, header, form, disable_numparse=True, colalign=aligned)
    return [line.rstrip() for line in table.replace(_NO_SIGN, " ").splitlines()]


def format_latex(evaluation: Evaluation) -> str:
    """The table for a paper, in the booktabs style."""
    lines = [r"\begin{tabular}{l" + "r" * (len(HEADER) - 1) + "}", r"\toprule", " & ".join(map(_tex, HEADER)) + r" \\"]
    for bracket, rows in _blocks(evaluation).items():
        lines += [r"\midrule", rf"\multicolumn{{{len(HEADER)}}}{{l}}{{\emph{{{_tex(bracket)}}}}} \\"]
        for row in rows:
            cells = _marked(
                [_tex(c) for c in _cells(row)], _best(row), lambda c, best: rf"\textbf{{{c}}}" if best else c
            )
            lines.append(" & ".join(cells) + r" \\")
    if evaluation.published:  # other notes are comments, but readers must see this one
        said = _tex(f"{MARK} {_ELSEWHERE}")
        lines += [r"\midrule", rf"\multicolumn{{{len(HEADER)}}}{{l}}{{{said}}} \\"]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines + [f"% {note}" for note in _notes(evaluation, _LEGEND)]) + "\n"


def format_json(evaluation: Evaluation) -> str:
    """All figures, with the differences to the best and their p-values."""
    return json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=1) + "\n"


def format_csv(evaluation: Evaluation) -> str:
    """One line per system, with full precision and the signature, so that files can be joined."""
    buffer = io.StringIO()
    rows = evaluation.to_dict()["systems"]
    names = [name for name in rows[0] if name not in ("best", "behind_best")] if rows else []
    writer = csv.DictWriter(buffer, ["dataset", *names, "signature"], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({"dataset": evaluation.dataset, "signature": evaluation.signature, **row})
    for other in evaluation.published:
        where = {"dataset": other.dataset, "signature": f"reported elsewhere: {other.source}"}
        writer.writerow({"system": other.system, "bracket": other.bracket, **other.figures, **where})
    return buffer.getvalue()


FORMATS: dict[str, Callable[[Evaluation], str]] = {
    "text": format_text,
    "markdown": format_markdown,
    "latex": format_latex,
    "json": format_json,
    "csv": format_csv,
}


def _blocks(evaluation: Evaluation) -> dict[str, list[Row | Published]]:
    """The rows of each bracket, followed by those reported elsewhere."""
    blocks: dict[str, list[Row | Published]] = {bracket: list(rows) for bracket, rows in evaluation.brackets.items()}
    for other in evaluation.published:
        blocks.setdefault(other.bracket, []).append(other)
    return blocks


def _best(row: Row | Published) -> frozenset[str]:
    return row.best if isinstance(row, Row) else frozenset()


def _cells(row: Row | Published) -> list[str]:
    if isinstance(row, Published):
        figures = [f"{row.figures[metric]:.2f}" for metric in METRICS]
        return [f"{row.system} {MARK}", *figures, *["-"] * (len(HEADER) - 1 - len(METRICS))]
    result = row.result
    figures = [f"{100 * result.mean(metric):.2f}" + ("°" if row.is_tied(metric) else "") for metric in METRICS]
    return [
        result.name,
        *figures,
        f"{result.mean_words:.1f}",
        "-" if result.violations is None else str(result.violations),
        f"{100 * result.in_source:.1f} %",
        f"{100 * result.compression:.1f} %",
        "-" if result.seconds is None else f"{result.seconds:.2g}" if result.seconds >= 1e-4 else "<0.0001",
    ]


def _marked(cells: Sequence[str], best: frozenset[str], mark: Callable[[str, bool], str]) -> list[str]:
    """The cells of a row, with the best figures marked."""
    system, *rest = cells
    figures = [mark(cell, metric in best) for cell, metric in zip(rest, METRICS, strict=False)]
    return [system, *figures, *rest[len(METRICS) :]]


def _notes(evaluation: Evaluation, legend: str) -> list[str]:
    measure = {"f1": "F1", "recall": "recall", "precision": "precision"}[evaluation.measure]
    notes = [f"{evaluation.dataset}, {evaluation.n_sources} sources, ROUGE {measure} x 100; {legend}"]
    if evaluation.published:
        where = "; ".join(dict.fromkeys(f"{row.dataset}, by {row.source}" for row in evaluation.published))
        notes.append(f"{MARK}: {_ELSEWHERE} ({where})")
    notes += [f"warning: {warning}" for warning in evaluation.warnings]
    return [*notes, evaluation.signature]


def _tex(text: str) -> str:
    for char in "&%$#_{}":
        text = text.replace(char, f"\\{char}")
    return text.replace("°", r"$^\circ$").replace(MARK, r"$^\dagger$")
