"""Lead over its length, in words and in percent: how much of a ROUGE figure is due to length (the paper's Figure 3)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from pathlib import Path

import numpy as np

from tersely.candidates.length import Length
from tersely.evaluation.baselines import lead
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.plots import figure
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.scores import Content, Scores
from tersely.evaluation.studies.setting import LEAD, Setting, Study
from tersely.evaluation.studies.tables import GROUPS
from tersely.evaluation.table_formats import markdown_table

N_WORDS = range(1, 26)
PERCENTS = range(5, 101, 5)
AXES = {"words": "first n words", "percent": "first p % of the source"}


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
    """ROUGE-L of Lead over its length in words and in percent, and of the other systems at their lengths."""
    found = scores.contents["lead"]
    with figure(path, width=6.6, height=2.8, panels=len(AXES)) as axes:
        for ax, (unit, title) in zip(axes, AXES.items(), strict=True):
            values = found[f"by_{unit}"]["ROUGE-L"]
            every = max(1, len(values) // 8)
            ax.plot(found[unit], values, "-o", color="black", markevery=every, markersize=4, label=f"{LEAD}, R-L")
            for (name, points), marker in zip(_points(scores, unit).items(), cycle("D^vsPXo*"), strict=False):
                lengths, figures = zip(*points, strict=True)
                ax.plot(lengths, figures, marker, color="black", markerfacecolor="0.8", markersize=6, label=name)
            ax.set_xlabel(title)
            ax.set_ylim(bottom=0)
        axes[0].set_ylabel("F1 x 100")
        axes[0].legend(loc="best", fontsize="small")


def _points(scores: Scores, unit: str) -> dict[str, list[tuple[float, float]]]:
    """The lengths and figures of the systems other than Lead, with lengths in words or in percent."""
    points: dict[str, list[tuple[float, float]]] = {}
    for label, options in GROUPS.items():
        size = options.get("words") if unit == "words" else 100 * options.get("ratio", 0)
        for row in scores.rows("headlines", label):
            if size and row.label != LEAD:
                points.setdefault(row.label, []).append((float(size), row.mean("ROUGE-L")))
    return points


LEAD_CURVES = Study(
    "Lead over its length",
    "Choosing nothing but the length moves ROUGE F1 by many points. A system is better than Lead only as far as it is "
    "above the curve at its own length.",
    show,
    measure,
    plot,
)
