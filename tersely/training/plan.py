"""Training: the settings of a training run, and its folder."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.system.files import write_text
from tersely.training.corpus import CorpusFile
from tersely.training.recipes import ParserRecipe, Recipe

Log = Callable[[str], None]

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
        if self.only_one_part:
            if self.trees and self.vectors_from:
                raise InputError("only one part of a bundle can be exchanged: give --trees or --vectors-from")
            if self.trees and self.hours is not None:
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
    def only_one_part(self) -> bool:
        """Whether only the parser or the vectors of the bundle to start from are exchanged."""
        given = self.trees or self.vectors_from
        return self.start_from is not None and bool(given) and not self.titles and not self.articles

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


def open_run(folder: Path, settings: dict[str, Any], log: Log) -> None:
    """Begin a run in `folder`, or resume one of the same settings; a folder of another run is an error.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "run"
    >>> open_run(folder, {"hidden": 384}, print)
    >>> open_run(folder, {"hidden": 384}, print)
    resumes the run in ...
    >>> open_run(folder, {"hidden": 512}, print)
    Traceback (most recent call last):
    ...
    tersely.errors.InputError: ... holds a run with other settings (hidden was 384, now 512): ...
    """
    path = folder / "settings.json"
    settings = json.loads(json.dumps(settings))
    if path.exists():
        try:
            old = dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, RecursionError):
            raise InputError(f"{path} is damaged: give another folder") from None
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
        log(f"resumes the run in {folder}")
        return
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty and holds no training run: give another folder")
    write_text(path, json.dumps(settings, indent=1))
