"""The fast path: every promise of a summary holds without the search, and a bundle without a selector says so."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import write_tiny_bundle
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from tersely.bundle import _sha256
from tersely.errors import BundleError, InputError
from tersely.length import count_words
from tersely.options import Options
from tersely.scoring.selector import Selector
from tersely.summarizer import Summarizer
from tersely.text import tokenize

TEXT = (
    "A German container ship ran aground early on Tuesday, but authorities said there were no casualties in the port."
)


def n_words(text: str) -> int:
    return count_words(tokenize(text))


def test_has_exactly_the_length_asked_for(summarizer):
    for words in range(1, 12):
        assert n_words(summarizer(TEXT, words=words, fast=True)) == words
    assert n_words(summarizer(TEXT, ratio=0.5, fast=True)) == 10
    assert 4 <= n_words(summarizer(TEXT, words=(4, 6), fast=True)) <= 6


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from("ship didn't $5.2 Cuba's 12.5% no , never the; ran — aground".split()), min_size=2),
    st.integers(8, 60),
)
def test_limits_are_never_broken(summarizer, tokens, limit):
    text = " ".join([*tokens, "ship"])
    for unit, count in (("chars", len), ("bytes", lambda text: len(text.encode()))):
        assert count(summarizer(text, **{unit: limit}, fast=True)) <= limit


def test_keeps_and_drops_what_is_pinned(summarizer):
    summary = summarizer(TEXT, words=4, keep=["port"], drop=["ship"], fast=True)
    assert "port" in summary.split()
    assert "ship" not in summary.split()
    assert n_words(summary) == 4


def test_keeps_a_negation_with_its_word(summarizer):
    for words in range(2, 12):
        kept = summarizer(TEXT, words=words, fast=True).split()
        free = summarizer(TEXT, words=words, fast=True, negation=False).split()
        assert len(kept) == len(free)
        tree = dict(enumerate(summarizer(TEXT, words=words, fast=True).tree or ()))
        head = tree[14][0]  # of "no", by the parser
        words_of = tokenize(TEXT)
        assert "no" in kept or head < 0 or [w.text for w in words_of if not w.punctuation][head] not in kept


def test_is_the_exact_optimum_and_can_be_replayed(summarizer):
    summary = summarizer(TEXT, words=5, fast=True, n_best=4)
    ranked = [summary, *summary.others]
    assert len({one.kept for one in ranked}) == 4
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert summary.score == pytest.approx(sum(summary.weights[name] * value for name, value in summary.factors.items()))
    assert "selector" in summary.factors
    assert summary.tree is not None
    assert "fast:yes" in summary.signature


def test_the_same_twice_and_in_a_batch(summarizer):
    assert summarizer(TEXT, words=6, fast=True).kept == summarizer(TEXT, words=6, fast=True, seed=9).kept
    assert [one.kept for one in summarizer.batch([TEXT, TEXT], words=6, fast=True)] == [
        summarizer(TEXT, words=6, fast=True).kept
    ] * 2


def test_different_ones_differ(summarizer):
    summary = summarizer(TEXT, words=6, fast=True, n_best=3, diverse=True)
    assert summary.others
    for other in summary.others:
        assert len(set(other.kept) - set(summary.kept)) >= 2


def test_every_length(summarizer):
    assert [n_words(one) for one in summarizer.lengths(TEXT, fast=True, words=9)] == list(range(1, 10))
    for one in summarizer.lengths(TEXT, fast=True, chars=40):
        assert len(one) <= 40


def test_a_text_that_fits_comes_back_whole(summarizer):
    assert summarizer("ship ran aground", words=5, fast=True) == "ship ran aground"
    assert summarizer("ship", words=1, fast=True) == "ship"


def test_asks_no_language_model(tiny_bundle, monkeypatch):
    fresh = Summarizer.load(tiny_bundle)
    monkeypatch.setattr(type(fresh.bundle), "language_model", lambda *_: pytest.fail("it asked a language model"))
    assert fresh(TEXT, words=5, fast=True)


def test_a_bundle_without_a_selector_says_what_to_do(tmp_path):
    plain = Summarizer.load(write_tiny_bundle(tmp_path / "plain", selector=False))
    with pytest.raises(BundleError, match="tersely distill"):
        plain(TEXT, words=5, fast=True)
    with pytest.raises(BundleError, match="tersely distill"):
        plain.check(Options.of(words=5, fast=True))
    assert plain(TEXT, words=5)


def test_refuses_what_the_selector_has_not_learned(summarizer):
    with pytest.raises(InputError, match="fast knows the objectives paper, not 'custom'"):
        summarizer(TEXT, words=5, fast=True, objective={"fluency": 1.0})
    with pytest.raises(InputError, match="leave out fast or beam"):
        summarizer(TEXT, words=5, fast=True, search="beam")


def test_a_selector_of_another_version_is_refused(summarizer):
    bundle = summarizer.bundle
    short = {name: tensor[..., :-1] for name, tensor in bundle.tensors.items() if name.startswith("selector.")}
    with pytest.raises(BundleError, match="distill it anew"):
        Selector.from_tensors(short.__getitem__, ("paper",), bundle.selector.clues)


def test_scores_do_not_depend_on_how_many_edges_are_in_memory(summarizer, monkeypatch):
    whole = summarizer(TEXT, words=5, fast=True)
    monkeypatch.setattr("tersely.scoring.selector._EDGES", 7)
    parts = summarizer(TEXT, words=5, fast=True)
    assert whole.kept == parts.kept
    np.testing.assert_allclose(whole.score, parts.score, atol=1e-4)


@pytest.mark.parametrize("name", ["selector.edge", "selector.edge.hidden", "selector.word"])
@pytest.mark.parametrize("shape", [(), (-1,)])
def test_a_selector_whose_tensors_lost_their_shape_is_refused(tmp_path, name, shape):
    folder = write_tiny_bundle(tmp_path / "tiny")
    tensors = load_file(folder / "selector.safetensors")
    flat = tensors[name].ravel()
    tensors[name] = (flat[:1] if shape == () else flat).reshape(shape).copy()
    save_file(tensors, folder / "selector.safetensors")
    description = json.loads((folder / "bundle.json").read_text())
    description["files"]["selector.safetensors"] = _sha256(folder / "selector.safetensors")
    (folder / "bundle.json").write_text(json.dumps(description))
    with pytest.raises(BundleError):
        Summarizer.load(folder)(TEXT, words=5, fast=True)
