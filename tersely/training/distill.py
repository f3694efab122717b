"""Beside the flow: a bundle and unlabelled sentences in, the bundle with a selector out: its fast path.

The search shortens sentences to several lengths; a selector learns from that; its own best candidates, scored by the
objective, then tell it where it errs, and it learns again from all of them. Everything is kept in the folder of the
run: the same command goes on where it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from tersely.bundle import Bundle, check_place, write_bundle
from tersely.errors import InputError
from tersely.files import replacing, write_text
from tersely.progress import progress
from tersely.scoring.selector import clue_reader
from tersely.summarizer import Summarizer
from tersely.training.card import with_selector
from tersely.training.export import Tensors
from tersely.training.guide import train_guide
from tersely.training.lessons import Lesson, assignments, collect, draw_sentences
from tersely.training.plan import claim
from tersely.training.run import Report
from tersely.training.selector import Example, SelectorRecipe, SelectorTrainer, encode, train_selector
from tersely.training.selector_network import selector_tensors
from tersely.workers import checked_workers

HELD_OUT = 0.05  # of the lessons
ROUNDS = 26  # over the lessons
_FIRST = 0.2  # of the sentences are searched by the lattice, before there is a selector


@dataclass(frozen=True)
class DistillPlan:
    """A run: the bundle, the sentences, the objectives to learn, and the two folders."""

    bundle: Bundle
    out: Path
    run: Path
    files: tuple[Path, ...]
    objectives: tuple[str, ...]
    count: int
    workers: int | None = 1
    recipe: SelectorRecipe = field(default_factory=lambda: SelectorRecipe(rounds=ROUNDS))

    def __post_init__(self) -> None:
        if not self.files:
            raise InputError("nothing to learn from: give --sentences")
        for name in self.objectives:
            if name not in self.bundle.objectives:
                raise InputError(f"the bundle has no objective {name!r}: it has {', '.join(self.bundle.objectives)}")
        if self.count < 50:
            raise InputError(f"a selector needs 50 sentences at least, not {self.count}")
        self.bundle.parser()  # refuses a bundle without one
        checked_workers(self.workers)

    def settings(self) -> dict[str, Any]:
        """What has to stay the same for a run to be resumed."""
        files = [str(path.resolve()) for path in self.files]
        given = {"bundle": self.bundle.signature, "sentences": files, "objectives": list(self.objectives)}
        return {**given, "count": self.count, **asdict(self.recipe)}


def distill(plan: DistillPlan, report: Report, stop: Callable[[], bool] = lambda: False) -> Path:
    """Make the selector and write the bundle; its folder."""
    check_place(plan.out)
    claim(plan.run, plan.settings())
    texts = _sentences(plan, report)
    tasks = list(assignments(texts, plan.objectives, plan.bundle.vocabulary))
    n_first = max(50, round(_FIRST * len(tasks)))
    first, draft = tasks[:n_first], plan.run / "draft"
    report(f"search: {len(first):,} sentences")
    lessons = collect(Summarizer(plan.bundle), first, plan.run / "searched.jsonl", workers=plan.workers)
    if len(tasks) > n_first:
        if not (draft / "bundle.json").exists():
            _learn(plan, "first", lessons, draft, report, stop)
        report(f"search, guided by the first selector: {len(tasks) - n_first:,} sentences")
        guided = Summarizer.load(draft)
        lessons += collect(guided, tasks[n_first:], plan.run / "guided.jsonl", workers=plan.workers, number=n_first)
    _learn(plan, "last", lessons, plan.out, report, stop)
    return plan.out


def _sentences(plan: DistillPlan, report: Report) -> list[str]:
    """The sentences of the run: drawn once, as reading a million lines takes a while."""
    path = plan.run / "sentences.txt"
    if not path.exists():
        texts = draw_sentences(plan.files, plan.count)
        if len(texts) < 50:
            raise InputError(f"only {len(texts)} sentences of a usual length in the files: give more text")
        write_text(path, "".join(f"{text}\n" for text in texts))
        report(f"{len(texts):,} sentences of {len(plan.files)} files")
    return path.read_text(encoding="utf-8").splitlines()


def _learn(
    plan: DistillPlan, name: str, lessons: Sequence[Lesson], out: Path, report: Report, stop: Callable[[], bool]
) -> None:
    """Train a guide and a selector from lessons, and write the bundle with both."""
    bundle = plan.bundle
    usable = [lesson for lesson in lessons if lesson.lists]
    if len(usable) < 20:
        raise InputError(f"only {len(usable)} of {len(lessons)} sentences can be learned from: give more text")
    guide, error = _guide(plan, name, usable)
    report(f"guide: off by {error:.2f} nats")
    clues, parser = clue_reader(bundle, guide.__getitem__), bundle.parser()
    examples: list[Example] = [
        encode(lesson, plan.objectives, bundle.vocabulary, parser, clues)
        for lesson in progress(usable, "lessons", len(usable))
    ]
    n_held = round(HELD_OUT * len(examples))
    trainer = SelectorTrainer(examples[n_held:], len(plan.objectives), plan.recipe, plan.run / f"{name}.pt")
    figures = train_selector(trainer, examples[:n_held], report, stop)
    description = {
        "objectives": list(plan.objectives),
        "lessons": len(usable),
        "lists": sum(len(lesson.lists) for lesson in usable),
        "sentences": [path.name.split(".")[0] for path in plan.files],
        "held out": {key: round(value, 4) for key, value in figures.items()},
    }
    add_selector(bundle, {**guide, **selector_tensors(trainer.network)}, description, out)


def _guide(plan: DistillPlan, name: str, lessons: Sequence[Lesson]) -> tuple[Tensors, float]:
    """The guide for these lessons, made once."""
    path = plan.run / f"{name}-guide.npz"
    if not path.exists():
        torch.set_num_threads(1)
        summaries = []
        for lesson in lessons:
            source = lesson.source(plan.bundle.vocabulary)
            best = np.stack([best.masks[0] for best in lesson.lists])
            summaries += [source.piece_ids[kept] for kept in source.piece_masks(best)]
        order = np.random.default_rng(0).permutation(len(summaries))
        tensors, error = train_guide(plan.bundle, [summaries[i] for i in order])
        with replacing(path) as stream:
            np.savez(stream, error=np.float64(error), **cast(Any, tensors))
    with np.load(path) as stored:
        return {key: stored[key] for key in stored.files if key != "error"}, float(stored["error"])


def add_selector(bundle: Bundle, tensors: Tensors, description: Mapping[str, Any], out: Path) -> None:
    """Write a copy of a bundle with a selector; all else stays."""
    others = {name: tensor for name, tensor in bundle.tensors.items() if not name.startswith("selector.")}
    name = out.resolve().name
    card = re.sub(r"\A# .*", f"# {name}", with_selector(bundle.card, description))
    described = {**bundle.description, "name": name, "selector": dict(description)}
    write_bundle(out, vocabulary=bundle.vocabulary, tensors={**others, **tensors}, description=described, card=card)
