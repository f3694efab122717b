"""One search, watched: the black-and-white grid of the paper's first figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from tersely.evaluation import plots
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.studies.setting import Setting, Study
from tersely.length import count_words

WORDS = 8
N_ROWS = 24


class Watcher:
    """An observer of a search that keeps the accepted candidates of each restart."""

    def __init__(self) -> None:
        self.accepted: dict[int, list[tuple[int, Any, float]]] = {}

    def __call__(self, step: Any) -> None:
        """Note a step, if the search moved there and the candidate is another one."""
        trail = self.accepted.setdefault(step.restart, [])
        if step.accepted and not (trail and np.array_equal(trail[-1][1], step.mask)):
            trail.append((step.step, step.mask.copy(), step.score))

    def best_trail(self) -> list[tuple[int, Any, float]]:
        """The trail of the restart that got highest, thinned to a page: the first, the last, and some between."""
        trails = [trail for trail in self.accepted.values() if trail]
        if not trails:
            return []
        trail = max(trails, key=lambda steps: steps[-1][2])
        end = next(index for index, step in enumerate(trail) if step[2] == trail[-1][2])  # then it only drifts
        trail = trail[: end + 1]
        chosen = np.unique(np.linspace(0, len(trail) - 1, min(N_ROWS, len(trail))).round().astype(int))
        return [trail[index] for index in chosen]


def choose_source(dataset: Dataset) -> str:
    """A source whose words fit on a page, neither short nor long."""
    return min(dataset.sources, key=lambda source: abs(count_words(dataset.tokens(source)) - 20))


def search_progress(setting: Setting) -> Study:
    """The way of one restart of hill climbing to the best summary of one source."""
    source = choose_source(setting.dataset)
    watcher = Watcher()
    summary = setting.resources.summarizer(
        source,
        words=WORDS,
        objective="paper",
        search="hill_climbing",
        seed=setting.seed,
        pretokenized=setting.dataset.is_pretokenized,
        observe=watcher,
    )
    trail = watcher.best_trail()
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
