"""Training: candidates of development sources, each measured once: its factors, and its quality.

Quality is what an objective is tuned for: ROUGE against headlines that people wrote, or token F1 against the words that
people kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from tersely.bundle.bundle import Bundle
from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.evaluation.datasets import Example
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.token_f1 import kept_words, token_f1
from tersely.scoring.factors import Parts, available
from tersely.scoring.objective import BoundFactor, BoundObjective
from tersely.search.lattice import Width, reading
from tersely.sentence.sentence import Sentence
from tersely.system.arrays import BoolArray
from tersely.system.progress import progress
from tersely.text.words import Word, render, tokenize

Weights = dict[str, float]
Measure = Callable[[Sequence[Word]], list[float]]
_rouge = cache(Rouge)
Target = tuple[int, Measure]  # a length in words, and how a summary of that length is measured


def tunable(parts: Parts) -> list[str]:
    """The factors that can be tuned: not the halves of fluency, nor `use`, which is constant at an exact length."""
    return [name for name in available(parts) if name not in ("fluency_forward", "fluency_backward", "use")]


@dataclass
class Pool:
    """The candidates of one source at one length, with their factors and their quality."""

    source: Sentence
    size: int
    measure: Measure
    names: Sequence[str]  # of the factors, in the order of their columns
    dataset: str = ""  # that the source is from
    features: dict[bytes, NDArray[np.float64]] = field(default_factory=dict)  # mask -> factors
    quality: dict[bytes, NDArray[np.float64]] = field(default_factory=dict)  # mask -> what was measured

    def add(self, masks: BoolArray, factors: Mapping[str, BoundFactor]) -> None:
        new = {mask.tobytes(): mask for mask in masks if mask.tobytes() not in self.features}
        if not new:
            return
        values = np.stack([factors[name].log_scores(np.stack(list(new.values()))) for name in self.names], axis=1)
        for (key, mask), row in zip(new.items(), values, strict=True):
            self.features[key] = row
            self.quality[key] = np.array(self.measure([self.source.words[i] for i in np.flatnonzero(mask)]))


def headlines(example: Example, pretokenized: bool, sizes: Iterable[int]) -> Iterator[Target]:
    """The lengths asked for, measured by ROUGE-1, 2, L."""
    scorer = _rouge()

    def rouge(words: Sequence[Word]) -> list[float]:
        score = scorer.score(render(words, pretokenized=pretokenized), example.references)
        return [scorer.value(score[metric]) for metric in METRICS]

    for size in sizes:
        yield size, rouge


def deletions(example: Example, pretokenized: bool, _: Iterable[int]) -> Iterator[Target]:
    """The lengths of the references, each measured by token F1 against its reference."""

    def f1(kept: list[str], words: Sequence[Word]) -> list[float]:
        return [token_f1([piece for word in words for piece in word.pieces], kept)]

    for reference in example.references:
        size = sum(not word.punctuation for word in tokenize(reference, pretokenized=pretokenized))
        yield size, partial(f1, kept_words(reference, pretokenized=pretokenized))


def fill(bundle: Bundle, pools: Sequence[Pool], weights: Sequence[Weights]) -> None:
    """Add the lattice's best candidates under each of the weights."""
    width = Width(of_a_cell=4, rows=50, rescored=24)  # the pools need variety, not the last optimum
    objective = bundle.objectives.objective(dict.fromkeys(pools[0].names, 1.0))
    for pool in progress(pools, "pooled", len(pools)):
        source = replace(pool.source)  # a copy: what searches share of a sentence are megabytes, and all pools stay
        space = CandidateSpace(Budget.of_words(len(source), pool.size), needs=source.needs)
        factors = objective.bind(source, space.budget).factors
        for one in weights:
            bound = BoundObjective({name: factors[name] for name in one}, one)
            masks = np.concatenate([reading(bound, space, width, backward) for backward in (False, True)])
            pool.add(masks, factors)
