"""One search, step by step: the black-and-white grid of the paper's first figure."""

from __future__ import annotations

import numpy as np

from tersely.candidates.length import count_words
from tersely.evaluation import plots
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.studies.setting import Setting, Study
from tersely.search.watcher import Watcher

WORDS = 8
N_ROWS = 24


def choose_source(dataset: Dataset) -> str:
    """The source whose number of words is nearest to 20."""
    return min(dataset.sources, key=lambda source: abs(count_words(dataset.tokens(source)) - 20))


def search_progress(setting: Setting) -> Study:
    """The accepted candidates of the best restart of hill climbing on one source."""
    source = choose_source(setting.dataset)
    watcher = Watcher()
    summary = setting.resources.summarizer(
        source,
        words=WORDS,
        objective="paper",
        search="paper",
        seed=setting.seed,
        pretokenized=setting.dataset.is_pretokenized,
        observe=watcher,
    )
    trail = watcher.best_trail(N_ROWS)
    title = "A search, step by step"
    if not trail:
        return Study(title, f"The source is too short to search: {source}", {"source": source})
    steps, masks, scores = (list(column) for column in zip(*trail, strict=True))
    figures = plots.plot_search(setting.figure("search_progress"), summary.tokens, np.array(masks), steps, scores)
    text = (
        f"Each row is a candidate that hill climbing moved to, black where a word is kept; the best of "
        f"{len(watcher.accepted)} restarts, {WORDS} words, the paper's objective.\n\n"
        f"> {source}\n\nfound: **{summary.text}**\n"
    )
    data = {"source": source, "summary": summary.text, "steps": steps, "scores": [round(s, 6) for s in scores]}
    return Study(title, text, data, figures)
