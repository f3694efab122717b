"""Which systems run on which part of the development data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tersely.candidates.length import count_words
from tersely.errors import InputError
from tersely.evaluation.datasets import Dataset, read_dataset
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.specs import parse_system
from tersely.evaluation.studies.ablation import WORDS as ABLATION_WORDS
from tersely.evaluation.studies.search_quality import choose_size
from tersely.evaluation.studies.tables import DUC_BYTES
from tersely.evaluation.systems import Resources, SummarizerSystem, System
from tersely.summary.options import Options

# The paper's groups by length.
GROUPS: dict[str, dict[str, Any]] = {"8 words": {"words": 8}, "10 words": {"words": 10}, "50 %": {"ratio": 0.5}}
OBJECTIVES = ("paper", "headline", "telegraph")
# Bundles other than the one that ships, under their names on the page: runs/train_article.sh, runs/train_vectors.sh.
TITLES, ARTICLES = "HC_title", "HC_article"
OTHERS = (
    ARTICLES,
    *(f"{TITLES}, vectors of {side}" for side in ("titles", "articles")),  # the one that ships has those of both
    *(f"{ARTICLES}, vectors of {side}" for side in ("titles", "articles")),
)
SHORT_SIZES, SHORT_EACH = range(8, 2, -1), 12  # of the comparison with exhaustive search
SHORT_SEARCHES = {"exhaustive": "exhaustive", "hill climbing": "paper", "default": None}


@dataclass(frozen=True)
class Entry:
    """A system under the label and the length that the page shows it with."""

    label: str
    length: str
    system: System


@dataclass(frozen=True)
class SystemFactory:
    """Makes systems of the bundle that is reproduced (HC_title), and of others under their names."""

    resources: Resources
    others: Mapping[str, str] = field(default_factory=dict)

    def objective(self, label: str, length: str, objective: str, **options: Any) -> Entry:
        name = f"{label}:" + ",".join(f"{key}={value}" for key, value in options.items())
        return Entry(label, length, SummarizerSystem(name, Options.of(objective=objective, **options), self.resources))

    def baseline(self, spec: str, label: str, length: str) -> Entry:
        return Entry(label, length, parse_system(spec, self.resources))

    def other_bundles(self, length: str, **options: Any) -> Iterator[Entry]:
        """The paper's objective with each other bundle."""
        for label, folder in self.others.items():
            yield SystemFactory(self.resources.of_bundle(folder)).objective(label, length, "paper", **options)


def _headlines(systems: SystemFactory) -> Iterator[Entry]:
    for length, options in GROUPS.items():
        lead = f"lead-{options['words']}" if "words" in options else f"lead-{100 * options['ratio']:.0f}%"
        yield systems.baseline(lead, "Lead", length)
        for objective in OBJECTIVES:
            yield systems.objective(objective, length, objective, **options)
        yield from systems.other_bundles(length, **options)


def _hill_climbing(systems: SystemFactory, lengths: Sequence[str]) -> Iterator[Entry]:
    for length in lengths:
        yield systems.objective("paper", length, "paper", **GROUPS[length], search="paper")


def _duc(systems: SystemFactory) -> Iterator[Entry]:
    length = f"{DUC_BYTES} bytes"
    yield systems.baseline(f"lead-{DUC_BYTES}c", "Lead", length)
    yield systems.baseline(f"lead-{DUC_BYTES}c:hard", "Lead, cut inside a word", length)
    for objective in OBJECTIVES:
        yield systems.objective(objective, length, objective, bytes=DUC_BYTES)
    yield from systems.other_bundles(length, bytes=DUC_BYTES)


def _ablation(systems: SystemFactory) -> Iterator[Entry]:
    for name in systems.resources.objectives.ablations("paper"):
        yield systems.objective(name, f"{ABLATION_WORDS} words", name, words=ABLATION_WORDS)


def _own_ablation(systems: SystemFactory) -> Iterator[Entry]:
    objectives = systems.resources.objectives
    for name in objectives.ablations("headline") if "headline" in objectives else []:
        label = name.removeprefix("headline ")  # without style
        yield systems.objective(label, f"{ABLATION_WORDS} words", name, words=ABLATION_WORDS)


@dataclass(frozen=True)
class Part:
    """A part of a development set, and what runs on it."""

    dataset: str
    entries: Callable[[SystemFactory], Iterator[Entry]]
    skip: int = 0
    limit: int | None = None
    longest: int | None = None  # sources of more words are left out
    rouge: Rouge = field(default_factory=Rouge)
    positions: bool = True  # whether kept positions are stored: half of what a row takes

    def read(self, dev: Path, limit: int | None = None) -> tuple[Dataset, list[int]]:
        """The sources, and their numbers in the whole set, from 0; at most `limit` of them."""
        if not (dev / self.dataset).exists():
            raise InputError(f"no development data in {str(dev)!r}: give its folder with --dev or TERSELY_DEV")
        whole = read_dataset(dev / self.dataset)
        skip = min(self.skip, len(whole) - 1) if limit else self.skip
        numbers = list(range(skip, len(whole)))
        if self.longest is not None:
            n_words = [count_words(whole.tokens(source)) for source in whole.sources]
            numbers = [i for i in numbers if n_words[i] <= self.longest]
        numbers = numbers[: limit or self.limit]
        return whole.part([whole.examples[i] for i in numbers]), numbers


# The most important part comes first. No weight was tuned on Gigaword's second half, nor on DUC 2003.
PARTS: dict[str, Part] = {
    "gigaword": Part("gigaword", _headlines),
    "duc2003": Part("duc2003", _duc, rouge=Rouge(limit_bytes=DUC_BYTES, measure="recall")),
    "ablation": Part("gigaword", _ablation, positions=False),
    "own-ablation": Part("gigaword", _own_ablation, skip=1000, positions=False),
    "hill-climbing": Part("gigaword", partial(_hill_climbing, lengths=["8 words", "10 words"]), skip=1000, limit=200),
    # Its budget grows with n^2 s^4: the first 200 sources cut in half would take 22 million steps, these take 3.4.
    "hill-climbing-half": Part("gigaword", partial(_hill_climbing, lengths=["50 %"]), skip=1000, limit=200, longest=22),
}


def short_sources(dataset: Dataset, each: int = SHORT_EACH) -> dict[int, Dataset]:
    """For each length the first sources whose candidates can all be scored, but are more than hill climbing scores."""
    found: dict[int, list[Any]] = {size: [] for size in SHORT_SIZES}
    for example in dataset.examples:
        size = choose_size(count_words(dataset.tokens(example.source)))
        if size in found and len(found[size]) < each:
            found[size].append(example)
    return {size: dataset.part(examples) for size, examples in found.items() if examples}
