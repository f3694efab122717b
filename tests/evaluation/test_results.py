from __future__ import annotations

import pytest
from evaluation_toys import DATASET, Canned

from tersely.candidates.length import Length
from tersely.evaluation.datasets import Dataset, Example
from tersely.evaluation.results import evaluate
from tersely.evaluation.rouge import Rouge

THREE = Length.of(words=3)


def test_every_figure_of_a_system() -> None:
    system = Canned("x", ["ship ran aground", "storm victims in cuba ."], THREE)
    (row,) = evaluate(DATASET, [system], Rouge()).rows
    # "ship ran aground" against "ship runs aground": two of three ("ran" has three letters and is not stemmed);
    # "storm victims in cuba" against "storm kills ten": one of four and one of three, F1 2/7.
    assert row.scores["ROUGE-1"].tolist() == pytest.approx([2 / 3, 2 / 7])
    assert row.scores["ROUGE-2"].tolist() == pytest.approx([0, 0])
    assert row.mean_words == 3.5  # the full stop is no word
    assert row.violations == 1
    assert row.in_source == pytest.approx(6 / 7)  # all words but "victims"
    assert row.compression == pytest.approx((3 / 9 + 4 / 9) / 2)
    assert row.seconds == 0.25


def test_best_and_bootstrap_stay_inside_a_bracket() -> None:
    good = Canned("good", ["ship runs aground", "storm kills ten"], THREE)
    bad = Canned("bad", ["the port said", "on friday people"], THREE)
    other = Canned("other", ["ship", "storm"], Length.of(words=1))
    evaluation = evaluate(DATASET, [good, bad, other], Rouge())
    first, second, third = evaluation.rows
    assert first.best == {"ROUGE-1", "ROUGE-2", "ROUGE-L"}
    assert not second.best
    assert second.behind_best["ROUGE-1"].difference == pytest.approx(100.0)
    assert second.behind_best["ROUGE-1"].p_value == 0.0
    assert not second.is_tied("ROUGE-1")
    assert not third.best  # alone in its bracket: there is nothing to be best of
    assert third.behind_best == {}
    assert list(dict.fromkeys(row.bracket for row in evaluation.rows)) == ["3 words", "1 words"]
    assert "compare only inside a bracket" in evaluation.warnings[0]


def test_chance_is_marked() -> None:
    # Each is right on one source, so resampling two sources turns the order around half of the time.
    left = Canned("left", ["ship runs aground", "x x storm"], THREE)
    right = Canned("right", ["x x x", "storm kills ten"], THREE)
    first, second = evaluate(DATASET, [left, right], Rouge()).rows
    assert "ROUGE-1" in first.best
    assert second.is_tied("ROUGE-1")


def test_a_cut_puts_all_systems_into_one_bracket() -> None:
    long = Canned("long", ["ship ran aground at the port", "storm killed ten people in cuba"], Length.of(words=6))
    even = Canned("even", ["ship ran aground", "storm killed ten"], THREE)
    short = Canned("short", ["ship", "storm"], Length.of(words=1))
    cut = Rouge(limit_bytes=16, measure="recall")
    evaluation = evaluate(DATASET, [long, even], cut)
    assert [row.bracket for row in evaluation.rows] == ["cut at 16 bytes", "cut at 16 bytes"]
    assert evaluation.warnings == ()
    assert evaluation.rows[0].mean("ROUGE-1") == evaluation.rows[1].mean("ROUGE-1")
    assert evaluation.rows[0].mean_words == 6  # the length that was written, not the one that was scored
    (warning,) = evaluate(DATASET, [long, short], cut).warnings
    assert warning.startswith("cut at 16 bytes: long is 11.5 bytes longer than short")


def test_raw_text_is_counted_by_its_words() -> None:
    raw = Dataset("raw", (Example("The ship, he said, didn't sink (12.5 %).", ("ship afloat",)),))  # 7 words, 12 tokens
    (row,) = evaluate(raw, [Canned("x", ["Ship didn't, 12.5%!"], Length.of(ratio=0.25))], Rouge()).rows
    assert (row.mean_words, row.in_source, row.violations) == (3, 1, 0)
    assert row.compression == pytest.approx(3 / 7)
