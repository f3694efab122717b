"""The headline table (the paper's Table 1: groups A, B, C by length) and the DUC table (its Table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tersely.evaluation.published import MARK, read_published
from tersely.evaluation.results import SIGNIFICANT
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.scores import Content, Row, Scores, compare, table_of
from tersely.evaluation.studies.setting import LEAD, Setting, Study
from tersely.evaluation.systems import System
from tersely.evaluation.table_formats import markdown_table

GROUPS: dict[str, dict[str, Any]] = {"8 words": {"words": 8}, "10 words": {"words": 10}, "50 %": {"ratio": 0.5}}
DUC_BYTES = 75
DUC, DUC_BRACKET = f"{DUC_BYTES} bytes", f"cut at {DUC_BYTES} bytes"


def headline_systems(setting: Setting) -> list[tuple[str, System]]:
    """Baselines, objectives and the systems of the user, in all three groups, by name."""
    systems: list[tuple[str, System]] = []
    for length in GROUPS.values():
        size = str(length["words"]) if "words" in length else f"{100 * length['ratio']:.0f}%"
        systems.append((LEAD, setting.system(f"lead-{size}")))
        if "words" in length:
            systems.append(("random", setting.system(f"random-{size}")))
            if setting.resources.style_ratios is not None:
                systems.append(("style", setting.system(f"style-{size}")))
        systems += [(name, setting.summarizer(name, **length)) for name in setting.objectives]
    return systems + setting.own_systems(cut=False)


def measure_headlines(setting: Setting) -> Content:
    rows = [setting.row(label, system) for label, system in headline_systems(setting)]
    return {**table_of(rows, setting.dataset, Rouge()), "tuned": setting.n_tuned}


def show_headlines(scores: Scores) -> list[str]:
    text: list[str] = []
    rows, tuned = scores.rows("headlines"), scores.contents.get("headlines", {}).get("tuned", 0)
    for length in dict.fromkeys([*GROUPS, *(row.length for row in rows)]):
        group = scores.rows("headlines", length)
        if not group:
            continue
        n_sources = group[0].n_sources
        text += [f"**{length}**, {n_sources:,} sources", system_table(group, length if scores.published else None)]
        if 0 < tuned < n_sources:
            first, last = group[0].first + tuned + 1, group[0].first + n_sources
            text.append(f"The same on lines {first:,} to {last:,}, on which no weight was tuned:")
            text.append(system_table([row.without_first(tuned) for row in group]))
    return text


def measure_duc(setting: Setting) -> Content:
    rouge = Rouge(limit_bytes=DUC_BYTES, measure="recall")
    systems = [(LEAD, setting.system(f"lead-{DUC_BYTES}c"))]
    systems.append((f"{LEAD}, cut inside a word", setting.system(f"lead-{DUC_BYTES}c:hard")))
    systems += [(name, setting.summarizer(name, bytes=DUC_BYTES)) for name in setting.objectives]
    systems += setting.own_systems(cut=True)
    rows = [
        replace(setting.row(label, system, rouge), length=DUC) for label, system in systems
    ]  # the cut makes them equal
    return table_of(rows, setting.dataset, rouge)


def show_duc(scores: Scores) -> list[str]:
    rows = scores.rows("duc")
    return [system_table(rows, DUC_BRACKET if scores.published else None)] if rows else []


def system_table(rows: Sequence[Row], published: str | None = None) -> str:
    """Systems of one length, with the signs of the bootstrap test, then what was reported elsewhere of a bracket."""
    best = {metric: max(rows, key=lambda row: row.mean(metric)) for metric in METRICS}
    lines = []
    for row in rows:
        cells = [row.label]
        for metric in METRICS:
            shown = f"{row.mean(metric):.2f}"
            if row is best[metric]:
                cells.append(f"**{shown}**" if len(rows) > 1 else shown)
            else:
                chance = compare(best[metric], row, metric).p_value >= SIGNIFICANT
                cells.append(shown + ("°" if chance else ""))
        seconds = "" if row.seconds is None or row.label.startswith(LEAD) else f"{row.seconds:.2f}"
        lines.append([*cells, f"{row.words:.1f}", seconds])
    for other in read_published():
        if other.bracket == published:
            figures = [f"{other.figures[metric]:.2f}" for metric in METRICS]
            lines.append([f"{other.system} {MARK}", *figures, f"{other.words:.1f}" if other.words else "", ""])
    return markdown_table(["system", "R-1", "R-2", "R-L", "words", "s/sentence"], lines)


HEADLINES = Study(
    "Headlines",
    "ROUGE F1 x 100. ROUGE F1 grows with length, so systems are compared inside a group only. A degree sign marks a "
    "difference to the best that may be chance (paired bootstrap, 1,000 samples, p of at least 0.05), a dagger what "
    "others reported on other data, which is neither ranked nor tested.",
    show_headlines,
    measure_headlines,
)
DUC_TABLE = Study(
    "DUC",
    f"ROUGE recall x 100, summaries and references cut at {DUC_BYTES} bytes: the protocol of DUC 2003 and 2004, whose "
    f"sources have four references. Objectives were asked for at most {DUC_BYTES} bytes, so no word of theirs is cut.",
    show_duc,
    measure_duc,
)
