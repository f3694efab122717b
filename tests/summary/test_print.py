"""A summary is ready to print: capitals, marks, datelines, markup, and warnings about texts that look wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from conftest import write_tiny_bundle

from tersely import Summarizer, Summary
from tersely.errors import InputError, TerselyWarning
from tersely.summary.check import over_limit
from tersely.summary.diff import diff
from tersely.summary.options import Options

OBJECTIVE = {"fluency": 1.0, "similarity": 12.0}  # "paper" adds nothing to its words, and the tiny bundle has no other
pytestmark = pytest.mark.filterwarnings("ignore:several sentences")
Shorten = Callable[..., Summary]
SHIP = "The ship ran aground at the port"


@pytest.fixture
def shorten(summarizer: Summarizer) -> Shorten:
    return partial(summarizer, objective=OBJECTIVE)


def test_a_summary_begins_with_a_capital_where_the_source_does(shorten: Shorten) -> None:
    assert shorten(SHIP, words=3, keep=["ship ran aground"]) == "Ship ran aground"
    assert shorten(SHIP, words=3, keep=["ship ran aground"], case="source") == "ship ran aground"
    assert shorten(SHIP.lower(), words=3, keep=["ship ran aground"]) == "ship ran aground"
    assert shorten("The new iPhone was in Cuba", words=2, keep=["iPhone", "Cuba"]) == "iPhone Cuba"
    assert shorten("the ship SANK", words=3) == "the ship SANK"  # what fits stays as it is
    assert shorten(SHIP, words=3, keep=["ship ran aground"], objective="paper") == "ship ran aground"
    assert shorten("The ship ran", words=2, drop=["The"], pretokenized=True) == "ship ran"


@pytest.mark.parametrize("first", ["iPhone", "amazon.com", "78", "$5", "LONDON (Reuters) -"])
def test_a_summary_begins_with_a_capital_after_a_word_without_one(shorten: Shorten, first: str) -> None:
    assert shorten(f"{first} ship ran aground there.", words=3, keep=["ship ran aground"]) == "Ship ran aground"


def test_a_text_without_capitals_and_marks_gets_none(shorten: Shorten) -> None:
    assert shorten("78 ship ran aground there", words=3, keep=["ship ran aground"]) == "ship ran aground"
    assert shorten("\u6771 ship ran aground there.", words=3, keep=["ship ran aground"]) == "ship ran aground"


def test_a_reserve_has_a_bound() -> None:
    with pytest.raises(InputError, match="reserve must be at most"):
        Options.of(chars=60, reserve=10**400)


def test_a_second_sentence_begins_with_a_capital_too(shorten: Shorten) -> None:
    text = "Do miss out! There were no casualties."
    assert shorten(text, words=5, keep=["miss out", "were no casualties"]) == "Miss out! Were no casualties"
    assert shorten(text, words=5, keep=["miss out", "were no casualties"], punctuation=False).count("!") == 0


def test_marks_count_in_characters_and_not_in_words(shorten: Shorten) -> None:
    text = "Stop there! The old storm killed people."
    for size in range(4, len(text)):
        assert len(shorten(text, chars=size, end="period")) <= size
    kept = {"keep": ["Stop", "storm killed people"], "words": 4}
    assert shorten(text, end="period", **kept) == "Stop! Storm killed people."
    assert shorten(text, **kept) == "Stop! Storm killed people"
    assert shorten(text, chars=26, end="period", keep=kept["keep"]) == "Stop! Storm killed people."


def test_a_bundle_without_a_parser_keeps_marks(tmp_path_factory: pytest.TempPathFactory) -> None:
    bundle = write_tiny_bundle(tmp_path_factory.mktemp("plain") / "tiny", parser=False)
    plain = partial(Summarizer.load(bundle), objective=OBJECTIVE)
    assert plain("The ship, is it aground?", words=3, keep=["is it aground"]) == "Is it aground?"
    assert plain('The "new plan" was aground', words=2, keep=["new plan"]) == '"New plan"'


@pytest.mark.parametrize("dateline", ["WASHINGTON (AP) \u2014 ", "LONDON (Reuters) - "])
def test_a_dateline_goes_first(shorten: Shorten, dateline: str) -> None:
    text = dateline + "The ship ran aground"
    assert shorten(text, words=4) == "The ship ran aground"
    assert set(shorten(text, chars=20).kept).isdisjoint({0, 1})
    assert shorten(text, words=2, keep=[text.split()[0]]).startswith(text.split()[0])
    assert len(shorten(text, words=5).kept) == 5  # nothing else is left
    assert shorten(text, words=20) == text


def test_html(shorten: Shorten) -> None:
    text = "<p>The ship <b>ran</b> aground at AT&amp;T</p>"
    with pytest.warns(TerselyWarning, match="markup"):
        shorten(text, words=3)
    summary = shorten(text, words=4, html=True, keep=["ship", "AT&T"])
    assert summary.tokens == ("The", "ship", "ran", "aground", "at", "AT&T")
    assert not summary.warnings
    assert summary.explain().words[-1].word == "AT&T"
    assert shorten(text, words=9, html=True) == "The ship ran aground at AT&T"


def test_warnings(shorten: Shorten) -> None:
    with pytest.warns(TerselyWarning, match="unknown"):
        summary = shorten("Das Schiff lief vor dem Hafen auf Grund", words=3)
    assert len(summary.warnings) == len(summary.to_dict()["warnings"]) == 1
    with pytest.warns(TerselyWarning, match="several sentences"):
        shorten("The ship ran aground. There were no casualties.", words=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert shorten(SHIP, words=3).warnings == ()
        shorten("Das Schiff lief auf Grund. Ja.", words=30)  # nothing is shortened


def test_the_first_sentence_alone(shorten: Shorten) -> None:
    text = "The ship ran aground. There were no casualties."
    assert shorten(text, words=3, lead=True, keep=["ship ran aground"]) == "Ship ran aground"
    assert shorten(text, words=9, lead=True) == "The ship ran aground."
    assert shorten(text, words=3, lead=True).tokens == ("The", "ship", "ran", "aground")


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_its_place(summarizer: Summarizer, workers: int) -> None:
    texts = [SHIP, None, float("nan"), "", SHIP]
    found = list(summarizer.batch(texts, words=3, errors="return", workers=workers))  # type: ignore[arg-type]
    assert [isinstance(one, InputError) for one in found] == [False, True, True, True, False]
    assert [str(found[i]).split(":")[0] for i in (1, 2, 3)] == ["text 1", "text 2", "text 3"]
    assert found[0] == found[4] == summarizer(SHIP, words=3)
    with pytest.raises(InputError, match="text 1: text must be a str"):
        list(summarizer.batch(texts, words=3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="errors must be"):
        summarizer.batch(texts, words=3, errors="ignore")  # type: ignore[call-overload]
    for no_texts in (None, 3, SHIP):  # a str is one text
        with pytest.raises(InputError, match="texts must be a list or an iterator of texts, not"):
            summarizer.batch(no_texts, words=3)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="workers must be"):
        list(summarizer.batch(texts, words=3, workers=np.array([1, 2])))  # type: ignore[call-overload]
    pinned = list(summarizer.batch([SHIP, "no casualties"], words=1, keep=["ship"], errors="return"))
    assert pinned[0] == "ship"
    assert isinstance(pinned[1], InputError)  # what cannot keep its pins costs only itself


def test_what_is_over_a_limit() -> None:
    assert over_limit(SHIP, Options.of(chars=32, words=7)) == []
    assert over_limit(SHIP, Options.of(chars=31, words=6)) == [
        "7 words, the limit is 6 words",
        "32 characters, the limit is 31 characters",
    ]
    assert over_limit(SHIP, Options.of(chars=40, reserve=9)) == ["32 characters, the limit is 40 characters less 9"]
    assert over_limit(SHIP, Options.of(ratio=0.5)) == ["7 words, the limit is 50 %"]
    assert over_limit("x" * 161, Options.of(sms=1)) == ["2 messages, the limit is 1 messages"]


def test_what_was_dropped() -> None:
    assert diff('The "old" ship, (it) sank.', [1, 2, 4]) == '[-The-] "old" ship, ([-it-]) sank.'
    assert diff("a b", [0], colour=True) == "a \x1b[9;31mb\x1b[0m"
