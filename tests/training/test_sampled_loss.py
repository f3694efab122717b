from __future__ import annotations

import numpy as np
import pytest
import torch

from tersely.text.vocabulary import BEGIN_ID
from tersely.training.sampled_loss import SampledLoss, Sampler

COUNTS = 1e6 / np.arange(1, 2001)


def test_the_estimate_of_z_is_right_on_average() -> None:
    rng = np.random.default_rng(0)
    sampler = Sampler(COUNTS, head=50, n_tail=100, power=0.75)
    scores = np.exp(rng.normal(size=2000)) * COUNTS
    scores[BEGIN_ID] = 0
    estimates = []
    for _ in range(2000):
        words, log_weights = sampler.draw(rng)
        assert len(set(words)) == 150
        estimates.append((scores[words] * np.exp(log_weights)).sum())
    assert np.mean(estimates) == pytest.approx(scores.sum(), rel=0.02)


def test_a_sample_larger_than_the_vocabulary_is_the_vocabulary() -> None:
    words, log_weights = Sampler(COUNTS[:20], head=15, n_tail=15, power=0.75).draw(np.random.default_rng(0))
    assert sorted(words) == [i for i in range(20) if i != BEGIN_ID]
    assert not log_weights.any()


def test_with_all_words_as_negatives_it_is_the_softmax_loss() -> None:
    torch.manual_seed(0)
    states, rows, bias = (torch.randn(s, requires_grad=True) for s in ((7, 4), (9, 4), (9,)))
    targets = torch.tensor([0, 1, 2, 3, 8, 8, 5])
    everything = (targets, torch.arange(9), torch.zeros(9), 0.3)
    loss = SampledLoss.apply(states, rows, bias, *everything)
    logits = states @ rows.t() + bias
    log_z = logits.logsumexp(dim=1)
    expected = torch.nn.functional.cross_entropy(logits, targets) + 0.3 * log_z.square().mean()
    torch.testing.assert_close(loss, expected)
    loss.backward()
    gradients = [leaf.grad.clone() for leaf in (states, rows, bias)]
    for leaf in (states, rows, bias):
        leaf.grad = None
    expected.backward()
    for gradient, leaf in zip(gradients, (states, rows, bias), strict=True):
        torch.testing.assert_close(gradient, leaf.grad)


def test_large_scores_do_not_overflow() -> None:
    states, rows, bias = torch.full((1, 1), 100.0), torch.tensor([[1.0], [2.0]]), torch.zeros(2)
    loss = SampledLoss.apply(states, rows, bias, torch.tensor([0]), torch.tensor([0, 1]), torch.zeros(2), 0.0)
    assert loss.item() == pytest.approx(100)


def test_a_target_among_the_negatives_counts_once() -> None:
    states, rows, bias = torch.zeros(1, 2), torch.zeros(3, 2), torch.zeros(3)
    loss = SampledLoss.apply(states, rows, bias, torch.tensor([0]), torch.tensor([0, 2]), torch.zeros(2), 0.0)
    assert loss.item() == pytest.approx(np.log(2))  # the target and one other word
