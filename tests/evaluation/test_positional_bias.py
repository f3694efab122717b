from __future__ import annotations

import pytest

from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.studies.positional_bias import output_shares, quarter_shares, reference_shares
from tersely.evaluation.systems import Output

SOURCE = "a b c d e f g h"  # two words to a quarter


def test_quarters_of_sources_of_different_lengths() -> None:
    # Of eight words, positions 0, 1 | 2, 3 | 4, 5 | 6, 7; of five words, 0, 1 | 2 | 3 | 4 (5 * quarter / 4, cut off).
    shares = quarter_shares([([0, 3, 7], 8), ([1, 2, 3, 4], 5)])
    assert shares.tolist() == pytest.approx([2 / 7, 2 / 7, 1 / 7, 2 / 7])


def test_kept_positions_win_over_guessing() -> None:
    dataset = Dataset("toy", (Example("a b a b", ("x",)),))
    assert output_shares([Output("a b")], dataset).tolist() == [0.5, 0.5, 0, 0]
    assert output_shares([Output("a b", kept=(2, 3), n_words=4)], dataset).tolist() == [0, 0, 0.5, 0.5]


def test_references_count_the_words_that_are_in_the_source() -> None:
    # "h" and "B" are found (last and first quarter), "zzz" is not; "a ." finds "a" at its first place.
    dataset = Dataset("toy", (Example(SOURCE + " a", ("h zzz B", "a .")),))
    # Nine words: positions 7 -> fourth quarter, 1 -> first, 0 -> first.
    assert reference_shares(dataset).tolist() == pytest.approx([2 / 3, 0, 0, 1 / 3])
