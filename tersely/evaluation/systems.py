"""Systems: a baseline, a summariser with options, or a file of outputs; each gives one summary per source.

`evaluate` uses only the `System` protocol, so outputs of other programs are treated like any other system.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from tersely.bundle.objectives import Objectives
from tersely.candidates.length import Length
from tersely.errors import InputError
from tersely.evaluation.baselines import Rule
from tersely.evaluation.datasets import Dataset
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.system.files import read_lines
from tersely.system.workers import checked_workers
from tersely.text.words import tokenize


class Output(NamedTuple):
    """One summary, and what is known of it: kept positions, number of source words, log f, evaluations, seconds."""

    text: str
    kept: tuple[int, ...] | None = None
    n_words: int | None = None
    score: float | None = None
    evaluations: int | None = None
    seconds: float | None = None


class System(Protocol):
    """What `evaluate` needs of a system. `settings` names everything that its outputs depend on.

    `length` is the requested length, if it is known. `outputs` begins at source number `start`, so that a run can be
    resumed.
    """

    @property
    def name(self) -> str: ...

    @property
    def length(self) -> Length | None: ...

    @property
    def settings(self) -> Mapping[str, Any]: ...

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]: ...


class Resources:
    """A bundle for systems (default: the shipped one), opened when it is first needed.

    `workers` is the number of processes that make summaries.
    """

    def __init__(self, bundle: str | None = None, workers: int | None = 1) -> None:
        self._folder = bundle
        self.workers = checked_workers(workers)
        self._others: dict[str, Resources] = {}

    def of_bundle(self, folder: str) -> Resources:
        """The resources of another bundle, which is opened once for all systems that name it."""
        return self._others.setdefault(folder, Resources(folder, self.workers))

    @cached_property
    def summarizer(self) -> Summarizer:
        return Summarizer.load(self._folder)

    @property
    def objectives(self) -> Objectives:
        return self.summarizer.bundle.objectives

    @property
    def identity(self) -> str:
        """The signature of the bundle."""
        return self.summarizer.bundle.signature

    @cached_property
    def style_ratios(self) -> Mapping[str, float] | None:
        """The log ratio of each piece between titles and articles, as in `style`; None without counts."""
        bundle = self.summarizer.bundle
        if "counts.titles" not in bundle or "counts.articles" not in bundle:
            return None
        pieces = bundle.vocabulary.pieces
        return dict(zip(pieces, bundle.counts().style(np.arange(len(pieces))).tolist(), strict=True))


@dataclass(frozen=True)
class Baseline:
    """A rule that needs only the source, and whether it is pretokenised."""

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
    """Summaries of another program, one a line."""

    name: str
    path: Path
    length: Length | None

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"file": str(self.path), "changed": self.path.stat().st_mtime_ns}

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        """The lines of the file: one for each source, with or without the sources that were left out."""
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
    """A summariser with fixed options; what its bundle cannot serve is an error here, not in the middle of a run."""

    name: str
    options: Options
    resources: Resources

    def __post_init__(self) -> None:
        self.length.budget(tokenize("word"))  # some units cannot be a limit
        self.resources.summarizer.check(self.options)

    @property
    def length(self) -> Length:
        return self.options.length

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that decides its summaries."""
        return self.resources.summarizer.identity(self.options)

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        work = partial(_output, options=replace(self.options, pretokenized=dataset.is_pretokenized))
        # One source at a time for a worker: it may take a minute, and is lost when the run is stopped.
        return self.resources.summarizer.spread(work, dataset.sources[start:], self.resources.workers, most=1)


def _output(summarizer: Summarizer, source: str, options: Options) -> Output:
    """The summary of one source, timed in the process that makes it."""
    started = time.perf_counter()
    summary = summarizer.shorten(source, options)
    seconds = time.perf_counter() - started
    return Output(summary.text, summary.kept, len(summary.tokens), summary.score, summary.evaluations, seconds)
