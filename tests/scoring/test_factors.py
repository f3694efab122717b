"""Every factor in the table keeps the promises of a factor. A new one is tested here as soon as it is in the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import write_tiny_bundle
from toys import bound, read

from tersely import Summarizer, TerselyError
from tersely.bundle.bundle import open_bundle
from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.scoring.factors import FACTORS, available
from tersely.scoring.objective import BoundFactor
from tersely.scoring.priors import WordMean
from tersely.sentence.sentence import Sentence

TEXTS = (
    "Ship",
    "The ship ran.",
    "The German ship didn't run aground at the French port, but Cuba's minister paid $5.2 billion, 12 % of the plan.",
    "No, no, no: the zyxwv of 中国 👍 said there were no casualties; the port was new.",
)


def within_a_range(summarizer: Summarizer, name: str, text: str) -> tuple[BoundFactor, Sentence]:
    """The factor for any number of words of a text: where the length is exact, one of them says nothing."""
    sentence = read(summarizer, text)
    budget = Budget(np.ones(len(sentence), dtype=np.int64), len(sentence), least=0)
    return bound(summarizer, {name: 1.0}, sentence, budget).factors[name], sentence


def some_masks(n: int, size: int) -> np.ndarray:
    return CandidateSpace(Budget.of_words(n, size)).random(np.random.default_rng(0), 40)


@pytest.mark.parametrize("name", FACTORS)
@pytest.mark.parametrize("text", TEXTS)
def test_finite_on_every_candidate_and_equal_for_equal_masks(summarizer: Summarizer, name: str, text: str) -> None:
    factor, sentence = within_a_range(summarizer, name, text)
    for size in {1, 2, len(sentence) // 2, len(sentence)} - {0}:
        masks = some_masks(len(sentence), min(size, len(sentence)))
        scores = factor.log_scores(masks)
        assert scores.shape == (len(masks),)
        assert np.isfinite(scores).all()
        # Alone or in another batch, bound again or not: a score belongs to the mask.
        again = within_a_range(summarizer, name, text)[0].log_scores(masks[::-1])[::-1]
        np.testing.assert_allclose(again, scores, atol=2e-6)
        np.testing.assert_allclose(factor.log_scores(masks[:1]), scores[:1], atol=2e-6)


@pytest.mark.parametrize("name", FACTORS)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("backward", [False, True])
def test_word_by_word_it_is_exact_or_an_estimate(summarizer: Summarizer, name: str, text: str, backward: bool) -> None:
    factor, sentence = within_a_range(summarizer, name, text)
    size = max(1, len(sentence) // 3)
    steps = factor.steps(size, backward)
    if steps is None:
        assert not factor.steps_are_exact
        return
    masks = some_masks(len(sentence), size)
    read = masks[:, ::-1] if backward else masks
    order = np.argsort(~read, axis=1, kind="stable")[:, :size]
    rows = np.zeros(len(masks), dtype=np.int64)
    for t in range(size):
        values = steps.values()
        assert values.shape == (len(rows) if t else 1, len(sentence))
        steps.advance(rows, order[:, t])
        rows = np.arange(len(masks))
    final = steps.final()
    assert np.isfinite(final).all()
    if factor.steps_are_exact:
        np.testing.assert_allclose(final, factor.log_scores(masks), atol=1e-6)


def test_a_bundle_without_a_part_lacks_its_factors(tmp_path: Path) -> None:
    bundle = open_bundle(write_tiny_bundle(tmp_path / "tiny"))
    for tensor in ("counts.titles", "vectors"):
        del bundle.tensors[tensor]  # type: ignore[attr-defined]
    assert set(FACTORS) - set(available(bundle)) >= {"information", "style", "contiguity", "similarity"}
    with pytest.raises(TerselyError, match=r"cannot serve the factor style: it was trained without counts.titles"):
        Summarizer(bundle)("The ship ran aground", words=2, objective={"style": 1})


class Last:
    """A factor that only knows where the end is."""

    def bind(self, sentence: Sentence, budget: Budget) -> WordMean:
        return WordMean(np.arange(len(sentence), dtype=np.float64))


class Top:
    """A factor that needs the tree: the likeliest root first."""

    def bind(self, sentence: Sentence, budget: Budget) -> WordMean:
        return WordMean(sentence.dependencies.roots)


class Half:
    """A factor that needs the budget: as near as possible to half of it."""

    def bind(self, sentence: Sentence, budget: Budget) -> Half:
        self.budget = budget
        return self

    def log_scores(self, masks: np.ndarray) -> np.ndarray:
        return -np.abs(self.budget.shares(masks) - 0.5)

    def steps(self, size: int, backward: bool) -> None:
        return None
