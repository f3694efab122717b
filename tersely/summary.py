"""Stage 5: the summary: what a search has found as text, with the evidence for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from tersely.errors import InputError
from tersely.explanation import Effect, Explanation, Share
from tersely.marks import marks_after
from tersely.options import Options
from tersely.scoring.grammar import BoundGrammar
from tersely.scoring.tree import Tree
from tersely.search.result import SearchResult
from tersely.source import BoolArray
from tersely.task import Task
from tersely.text import render

Explain = Callable[[str, Options, tuple[int, ...]], tuple[Effect, ...]]


class BrokenNeed(NamedTuple):
    """A kept word that has lost a word it needs: positions in `Summary.tokens`, the kind of need, and its cost."""

    word: int
    lost: int
    kind: str
    cost: float


@dataclass(frozen=True, eq=False, repr=False)
class Summary(str):
    """A summary and its evidence. It is a str, its text: it can be printed, joined and written to JSON, CSV and tables.

    `kept` are positions in `tokens`, the words of the source without punctuation. `score` is log f; `factors` are the
    logarithms of the factors, before their `weights`. `tree` has the head of every token, -1 for a root, and its label;
    None where the objective asks for no grammar. `broken` are the needs that were not met, gravest first. `others` are
    the next best candidates, if more were asked for.
    """

    text: str
    kept: tuple[int, ...]
    tokens: tuple[str, ...]
    score: float
    factors: dict[str, float]
    signature: str
    evaluations: int
    tree: tuple[tuple[int, str], ...] | None = None
    broken: tuple[BrokenNeed, ...] = ()
    others: tuple[Summary, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)

    def __new__(cls, text: str, *evidence: object, **more: object) -> Summary:
        return super().__new__(cls, text)

    def explain(self) -> Explanation:
        """Why this one: log f without each word or with the best swap for it, and the shares of the factors."""
        replay = vars(self).get("_replay")
        if replay is None:
            raise InputError("a summary can be explained only where it was made: this one is a copy")
        shares = [(name, value, self.weights[name]) for name, value in self.factors.items()]
        lost = [
            f"{self.tokens[need.word]!r} has lost {self.tokens[need.lost]!r}: {need.kind} ({need.cost:.1f})"
            for need in self.broken
        ]
        return Explanation(
            self.score,
            replay(),
            tuple(Share(name, value, weight, weight * value) for name, value, weight in shares),
            (f"{self.evaluations:,} evaluations, {self.signature}", *lost),
        )

    def __getstate__(self) -> dict[str, object]:
        """What is stored and copied: not the way back to the bundle."""
        return {name: value for name, value in vars(self).items() if name != "_replay"}

    def to_dict(self) -> dict[str, object]:
        """The summary as plain values, ready for JSON."""
        return asdict(self)


def make_summary(task: Task, result: SearchResult, signature: str, explain: Explain) -> Summary:
    """The search's best candidate as text; the next best ones after it."""
    source, objective, options = task.source, task.objective, task.options
    tokens = tuple(word.text for word in source.words)
    grammar = objective.factors.get("grammar")
    tree = grammar.tree if isinstance(grammar, BoundGrammar) else None

    def one(rank: int, others: tuple[Summary, ...]) -> Summary:
        mask = result.masks[rank]
        kept = tuple(int(i) for i in np.flatnonzero(mask))
        broken = grammar.broken(mask) if isinstance(grammar, BoundGrammar) else ()
        summary = Summary(
            text=_text(task, kept, tree) if task.whole is None else task.whole,
            kept=kept,
            tokens=tokens,
            score=float(result.scores[rank]),
            factors=objective.breakdown(mask),
            signature=signature,
            evaluations=result.evaluations,
            tree=None if tree is None else source.heads(tree.heads, tree.relations),
            broken=tuple(BrokenNeed(*need) for need in broken),
            others=others,
            weights={name: float(weight) for name, weight in objective.weights.items()},
        )
        object.__setattr__(summary, "_replay", partial(explain, task.text, options, kept))
        return summary

    most = options.n_best
    ranks = _different(result.masks, most) if options.diverse else range(min(most, len(result.masks)))
    return one(0, tuple(one(rank, ()) for rank in ranks[1:]))


def _text(task: Task, kept: tuple[int, ...], tree: Tree | None) -> str:
    """The kept words as text, with marks of the source as far as they fit."""
    look, words = task.look, [task.source.words[i] for i in kept]
    marks = marks_after(task.source, kept, tree) if tree and look.marks and not look.pretokenized else []
    text = render(words, pretokenized=look.pretokenized, marks=marks)
    while any(marks) and not task.fits(text):  # the mark of a dropped word was moved to a word that has no room for it
        marks[max(k for k, mark in enumerate(marks) if mark)] = ""
        text = render(words, marks=marks)
    return text


def _different(masks: BoolArray, most: int) -> list[int]:
    """The ranks of candidates that differ from every better one chosen by at least a third of their words.

    >>> _different(np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 1, 0]], dtype=bool), 3)
    [0, 2]
    """
    chosen: list[int] = []
    for rank, mask in enumerate(masks):
        if len(chosen) < most and all(3 * (mask & ~masks[better]).sum() >= mask.sum() for better in chosen):
            chosen.append(rank)
    return chosen
