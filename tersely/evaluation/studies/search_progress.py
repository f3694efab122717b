"""One search, step by step: the black-and-white grid of the paper's first figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tersely.evaluation import plots
from tersely.evaluation.scores import Content, Scores
from tersely.evaluation.studies.setting import Setting, Study
from tersely.search.watcher import Watcher

WORDS = 8
N_SOURCE_WORDS = 20  # of the source that is shown, or the nearest to that
N_ROWS = 24


def measure(setting: Setting) -> Content:
    """The accepted candidates of the best restart of hill climbing on one source."""
    dataset = setting.dataset
    source = min(dataset.sources, key=lambda source: abs(len(dataset.words(source)) - N_SOURCE_WORDS))
    watcher = Watcher()
    summary = setting.resources.summarizer(
        source,
        words=WORDS,
        objective="paper",
        search="paper",
        seed=setting.seed,
        pretokenized=dataset.is_pretokenized,
        observe=watcher,
    )
    steps = [
        {"step": int(step), "kept": np.asarray(mask).astype(int).tolist(), "log_f": round(float(score), 6)}
        for step, mask, score in watcher.best_trail(N_ROWS)
    ]
    found = {"source": source, "words": list(summary.tokens), "summary": summary.text}
    return {**found, "restarts": len(watcher.accepted), "steps": steps}


def show(scores: Scores) -> list[str]:
    found = scores.contents["progress"]
    if not found["steps"]:
        return [f"The source is too short to search: {found['source']}"]
    return [f"> {found['source']}", f"found: **{found['summary']}**, the best of {found['restarts']} restarts"]


def plot(scores: Scores, path: Path) -> None:
    found = scores.contents["progress"]
    if steps := found["steps"]:
        masks = np.array([step["kept"] for step in steps], dtype=bool)
        numbers, log_f = [step["step"] for step in steps], [step["log_f"] for step in steps]
        plots.plot_search(path, found["words"], masks, numbers, log_f)


PROGRESS = Study(
    "A search, step by step",
    f"Each row is a candidate that hill climbing moved to, black where a word is kept; {WORDS} words, the paper's "
    "objective.",
    show,
    measure,
    plot,
    quotes=True,
)
