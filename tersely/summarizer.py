"""Stage 5: the summariser: text in, a summary of exactly the wanted length out, with its evidence.

This is where the stages meet: text to words to candidates to scores to the best candidate, and back to text, which is
rendered from the original string and never from the vocabulary.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tersely.bundle import Bundle, open_bundle
from tersely.candidates import CandidateSpace
from tersely.errors import BundleError, InputError
from tersely.length import Budget, Look
from tersely.options import Options
from tersely.pins import pins
from tersely.scoring.factors import FACTORS, Cosine, Softmax, make_factors
from tersely.scoring.grammar import BoundGrammar
from tersely.scoring.negation import negation_needs
from tersely.scoring.objective import BoundObjective, Objective
from tersely.scoring.use import with_use
from tersely.search import search_named
from tersely.search.lattice import lattice
from tersely.search.result import Observer
from tersely.source import BoolArray, Source
from tersely.summary import Summary, make_summary
from tersely.text import MAX_CHARS, MAX_WORDS, Word, tokenize
from tersely.threads import one_thread
from tersely.version import __version__

T = TypeVar("T")
R = TypeVar("R")
PUBLISHED = ("paper", "telegraph")  # objectives for tables beside those of others
DEFAULT_BUNDLE = Path(__file__).parent / "models" / "headlines-en"


class Summarizer:
    """A loaded bundle, ready to shorten. Make one and call it often."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> Summarizer:
        """The summariser of a bundle folder; without a path, of the bundle that comes with the package."""
        return cls(open_bundle(default_bundle() if path is None else path))

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the path of the bundle and its description in the place of its tensors.

        The bundle of the package has no path here: on another machine it may lie elsewhere.
        """
        folder = self.bundle.folder.absolute()
        place = None if folder == DEFAULT_BUNDLE else folder
        return {**vars(self), "bundle": (place, dict(self.bundle.description))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        folder, description = state["bundle"]
        opened = open_bundle(default_bundle() if folder is None else folder)
        if opened.description["files"] != description["files"]:
            raise BundleError(f"the bundle {opened.folder} is another one than when this summariser was made")
        vars(self).update(state, bundle=replace(opened, description=description))

    def __call__(self, text: str, *, observe: Observer | None = None, **options: Any) -> Summary:
        """Shorten `text` to exactly `words=N` words, or to `ratio=R` of its words; to the best number of words in a
        range, `words=(6, 10)`; or to at most `chars=N` characters or `bytes=N` bytes.

        Options, all of which `tersely.options.Options` describes: `objective` is a name or a mapping of factors to
        weights; without one it is the bundle's `headline`, or the paper's where the bundle has none. `search` is a
        name or a search. `keep` and `drop` are words or phrases that must or must not be in the summary, or kinds of
        them: "numbers", "names", "negation"; "the#2" is the second "the". With `negation`, the default, no word stays
        without the "not" that it is under. `n_best`, `diverse`, `seed`, `pretokenized`, `punctuation`, `cosine`,
        `softmax`. `observe` sees every step of the search.

        A text that is no longer than asked comes back whole.
        """
        return self.shorten(text, Options.of(**options), observe)

    def shorten(self, text: str, options: Options, observe: Observer | None = None) -> Summary:
        """The same, with options that were validated before."""
        weights, find = self.weights(options.objective), search_named(options.search)
        tokens = self._tokens(text, options.pretokenized)
        source = Source.of(tokens, self.bundle.vocabulary)
        whole = " ".join(text.split())
        with one_thread():
            bound = self.objective(weights, options.cosine, options.softmax).bind(source)
            look = Look(options.pretokenized, options.punctuation and "grammar" in weights)
            budget = options.length.budget(tokens, look)
            pinned, banned = pins(source, budget, options.keep, options.drop)
            fits = len(text.split()) <= budget.limit and not banned.any()
            if fits := fits and not options.length.is_broken_by(tokens, whole, tokens):
                budget = budget.whole
            space = _space(source, bound, budget, pinned, banned, self._holds_negations(options))
            bound = with_use(bound, space.budget)
            result = find(bound, space, np.random.default_rng(options.seed), observe)
            return make_summary(
                source,
                bound,
                result,
                signature=self._signature(options, weights),
                n_best=options.n_best,
                diverse=options.diverse,
                look=look,
                fits=lambda text: not options.length.is_broken_by((), text, tokens),
                whole=whole if fits else None,
            )

    def attempt(self, text: str, options: Options) -> Summary | InputError:
        """The summary of a text, or why it has none: for work where one text must not cost the others."""
        try:
            return self.shorten(text, options)
        except InputError as error:
            return error

    def batch(self, texts: Iterable[str], *, workers: int | None = 1, **options: Any) -> Iterator[Summary]:
        """The summaries of many texts, in their order, each as soon as it is there. Options as for a call.

        With `workers=N` they are made by N processes, None for one on each core; then some texts are read ahead.
        """
        checked = Options.of(**options)
        self.check(checked)
        return self.spread(partial(Summarizer.shorten, options=checked), texts, workers)

    def spread(self, work: Callable[[Summarizer, T], R], items: Iterable[T], workers: int | None = 1) -> Iterator[R]:
        """`work(summarizer, item)` for each item, in their order, by processes of which each has this summariser."""
        if workers == 1:
            return (work(self, item) for item in items)
        from tersely.workers import in_parallel  # here and not above: a summary has no use for it

        return in_parallel(self, work, items, workers)

    def lengths(self, text: str, **options: Any) -> list[Summary]:
        """A summary of every length, from one word up to `words` or to the whole text, in one pass of the lattice.

        Each is good for its length, but a call for that length alone looks closer and may find a better one.
        """
        return self.every_length(text, Options.of(**{"words": MAX_WORDS, **options}))

    def every_length(self, text: str, asked: Options) -> list[Summary]:
        """The same, with options that were validated before; the length is the longest, in words."""
        if asked.length.unit != "words" or asked.keep or asked.drop:
            raise InputError("summaries of every length go up to words=N, and without keep and drop")
        weights = self.weights(asked.objective)
        tokens = self._tokens(text, asked.pretokenized)
        source = Source.of(tokens, self.bundle.vocabulary)
        with one_thread():
            bound = self.objective(weights, asked.cosine, asked.softmax).bind(source)
            look = Look(asked.pretokenized, asked.punctuation)
            space = _space(source, bound, asked.length.budget(tokens, look), negation=self._holds_negations(asked))
            results = lattice.every_length(bound, space, np.random.default_rng(asked.seed))
            signature = self._signature(asked, weights)
            return [
                make_summary(
                    source,
                    bound,
                    result,
                    f"{signature}|every:{size}",
                    n_best=1,
                    look=look,
                )
                for size, result in enumerate(results, 1)
            ]

    def _holds_negations(self, options: Options) -> bool:
        """Whether a negation stays with its word: everywhere but in objectives without grammar that are published."""
        objective = self.default_objective if options.objective is None else options.objective
        plain = objective in PUBLISHED and "grammar" not in self.weights(objective)
        return options.negation and not plain

    def _signature(self, options: Options, weights: Mapping[str, float]) -> str:
        """What has to be equal for two summaries to have been made alike."""
        objective = self.default_objective if options.objective is None else options.objective
        name = objective if isinstance(objective, str) else "custom"
        shown = ",".join(f"{factor}:{weight:g}" for factor, weight in weights.items())
        fields = {
            "tersely": __version__,
            "bundle": self.bundle.signature,
            "objective": f"{name}({shown})",
            **options.signature(),
        }
        return "|".join(f"{key}:{value}" for key, value in fields.items())

    @property
    def default_objective(self) -> str:
        """The objective that is used where none is asked for."""
        return "headline" if "headline" in self.bundle.objectives else "paper"

    def check(self, options: Options) -> None:
        """Refuse what this bundle cannot serve, before any text is read."""
        make_factors(self.weights(options.objective), self.bundle)

    def weights(self, objective: str | Mapping[str, float] | None) -> dict[str, float]:
        """The weights of an objective: of the bundle's, of the paper's, or as given; without one, of the default."""
        objective = self.default_objective if objective is None else objective
        if not isinstance(objective, str):
            return dict(objective)
        known = self.bundle.objectives
        if objective not in known:
            raise InputError(f"unknown objective {objective!r}: known are {', '.join(known)}")
        for factor in known[objective]:
            if factor not in FACTORS:
                raise BundleError(
                    f"the objective {objective} of the bundle has the unknown factor {factor!r}: "
                    f"known are {', '.join(FACTORS)}"
                )
        return dict(known[objective])

    def objective(
        self, weights: Mapping[str, float], cosine: Cosine = "shifted", softmax: Softmax = "self"
    ) -> Objective:
        """The objective with these weights, ready to be bound to a source."""
        return Objective(make_factors(weights, self.bundle, cosine, softmax), weights)

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


def _space(
    source: Source,
    bound: BoundObjective,
    budget: Budget,
    pinned: BoolArray | None = None,
    banned: BoolArray | None = None,
    negation: bool = True,
) -> CandidateSpace:
    """The candidates of a source: words that cannot stand alone, and the gravest needs of grammar where they fit."""
    grammar = bound.factors.get("grammar")
    tree, hard = (grammar.tree, grammar.hard) if isinstance(grammar, BoundGrammar) else (None, source.needs[:0])
    denied = np.concatenate([source.needs, negation_needs(source, tree)]) if negation else source.needs
    with contextlib.suppress(InputError):  # too few words for what needs each other
        return CandidateSpace(budget, pinned=pinned, banned=banned, needs=np.concatenate([denied, hard]))
    try:
        return CandidateSpace(budget, pinned=pinned, banned=banned, needs=denied)
    except InputError as error:
        space = CandidateSpace(budget, pinned=pinned, banned=banned, needs=source.needs)
        if pinned is not None and pinned.any():
            raise InputError(f"{error}, with the negations that belong to it: negation=False gives them up") from None
        return space


_default: Summarizer | None = None


def load(path: str | os.PathLike[str] | None = None) -> Summarizer:
    """The summariser of a bundle folder, or of the default bundle."""
    return Summarizer.load(path)


def summarize(text: str, **options: Any) -> Summary:
    """Shorten one text with the default bundle, which is loaded at the first call. Options as for `Summarizer`."""
    global _default
    if _default is None:
        _default = Summarizer.load()
    return _default(text, **options)
