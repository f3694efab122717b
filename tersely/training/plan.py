"""Training: the settings of a training run, the files of its folder, and whether a folder belongs to it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.system.files import write_text
from tersely.training.corpus import CorpusFile
from tersely.training.recipes import ParserRecipe, Recipe

DEVICES = ("auto", "cpu", "cuda", "mps")  # cuda: an NVIDIA card; mps: an Apple one


@dataclass(frozen=True)
class Plan:
    """A training run: corpora, recipe, budget, and the two folders: the run's own and the bundle's."""

    out: Path
    run: Path
    recipe: Recipe
    titles: tuple[CorpusFile, ...] = ()
    articles: tuple[CorpusFile, ...] = ()
    vectors_from: tuple[CorpusFile, ...] = ()  # instead of the recipe's side
    valid: tuple[CorpusFile, ...] = ()
    hours: float | None = None
    start_from: Path | None = None  # a bundle whose language models are trained further
    trees: tuple[Path, ...] = ()  # for the parser
    parser_recipe: ParserRecipe = ParserRecipe()
    parser_hours: float | None = None
    processes: int = 1
    device: str = "cpu"  # that the language models are trained on; a run may be resumed on another

    def __post_init__(self) -> None:
        for option, hours in (("--hours", self.hours), ("--parser-hours", self.parser_hours)):
            if hours is not None and not 0 < hours < float("inf"):
                raise InputError(f"invalid {option} {hours}: expected a number above 0")
        if self.only_vectors:
            return
        if self.only_parser:
            if self.hours is not None:
                raise InputError("--hours is for the language models, which need --titles: give --parser-hours instead")
            return
        if not self.titles and not self.articles:
            more = "; to train only a parser, give --trees and --start-from BUNDLE" if self.trees else ""
            raise InputError(f"nothing to train on: give --titles, --articles or both{more}")
        if not self.lm_files:
            raise InputError(
                f"the language models are trained on {self.recipe.lm_side}, and there are none: "
                f"give --{self.recipe.lm_side} or another --lm-side"
            )
        if not any(file.weight for file in self.lm_files):
            raise InputError(f"all {self.recipe.lm_side} have the weight 0: give one of them a larger weight")

    @property
    def only_parser(self) -> bool:
        return not self.titles and not self.articles and bool(self.trees) and self.start_from is not None

    @property
    def only_vectors(self) -> bool:
        """Whether only the vectors of a bundle are exchanged."""
        return not self.titles and not self.articles and bool(self.vectors_from) and self.start_from is not None

    @property
    def sides(self) -> dict[str, tuple[CorpusFile, ...]]:
        return {"titles": self.titles, "articles": self.articles}

    @property
    def lm_files(self) -> tuple[CorpusFile, ...]:
        return self.sides[self.recipe.lm_side]

    @property
    def vector_files(self) -> tuple[CorpusFile, ...]:
        both = self.titles + self.articles
        return self.vectors_from or self.sides.get(self.recipe.vector_side) or both

    def settings(self) -> dict[str, Any]:
        """The settings that must be the same to resume a run; hours and weights of counts may change."""
        files = {
            side: [f"{file.path.resolve()}={file.weight:g}" for file in getattr(self, side)]
            for side in ("titles", "articles", "vectors_from")
        }
        read = self.titles + self.articles + self.vectors_from
        pretokenized = sorted({str(file.path.resolve()) for file in read if file.pretokenized})
        start = {} if self.start_from is None else {"start_from": str(self.start_from.resolve())}
        return {**dataclasses.asdict(self.recipe), **files, "pretokenized": pretokenized, **start}

    # The files of a run.

    @property
    def corpora_folder(self) -> Path:
        return self.run / "corpora"

    @property
    def vocabulary_file(self) -> Path:
        return self.run / "vocab.txt"

    @property
    def vectors_file(self) -> Path:
        return self.run / "vectors.npy"

    @property
    def parser_folder(self) -> Path:
        """The folder of the parser, which may be added to a run without one."""
        return self.run if self.only_parser else self.run / "parser"

    def checkpoint(self, directions: Sequence[str]) -> Path:
        """The newest state of the language models that are trained together."""
        return self.run / f"{'-'.join(directions)}.pt"


def open_run(folder: Path, settings: dict[str, Any]) -> bool:
    """Whether `folder` holds a run of the same settings, to be resumed; a folder of another run is an error.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "run"
    >>> open_run(folder, {"hidden": 384}), open_run(folder, {"hidden": 384})
    (False, True)
    >>> open_run(folder, {"hidden": 512})
    Traceback (most recent call last):
    ...
    tersely.errors.InputError: ... holds a run with other settings (hidden was 384, now 512): ...
    """
    path = folder / "settings.json"
    settings = json.loads(json.dumps(settings))
    if path.exists():
        old = json.loads(path.read_text(encoding="utf-8"))
        if old != settings:
            changed = [
                f"{name} was {old.get(name)}, now {settings.get(name)}"
                for name in {**old, **settings}
                if old.get(name) != settings.get(name)
            ]
            raise InputError(
                f"{folder} holds a run with other settings ({'; '.join(changed)}): "
                "give the old settings to resume it, or another folder"
            )
        return True
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty and holds no training run: give another folder")
    write_text(path, json.dumps(settings, indent=1))
    return False
