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
from tersely.errors import BundleError, InputError, seen
from tersely.explanation import Effect, effects
from tersely.fast import FastPath, chain_of, check_style
from tersely.length import UNITS, Length
from tersely.options import Options
from tersely.scoring.factors import FACTORS, Cosine, Softmax, make_factors
from tersely.scoring.lexicon import is_prose
from tersely.scoring.objective import BoundObjective, Objective
from tersely.scoring.use import with_use
from tersely.search import search_named
from tersely.search.result import Observer
from tersely.source import Source
from tersely.summary import Summary, make_summary
from tersely.task import Task, Within
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
        `softmax`. With `fast` the bundle's selector chooses, in milliseconds. `observe` sees every step of the search.

        A text that is no longer than asked comes back whole.
        """
        return self.shorten(text, Options.of(**options), observe)

    def shorten(self, text: str, options: Options, observe: Observer | None = None) -> Summary:
        """The same, with options that were validated before."""
        with one_thread():
            return self._found(self._task(text, options, *self._bind(text, options)), observe)

    def _found(self, task: Task, observe: Observer | None = None) -> Summary:
        options = task.options
        if options.fast:
            chain = chain_of(task.objective, options.n_best, diverse=options.diverse)
            result = chain(task.objective, task.space, observe)
        else:
            find = search_named(options.search, options.n_best)
            result = find(task.objective, task.space, np.random.default_rng(options.seed), observe)
        return make_summary(task, result, self._signature(options), self._explain)

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

    def spread(
        self, work: Callable[[Summarizer, T], R], items: Iterable[T], workers: int | None = 1, most: int = 16
    ) -> Iterator[R]:
        """`work(summarizer, item)` for each item, in their order, by processes of which each has this summariser.

        Up to `most` items are sent at once.
        """
        if workers == 1:
            return (work(self, item) for item in items)
        from tersely.workers import in_parallel  # here and not above: a summary has no use for it

        return in_parallel(self, work, items, workers, most)

    def lengths(self, text: str, **options: Any) -> list[Summary]:
        """The best summary of every length, shortest first, in one pass of the lattice.

        One for each number of words, up to `words` or to the whole text. With `chars` or `bytes`, each that is better
        than all shorter ones: it is the best from its own length to that of the next. A call for one length alone
        looks closer, and may find a better one.
        """
        longest = {} if UNITS.keys() & options.keys() else {"words": MAX_WORDS}
        return self.every_length(text, Options.of(**longest, **options))

    def every_length(self, text: str, asked: Options) -> list[Summary]:
        """The same, with options that were validated before; the length is the longest."""
        with one_thread():
            source, objective, within = self._bind(text, asked)
            longest = self._task(text, asked, source, objective, within)
            space = longest.space.within(replace(asked.length.budget(source.tokens, longest.look), least=1))
            spare, by_words = space.budget.spare, space.budget.unit == "words"
            if asked.fast:  # each number of words by itself, as the selector's scores depend on it
                found = {} if by_words else chain_of(longest.objective).every_weight(longest.objective, space)
            else:
                from tersely.search.lattice import lattice  # here and not above: the fast path has no use for it

                found = lattice.every_weight(objective if by_words else within(objective, space.budget), space)
            summaries, best = [], -np.inf
            for size in range(1, space.budget.limit + 1) if by_words else [weight - spare for weight in found]:
                options = replace(asked, length=Length("words" if by_words else asked.length.unit, size), n_best=1)
                result = found.get(size + spare)
                if result is None:
                    with contextlib.suppress(InputError):  # what has to be kept needs more words
                        summaries.append(self._found(self._task(text, options, source, objective, within)))
                elif by_words or result.score > best:
                    best, task = result.score, self._task(text, options, source, objective, within)
                    result = replace(result, scores=task.objective.log_scores(result.masks))
                    signature = f"{self._signature(asked)}|every:{size}"
                    summaries.append(make_summary(task, result, signature, self._explain))
            if longest.whole is not None and longest.whole not in summaries:  # with marks that no shorter one has
                summaries.append(self.shorten(text, asked))
            return summaries

    def _bind(self, text: str, options: Options) -> tuple[Source, BoundObjective, Within]:
        """The words of a text, the objective that knows them, and what makes it one for a budget."""
        source = Source.of(self._tokens(text, options.pretokenized), self.bundle.vocabulary)
        if options.fast:
            fast = FastPath.of(self.bundle, self._name(options), source)
            return source, fast.evidence, fast.within
        weights = self.weights(options.objective, prose=is_prose(source.tokens))
        return source, self.objective(weights, options.cosine, options.softmax).bind(source), with_use

    def _task(self, text: str, options: Options, source: Source, objective: BoundObjective, within: Within) -> Task:
        return Task.of(text, options, source, objective, within, negation=self._holds_negations(options))

    def _explain(self, text: str, options: Options, kept: tuple[int, ...]) -> tuple[Effect, ...]:
        """What each word of a text does to f of a summary: computed anew, so that no summary holds on to its search."""
        with one_thread():
            return effects(self._task(text, options, *self._bind(text, options)), kept)

    def _holds_negations(self, options: Options) -> bool:
        """Whether a negation stays with its word: everywhere but in objectives without grammar that are published."""
        plain = self._name(options) in PUBLISHED and "grammar" not in self.weights(options.objective)
        return options.negation and not plain

    def _signature(self, options: Options) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.identity(options).items())

    def identity(self, options: Options) -> dict[str, str]:
        """What has to be equal for two summaries to have been made alike."""
        weights, in_prose = (self.weights(options.objective, prose=prose) for prose in (False, True))
        shown, shown_in_prose = (
            ",".join(f"{factor}:{weight:g}" for factor, weight in some.items()) for some in (weights, in_prose)
        )
        return {
            "tersely": __version__,
            "bundle": self.bundle.signature,
            "objective": f"{self._name(options)}({shown})",
            **({"in prose": shown_in_prose} if in_prose != weights else {}),
            **options.signature(),
            **({"selector": self.bundle.selector_signature} if options.fast else {}),
        }

    def _name(self, options: Options) -> str:
        """The name of the objective that is asked for."""
        objective = self.default_objective if options.objective is None else options.objective
        return objective if isinstance(objective, str) else "custom"

    @property
    def default_objective(self) -> str:
        """The objective that is used where none is asked for."""
        return "headline" if "headline" in self.bundle.objectives else "paper"

    def check(self, options: Options) -> None:
        """Refuse what this bundle cannot serve, before any text is read."""
        for prose in (False, True):
            make_factors(self.weights(options.objective, prose=prose), self.bundle)
        if options.fast:
            check_style(self.bundle.selector, self._name(options))

    def weights(self, objective: str | Mapping[str, float] | None, *, prose: bool = False) -> dict[str, float]:
        """The weights of an objective: of the bundle's, of the paper's, or as given; without one, of the default.

        In prose, text with capitals, an objective of the bundle may have others.
        """
        objective = self.default_objective if objective is None else objective
        if not isinstance(objective, str):
            return dict(objective)
        known = self.bundle.objectives
        if objective not in known:
            raise InputError(f"unknown objective {seen(objective)}: known are {', '.join(known)}")
        found = self.bundle.prose.get(objective, known[objective]) if prose else known[objective]
        for factor in found:
            if factor not in FACTORS:
                raise BundleError(
                    f"the objective {objective} of the bundle has the unknown factor {factor!r}: "
                    f"known are {', '.join(FACTORS)}"
                )
        return dict(found)

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
