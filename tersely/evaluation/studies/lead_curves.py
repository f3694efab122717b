"""Lead over its length, in words and in percent: how much of a ROUGE figure is due to length (the paper's Figure 3)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tersely.candidates.length import Length
from tersely.evaluation import plots
from tersely.evaluation.baselines import lead
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.scores import Content, Scores
from tersely.evaluation.studies.setting import LEAD, Setting, Study
from tersely.evaluation.studies.tables import GROUPS
from tersely.evaluation.table_formats import markdown_table

N_WORDS = range(1, 26)
PERCENTS = range(5, 101, 5)


def curve(dataset: Dataset, lengths: Iterable[Length]) -> dict[str, list[float]]:
    """ROUGE F1 x 100 of Lead at each length."""
    rouge = Rouge()
    points: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for length in lengths:
        shorten = lead(length)
        texts = [shorten(source, dataset.is_pretokenized) for source in dataset.sources]
        scores = [rouge.score(text, row.references) for text, row in zip(texts, dataset.examples, strict=True)]
        for metric in METRICS:
            points[metric].append(100 * float(np.mean([score[metric].f1 for score in scores])))
    return points


def measure(setting: Setting) -> Content:
    """The curves of Lead-N and Lead-P."""
    by_words = curve(setting.dataset, (Length.of(words=n_words) for n_words in N_WORDS))
    by_share = curve(setting.dataset, (Length.of(ratio=percent / 100) for percent in PERCENTS))
    return {"words": list(N_WORDS), "by_words": by_words, "percent": list(PERCENTS), "by_percent": by_share}


def show(scores: Scores) -> list[str]:
    found = scores.contents["lead"]
    lines = []
    for unit, lengths, points in (
        ("words", found["words"], found["by_words"]),
        ("%", found["percent"], found["by_percent"]),
    ):
        best = [f"{lengths[int(np.argmax(points[metric]))]} {unit}: {max(points[metric]):.2f}" for metric in METRICS]
        lines.append([f"in {unit}", *best])
    return [markdown_table(["best length of Lead", "R-1", "R-2", "R-L"], lines)]


def plot(scores: Scores, path: Path) -> None:
    """ROUGE-L of Lead over its length, and of the other systems at theirs."""
    found = scores.contents["lead"]
    panels = {
        "first n words": (found["words"], found["by_words"]["ROUGE-L"]),
        "first p % of the source": (found["percent"], found["by_percent"]["ROUGE-L"]),
    }
    points: dict[str, dict[str, list[tuple[float, float]]]] = {panel: {} for panel in panels}
    by_words, by_share = points.values()
    for length, options in GROUPS.items():
        for row in scores.rows("headlines", length):
            if row.label != LEAD:
                size = options.get("words") or 100 * options["ratio"]
                panel = by_words if "words" in options else by_share
                panel.setdefault(row.label, []).append((float(size), row.mean("ROUGE-L")))
    plots.plot_lead_curves(path, panels, points)


LEAD_CURVES = Study(
    "Lead over its length",
    "Choosing nothing but the length moves ROUGE F1 by many points. A system is better than Lead only as far as it is "
    "above the curve at its own length.",
    show,
    measure,
    plot,
)
