from __future__ import annotations

import pytest

from tersely.errors import InputError
from tersely.evaluation.brackets import Limit, assign_brackets, bracket_warnings


def test_a_declared_limit_decides_the_bracket() -> None:
    limits = [Limit("words", 8), Limit("words", 10), Limit("ratio", 0.5), Limit("chars", 75)]
    assert assign_brackets(limits, [8.0, 9.8, 14.0, 12.0]) == ["8 words", "10 words", "50 %", "75 characters"]


def test_a_file_joins_the_bracket_nearest_to_its_average_length() -> None:
    limits = [Limit("words", 8), Limit("words", 10), None, None, None]
    # 8.8 is nearer to 8.0 than to 9.9; 9.2 is nearer to 9.9; 11.0 is more than a word from both.
    brackets = assign_brackets(limits, [8.0, 9.9, 8.8, 9.2, 11.0])
    assert brackets[2:] == ["8 words", "10 words", "about 11 words"]


def test_without_any_declared_limit_lengths_are_rounded() -> None:
    assert assign_brackets([None, None], [8.4, 8.6]) == ["about 8 words", "about 9 words"]


def test_warnings() -> None:
    assert bracket_warnings(["a", "b"], ["8 words", "8 words"], [8.0, 7.2]) == []
    assert bracket_warnings(["a", "b"], ["8 words", "10 words"], [8.0, 10.0]) == [
        "systems of 2 length brackets (8 words, 10 words): compare only inside a bracket"
    ]
    (unequal,) = bracket_warnings(["a", "b", "c"], ["8 words"] * 3, [8.0, 6.5, 7.0])
    assert unequal.startswith("8 words: a is 1.5 words longer than b")


@pytest.mark.parametrize(
    ("limit", "summary", "broken"),
    [
        (Limit("words", 2), "ship sinks", False),
        (Limit("words", 2), "ship , sinks !", False),
        (Limit("words", 2), "the ship sinks", True),
        (Limit("ratio", 0.5), "a b", False),  # half of the five tokens of "a b c d .", rounded to even
        (Limit("ratio", 0.5), "a b c", True),
        (Limit("chars", 4), "naïf", False),
        (Limit("bytes", 4), "naïf", True),
    ],
)
def test_length_violations(limit: Limit, summary: str, broken: bool) -> None:
    assert limit.is_broken_by(summary, "a b c d .") is broken


@pytest.mark.parametrize(("unit", "size"), [("lines", 1), ("words", 0), ("ratio", 1.5), ("ratio", 0)])
def test_impossible_limits_are_refused(unit: str, size: float) -> None:
    with pytest.raises(InputError):
        Limit(unit, size)
