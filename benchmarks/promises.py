"""What the README promises, each as one small function that asserts it of a summariser and a case.

A case is a plain object that can be written as JSON: a text and the options of a call. A promise that a case does not
concern returns; one that is broken raises AssertionError, and any error but a TerselyError breaks every promise.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable
from typing import Any

from tersely import Summarizer, Summary
from tersely.errors import TerselyError
from tersely.text import render, tokenize
from tersely.tokens import stands_alone

Case = dict[str, Any]
Promise = Callable[[Summarizer, Case], None]
PROMISES: dict[str, Promise] = {}
_CLITICS = frozenset("s re ve ll d m".split())


def promise(function: Promise) -> Promise:
    PROMISES[function.__name__] = function
    return function


def summary_of(shorten: Summarizer, case: Case) -> Summary | None:
    """The summary, or None where the case is refused with one clear line."""
    try:
        return shorten(case["text"], **case["options"])
    except TerselyError as error:
        refusal = str(error)
    assert refusal.strip(), "a refusal without a reason"
    assert "\n" not in refusal, "a refusal of more than one line"
    return None


def words_of(case: Case) -> list[str]:
    tokens = tokenize(case["text"], pretokenized=case["options"].get("pretokenized", False))
    return [token.text for token in tokens if not token.punctuation]


@promise
def the_length_is_exact(shorten: Summarizer, case: Case) -> None:
    summary, size = summary_of(shorten, case), case["options"].get("words")
    if summary is None or size is None:
        return
    words = words_of(case)
    wanted = min(size, len(words) - sum(word in case["options"].get("drop", ()) for word in words))
    assert len(summary.kept) == wanted or "drop" in case["options"], f"{len(summary.kept)} kept, {wanted} asked for"
    if len(words) > size and not any(stands_alone(word) for word in words):
        assert len(summary.split()) == len(summary.kept), f"{summary!r} has not {len(summary.kept)} words"


@promise
def words_are_the_sources_own_in_order(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        assert list(summary.tokens) == words_of(case)
        assert list(summary.kept) == sorted(set(summary.kept))
        rest = iter(c for c in case["text"] if not c.isspace())
        assert all(char in rest for char in "".join(summary.split())), f"{summary!r} is not in the source"


@promise
def the_text_is_the_kept_words(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None and len(summary.kept) < len(summary.tokens):
        pattern = r"[,;:]?[ ]?".join(re.escape(summary.tokens[i]) for i in summary.kept) + "[,;:]?"
        assert re.fullmatch(pattern, summary), f"{summary!r} is not its words and the source's marks"


@promise
def a_clitic_keeps_its_host(shorten: Summarizer, case: Case) -> None:
    """Of the tokeniser alone: no "s" or "ll" is a word of its own where its apostrophe touched a word."""
    text = case["text"]
    for word in [] if case["options"].get("pretokenized") else tokenize(text):
        before = text[max(0, word.start - 4) : word.start] if word.text in _CLITICS else ""
        second = re.search(r"['’´](?:s|re|ve|ll|d|m)['’]$", before)  # "5%'s's" is nobody's word
        alone = re.search(r"[^\W_][%+]?['’]$", before) is not None and not second
        assert not alone, f"{word.text!r} at {word.start} has lost its host"


@promise
def the_same_seed_gives_the_same_summary(shorten: Summarizer, case: Case) -> None:
    first, second = summary_of(shorten, case), summary_of(shorten, case)
    assert (first and first.to_dict()) == (second and second.to_dict())


@promise
def the_score_is_the_sum_of_its_parts(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        weights = shorten.weights(case["options"].get("objective"))
        total = sum(weights[name] * value for name, value in summary.factors.items())
        assert abs(total - summary.score) < 1e-3 * (1 + abs(total)), f"{total} is not {summary.score}"


@promise
def kept_words_are_kept_and_dropped_ones_dropped(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        kept = {summary.tokens[i] for i in summary.kept}
        assert kept.isdisjoint(case["options"].get("drop", ())), "a dropped word is there"
        assert all(word in kept or word not in summary.tokens for word in case["options"].get("keep", ()))


@promise
def the_next_best_are_others_and_not_better(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        ranked = [summary, *summary.others]
        assert len({one.kept for one in ranked}) == len(ranked) <= case["options"].get("n_best", 1)
        assert all(a.score >= b.score for a, b in itertools.pairwise(ranked))


@promise
def a_summary_is_its_text_and_json(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        assert json.loads(json.dumps(summary)) == summary.text
        assert json.loads(json.dumps(summary.to_dict()))["kept"] == list(summary.kept)


@promise
def every_length_comes_from_one_pass(shorten: Summarizer, case: Case) -> None:
    options = {"pretokenized": case["options"].get("pretokenized", False)}
    try:
        found = shorten.lengths(case["text"], **options)
    except TerselyError:
        return
    assert all(len(one.kept) <= size for size, one in enumerate(found, 1))
    assert len(found) <= len(words_of(case))


@promise
def joined_words_are_stretches_of_the_source(shorten: Summarizer, case: Case) -> None:
    """Of the tokeniser alone: any words, joined, are stretches of the source with nothing but a space between them."""
    text, pretokenized = case["text"], case["options"].get("pretokenized", False)
    tokens = [token for token in tokenize(text, pretokenized=pretokenized) if not token.punctuation]
    rng = random.Random(text)
    kept = [token for token in tokens if rng.random() < 0.5]
    rest = render(kept, pretokenized=pretokenized)
    for token in kept:
        assert rest.startswith(token.text), f"{rest!r} does not go on with {token.text!r}"
        rest = rest[len(token.text) :].removeprefix(" ")
        stretch = iter(text[token.start : token.end])
        assert all(char in stretch for char in token.text), f"{token.text!r} is not in the source"
        lost = set(text[token.start : token.end]) - set(token.text)
        assert not any(char.isalnum() for char in lost), f"{token.text!r} has lost {lost}"
    assert rest == ""
    spaced = [token for token in kept if not stands_alone(token.text)]
    assert pretokenized or len(render(spaced).split()) == len(spaced), "another number of words"
