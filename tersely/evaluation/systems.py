"""Systems: anything that gives one summary per source. A baseline, a summariser with options, a file of outputs.

`evaluate` sees only the `System` protocol, so a baseline is an ordinary system, and so is another program's output.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tersely.errors import InputError
from tersely.evaluation.baselines import Rule
from tersely.evaluation.datasets import Dataset
from tersely.files import read_lines
from tersely.length import Length
from tersely.options import Options
from tersely.summarizer import Summarizer
from tersely.text import tokenize


class Output(NamedTuple):
    """One summary, and what is known of it: kept positions, of how many source words, log score, seconds."""

    text: str
    kept: tuple[int, ...] | None = None
    n_words: int | None = None
    score: float | None = None
    evaluations: int | None = None
    seconds: float | None = None


class System(Protocol):
    """What `evaluate` asks of a system. `settings` names everything that its outputs depend on.

    `outputs` begins at the source number `start`, so that an interrupted run can go on where it stopped.
    """

    @property
    def name(self) -> str:
        """What a table calls it."""

    @property
    def length(self) -> Length | None:
        """The length that was asked for, if one is known."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that the outputs depend on."""

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        """The outputs for the sources from `start` on."""


@dataclass(frozen=True)
class Resources:
    """What some systems need and most do not: functions, called when a system needs them."""

    summarizer: Callable[[], Summarizer]
    style_ratios: Callable[[], Mapping[str, float] | None]  # word -> log p_title / p_article, None without counts
    objectives: Callable[[], Mapping[str, Mapping[str, float]]]  # name -> the weight of each factor
    identity: Callable[[], str]  # of the bundle, so that kept outputs of another one are not taken for its own


@dataclass(frozen=True)
class Baseline:
    """A rule that needs the source alone, and whether it is pretokenised."""

    name: str
    length: Length
    shorten: Rule
    settings: Mapping[str, Any] = field(default_factory=dict)

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        for source in dataset.sources[start:]:
            started = time.perf_counter()
            text = self.shorten(source, dataset.is_pretokenized)
            yield Output(text, seconds=time.perf_counter() - started)


@dataclass(frozen=True)
class OutputFile:
    """Summaries that some other program wrote, one a line."""

    name: str
    path: Path
    length: Length | None

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"file": str(self.path), "changed": self.path.stat().st_mtime_ns}

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        """The lines of the file; there must be as many as sources, with those that were left out or without them."""
        lines = read_lines(self.path)
        with_cut = len(dataset) + dataset.n_cut
        firsts = {len(dataset): 0, with_cut: 0, with_cut + dataset.n_skipped: dataset.n_skipped}
        if len(lines) not in firsts:
            expected = " or ".join(f"{n}" for n in sorted(firsts, reverse=True))
            raise InputError(f"{self.path} has {len(lines)} lines, but {dataset.name} has {expected} sources")
        first = firsts[len(lines)]
        return (Output(line) for line in lines[first : first + len(dataset)][start:])


@dataclass(frozen=True)
class SummarizerSystem:
    """A summariser with fixed options; what its bundle cannot serve is refused at once, not in the middle of a run."""

    name: str
    options: Options
    resources: Resources

    def __post_init__(self) -> None:
        self.length.budget(tokenize("word"))  # some units only measure
        self.resources.summarizer().check(self.options)

    @property
    def length(self) -> Length:
        return self.options.length

    @property
    def settings(self) -> Mapping[str, Any]:
        """The options, the bundle, and the weights, which may change in the same bundle."""
        weights = self.resources.summarizer().weights(self.options.objective)
        return {"options": self.options.signature(), "weights": weights, "bundle": self.resources.identity()}

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        summarizer = self.resources.summarizer()
        options = replace(self.options, pretokenized=dataset.is_pretokenized)
        for source in dataset.sources[start:]:
            started = time.perf_counter()
            summary = summarizer.shorten(source, options)
            seconds = time.perf_counter() - started
            yield Output(summary.text, summary.kept, len(summary.tokens), summary.score, summary.evaluations, seconds)
