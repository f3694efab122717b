"""The objectives of a bundle: which weights a sentence gets, what a bundle lacks, and what tells two of them apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_bundle import tiny_parser, write_tiny_bundle

from tersely import Summarizer
from tersely.bundle.bundle import open_bundle
from tersely.bundle.writing import copy_bundle, write_bundle
from tersely.errors import BundleError, InputError
from tersely.sentence.labels import LABELS
from tersely.text.vocabulary import Vocabulary

TEXT = "The ship ran aground"
EARLY, LATE = {"position": 1.0}, {"position": -1.0}


def test_the_papers_weights_and_the_default(tiny_bundle: Path, tmp_path: Path) -> None:
    objectives = open_bundle(tiny_bundle).objectives
    assert objectives.named == {"paper": {"fluency": 1.0, "similarity": 12.0}, "fast": {"editor": 1.0}}
    assert objectives.default == "paper"
    assert all(objectives.objective(name).plain for name in (None, "fluency only", "paper without fluency"))
    tuned = open_bundle(write_tiny_bundle(tmp_path / "tuned", objectives={"headline": EARLY})).objectives
    assert tuned.default == tuned.objective(None).name == "headline"
    assert not tuned.objective(None).plain
    assert tuned.weights(None) == {"position": 1.0, "use": 6.0}
    assert tuned.weights({"style": 2.0, "use": 0.5}) == {"style": 2.0, "use": 0.5}
    with pytest.raises(InputError, match="unknown objective 'best': known are paper, headline, fast"):
        tuned.weights("best")


def test_weights_wait_for_a_parser(tmp_path: Path) -> None:
    """A bundle gets its parser after its weights: what was left out for want of one counts from then on."""
    weights = {"mine": {"position": 1.0, "grammar": 5.0, "depth": 2.0}}
    before = open_bundle(write_tiny_bundle(tmp_path / "before", parser=False, objectives=weights))
    assert list(before.objectives.weights("mine")) == ["position", "use"]
    assert "fast" not in before.objectives.named  # there is nothing to edit by
    described = {"layers": 2, "pieces": len(before.vocabulary), "labels": list(LABELS)}
    tensors = tiny_parser(len(before.vocabulary), np.random.default_rng(0))
    copy_bundle(before, tmp_path / "after", tensors=tensors, description={"parser": described})
    after = Summarizer.load(tmp_path / "after")
    assert list(after(TEXT, words=2, objective="mine").factors) == ["position", "grammar", "depth"]
    with pytest.raises(BundleError, match="cannot serve the factor depth: it was trained without parser"):
        before.objectives.check({"depth": 1.0})  # weights of one's own are not left out


def test_a_factor_that_is_not_known_is_refused_when_it_is_used(tmp_path: Path) -> None:
    shorten = Summarizer.load(write_tiny_bundle(tmp_path / "b", objectives={"odd": {"magic": 1.0}}))
    assert shorten(TEXT, words=2, objective="paper")
    with pytest.raises(BundleError, match="objective odd has the unknown factor 'magic'"):
        shorten(TEXT, words=2, objective="odd")


def test_the_signature_has_whatever_decides(tmp_path: Path) -> None:
    """Every file but the card, what the description says of them, and the weights that are used."""
    made = open_bundle(write_tiny_bundle(tmp_path / "b", objectives={"mine": EARLY}))
    tensors, described, totals = made.tensors, made.description, made.description["counts"]

    def signature(**changed: Any) -> str:
        kept = {"vocabulary": made.vocabulary, "tensors": tensors, "description": described, "card": made.card}
        write_bundle(tmp_path / "copy", **{**kept, **changed})
        return Summarizer.load(tmp_path / "copy")(TEXT, words=2, objective="mine").signature

    same = signature()
    assert "objective:mine(position:1,use:6)|" in same
    assert signature(card="# another card\n", description={**described, "recipe": "another"}) == same
    found = [
        signature(vocabulary=Vocabulary.of(reversed(made.vocabulary.pieces[3:]))),
        signature(tensors={**tensors, "idf": tensors["idf"] + 1}),
        signature(tensors={**tensors, "parser.arc.head": tensors["parser.arc.head"] + 1}),
        signature(description={**described, "counts": {**totals, "titles": {"lines": 1, "words": 1}}}),
        signature(description={**described, "editor": {"far_needs": 0.25}}),
        signature(description={**described, "objectives": {"mine": LATE}}),
    ]
    assert len({same, *found}) == 1 + len(found)
