"""The promises for drawn cases and for cases that failed once, and the fuzzer itself."""

from __future__ import annotations

import random
from typing import Any

import promises
import pytest
from fuzz_texts import make_case, make_text
from fuzzing import CHECKS, broken, drawn, fuzz, smaller
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely import Summarizer

pytestmark = pytest.mark.no_cover
TEXTS = st.one_of(st.text(max_size=40), st.randoms(use_true_random=False).map(lambda rng: make_text(rng)[0]))


def test_nine_of_ten_drawn_cases_shorten_a_text(summarizer: Summarizer) -> None:
    rng = random.Random(1)
    summaries = [promises.summary_of(summarizer, make_case(rng)) for _ in range(100)]
    assert sum(summary is not None and len(summary.kept) < len(summary.tokens) for summary in summaries) >= 90


@pytest.mark.filterwarnings("ignore")
def test_a_short_run_with_a_fixed_seed(summarizer: Summarizer) -> None:
    made, failures = fuzz(summarizer, number=1, seconds=300, calls=120)
    assert failures == []
    assert set(made) == set(CHECKS)


@pytest.mark.parametrize("name", sorted(promises.PROMISES))
@settings(max_examples=5, deadline=None)
@given(case=drawn("a promise"))
def test_promises_hold_for_drawn_cases(name: str, summarizer: Summarizer, case: promises.Case) -> None:
    promises.PROMISES[name](summarizer, case)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.booleans())
def test_the_tokenisers_promises_hold_for_anything(text: str, pretokenized: bool) -> None:
    case = {"text": text, "options": {"pretokenized": pretokenized}}
    for check in (promises.joined_words_are_stretches_of_the_source, promises.a_clitic_keeps_its_host):
        check(None, case)  # type: ignore[arg-type]


def test_a_broken_promise_is_seen_and_made_small(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    def glued(words: Any, **options: Any) -> str:
        return "".join(word.text for word in words)

    monkeypatch.setattr("tersely.summary.rendering.render", glued)
    check = CHECKS["the_length_is_exact"]
    case = {"text": "one two three four five six", "options": {"words": 2, "seed": 3}}
    assert "has not 2 words" in broken(check, summarizer, case)
    small = smaller(check, summarizer, case)
    assert len(small["text"].split()) == 3
    assert small["options"] == {"words": 2}


BROKE_ONCE = [
    {"text": "In 2019 the % of women on boards rose to 30", "options": {"words": 5}},
    {"text": "The ticket costs 100$ 20 people said", "options": {"words": 3}},
    {"text": "cuba 's president paid $ 5 billion", "options": {"words": 3, "pretokenized": True}},
    {"text": "He said 'no' to ʼ them again today", "options": {"words": 4}},
    {"text": "no ship sank", "options": {"words": 9, "drop": ["no"]}},
    {"text": "president & n't", "options": {"words": 2, "pretokenized": True}},
    {
        "text": "paid " + "$ 5 and " * 20 + "closed",
        "options": {
            "words": 3,
            "pretokenized": True,
            "keep": ["paid", "closed"],
            "objective": {"style": 1},
        },
    },
    {"text": "one two three", "options": {"words": 10**400}},
    {  # a better swap of words that are far apart
        "text": "Mr. Smith 彼はAT&Tの社員で、2020年に on Tuesday -3% 10-15% on Tuesday ភាសាខ្មែរ paid "
        '"a 6" pipe"\'s won! Then বাংলাদেশের প্রধানমন্ত্রী Yahoo!\'s chief state-of-the-art ships raised!',
        "options": {"words": 19},
    },
    {  # the best candidate had no room for its capital
        "text": "Mr. (won't sell) AT&T 12.5 % in Fresno, Calif., the U.S. president cut the port US$ 3bn "
        "after a 3-2 win",
        "options": {"pixels": 474},
    },
]


@pytest.mark.parametrize("name", sorted(promises.PROMISES))
@pytest.mark.parametrize("case", BROKE_ONCE, ids=[str(case["text"])[:30] for case in BROKE_ONCE])
def test_what_broke_once_holds(summarizer: Summarizer, case: promises.Case, name: str) -> None:
    promises.PROMISES[name](summarizer, case)


@pytest.mark.parametrize("words", range(1, 10))
def test_no_figure_is_made_up(summarizer: Summarizer, words: int) -> None:
    summary = summarizer("In 2019 the % of women on boards rose to 30", words=words)
    assert len(summary.split()) == words
    assert "2019%" not in summary
    assert "$20" not in summarizer("The ticket costs 100$ 20 people said", words=min(words, 6))


def test_no_limit_is_broken_and_marks_are_the_sources_own(summarizer: Summarizer) -> None:
    rng = random.Random(0)
    for _ in range(60):
        case = make_case(rng)
        if case["options"].get("objective") in (None, "paper"):  # which has no marks
            case["options"]["objective"] = {"fluency": 1, "similarity": 3}
        case["options"].pop("search", None)
        promises.a_limit_is_never_exceeded(summarizer, case)
        promises.marks_are_the_sources_own_and_paired(summarizer, case)
