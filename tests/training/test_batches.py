from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tersely.errors import InputError
from tersely.training.batches import Batches
from tersely.training.corpus import Encoded


def corpus(lines: list[list[int]]) -> Encoded:
    offsets = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
    return Encoded(np.array([i for line in lines for i in line], np.int32), offsets)


def numbered(n: int, first: int, seed: int = 0) -> Encoded:
    """Lines of one to six words, each word of which occurs once."""
    rng = np.random.default_rng(seed)
    lines, word = [], first
    for length in rng.integers(1, 7, n):
        lines.append(list(range(word, word + int(length))))
        word += int(length)
    return corpus(lines)


def test_one_round_reads_every_line_once() -> None:
    data = numbered(200, 10)
    batches = Batches([data], n_tokens=64, longest=20, seed=1)
    seen: Counter[tuple[int, ...]] = Counter()
    while batches.position.n_rounds < 2:
        batch = batches.next([1.0])
        if batches.position.n_rounds == 1:
            seen.update(tuple(line) for line in batch.tolist())
    # A round is drawn by tokens, so its last lines may fall into the next one.
    assert set(seen.values()) == {1}
    assert len(seen) >= 150


def test_weights_are_shares_of_the_tokens() -> None:
    batches = Batches([numbered(5000, 10), numbered(200, 100_000, seed=1)], n_tokens=128, longest=20, seed=1)
    first = second = 0
    for _ in range(400):
        batch = batches.next([1.0, 3.0])
        first += int((batch < 100_000).sum())
        second += int((batch >= 100_000).sum())
    assert second / first == pytest.approx(3, rel=0.15)


def test_a_resumed_stream_goes_on_where_it_stood() -> None:
    data = [numbered(300, 10), numbered(100, 5000)]
    whole = Batches(data, n_tokens=64, longest=20, seed=3)
    weights = [[1.0, 1.0]] * 30 + [[1.0, 0.0]] * 60
    expected = [whole.next(w).tolist() for w in weights]
    killed = Batches(data, n_tokens=64, longest=20, seed=3)
    for w in weights[:41]:
        killed.next(w)
    resumed = Batches(data, n_tokens=64, longest=20, seed=3)
    resumed.resume(replace(killed.position))
    assert [resumed.next(w).tolist() for w in weights[41:]] == expected[41:]


def test_nothing_to_read_is_refused() -> None:
    with pytest.raises(InputError, match="no sentence of 1 to 2 words"):
        Batches([corpus([[3, 4, 5]])], n_tokens=10, longest=2, seed=1)
    with pytest.raises(InputError, match="weight above 0"):
        Batches([numbered(10, 5)], n_tokens=10, longest=20, seed=1).next([0.0])
