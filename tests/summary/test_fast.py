"""`fast`: the editor alone, by the chain. Every promise of a summary holds, and no language model is asked."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from conftest import write_tiny_bundle
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.candidates.length import count_words
from tersely.errors import BundleError, InputError
from tersely.summary.summarizer import DEFAULT_BUNDLE, Summarizer
from tersely.text.words import tokenize

TEXT = (
    "A German container ship ran aground early on Tuesday, but authorities said there were no casualties in the port."
)


def n_words(text):
    return count_words(tokenize(text))


def test_every_length_is_kept(summarizer):
    for words in range(1, 12):
        assert n_words(summarizer(TEXT, words=words, fast=True)) == words
    assert 4 <= n_words(summarizer(TEXT, words=(4, 6), fast=True)) <= 6
    assert [n_words(one) for one in summarizer.lengths(TEXT, fast=True, words=9)] == list(range(1, 10))
    for one in summarizer.lengths(TEXT, fast=True, chars=40):
        assert len(one) <= 40


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from("ship didn't $5.2 Cuba's 12.5% no , never the; ran — aground".split()), min_size=2),
    st.integers(8, 60),
)
def test_limits_are_never_broken(summarizer, tokens, limit):
    text = " ".join([*tokens, "ship"])
    for unit, count in (("chars", len), ("bytes", lambda text: len(text.encode()))):
        assert count(summarizer(text, **{unit: limit}, fast=True)) <= limit


def test_pinned_and_banned_words(summarizer):
    summary = summarizer(TEXT, words=4, keep=["port"], drop=["ship"], fast=True)
    assert "port" in summary.split()
    assert "ship" not in summary.split()


def test_a_negation_stays_with_its_word(summarizer):
    text = "The minister never paid the president for the plan"
    head, label = summarizer(text, words=2, fast=True).tree[2]  # of "never", by the tiny parser
    assert head >= 0
    assert label != "conj"
    governed = text.split()[head]
    assert set(summarizer(text, words=2, keep=governed, fast=True).lower().split()) == {"never", governed}
    assert "never" not in summarizer(text, words=2, keep=governed, negation=False, fast=True)
    with pytest.raises(InputError, match="negation"):
        summarizer(text, words=1, keep=governed, fast=True)


def test_the_best_ones_in_order_with_their_evidence(summarizer):
    summary = summarizer(TEXT, words=5, fast=True, n_best=4)
    ranked = [summary, *summary.others]
    assert len({one.kept for one in ranked}) == 4
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert summary.score == pytest.approx(sum(summary.weights[name] * value for name, value in summary.factors.items()))
    assert "editor" in summary.factors
    assert summary.tree is not None
    assert "objective:fast(editor:1" in summary.signature


def test_the_same_twice_and_in_a_batch(summarizer):
    kept = summarizer(TEXT, words=6, fast=True).kept
    assert summarizer(TEXT, words=6, fast=True, seed=9).kept == kept
    assert [one.kept for one in summarizer.batch([TEXT, TEXT], words=6, fast=True)] == [kept] * 2


def exact(summary):
    return summary.kept, summary.score.hex(), [value.hex() for value in summary.factors.values()]


def in_every_order(shorten, texts, workers):
    """Checks that the texts have the same scores, to the last bit, however they are asked for."""
    for options in ({"words": 4}, {"chars": 30}):
        alone = [exact(shorten(text, fast=True, **options)) for text in texts]
        backward = [exact(shorten(text, fast=True, **options)) for text in reversed(texts)]
        assert backward[::-1] == alone
        for n in workers:
            assert [exact(one) for one in shorten.batch(texts, workers=n, fast=True, **options)] == alone
        shorten(" ".join(texts), words=10, fast=True)
        assert exact(shorten(texts[0], fast=True, **options)) == alone[0]


def test_scores_are_equal_to_the_last_bit_in_every_order(summarizer):
    in_every_order(summarizer, [" ".join(TEXT.split()[: k + 5]) for k in range(0, 12, 2)], workers=(1, 2))


@pytest.fixture(scope="module")
def denials():
    if not DEFAULT_BUNDLE.is_dir():
        pytest.skip("no bundle in the package")
    lines = (Path(__file__).parent.parent / "cases" / "denials.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[2] for line in lines]


@pytest.mark.no_cover
@pytest.mark.slow
def test_scores_of_the_shipped_bundle_are_equal_in_every_order(denials):
    in_every_order(Summarizer.load(), denials[:8], workers=(2,))


@pytest.mark.no_cover
@pytest.mark.slow
def test_scores_of_varied_calls_are_equal_backwards_and_in_a_fresh_summarizer(denials):
    rng, calls = random.Random(1), []
    for k in range(2, 62):
        lengths = [{"words": k}, {"words": (k, 2 * k)}, {"words": k, "n_best": 4}, {"chars": 9 * k}, {"ratio": 0.4}]
        calls.append({"text": " ".join(rng.sample(denials, 1 + k // 15)), "fast": True, **rng.choice(lengths)})

    def scores(shorten, calls):
        found = [shorten(**call) for call in calls]
        return [[exact(one) for one in (summary, *summary.others)] for summary in found]

    shorten = Summarizer.load()
    forward = scores(shorten, calls)
    assert scores(shorten, calls[::-1])[::-1] == forward
    assert scores(Summarizer.load(), calls[::-1])[::-1] == forward
    every = [exact(one) for one in shorten.lengths(denials[0], words=9, fast=True)]
    assert every == [exact(shorten(denials[0], words=k, fast=True)) for k in range(1, 10)]


def test_it_asks_no_language_model(tiny_bundle, monkeypatch):
    fresh = Summarizer.load(tiny_bundle)
    monkeypatch.setattr(type(fresh.bundle), "language_model", lambda *_: pytest.fail("it asked a language model"))
    assert fresh(TEXT, words=5, fast=True)


def test_the_editor_serves_other_objectives_and_searches(summarizer):
    best = summarizer(TEXT, words=3, objective={"editor": 1.0}, search="exhaustive")
    lattice = summarizer(TEXT, words=3, objective={"editor": 1.0})
    assert lattice.score <= best.score
    assert summarizer(TEXT, words=3, fast=True).score == pytest.approx(best.score)


def test_a_bundle_without_an_editor_says_what_it_lacks(tmp_path):
    plain = Summarizer.load(write_tiny_bundle(tmp_path / "plain", editor=False))
    with pytest.raises((BundleError, InputError), match="fast"):
        plain(TEXT, words=5, fast=True)
    assert plain(TEXT, words=5)


def test_the_command_line(run):
    code, out, _ = run("--fast", "--words", 5, "--json", TEXT)
    assert code == 0
    assert n_words(json.loads(out)["text"]) == 5


def test_many_summaries_are_bounded(summarizer, monkeypatch):
    assert "bounded" not in summarizer(TEXT, words=5, n_best=1000, fast=True).signature
    monkeypatch.setattr("tersely.summary.summary._MOST_WORK", 20_000)
    found = summarizer(TEXT, words=5, n_best=1000, fast=True)
    assert found.signature.endswith("bounded:yes")
    assert 1 < len(found.others) < 100
    assert len(summarizer(TEXT, words=5, n_best=1000, fast=True, effort=2).others) > len(found.others)


def test_marks_without_room_are_left_out_in_few_steps(summarizer, monkeypatch):
    text = ", ".join(["ship"] * 300)
    made = []
    from tersely.summary import rendering

    whole = rendering.with_marks
    monkeypatch.setattr(rendering, "with_marks", lambda *args: made.append(1) or whole(*args))
    assert len(summarizer(text, chars=1200, fast=True)) <= 1200
    assert len(made) < 20


def test_marks_count_for_the_size_of_a_text(summarizer):
    with pytest.raises(InputError, match="marks"):
        summarizer("ship ran aground " + "— " * 2500, words=2)
