"""The editor's tables: kinds of gaps, styles, and lengths made comparable."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tersely.scoring import editor
from tersely.scoring.editor import (
    COMPRESSED,
    EDITED,
    SPOKEN,
    asked,
    gap_clues,
    gap_kinds,
    log_partitions,
    worth_of_a_word,
)


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


def test_a_style_is_told_apart_from_the_others() -> None:
    told = [asked(8, 4, style)[4:].tolist() for style in (EDITED, COMPRESSED, SPOKEN)]
    assert told == [[0, 0], [1, 0], [0, 1]]
    assert asked(8, 4, SPOKEN, known=2)[4:].tolist() == [0]  # an older editor takes it for its own style


def test_partitions_sum_over_all_candidates_of_a_length() -> None:
    n = 6
    edges = np.random.default_rng(5).normal(size=(n + 1, n + 1)) * 9
    found = log_partitions(edges, n)
    for k in range(1, n + 1):
        sums = [edges[[0, *(i + 1 for i in kept)], [*kept, n]].sum() for kept in itertools.combinations(range(n), k)]
        assert found[k] == pytest.approx(np.logaddexp.reduce(sums))


def test_partitions_of_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = np.random.default_rng(5).normal(size=(41, 41))
    exact = log_partitions(edges, 30)
    monkeypatch.setattr(editor, "_MOST_TRIED", 40 * 30 * 20)
    assert log_partitions(edges, 30)[20:] == pytest.approx(exact[20:], rel=0.01)  # few candidates skip 20 words
    monkeypatch.setattr(editor, "_MOST_TRIED", 1)
    assert np.isfinite(log_partitions(np.full((41, 41), 200.0), 30)).all()


def test_the_worth_of_a_word_in_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = np.random.default_rng(5).normal(size=(41, 41)).astype(np.float32)
    exact = worth_of_a_word(edges, 30)
    monkeypatch.setattr(editor, "_MOST_TRIED", 40 * 32 * 39)
    assert worth_of_a_word(edges, 30) == pytest.approx(exact)  # words that are 40 apart are no neighbours of 30 in 40
    monkeypatch.setattr(editor, "_MOST_TRIED", 1)
    assert np.isfinite(worth_of_a_word(np.full((41, 41), 2.0, np.float32), 30))
