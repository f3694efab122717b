"""One search, step by step: the black-and-white grid of the paper's first figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tersely.evaluation.plots import figure
from tersely.evaluation.scores import Content, Scores
from tersely.evaluation.studies.setting import Setting, Study
from tersely.search.watcher import Watcher

WORDS = 8
N_SOURCE_WORDS = 20  # the source whose number of words is nearest to this is shown
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
    """A row for each accepted candidate, a column for each word, black where it is kept."""
    found = scores.contents["progress"]
    words, steps = found["words"], found["steps"][::-1]  # the first row is drawn at the bottom
    if not steps:
        return
    rows = np.arange(len(steps)) + 0.5
    with figure(path, width=1.6 + 0.24 * len(words), height=1.3 + 0.18 * len(steps)) as (ax,):
        masks = np.array([step["kept"] for step in steps])
        ax.pcolormesh(masks, cmap="binary", vmin=0, vmax=1, edgecolors="0.6", linewidth=0.4)
        ax.set_xticks(np.arange(len(words)) + 0.5, words, rotation=60, ha="left", rotation_mode="anchor")
        ax.xaxis.tick_top()
        ax.set_yticks(rows, [str(step["step"]) for step in steps])
        ax.set_ylabel("step")
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        right = ax.secondary_yaxis("right")
        right.set_yticks(rows, [f"{step['log_f']:.2f}" for step in steps])
        right.set_ylabel("log f")
        right.tick_params(length=0)
        right.spines["right"].set_visible(False)


PROGRESS = Study(
    "A search, step by step",
    f"Each row is a candidate that hill climbing moved to, black where a word is kept; {WORDS} words, the paper's "
    "objective.",
    show,
    measure,
    plot,
    quotes=True,
)
