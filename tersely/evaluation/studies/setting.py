"""What all studies share: the dataset, the systems and their outputs, and the type `Study`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely.bundle.objectives import FAST
from tersely.candidates.length import Length, count_words
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.scores import Content, Row, Scores, make_row
from tersely.evaluation.specs import parse_system
from tersely.evaluation.store import OutputStore
from tersely.evaluation.systems import Output, Resources, SummarizerSystem, System
from tersely.search import FAST_SEARCH
from tersely.summary.options import Options

LEAD = "Lead"
CUT_UNITS = ("bytes", "chars")  # of systems for the table with a cut at bytes


@dataclass(frozen=True)
class Setting:
    """The dataset, the resources of systems, and the folder of the report."""

    dataset: Dataset
    resources: Resources
    folder: Path
    search: str | None = None  # None: the summariser's default
    extra_systems: Sequence[str] = ()
    n_tuned: int = 0  # weights were tuned on so many of the first sources
    n_exhaustive: int = 48  # sources in the comparison with exhaustive search
    n_climbing: int = 20  # and with hill climbing at full length
    n_cases: int = 10
    seed: int = 0

    @property
    def objectives(self) -> list[str]:
        """The named objectives of the bundle, which the tables compare."""
        return list(self.resources.objectives.named)

    def system(self, spec: str) -> System:
        return parse_system(spec, self.resources, search=self.search)

    def summarizer(self, objective: str, **options: Any) -> System:
        """A summariser with the search and the seed of this experiment; `fast` has a search of its own."""
        search = FAST_SEARCH if objective == FAST else self.search
        options = {**({"search": search} if search else {}), **options}
        name = f"{objective}:" + ",".join(f"{key}={value}" for key, value in options.items())
        return SummarizerSystem(name, Options.of(objective=objective, seed=self.seed, **options), self.resources)

    def own_systems(self, *, cut: bool, length: Length | None = None) -> list[tuple[str, System]]:
        """The systems of the user by name: those with a length in bytes or characters if `cut`, else the others.

        With a length, those of this length or of an unknown one.
        """
        systems = [self.system(spec) for spec in self.extra_systems]
        of_kind = [s for s in systems if (s.length is not None and s.length.unit in CUT_UNITS) == cut]
        return [(s.name, s) for s in of_kind if length is None or s.length in (None, length)]

    def systems(self, n_words: int) -> list[tuple[str, System]]:
        """Lead, every objective and the systems of the user at one length, by name."""
        own = self.own_systems(cut=False, length=Length.of(words=n_words))
        objectives = [(name, self.summarizer(name, words=n_words)) for name in self.objectives]
        return [(LEAD, self.system(f"lead-{n_words}")), *objectives, *own]

    def outputs(self, system: System, dataset: Dataset | None = None) -> list[Output]:
        """The outputs of a system, which are kept in the folder of the report."""
        return OutputStore(self.folder / "outputs").run(system, dataset or self.dataset)

    def row(self, label: str, system: System, rouge: Rouge | None = None, numbers: Sequence[int] | None = None) -> Row:
        """The row of a system on the sources with these numbers (default: all)."""
        chosen = range(len(self.dataset)) if numbers is None else numbers
        part = self.dataset.part([self.dataset.examples[i] for i in chosen])
        whole = [self.dataset.n_skipped + i for i in chosen]
        return make_row(label, system, self.outputs(system, part), part, rouge or Rouge(), whole)

    def untuned(self, limit: int | None = None, longest: int | None = None) -> list[int]:
        """The numbers of the first sources that no weight was tuned on, of at most `longest` words.

        All sources where the dataset has no others.
        """
        first = self.n_tuned if self.n_tuned < len(self.dataset) else 0
        numbers = range(first, len(self.dataset))
        if longest is None:
            return list(numbers)[:limit]
        sources = self.dataset.sources
        return [i for i in numbers if count_words(self.dataset.tokens(sources[i])) <= longest][:limit]


@dataclass(frozen=True)
class Study:
    """A section of the report: how it is measured, and how it is shown from what is stored.

    What has no measure of its own is shown from the rows of other studies; the others are shown and plotted only if
    their own figures are stored. What quotes the data is not stored.
    """

    title: str
    about: str
    show: Callable[[Scores], list[str]]  # paragraphs; none if nothing is stored
    measure: Callable[[Setting], Content] | None = None
    plot: Callable[[Scores, Path], None] | None = None  # to a path without suffix
    quotes: bool = False
