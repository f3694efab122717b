"""Beside the flow: a table of word vectors of which each step touches, and updates, only a few rows.

A batch knows a few thousand of the forty thousand words. Its rows are copied out, take part in the step as an ordinary
leaf of the gradient, and are updated by Adam in place. Unlike torch's SparseAdam the bias correction counts the
updates of each row, so that the first update of a rare word is no larger than any other.
"""

from __future__ import annotations

import torch
from torch import Tensor

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class Table:
    """Rows (n_rows, width) with their Adam moments.

    >>> table = Table(torch.zeros(4, 2))
    >>> touched = torch.tensor([1, 3])
    >>> table.update(touched, torch.tensor([[1.0, -2.0], [0.0, 3.0]]), rate=0.1)
    >>> table.rows[:, 1].round(decimals=3).tolist()
    [0.0, 0.10000000149011612, 0.0, -0.10000000149011612]
    """

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self.first = torch.zeros_like(rows)
        self.second = torch.zeros_like(rows)
        self.n_updates = torch.zeros(len(rows))

    def state(self) -> dict[str, Tensor]:
        """All tensors of the table by name, for a checkpoint."""
        return {"rows": self.rows, "first": self.first, "second": self.second, "n_updates": self.n_updates}

    def load(self, state: dict[str, Tensor]) -> None:
        """Take over the tensors of a checkpoint."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])

    def take(self, index: Tensor) -> Tensor:
        """A copy of the rows at `index`, as a leaf that collects a gradient."""
        return self.rows.index_select(0, index).requires_grad_()

    @torch.no_grad()
    def update(self, index: Tensor, gradient: Tensor, rate: float) -> None:
        """One step of Adam for the rows at `index`, none of which may be named twice."""
        first = self.first.index_select(0, index).lerp_(gradient, 1 - BETAS[0])
        second = self.second.index_select(0, index).mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        n_updates = self.n_updates.index_select(0, index).add_(1)
        self.first.index_copy_(0, index, first)
        self.second.index_copy_(0, index, second)
        self.n_updates.index_copy_(0, index, n_updates)
        shape = (-1,) + (1,) * (gradient.dim() - 1)
        size = rate * (1 - BETAS[1] ** n_updates).sqrt_() / (1 - BETAS[0] ** n_updates)
        change = first.mul_(size.view(shape)).div_(second.sqrt_().add_(EPSILON))
        self.rows.index_add_(0, index, change, alpha=-1)

    @torch.no_grad()
    def descend(self, index: Tensor, gradient: Tensor, rate: float, momentum: float) -> None:
        """One step of gradient descent with momentum; a row's momentum waits while the row is not touched."""
        velocity = self.first.index_select(0, index).mul_(momentum).add_(gradient)
        self.first.index_copy_(0, index, velocity)
        self.rows.index_add_(0, index, velocity, alpha=-rate)
