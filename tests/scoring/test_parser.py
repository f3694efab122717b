"""The numpy parser with random weights: shapes, windows, bounds. What it learns is in tests/training/test_parser.py."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from tersely.errors import BundleError
from tersely.scoring.labels import LABELS, PUNCTUATION, ROOT
from tersely.scoring.lexicon import N_SHAPES, N_SUFFIXES
from tersely.scoring.parser import WINDOW, Parser, _windows
from tersely.scoring.table import quantize
from tersely.text import tokenize
from tersely.vocab import Vocabulary

VOCABULARY = Vocabulary.of("the ship sank near port of havre".split())
EXTRA = (".", ",")
PIECE, SUFFIX, SHAPE, HIDDEN, ARC, LABEL = 8, 4, 2, 6, 5, 3


def random_parser(seed: int = 0, **description: Any) -> Parser:
    rng = np.random.default_rng(seed)
    widths = [PIECE + SUFFIX + SHAPE, 2 * HIDDEN]
    matrices = {
        "piece": (len(VOCABULARY) + len(EXTRA), PIECE),
        "suffix": (N_SUFFIXES, SUFFIX),
        "shape": (N_SHAPES, SHAPE),
        "roles": (2 * ARC + 2 * LABEL, 2 * HIDDEN),
        "arc": (ARC, ARC),
        "label": (LABEL + 1, len(LABELS) * (LABEL + 1)),
        **{f"lstm.{i}.input": (8 * HIDDEN, width) for i, width in enumerate(widths)},
        **{f"lstm.{i}.recurrent": (8 * HIDDEN, HIDDEN) for i in range(2)},
    }
    vectors = {"roles.bias": 2 * ARC + 2 * LABEL, "arc.head": ARC, "arc.root": ARC}
    vectors |= {f"lstm.{i}.bias": 8 * HIDDEN for i in range(2)}
    tensors: dict[str, np.ndarray] = {"parser.extra": np.frombuffer("\n".join(EXTRA).encode(), np.int8)}
    for name, shape in matrices.items():
        tensors[f"parser.{name}"], tensors[f"parser.{name}.scale"] = quantize(rng.normal(size=shape))
    for name, size in vectors.items():
        tensors[f"parser.{name}"] = rng.normal(size=size).astype(np.float32)
    described = {"layers": 2, "pieces": len(VOCABULARY), "labels": list(LABELS)} | description
    return Parser.from_tensors(tensors.__getitem__, described, VOCABULARY)


def test_a_tree_has_a_head_and_a_label_for_every_word() -> None:
    words = tokenize("The ship didn't sink near the port of Havre, police said.")
    tree = random_parser().parse(words)
    assert len(tree) == len(words)
    np.testing.assert_allclose(tree.probabilities.sum(1), 1, atol=1e-4)
    np.testing.assert_allclose(tree.label_probabilities.sum(1), 1, atol=1e-4)
    for i, word in enumerate(words):
        assert (tree.labels[i] == PUNCTUATION) == word.punctuation
        assert (tree.labels[i] == ROOT) == (tree.heads[i] == i)
        assert not words[tree.heads[i]].punctuation  # nothing hangs on a mark


@pytest.mark.parametrize("text", ["", "ship", "...", "! ?"])
def test_texts_without_sentences_have_trees_too(text: str) -> None:
    words = tokenize(text)
    assert len(random_parser().parse(words)) == len(words)


def test_a_long_text_is_parsed_in_bounded_time_and_memory() -> None:
    parser = random_parser()
    words = tokenize(" ".join(["the ship sank near the port of Havre"] * 125))
    assert len(words) == 1_000
    parser.parse(words[:10])
    tracemalloc.start()
    begin = time.process_time()
    tree = parser.parse(words)
    seconds, (_, peak) = time.process_time() - begin, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(tree) == 1_000
    assert seconds < 2
    assert peak < 40e6  # the table of probabilities alone has 4 MB
    np.testing.assert_allclose(tree.probabilities.sum(1), 1, atol=1e-3)


def test_windows_end_behind_full_stops() -> None:
    normal = ["ship", "sank", ",", "crew", "saved", "."] * 100
    windows = list(_windows(normal, [1] * len(normal)))
    assert [window[0] for window in windows[1:]] == [window[1] for window in windows[:-1]]
    assert windows[-1][1] == len(normal)
    for begin, end, first, last in windows:
        assert (begin, end) == (first, last)
        assert WINDOW // 2 <= end - begin <= WINDOW or end == len(normal)
        assert normal[end - 1] == "."


def test_windows_take_commas_or_nothing_where_there_is_no_full_stop() -> None:
    commas = ["ship", "sank", ","] * 100
    assert all(commas[end - 1] == "," for _, end, _, _ in _windows(commas, [1] * len(commas)))
    plain = ["ship"] * 300
    assert [window[:2] for window in _windows(plain, [1] * 300)] == [(0, 160), (160, 300)]


def test_a_word_of_many_pieces_is_not_cut() -> None:
    sizes = [100, 100, 400, 1]
    windows = list(_windows(["x"] * sum(sizes), sizes))
    assert windows == [(0, 1, 0, 100), (1, 2, 100, 200), (2, 3, 200, 600), (3, 4, 600, 601)]


def test_two_sentences_are_read_alike_wherever_the_window_ends() -> None:
    """A window sees nothing of another one: its tree is that of its words alone."""
    parser = random_parser()
    sentence = "The ship sank near the port of Havre . "
    words = tokenize(sentence * 30)
    tree = parser.parse(words)
    _, end, _, _ = next(_windows([word.text for word in words], [1] * len(words)))
    alone = parser.parse(words[:end])
    assert tree.heads[:end].tolist() == alone.heads.tolist()
    np.testing.assert_allclose(tree.probabilities[:end, :end], alone.probabilities, atol=1e-6)


def test_a_parser_that_does_not_fit_is_refused() -> None:
    with pytest.raises(BundleError, match="other labels"):
        random_parser(labels=["root"])
    with pytest.raises(BundleError, match="vectors for 12 pieces and names 11"):
        random_parser(pieces=len(VOCABULARY) - 1)
    with pytest.raises(BundleError, match="not UTF-8"):
        Parser.from_tensors(lambda name: np.full(1, 255, np.uint8), {"labels": LABELS, "layers": 1}, VOCABULARY)
