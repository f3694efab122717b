"""Beside the flow: which rows of the word tables a batch touches, and where in them its words are.

A batch and its negatives name a few thousand words. They are numbered anew, the words that are read first, so that the
tables give their rows once and everything else works with small numbers. Both directions touch the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tersely.training.sampled import Negatives
from tersely.vocab import BEGIN_ID, END_ID


@dataclass(frozen=True)
class Touched:
    """The rows of one batch: begin symbol, words of the lines, end symbol, other negatives; in this order."""

    index: Tensor  # (rows,) their numbers in the table, each once
    n_read: int  # the first so many are read: the begin symbol and the words
    lines: Tensor  # (lines, length) where each word is among the rows
    negatives: Tensor  # (negatives,) where each negative is
    log_weights: NDArray[np.float32]  # (negatives,)

    @property
    def read(self) -> Tensor:
        """The numbers in the table of the words that are read."""
        return self.index[: self.n_read]

    def inputs_and_targets(self, *, backward: bool) -> tuple[Tensor, Tensor]:
        """What goes in and what should come out at each step, both (time, lines)."""
        words = (self.lines.flip(1) if backward else self.lines).t()
        end = torch.full((1, len(self.lines)), self.n_read)
        return torch.cat([torch.zeros_like(end), words]), torch.cat([words, end])


def touch(lines: NDArray[np.int32], negatives: Negatives) -> Touched:
    """The rows that `lines` (lines, length) and `negatives` touch.

    >>> touched = touch(np.array([[9, 7]], np.int32), Negatives(np.array([2, 5, 9]), np.zeros(3, np.float32)))
    >>> touched.index.tolist(), touched.n_read, touched.negatives.tolist()
    ([1, 7, 9, 2, 5], 3, [3, 4, 2])
    >>> [steps.flatten().tolist() for steps in touched.inputs_and_targets(backward=True)]
    [[0, 1, 2], [1, 2, 3]]
    """
    words, place = np.unique(lines, return_inverse=True)
    at = np.minimum(np.searchsorted(words, negatives.ids), len(words) - 1)
    position = np.where(words[at] == negatives.ids, at + 1, -1)
    position[negatives.ids == END_ID] = len(words) + 1
    new = position < 0
    position[new] = len(words) + 2 + np.arange(new.sum())
    index = np.concatenate([[BEGIN_ID], words, [END_ID], negatives.ids[new]]).astype(np.int64)
    return Touched(
        torch.from_numpy(index),
        len(words) + 1,
        torch.from_numpy(place.reshape(lines.shape) + 1),
        torch.from_numpy(position),
        negatives.log_weights,
    )
