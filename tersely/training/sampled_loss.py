"""Training: the loss of a batch without a product over the whole vocabulary.

The normaliser Z of a prediction is estimated from a few words shared by the whole batch: the *head*, the most frequent
words; and a sample of the *tail*, each weighted by the inverse of its expected number of draws (importance sampling),
so that the estimate of Z is unbiased. The loss is log Z - score(target) + penalty (log Z)^2. The penalty makes the
model self-normalised, so that the search can use unnormalised scores.

A batch and its negatives contain a few thousand words. They get new numbers, input words first, so that their rows are
copied once and everything else works with small numbers. Both directions use the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tersely.text.vocabulary import BEGIN_ID, END_ID

Negatives = tuple[NDArray[np.int64], NDArray[np.float32]]  # the sampled words of a batch, the log weight of each in Z


class Sampler:
    """Draws negatives: the `head` most frequent words, and `n_tail` different words of the rest by count^power.

    >>> sampler = Sampler(np.array([50.0, 30, 10, 5, 5]), head=2, n_tail=2, power=1.0)
    >>> words, log_weights = sampler.draw(np.random.default_rng(0))
    >>> words[:2], len(words)
    (array([0, 2]), 4)
    """

    def __init__(self, counts: NDArray[np.float64], *, head: int, n_tail: int, power: float) -> None:
        if head + n_tail >= len(counts):
            head, n_tail = len(counts), 0  # the sample would be the whole vocabulary
        order = np.argsort(-counts, kind="stable")
        order = order[order != BEGIN_ID]  # the begin symbol is never predicted
        self.head, self.tail, self.n_tail = np.sort(order[:head]), order[head:], n_tail
        probabilities = np.maximum(counts[self.tail], 1.0) ** power  # a word that was never seen can still be drawn
        self.probabilities = probabilities / probabilities.sum() if n_tail else probabilities
        self._cumulative = np.cumsum(self.probabilities)

    def draw(self, rng: np.random.Generator) -> Negatives:
        """The negatives of one batch: words are drawn until there are `n_tail` different ones.

        After t draws a word of probability q has been drawn with probability 1 - (1 - q)^t; its weight is the inverse.
        """
        if not self.n_tail:
            return self.head, np.zeros(len(self.head), np.float32)
        drawn = np.zeros(0, np.int64)
        unique = first = drawn
        while len(unique) < self.n_tail:
            uniform = rng.random(2 * self.n_tail) * self._cumulative[-1]
            more = np.searchsorted(self._cumulative, uniform, side="right")
            drawn = np.concatenate([drawn, np.minimum(more, len(self.tail) - 1)])
            unique, first = np.unique(drawn, return_index=True)
        order = np.argsort(first)[: self.n_tail]
        n_draws, chosen = first[order[-1]] + 1, unique[order]
        seen = -np.expm1(n_draws * np.log1p(-self.probabilities[chosen]))
        log_weights = np.concatenate([np.zeros(len(self.head)), -np.log(seen)]).astype(np.float32)
        return np.concatenate([self.head, self.tail[chosen]]), log_weights


class SampledLoss(torch.autograd.Function):
    """The mean loss of a batch; the gradients are computed in the forward pass."""

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,  # (predictions, width)
        rows: Tensor,  # (words of this batch, width)
        bias: Tensor,  # (words of this batch,)
        targets: Tensor,  # (predictions,) which row is right
        negatives: Tensor,  # (negatives,) which rows are the sample
        log_weights: Tensor,  # (negatives,)
        penalty: float,
    ) -> Tensor:
        n = len(states)
        negative_rows, target_rows = rows.index_select(0, negatives), rows.index_select(0, targets)
        right = torch.linalg.vecdot(states, target_rows).add_(bias.index_select(0, targets))
        scores = torch.addmm(bias.index_select(0, negatives).add_(log_weights), states, negative_rows.t())
        column = torch.full_like(rows[:, 0], -1, dtype=torch.long)
        column.index_copy_(0, negatives, torch.arange(len(negatives), device=rows.device))
        column = column.index_select(0, targets)
        hits = torch.nonzero(column >= 0).squeeze(1)  # the target itself is counted once, from `right`
        scores[hits, column.index_select(0, hits)] = -torch.inf
        largest = torch.maximum(scores.amax(dim=1), right)
        shares = scores.sub_(largest.unsqueeze(1)).exp_()
        of_right = (right - largest).exp_()
        z = shares.sum(dim=1).add_(of_right)  # times exp(largest)
        log_z = z.log() + largest
        loss: Tensor = (log_z - right).mean() + penalty * log_z.square().mean()
        slope = log_z.mul(2 * penalty).add_(1).div_(n).div_(z)
        grad_right = (of_right * slope).sub_(1 / n)
        shares.mul_(slope.unsqueeze(1))
        grad_states = (shares @ negative_rows).addcmul_(target_rows, grad_right.unsqueeze(1))
        grad_rows = torch.zeros_like(rows)
        grad_rows.index_copy_(0, negatives, shares.t() @ states)
        grad_rows.index_add_(0, targets, states * grad_right.unsqueeze(1))
        grad_bias = torch.zeros_like(bias)
        grad_bias.index_copy_(0, negatives, shares.sum(dim=0))
        grad_bias.index_add_(0, targets, grad_right)
        ctx.save_for_backward(grad_states, grad_rows, grad_bias)
        return loss

    @staticmethod
    def backward(ctx: Any, grad_loss: Tensor) -> tuple[Tensor | None, ...]:
        grad_states, grad_rows, grad_bias = ctx.saved_tensors
        return grad_states * grad_loss, grad_rows * grad_loss, grad_bias * grad_loss, None, None, None, None


@dataclass(frozen=True)
class BatchRows:
    """The rows of one batch: begin symbol, words of the lines, end symbol, other negatives; in this order."""

    n_read: int  # how many of them are inputs: the begin symbol and the words
    index: Tensor  # (rows,) their numbers in the table, each once
    lines: Tensor  # (lines, length) the row of each word
    negatives: Tensor  # (negatives,) the row of each negative
    log_weights: Tensor  # (negatives,)

    @property
    def read(self) -> Tensor:
        return self.index[: self.n_read]


def inputs_and_targets(lines: Tensor, begin: int, end: int) -> tuple[Tensor, Tensor]:
    """The input and the target of each step, both (time, lines), of `lines` (lines, length)."""
    first, last = (lines.new_full((1, len(lines)), symbol) for symbol in (begin, end))
    return torch.cat([first, lines.t()]), torch.cat([lines.t(), last])


def batch_rows(lines: NDArray[np.int32], negatives: Negatives, device: torch.device | str = "cpu") -> BatchRows:
    """The rows that `lines` (lines, length) and `negatives` use; computed on the CPU, then copied to `device`.

    >>> rows = batch_rows(np.array([[9, 7]], np.int32), (np.array([2, 5, 9]), np.zeros(3, np.float32)))
    >>> rows.index.tolist(), rows.n_read, rows.negatives.tolist()
    ([1, 7, 9, 2, 5], 3, [3, 4, 2])
    >>> [steps.flatten().tolist() for steps in inputs_and_targets(rows.lines, 0, rows.n_read)]
    [[0, 2, 1], [2, 1, 3]]
    """
    words, row = np.unique(lines, return_inverse=True)
    ids, log_weights = negatives
    at = np.minimum(np.searchsorted(words, ids), len(words) - 1)
    position = np.where(words[at] == ids, at + 1, -1)
    position[ids == END_ID] = len(words) + 1
    new = position < 0
    position[new] = len(words) + 2 + np.arange(new.sum())
    index = np.concatenate([[BEGIN_ID], words, [END_ID], ids[new]]).astype(np.int64)
    arrays = index, row.reshape(lines.shape) + 1, position, log_weights
    return BatchRows(len(words) + 1, *(torch.from_numpy(array).to(device) for array in arrays))
