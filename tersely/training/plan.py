"""Beside the flow: what a training run was asked to do, and where in its folder things are."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.training.corpus import Source
from tersely.training.recipes import Recipe


@dataclass(frozen=True)
class Plan:
    """A training run: corpora, recipe, budget, and the two folders: the run's own and the bundle's."""

    out: Path
    run: Path
    recipe: Recipe
    titles: tuple[Source, ...] = ()
    articles: tuple[Source, ...] = ()
    vectors_from: tuple[Source, ...] = ()  # in the place of the recipe's side
    valid: tuple[Source, ...] = ()
    hours: float | None = None
    start_from: Path | None = None  # a bundle whose language models read on
    processes: int = 1

    def __post_init__(self) -> None:
        if not self.titles and not self.articles:
            raise InputError("nothing to train on: give --titles, --articles or both")
        if not self.lm_sources:
            raise InputError(
                f"the language models read the {self.recipe.lm_side}, and there are none: "
                f"give --{self.recipe.lm_side} or another --lm-side"
            )
        if not any(source.weight for source in self.lm_sources):
            raise InputError(f"all {self.recipe.lm_side} have the weight 0: give one of them a larger weight")
        if self.hours is not None and not 0 < self.hours < float("inf"):
            raise InputError(f"--hours is above 0, not {self.hours}")

    @property
    def lm_sources(self) -> tuple[Source, ...]:
        """The corpora that the language models read."""
        return self.titles if self.recipe.lm_side == "titles" else self.articles

    @property
    def vector_sources(self) -> tuple[Source, ...]:
        """The corpora that the vectors are made from."""
        if self.vectors_from:
            return self.vectors_from
        sides = {"titles": self.titles, "articles": self.articles, "both": self.titles + self.articles}
        return sides[self.recipe.vector_side] or self.titles + self.articles

    def settings(self) -> dict[str, Any]:
        """What has to stay the same for a run to be resumed; hours and weights of counts may change."""
        sources = {
            side: [f"{source.path.resolve()}={source.weight:g}" for source in getattr(self, side)]
            for side in ("titles", "articles", "vectors_from")
        }
        pretokenized = sorted(
            {str(s.path.resolve()) for s in self.titles + self.articles + self.vectors_from if s.pretokenized}
        )
        start = {} if self.start_from is None else {"start_from": str(self.start_from.resolve())}
        return {**dataclasses.asdict(self.recipe), **sources, "pretokenized": pretokenized, **start}

    # The files of a run.

    @property
    def corpora_folder(self) -> Path:
        """Tokenised corpora."""
        return self.run / "corpora"

    @property
    def vocabulary_file(self) -> Path:
        """The vocabulary, once it is chosen."""
        return self.run / "vocab.txt"

    @property
    def vectors_file(self) -> Path:
        """The vectors, once they are trained."""
        return self.run / "vectors.npy"

    def checkpoint(self, directions: Sequence[str]) -> Path:
        """The newest state of the language models that are trained together."""
        return self.run / f"{'-'.join(directions)}.pt"
