"""A table in five formats: text, Markdown, LaTeX, json, csv.

Figures are shown times 100 with two digits, as in the literature. Inside a bracket the best figure is bold, and a
degree sign marks a figure whose difference to the best may be chance (paired bootstrap, p of at least 0.05).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from itertools import islice

from tersely.errors import missing_extra
from tersely.evaluation.published import MARK, Published
from tersely.evaluation.results import Evaluation, SystemResult
from tersely.evaluation.rouge import METRICS

HEADER = ["system", "R-1", "R-2", "R-L", "words", "too long", "in source", "compression", "s/sentence"]
_LEGEND = "bold: best in its bracket; °: may be chance against the best (paired bootstrap, 1,000 samples, p >= 0.05)"
_ELSEWHERE = "reported elsewhere, on other data, so neither ranked nor tested"
_NO_SIGN = "\ue000"  # in place of an asterisk or degree sign, until the columns are aligned


def format_evaluation(evaluation: Evaluation, form: str = "text", *, color: bool = False) -> str:
    """The table in one of the formats, with a newline at the end."""
    return format_text(evaluation, color=color) if form == "text" else FORMATS[form](evaluation)


def format_text(evaluation: Evaluation, *, color: bool = False) -> str:
    """The table for a terminal; without colours the best figures have an asterisk."""

    def bold(figure: str) -> str:
        return f"\x1b[1m{figure}\x1b[0m{_NO_SIGN}" if color else f"{figure}*"

    blocks = _blocks(evaluation)
    header = [f"{name}{_NO_SIGN}" if name.startswith("R-") else name for name in HEADER]
    rows = [_cells(row, bold, _NO_SIGN) for block in blocks.values() for row in block]
    first, *lines = _tabulate([header, *rows], "plain")  # one table, so that the columns of all brackets are aligned
    rest = iter(lines)
    text = ["\n".join([bracket, first, *islice(rest, len(block))]) for bracket, block in blocks.items()]
    legend = _LEGEND if color else _LEGEND.replace("bold", "*")
    return "\n\n".join([*text, "\n".join(_notes(evaluation, legend))]) + "\n"


def format_markdown(evaluation: Evaluation) -> str:
    """The table as Markdown, one for each bracket."""
    sections = []
    for bracket, rows in _blocks(evaluation).items():
        sections += [f"**{bracket}**", markdown_table(HEADER, [_cells(row, _bold) for row in rows])]
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
        lines += [" & ".join(map(_tex, _cells(row, _bold))) + r" \\" for row in rows]
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


def _blocks(evaluation: Evaluation) -> dict[str, list[SystemResult | Published]]:
    """The rows of each bracket, followed by those reported elsewhere."""
    blocks: dict[str, list[SystemResult | Published]] = {}
    rows: list[SystemResult | Published] = [*evaluation.rows, *evaluation.published]
    for row in rows:
        blocks.setdefault(row.bracket, []).append(row)
    return blocks


def _cells(row: SystemResult | Published, bold: Callable[[str], str], no_sign: str = "") -> list[str]:
    """The cells of a row. Figures that are neither best nor tied end with `no_sign`."""
    if isinstance(row, Published):
        figures = [f"{row.figures[metric]:.2f}{no_sign}" for metric in METRICS]
        return [f"{row.system} {MARK}", *figures, *["-"] * (len(HEADER) - 1 - len(METRICS))]
    figures = []
    for metric in METRICS:
        figure = f"{100 * row.mean(metric):.2f}"
        figures.append(bold(figure) if metric in row.best else figure + ("°" if row.is_tied(metric) else no_sign))
    return [
        row.name,
        *figures,
        f"{row.mean_words:.1f}",
        "-" if row.violations is None else str(row.violations),
        f"{100 * row.in_source:.1f} %",
        f"{100 * row.compression:.1f} %",
        "-" if row.seconds is None else f"{row.seconds:.2g}" if row.seconds >= 1e-4 else "<0.0001",
    ]


def _bold(figure: str) -> str:
    return f"**{figure}**"


def _notes(evaluation: Evaluation, legend: str) -> list[str]:
    measure = {"f1": "F1", "recall": "recall", "precision": "precision"}[evaluation.measure]
    notes = [f"{evaluation.dataset}, {evaluation.n_sources} sources, ROUGE {measure} x 100; {legend}"]
    if evaluation.published:
        where = "; ".join(dict.fromkeys(f"{row.dataset}, by {row.source}" for row in evaluation.published))
        notes.append(f"{MARK}: {_ELSEWHERE} ({where})")
    notes += [f"warning: {warning}" for warning in evaluation.warnings]
    return [*notes, evaluation.signature]


def _tex(text: str) -> str:
    """A cell of Markdown for LaTeX."""
    for char in "&%$#_{}":
        text = text.replace(char, f"\\{char}")
    text = text.replace("°", r"$^\circ$").replace(MARK, r"$^\dagger$")
    return re.sub(r"\*\*(.+)\*\*", r"\\textbf{\1}", text)
