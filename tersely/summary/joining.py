"""Stage 7: `split=True`: the options for each sentence of a text, and their summaries as one, with a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tersely.candidates.pins import pattern_of_each
from tersely.errors import InputError, short_repr
from tersely.sentence.sentence import Sentence
from tersely.summary.explanation import Effect
from tersely.summary.options import Options
from tersely.summary.summary import BrokenNeed, Summary
from tersely.text.sentences import sentence_bounds
from tersely.text.words import MAX_CHARS, MAX_WORDS, tokenize

MAX_SENTENCES = 60  # to read one takes the encoder some ten milliseconds, however short it is
LEAST_EFFORT = 0.01  # for each sentence that is left when the others have done the work that a call may do


def sentences_with_words(text: str) -> list[tuple[int, str]]:
    """The sentences of a text and where each begins; those without a word are left out if others have some."""
    if len(text) > MAX_CHARS:  # before every word is read
        raise InputError(f"the text has {len(text):,} characters, the limit is {MAX_CHARS:,}: give it in parts")
    bounds = sentence_bounds(text)
    spoken = [part for part in bounds if any(not token.punctuation for token in tokenize(text[slice(*part)]))]
    if len(spoken) > MAX_SENTENCES:
        raise InputError(f"the text has {len(spoken):,} sentences, the limit is {MAX_SENTENCES}: give it in parts")
    return [(start, text[start:end]) for start, end in spoken or [(0, len(text))]]


def refuse_long_text(sentences: Sequence[Sentence]) -> None:
    """Raise an error if the sentences of a text have more words together than a text may have, or far longer ones."""
    words = [word for sentence in sentences for word in sentence.words]
    chars, most = sum(len(word.text) for word in words), 10 * MAX_WORDS
    if len(words) > MAX_WORDS or chars > most:
        seen, limits = f"{len(words):,} words with {chars:,} characters", f"{MAX_WORDS:,} and {most:,}"
        raise InputError(f"the text has {seen}, the limits are {limits}: give it in parts")


def options_of_each(sentences: Sequence[Sentence], options: Options) -> list[Options]:
    """The options for each sentence of a text: with those pins whose words it has."""
    pins = {
        name: [pattern_of_each(sentences, pattern) for pattern in getattr(options, name)]
        for name in ("keep", "drop", "prefer")
    }
    for pattern, found in zip(options.keep, pins["keep"], strict=True):
        if not any(found):
            raise InputError(f"cannot keep {short_repr(pattern)}: no sentence of the text has it")
    each: list[dict[str, Any]] = [
        {name: tuple(row[i] for row in rows if row[i]) for name, rows in pins.items()} for i in range(len(sentences))
    ]
    return [replace(options, split=False, **own) for own in each]


def joined(parts: Sequence[tuple[int, Summary]], signature: str) -> Summary:
    """One summary for several, each with the place in the text where its sentence begins.

    Its words, spans and needs are those of the whole text. Scores and factors are sums.
    """
    summaries = [summary for _, summary in parts]
    firsts = [sum(len(summary.tokens) for summary in summaries[:i]) for i in range(len(summaries))]
    each = list(zip(firsts, parts, strict=True))
    trees = [[(head + (first if head >= 0 else 0), label) for head, label in s.tree or ()] for first, (_, s) in each]
    names = dict.fromkeys(name for summary in summaries for name in summary.factors)
    needs = [BrokenNeed(n.word + first, n.lost + first, n.kind, n.cost) for first, (_, s) in each for n in s.broken]
    return Summary(
        "\n".join(summaries),
        kept=tuple(first + i for first, (_, summary) in each for i in summary.kept),
        tokens=tuple(token for summary in summaries for token in summary.tokens),
        spans=tuple((at + start, at + end) for at, summary in parts for start, end in summary.spans),
        score=sum(summary.score for summary in summaries),
        factors={name: sum(summary.factors.get(name, 0.0) for summary in summaries) for name in names},
        signature=signature,
        evaluations=sum(summary.evaluations for summary in summaries),
        tree=None
        if any(summary.tree is None for summary in summaries)
        else tuple(row for tree in trees for row in tree),
        broken=tuple(sorted(needs, key=lambda need: -need.cost)),
        weights={name: weight for summary in summaries for name, weight in summary.weights.items()},
        warnings=tuple(dict.fromkeys(warning for summary in summaries for warning in summary.warnings)),
        _replay=lambda: tuple(_moved(effect, first) for first, (_, s) in each for effect in s.explain().words),
    )


def _moved(effect: Effect, first: int) -> Effect:
    return effect if effect.partner is None else effect._replace(partner=effect.partner + first)
