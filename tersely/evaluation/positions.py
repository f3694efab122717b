"""Positional bias: from which quarter of the source the words of a summary come (the paper's analysis).

News puts what matters first, so a system can score well by extracting the beginning; the share of words from each
quarter shows whether it does. References are abstractive: only their words that are in the source count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tersely.evaluation.baselines import words_of
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.systems import Output

N_PARTS = 4


def source_positions(summary: Sequence[str], source: Sequence[str]) -> list[int]:
    """Where the words of a summary stand in the source, as far as they do.

    A summary that is a subsequence of the source is matched in order, from the left; the words of any other are
    matched one by one with their first occurrence.

    >>> source_positions(["the", "mat"], ["the", "cat", "on", "the", "mat"])
    [0, 4]
    >>> source_positions(["mat", "has", "cat"], ["the", "cat", "on", "the", "mat"])
    [4, 1]
    """
    words = [word.lower() for word in source]
    wanted = [word.lower() for word in summary]
    in_order: list[int] = []
    position = 0
    for word in wanted:
        if word not in words[position:]:
            return [words.index(word) for word in wanted if word in words]
        position = words.index(word, position) + 1
        in_order.append(position - 1)
    return in_order


def quarter_shares(placed: Iterable[tuple[Sequence[int], int]]) -> NDArray[np.float64]:
    """The share of words in each quarter, from pairs of positions and source length; it sums to 1.

    >>> quarter_shares([([0, 1, 7], 8)])  # 0 and 1 are in the first quarter of eight words, 7 in the last
    array([0.66666667, 0.        , 0.        , 0.33333333])
    """
    counts = np.zeros(N_PARTS)
    for positions, n_words in placed:
        for position in positions:
            counts[N_PARTS * position // n_words] += 1
    return np.asarray(counts / max(counts.sum(), 1))


def output_shares(outputs: Sequence[Output], dataset: Dataset) -> NDArray[np.float64]:
    """The quarters that a system's outputs come from, by its own kept positions where it gives them."""
    return quarter_shares(
        (output.kept, output.n_words)
        if output.kept is not None and output.n_words
        else (source_positions(words_of(output.text), words_of(source)), len(words_of(source)))
        for output, source in zip(outputs, dataset.sources, strict=True)
    )


def reference_shares(dataset: Dataset) -> NDArray[np.float64]:
    """The quarters that the words of the references come from."""
    return quarter_shares(
        (_first_matches(words_of(reference), words_of(example.source)), len(words_of(example.source)))
        for example in dataset.examples
        for reference in example.references
    )


def _first_matches(reference: Sequence[str], source: Sequence[str]) -> list[int]:
    words = [word.lower() for word in source]
    return [words.index(word.lower()) for word in reference if word.lower() in words]
