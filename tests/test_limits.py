"""Limits of characters and bytes, and ranges of words: never broken, well used, and no word is cut."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tersely import Summarizer
from tersely.candidates.length import Budget, Length
from tersely.candidates.measure import count_bytes, count_chars
from tersely.errors import InputError
from tersely.scoring.use import BoundUse, Use
from tersely.search import SEARCHES
from tersely.sentence.sentence import Sentence
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

TEXT = (
    "A German container ship, the Caf\u00e9 \U0001f1e9\U0001f1ea, ran aground at the French port of Le Havre early "
    "Tuesday, but authorities said: no casualties; no pollution."
)
COUNT = {"chars": count_chars, "bytes": count_bytes}


@pytest.mark.no_cover
# Exhaustive search takes too long here, and chain search needs an objective with a sum over neighbours.
@pytest.mark.parametrize("search", [name for name in SEARCHES if name not in ("exhaustive", "chain")])
@pytest.mark.parametrize("unit", COUNT)
def test_no_search_breaks_a_limit(summarizer: Summarizer, neighbours: str, search: str, unit: str) -> None:
    objective = {"fluency": 1.0, "similarity": 12.0, neighbours: 0.1}
    for size in (9, 30, 60):
        summary = summarizer(TEXT, search=search, objective=objective, keep=["Havre"], drop=["the"], **{unit: size})
        assert COUNT[unit](summary.text) <= size
        kept = [summary.tokens[i] for i in summary.kept]
        assert "Havre" in kept
        assert "the" not in kept
        assert [word.strip(",;:").lower() for word in summary.text.split()] == [word.lower() for word in kept]


@pytest.mark.no_cover
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


@pytest.mark.parametrize(("limit", "power"), [(5, 1), (10, 1), (40, 4)])
def test_use_counts_more_where_the_limit_holds_many_words(limit: int, power: float) -> None:
    """What a short candidate gains in a sum over words grows with the limit."""
    sentence = Sentence.of(tokenize("word " * 60), Vocabulary.of([]))
    bound = Use().bind(sentence, Length.of(words=(1, limit)).budget(sentence.tokens))
    assert bound is not None
    masks = np.arange(60) < np.array([1, limit // 2, limit])[:, None]
    assert bound.log_scores(masks) == pytest.approx(power * np.log(masks.sum(axis=1) / limit))


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


JAPANESE = "彼はAT&Tの社員で、2020年にNew Yorkから東京へ来た。"


@pytest.mark.no_cover
@pytest.mark.parametrize("unit", COUNT)
def test_a_script_without_spaces_gets_none(summarizer: Summarizer, unit: str) -> None:
    for size in range(6, COUNT[unit](JAPANESE), 3):
        summary = summarizer(JAPANESE, **{unit: size})
        assert COUNT[unit](summary) <= size
        sides = [(left[-1], right[0]) for left, right in itertools.pairwise(summary.split(" "))]
        assert all(left.isascii() or right.isascii() for left, right in sides)
    assert " " not in summarizer("彼はAT&Tの社員で、東京へ来た。", chars=12)


def test_a_firm_keeps_its_whole_name(summarizer: Summarizer) -> None:
    text = "the firm Harrow & Finch paid the french port authorities"
    for words in range(1, 8):
        kept = {"Harrow", "&", "Finch"}.intersection(summarizer(text, words=words).split())
        assert len(kept) in (0, 3)
    assert summarizer("Harrow & Finch", words=2) == "Harrow Finch"  # too few words for more
