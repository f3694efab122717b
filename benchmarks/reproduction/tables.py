"""The tables of the page, from the stored figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tersely.evaluation.bootstrap import paired_bootstrap
from tersely.evaluation.published import MARK, read_published
from tersely.evaluation.results import SIGNIFICANT
from tersely.evaluation.rouge import METRICS
from tersely.evaluation.studies.search_quality import EQUAL
from tersely.evaluation.table_formats import markdown_table

from .stored import ALL, Row, compare

HEADER = ["system", "R-1", "R-2", "R-L", "words", "s/sentence"]
UNTUNED = 1000  # the first source of the half of Gigaword on which no weight was tuned


def label_of(row: Row) -> str:
    """The name of a system on the page: objectives as code, `paper` with the paper's name for it."""
    names = {"paper": "`paper` (HC_title)", "headline": "`headline`", "telegraph": "`telegraph`"}
    return names.get(row.label, row.label)


def system_table(rows: Sequence[Row], published: str | None = None, first: int = 0) -> list[str]:
    """Systems of one length, with the signs of the bootstrap test, and below them what was reported elsewhere.

    Only sources from number `first` on count, so that those can be left out on which weights were tuned.
    """
    part = slice(first, None)
    best = {metric: max(rows, key=lambda row: row.mean(metric, part)) for metric in METRICS} if rows else {}
    lines = []
    for row in rows:
        cells = [label_of(row)]
        for metric in METRICS:
            shown = f"{row.mean(metric, part):.2f}"
            if row is best[metric]:
                cells.append(f"**{shown}**" if len(rows) > 1 else shown)
                continue
            behind = paired_bootstrap(
                best[metric].scores(metric, part), row.scores(metric, part), np.random.default_rng(0)
            )
            cells.append(shown + ("°" if behind.p_value >= SIGNIFICANT else ""))
        seconds = "" if row.seconds is None or row.label.startswith("Lead") else f"{row.seconds:.2f}"
        lines.append([*cells, f"{row.words:.1f}", seconds])
    for other in read_published():
        if other.bracket == published:
            figures = [f"{other.figures[metric]:.2f}" for metric in METRICS]
            lines.append([f"{other.system} {MARK}", *figures, "", ""])
    return markdown_table(HEADER, lines)


def readme_table(rows: Sequence[Row]) -> list[str]:
    """The table of the README: R-1 / R-2 / R-L at 8 and 10 words, on the sources on which no weight was tuned."""
    found = {(row.label, row.length): row for row in rows}
    names = {"Lead": "Lead (the first words)", "paper": "`paper`, with this bundle", "headline": "**`headline`**"}
    lines = ["| system | 8 words | 10 words |", "|---|---|---|"]
    for label in ("Lead", "paper", "headline", "telegraph"):
        of = [found[label, length] for length in ("8 words", "10 words")]
        cells = [" / ".join(f"{row.mean(metric, slice(UNTUNED, None)):.2f}" for metric in METRICS) for row in of]
        lines.append(f"| {names.get(label, f'`{label}`')} | {' | '.join(cells)} |")
    return lines


def search_pairs(lattice: Sequence[Row], climbed: Sequence[Row]) -> list[str]:
    """The paper's objective by hill climbing and by the default search, on the same sources."""
    header = ["length", "sources", "search", "R-1", "R-2", "R-L", "mean log f", "at or above the other", "s/sentence"]
    lines = []
    for row in climbed:
        other = next((r for r in lattice if (r.label, r.length) == (row.label, row.length)), None)
        part = other.covers(row) if other else None
        if other is None or part is None or row.log_f is None or other.log_f is None:
            continue
        ours, theirs = np.array(other.log_f)[part], np.array(row.log_f)
        for name, found, of, beside, share in (
            ("hill climbing", row, ALL, theirs, np.mean(theirs >= ours - EQUAL)),
            ("default", other, part, ours, np.mean(ours >= theirs - EQUAL)),
        ):
            figures = [f"{found.mean(metric, of):.2f}" for metric in METRICS]
            shown = [f"{beside.mean():.4f}", f"{100 * share:.1f} %", f"{found.seconds:.2f}"]
            lines.append([row.length, str(row.n_sources), name, *figures, *shown])
        gaps = [compare(other, row, metric, part) for metric in METRICS]
        cells = [f"{gap.difference:+.2f}" + ("°" if gap.may_be_chance else "") for gap in gaps]
        lines.append([row.length, "", "*difference*", *cells, f"{(ours - theirs).mean():+.4f}", "", ""])
    return markdown_table(header, lines) if lines else []


def exhaustive_table(sizes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The share of sources for which each search finds the optimum, by the lengths of source and summary."""
    header = ["summary", "source words", "sources", "candidates scored", "hill climbing", "default search"]
    lines = []
    for size in sizes:
        found = size["found"]
        scored = f"{np.mean(found['exhaustive']['evaluations']):,.0f}"
        shares = [f"{100 * optimum_share(size, name):.0f} %" for name in ("hill climbing", "default")]
        low, high = min(size["source_words"]), max(size["source_words"])
        spread = str(low) if low == high else f"{low} to {high}"
        lines.append([f"{size['words']} words", spread, str(len(size["source_words"])), scored, *shares])
    return markdown_table(header, lines)


def optimum_share(size: Mapping[str, Any], search: str) -> float:
    """The share of sources for which a search reaches the best score."""
    best, found = (np.array(size["found"][name]["log_f"]) for name in ("exhaustive", search))
    return float(np.mean(found >= best - EQUAL))


def ablation_table(whole: Row, parts: Sequence[Row]) -> list[str]:
    """An objective and its parts; the difference to the whole is tested on the same sources."""
    part = whole.covers(parts[0])
    assert part is not None, "the whole has not run on the sources of its parts"
    lines = [[label_of(whole), *(f"{whole.mean(metric, part):.2f}" for metric in METRICS), ""]]
    for row in parts:
        gaps = {metric: compare(whole, row, metric, part) for metric in METRICS}
        marks = {metric: "°" if gap.may_be_chance else "" for metric, gap in gaps.items()}
        cells = [f"{row.mean(metric):.2f}{marks[metric]}" for metric in METRICS]
        lines.append([row.label, *cells, f"{-gaps['ROUGE-L'].difference:+.2f}"])
    return markdown_table(["objective", "R-1", "R-2", "R-L", "R-L against the whole"], lines)


def quarter_table(shares: Mapping[str, Sequence[float]]) -> list[str]:
    lines = [[name, *(f"{100 * share:.1f} %" for share in values)] for name, values in shares.items()]
    return markdown_table(["system", "first quarter", "second", "third", "last quarter"], lines)


def judgement_table(found: Mapping[str, Any]) -> list[str]:
    lines = []
    for pair in found.values():
        for question, of in pair["questions"].items():
            tally = [str(of[name]) for name in ("wins", "ties", "losses")]
            alpha = "" if of.get("alpha") is None else f"{of['alpha']:.2f}"
            lines.append([f"{pair['first']} against {pair['second']}", question, *tally, f"{of['score']:+.2f}", alpha])
    return markdown_table(["pair", "question", "wins", "ties", "losses", "score", "alpha"], lines)
