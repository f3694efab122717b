"""The paper's objective by the paper's search and by the default search, on the same sources."""

from __future__ import annotations

import numpy as np

from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.scores import Content, Scores, compare, table_of
from tersely.evaluation.studies.search_quality import CLIMBING, DEFAULT, EQUAL, SEARCHES
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.studies.tables import GROUPS
from tersely.evaluation.table_formats import markdown_table

# The budget grows with n^2 s^4: 200 sources of any length, cut in half, would take 22 million steps, these take 3.4.
LONGEST_HALVED = 22


def measure(setting: Setting) -> Content:
    rows = []
    for options in GROUPS.values():
        numbers = setting.untuned(setting.n_climbing, None if "words" in options else LONGEST_HALVED)
        for label in (CLIMBING, DEFAULT):
            if numbers:
                system = setting.summarizer("paper", search=SEARCHES[label], **options)
                rows.append(setting.row(label, system, numbers=numbers))
    return table_of(rows, setting.dataset, Rouge())


def show(scores: Scores) -> list[str]:
    lines = []
    for length in GROUPS:
        climbed, ours = (scores.row("climbing", label, length) for label in (CLIMBING, DEFAULT))
        if climbed is None or ours is None or climbed.log_f is None or ours.log_f is None:
            continue
        log_f = {CLIMBING: np.array(climbed.log_f), DEFAULT: np.array(ours.log_f)}
        for row, other in ((climbed, DEFAULT), (ours, CLIMBING)):
            share = 100 * np.mean(log_f[row.label] >= log_f[other] - EQUAL)
            figures = [f"{row.mean(metric):.2f}" for metric in METRICS]
            shown = [f"{log_f[row.label].mean():.4f}", f"{share:.1f} %", f"{row.seconds:.2f}"]
            lines.append([length, str(row.n_sources), row.label, *figures, *shown])
        cells = [str(compare(ours, climbed, metric)) for metric in METRICS]
        difference = (log_f[DEFAULT] - log_f[CLIMBING]).mean()
        lines.append([length, "", "*difference*", *cells, f"{difference:+.4f}", "", ""])
    header = ["length", "sources", "search", "R-1", "R-2", "R-L", "mean log f", "at or above the other", "s/sentence"]
    return [markdown_table(header, lines)] if lines else []


CLIMBING_TABLE = Study(
    "Hill climbing and the default search",
    "`paper` by the search of the paper, with its budget, and by the default search, on sources that no weight was "
    f"tuned on; at 50 % on sources of at most {LONGEST_HALVED} words, because the budget grows with n^2 s^4. Compare "
    "times only within a pair of rows.",
    show,
    measure,
)
