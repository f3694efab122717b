"""What tersely promises for any text, length, pins and search: the limit is obeyed, the pins are in, the drops are out,
the words are the source's own and in order. Or a TerselyError says why not."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_bundle import WORDS

from tersely import Summarizer
from tersely.errors import TerselyError
from tersely.length import UNITS
from tersely.measure import count_bytes, count_chars
from tersely.pins import KINDS
from tersely.search import SEARCHES
from tersely.source import Source
from tersely.text import fold, tokenize

STRANGE = [
    "caf\u00e9", "cafe\u0301,", "\U0001f1eb\U0001f1f7", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\ud55c\uad6d\uc5b4", "\u0645\u0631\u062d\u0628\u0627", "\u6771\u4eac\u3067\u3059", "na\u00efve;", "didn't", "no",
    "not", "never", "denies", "$5.2", "12.5 %", "U.S.", "(", ")", "\u2014", "\u201cyes\u201d:", "a\u0323\u0307",
    "1,000,", "%", "\U0001f44d\U0001f3fd", "I",
]  # fmt: skip
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(STRANGE + list(WORDS)), max_size=14).map(" ".join)
LENGTHS = st.one_of(
    st.builds(lambda size: {"words": size}, st.integers(1, 12)),
    st.builds(lambda low, more: {"words": (low, low + more)}, st.integers(1, 8), st.integers(0, 6)),
    st.builds(lambda share: {"ratio": share}, st.floats(0.01, 1)),
    st.builds(lambda size: {"chars": size}, st.integers(1, 60)),
    st.builds(lambda size: {"bytes": size}, st.integers(1, 90)),
)
LONG = [name for name in SEARCHES if name != "exhaustive"]  # which would score every subset


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    text = draw(TEXTS)
    words = text.split() or ["ship"]
    phrase = st.builds(
        lambda begin, size: " ".join(words[begin : begin + size]), st.integers(0, len(words) - 1), st.integers(1, 2)
    )
    wish = st.one_of(phrase, st.sampled_from([*KINDS, "whale", "the#2", ""]))
    options: dict[str, Any] = draw(LENGTHS)
    options["search"] = draw(st.sampled_from(list(SEARCHES) if len(text) < 30 else LONG))
    options["keep"] = draw(st.lists(wish, max_size=2))
    options["drop"] = draw(st.lists(wish, max_size=1))
    options["negation"] = draw(st.booleans())
    options["pretokenized"] = draw(st.booleans())
    options["objective"] = draw(st.sampled_from(["paper", {"similarity": 1.0, "position": 0.5}, {"grammar": 1.0}]))
    return text, options


def check(summarizer: Summarizer, text: str, options: dict[str, Any]) -> bool:
    """Whether a summary keeps the promises, or an error is one line."""
    try:
        summary = summarizer(text, **options)
    except TerselyError as error:
        return "\n" not in str(error) and bool(str(error))
    tokens = tokenize(text, pretokenized=options["pretokenized"])
    words = [token.text for token in tokens if not token.punctuation]
    unit = next(name for name in UNITS if name in options)
    size = options[unit]
    count = {"chars": count_chars, "bytes": count_bytes}
    if unit in count:
        assert count[unit](summary.text) <= size
    elif unit == "words":
        least, most = size if isinstance(size, tuple) else (size, size)
        assert len(summary.kept) <= most
        assert options["drop"] or len(summary.kept) >= min(least, len(words))
    assert list(summary.tokens) == words
    assert list(summary.kept) == sorted(set(summary.kept))
    kept = [words[i] for i in summary.kept]
    rest = summary.text
    for word in kept:  # in order, one after the other, and none of them cut; what fits whole keeps its gaps ("12.5 %")
        bare = "".join(rest.split())
        place = bare.find("".join(word.split()))
        assert place >= 0, (summary.text, kept)
        rest = bare[place + len("".join(word.split())) :]
    folded, source = [fold(word) for word in words], Source.of(tokens, summarizer.bundle.vocabulary)
    for wish in options["keep"]:
        if wish in KINDS:
            assert all(i in summary.kept for i in range(len(words)) if KINDS[wish](source, i))
        elif fold(wish) in folded:
            # "Cuba" is kept by "Cuba's", too: where both stand and only one fits, the first is pinned
            assert any(re.fullmatch(re.escape(fold(wish)) + r"(n't|'\w*)*", folded[i]) for i in summary.kept)
        elif places := phrase_in(folded, fold(wish).split()):
            assert any(place <= set(summary.kept) for place in places)
    for wish in options["drop"]:
        if wish in KINDS:
            assert not any(KINDS[wish](source, i) for i in summary.kept)
        else:
            assert not any(folded[i] == fold(wish) for i in summary.kept)
            assert not any(place & set(summary.kept) for place in phrase_in(folded, fold(wish).split()))
    return True


def phrase_in(words: list[str], phrase: list[str]) -> list[set[int]]:
    """The places where the words of a phrase stand one after the other."""
    size = len(phrase)
    return [set(range(i, i + size)) for i in range(len(words) - size + 1) if size and words[i : i + size] == phrase]


@given(requests())
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_promises(summarizer: Summarizer, request_: tuple[str, dict[str, Any]]) -> None:
    assert check(summarizer, *request_)


@pytest.mark.slow
@given(requests())
@settings(
    max_examples=int(os.environ.get("TERSELY_EXAMPLES", "2000")),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_promises_at_length(summarizer: Summarizer, request_: tuple[str, dict[str, Any]]) -> None:
    assert check(summarizer, *request_)
