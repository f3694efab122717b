"""A dataset of two sources, and systems whose figures can be worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tersely.evaluation.brackets import Limit
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.systems import Output, Resources

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
    limit: Limit | None = None
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


class FakeSummarizer:
    """Keeps the last words, and remembers the options of each call."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def __call__(self, text: str, **options: Any) -> FakeSummary:
        self.calls.append(options)
        tokens = tuple(token for token in text.split() if token.isalnum())
        size = options.get("words") or round(options["ratio"] * len(text.split()))
        kept = tuple(range(len(tokens)))[-size:]
        return FakeSummary(" ".join(tokens[i] for i in kept), kept, tokens)


def fake_resources(summarizer: FakeSummarizer | None = None, ratios: Mapping[str, float] | None = None) -> Resources:
    found = summarizer or FakeSummarizer()
    return Resources(lambda: found, lambda: ratios, lambda: {"paper": {"fluency": 1.0}}, lambda: "fake@1")
