from __future__ import annotations

import pytest

from tersely.candidates.length import Length
from tersely.evaluation.brackets import assign_brackets, bracket_warnings


def test_a_file_joins_the_bracket_nearest_to_its_average_length() -> None:
    asked = [Length.of(words=8), Length.of(words=10), Length.of(chars=75), None, None, None]
    # 8.8 is nearer to 8.0 than to 9.9; 9.2 is nearer to 9.9; 11.0 is more than a word from both.
    found = assign_brackets(asked, [8.0, 9.9, 14.0, 8.8, 9.2, 11.0])
    assert found == ["8 words", "10 words", "75 characters", "8 words", "10 words", "about 11 words"]


@pytest.mark.parametrize(
    ("brackets", "lengths", "unit", "expected"),
    [
        (["8 words"] * 2, [8.0, 7.2], "words", ""),
        (["8 words"] * 2, [8.0, 6.5], "words", "8 words: a is 1.5 words longer than b"),
        (["8 words", "10 words"], [8.0, 10.0], "words", "systems of 2 length brackets (8 words, 10 words): compare"),
        (["cut"] * 2, [75.0, 70.5], "bytes", ""),
        (["cut"] * 2, [75.0, 50.5], "bytes", "cut: a is 24.5 bytes longer than b"),
    ],
)
def test_warnings(brackets: list[str], lengths: list[float], unit: str, expected: str) -> None:
    found = bracket_warnings(["a", "b"], brackets, lengths, unit)
    assert len(found) == bool(expected)
    assert "".join(found).startswith(expected)
