"""Stage 7: the summariser: text in, a summary of exactly the wanted length out, with its evidence.

This is where the stages meet: text to words to candidates to scores to the best candidate, and back to text, which is
rendered from the original string and never from the vocabulary.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np

from tersely.bundle.bundle import DEFAULT_BUNDLE, Bundle, default_bundle, open_bundle
from tersely.candidates.length import UNITS
from tersely.errors import BundleError, InputError, TerselyWarning, short_repr
from tersely.search import search_named
from tersely.search.result import Observer, SearchResult
from tersely.sentence.sentence import Sentence
from tersely.summary.explanation import Effect, effects
from tersely.summary.joining import LEAST_EFFORT, joined, options_of_each, refuse_long_text, sentences_with_words
from tersely.summary.lengths import every_length
from tersely.summary.options import Options, SummaryOptions, with_keywords
from tersely.summary.reading import read_text
from tersely.summary.summary import Summary, make_summary, signature_of
from tersely.summary.task import Task
from tersely.system.threads import one_thread
from tersely.text.words import MAX_CHARS, MAX_TOKENS, MAX_WORDS, tokenize
from tersely.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
R = TypeVar("R")


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
        path = None if folder == DEFAULT_BUNDLE else folder
        return {**vars(self), "bundle": (path, dict(self.bundle.description))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        folder, description = state["bundle"]
        opened = open_bundle(default_bundle() if folder is None else folder)
        if opened.description["files"] != description["files"]:
            raise BundleError(f"the bundle {opened.folder} has changed since this summariser was made: load it again")
        vars(self).update(state, bundle=replace(opened, description=description))

    @with_keywords
    def __call__(self, text: str, *, observe: Observer | None = None, **options: Unpack[SummaryOptions]) -> Summary:
        """Shorten a text.

        A length is given: `words=8` for exactly eight words, `words=(6, 10)` for the best number in a range,
        `ratio=0.5` for that share of the words, or a limit: `chars=60`, `bytes=75`, `sms=1` for text messages,
        `pixels=600` for the width in Arial of 20 pixels. A limit can be combined with another one or with `words`,
        which is then a limit, too. A text that is no longer than that comes back whole.

        - `objective`: what is maximised, a name or weights of factors. Default: the bundle's `headline`, or `paper`.
        - `search`: how the best is searched for, a name or a search. Default: `lattice`.
        - `fast`: short for `objective="fast", search="chain"`: the learned editor alone, in milliseconds.
        - `keep`, `drop`: words or phrases that must or must not be in the summary, or kinds of them: "numbers",
          "names", "negation". "the#2" is the second "the".
        - `prefer`: words, phrases or kinds of them that should be in the summary, as many as fit, the first ones first.
        - `negation`: a word stays with the negation that it is under. Default: True.
        - `n_best`: how many summaries to find; the others are in `Summary.others`. `diverse`: only different ones.
        - `seed`: of searches that draw.
        - `pretokenized`: the text is split into tokens by white space already, as benchmark corpora are.
        - `punctuation`: the summary keeps marks of the source: commas that still divide, "?" and "!", quotation marks
          and brackets in pairs.
        - `case`: "sentence", so that a summary begins with a capital if the source does, or "source".
        - `end`: "none", as headlines have it, or "period" for the full stop of the source.
        - `reserve`: so much of the limit is left unused, for a link or a hashtag; in messages, so many characters.
        - `html`: tags and entities are read as HTML. `lead`: only the first sentence is shortened. With either, `spans`
          are offsets in what is left. `split`: each sentence is shortened by itself, sixty at most, and has a line
          of the summary.
        - `cosine`, `softmax`: variants of two factors, for comparisons: "shifted" or "plain", "self" or "exact".
        - `effort`: a factor on the work that a call may do, 1 for about ten seconds at most, or one with `fast`. Where
          that was too little, the best summary found comes back and its signature ends with `bounded:yes`.
        - `observe`: is called with every step of the search.
        """
        return _warned(self.shorten(text, Options.of(**options), observe))

    def shorten(self, text: str, options: Options, observe: Observer | None = None) -> Summary:
        """The same, with options that were validated before."""
        if not (observe is None or callable(observe)):
            raise InputError(f"observe must be a function, not {short_repr(observe)}")
        with one_thread():
            text = read_text(text, options)
            if options.split:
                return self._each_sentence(text, options, observe)
            return self._found(text, options, self._sentence(text, options), observe)[0]

    def _each_sentence(self, text: str, options: Options, observe: Observer | None) -> Summary:
        """The summaries of the sentences of a text as one; those without a word are left out if others have some."""
        parts = sentences_with_words(text)
        sentences = [self._sentence(part, options) for _, part in parts]
        refuse_long_text(sentences)
        found, spent = [], 0.0
        for (start, part), sentence, own in zip(parts, sentences, options_of_each(sentences, options), strict=True):
            rest = own if spent < own.most_work else replace(own, effort=min(own.effort, LEAST_EFFORT))
            summary, result = self._found(part, rest, sentence, observe)
            spent += result.work / result.most_work
            found.append((start, summary, result.bounded))
        signature = signature_of(self.identity(options), any(bounded for _, _, bounded in found))
        return joined([(start, summary) for start, summary, _ in found], signature)

    def attempt(self, text: str, options: Options) -> Summary | InputError:
        """The summary of a text, or why it has none: for work where one text must not cost the others."""
        try:
            return self.shorten(text, options)
        except InputError as error:
            return error

    @overload
    def batch(
        self,
        texts: Iterable[str],
        *,
        workers: int | None = 1,
        errors: Literal["raise"] = "raise",
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary]: ...

    @overload
    def batch(
        self,
        texts: Iterable[str],
        *,
        workers: int | None = 1,
        errors: Literal["return"],
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary | InputError]: ...

    @with_keywords
    def batch(
        self,
        texts: Iterable[str],
        *,
        workers: int | None = 1,
        errors: Literal["raise", "return"] = "raise",
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary | InputError]:
        """The summaries of many texts, in their order, each as soon as it is there. Options as for a call.

        With `workers=N` they are made by N processes, None for one on each core; then some texts are read ahead. A text
        that cannot be shortened raises an error, or with `errors="return"` has the error in its place.
        """
        if errors not in ("raise", "return"):
            raise InputError(f"errors must be 'raise' or 'return', not {short_repr(errors)}")
        checked = Options.of(**options)
        self.check(checked)
        found = self.spread(partial(Summarizer.attempt, options=checked), _iterator(texts), workers)
        return (_outcome(i, one, errors) for i, one in enumerate(found))

    def spread(
        self, work: Callable[[Summarizer, T], R], items: Iterable[T], workers: int | None = 1, most: int = 16
    ) -> Iterator[R]:
        """`work(summarizer, item)` for each item, in their order, by processes of which each has this summariser.

        Up to `most` items are sent at once.
        """
        if isinstance(workers, int) and workers == 1:
            return (work(self, item) for item in items)
        from tersely.system.workers import in_parallel  # here and not above: a summary has no use for it

        return in_parallel(self, work, items, workers, most)

    @with_keywords
    def lengths(self, text: str, **options: Unpack[SummaryOptions]) -> list[Summary]:
        """The summary of every length, shortest first: each is the one that a call for its length alone gives.

        One for each number of words, up to `words` or to the whole text; with `chars` or `bytes`, one for each length
        that a summary has which fills its limit. Of a long text some lengths are left out: as many come back as
        `effort` allows, in about ten seconds, or in one with `fast`.
        """
        if all(options.get(unit) is None for unit in UNITS):
            options["words"] = MAX_WORDS
        found = self.every_length(text, Options.of(**options))
        for summary in found[:1]:
            _warned(summary)
        return found

    def every_length(self, text: str, options: Options) -> list[Summary]:
        """The same, with options that were validated before; the length is the longest."""
        with one_thread():
            if options.split:
                raise InputError("split has one length: ask for every length of each sentence")
            text = read_text(text, options)
            sentence = self._sentence(text, options)
            found = every_length(partial(self._found, text, sentence=sentence), sentence, options)
            return found or [self._found(text, replace(options, n_best=1), sentence)[0]]  # which says why there is none

    def _sentence(self, text: str, options: Options) -> Sentence:
        """The text as the models see it."""
        if len(text) > MAX_CHARS:
            raise InputError(
                f"the text has {len(text):,} characters, the limit is {MAX_CHARS:,}: split it into sentences"
            )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            seen = f"U+{ord(text[error.start]):04X} at character {error.start}"
            raise InputError(f"the text has half of a surrogate pair, {seen}: decode it again from its bytes") from None
        sentence = self.bundle.sentence(tokenize(text, pretokenized=options.pretokenized))
        if not len(sentence):
            raise InputError("the text is empty" if not text.strip() else "the text has no words, only punctuation")
        for name, count, limit in (
            ("words", len(sentence), MAX_WORDS),
            ("words and marks", len(sentence.tokens), MAX_TOKENS),
        ):
            if count > limit:
                raise InputError(f"the text has {count:,} {name}, the limit is {limit:,}: split it into sentences")
        return sentence

    def _task(self, text: str, options: Options, sentence: Sentence) -> Task:
        objective = self.bundle.objectives.objective(options.objective, options.cosine, options.softmax)
        return Task.of(text, options, sentence, objective)

    def _found(
        self, text: str, options: Options, sentence: Sentence, observe: Observer | None = None
    ) -> tuple[Summary, SearchResult]:
        """The summary of a text that has been read, and what the search has done."""
        task = self._task(text, options, sentence)
        find = search_named(options.search, options.n_best, options.most_work)
        result = find(task.objective, task.space, np.random.default_rng(options.seed), observe)
        if not len(result.masks):
            raise InputError("no summary of that length keeps each word with those it needs: try another length")
        return make_summary(task, result, self.identity(options), self._explain), result

    def _explain(self, text: str, options: Options, kept: tuple[int, ...]) -> tuple[Effect, ...]:
        """What each word of a text does to f of a summary: computed anew, so that no summary holds on to its search."""
        with one_thread():
            return effects(self._task(text, options, self._sentence(text, options)), kept)

    def check(self, options: Options) -> None:
        """Refuse what this bundle cannot serve, before any text is read."""
        self.bundle.objectives.check(options.objective)

    def identity(self, options: Options) -> dict[str, str]:
        """What has to be equal for two summaries to have been made alike."""
        return {
            "tersely": __version__,
            "bundle": self.bundle.signature,
            **self.bundle.objectives.identity(options.objective),
            **options.signature(),
        }


def _iterator(texts: Iterable[str]) -> Iterator[str]:
    """The texts one by one. A str is one text and not many: its characters would be shortened."""
    try:
        return iter(None if isinstance(texts, str) else texts)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"texts must be a list or an iterator of texts, not {short_repr(texts)}") from None


def _outcome(index: int, found: Summary | InputError, errors: str) -> Summary | InputError:
    """A summary of a batch, or the error with the index of its text."""
    if not isinstance(found, InputError):
        return _warned(found)
    error = InputError(f"text {index}: {found}")
    if errors == "raise":
        raise error
    return error


def _warned(summary: Summary) -> Summary:
    """The summary, after its warnings have been given to the caller of a method of the summariser."""
    for message in summary.warnings:
        warnings.warn(message, TerselyWarning, stacklevel=3)
    return summary


_default: Summarizer | None = None


def load(path: str | os.PathLike[str] | None = None) -> Summarizer:
    """The summariser of a bundle folder, or of the default bundle."""
    return Summarizer.load(path)


@with_keywords
def summarize(text: str, **options: Unpack[SummaryOptions]) -> Summary:
    """Shorten one text with the default bundle, which is loaded at the first call. Options as for `Summarizer`."""
    global _default
    if _default is None:
        _default = Summarizer.load()
    return _default(text, **options)
