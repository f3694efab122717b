"""Lead over its length, in words and in percent: how much of a ROUGE figure is due to length (the paper's Figure 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tersely.evaluation import plots
from tersely.evaluation.baselines import Rule, lead_share, lead_words, word_rule
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.table_formats import markdown_table

N_WORDS = range(1, 26)
PERCENTS = range(5, 101, 5)


def curve(dataset: Dataset, lengths: Sequence[int], rule: Callable[[int], Rule]) -> dict[str, list[float]]:
    """ROUGE F1 x 100 of a baseline at each length."""
    rouge = Rouge()
    points: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for length in lengths:
        shorten = rule(length)
        texts = [shorten(source, dataset.is_pretokenized) for source in dataset.sources]
        scores = [rouge.score(text, row.references) for text, row in zip(texts, dataset.examples, strict=True)]
        for metric in METRICS:
            points[metric].append(100 * float(np.mean([score[metric].f1 for score in scores])))
    return points


def lead_curves(setting: Setting) -> Study:
    """The curves of Lead-N and Lead-P."""
    by_words = curve(setting.dataset, N_WORDS, lambda n_words: word_rule(partial(lead_words, n_words=n_words)))
    by_share = curve(setting.dataset, PERCENTS, lambda percent: word_rule(partial(lead_share, ratio=percent / 100)))
    figures = plots.plot_lead_curves(
        setting.figure("lead_curves"),
        {"first n words": (list(N_WORDS), by_words), "first p % of the source": (list(PERCENTS), by_share)},
    )
    rows = [_peak("words", N_WORDS, by_words), _peak("%", PERCENTS, by_share)]
    table = "\n".join(markdown_table(["best length of Lead", *METRICS], rows))
    text = f"Choosing nothing but the length moves ROUGE F1 by many points.\n\n{table}\n"
    data = {"words": list(N_WORDS), "by_words": by_words, "percent": list(PERCENTS), "by_percent": by_share}
    return Study("Lead over its length", text, data, figures)


def _peak(unit: str, lengths: Sequence[int], points: dict[str, list[float]]) -> list[str]:
    best = [f"{lengths[int(np.argmax(points[m]))]} {unit}: {max(points[m]):.2f}" for m in METRICS]
    return [f"in {unit}", *best]
