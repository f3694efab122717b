"""A dataset of two sources, and systems whose figures can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tersely.bundle.objectives import Objectives
from tersely.candidates.length import Length
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.rouge import METRICS
from tersely.evaluation.scores import Row
from tersely.evaluation.systems import Output, Resources
from tersely.summary.options import Options
from tersely.text.words import tokenize

DATASET = Dataset(
    "toy",
    (
        Example("the ship ran aground at the port , he said .", ("ship runs aground",)),
        Example("a storm killed ten people in cuba on friday .", ("storm kills ten",)),
    ),
)


@dataclass
class Canned:
    """A system that answers from a list, and counts how often it had to."""

    name: str
    texts: list[str]
    length: Length | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    made: int = 0
    stop_after: int | None = None

    def outputs(self, dataset: Dataset, start: int = 0) -> Iterator[Output]:
        for text in self.texts[start:]:
            if self.stop_after is not None and self.made >= self.stop_after:
                raise KeyboardInterrupt
            self.made += 1
            yield Output(text, seconds=0.25)


@dataclass(frozen=True)
class FakeSummary:
    text: str
    kept: tuple[int, ...]
    tokens: tuple[str, ...]
    score: float = -1.0
    evaluations: int = 7


class Parts:
    """The parts of a bundle that has all of them but an editor."""

    def __contains__(self, tensor: str) -> bool:
        return not tensor.startswith("editor.")


class FakeSummarizer:
    """Keeps the last words, and remembers the options of each call."""

    def __init__(self, stored: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self.objectives = Objectives(Parts(), stored or {})  # type: ignore[arg-type]
        self.calls: list[Options] = []

    def check(self, options: Options) -> None:
        self.objectives.weights(options.objective)

    def identity(self, options: Options) -> dict[str, str]:
        return {"bundle": "fake@1", **self.objectives.identity(options.objective), **options.signature()}

    def shorten(self, text: str, options: Options) -> FakeSummary:
        self.calls.append(options)
        tokens = tokenize(text, pretokenized=options.pretokenized)
        words = tuple(token.text for token in tokens if not token.punctuation)
        kept = tuple(range(len(words)))[-options.length.budget(tokens).limit :]
        return FakeSummary(" ".join(words[i] for i in kept), kept, words)

    def spread(self, work: Callable[..., Any], items: Iterable[str], workers: int, most: int) -> Iterator[Any]:
        return (work(self, item) for item in items)


def fake_resources(summarizer: Any = None, ratios: Mapping[str, float] | None = None) -> Resources:
    found = summarizer or FakeSummarizer()

    class Fake(Resources):
        summarizer, style_ratios, objectives, identity = found, ratios, found.objectives, "fake@1"  # type: ignore

    return Fake()


def row(label: str, length: str, figures: list[int]) -> Row:
    """A stored row whose three metrics have the same figures, in thousandths."""
    means = dict.fromkeys(METRICS, sum(figures) / 1000 / len(figures))
    return Row(label, length, {}, "0", 0, 8.0, 0.5, 10.0, means, dict.fromkeys(METRICS, figures), None, None)
