"""The summariser end to end on the tiny bundle: exact length, own words, evidence that can be replayed."""

from __future__ import annotations

import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import write_tiny_bundle
from toys import bound, read

import tersely
import tersely.bundle.bundle
import tersely.summary.summarizer
from tersely import Summarizer, Summary, TerselyError
from tersely.bundle.bundle import DEFAULT_BUNDLE
from tersely.search.lattice import Lattice, Width
from tersely.search.result import Step
from tersely.summary.options import Options

TEXT = (
    "A German registered container ship ran aground at the entrance to the French port of Le Havre early Tuesday, "
    "but authorities said there were no casualties."
)


def is_subsequence(words: list[str], sentence: list[str]) -> bool:
    rest = iter(sentence)
    return all(word in rest for word in words)


def rescored(summarizer: Summarizer, text: str, summary: Summary, objective: str = "paper") -> float:
    sentence = read(summarizer, text)
    mask = np.zeros((1, len(sentence)), dtype=bool)
    mask[0, list(summary.kept)] = True
    return float(bound(summarizer, objective, sentence).log_scores(mask)[0])


@pytest.mark.parametrize(
    ("search", "size"), [("hill_climbing", 1), ("hill_climbing", 4), ("annealing", 4), ("lattice", 4), ("lattice", 21)]
)
def test_exactly_the_wanted_words_in_order(summarizer: Summarizer, search: str, size: int) -> None:
    summary = summarizer(TEXT, words=size, objective="paper", search=search)
    assert len(summary.text.split()) == len(summary.kept) == size
    assert is_subsequence(summary.text.split(), TEXT.replace(",", "").replace(".", "").split())
    assert list(summary.kept) == sorted(set(summary.kept))
    assert str(summary) == summary.text == " ".join(summary.tokens[i] for i in summary.kept)


def test_replay(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=3, n_best=5, objective="paper", search="hill_climbing")
    for one in (summary, *summary.others):
        # Another batch has another shape, and the last bit of a float may differ before it is rounded.
        assert rescored(summarizer, TEXT, one) == pytest.approx(one.score, abs=2e-6)
    assert len(summary.others) == 4
    scores = [summary.score, *(one.score for one in summary.others)]
    assert scores == sorted(scores, reverse=True)
    assert len({one.text for one in (summary, *summary.others)}) == 5


def test_a_ratio(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, ratio=0.1)  # of 26 words and two marks
    assert len(summary.kept) == 3


def test_a_short_text_comes_back_whole(summarizer: Summarizer) -> None:
    assert summarizer("The ship, it ran aground!", words=5).text == "The ship, it ran aground!"
    assert summarizer("  The ship\tran\naground. ", words=8).text == "The ship ran aground."
    assert summarizer("The ship -- aground", words=3).text == "The ship aground"  # a dash between spaces counts
    summary = summarizer("The ship ran.", ratio=1)
    assert (summary.text, summary.kept) == ("The ship ran.", (0, 1, 2))


def test_keep_and_drop(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=4, keep=["HAVRE", "casualties"], drop=["the", "a"])
    assert {"Havre", "casualties"} <= set(summary.text.split())
    assert not {"the", "A"} & set(summary.text.split())
    assert "ship" in summarizer(TEXT, words=2, keep="ship").text


def test_keep_means_that_word_and_no_other(summarizer: Summarizer) -> None:
    summary = summarizer("Storms in 2012 and 2013 killed people in Cuba's new port", words=3, keep=["2013", "Cuba"])
    assert "2013" in summary.text
    assert "Cuba's" in summary.text
    assert "2012" not in summarizer("Storms in 2012 and 2013 killed people", words=1, keep="2013").text


def test_contractions_and_signs_stay_whole(summarizer: Summarizer) -> None:
    text = "Cuba's minister didn't pay $ 5.2 billion, 12.5 % of the U.S. plan"
    for size in (1, 2, 5, 9):
        summary = summarizer(text, words=size)
        allowed = ["Cuba's", "minister", "didn't", "pay", "$5.2", "billion", "12.5%", "of", "the", "U.S.", "plan"]
        assert is_subsequence(summary.text.split(), allowed)


def test_an_unknown_word_appears_as_itself(summarizer: Summarizer) -> None:
    summary = summarizer("The Zyxwv ran aground", words=2, keep="zyxwv")
    assert "Zyxwv" in summary.text
    assert "unk" not in summary.text.lower()


def test_the_signature_says_how(summarizer: Summarizer) -> None:
    summary = summarizer("The ship ran aground", words=2, objective="paper", search="annealing", seed=3, cosine="plain")
    name, *rest = summary.signature.split("|")
    assert name == f"tersely:{tersely.__version__}"
    assert {"objective:paper(fluency:1,similarity:12,use:6)", "cosine:plain", "search:annealing", "seed:3"} <= set(rest)
    assert {"length:words=2", "keep:none", "drop:none", "pretokenized:no", "softmax:self"} <= set(rest)
    assert any(part.startswith("bundle:tiny@") for part in rest)


def test_an_objective_of_ones_own(summarizer: Summarizer) -> None:
    forward = summarizer(TEXT, words=2, objective={"fluency_forward": 1}, search="exhaustive")
    backward = summarizer(TEXT, words=2, objective={"fluency_backward": 1}, search="exhaustive")
    assert list(forward.factors) == ["fluency_forward"]
    assert forward.score != backward.score
    assert "objective:custom(fluency_forward:1,use:6)" in forward.signature


def test_exact_softmax(summarizer: Summarizer) -> None:
    quick, exact = (summarizer("The ship ran aground", words=2, softmax=kind) for kind in ("self", "exact"))
    assert quick.factors["similarity"] != 0
    assert "softmax:exact" in exact.signature
    assert exact.factors["fluency"] < 0


def test_the_search_can_be_watched(summarizer: Summarizer) -> None:
    seen: list[Step] = []
    summary = summarizer(TEXT, words=2, search="exhaustive", observe=seen.append)
    assert len(seen) == summary.evaluations == 325


def test_batch_keeps_the_order_and_does_not_read_ahead(summarizer: Summarizer) -> None:
    read: list[str] = []

    def texts():  # type: ignore[no-untyped-def]
        for text in ("The ship ran", "The port was new"):
            read.append(text)
            yield text

    summaries = summarizer.batch(texts(), words=1)
    first = next(summaries)
    assert read == ["The ship ran"]
    assert first.text in ("The", "ship", "ran")
    assert next(summaries).text in ("The", "port", "was", "new")


def test_what_is_left_after_a_drop_is_not_too_short(summarizer: Summarizer) -> None:
    assert summarizer("The ship ran aground", words=8, drop=["the"]).text == "ship ran aground"
    assert summarizer("The ship ran aground", words=3, drop=["the", "ran"]).text == "ship aground"


def test_as_many_as_are_asked_for(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=4, n_best=100)
    assert len({one.kept for one in (summary, *summary.others)}) == 100


def test_no_text_twice(summarizer: Summarizer) -> None:
    for search in ({}, {"fast": True}, {"diverse": True}):
        best = summarizer("The ship and the ship and the port ran aground", words=4, n_best=30, **search)
        texts = [best, *best.others]
        assert len(set(texts)) == len(texts) > 3


def test_the_signature_says_where_the_work_was_bounded(summarizer: Summarizer) -> None:
    text = " ".join([TEXT] * 4)
    assert summarizer(text, words=30, effort=1e-4).signature.endswith("|effort:0.0001|bounded:yes")
    assert summarizer(text, words=5).signature.endswith("|effort:1.0")


def test_every_score_is_a_number(summarizer: Summarizer) -> None:
    summary = summarizer(TEXT, words=8, objective={"fluency": 1, "similarity": 200}, n_best=64)
    assert np.isfinite([summary.score, *(one.score for one in summary.others)]).all()


def test_a_stored_objective_and_a_search_of_ones_own(tmp_path: Path) -> None:
    shorten = Summarizer.load(write_tiny_bundle(tmp_path / "bundle", objectives={"mine": {"position": 1}}))
    summary = shorten(TEXT, words=3, objective="mine", search=Lattice((Width(2, 9, 3),)))
    assert summary.kept == (0, 1, 2)
    assert "objective:mine(position:1,use:6)|search:Lattice(widths=(Width(of_a_cell=2," in summary.signature


def test_the_default_bundle(tiny_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tersely.summary.summarizer, "_default", None)
    monkeypatch.setattr(tersely.bundle.bundle, "DEFAULT_BUNDLE", tmp_path / "none")
    with pytest.raises(TerselyError, match="no default bundle"):
        tersely.summarize("The ship ran aground", words=2)
    shutil.copytree(tiny_bundle, tmp_path / "bundle")
    monkeypatch.setattr(tersely.bundle.bundle, "DEFAULT_BUNDLE", tmp_path / "bundle")
    assert len(tersely.summarize("The ship ran aground", words=2).kept) == 2
    assert tersely.load(tiny_bundle)("The ship ran", words=1).kept


# Many texts, threads and processes

MANY = [f"{TEXT} {number} ships" for number in range(12)]


def test_batch_by_workers_is_the_same_in_the_same_order(summarizer: Summarizer) -> None:
    alone = list(summarizer.batch(MANY, words=4))
    together = list(summarizer.batch(MANY, workers=2, words=4))
    assert [one.to_dict() for one in together] == [one.to_dict() for one in alone]
    assert all(type(one) is Summary for one in together)


def test_batch_refuses_before_any_text_is_read(summarizer: Summarizer) -> None:
    def no_text():  # type: ignore[no-untyped-def]
        raise AssertionError("was read")
        yield

    for options in ({"words": 0}, {"words": 3, "objective": "best"}, {"words": 3, "workers": 0}, {"together": 4}):
        with pytest.raises(TerselyError):
            summarizer.batch(no_text(), **options)


def test_a_bad_text_in_a_batch_is_raised_in_its_place(summarizer: Summarizer) -> None:
    summaries = summarizer.batch([*MANY[:5], "", *MANY], workers=2, words=4)
    assert len([next(summaries) for _ in range(5)]) == 5
    with pytest.raises(TerselyError, match="the text is empty"):
        next(summaries)


def test_a_text_that_must_not_cost_the_others(summarizer: Summarizer) -> None:
    options = Options.of(words=3)
    assert summarizer.attempt(TEXT, options) == summarizer.shorten(TEXT, options)
    assert str(summarizer.attempt("...", options)) == "the text has no words, only punctuation"


def test_a_summarizer_pickles_small_and_with_what_was_set_on_it(tiny_bundle: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    made = Summarizer.load(tiny_bundle)
    made.bundle.description["objectives"] = {"mine": {"position": 1.0}}
    made.note = "set by somebody"  # type: ignore[attr-defined]
    monkeypatch.chdir(tiny_bundle.parent)
    relative = Summarizer.load(tiny_bundle.name)
    pickled, pickled_relative = pickle.dumps(made), pickle.dumps(relative)
    assert len(pickled) < 20_000
    assert b"weights" in pickled  # the name of the file, not the tensors
    monkeypatch.chdir("/")
    again = pickle.loads(pickled)
    assert again(TEXT, words=2, objective="mine").to_dict() == made(TEXT, words=2, objective="mine").to_dict()
    assert again.note == "set by somebody"
    assert pickle.loads(pickled_relative).bundle.folder == tiny_bundle


def test_a_bundle_that_was_replaced_is_not_mistaken_for_the_pickled_one(tmp_path: Path) -> None:
    made = Summarizer.load(write_tiny_bundle(tmp_path / "bundle"))
    pickled = pickle.dumps(made)
    write_tiny_bundle(tmp_path / "bundle", seed=8)
    with pytest.raises(TerselyError, match="has changed since"):
        pickle.loads(pickled)
    shutil.rmtree(tmp_path / "bundle")
    with pytest.raises(TerselyError, match="no bundle at"):
        pickle.loads(pickled)


@pytest.mark.skipif(not DEFAULT_BUNDLE.is_dir(), reason="no bundle in the package")
def test_the_default_bundle_is_looked_for_where_the_package_is() -> None:
    pickled = pickle.dumps(Summarizer.load())
    assert str(DEFAULT_BUNDLE.parent).encode() not in pickled
    assert pickle.loads(pickled).bundle.folder == DEFAULT_BUNDLE


def test_the_same_from_many_threads(summarizer: Summarizer) -> None:
    alone = [summarizer(text, words=4).to_dict() for text in MANY]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: summarizer(text, words=4).to_dict(), MANY))
    assert together == alone


def test_a_text_that_has_no_summary_of_that_length_is_refused(summarizer: Summarizer) -> None:
    with pytest.raises(TerselyError, match="needs"):  # "n't" needs "president", which needs both "n't"
        summarizer("n't cuba UNK president -lrb- n't & 5", words=2, pretokenized=True, objective={"position": 2.0})
