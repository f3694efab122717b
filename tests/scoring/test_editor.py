"""The editor's tables: kinds of gaps, and what a word is worth."""

from __future__ import annotations

import numpy as np
import pytest

from tersely.scoring import editor
from tersely.scoring.editor import gap_clues, gap_kinds, worth_of_a_word


def test_clues_of_gaps() -> None:
    stretches = np.array([0, 0, 1, 5])
    clues = gap_clues(stretches)
    assert clues.shape == (5, 5, 9)
    assert clues[0, 0].tolist() == [0, 1, 0, 0, 0, 1, 0, 1, 0]  # the first word begins
    assert clues[4, 4].tolist() == [0, 1, 0, 0, 0, 0, 1, 0, 1]  # the last word ends
    assert clues[1, 1].tolist() == [0, 1, 0, 0, 1, 0, 0, 0, 0]  # neighbours of one stretch
    assert clues[1, 2].tolist() == [np.float32(np.log(2)), 0, 1, 0.5, 0, 0, 0, 0, 0]  # a word and a mark between
    assert clues[1, 3, 3] == 1.5  # three marks or more


def test_a_long_text_has_few_kinds_of_gaps() -> None:
    clues, kinds = gap_kinds(np.arange(1000))
    assert kinds.shape == (1001, 1001)
    assert kinds.max() < len(clues) == 16 * 1001


def test_the_worth_of_a_word_in_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = np.random.default_rng(5).normal(size=(41, 41)).astype(np.float32)
    exact = worth_of_a_word(edges, 30)
    monkeypatch.setattr(editor, "_MOST_TRIED", 40 * 32 * 39)
    assert worth_of_a_word(edges, 30) == pytest.approx(exact)  # words that are 40 apart are no neighbours of 30 in 40
    monkeypatch.setattr(editor, "_MOST_TRIED", 1)
    assert np.isfinite(worth_of_a_word(np.full((41, 41), 2.0, np.float32), 30))
