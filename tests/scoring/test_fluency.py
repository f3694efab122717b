"""f_LM by hand, on a toy language model that knows three words."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from tersely.candidates.length import Budget
from tersely.scoring.fluency import Fluency
from tersely.scoring.lstm import LanguageModel, Layer
from tersely.sentence.sentence import Sentence
from tersely.system.table import Table
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize

# <unk> <s> </s> ship ran aground
VOCABULARY = Vocabulary.of(["ship", "ran", "aground"])
SIZE = len(VOCABULARY)


def toy_model(bigrams: np.ndarray) -> LanguageModel:
    """A bigram model as an LSTM: log p(w | v) = bigrams[v, w], whatever came before v.

    The input of a word opens its own cell and nothing else; the forget gate is shut and the others are open, so the
    output is tanh(tanh(20)) at the word just read and 0 elsewhere, and the output rows undo the factor.
    """
    eye, zeros = np.eye(SIZE, dtype=np.float32), np.zeros((SIZE, SIZE), dtype=np.float32)
    bias = np.concatenate([np.full(SIZE, value, dtype=np.float32) for value in (40, -40, 0, 40)])
    layer = Layer(np.concatenate([zeros, zeros, 20 * eye, zeros]), np.zeros((4 * SIZE, SIZE), np.float32), bias)
    output = (bigrams.T / math.tanh(1.0)).astype(np.float32)
    return LanguageModel(Table(eye), (layer,), Table(output), np.zeros(SIZE, np.float32))


def distribution(seed: int) -> np.ndarray:
    """log p(w | v), each row summing to one."""
    p = np.random.default_rng(seed).dirichlet(np.ones(SIZE), size=SIZE)
    return np.log(p)


FORWARD, BACKWARD = distribution(1), distribution(2)
TEXT = "The ship ran aground"  # "the" is unknown


def by_hand(bigrams: np.ndarray, words: list[str]) -> float:
    """The sum of log p over a sentence and its end symbol."""
    ids = [1, *VOCABULARY.ids(words), 2]
    return sum(float(bigrams[v, w]) for v, w in pairwise(ids))


def bound(fluency: Fluency, text: str = TEXT):  # type: ignore[no-untyped-def]
    sentence = Sentence.of(tokenize(text), VOCABULARY)
    return fluency.bind(sentence, Budget.of_words(len(sentence), 1))


def mask(*bits: int) -> np.ndarray:
    return np.array([bits], dtype=bool)


def test_the_papers_formula_worked_out() -> None:
    fluency = bound(Fluency(toy_model(FORWARD), toy_model(BACKWARD)))
    y = ["ship", "aground"]
    # log p→(ship | <s>) + log p→(aground | ship) + log p→(</s> | aground), and the same from the other end
    forward = FORWARD[1, 3] + FORWARD[3, 5] + FORWARD[5, 2]
    backward = BACKWARD[1, 5] + BACKWARD[5, 3] + BACKWARD[3, 2]
    assert by_hand(FORWARD, y) == pytest.approx(forward)
    assert by_hand(BACKWARD, y[::-1]) == pytest.approx(backward)
    # PPL = exp(−(Σ + Σ) / 2(|y| + 1)), f_LM = 1 / PPL
    perplexity = math.exp(-(forward + backward) / (2 * (2 + 1)))
    assert fluency.log_scores(mask(0, 1, 0, 1))[0] == pytest.approx(math.log(1 / perplexity), abs=1e-5)


def test_one_direction_alone() -> None:
    y = ["ship", "ran", "aground"]
    forward = bound(Fluency(toy_model(FORWARD), None)).log_scores(mask(0, 1, 1, 1))[0]
    backward = bound(Fluency(None, toy_model(BACKWARD))).log_scores(mask(0, 1, 1, 1))[0]
    assert forward == pytest.approx(by_hand(FORWARD, y) / 4, abs=1e-5)
    assert backward == pytest.approx(by_hand(BACKWARD, y[::-1]) / 4, abs=1e-5)


@pytest.mark.parametrize("backward", [False, True])
def test_word_by_word_one_model_ends_at_its_score(backward: bool) -> None:
    models = (None, toy_model(BACKWARD)) if backward else (toy_model(FORWARD), None)
    made = bound(Fluency(*models))
    assert made.steps(2, not backward) is None
    steps = made.steps(2, backward)
    for word in (0, 3):  # the first and the last, in either direction
        steps.advance(np.zeros(1, dtype=np.int64), np.array([word]))
    assert steps.final()[0] == pytest.approx(made.log_scores(mask(1, 0, 0, 1))[0], abs=1e-6)


def test_an_unknown_word_is_the_unknown_symbol() -> None:
    scores = bound(Fluency(toy_model(FORWARD), None)).log_scores(mask(1, 0, 1, 0))
    assert scores[0] == pytest.approx((FORWARD[1, 0] + FORWARD[0, 4] + FORWARD[4, 2]) / 3, abs=1e-5)


def test_all_candidates_of_a_source_at_once_and_one_by_one() -> None:
    masks = np.array([[bool(i >> k & 1) for k in range(4)] for i in range(1, 16)])
    fluency = Fluency(toy_model(FORWARD), toy_model(BACKWARD))
    together = bound(fluency).log_scores(masks)
    alone = [bound(fluency).log_scores(one[None])[0] for one in masks]
    words = ["the", "ship", "ran", "aground"]
    for one, score in zip(masks, together, strict=True):
        y = [word for word, kept in zip(words, one, strict=True) if kept]
        expected = (by_hand(FORWARD, y) + by_hand(BACKWARD, y[::-1])) / (2 * (len(y) + 1))
        assert score == pytest.approx(expected, abs=1e-5)
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_pieces_not_words_are_counted() -> None:
    """ "ship's" is two pieces for the model, so the mean is over two and the end symbol."""
    vocabulary = Vocabulary.of(["ship", "'s", "aground"])
    sentence = Sentence.of(tokenize("ship's aground"), vocabulary)
    score = Fluency(toy_model(FORWARD), None).bind(sentence, Budget.of_words(2, 1)).log_scores(mask(1, 0))[0]
    assert score == pytest.approx((FORWARD[1, 3] + FORWARD[3, 4] + FORWARD[4, 2]) / 3, abs=1e-5)


def test_exact_and_self_normalised() -> None:
    """With logits that are off by a constant, the exact softmax does not change and the other one shifts by it."""
    shifted = FORWARD - 0.25
    exact = bound(Fluency(toy_model(shifted), None, exact_softmax=True)).log_scores(mask(0, 1, 1, 0))[0]
    quick = bound(Fluency(toy_model(shifted), None)).log_scores(mask(0, 1, 1, 0))[0]
    assert exact == pytest.approx(by_hand(FORWARD, ["ship", "ran"]) / 3, abs=1e-5)
    assert quick == pytest.approx(exact - 0.25, abs=1e-5)


def test_a_self_normalised_model_needs_no_softmax() -> None:
    masks = np.array([[bool(i >> k & 1) for k in range(4)] for i in range(1, 16)])
    exact = bound(Fluency(toy_model(FORWARD), toy_model(BACKWARD), exact_softmax=True)).log_scores(masks)
    quick = bound(Fluency(toy_model(FORWARD), toy_model(BACKWARD))).log_scores(masks)
    np.testing.assert_allclose(exact, quick, atol=1e-5)
