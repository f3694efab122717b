"""What every study gets, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tersely.evaluation.datasets import Dataset
from tersely.evaluation.specs import parse_system
from tersely.evaluation.store import OutputStore
from tersely.evaluation.systems import Resources, System, summarizer_system

OBJECTIVES = ("paper", "headline")  # what the tables compare, as far as the bundle has them


@dataclass(frozen=True)
class Setting:
    """A dataset, where systems come from, where outputs and figures go."""

    dataset: Dataset
    resources: Resources
    folder: Path
    search: str | None = None  # None: the summariser's default
    extra_systems: Sequence[str] = ()
    n_exhaustive: int = 50  # sources in the comparison with exhaustive search
    n_cases: int = 10
    seed: int = 0

    @property
    def store(self) -> OutputStore:
        """The outputs kept so far."""
        return OutputStore(self.folder / "outputs")

    @property
    def objectives(self) -> list[str]:
        """The named objectives that this bundle can serve."""
        known = self.resources.objectives()
        return [name for name in OBJECTIVES if name in known]

    def figure(self, name: str) -> Path:
        """The path of a figure without its suffix."""
        folder = self.folder / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def system(self, spec: str) -> System:
        """A system by its name on the command line."""
        return parse_system(spec, self.resources)

    def summarizer(self, objective: str | Mapping[str, float], label: str | None = None, **options: Any) -> System:
        """A summariser with the search and the seed of this experiment."""
        if self.search:
            options = {"search": self.search, **options}
        length = ",".join(f"{key}={value}" for key, value in options.items())
        name = f"{label or objective}:{length}"
        return summarizer_system(self.resources, name=name, objective=objective, seed=self.seed, **options)


@dataclass(frozen=True)
class Study:
    """A section of the report: Markdown, the same figures as data, and the files of its plots."""

    title: str
    text: str
    data: dict[str, Any]
    figures: list[Path] = field(default_factory=list)
