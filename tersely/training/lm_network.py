"""Training: the language model in torch: word tables, LSTM layers, projection.

One model is one direction. The word tables are not torch parameters: a batch uses a few thousand of the forty thousand
words, and only their rows are updated. With tied tables the input and the output vector of a word are the same row.
The output of the last layer is projected to the width of the table; score(w | h) = projection(h) . output[w] + bias[w].
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tersely.text.vocabulary import BEGIN_ID, END_ID
from tersely.training.recipes import Recipe
from tersely.training.sampled_loss import inputs_and_targets

BETAS, EPSILON = (0.9, 0.999), 1e-8  # of Adam for the word tables
NORM_EPSILON = 1e-5  # of the layer normalisation, in training and in scoring alike


class TrainedRows:
    """A table of word vectors (n_rows, width) with their Adam moments; each step updates a few rows.

    The rows of a batch are copied, used as an ordinary leaf of the gradient, and updated in place. Unlike in torch's
    SparseAdam, the bias correction counts the updates of each row, so that the first update of a rare word is no larger
    than any other.

    >>> table = TrainedRows(torch.zeros(4, 2))
    >>> batch = torch.tensor([1, 3])
    >>> table.update(batch, torch.tensor([[1.0, -2.0], [0.0, 3.0]]), rate=0.1)
    >>> table.rows[:, 1].round(decimals=3).tolist()
    [0.0, 0.10000000149011612, 0.0, -0.10000000149011612]
    """

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self.first = torch.zeros_like(rows)
        self.second = torch.zeros_like(rows)
        self.n_updates = rows.new_zeros(len(rows))

    def state(self) -> dict[str, Tensor]:
        return {"rows": self.rows, "first": self.first, "second": self.second, "n_updates": self.n_updates}

    def load(self, state: dict[str, Tensor]) -> None:
        for name, tensor in self.state().items():
            tensor.copy_(state[name])

    def take(self, index: Tensor) -> Tensor:
        """A copy of the rows at `index`, as a leaf that collects a gradient."""
        return self.rows.index_select(0, index).requires_grad_()

    @torch.no_grad()
    def update(self, index: Tensor, gradient: Tensor, rate: float) -> None:
        """One step of Adam for the rows at `index`, which must all be different."""
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
        """One step of gradient descent with momentum; the momentum of other rows does not change."""
        velocity = self.first.index_select(0, index).mul_(momentum).add_(gradient)
        self.first.index_copy_(0, index, velocity)
        self.rows.index_add_(0, index, velocity, alpha=-rate)


class LstmLayer(nn.Module):
    """One LSTM layer, with the layer normalisation of Ba et al. (2016) if it is wanted: the paper's models use it.

    All sentences of a batch have the same length, so there are no masks and no packing.
    """

    def __init__(self, n_inputs: int, n_hidden: int, *, layer_norm: bool) -> None:
        super().__init__()
        self.input = nn.Parameter(torch.empty(4 * n_hidden, n_inputs).uniform_(-1, 1) * n_inputs**-0.5)
        self.recurrent = nn.Parameter(torch.empty(4 * n_hidden, n_hidden).uniform_(-1, 1) * n_hidden**-0.5)
        self.bias = nn.Parameter(torch.zeros(4 * n_hidden))
        with torch.no_grad():
            self.bias[n_hidden : 2 * n_hidden] = 1.0  # the forget gate starts open (Jozefowicz et al. 2015)
        self.norm_input = nn.LayerNorm(4 * n_hidden, NORM_EPSILON) if layer_norm else None
        self.norm_recurrent = nn.LayerNorm(4 * n_hidden, NORM_EPSILON) if layer_norm else None
        self.norm_cell = nn.LayerNorm(n_hidden, NORM_EPSILON) if layer_norm else None

    def forward(self, inputs: Tensor) -> Tensor:
        """The hidden states (time, batch, hidden) for inputs (time, batch, n_inputs)."""
        hidden = inputs.new_zeros(inputs.shape[1], self.recurrent.shape[1])
        if self.norm_input is None or self.norm_recurrent is None or self.norm_cell is None:
            start, weights = (hidden[None], hidden[None]), (self.input, self.recurrent, self.bias, 0 * self.bias)
            return torch.lstm(inputs, start, weights, True, 1, 0.0, self.training, False, False)[0]
        gates: Tensor = self.norm_input(inputs @ self.input.t()) + self.bias
        cell, states = hidden, []
        for gate in gates:
            total = gate + self.norm_recurrent(hidden @ self.recurrent.t())
            i, f, g, o = total.chunk(4, dim=1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(self.norm_cell(cell))
            states.append(hidden)
        return torch.stack(states)


class Tables:
    """The input and output vectors of words; the same table twice if they are tied."""

    def __init__(self, n_words: int, recipe: Recipe, device: torch.device | str = "cpu") -> None:
        self.embedding = TrainedRows(_drawn(n_words, recipe.embedding).to(device))
        self.output = self.embedding if recipe.tied else TrainedRows(_drawn(n_words, recipe.embedding).to(device))


def _drawn(*shape: int) -> Tensor:
    """Random initial vectors, drawn on the CPU, so that a seed gives the same ones on every device."""
    return torch.randn(*shape, device="cpu") * 0.1


class Network(nn.Module):
    """The LSTM layers, the projection, and the output bias of one direction."""

    def __init__(self, tables: Tables, counts: NDArray[np.float64], recipe: Recipe) -> None:
        super().__init__()
        self.tables, self.dropout = tables, nn.Dropout(recipe.dropout)
        widths = [recipe.embedding] + [recipe.hidden] * recipe.layers
        self.layers = nn.ModuleList(LstmLayer(a, b, layer_norm=recipe.layer_norm) for a, b in pairwise(widths))
        self.projection = nn.Linear(recipe.hidden, recipe.embedding)
        # With the frequencies as a start, Z is near 1 and the loss near the entropy of single words.
        frequencies = np.maximum(counts, 0.5) / np.maximum(counts, 0.5).sum()
        self.bias = TrainedRows(torch.from_numpy(np.log(frequencies)).float().to(tables.embedding.rows.device))

    def states(self, embedded: Tensor, positions: Tensor) -> Tensor:
        """The projected states (time, batch, width); `positions` (time, batch) are rows of `embedded`."""
        hidden = embedded.index_select(0, positions.flatten()).view(*positions.shape, -1)
        for layer in self.layers:
            hidden = layer(self.dropout(hidden))
        projected: Tensor = self.projection(self.dropout(hidden))
        return projected

    @torch.no_grad()
    def score(self, lines: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The score of every word and end symbol, and the exact log Z of each, (lines, length + 1)."""
        self.eval()
        words = torch.from_numpy(lines.astype(np.int64)).to(self.bias.rows.device)
        inputs, targets = inputs_and_targets(words, BEGIN_ID, END_ID)
        states = self.states(self.tables.embedding.rows, inputs)
        scores = functional.linear(states, self.tables.output.rows, self.bias.rows)
        right = scores.gather(2, targets.unsqueeze(2)).squeeze(2)
        return right.t().cpu().numpy(), scores.logsumexp(dim=2).t().cpu().numpy()
