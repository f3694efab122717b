"""Stage 5: the summary: what a search has found as text, with the evidence for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np

from tersely.length import Look
from tersely.marks import marks_after
from tersely.scoring.grammar import BoundGrammar
from tersely.scoring.objective import BoundObjective
from tersely.search.result import SearchResult
from tersely.source import BoolArray, Source
from tersely.text import render


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

    def explain(self) -> str:
        """Why this one, in lines: the words kept, the factors with their weights and shares, and what was lost.

        The shares, weight times log factor, add up to the score.
        """
        kept = set(self.kept)
        lines = [" ".join(f"[{token}]" if i in kept else token for i, token in enumerate(self.tokens))]
        lines.append(f"log f = {self.score:.4f}")
        lines.append(f"  {'factor':<16}{'log':>9} {'weight':>9} {'share':>9}")
        for name, value in self.factors.items():
            weight = self.weights.get(name, 1.0)
            lines.append(f"  {name:<16}{value:9.4f} {weight:9.4g} {weight * value:9.4f}")
        lines.append(f"{self.evaluations:,} evaluations, {self.signature}")
        for need in self.broken:
            word, lost = self.tokens[need.word], self.tokens[need.lost]
            lines.append(f"{word!r} has lost {lost!r}: {need.kind} ({need.cost:.1f})")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """The summary as plain values, ready for JSON."""
        return asdict(self)


def make_summary(
    source: Source,
    bound: BoundObjective,
    result: SearchResult,
    signature: str,
    *,
    n_best: int,
    diverse: bool = False,
    look: Look,
    fits: Callable[[str], bool] = lambda text: True,
    whole: str | None = None,
) -> Summary:
    """The search's best candidate as text; the next best ones after it.

    `fits` says whether a text obeys the limit, and `whole` is the text of a source that does.
    """
    tokens = tuple(word.text for word in source.words)
    grammar = bound.factors.get("grammar")
    tree = grammar.tree if isinstance(grammar, BoundGrammar) else None

    def one(rank: int, others: tuple[Summary, ...]) -> Summary:
        mask = result.masks[rank]
        kept = tuple(int(i) for i in np.flatnonzero(mask))
        marks = marks_after(source, kept, tree) if tree and look.marks and not look.pretokenized else []
        words = [source.words[i] for i in kept]
        text = render(words, pretokenized=look.pretokenized, marks=marks) if whole is None else whole
        while any(marks) and not fits(text):  # the mark of a dropped word was moved to a word that has no room for it
            marks[max(k for k, mark in enumerate(marks) if mark)] = ""
            text = render(words, marks=marks)
        broken = grammar.broken(mask) if isinstance(grammar, BoundGrammar) else ()
        return Summary(
            text=text,
            kept=kept,
            tokens=tokens,
            score=float(result.scores[rank]),
            factors=bound.breakdown(mask),
            signature=signature,
            evaluations=result.evaluations,
            tree=None if tree is None else source.heads(tree.heads, tree.relations),
            broken=tuple(BrokenNeed(*need) for need in broken),
            others=others,
            weights={name: float(weight) for name, weight in bound.weights.items()},
        )

    ranks = _different(result.masks, n_best) if diverse else range(min(n_best, len(result.masks)))
    return one(0, tuple(one(rank, ()) for rank in ranks[1:]))


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
