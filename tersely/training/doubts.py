"""Warnings about a training run that cannot give a useful bundle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FEW_WORDS = 5_000  # of a vocabulary; the bundle that ships has 40,000, and a page of news some hundred


def vocabulary_warnings(n_words: int) -> list[str]:
    """A warning if most words of other texts will be unknown.

    >>> [line.partition(":")[0] for line in vocabulary_warnings(691)], vocabulary_warnings(30_000)
    (['warning'], [])
    """
    if n_words >= FEW_WORDS:
        return []
    return [
        f"warning: a vocabulary of {n_words:,} words is too small for texts that it was not made from: give more "
        "lines, at best 100,000 or more, or fit a bundle to your lines by tersely adapt"
    ]


def perplexity_warnings(figures: Mapping[str, Any], n_words: int) -> list[str]:
    """A warning for each set of lines on which a model is no better than guessing among all words.

    >>> figures = {"held out": {"models": {"forward": {"perplexity": 1e6}, "backward": {"perplexity": 80.0}}}}
    >>> [line.partition(",")[0] for line in perplexity_warnings(figures, 691)]
    ['warning: held out']
    """
    return [
        f"warning: {name}, {direction}: a perplexity of {model['perplexity']:,.0f} is no better than guessing among "
        f"{n_words:,} words: give more lines or a larger budget (--hours, --tokens)"
        for name, entry in figures.items()
        for direction, model in entry["models"].items()
        if not model["perplexity"] < n_words
    ]
