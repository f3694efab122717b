"""Stage 4: the one table of factors: name, what a bundle has to have for it, and how it is made from a bundle.

Whatever lists factors reads this table: the summariser, tuning, training, `tersely info`, the docs. A new factor is a
file with its class and one entry here; `tests/scoring/test_factors.py` then tests it without being told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from tersely.errors import BundleError, InputError, short_repr
from tersely.scoring.clauses import Clauses
from tersely.scoring.depth import Depth
from tersely.scoring.editor import COMPRESSED, EDITED, SPOKEN, Editor
from tersely.scoring.fluency import Fluency
from tersely.scoring.grammar import Grammar
from tersely.scoring.lstm import LanguageModel
from tersely.scoring.objective import Factor
from tersely.scoring.priors import Adjacency, Contiguity, Counts, Information, Known, Position, Style
from tersely.scoring.similarity import Similarity
from tersely.scoring.use import Use

Cosine = Literal["shifted", "plain"]
Softmax = Literal["self", "exact"]


class Parts(Protocol):
    """What factors are made from: the part of a bundle that they may ask for."""

    def __contains__(self, tensor: str) -> bool: ...

    def language_model(self, direction: str) -> LanguageModel: ...

    def similarity(self, *, shifted: bool) -> Similarity: ...

    def counts(self) -> Counts: ...

    def editor(self, style: int = EDITED) -> Editor: ...


@dataclass(frozen=True)
class FactorKind:
    """A factor as it stands in the table."""

    name: str
    meaning: str  # log f in a few words, for `tersely info` and the docs
    tensors: tuple[str, ...]  # that a bundle has to have
    make: Callable[[Parts, Cosine, Softmax], Factor]


_FORWARD, _BACKWARD = "forward.lstm.0.input", "backward.lstm.0.input"
_COUNTS = ("counts.titles", "counts.articles")

FACTORS: dict[str, FactorKind] = {
    kind.name: kind
    for kind in (
        FactorKind(
            "fluency", "mean log-probability by both language models", (_FORWARD, _BACKWARD),
            lambda parts, cosine, softmax: Fluency(
                parts.language_model("forward"), parts.language_model("backward"), softmax == "exact"
            ),
        ),
        FactorKind(
            "fluency_forward", "the same by the forward model alone", (_FORWARD,),
            lambda parts, cosine, softmax: Fluency(parts.language_model("forward"), None, softmax == "exact"),
        ),
        FactorKind(
            "fluency_backward", "the same by the backward model alone", (_BACKWARD,),
            lambda parts, cosine, softmax: Fluency(None, parts.language_model("backward"), softmax == "exact"),
        ),
        FactorKind(
            "similarity", "log of the cosine between summary and source", ("vectors", "idf"),
            lambda parts, cosine, softmax: parts.similarity(shifted=cosine == "shifted"),
        ),
        FactorKind(
            "information", "mean -log p of a word in articles, capped", _COUNTS,
            lambda parts, cosine, softmax: Information(parts.counts()),
        ),
        FactorKind(
            "style", "mean log of how much likelier a word is in a title than in an article", _COUNTS,
            lambda parts, cosine, softmax: Style(parts.counts()),
        ),
        FactorKind(
            "known", "minus the share of words that the vocabulary lacks", (),
            lambda parts, cosine, softmax: Known(),
        ),
        FactorKind(
            "position", "mean of -i/n: early words first", (),
            lambda parts, cosine, softmax: Position(),
        ),
        FactorKind(
            "adjacency", "share of neighbours that are neighbours in the source", (),
            lambda parts, cosine, softmax: Adjacency(),
        ),
        FactorKind(
            "contiguity", "the same with function words set aside", _COUNTS,
            lambda parts, cosine, softmax: Contiguity(parts.counts()),
        ),
        FactorKind(
            "clauses", "share of the dropped words that go as whole stretches between marks", (),
            lambda parts, cosine, softmax: Clauses(),
        ),
        FactorKind(
            "grammar", "minus the cost of what kept words need and have lost", ("parser.arc",),
            lambda parts, cosine, softmax: Grammar(),
        ),
        FactorKind(
            "attachment", "the same of words and their heads alone", ("parser.arc",),
            lambda parts, cosine, softmax: Grammar(one_way=True),
        ),
        FactorKind(
            "prose", "the same of what headlines do without: articles, auxiliaries, who says it", ("parser.arc",),
            lambda parts, cosine, softmax: Grammar(prose=True),
        ),
        FactorKind(
            "depth", "minus the mean depth of words in the tree: the main clause first", ("parser.arc",),
            lambda parts, cosine, softmax: Depth(),
        ),
        FactorKind(
            "editor", "what an editor would keep: words, neighbours, needs; learned", ("parser.arc", "editor.word"),
            lambda parts, cosine, softmax: parts.editor(),
        ),
        FactorKind(
            "compression", "the same in the style of sentence compression data", ("parser.arc", "editor.word"),
            lambda parts, cosine, softmax: parts.editor(COMPRESSED),
        ),
        FactorKind(
            "spoken", "the same in the style of subtitles", ("parser.arc", "editor.word"),
            lambda parts, cosine, softmax: parts.editor(SPOKEN),
        ),
        FactorKind(
            "use", "log of the share of a limit that is used; nothing where the length is exact", (),
            lambda parts, cosine, softmax: Use(),
        ),
    )
}  # fmt: skip


def refuse_unknown(names: Iterable[str]) -> None:
    """Refuse a factor that is not in the table."""
    for name in names:
        if name not in FACTORS:
            raise InputError(f"unknown factor {short_repr(name)}: known are {', '.join(FACTORS)}")


def available(parts: Parts) -> list[str]:
    """The factors that a bundle has all the parts for."""
    return [name for name, kind in FACTORS.items() if all(tensor in parts for tensor in kind.tensors)]


def make_factors(
    names: Iterable[str], parts: Parts, cosine: Cosine = "shifted", softmax: Softmax = "self"
) -> Mapping[str, Factor]:
    """The factors of these names from the parts of a bundle."""
    names = list(names)
    refuse_unknown(names)
    for name in names:
        missing = [tensor for tensor in FACTORS[name].tensors if tensor not in parts]
        if missing:
            raise BundleError(f"the bundle cannot serve the factor {name}: it was trained without {', '.join(missing)}")
    return {name: FACTORS[name].make(parts, cosine, softmax) for name in names}
