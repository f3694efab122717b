"""A selector that is told of a changed weight of style: each word's score changes by its style, for one objective."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from tersely import Summarizer
from tersely.bundle import open_bundle
from tersely.length import Budget
from tersely.scoring.grammar import Grammar
from tersely.source import Source
from tersely.text import tokenize

PATH = Path(__file__).parent.parent / "runs" / "reweigh_selector.py"


def test_only_style_counts_more(summarizer: Summarizer, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("reweigh_selector", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    before = summarizer.bundle
    changed, *others = before.styles
    module.main(str(before.folder), changed, "0.3", str(tmp_path / "told"))
    after = open_bundle(tmp_path / "told")
    source = Source.of(tokenize("The German ship ran aground at the French port"), before.vocabulary)
    clues = before.selector.clues(source, Grammar(before.parser()).bind(source))
    budget = Budget.of_words(len(source), 4)
    gained = after.selector.scores(clues, changed, budget) - before.selector.scores(clues, changed, budget)
    forward = np.triu_indices(len(source))
    expected = np.broadcast_to(0.3 / 0.15 / 4 * clues.style, (len(source), len(source)))
    np.testing.assert_allclose(gained[:-1, :-1][forward], expected[forward], rtol=1e-2, atol=1e-4)
    for style in others:
        np.testing.assert_allclose(
            after.selector.scores(clues, style, budget), before.selector.scores(clues, style, budget), atol=1e-6
        )
