"""Stage 5: the summariser: text in, a summary of exactly the wanted length out, with its evidence.

This is where the stages meet: text to words to candidates to scores to the best candidate, and back to text, which is
rendered from the original string and never from the vocabulary.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from tersely.bundle import Bundle, open_bundle
from tersely.candidates import CandidateSpace
from tersely.errors import BundleError, InputError
from tersely.length import budget_for, check_length
from tersely.scoring.clauses import Clauses
from tersely.scoring.fluency import Fluency
from tersely.scoring.lstm import LanguageModel
from tersely.scoring.objective import BoundObjective, Factor, Objective
from tersely.scoring.priors import Adjacency, Contiguity, Information, Position, Style
from tersely.scoring.together import run_together
from tersely.search import DEFAULT_SEARCH, search_named
from tersely.search.lattice import lattice
from tersely.search.result import Observer, SearchResult
from tersely.source import BoolArray, Source
from tersely.text import MAX_CHARS, MAX_WORDS, Word, fold, render, tokenize
from tersely.version import __version__

DEFAULT_BUNDLE = Path(__file__).parent / "models" / "headlines-en"
FACTORS = (
    "fluency",
    "fluency_forward",
    "fluency_backward",
    "similarity",
    "information",
    "style",
    "position",
    "adjacency",
    "contiguity",
    "clauses",
)
# Texts that `batch` searches at a time: hill climbing reads a few words at each step and gains a tenth of its time. The
# other searches read hundreds of prefixes at once as it is, and gain nothing (benchmarks/batch.py).
_TOGETHER = {"hill_climbing": 4}


@dataclass(frozen=True)
class Summary:
    """A summary and its evidence. `str(summary)` is the text.

    `kept` are positions in `tokens`, the words of the source without punctuation. `score` is log f; `factors` are the
    logarithms of the factors, before their weights. `others` are the next best candidates, if more were asked for.
    """

    text: str
    kept: tuple[int, ...]
    tokens: tuple[str, ...]
    score: float
    factors: dict[str, float]
    signature: str
    evaluations: int
    others: tuple[Summary, ...] = ()

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, object]:
        """The summary as plain values, ready for JSON."""
        return asdict(self)


class Summarizer:
    """A loaded bundle, ready to shorten. Make one and call it often."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> Summarizer:
        """The summariser of a bundle folder; without a path, of the bundle that comes with the package."""
        return cls(open_bundle(default_bundle() if path is None else path))

    def __call__(
        self,
        text: str,
        *,
        words: int | None = None,
        ratio: float | None = None,
        objective: str | Mapping[str, float] | None = None,
        search: str = DEFAULT_SEARCH,
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
        n_best: int = 1,
        seed: int = 0,
        pretokenized: bool = False,
        cosine: str = "shifted",
        exact_softmax: bool = False,
        observe: Observer | None = None,
    ) -> Summary:
        """Shorten `text` to exactly `words` words, or to the share `ratio` of its words.

        `objective` is a name or a mapping of factors to weights; without one it is the bundle's `headline`, or the
        paper's where the bundle has none. `keep` and `drop` are words that must or must not be
        in the summary. `observe` sees every step of the search. A text that is no longer than asked comes back whole.
        """
        check_length(words, ratio)
        _check_counts(n_best, seed)
        objective = self.default_objective if objective is None else objective
        tokens = self._tokens(text, pretokenized)
        budget = budget_for(tokens, words=words, ratio=ratio)
        source = Source.of(tokens, self.bundle.vocabulary)
        weights = self.weights(objective)
        find = search_named(search)
        bound = self.objective(weights, cosine, exact_softmax).bind(source)
        space = CandidateSpace(
            len(source),
            budget.limit,
            pinned=_matches(source, keep, "keep"),
            banned=_matches(source, drop, "drop"),
            needs=source.needs,
        )
        result = find(bound, space, np.random.default_rng(seed), observe)
        signature = self._signature(
            objective,
            cosine=cosine,
            softmax="exact" if exact_softmax else "self",
            search=search,
            length=f"words={words}" if ratio is None else f"ratio={ratio:g}",
            seed=seed,
        )
        whole = " ".join(text.split()) if budget.fits_whole and len(text.split()) <= budget.limit else None
        return _summary(source, bound, result, n_best, signature, pretokenized, whole)

    def batch(self, texts: Iterable[str], *, together: int | None = None, **options: object) -> Iterator[Summary]:
        """The summaries of many texts, in their order, each as soon as it is there. Options as for a call.

        `together` texts are searched at a time and share the language models' matrix products, and up to twice as many
        are read ahead; each text in hand takes its memory. Without a number there are as many as the search gains by.
        An observer would see all of them at once: with one, they are searched one after the other.
        """
        if together is None:
            together = _TOGETHER.get(str(options.get("search", DEFAULT_SEARCH)), 1)
        if together < 1:
            raise InputError(f"together must be at least 1, not {together}")
        jobs = (partial(self, text, **options) for text in texts)  # type: ignore[arg-type]
        if together == 1 or options.get("observe") is not None:
            return (job() for job in jobs)
        return run_together(jobs, together)

    def lengths(
        self,
        text: str,
        *,
        words: int | None = None,
        objective: str | Mapping[str, float] | None = None,
        pretokenized: bool = False,
    ) -> list[Summary]:
        """A summary of every length, from one word up to `words` or to the whole text, in one pass of the lattice.

        Each is good for its length, but a call for that length alone looks closer and may find a better one.
        """
        if words is not None:
            check_length(words, None)
        objective = self.default_objective if objective is None else objective
        tokens = self._tokens(text, pretokenized)
        source = Source.of(tokens, self.bundle.vocabulary)
        bound = self.objective(self.weights(objective)).bind(source)
        space = CandidateSpace(len(source), min(words or len(source), len(source)), needs=source.needs)
        return [
            _summary(
                source,
                bound,
                result,
                1,
                self._signature(objective, search="lattice", length=f"every={size}"),
                pretokenized,
                None,
            )
            for size, result in enumerate(lattice.every_length(bound, space), 1)
        ]

    def _signature(self, objective: str | Mapping[str, float], **settings: object) -> str:
        """What has to be equal for two summaries to have been made alike."""
        name = objective if isinstance(objective, str) else "custom"
        weights = ",".join(f"{factor}:{weight:g}" for factor, weight in self.weights(objective).items())
        fields = {
            "tersely": __version__,
            "bundle": self.bundle.signature,
            "objective": f"{name}({weights})",
            **settings,
        }
        return "|".join(f"{key}:{value}" for key, value in fields.items())

    @property
    def default_objective(self) -> str:
        """The objective that is used where none is asked for."""
        return "headline" if "headline" in self.bundle.objectives else "paper"

    def check(self, objective: str | Mapping[str, float] | None, search: str) -> None:
        """Refuse an objective or a search that is not known, before any text is read."""
        self.weights(self.default_objective if objective is None else objective)
        search_named(search)

    def weights(self, objective: str | Mapping[str, float]) -> dict[str, float]:
        """The weights of an objective: of the bundle's, of the paper's, or as given."""
        if isinstance(objective, str):
            known = self.bundle.objectives
            if objective not in known:
                raise InputError(f"unknown objective {objective!r}: known are {', '.join(known)}")
            return dict(known[objective])
        if not objective:
            raise InputError("an objective needs at least one factor")
        for name in objective:
            if name not in FACTORS:
                raise InputError(f"unknown factor {name!r}: known are {', '.join(FACTORS)}")
        return {name: float(weight) for name, weight in objective.items()}

    def objective(
        self, weights: Mapping[str, float], cosine: str = "shifted", exact_softmax: bool = False
    ) -> Objective:
        """The objective with these weights, ready to be bound to a source."""
        if cosine not in ("shifted", "plain"):
            raise InputError(f"unknown cosine {cosine!r}: known are shifted, plain")
        return Objective({name: self._factor(name, cosine, exact_softmax) for name in weights}, weights)

    def _factor(self, name: str, cosine: str, exact_softmax: bool) -> Factor:
        if name == "similarity":
            return self.bundle.similarity(shifted=cosine == "shifted")
        if name == "information":
            return Information(self.bundle.counts())
        if name == "style":
            return Style(self.bundle.counts())
        if name == "position":
            return Position()
        if name == "adjacency":
            return Adjacency()
        if name == "contiguity":
            return Contiguity(self.bundle.counts())
        if name == "clauses":
            return Clauses()
        forward = None if name == "fluency_backward" else self._forward
        backward = None if name == "fluency_forward" else self._backward
        return Fluency(forward, backward, exact_softmax)

    @cached_property
    def _forward(self) -> LanguageModel:
        return self.bundle.language_model("forward")

    @cached_property
    def _backward(self) -> LanguageModel:
        return self.bundle.language_model("backward")

    def _tokens(self, text: str, pretokenized: bool) -> list[Word]:
        if not isinstance(text, str):
            raise InputError(f"text must be a str, not {type(text).__name__}")
        if len(text) > MAX_CHARS:
            raise InputError(
                f"the text has {len(text):,} characters, the limit is {MAX_CHARS:,}: split it into sentences"
            )
        tokens = tokenize(text, pretokenized=pretokenized)
        n = sum(not token.punctuation for token in tokens)
        if n == 0:
            raise InputError("the text is empty" if not text.strip() else "the text has no words, only punctuation")
        if n > MAX_WORDS:
            raise InputError(f"the text has {n:,} words, the limit is {MAX_WORDS:,}: split it into sentences")
        return tokens


def default_bundle() -> Path:
    """The folder of the bundle that comes with the package."""
    if not DEFAULT_BUNDLE.is_dir():
        raise BundleError("this installation has no default bundle: name one with --bundle, or make one: tersely train")
    return DEFAULT_BUNDLE


def _check_counts(n_best: int, seed: int) -> None:
    if n_best < 1:
        raise InputError(f"n_best must be at least 1, not {n_best}")
    if seed < 0:
        raise InputError(f"seed must not be negative, not {seed}")


def _matches(source: Source, wanted: Sequence[str], option: str) -> BoolArray:
    """Which words of the source are among the wanted ones, whatever their case; "Cuba" is also "Cuba's"."""
    if isinstance(wanted, str):
        wanted = wanted.split()
    forms = [{fold(word.text), fold(word.text).removesuffix("".join(word.pieces[1:]))} for word in source.words]
    missing = [word for word in wanted if not any(fold(word) in form for form in forms)]
    if missing and option == "keep":
        raise InputError(f"cannot keep {missing[0]!r}: it is not a word of the text")
    targets = {fold(word) for word in wanted}
    return np.array([not form.isdisjoint(targets) for form in forms], dtype=bool)


def _summary(
    source: Source,
    bound: BoundObjective,
    result: SearchResult,
    n_best: int,
    signature: str,
    pretokenized: bool,
    whole: str | None,
) -> Summary:
    """The search's best candidate as text; the next best ones behind it."""
    tokens = tuple(word.text for word in source.words)

    def one(rank: int, others: tuple[Summary, ...]) -> Summary:
        mask = result.masks[rank]
        kept = tuple(int(i) for i in np.flatnonzero(mask))
        return Summary(
            text=whole if whole is not None else render([source.words[i] for i in kept], pretokenized=pretokenized),
            kept=kept,
            tokens=tokens,
            score=float(result.scores[rank]),
            factors=bound.breakdown(mask),
            signature=signature,
            evaluations=result.evaluations,
            others=others,
        )

    return one(0, tuple(one(rank, ()) for rank in range(1, min(n_best, len(result.masks)))))


_default: Summarizer | None = None


def load(path: str | os.PathLike[str] | None = None) -> Summarizer:
    """The summariser of a bundle folder, or of the default bundle."""
    return Summarizer.load(path)


def summarize(text: str, **options: object) -> Summary:
    """Shorten one text with the default bundle, which is loaded at the first call. Options as for `Summarizer`."""
    global _default
    if _default is None:
        _default = Summarizer.load()
    return _default(text, **options)  # type: ignore[arg-type]
