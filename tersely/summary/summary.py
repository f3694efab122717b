"""Stage 7: the summary: what a search has found as text, with the evidence for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tersely.errors import InputError
from tersely.search.result import SearchResult
from tersely.summary.explanation import Effect, Explanation, Share
from tersely.summary.options import Options
from tersely.summary.rendering import text_of
from tersely.summary.task import Task
from tersely.summary.text_warnings import text_warnings
from tersely.system.arrays import BoolArray

# About microseconds of one core: to read a word of the source, and to place a kept word in a text; one more for every
# so many words that are kept with it. With `effort` 1 a call may take so much before its last text.
_READ, _RENDERED, _PAIRS, _MOST_WORK = 650, 15, 20, 750_000

Explain = Callable[[str, Options, tuple[int, ...]], tuple[Effect, ...]]


class BrokenNeed(NamedTuple):
    """A kept word that has lost a word it needs: positions in `Summary.tokens`, the kind of need, and its cost."""

    word: int
    lost: int
    kind: str
    cost: float


class Summary(str):
    """A summary and its evidence. It is a str, its text: it can be printed, joined and written to JSON, CSV and tables.

    `kept` are positions in `tokens`, the words of the source without punctuation, and `spans` is where each kept word
    stands in the source, from the first character to the one after the last. `score` is log f; `factors` are the
    logarithms of the factors, before their `weights`. `tree` has the head of every token, -1 for a root, and its label;
    None without a parser. `broken` are the needs that were not met, gravest first, a hundred at most. `others` are the
    next best candidates, if more were asked for. `warnings` say why the text is perhaps not what was meant.
    """

    text: str
    kept: tuple[int, ...]
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    score: float
    factors: dict[str, float]
    signature: str
    evaluations: int
    tree: tuple[tuple[int, str], ...] | None
    broken: tuple[BrokenNeed, ...]
    others: tuple[Summary, ...]
    weights: dict[str, float]
    warnings: tuple[str, ...]

    def __new__(cls, text: str, **evidence: Any) -> Summary:
        _tell_yaml(cls)
        made = super().__new__(cls, text)
        defaults: dict[str, Any] = {"tree": None, "broken": (), "others": (), "weights": {}, "warnings": ()}
        vars(made).update({"text": text, **defaults}, **evidence)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a summary cannot be changed: {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        """What is stored and copied: not the way back to the bundle."""
        evidence = {name: value for name, value in vars(self).items() if name not in ("text", "_replay")}
        return _made_again, (self.text, evidence)

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

    def to_dict(self) -> dict[str, object]:
        """The summary as plain values, ready for JSON."""
        values = {name: getattr(self, name) for name in Summary.__annotations__}
        return {**values, "others": tuple(other.to_dict() for other in self.others)}


def _made_again(text: str, evidence: dict[str, Any]) -> Summary:
    return Summary(text, **evidence)


def _tell_yaml(cls: type[Summary]) -> None:
    """Let `yaml.safe_dump` write a summary as a string: it looks at the exact type, unlike `json`."""
    yaml: Any = sys.modules.get("yaml")
    if yaml is not None and cls not in getattr(yaml.SafeDumper, "yaml_representers", {cls: None}):
        yaml.SafeDumper.add_representer(cls, yaml.SafeDumper.represent_str)


def signature_of(identity: Mapping[str, str], bounded: bool) -> str:
    """What decided a summary, in a line; `bounded` if the work that a search may do ended before the search did."""
    parts = {**identity, "bounded": "yes"} if bounded else identity
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def make_summary(task: Task, result: SearchResult, identity: Mapping[str, str], explain: Explain) -> Summary:
    """The search's best candidate as text; the next best ones after it."""
    sentence, objective, options = task.sentence, task.objective, task.options
    tokens = tuple(word.text for word in sentence.words)
    warned = text_warnings(task)
    ranks, bounded = _ranks(task, result)
    signature = signature_of(identity, bounded)

    def one(text: str, rank: int, others: tuple[Summary, ...]) -> Summary:
        mask = result.masks[rank]
        kept = _kept(mask)
        factors = objective.breakdown(mask)
        return Summary(
            text,
            kept=kept,
            tokens=tokens,
            spans=tuple((sentence.words[i].start, sentence.words[i].end) for i in kept),
            score=float(result.scores[rank]),
            factors=factors,
            signature=signature,
            evaluations=result.evaluations,
            tree=sentence.heads,
            broken=tuple(BrokenNeed(*need) for need in objective.broken(mask)),
            others=others,
            weights={name: float(objective.weights[name]) for name in factors},
            warnings=warned,
            _replay=partial(explain, task.text, options, kept),
        )

    (text, best), *others = ranks.items()
    return one(text, best, tuple(one(*other, ()) for other in others))


def _ranks(task: Task, result: SearchResult) -> tuple[dict[str, int], bool]:
    """The texts that are asked for with the ranks of their candidates, and whether more might have been found.

    Of candidates that read alike there is the best one: of two "the", either may be kept.
    """
    ranks: dict[str, int] = {}
    n, options, bounded = len(task.sentence), task.options, result.bounded
    work = _READ * n
    for rank in _different(result.masks) if options.diverse else range(len(result.masks)):
        kept = _kept(result.masks[rank])
        if ranks and work > _MOST_WORK * options.effort:
            bounded = True
            break
        work += n + len(kept) * (_RENDERED + len(kept) // _PAIRS)
        text = text_of(task, kept) if task.whole is None else task.whole
        ranks.setdefault(text, rank)
        if len(ranks) == options.n_best:
            break
    return ranks, bounded


def _kept(mask: BoolArray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(mask).tolist())


def _different(masks: BoolArray) -> Iterator[int]:
    """The ranks of candidates that differ from every better one chosen by at least a third of their words.

    >>> list(_different(np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 1, 0]], dtype=bool)))
    [0, 2]
    """
    chosen: list[int] = []
    for rank, mask in enumerate(masks):
        if (3 * (mask & ~masks[chosen]).sum(axis=1) >= mask.sum()).all():
            chosen.append(rank)
            yield rank
