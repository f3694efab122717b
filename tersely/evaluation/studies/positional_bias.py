"""From which quarter of the source systems and references take their words (the paper's Figure 4).

News states the most important facts first, so a system can score well by extracting the beginning. The share of words
from each quarter shows whether it does. References are abstractive: only their words that are in the source count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.evaluation.datasets import Dataset
from tersely.evaluation.plots import figure
from tersely.evaluation.scores import Content, Scores
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.systems import Output
from tersely.evaluation.table_formats import markdown_table

WORDS = 10
QUARTERS = ["first quarter", "second", "third", "last quarter"]
N_PARTS = len(QUARTERS)
FILLS = [("white", ""), ("0.8", ""), ("0.45", ""), ("black", ""), ("white", "//"), ("white", "...."), ("0.8", "xxxx")]


def measure(setting: Setting) -> Content:
    """The shares of 10-word summaries, of the systems of the user, and of the references."""
    dataset = setting.dataset
    shares = {label: output_shares(setting.outputs(system), dataset) for label, system in setting.systems(WORDS)}
    quarters = {label: [round(float(share), 5) for share in values] for label, values in shares.items()}
    return {"quarters": quarters, "references": [round(float(share), 5) for share in reference_shares(dataset)]}


def _shares(scores: Scores) -> dict[str, list[float]]:
    found = scores.contents["positions"]
    return {**found["quarters"], "references": found["references"]}


def show(scores: Scores) -> list[str]:
    lines = [[name, *(f"{100 * share:.1f} %" for share in values)] for name, values in _shares(scores).items()]
    return [markdown_table(["system", *QUARTERS], lines)]


def plot(scores: Scores, path: Path) -> None:
    """A group of bars for each quarter, with a bar for each system."""
    shares = _shares(scores)
    width = 0.8 / len(shares)
    with figure(path, width=6.6, height=3.2) as (ax,):
        for index, (name, values) in enumerate(shares.items()):
            fill, hatch = FILLS[index % len(FILLS)]
            left = np.arange(N_PARTS) + (index - (len(shares) - 1) / 2) * width
            heights = 100 * np.array(values)
            ax.bar(left, heights, width, color=fill, hatch=hatch, edgecolor="black", linewidth=0.7, label=name)
        ax.set_xticks(range(N_PARTS), QUARTERS)
        ax.set_ylabel("share of words, %")
        ax.legend(loc="upper right", fontsize=8)


def source_positions(summary: Sequence[str], source: Sequence[str]) -> list[int]:
    """The positions of the words of a summary in the source, as far as they are in it.

    A summary that is a subsequence of the source is matched in order, from the left; the words of any other are
    matched one by one with their first occurrence.

    >>> source_positions(["the", "mat"], ["the", "cat", "on", "the", "mat"])
    [0, 4]
    >>> source_positions(["mat", "has", "cat"], ["the", "cat", "on", "the", "mat"])
    [4, 1]
    """
    in_order: list[int] = []
    for word in summary:
        start = in_order[-1] + 1 if in_order else 0
        if word not in source[start:]:
            return first_positions(summary, source)
        in_order.append(source.index(word, start))
    return in_order


def first_positions(words: Sequence[str], source: Sequence[str]) -> list[int]:
    """The first positions of words in the source, as far as they are in it."""
    return [source.index(word) for word in words if word in source]


def quarter_shares(found: Iterable[tuple[Sequence[int], int]]) -> NDArray[np.float64]:
    """The share of words in each quarter, from pairs of positions and source length; it sums to 1.

    >>> quarter_shares([([0, 1, 7], 8)])  # 0 and 1 are in the first quarter of eight words, 7 in the last
    array([0.66666667, 0.        , 0.        , 0.33333333])
    """
    parts = [N_PARTS * position // n_words for positions, n_words in found for position in positions]
    return np.bincount(parts, minlength=N_PARTS) / max(len(parts), 1)


def output_shares(outputs: Sequence[Output], dataset: Dataset) -> NDArray[np.float64]:
    """The shares of a system's outputs by quarter, from its kept positions if it gives them."""
    return quarter_shares(
        (output.kept, output.n_words)
        if output.kept is not None and output.n_words
        else (source_positions(dataset.words(output.text), dataset.words(source)), len(dataset.words(source)))
        for output, source in zip(outputs, dataset.sources, strict=True)
    )


def reference_shares(dataset: Dataset) -> NDArray[np.float64]:
    """The shares of the references by quarter."""
    return quarter_shares(
        (first_positions(dataset.words(reference), source), len(source))
        for example in dataset.examples
        for source in [dataset.words(example.source)]
        for reference in example.references
    )


POSITIONS = Study(
    "Positions",
    f"The share of summary words by the quarter of the source that they come from, {WORDS} words. Of the references "
    "only the words that are in the source count, at their first occurrence.",
    show,
    measure,
    plot,
)
