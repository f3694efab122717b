"""Which part of the objective does what: parts of it alone, and the whole without each part (the paper's Table 4)."""

from __future__ import annotations

from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.scores import Content, Scores, compare, table_of
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.table_formats import markdown_table

WORDS = 8


def measure(setting: Setting) -> Content:
    """Each objective, and what is left of it without a part, with the same weights and rules.

    The paper's weight was not tuned here. Other objectives are measured on sources that they were not tuned on.
    """
    rows, parts = [], {}
    for whole in setting.objectives:
        names = setting.resources.objectives.ablations(whole)
        if names:
            numbers = None if whole == "paper" else setting.untuned()
            systems = {name: setting.summarizer(name, words=WORDS) for name in (whole, *names)}
            rows += [setting.row(name, system, numbers=numbers) for name, system in systems.items()]
            parts[whole] = names
    return {**table_of(rows, setting.dataset, Rouge()), "parts": parts}


def show(scores: Scores) -> list[str]:
    text = []
    rows = {row.label: row for row in scores.rows("ablation")}
    for label, parts in scores.contents["ablation"]["parts"].items():
        whole = rows[label]
        lines = [[label, *(f"{whole.mean(metric):.2f}" for metric in METRICS), ""]]
        for row in (rows[name] for name in parts):
            gaps = {metric: compare(whole, row, metric) for metric in METRICS}
            cells = [f"{row.mean(metric):.2f}" + ("°" if gaps[metric].may_be_chance else "") for metric in METRICS]
            lines.append([row.label.removeprefix(f"{label} "), *cells, f"{-gaps['ROUGE-L'].difference:+.2f}"])
        table = markdown_table(["objective", "R-1", "R-2", "R-L", "R-L against the whole"], lines)
        text += [f"`{label}`, {WORDS} words, {whole.n_sources:,} sources:", table]
    return text


ABLATION = Study(
    "Ablation",
    'The whole objective, and parts of it. "Forward only" is without the backward model, "fluency only" without '
    "similarity. A degree sign marks a difference to the whole whose interval contains 0.",
    show,
    measure,
)
