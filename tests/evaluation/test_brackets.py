from __future__ import annotations

from tersely.candidates.length import Length
from tersely.evaluation.brackets import assign_brackets, bracket_warnings


def test_a_declared_length_decides_the_bracket() -> None:
    asked = [Length.of(words=8), Length.of(words=10), Length.of(ratio=0.5), Length.of(chars=75)]
    assert assign_brackets(asked, [8.0, 9.8, 14.0, 12.0]) == ["8 words", "10 words", "50 %", "75 characters"]


def test_a_file_joins_the_bracket_nearest_to_its_average_length() -> None:
    asked = [Length.of(words=8), Length.of(words=10), None, None, None]
    # 8.8 is nearer to 8.0 than to 9.9; 9.2 is nearer to 9.9; 11.0 is more than a word from both.
    brackets = assign_brackets(asked, [8.0, 9.9, 8.8, 9.2, 11.0])
    assert brackets[2:] == ["8 words", "10 words", "about 11 words"]


def test_warnings() -> None:
    assert bracket_warnings(["a", "b"], ["8 words", "8 words"], [8.0, 7.2]) == []
    assert bracket_warnings(["a", "b"], ["8 words", "10 words"], [8.0, 10.0]) == [
        "systems of 2 length brackets (8 words, 10 words): compare only inside a bracket"
    ]
    (unequal,) = bracket_warnings(["a", "b", "c"], ["8 words"] * 3, [8.0, 6.5, 7.0])
    assert unequal.startswith("8 words: a is 1.5 words longer than b")


def test_lengths_after_a_cut_are_compared_in_bytes() -> None:
    assert bracket_warnings(["a", "b"], ["cut"] * 2, [75.0, 70.5], "bytes") == []
    (unequal,) = bracket_warnings(["a", "b"], ["cut"] * 2, [75.0, 50.5], "bytes")
    assert unequal.startswith("cut: a is 24.5 bytes longer than b")
