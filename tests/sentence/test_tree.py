from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tersely.sentence.labels import LABELS
from tersely.sentence.tree import Tree, best_heads, word_probabilities


def random_rows(n: int, seed: int, sharpness: float = 1.0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(scale=sharpness, size=(n, n))
    odds = np.exp(scores)
    return (odds / odds.sum(1, keepdims=True)).astype(np.float32)


def reaches_a_root(heads: np.ndarray) -> bool:
    at = np.arange(len(heads))
    for _ in heads:
        at = heads[at]
    return bool((heads[at] == at).all())


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 5.0]))
def test_every_word_reaches_a_root(n: int, seed: int, sharpness: float) -> None:
    assert reaches_a_root(best_heads(random_rows(n, seed, sharpness)))


def test_the_best_heads_are_nearly_always_the_best_tree() -> None:
    lost = []
    for seed in range(40):
        rows = random_rows(4, seed)
        scores = np.log(rows)
        candidates = (np.array(heads) for heads in itertools.product(range(4), repeat=4))
        best = max(scores[np.arange(4), heads].sum() for heads in candidates if reaches_a_root(heads))
        lost.append(best - scores[np.arange(4), best_heads(rows)].sum())
    assert min(lost) > -1e-4
    assert np.mean(np.array(lost) < 1e-4) > 0.8


def test_heads_without_cycles_are_left_alone() -> None:
    rows = np.full((3, 3), 0.1, np.float32)
    rows[[0, 1, 2], [1, 1, 1]] = 0.8
    assert best_heads(rows).tolist() == [1, 1, 1]


def test_the_word_of_a_cycle_that_loses_least_is_cut_off() -> None:
    rows = np.array([[0.05, 0.9, 0.05], [0.05, 0.05, 0.9], [0.6, 0.0, 0.4]], np.float32)
    assert best_heads(rows).tolist() == [1, 2, 2]


def test_a_broken_cycle_may_close_another_one() -> None:
    rows = np.zeros((6, 6), np.float32)
    rows[[0, 1, 2, 3, 4, 5], [1, 0, 0, 4, 3, 5]] = 0.7  # two cycles; 2 hangs on the first one, 5 is a root
    rows[[0, 1, 2, 3, 4], [3, 1, 5, 5, 2]] = [0.2, 0.2, 0.1, 0.1, 0.3]
    rows[0, 0] = 0.1
    # 4 moves to 2 and 0 to 3: then 0 leads to itself again, and becomes a root
    assert best_heads(rows).tolist() == [0, 0, 0, 4, 2, 5]


def test_a_word_has_the_head_of_its_first_piece_whose_head_is_outside() -> None:
    # "did" and "n't" both depend on "say"; "Cuba" depends on a word outside, its "'s" on it
    pieces = np.array([[0.0, 0.0, 1.0], [0.1, 0.0, 0.9], [0.0, 0.0, 1.0]], np.float32)
    rows, by = word_probabilities(pieces, np.array([2, 1]))
    assert by.tolist() == [0, 2]
    np.testing.assert_allclose(rows, [[0, 1], [0, 1]])


def test_probabilities_of_words_add_up_to_one() -> None:
    rows, by = word_probabilities(random_rows(7, 1), np.array([1, 3, 2, 1]))
    assert rows.shape == (4, 4)
    assert by.tolist()[0] == 0
    np.testing.assert_allclose(rows.sum(1), 1, atol=1e-5)


def test_a_tree_names_its_relations_and_roots() -> None:
    rows = np.array([[0.2, 0.8], [0.1, 0.9]], np.float32)
    labels = np.array([LABELS.index("nsubj"), LABELS.index("root")])
    tree = Tree(np.array([1, 1]), labels, rows, np.eye(len(LABELS), dtype=np.float32)[labels], np.zeros((2, 1)))
    assert tree.relations == ("nsubj", "root")
    assert tree.roots.tolist() == [1]
    np.testing.assert_allclose(tree.sureness, [0.8, 0.9])
