from __future__ import annotations

import numpy as np
import pytest

from tersely.training.corpus import Encoded
from tersely.training.validate import line_scores, measure, preferences, swap_neighbours

LINES = Encoded(np.arange(3, 23, dtype=np.int32), np.array([0, 4, 10, 20]))


def rising(lines: np.ndarray, *, exact: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """A model that believes in rising numbers: it gives 0 to a word above the one before it, -5 to the others."""
    falls = np.diff(lines, axis=1, prepend=lines[:, :1] - 1) < 0
    return np.where(np.pad(falls, ((0, 0), (0, 1))), -5.0, 0.0), np.full((len(lines), lines.shape[1] + 1), 0.1)


def falling(lines: np.ndarray, *, exact: bool = True) -> tuple[np.ndarray, np.ndarray]:
    return rising(lines[:, ::-1])


def test_perplexity_counts_words_and_end_symbols() -> None:
    quality = measure(rising, LINES, backward=False)
    assert quality.n_tokens == 23
    assert quality.perplexity == pytest.approx(np.exp(0.1))
    assert measure(rising, LINES, backward=True).perplexity == pytest.approx(np.exp(0.1 + 5 * 17 / 23))


def test_a_model_of_order_prefers_the_original() -> None:
    assert preferences([rising, falling], LINES, np.random.default_rng(0)) == {"swap": 1.0, "shuffle": 1.0}


def test_a_model_that_does_not_care_prefers_nothing() -> None:
    def flat(lines: np.ndarray, *, exact: bool = True) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((len(lines), lines.shape[1] + 1)), np.zeros((len(lines), 1))

    assert preferences([flat, flat], LINES, np.random.default_rng(0)) == {"swap": 0.0, "shuffle": 0.0}


def test_scores_come_back_in_the_order_of_the_lines() -> None:
    lines = [np.array(line, np.int32) for line in ([5, 4, 3], [3, 4], [3, 4, 5])]
    assert line_scores([rising], lines) == pytest.approx([-10 / 4, 0, 0])


def test_a_swapped_copy_has_the_same_words() -> None:
    rng, line = np.random.default_rng(0), np.arange(8, dtype=np.int32)
    swapped = swap_neighbours(line, rng)
    assert (swapped != line).sum() == 2
    assert sorted(swapped) == list(line)
