"""Beside the flow: the language model as torch sees it: tables, LSTM layers, projection.

One model is one direction. The word tables are not torch parameters: `rows.Table` updates the few rows of a batch.
With tied tables the input and the output vectors of a word are the same row. The output of the last layer is projected
to the width of the table; score(w | h) = projection(h) . output[w] + bias[w].
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tersely.training.recurrent import Layer
from tersely.training.rows import Table
from tersely.training.sampled import Negatives
from tersely.training.touched import touch


@dataclass(frozen=True)
class Sizes:
    """The sizes of a language model."""

    embedding: int = 256
    hidden: int = 512
    layers: int = 1
    layer_norm: bool = False
    dropout: float = 0.0
    tied: bool = True


class Tables:
    """The word vectors of one direction, in and out; the same table twice if they are tied."""

    def __init__(self, n_words: int, sizes: Sizes) -> None:
        self.embedding = Table(torch.randn(n_words, sizes.embedding) * 0.1)
        self.output = self.embedding if sizes.tied else Table(torch.randn(n_words, sizes.embedding) * 0.1)


class Network(nn.Module):
    """The LSTM layers, the projection, and the output bias of one direction."""

    def __init__(self, tables: Tables, counts: NDArray[np.float64], sizes: Sizes) -> None:
        super().__init__()
        self.tables, self.sizes = tables, sizes
        widths = [sizes.embedding] + [sizes.hidden] * sizes.layers
        self.layers = nn.ModuleList(Layer(a, b, layer_norm=sizes.layer_norm) for a, b in pairwise(widths))
        self.projection = nn.Linear(sizes.hidden, sizes.embedding)
        # Starting from the frequencies, Z is near 1 and the loss near the entropy of single words.
        frequencies = np.maximum(counts, 0.5) / np.maximum(counts, 0.5).sum()
        self.bias = Table(torch.from_numpy(np.log(frequencies)).float())

    def states(self, embedded: Tensor, positions: Tensor) -> Tensor:
        """The projected states (time, batch, width); `positions` (time, batch) names a row of `embedded` each.

        The first layer's input product is made once per distinct word, not once per token.
        """
        first = self.layers[0]
        dropped = functional.dropout(embedded, self.sizes.dropout, self.training)
        gates = first.gates(dropped).index_select(0, positions.flatten())  # type: ignore[operator]
        hidden = first(gates.view(*positions.shape, -1))
        for layer in self.layers[1:]:
            hidden = layer(layer.gates(functional.dropout(hidden, self.sizes.dropout, self.training)))  # type: ignore[operator]
        projected: Tensor = self.projection(functional.dropout(hidden, self.sizes.dropout, self.training))
        return projected

    @torch.no_grad()
    def score(self, lines: NDArray[np.int32], *, exact: bool) -> tuple[Tensor, Tensor]:
        """The score of every word and end symbol (lines, length + 1), and log Z of each: exact, or taken to be 0."""
        touched = touch(lines, Negatives(np.zeros(0, np.int64), np.zeros(0, np.float32)))
        inputs, targets = touched.inputs_and_targets(backward=False)
        states = self.states(self.tables.embedding.rows.index_select(0, touched.read), inputs)
        target_ids = touched.index[targets]
        if not exact:
            right = (states * self.tables.output.rows[target_ids]).sum(dim=2) + self.bias.rows[target_ids]
            return right.t(), torch.zeros_like(right).t()
        scores = functional.linear(states, self.tables.output.rows, self.bias.rows)
        return scores.gather(2, target_ids.unsqueeze(2)).squeeze(2).t(), scores.logsumexp(dim=2).t()
