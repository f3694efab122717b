"""Stage 7: why this summary: what each word of the source does to f, and what each factor adds to log f."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tersely.summary.task import Task

_MOST_SWAPS = 2_000  # of a long source only the swaps with words nearby are tried
_MOST_WORDS = 60_000  # of all candidates that are scored: of a long summary fewer swaps, and not every word is left out
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


class Effect(NamedTuple):
    """What one word of the source does to log f; None is what cannot be: a word that is pinned has no swap."""

    word: str
    kept: bool
    without: float | None  # log f of the summary without this word, if it is kept; of a long one not for every word
    swap: float | None  # log f of the best summary in which this word and another have changed places
    partner: int | None  # the position of that other; None where there is room for one word more, or one less


class Share(NamedTuple):
    """What one factor adds to log f: its logarithm times its weight."""

    factor: str
    log: float
    weight: float
    share: float


@dataclass(frozen=True)
class Explanation:
    """Why this summary; as text, a table of the source's words and one of the factors, whose shares add up to log f."""

    score: float
    words: tuple[Effect, ...]
    factors: tuple[Share, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.table()

    def table(self, *, colour: bool = False) -> str:
        """The explanation in lines. In colour, for terminals, kept words are bold and dropped ones dim."""
        names = [f"[{effect.word}]" if effect.kept else effect.word for effect in self.words]
        room = max(16, *(_columns(name) for name in names))
        lines = [f"log f = {self.score:.4f}", f"  {'word':<{room}}{'without':>10}{'best swap':>11}"]
        for name, effect in zip(names, self.words, strict=True):
            partner = "" if effect.partner is None else f"  for {self.words[effect.partner].word}"
            cells = f"{_shown(effect.without):>10}{_shown(effect.swap):>11}{partner}"
            line = f"  {name}{' ' * (room - _columns(name))}{cells}".rstrip()
            lines.append(f"{_BOLD if effect.kept else _DIM}{line}{_PLAIN}" if colour else line)
        lines.append(f"  {'factor':<{room}}{'log':>10}{'weight':>11}{'share':>10}")
        for share in self.factors:
            lines.append(f"  {share.factor:<{room}}{share.log:10.4f}{share.weight:11.4g}{share.share:10.4f}")
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, object]:
        """The explanation as plain values, ready for JSON."""
        return {"words": [word._asdict() for word in self.words], "factors": [one._asdict() for one in self.factors]}


def effects(task: Task, kept: Sequence[int]) -> tuple[Effect, ...]:
    """What each word does to f of the summary that keeps those."""
    mask = np.zeros(len(task.sentence), dtype=bool)
    mask[list(kept)] = True
    most = max(1, int(_MOST_WORDS * task.options.most_work) // (2 * len(kept)))  # without a word, and of the swaps
    left_out = kept[:: -(-len(kept) // most)] if len(kept) > 1 else []
    less = np.repeat(mask[None], len(left_out), axis=0)
    less[np.arange(len(left_out)), left_out] = False
    without = dict(zip(left_out, task.objective.log_scores(less).tolist(), strict=True)) if len(left_out) else {}
    near = task.space.neighbours(mask, min(_MOST_SWAPS, most))
    scores = task.objective.log_scores(near)
    found = []
    for i, word in enumerate(task.sentence.words):
        rows = np.flatnonzero(near[:, i] != mask[i])
        best = rows[scores[rows].argmax()] if len(rows) else None
        others = [] if best is None else [int(j) for j in np.flatnonzero(near[best] != mask) if j != i]
        swap = None if best is None else float(scores[best])
        found.append(Effect(word.text, bool(mask[i]), without.get(i), swap, others[0] if others else None))
    return tuple(found)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _columns(text: str) -> int:
    """How many columns a terminal takes for a text."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
