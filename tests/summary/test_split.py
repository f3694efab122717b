"""`split=True`: each sentence of a text by itself, in the library and in the command; `lead=True`: only the first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from tersely import Summarizer
from tersely.errors import InputError
from tersely.search.exhaustive import exhaustive
from tersely.search.result import SearchResult
from tersely.search.work import MOST_WORK
from tersely.summary.check import over_limit
from tersely.summary.options import Options

OBJECTIVE = {"fluency": 1.0, "similarity": 12.0}
TEXT = "The ship ran aground at the port. Authorities said there were no casualties!"


def test_each_sentence_has_a_line(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=3, objective=OBJECTIVE, split=True)
    alone = [summarizer(text, words=3, objective=OBJECTIVE) for text in (TEXT[:33], TEXT[34:])]
    assert summary.split("\n") == alone
    assert [TEXT[start:end] for start, end in summary.spans] == [summary.tokens[i] for i in summary.kept]
    assert summary.score == pytest.approx(sum(one.score for one in alone))
    assert sum(summary.weights[name] * log for name, log in summary.factors.items()) == pytest.approx(summary.score)
    assert [effect.word for effect in summary.explain().words] == list(summary.tokens)
    assert "split:yes" in summary.signature
    assert not summary.warnings
    assert all(-1 <= head < len(summary.tokens) for head, _ in summary.tree or ())


def test_long_texts_are_refused(summarizer: Summarizer) -> None:
    assert summarizer("Ship ran. " * 60, words=1, split=True, fast=True).count("\n") == 59
    with pytest.raises(InputError, match="the text has 61 sentences, the limit is 60: give it in parts"):
        summarizer("Ship ran. " * 61, words=1, split=True)
    with pytest.raises(InputError, match="the text has 100,009 characters, the limit is 100,000: give it in parts"):
        summarizer("Ship ran." + " " * 100_000, words=1, split=True)
    with pytest.raises(InputError, match="1,100 words with 7,150 characters, the limits are 1,000 and 10,000: give"):
        summarizer(("The ship ran " + "aground " * 19 + ". ") * 50, words=1, split=True)
    with pytest.raises(InputError, match="the text has 100 words with 10,700 characters"):
        summarizer(f"Ship {'a' * 210}. " * 50, words=1, split=True)


def test_sentences_share_the_work_of_a_call(summarizer: Summarizer) -> None:
    efforts: list[float] = []

    @dataclass(frozen=True)
    class Half:
        """A search that does half of the work that a call may do."""

        effort: float = 1.0

        def __call__(self, *problem: Any) -> SearchResult:
            efforts.append(self.effort)
            return replace(exhaustive(*problem), work=MOST_WORK / 2)

    summarizer("The ship ran aground. " * 4, words=2, split=True, objective=OBJECTIVE, search=Half())
    assert efforts == [1, 1, 0.01, 0.01]


def test_split_in_a_batch_and_with_html(summarizer: Summarizer) -> None:
    (found,) = summarizer.batch([f"<p>{TEXT}</p>"], chars=20, split=True, html=True, objective=OBJECTIVE)
    assert found.count("\n") == 1
    assert all(len(line) <= 20 for line in found.split("\n"))
    assert summarizer("The ship ran. ... ", words=2, split=True, objective=OBJECTIVE).count("\n") == 0


@pytest.mark.parametrize(
    ("pins", "expected"),
    [
        ({"keep": "port"}, ["port", ""]),
        ({"keep": "the#2"}, ["the", ""]),
        ({"keep": "there#1"}, ["", "there"]),
        ({"keep": ["ship", "no casualties"]}, ["ship", "no casualties"]),
        ({"prefer": "there"}, ["", "there"]),
    ],
)
def test_pins_are_for_the_sentences_that_have_them(
    summarizer: Summarizer, pins: dict[str, Any], expected: list[str]
) -> None:
    lines = summarizer(TEXT, words=3, objective=OBJECTIVE, split=True, **pins).split("\n")
    assert all(words in line.lower() for words, line in zip(expected, lines, strict=True))


def test_the_numbers_of_pins_count_over_the_whole_text(summarizer: Summarizer) -> None:
    text = "The ship left the port. The storm killed the minister."
    summary = summarizer(text, words=2, objective=OBJECTIVE, split=True, keep=["the#2", "The#3"], drop="the#1")
    assert [i for i in summary.kept if summary.tokens[i].lower() == "the"] == [3, 5]


def test_what_split_cannot_do(summarizer: Summarizer) -> None:
    with pytest.raises(InputError, match="n_best"):
        summarizer(TEXT, words=3, split=True, n_best=2)
    with pytest.raises(InputError, match="length"):
        summarizer.lengths(TEXT, words=3, split=True)
    with pytest.raises(InputError, match="punctuation"):
        summarizer("...", words=3, split=True)
    for word in ("Paris", "the#3"):
        with pytest.raises(InputError, match=f"{word}.*no sentence"):
            summarizer(TEXT, words=3, split=True, keep=word)


def test_lead_in_a_batch(summarizer: Summarizer) -> None:
    assert list(summarizer.batch([TEXT], words=9, lead=True)) == [TEXT[:33]]


def test_a_check_reads_as_a_summary_does() -> None:
    assert over_limit(f"<p>{TEXT}</p>", Options.of(chars=76, html=True)) == []
    assert over_limit(TEXT, Options.of(words=7, lead=True)) == []
    assert over_limit(TEXT, Options.of(words=6, lead=True)) == ["7 words, the limit is 6 words"]


def test_what_has_to_be_kept_fits_without_its_marks(summarizer: Summarizer) -> None:
    text = "The storm, in Cuba, killed: no people!"
    assert summarizer(text, chars=10, keep=["storm", "Cuba"], objective=OBJECTIVE) == "Storm Cuba"
    assert summarizer(text, chars=10, words=2, keep=["storm", "Cuba"], objective=OBJECTIVE) == "Storm Cuba"
