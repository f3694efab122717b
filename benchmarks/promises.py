"""What the README promises: one small function for each promise, which asserts it for a summariser and a case.

The fuzzer and the test suite check these promises for drawn cases (`make_case` in tests/fuzz_texts.py). A case is a
plain object that can be written as JSON: a text and the options of a call. A function returns if its promise says
nothing about the case, and raises AssertionError if the promise is broken. Any error but a TerselyError breaks every
promise.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections.abc import Callable
from typing import Any

from tersely import Summarizer, Summary
from tersely.candidates.length import UNITS
from tersely.candidates.pins import KINDS
from tersely.errors import TerselyError
from tersely.sentence.sentence import Sentence
from tersely.text.punctuation import CLOSES, capitalized
from tersely.text.sentences import sentences
from tersely.text.tokens import stands_alone
from tersely.text.words import fold, inseparable, render, tokenize

Case = dict[str, Any]
Promise = Callable[[Summarizer, Case], None]
PROMISES: dict[str, Promise] = {}
_CLITICS = frozenset("s re ve ll d m".split())


def promise(function: Promise) -> Promise:
    PROMISES[function.__name__] = function
    return function


def summary_of(shorten: Summarizer, case: Case) -> Summary | None:
    """The summary, or None if the case is an error with a message of one line."""
    try:
        return shorten(case["text"], **case["options"])
    except TerselyError as error:
        message = str(error)
    assert message.strip(), "an error without a message"
    assert "\n" not in message, "an error message of more than one line"
    return None


def words_of(case: Case) -> list[str]:
    tokens = tokenize(case["text"], pretokenized=case["options"].get("pretokenized", False))
    return [token.text for token in tokens if not token.punctuation]


def limits_of(case: Case) -> dict[str, int]:
    """The limits of the rendered text, by unit."""
    return {name: case["options"][name] for name, unit in UNITS.items() if unit.count and name in case["options"]}


@promise
def the_length_is_exact(shorten: Summarizer, case: Case) -> None:
    summary, size = summary_of(shorten, case), case["options"].get("words")
    if summary is None or not isinstance(size, int) or "reserve" in case["options"] or limits_of(case):
        return
    words = words_of(case)
    wanted = min(size, len(words) - sum(word in case["options"].get("drop", ()) for word in words))
    assert len(summary.kept) == wanted or "drop" in case["options"], f"{len(summary.kept)} kept, {wanted} asked for"
    if len(words) > size and not any(stands_alone(word) for word in words):
        assert len(summary.split()) == len(summary.kept), f"{summary!r} has not {len(summary.kept)} words"


@promise
def a_limit_is_never_exceeded(shorten: Summarizer, case: Case) -> None:
    summary, options = summary_of(shorten, case), case["options"]
    limits, reserve = limits_of(case), options.get("reserve", 0)
    for one in () if summary is None else (summary, *summary.others):
        for name, most in limits.items():
            assert (used := UNITS[name].count(one, reserve)) <= most, f"{one!r} has {used} {name}"
        if limits and isinstance(options.get("words"), int):
            assert len(one.kept) <= options["words"], f"{one!r} has {len(one.kept)} words"
        if isinstance(options.get("words"), list) and not limits and not reserve:
            least, most = options["words"]
            assert len(one.kept) <= most, f"{len(one.kept)} words are more than {most}"
            assert len(one.kept) >= min(least, len(one.tokens)) or "drop" in options, f"fewer words than {least}"


@promise
def words_are_the_sources_own_in_order(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        assert list(summary.tokens) == words_of(case)
        assert list(summary.kept) == sorted(set(summary.kept))
        rest = iter(c for c in case["text"] if not c.isspace())
        shown = "".join(summary.split())
        assert all(any(char in (c, c.upper()) for c in rest) for char in shown), f"{summary!r} is not in the source"


@promise
def the_text_is_the_kept_words(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None and len(summary.kept) < len(summary.tokens):
        assert gaps_of(summary) is not None, f"{summary!r} is not its words and marks"


def gaps_of(summary: Summary) -> list[str] | None:
    """What stands before, between and after the kept words; None if that is more than marks and a space."""
    words = [summary.tokens[i] for i in summary.kept]
    either = [f"(?:{re.escape(word)}|{re.escape(capitalized(word))})" for word in words]
    gap = r"([^\w\s]*[ ]?[^\w\s]*)"
    found = re.fullmatch(gap + gap.join(either) + gap, summary)
    return None if found is None else list(found.groups())


@promise
def marks_are_the_sources_own_and_paired(shorten: Summarizer, case: Case) -> None:
    """In a summary that is shorter than its text."""
    summary, text = summary_of(shorten, case), case["text"]
    if summary is None or len(summary.kept) == len(summary.tokens):
        return
    opened: list[str] = []
    for one in (summary, *summary.others):
        edges = itertools.pairwise([0, *(edge for span in one.spans for edge in span), len(text)])
        for gap, (start, end) in zip(gaps_of(one) or [], list(edges)[::2], strict=False):
            rest = iter(text[start:end])
            assert all(char in rest for char in gap if char != " "), (
                f"{gap!r} is not where the source of {one!r} has it"
            )
            for char in gap:
                if opened and char in CLOSES[opened[-1]]:
                    opened.pop()
                elif char in CLOSES:
                    opened.append(char)
                else:
                    assert not any(char in closing for closing in CLOSES.values()), f"{one!r} closes what is not open"
        assert not opened, f"{one!r} has half a pair"


@promise
def a_clitic_keeps_its_host(shorten: Summarizer, case: Case) -> None:
    """For the tokeniser alone: no "s" or "ll" is a word of its own if its apostrophe touches a word."""
    text = case["text"]
    for word in [] if case["options"].get("pretokenized") else tokenize(text):
        before = text[max(0, word.start - 3) : word.start] if word.text in _CLITICS else ""
        alone = re.search(r"[^\W_]['’]$|(?<![%+$€&])[%+$€&]['’]$", before)
        assert not alone, f"{word.text!r} at {word.start} has lost its host"


@promise
def the_same_seed_gives_the_same_summary(shorten: Summarizer, case: Case) -> None:
    first, second = summary_of(shorten, case), summary_of(shorten, case)
    assert (first and first.to_dict()) == (second and second.to_dict())


@promise
def the_score_is_the_sum_of_its_parts(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        total = sum(summary.weights[name] * value for name, value in summary.factors.items())
        assert abs(total - summary.score) < 1e-3 * (1 + abs(total)), f"{total} is not {summary.score}"


@promise
def kept_words_are_kept_and_dropped_ones_dropped(shorten: Summarizer, case: Case) -> None:
    summary, options = summary_of(shorten, case), case["options"]
    if summary is None:
        return
    tokens = tokenize(case["text"], pretokenized=options.get("pretokenized", False))
    sentence, kept = shorten.bundle.sentence(tokens), set(summary.kept)
    for pattern in options.get("drop", ()):
        found = occurrences(sentence, pattern)
        assert not any(kept & positions for positions in found), f"{pattern!r} is not dropped: {summary!r}"
    for pattern in options.get("keep", ()):
        found = occurrences(sentence, pattern)
        every = all if pattern in KINDS else any  # of several occurrences of a word, one may be all that fits
        assert not found or every(positions <= kept for positions in found), f"{pattern!r} is not kept: {summary!r}"


def occurrences(sentence: Sentence, pattern: str) -> list[set[int]]:
    """Where the words of a kind or of a phrase are, in a simple reading of the pattern: the positions of each."""
    if pattern in KINDS:
        return [{i} for i in range(len(sentence)) if KINDS[pattern](sentence, i)]
    words, phrase = [fold(word.text) for word in sentence.words], fold(pattern).split()
    starts = range(len(words) - len(phrase) + 1) if phrase else ()
    return [set(range(i, i + len(phrase))) for i in starts if words[i : i + len(phrase)] == phrase]


@promise
def the_next_best_are_others_and_not_better(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        ranked = [summary, *summary.others]
        assert len({one.kept for one in ranked}) == len(ranked) <= case["options"].get("n_best", 1)
        assert len(set(ranked)) == len(ranked), "one text twice"
        assert all(a.score >= b.score for a, b in itertools.pairwise(ranked))


@promise
def a_summary_is_its_text_and_json(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        assert json.loads(json.dumps(summary)) == summary.text
        assert json.loads(json.dumps(summary.to_dict()))["kept"] == list(summary.kept)


@promise
def parts_of_a_number_or_a_name_stay_together(shorten: Summarizer, case: Case) -> None:
    """If there are enough other words, and no pin names a part."""
    summary, options = summary_of(shorten, case), case["options"]
    if summary is not None and not options.get("keep") and not options.get("drop"):
        tokens = tokenize(case["text"], pretokenized=options.get("pretokenized", False))
        pairs = inseparable([token for token in tokens if not token.punctuation])
        if len(summary.kept) + 2 * len(pairs) < len(summary.tokens) and not limits_of(case):
            for one, other in pairs:
                assert (one in summary.kept) == (other in summary.kept), f"a part is lost: {summary!r}"


@promise
def every_length_comes_from_one_pass(shorten: Summarizer, case: Case) -> None:
    options = {name: value for name, value in case["options"].items() if name not in ("search", "n_best", "diverse")}
    try:
        found = shorten.lengths(case["text"], **options)
    except TerselyError:
        return
    sizes = [len(one.kept) for one in found]
    for name, limit in limits_of(case).items():
        assert all(UNITS[name].count(one, options.get("reserve", 0)) <= limit for one in found), "longer than the limit"
    if len(units := UNITS.keys() & options.keys()) == 1:
        counts = [UNITS[name].count for name in units]
        sizes = [count(one, options.get("reserve", 0)) for count in counts if count for one in found] or sizes
        assert sizes == sorted(set(sizes)), f"lengths: {sizes}"
    assert len(set(found)) == len(found), "one text twice"  # the same words may come with and without a mark


@promise
def sentences_are_the_whole_text(shorten: Summarizer, case: Case) -> None:
    """For the splitter alone: nothing but white space is lost, doubled or moved."""
    found = sentences(case["text"])
    assert "".join("".join(found).split()) == "".join(case["text"].split()), f"{found!r} is not the text"
    assert all(one == one.strip() != "" for one in found), f"{found!r} has a blank one"


@promise
def every_word_is_explained(shorten: Summarizer, case: Case) -> None:
    summary = summary_of(shorten, case)
    if summary is not None:
        words = summary.explain().words
        assert tuple(word.word for word in words) == summary.tokens
        assert tuple(i for i, word in enumerate(words) if word.kept) == summary.kept
        assert all(math.isfinite(value) for word in words for value in (word.without, word.swap) if value is not None)
        assert str(summary.explain()).count("\n") > len(words)


@promise
def no_swap_makes_a_fast_summary_better(shorten: Summarizer, case: Case) -> None:
    """If the bundle has an editor: other bundles have no fast path."""
    options = {name: value for name, value in case["options"].items() if name not in ("search", "objective")}
    summary = summary_of(shorten, {**case, "options": {**options, "fast": True}})
    if summary is not None:
        swaps = [effect.swap for effect in summary.explain().words if effect.swap is not None]
        assert all(swap <= summary.score + 1e-6 for swap in swaps), f"{max(swaps)} is better than {summary.score}"


@promise
def joined_words_are_stretches_of_the_source(shorten: Summarizer, case: Case) -> None:
    """For the tokeniser alone: any words, rendered, are parts of the source with at most a space between them."""
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
