"""Training: candidates of development sources, each measured once: its factors, and its quality.

Quality is what an objective is tuned for: ROUGE against headlines that people wrote, or token F1 against the words that
people kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.evaluation.datasets import Example
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.token_f1 import kept_words, token_f1
from tersely.scoring.factors import Parts, available
from tersely.scoring.objective import BoundFactor, BoundObjective
from tersely.search.lattice import Width, reading
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer
from tersely.system.arrays import BoolArray
from tersely.system.progress import progress
from tersely.text.words import Word, render, tokenize

Weights = dict[str, float]
Measure = Callable[[Sequence[Word]], list[float]]


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


@dataclass(frozen=True)
class PoolMaker:
    """What is the same for all pools of a dataset."""

    summarizer: Summarizer
    names: Sequence[str]  # of the factors
    pretokenized: bool
    sizes: Sequence[int] = ()  # in words, for headlines
    dataset: str = ""

    def source(self, example: Example) -> Sentence:
        tokens = tokenize(example.source, pretokenized=self.pretokenized)
        return self.summarizer.bundle.sentence(tokens)

    def headlines(self, examples: Iterable[Example]) -> list[Pool]:
        """Empty pools, one for each source and length that leaves something to choose, measured by ROUGE-1, 2, L."""
        scorer = Rouge()

        def rouge(references: Sequence[str], words: Sequence[Word]) -> list[float]:
            score = scorer.score(render(words, pretokenized=self.pretokenized), references)
            return [scorer.value(score[metric]) for metric in METRICS]

        pools = []
        for example in examples:
            source = self.source(example)
            measure = partial(rouge, example.references)
            sizes = [size for size in self.sizes if size < len(source)]
            pools += [Pool(source, size, measure, self.names, self.dataset) for size in sizes]
        return pools

    def deletions(self, examples: Iterable[Example]) -> list[Pool]:
        """Empty pools, one for each source and reference that deletes something, at the reference's own length.

        They are measured by token F1.
        """

        def f1(reference: list[str], words: Sequence[Word]) -> list[float]:
            return [token_f1([piece for word in words for piece in word.pieces], reference)]

        pools = []
        for example in examples:
            source = self.source(example)
            for reference in example.references:
                kept = kept_words(reference, pretokenized=self.pretokenized)
                size = sum(not word.punctuation for word in tokenize(reference, pretokenized=self.pretokenized))
                if 0 < size < len(source):
                    pools.append(Pool(source, size, partial(f1, kept), self.names, self.dataset))
        return pools


def fill(summarizer: Summarizer, pools: Sequence[Pool], weights: Sequence[Weights]) -> None:
    """Add the lattice's best candidates under each of the weights."""
    width = Width(of_a_cell=4, rows=50, rescored=24)  # the pools need variety, not the last optimum
    objective = summarizer.bundle.objectives.objective(dict.fromkeys(pools[0].names, 1.0))
    for pool in progress(pools, "pooled", len(pools)):
        source = replace(pool.source)  # a copy: what searches share of a sentence are megabytes, and all pools stay
        space = CandidateSpace(Budget.of_words(len(source), pool.size), needs=source.needs)
        factors = objective.bind(source, space.budget).factors
        for one in weights:
            bound = BoundObjective({name: factors[name] for name in one}, one)
            masks = np.concatenate([reading(bound, space, width, backward) for backward in (False, True)])
            pool.add(masks, factors)
