"""Limits of characters and bytes, and ranges of words: never broken, well used, and no word is cut."""

from __future__ import annotations

import numpy as np
import pytest

from tersely import Summarizer
from tersely.errors import InputError
from tersely.length import Budget, Length
from tersely.measure import count_bytes, count_chars
from tersely.scoring.use import BoundUse
from tersely.search import SEARCHES
from tersely.text import tokenize

TEXT = (
    "A German container ship, the Caf\u00e9 \U0001f1e9\U0001f1ea, ran aground at the French port of Le Havre early "
    "Tuesday, but authorities said: no casualties; no pollution."
)
COUNT = {"chars": count_chars, "bytes": count_bytes}


@pytest.mark.parametrize("search", [name for name in SEARCHES if name != "exhaustive"])
@pytest.mark.parametrize("unit", COUNT)
def test_no_search_breaks_a_limit(summarizer: Summarizer, search: str, unit: str) -> None:
    for size in (9, 30, 60):
        summary = summarizer(TEXT, search=search, keep=["Havre"], drop=["the"], **{unit: size})
        assert COUNT[unit](summary.text) <= size
        kept = [summary.tokens[i] for i in summary.kept]
        assert "Havre" in kept
        assert "the" not in kept
        assert [word.strip(",;:") for word in summary.text.split()] == kept


@pytest.mark.parametrize("unit", COUNT)
def test_every_limit_from_the_smallest_to_the_whole_text(summarizer: Summarizer, unit: str) -> None:
    sizes = range(1, COUNT[unit](TEXT) + 2, 7)
    texts = [summarizer(TEXT, **{unit: size}).text for size in sizes]
    assert all(COUNT[unit](text) <= size for text, size in zip(texts, sizes, strict=True))
    assert summarizer(TEXT, **{unit: COUNT[unit](TEXT)}).text == TEXT  # what fits comes back whole
    assert summarizer(TEXT, **{unit: COUNT[unit](TEXT) - 1}).text != TEXT


def test_a_range_of_words(summarizer: Summarizer) -> None:
    for least, most in ((2, 4), (6, 10), (1, 1), (3, 90)):
        summary = summarizer(TEXT, words=(least, most))
        assert least <= len(summary.kept) <= most
    assert len(summarizer("one two three", words=(5, 9)).kept) == 3
    assert str(Length.of(words=(6, 10))) == "words=6-10"
    assert Length.of(words=(6, 10)).label == "6-10 words"
    assert Length.of(words=(6, 6)) == Length.of(words=6)
    assert "length:words=6-10" in summarizer(TEXT, words=[6, 10]).signature


def test_a_range_is_scored_as_a_limit_of_words(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=(6, 10))
    assert summary.factors["use"] == pytest.approx(np.log(len(summary.kept) / 10))
    assert "use" not in summarizer(TEXT, words=8).factors  # equally long candidates need no such factor


def test_candidates_of_equal_length_keep_their_order(summarizer: Summarizer) -> None:
    budget = Budget(np.array([4, 6, 4, 6]), 11, unit="characters", spare=1)
    masks = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]], dtype=bool)
    scores = BoundUse(budget).log_scores(masks)
    assert scores[0] == scores[1] == pytest.approx(np.log(0.9))
    assert scores[2] < scores[0]


def test_a_limit_too_small_names_the_smallest_and_that_one_works(summarizer: Summarizer) -> None:
    text = "Havre, authorities"  # a comma after the shortest word does not make it longer
    with pytest.raises(InputError, match="4 characters is too small for any word: the smallest possible is 5"):
        summarizer(text, chars=4)
    assert summarizer(text, chars=5).text == "Havre"
    with pytest.raises(InputError, match="takes up to 11, but the limit is 9 characters"):
        summarizer(text, chars=9, keep=["authorities"])


def test_a_text_that_fits_stays_as_it_is_even_where_words_touch(summarizer: Summarizer) -> None:
    text = "\U0001f600ship\U0001f600"
    assert [token.text for token in tokenize(text)] == ["\U0001f600", "ship", "\U0001f600"]
    assert summarizer(text, chars=6).text == text
    assert count_chars(summarizer(text, chars=5).text) <= 5


@pytest.mark.parametrize("length", [{"words": 5}, {"words": (3, 6)}, {"chars": 40}])
def test_shares_add_up_to_the_score(summarizer: Summarizer, length: dict[str, object]) -> None:
    summary = summarizer(TEXT, **length)
    shares = [summary.weights[name] * value for name, value in summary.factors.items()]
    assert sum(shares) == pytest.approx(summary.score, abs=1e-5)
    assert [share.share for share in summary.explain().factors] == pytest.approx(shares)


@pytest.mark.parametrize("unit", COUNT)
def test_every_length_within_a_limit(summarizer: Summarizer, unit: str) -> None:
    found = summarizer.lengths(TEXT, objective={"position": 1.0}, **{unit: 60})
    sizes = [COUNT[unit](summary) for summary in found]
    assert sizes == sorted(sizes)
    assert sizes[-1] <= 60
    for size in (10, 25, 40, 60):  # the last that is no longer is the one that a search for that limit finds
        alone = summarizer(TEXT, objective={"position": 1.0}, **{unit: size})
        best = [summary for summary in found if COUNT[unit](summary) <= size][-1]
        assert best.kept == alone.kept
    assert summarizer.lengths(TEXT, **{unit: 10**15})[-1] == TEXT  # what fits comes back whole


def test_every_length_with_pins(summarizer: Summarizer) -> None:
    by_words = summarizer.lengths(TEXT, words=6, keep=["Havre", "Tuesday"], drop=["the"])
    assert [len(summary.kept) for summary in by_words] == [2, 3, 4, 5, 6]
    for summary in (*by_words, *summarizer.lengths(TEXT, chars=40, keep=["Havre", "Tuesday"], drop=["the"])):
        kept = [summary.tokens[i] for i in summary.kept]
        assert {"Havre", "Tuesday"} <= set(kept)
        assert "the" not in kept
