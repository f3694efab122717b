"""Hill climbing against exhaustive search: does the search find the optimum, and does the optimum matter?

The comparison needs sources whose candidates can all be scored, but are more than hill climbing scores.
"""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import count_words
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.plots import figure
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.scores import Content, Scores
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.table_formats import markdown_table
from tersely.search import DEFAULT_SEARCH
from tersely.search.hill_climbing import ENUMERATE_UP_TO, HillClimbing

EXHAUSTIVE, CLIMBING, DEFAULT = "exhaustive", "hill climbing", "default"
SEARCHES = {EXHAUSTIVE: "exhaustive", CLIMBING: "paper", DEFAULT: DEFAULT_SEARCH}
MAX_CANDIDATES = 20_000
SIZES = range(8, 2, -1)
# Scores with a smaller difference count as equal, in text and figure: scores have rounding errors that depend on the
# shape of the batch, and a smaller gap cannot be seen.
EQUAL = 1e-4


def choose_size(n_words: int) -> int | None:
    """The longest summary, of 8 to 3 words, whose candidates can be enumerated but are more than hill climbing scores.

    >>> choose_size(16), choose_size(30), choose_size(9), choose_size(1)
    (8, 3, None, None)
    """
    climbing = HillClimbing()
    for size in SIZES:
        if size < n_words:
            steps, restarts = climbing.budget(n_words, size)
            if max(steps * restarts, ENUMERATE_UP_TO) < comb(n_words, size) <= MAX_CANDIDATES:
                return size
    return None


def choose_sources(dataset: Dataset, limit: int) -> dict[int, Dataset]:
    """The first sources for each length that can be compared, at most `limit` in all and as many for each length."""
    found: dict[int, list[Any]] = {size: [] for size in SIZES}
    for example in dataset.examples:
        size = choose_size(count_words(dataset.tokens(example.source)))
        if size is not None and len(found[size]) < max(1, limit // len(SIZES)):
            found[size].append(example)
    return {size: dataset.part(examples) for size, examples in found.items() if examples}


def measure(setting: Setting) -> Content:
    """What each search finds of the paper's objective, by the length of the summary."""
    sizes, rouge = [], Rouge()
    for size, part in choose_sources(setting.dataset, setting.n_exhaustive).items():
        found = {}
        for label, search in SEARCHES.items():
            outputs = setting.outputs(setting.summarizer("paper", words=size, search=search), part)
            pairs = zip(outputs, part.examples, strict=True)
            found[label] = {
                "log_f": [round(output.score or 0.0, 6) for output in outputs],
                "evaluations": [output.evaluations for output in outputs],
                "seconds": [round(output.seconds or 0.0, 4) for output in outputs],
                "rouge_l": [round(rouge.score(o.text, e.references)["ROUGE-L"].f1, 4) for o, e in pairs],
            }
        n_words = [len(part.words(source)) for source in part.sources]
        sizes.append({"words": size, "source_words": n_words, "found": found})
    return {"sizes": sizes}


def gaps(size: Content, search: str) -> NDArray[np.float64]:
    """How much lower each score is than the best one; exactly 0 where they are the same."""
    best, found = (np.array(size["found"][name]["log_f"]) for name in (EXHAUSTIVE, search))
    return np.where(np.abs(best - found) < EQUAL, 0.0, best - found)


def optimum_share(size: Content, search: str) -> float:
    """The share of sources for which a search finds the optimum."""
    return float(np.mean(gaps(size, search) == 0))


def sizes_of(scores: Scores) -> list[Content]:
    return list(scores.contents.get("search", {}).get("sizes", []))


def show(scores: Scores) -> list[str]:
    lines = []
    for size in sizes_of(scores):
        scored = f"{np.mean(size['found'][EXHAUSTIVE]['evaluations']):,.0f}"
        shares = [f"{100 * optimum_share(size, name):.0f} %" for name in (CLIMBING, DEFAULT)]
        low, high = min(size["source_words"]), max(size["source_words"])
        spread = str(low) if low == high else f"{low} to {high}"
        lines.append([f"{size['words']} words", spread, str(len(size["source_words"])), scored, *shares])
    header = ["summary", "source words", "sources", "candidates scored", "hill climbing", "default search"]
    return [markdown_table(header, lines), *_matters(scores)] if lines else []


def _matters(scores: Scores) -> list[str]:
    """Whether the optimum has the better ROUGE-L where hill climbing misses it; older files do not tell."""
    missed: list[bool] = []
    for size in sizes_of(scores):
        best, climbed = (np.array(size["found"][name].get("rouge_l", [])) for name in (EXHAUSTIVE, CLIMBING))
        if len(best):
            missed += (best > climbed)[gaps(size, CLIMBING) > 0].tolist()
    said = f"Hill climbing misses {len(missed)} optima; {sum(missed)} of them have a better ROUGE-L than its summary."
    return [said] if missed else []


def plot(scores: Scores, path: Path) -> None:
    """How far hill climbing is below the optimum: the share of sources within each difference of log f.

    A gap of exactly 0 is the optimum; its share is printed at the beginning of the curve.
    """
    found = np.sort([gap for size in sizes_of(scores) for gap in gaps(size, CLIMBING)])
    if not len(found):
        return
    with figure(path, width=4.4, height=2.8) as (ax,):
        share = 100 * np.arange(1, len(found) + 1) / len(found)
        right = 1.05 * max(float(found[-1]), 0.05)
        ax.step([0.0, *found, right], [0.0, *share, 100.0], where="post", color="black", linewidth=2)
        optimal = 100 * float(np.mean(found == 0))
        ax.plot([0.0], [optimal], "o", color="black", clip_on=False)
        ax.annotate(f"{optimal:.1f} %", (0.0, optimal), (8, -12), textcoords="offset points")
        ax.set_xlabel("log f of the optimum minus log f found")
        ax.set_ylabel("share of sources, %")
        ax.set_ylim(0, 105)
        ax.set_xlim(-0.02 * right, right)


SEARCH = Study(
    "Against exhaustive search",
    f"`paper` on sources that have at most {MAX_CANDIDATES:,} candidates of a length, but more than the budget of hill "
    f"climbing: for which share of them a search finds the best candidate (scores within {EQUAL:g} are equal). Short "
    "summaries of long sources get few steps of hill climbing, T = 0.1 n s^2 and R = 0.035 n s^2.",
    show,
    measure,
    plot,
)
