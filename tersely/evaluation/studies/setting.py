"""The input and the result of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tersely.evaluation.datasets import Dataset
from tersely.evaluation.results import Evaluation, evaluate
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.specs import parse_system
from tersely.evaluation.store import OutputStore
from tersely.evaluation.systems import Resources, SummarizerSystem, System
from tersely.summary.options import Options

CUT_UNITS = ("bytes", "chars")  # of systems for the table with a cut at bytes


@dataclass(frozen=True)
class Setting:
    """The dataset, the resources of systems, and the folder of outputs and figures."""

    dataset: Dataset
    resources: Resources
    folder: Path
    search: str | None = None  # None: the summariser's default
    extra_systems: Sequence[str] = ()
    n_exhaustive: int = 50  # sources in the comparison with exhaustive search
    n_cases: int = 10
    seed: int = 0
    published: bool = False  # show what others reported in the tables

    @property
    def store(self) -> OutputStore:
        return OutputStore(self.folder / "outputs")

    @property
    def objectives(self) -> list[str]:
        """The named objectives of the bundle, which the tables compare."""
        return list(self.resources.objectives.named)

    def figure(self, name: str) -> Path:
        folder = self.folder / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def system(self, spec: str) -> System:
        return parse_system(spec, self.resources, search=self.search)

    def summarizer(self, objective: str, label: str | None = None, **options: Any) -> System:
        """A summariser with the search and the seed of this experiment."""
        if self.search:
            options = {"search": self.search, **options}
        name = f"{label or objective}:" + ",".join(f"{key}={value}" for key, value in options.items())
        return SummarizerSystem(name, Options.of(objective=objective, seed=self.seed, **options), self.resources)

    def systems(self, n_words: int) -> list[System]:
        """Lead and every objective at one length, and the systems of the user."""
        systems = [self.system(f"lead-{n_words}")]
        systems += [self.summarizer(objective, words=n_words) for objective in self.objectives]
        return systems + self.own_systems(cut=False)

    def own_systems(self, *, cut: bool) -> list[System]:
        """The systems of the user: those with a length in bytes or characters if `cut`, else the others."""
        systems = [self.system(spec) for spec in self.extra_systems]
        return [s for s in systems if (s.length is not None and s.length.unit in CUT_UNITS) == cut]

    def evaluate(self, systems: Sequence[System], rouge: Rouge) -> Evaluation:
        """The table of some systems, whose outputs are kept."""
        return evaluate(self.dataset, systems, rouge, runner=self.store.run, seed=self.seed)

    def table(self, systems: Sequence[System], rouge: Rouge) -> Evaluation:
        """The same for the report: with what others reported, if the setting says so."""
        evaluation = self.evaluate(systems, rouge)
        return evaluation.with_published() if self.published else evaluation


@dataclass(frozen=True)
class Study:
    """A section of the report: Markdown, the same figures as data, and the files of its plots."""

    title: str
    text: str
    data: dict[str, Any]
    figures: list[Path] = field(default_factory=list)
