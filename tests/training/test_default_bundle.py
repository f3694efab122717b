"""What the bundle that ships promises, held against the bundle itself."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from tersely.bundle.bundle import Bundle, open_bundle
from tersely.summary.summarizer import DEFAULT_BUNDLE
from tersely.text.words import tokenize
from tersely.training.recipes import Recipe

HEADLINES = """\
storm kills three in southern france
oil prices rise after refinery fire
u.s. senate approves new trade bill
police arrest five suspects in bank robbery
stocks fall as investors worry about rates
european leaders meet to discuss budget
airline to cut 500 jobs next year
germany beats brazil to reach final
un envoy visits refugee camp near border"""


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    if not DEFAULT_BUNDLE.is_dir():
        pytest.skip("this copy has no trained bundle")
    return open_bundle(DEFAULT_BUNDLE)


def test_it_is_small_enough_to_ship(bundle: Bundle) -> None:
    assert sum(file.stat().st_size for file in bundle.folder.iterdir()) <= 60e6


def test_it_was_made_by_the_default_recipe(bundle: Bundle) -> None:
    """What the card, `tersely train --help` and runs/train_default.sh call the default is what is stored."""
    default, stored = asdict(Recipe()), bundle.description["recipe"]
    assert {name: stored[name] for name in stored if name in default} == {n: default[n] for n in default if n in stored}


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_unnormalised_scores_are_near_log_probabilities(bundle: Bundle, direction: str) -> None:
    model = bundle.language_model(direction)
    log_zs = []
    for line in HEADLINES.splitlines()[:4]:
        state = model.begin
        for piece in line.split()[:: 1 if direction == "forward" else -1]:
            log_zs.append(model.log_z(model.features(state))[0])
            state = model.step(model.project(np.array(bundle.vocabulary.ids([piece]))), state)
    assert np.mean(np.abs(log_zs)) < 0.2


def test_it_knows_the_words_of_headlines(bundle: Bundle) -> None:
    pieces = {piece for line in HEADLINES.splitlines() for word in tokenize(line) for piece in word.pieces}
    assert {piece for piece in pieces if piece not in bundle.vocabulary} == set()


def test_headline_words_have_more_weight_in_titles(bundle: Bundle) -> None:
    totals = bundle.description["counts"]
    share = {side: bundle.tensor(f"counts.{side}") / totals[side]["lines"] for side in ("titles", "articles")}
    for word, nearer in {"eyes": "titles", "urges": "titles", "the": "articles", "was": "articles"}.items():
        i = bundle.vocabulary.ids([word])[0]
        assert max(share, key=lambda side: share[side][i]) == nearer, word


def test_its_card_says_what_went_in_and_nothing_of_the_machine(bundle: Bundle) -> None:
    card = (bundle.folder / "README.md").read_text(encoding="utf-8")
    assert "reuters-news" in card
    assert "What it is not good for" in card
    for text in (card, (bundle.folder / "bundle.json").read_text(encoding="utf-8")):
        assert "/work" not in text
        assert "/home" not in text
