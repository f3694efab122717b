"""A table in five formats: text, Markdown, LaTeX, json, csv.

Figures are shown times 100 with two digits, as in the literature. Inside a bracket the best figure is bold, and a
figure whose distance to the best may be chance (paired bootstrap, p of at least 0.05) carries a degree sign.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Sequence

from tersely.errors import InputError
from tersely.evaluation.results import Evaluation, Row
from tersely.evaluation.rouge import METRICS

HEADER = ["system", "R-1", "R-2", "R-L", "words", "too long", "in source", "compression", "s/sentence"]
_LEGEND = (
    "bold: best in its bracket; °: the distance to the best may be chance (paired bootstrap, 1,000 samples, p >= 0.05)"
)
Decorate = Callable[[str], str]


def format_evaluation(evaluation: Evaluation, form: str = "text", *, color: bool = False) -> str:
    """The table in one of the formats, ended by a newline."""
    if form not in FORMATS:
        raise InputError(f"no format is called {form!r}: choose one of {', '.join(FORMATS)}")
    if form == "text":
        return format_text(evaluation, color=color)
    return FORMATS[form](evaluation)


def format_text(evaluation: Evaluation, *, color: bool = False) -> str:
    """The table for a terminal; without colours the best figures carry an asterisk."""
    bold: Decorate = (lambda text: f"\x1b[1m{text}\x1b[0m") if color else (lambda text: f"{text}*")
    lines = []
    grid = [HEADER] + [_cells(row) for row in evaluation.rows]
    widths = [max(len(line[column]) for line in grid) + 1 for column in range(len(HEADER))]
    for bracket, rows in evaluation.brackets.items():
        lines += [bracket, _aligned(HEADER, widths)]
        for row in rows:
            best = {_column(metric) for metric in row.best}
            padded = _padded(_cells(row), widths)
            lines.append(
                "".join(_decorate_padded(cell, bold) if i in best else cell for i, cell in enumerate(padded)).rstrip()
            )
        lines.append("")
    legend = _LEGEND if color else _LEGEND.replace("bold", "*")
    return "\n".join([*lines, *_notes(evaluation, legend)]) + "\n"


def format_markdown(evaluation: Evaluation) -> str:
    """The table as Markdown, one for each bracket."""
    lines = []
    for bracket, rows in evaluation.brackets.items():
        lines += [
            f"**{bracket}**",
            "",
            *markdown_table(HEADER, [_marked(row, lambda text: f"**{text}**") for row in rows]),
            "",
        ]
    return "\n\n".join(["\n".join(lines).strip(), *_notes(evaluation, _LEGEND)]) + "\n"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table: the first column to the left, figures to the right.

    >>> print("\\n".join(markdown_table(["a", "b"], [["x", "1"]])))
    | a | b |
    |---|---:|
    | x | 1 |
    """
    escaped = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in [header, *rows]]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return [lines[0], "|---|" + "---:|" * (len(header) - 1), *lines[1:]]


def format_latex(evaluation: Evaluation) -> str:
    """The table for a paper, in the booktabs style."""
    lines = [r"\begin{tabular}{l" + "r" * (len(HEADER) - 1) + "}", r"\toprule", " & ".join(map(_tex, HEADER)) + r" \\"]
    for bracket, rows in evaluation.brackets.items():
        lines += [r"\midrule", rf"\multicolumn{{{len(HEADER)}}}{{l}}{{\emph{{{_tex(bracket)}}}}} \\"]
        for row in rows:
            cells = [_tex(cell) for cell in _cells(row)]
            for metric in row.best:
                cells[_column(metric)] = rf"\textbf{{{cells[_column(metric)]}}}"
            lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines + [f"% {note}" for note in _notes(evaluation, _LEGEND)]) + "\n"


def format_json(evaluation: Evaluation) -> str:
    """All figures, with the differences to the best and their p-values."""
    return json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=1) + "\n"


def format_csv(evaluation: Evaluation) -> str:
    """One line per system, in full precision, with the signature in each, so that files can be joined."""
    buffer = io.StringIO()
    rows = evaluation.to_dict()["systems"]
    names = [name for name in rows[0] if name not in ("best", "behind_best")] if rows else []
    writer = csv.DictWriter(buffer, ["dataset", *names, "signature"], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({"dataset": evaluation.dataset, "signature": evaluation.signature, **row})
    return buffer.getvalue()


FORMATS: dict[str, Callable[[Evaluation], str]] = {
    "text": format_text,
    "markdown": format_markdown,
    "latex": format_latex,
    "json": format_json,
    "csv": format_csv,
}


def _cells(row: Row) -> list[str]:
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


def _marked(row: Row, bold: Decorate) -> list[str]:
    best = {_column(metric) for metric in row.best}
    return [bold(cell) if column in best else cell for column, cell in enumerate(_cells(row))]


def _column(metric: str) -> int:
    return 1 + METRICS.index(metric)


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *rest = cells
    return [first.ljust(widths[0])] + [f"  {_right(cell, width)}" for cell, width in zip(rest, widths[1:], strict=True)]


def _right(cell: str, width: int) -> str:
    """Right-aligned, with one column kept free for a mark behind the figure."""
    return cell.rjust(width) if cell.endswith("°") else f"{cell} ".rjust(width)


def _decorate_padded(cell: str, bold: Decorate) -> str:
    text = cell.strip()
    marked = bold(text)
    start = cell.index(text)
    return cell[:start] + marked + (" " if marked.endswith("m") else "")


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(_padded(cells, widths)).rstrip()


def _notes(evaluation: Evaluation, legend: str) -> list[str]:
    measure = {"f1": "F1", "recall": "recall", "precision": "precision"}[evaluation.measure]
    notes = [f"{evaluation.dataset}, {evaluation.n_sources} sources, ROUGE {measure} x 100; {legend}"]
    notes += [f"warning: {warning}" for warning in evaluation.warnings]
    return [*notes, evaluation.signature]


def _tex(text: str) -> str:
    for char in "&%$#_{}":
        text = text.replace(char, f"\\{char}")
    return text.replace("°", r"$^\circ$")


def supports_color(stream: object) -> bool:
    """Whether a stream is a terminal that may be written to in bold."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and "NO_COLOR" not in os.environ
