"""The page: every claim with its evidence, from the stored figures. docs/make_reproduction.py writes it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tersely.evaluation import plots
from tersely.evaluation.rouge import METRICS
from tersely.evaluation.table_formats import markdown_table

from . import judgements, texts
from .claims import BRACKETS, Evidence, claims, published
from .parts import GROUPS, OBJECTIVES, OTHERS
from .stored import FOLDER, Row, read_part, rows_of
from .tables import (
    UNTUNED,
    ablation_table,
    exhaustive_table,
    judgement_table,
    label_of,
    quarter_table,
    search_pairs,
    system_table,
)

Paragraphs = list[str]
NOTHING = "*No figures are stored yet: see [what is missing](#what-is-missing).*"


def read_evidence(folder: Path = FOLDER) -> Evidence:
    """All that is stored."""
    return Evidence(
        headlines=rows_of(read_part(folder, "gigaword")),
        duc=rows_of(read_part(folder, "duc2003")),
        ablation=rows_of(read_part(folder, "ablation")),
        own_ablation=rows_of(read_part(folder, "own-ablation")),
        climbed=[row for name in ("hill-climbing", "hill-climbing-half") for row in rows_of(read_part(folder, name))],
        sizes=read_part(folder, "search").get("sizes", []),
        lead=read_part(folder, "lead"),
        judgements=judgements.read(folder),
    )


def page(evidence: Evidence) -> str:
    """The whole page."""
    verdicts = [f"| {claim.says} | *{claim.verdict}* | {claim.why} |" for claim in claims(evidence)]
    sections: dict[str, Callable[[Evidence], Paragraphs]] = {
        "Headlines": _headlines,
        "Hill climbing and the default search": _searches,
        "DUC": _duc,
        "Ablation": _ablation,
        "Against exhaustive search": _exhaustive,
        "Positions": _positions,
        "Lead over its length": _lead,
        "Readers": _readers,
        "Speed": _speed,
        "Worse than published": _worse,
        "What is missing": _missing,
    }
    about = texts.ABOUT.strip().format(easier=_easier(evidence))
    text = [about, "## Claims", _table(["| the paper | verdict | why |", "|---|---|---|", *verdicts])]
    for title, section in sections.items():
        text += [f"## {title}", *(section(evidence) or [NOTHING])]
    return "\n\n".join(text) + "\n"


def _easier(evidence: Evidence) -> str:
    """How much higher Lead scores on the development set than on the test set."""
    rows = {length: evidence.row("Lead", length) for length in GROUPS}
    here = {length: row.mean("ROUGE-1") for length, row in rows.items() if row}
    if not here:
        return ""
    there = {length: published(length)["Lead"]["ROUGE-1"] for length in here}
    points = [here[length] - there[length] for length in here]
    figures = ", ".join(f"{here[length]:.2f} and {there[length]:.2f} at {length}" for length in here)
    return (
        "The development set is easier than the test set: "
        f"ROUGE-1 of Lead is {min(points):.1f} to {max(points):.1f} points higher ({figures}).\n"
    )


def _table(lines: list[str]) -> str:
    return "\n".join(lines)


def _group(rows: list[Row], length: str) -> list[Row]:
    return [row for row in rows if row.length == length]


def _headlines(evidence: Evidence) -> Paragraphs:
    text = [texts.HEADLINES.strip()] if evidence.headlines else []
    if any(row.label in OTHERS for row in evidence.headlines):
        text.append(texts.BUNDLES.strip())
    for length in GROUPS:
        if rows := _group(evidence.headlines, length):
            n_sources = max(row.n_sources for row in rows)
            rows = [row for row in rows if row.n_sources == n_sources]
            text += [f"**{length}**, {n_sources:,} sources", _table(system_table(rows, published=length))]
            if n_sources > UNTUNED:
                head = f"The same on lines {UNTUNED + 1:,} to {n_sources:,}, on which no weight was tuned:"
                text += [head, _table(system_table(rows, first=UNTUNED))]
    return text


def _searches(evidence: Evidence) -> Paragraphs:
    table = search_pairs(evidence.headlines, evidence.climbed)
    exact = all(row.settings.get("search") == "paper" for row in evidence.climbed)
    rest = "" if exact else ", which scores all candidates instead where that costs no more,"
    search = f"hill climbing with the budget of the paper{rest}"
    return [texts.SEARCHES.strip().format(search=search), _table(table)] if table else []


def _duc(evidence: Evidence) -> Paragraphs:
    return [texts.DUC.strip(), _table(system_table(evidence.duc, published="cut at 75 bytes"))] if evidence.duc else []


def _ablation(evidence: Evidence) -> Paragraphs:
    text = []
    pairs = {"paper": evidence.ablation, "headline": evidence.own_ablation}
    for label, parts in pairs.items():
        whole = evidence.row(label, "8 words")
        if whole and parts and whole.covers(parts[0]) is not None:
            text += [f"`{label}`, 8 words, {parts[0].n_sources:,} sources:", _table(ablation_table(whole, parts))]
    return [texts.ABLATION.strip(), *text] if text else []


def _exhaustive(evidence: Evidence) -> Paragraphs:
    return [texts.EXHAUSTIVE.strip(), _table(exhaustive_table(evidence.sizes))] if evidence.sizes else []


def _positions(evidence: Evidence) -> Paragraphs:
    shares = quarters(evidence)
    figure = "![share of words by quarter of the source](figures/positions.svg)"
    return [texts.POSITIONS.strip(), _table(quarter_table(shares)), figure] if len(shares) > 1 else []


def quarters(evidence: Evidence) -> dict[str, list[float]]:
    """The shares of the 10-word summaries, and of the references."""
    shares = {label_of(row): row.quarters for row in _group(evidence.headlines, "10 words") if row.label not in OTHERS}
    return {**shares, "references": evidence.lead["references"]} if evidence.lead else shares


def _lead(evidence: Evidence) -> Paragraphs:
    if not evidence.lead:
        return []
    lines = []
    for unit, lengths, points in (
        ("words", evidence.lead["words"], evidence.lead["by_words"]),
        ("%", evidence.lead["percent"], evidence.lead["by_percent"]),
    ):
        best = [f"{lengths[int(np.argmax(points[m]))]} {unit}: {max(points[m]):.2f}" for m in METRICS]
        lines.append([f"in {unit}", *best])
    table = _table(markdown_table(["best length of Lead", "R-1", "R-2", "R-L"], lines))
    return [texts.LEAD.strip(), table, "![ROUGE-L of Lead over its length, with the systems](figures/lead.svg)"]


def _readers(evidence: Evidence) -> Paragraphs:
    table = [_table(judgement_table(evidence.judgements))] if evidence.judgements else []
    return [texts.READERS.strip(), *table] if table else []


def _speed(evidence: Evidence) -> Paragraphs:
    lines = []
    for search, rows in (("default", [*evidence.headlines, *evidence.duc]), ("hill climbing", evidence.climbed)):
        for row in rows:
            if row.label in OBJECTIVES and row.seconds is not None:
                scored = "" if row.evaluations is None else f"{row.evaluations:,.0f}"
                lines.append([label_of(row), row.length, search, f"{row.seconds:.2f}", scored])
    table = markdown_table(["system", "length", "search", "s/sentence", "candidates scored"], lines) if lines else []
    return [texts.SPEED.strip(), _table(table)] if table else []


def _worse(evidence: Evidence) -> Paragraphs:
    """Where the paper's objective gains less over Lead here than was published."""
    lines, compared = [], 0
    for length, bracket in BRACKETS.items():
        ours, lead, theirs = evidence.row("paper", length), evidence.row("Lead", length), published(bracket)
        if ours and lead:
            compared += 1
            for metric in METRICS:
                gain = ours.mean(metric) - lead.mean(metric)
                wanted = theirs["HC_title"][metric] - theirs["Lead"][metric]
                if gain < wanted:
                    lines.append([length, metric, f"{gain:+.2f}", f"{wanted:+.2f}", f"{gain - wanted:+.2f}"])
    if not compared:
        return []
    if not lines:
        return [f"Nowhere in the {compared} of 4 groups that are stored: `paper` gains at least what was published."]
    head = (
        "The gain of `paper` over Lead, where it is smaller than published. Data, corpora and sizes of the models "
        "differ, so this shows which results did not carry over, not whose program is better."
    )
    return [head, _table(markdown_table(["length", "metric", "gain here", "published gain", "difference"], lines))]


def _missing(evidence: Evidence) -> Paragraphs:
    """The rows that the tables lack."""
    tables = {**{length: _group(evidence.headlines, length) for length in GROUPS}, "DUC": evidence.duc}
    lines = []
    for name in ("Lead", *OBJECTIVES, *OTHERS):
        without = [table for table, rows in tables.items() if name not in {row.label for row in rows}]
        if without:
            lines.append(f"- {name}: {', '.join(without)}")
    climbed = {row.length for row in evidence.climbed}
    lines += [f"- `paper` by hill climbing on 200 sources: {length}" for length in GROUPS if length not in climbed]
    others = {"ablation of `paper`": evidence.ablation, "ablation of `headline`": evidence.own_ablation}
    others |= {"comparison with exhaustive search": evidence.sizes, "blind reading": evidence.judgements}  # type: ignore[dict-item]
    lines += [f"- {name}" for name, found in others.items() if not found]
    lines.append("- published figures that could not be confirmed: the note in `published.json` names them")
    return [texts.MISSING.strip(), "\n".join(lines)]


def write_figures(evidence: Evidence, folder: Path) -> None:
    """The figures of the page, as SVG alone."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        shares = quarters(evidence)
        if len(shares) > 1:
            plots.plot_positions(scratch / "positions", {k.replace("`", ""): np.array(v) for k, v in shares.items()})
        if evidence.lead:
            _plot_lead(evidence, scratch / "lead")
        for figure in scratch.glob("*.svg"):
            shutil.copy(figure, folder / figure.name)


def _plot_lead(evidence: Evidence, path: Path) -> None:
    panels = {
        "first n words": (evidence.lead["words"], {"Lead, R-L": evidence.lead["by_words"]["ROUGE-L"]}),
        "first p % of the source": (evidence.lead["percent"], {"Lead, R-L": evidence.lead["by_percent"]["ROUGE-L"]}),
    }
    points: dict[str, dict[str, list[tuple[float, float]]]] = {panel: {} for panel in panels}
    for length, panel in zip(GROUPS, ("first n words", "first n words", "first p % of the source"), strict=True):
        for row in _group(evidence.headlines, length):
            if row.label != "Lead":
                size = GROUPS[length].get("words") or 100 * GROUPS[length]["ratio"]
                points[panel].setdefault(row.label, []).append((float(size), row.mean("ROUGE-L")))
    plots.plot_lead_curves(path, panels, points)
