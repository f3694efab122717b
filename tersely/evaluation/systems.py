"""Systems: anything that gives one summary per source. A baseline, a summariser with options, a file of outputs.

`evaluate` sees only the `System` protocol, so a baseline is an ordinary system, and so is another program's output.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tersely.errors import InputError
from tersely.evaluation.brackets import UNITS, Limit
from tersely.evaluation.datasets import Dataset
from tersely.files import read_lines


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
    def limit(self) -> Limit | None:
        """The length that was asked for, if one is known."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that the outputs depend on."""

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        """The outputs for the sources from `start` on."""


class SummaryLike(Protocol):
    """The part of `tersely.Summary` that evaluation reads."""

    @property
    def text(self) -> str:
        """The summary."""

    @property
    def kept(self) -> Sequence[int]:
        """The positions of its words in `tokens`."""

    @property
    def tokens(self) -> Sequence[str]:
        """The words of the source, without punctuation."""

    @property
    def score(self) -> float:
        """log f."""

    @property
    def evaluations(self) -> int:
        """How many candidates were scored."""


SummarizerLike = Callable[..., SummaryLike]  # called as `summarizer(text, words=8, ...)`


@dataclass(frozen=True)
class Resources:
    """What some systems need and most do not: functions, called when a system needs them."""

    summarizer: Callable[[], SummarizerLike]
    style_ratios: Callable[[], Mapping[str, float] | None]  # word -> log p_title / p_article, None without counts
    objectives: Callable[[], Mapping[str, Mapping[str, float]]]  # name -> the weight of each factor
    identity: Callable[[], str]  # of the bundle, so that kept outputs of another one are not taken for its own


@dataclass(frozen=True)
class Baseline:
    """A rule that needs the source alone."""

    name: str
    limit: Limit
    shorten: Callable[[str], str]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        """What the rule makes of each source."""
        for source in dataset.sources[start:]:
            started = time.perf_counter()
            text = self.shorten(source)
            yield Output(text, seconds=time.perf_counter() - started)


@dataclass(frozen=True)
class OutputFile:
    """Summaries that some other program wrote, one a line."""

    name: str
    path: Path
    limit: Limit | None

    @property
    def settings(self) -> Mapping[str, Any]:
        """The file and when it was written."""
        return {"file": str(self.path), "changed": self.path.stat().st_mtime_ns}

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        """The lines of the file; there must be as many as sources."""
        lines = read_lines(self.path)
        expected = len(dataset) + dataset.n_cut
        if len(lines) not in (expected, len(dataset)):
            raise InputError(f"{self.path} has {len(lines)} lines, but {dataset.name} has {expected} sources")
        return (Output(line) for line in lines[start : len(dataset)])


@dataclass(frozen=True)
class SummarizerSystem:
    """A summariser with fixed options: objective, length, search, seed."""

    name: str
    limit: Limit
    options: Mapping[str, Any]
    resources: Resources

    @property
    def settings(self) -> Mapping[str, Any]:
        """The options and the bundle."""
        return {"options": dict(self.options), "bundle": self.resources.identity()}

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        """A summary of each source, timed one by one."""
        summarizer = self.resources.summarizer()
        pretokenized = dataset.is_pretokenized
        for source in dataset.sources[start:]:
            started = time.perf_counter()
            summary = summarizer(source, pretokenized=pretokenized, **self.options)
            seconds = time.perf_counter() - started
            kept = tuple(int(position) for position in summary.kept)
            yield Output(summary.text, kept, len(summary.tokens), summary.score, summary.evaluations, seconds)


def summarizer_system(resources: Resources, *, name: str | None = None, **options: Any) -> SummarizerSystem:
    """A summariser as a system; exactly one of the options is a length."""
    given = [unit for unit in UNITS if options.get(unit) is not None]
    if len(given) != 1:
        raise InputError(f"a summariser needs one length of {', '.join(UNITS)}: it got {', '.join(given) or 'none'}")
    label = name or f"{options.get('objective', 'headline')}:" + ",".join(
        f"{key}={value}" for key, value in options.items() if key != "objective"
    )
    return SummarizerSystem(label, Limit(given[0], float(options[given[0]])), options, resources)
