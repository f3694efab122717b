"""The windows that a text is read in."""

from __future__ import annotations

import numpy as np

from tersely.sentence.states import Window, windows

MOST = 160


def windows_of(words: list[str]) -> list[Window]:
    return list(windows(np.ones(len(words), dtype=np.int64), words, MOST))


def test_windows_end_after_full_stops() -> None:
    words = ["ship", "sank", ",", "crew", "saved", "."] * 100
    found = windows_of(words)
    assert [begin for begin, _ in found] == [0, *(end for _, end in found[:-1])]
    assert found[-1][1] == len(words)
    for begin, end in found:
        assert MOST // 2 <= end - begin <= MOST or end == len(words)
        assert words[end - 1] == "."


def test_windows_end_at_commas_or_where_they_are_full_without_a_full_stop() -> None:
    commas = ["ship", "sank", ","] * 100
    assert all(commas[end - 1] == "," for _, end in windows_of(commas))
    assert windows_of(["ship"] * 300) == [(0, 160), (160, 300)]


def test_a_word_of_many_tokens_is_not_cut() -> None:
    assert list(windows(np.array([100, 100, 400, 1]), ["x"] * 4, MOST)) == [(0, 1), (1, 2), (2, 3), (3, 4)]
