"""Training: the parser in torch, and its tensors for a bundle.

Embeddings of piece, suffix and shape, two bidirectional LSTM layers, and a biaffine score for every pair of tokens
(Dozat and Manning 2017). A token that is its own head is a root, so a line of two sentences has two roots and needs no
symbol for them. `tersely.sentence.parser` computes the same in numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tersely.sentence.labels import LABELS
from tersely.sentence.lexicon import N_SHAPES, N_SUFFIXES, Features, Lexicon
from tersely.training.export import Tensors, table_tensors
from tersely.training.recipes import ParserSizes


class ParserHeads(nn.Module):
    """Scores of all heads for every token, and of all labels for pairs of token and head, from the tokens' states."""

    def __init__(self, width: int, arc: int, label: int, dropout: float = 0.0) -> None:
        super().__init__()
        # The token as a dependent and as a head, for arcs and for labels: one product computes all four.
        self.widths = [arc, arc, label, label]
        self.roles = nn.Linear(width, sum(self.widths))
        self.arc = nn.Parameter(torch.randn(arc, arc) / arc)
        self.arc_head = nn.Parameter(torch.zeros(arc))  # how likely a token is a head
        self.arc_root = nn.Parameter(torch.zeros(arc))  # how likely it is a root
        n = label + 1  # with a constant, so that the bilinear form includes the linear ones
        self.label = nn.Parameter(torch.randn(n, len(LABELS) * n) / n)
        self.dropout = nn.Dropout(dropout)

    def split(self, states: Tensor) -> tuple[Tensor, ...]:
        """The four roles of every token, (batch, tokens, width) each."""
        roles = self.dropout(functional.leaky_relu(self.roles(self.dropout(states)), 0.1))
        return torch.split(roles, self.widths, dim=2)

    def arcs(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """The score of every head for every token, (batch, dependents, heads); on the diagonal that of being a root."""
        scores = dependents @ self.arc @ heads.transpose(1, 2) + (heads @ self.arc_head).unsqueeze(1)
        return scores + torch.diag_embed(dependents @ self.arc_root)

    def labels(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """The scores of the labels, (tokens, labels), of pairs of token and head, (tokens, width) each."""
        one = dependents.new_ones(len(dependents), 1)
        left, right = torch.cat([dependents, one], 1), torch.cat([heads, one], 1)
        return ((left @ self.label).view(len(left), -1, right.shape[1]) * right.unsqueeze(1)).sum(2)


class ParserNetwork(ParserHeads):
    """A parser with layers of its own."""

    def __init__(self, n_pieces: int, sizes: ParserSizes) -> None:
        super().__init__(2 * sizes.hidden, sizes.arc, sizes.label)
        self.piece = nn.Embedding(n_pieces, sizes.piece)
        self.suffix = nn.Embedding(N_SUFFIXES, sizes.suffix)
        self.shape = nn.Embedding(N_SHAPES, sizes.shape)
        for table in (self.piece, self.suffix, self.shape):
            nn.init.normal_(table.weight, std=0.3)
        width = sizes.piece + sizes.suffix + sizes.shape
        self.lstm = nn.LSTM(width, sizes.hidden, sizes.layers, bidirectional=True)

    def states(self, features: Features) -> tuple[Tensor, ...]:
        """The four roles of every token, (batch, tokens, width) each."""
        ids, suffixes, shapes = (torch.from_numpy(np.ascontiguousarray(field.T)) for field in features)
        inputs = torch.cat([self.piece(ids), self.suffix(suffixes), self.shape(shapes)], dim=2)
        states, _ = self.lstm(inputs)  # (tokens, batch, 2 hidden)
        return self.split(states.transpose(0, 1))

    def forward(self, features: Features, heads: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The scores of all heads, (tokens, heads), and of the labels, (tokens, labels), of these or the best."""
        arc_dependent, arc_head, label_dependent, label_head = self.states(features)
        scores = self.arcs(arc_dependent, arc_head)
        heads = scores.argmax(2) if heads is None else heads
        of_heads = label_head.gather(1, heads.unsqueeze(2).expand(-1, -1, label_head.shape[2]))
        return scores.flatten(0, 1), self.labels(label_dependent.flatten(0, 1), of_heads.flatten(0, 1))


def parser_tensors(network: ParserNetwork, lexicon: Lexicon) -> tuple[Tensors, dict[str, Any]]:
    """The tensors of a parser, named `parser.*`, and its description for the bundle."""
    tensors: Tensors = {}
    matrices = {name: getattr(network, name).weight for name in ("piece", "suffix", "shape", "roles")}
    matrices |= {"arc": network.arc, "label": network.label}
    for layer in range(network.lstm.num_layers):
        names = [f"l{layer}", f"l{layer}_reverse"]
        matrices[f"lstm.{layer}.input"] = _both(network.lstm, "weight_ih", names)
        matrices[f"lstm.{layer}.recurrent"] = _both(network.lstm, "weight_hh", names)
        bias = _both(network.lstm, "bias_ih", names) + _both(network.lstm, "bias_hh", names)
        tensors[f"parser.lstm.{layer}.bias"] = _array(bias)
    for name, matrix in matrices.items():
        tensors |= table_tensors(f"parser.{name}", _array(matrix))
    tensors["parser.roles.bias"] = _array(network.roles.bias)
    tensors["parser.arc.head"], tensors["parser.arc.root"] = _array(network.arc_head), _array(network.arc_root)
    tensors["parser.extra"] = np.frombuffer("\n".join(lexicon.extra).encode(), np.int8)  # text, a piece a line
    description = {"layers": network.lstm.num_layers, "pieces": lexicon.n_shared, "labels": list(LABELS)}
    return tensors, description


def _both(lstm: nn.LSTM, kind: str, names: list[str]) -> Tensor:
    """The parameters of both directions of a layer, one below the other."""
    return torch.cat([getattr(lstm, f"{kind}_{name}") for name in names])


def _array(tensor: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().numpy().astype(np.float32)
    return array
