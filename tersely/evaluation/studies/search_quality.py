"""Hill climbing against exhaustive search: does the search find the optimum, and does the optimum matter?

The comparison needs sources whose candidates can all be scored, but are more than hill climbing scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from tersely.candidates.length import count_words
from tersely.evaluation import plots
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.systems import Output
from tersely.evaluation.table_formats import markdown_table
from tersely.search.hill_climbing import ENUMERATE_UP_TO, HillClimbing

SEARCHES = {"hill climbing": "paper", "exhaustive": "exhaustive"}
MAX_CANDIDATES = 20_000
LONGEST = 8
# Scores with a smaller difference count as equal, in text, figure and data: scores have rounding errors that depend on
# the shape of the batch, and a smaller gap cannot be seen in the figure nor in the four digits of the text.
EQUAL = 1e-4


@dataclass(frozen=True)
class ShortSource:
    """A source, and a length of which all candidates can be scored."""

    example: Example
    size: int


def choose_size(n_words: int) -> int | None:
    """The longest summary, up to 8 words, whose candidates can be enumerated but are more than hill climbing scores.

    >>> choose_size(16), choose_size(30), choose_size(9), choose_size(1)
    (8, 3, None, None)
    """
    climbing = HillClimbing()
    for size in range(min(LONGEST, n_words - 1), 0, -1):
        steps, restarts = climbing.budget(n_words, size)
        if max(steps * restarts, ENUMERATE_UP_TO) < comb(n_words, size) <= MAX_CANDIDATES:
            return size
    return None


def choose_sources(dataset: Dataset, limit: int) -> list[ShortSource]:
    """The sources to compare on, those with the longest summaries first."""
    chosen = []
    for example in dataset.examples:
        size = choose_size(count_words(dataset.tokens(example.source)))
        if size is not None and size > 1:
            chosen.append(ShortSource(example, size))
    return sorted(chosen, key=lambda short: -short.size)[:limit]


def score_gaps(best: Sequence[Output], found: Sequence[Output]) -> list[float]:
    """How much lower each score is than the best one; exactly 0 where they are the same."""
    gaps = [(b.score or 0.0) - (f.score or 0.0) for b, f in zip(best, found, strict=True)]
    return [0.0 if abs(gap) < EQUAL else gap for gap in gaps]


def search_quality(setting: Setting) -> Study:
    """Difference of score and of ROUGE-L between the two searches, on the paper's objective."""
    sources = choose_sources(setting.dataset, setting.n_exhaustive)
    title = "Hill climbing against exhaustive search"
    if not sources:
        return Study(title, "No source of this dataset is short enough to enumerate its candidates.", {"sources": 0})
    found = {name: _outputs(setting, sources, search) for name, search in SEARCHES.items()}
    gaps = score_gaps(found["exhaustive"], found["hill climbing"])
    rows = [[name, *_cells(outputs, sources)] for name, outputs in found.items()]
    optimal = gaps.count(0.0) / len(gaps)
    sizes = sorted(short.size for short in sources)
    text = (
        f"{len(sources)} sources, cut to {sizes[0]} to {sizes[-1]} words so that there are at most {MAX_CANDIDATES:,} "
        f"candidates; the paper's objective. Hill climbing finds the optimum, to within {EQUAL:g} of log f, for "
        f"{100 * optimal:.1f} % of them; its log f is {np.mean(gaps):.4f} lower on average.\n\n"
        + "\n".join(markdown_table(["search", "log f", "R-L F1", "evaluations", "s/sentence"], rows))
    )
    figures = plots.plot_gaps(setting.figure("search_gap"), gaps)
    data = {
        "sources": len(sources),
        "optimal": optimal,
        "tolerance": EQUAL,
        "mean_gap": float(np.mean(gaps)),
        "gaps": gaps,
    }
    return Study(title, text + "\n", data, figures)


def _outputs(setting: Setting, sources: list[ShortSource], search: str) -> list[Output]:
    """The outputs in the order of the sources; each length is a system, so that the store keeps its outputs."""
    outputs: list[Output] = []
    for size in dict.fromkeys(short.size for short in sources):  # which are sorted by it
        part = setting.dataset.part([short.example for short in sources if short.size == size])
        label = f"{search} on short sources"
        system = setting.summarizer("paper", label=label, words=size, search=search)
        outputs += setting.store.run(system, part)
    return outputs


def _cells(outputs: list[Output], sources: list[ShortSource]) -> list[str]:
    rouge = Rouge()
    scored = [rouge.score(out.text, short.example.references) for out, short in zip(outputs, sources, strict=True)]
    rouge_l = [score["ROUGE-L"].f1 for score in scored]
    return [
        f"{np.mean([output.score or 0.0 for output in outputs]):.4f}",
        f"{100 * np.mean(rouge_l):.2f}",
        f"{np.mean([output.evaluations or 0 for output in outputs]):,.0f}",
        f"{np.mean([output.seconds or 0.0 for output in outputs]):.3f}",
    ]
