"""Beside the flow: the selector as a torch module, and its tensors for a bundle.

A score for each edge of a summary (`tersely.scoring.clues`), given the whole source and the length asked for; the score
of a candidate is the sum over its edges, so that all candidates of a length together are a chain whose partition is a
few matrix products. `tersely.scoring.selector` computes the same in numpy.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from tersely.scoring.clues import N_EDGE
from tersely.scoring.selector import N_AIMS
from tersely.training.export import Tensors

_IMPOSSIBLE = -1e4


class SelectorNetwork(nn.Module):
    """Scores of all edges, for sources with their clues and for a length each."""

    def __init__(self, n_states: int, n_words: int, n_styles: int, *, hidden: int, pair: int, edge: int) -> None:
        super().__init__()
        self.word_hidden = nn.Linear(n_states + n_words, hidden)
        self.word = nn.Parameter(torch.zeros(n_styles, N_AIMS, hidden))
        self.left = nn.Linear(hidden, pair)
        self.right = nn.Linear(hidden, pair)
        self.start = nn.Parameter(torch.zeros(pair))
        self.end = nn.Parameter(torch.zeros(pair))
        self.pair = nn.Parameter(torch.ones(n_styles, pair) / pair)
        self.edge_hidden = nn.Linear(N_EDGE, edge)
        self.edge_aims = nn.Parameter(torch.randn(n_styles, edge, N_AIMS) / N_AIMS)
        self.edge = nn.Parameter(torch.zeros(n_styles, edge))
        self.linear = nn.Parameter(torch.zeros(n_styles, N_AIMS, N_EDGE))
        self.dropout = nn.Dropout(0.2)

    def forward(
        self, states: Tensor, words: Tensor, edges: Tensor, of_source: Tensor, styles: Tensor, aims: Tensor
    ) -> Tensor:
        """The scores of all edges, (lists, n + 1, n + 1), of sources (sources, n, ...), for aims (lists, aims).

        `of_source` says which source each list belongs to, `styles` what is wanted of it.
        """
        hidden = self.dropout(torch.relu(self.word_hidden(torch.cat([self.dropout(states), words], dim=2))))
        word = torch.einsum("lnh,lh->ln", hidden[of_source], torch.einsum("lah,la->lh", self.word[styles], aims))
        rows = hidden.shape[0]
        left = torch.cat([self.start.expand(rows, 1, -1), self.left(hidden)], dim=1)
        right = torch.cat([self.right(hidden), self.end.expand(rows, 1, -1)], dim=1)
        pair = (left[of_source] * self.pair[styles].unsqueeze(1)) @ right[of_source].transpose(1, 2)
        seen = self.edge_hidden(edges)[of_source]  # (lists, n + 1, n + 1, edge)
        asked = torch.einsum("lea,la->le", self.edge_aims[styles], aims)
        edge = torch.relu(seen + asked[:, None, None]) @ self.edge[styles][:, None, :, None]
        weights = torch.einsum("lae,la->le", self.linear[styles], aims)
        scores = pair + edge.squeeze(3) + (edges[of_source] @ weights[:, None, :, None]).squeeze(3)
        return scores + nn.functional.pad(word, (0, 1)).unsqueeze(1)


def list_scores(scores: Tensor, paths: Tensor) -> Tensor:
    """The scores of candidates, (lists, candidates), from those of the edges.

    `paths` are the kept words of each candidate, (lists, candidates, longest), with the end after the last one and -1
    after the end.
    """
    befores = torch.cat([torch.zeros_like(paths[:, :, :1]), paths[:, :, :-1] + 1], dim=2)
    real = paths >= 0
    index = (befores * scores.shape[2] + paths).clamp(min=0)
    values = scores.flatten(1).gather(1, index.flatten(1)).view(paths.shape)
    return (values * real).sum(dim=2)


def log_partitions(scores: Tensor, n_words: Tensor, longest: int) -> Tensor:
    """log Σ exp(score) over all candidates of each number of words up to `longest`, (lists, longest)."""
    lists, size, _ = scores.shape
    places = torch.arange(size)
    allowed = (places[:, None] <= places) & (places < n_words[:, None, None])  # edges to a word
    steps = scores.masked_fill(~allowed, _IMPOSSIBLE)
    largest = steps.amax(dim=(1, 2), keepdim=True)
    chances = torch.exp(steps - largest)
    ends = scores.gather(2, n_words[:, None, None].expand(-1, size, 1)).squeeze(2)
    ends = ends.masked_fill((places > n_words[:, None]) | (places == 0), _IMPOSSIBLE)
    top = ends.amax(dim=1, keepdim=True)
    ending = torch.exp(ends - top)
    alpha = scores.new_zeros(lists, 1, size)
    alpha[:, 0, 0] = 1
    log_scale = scores.new_zeros(lists)
    found = []
    for _ in range(longest):
        alpha = nn.functional.pad((alpha @ chances)[:, :, :-1], (1, 0))
        total = alpha.sum(dim=(1, 2)).clamp(min=1e-30)
        alpha = alpha / total[:, None, None]
        log_scale = log_scale + torch.log(total) + largest[:, 0, 0]
        found.append(log_scale + torch.log((alpha[:, 0] * ending).sum(dim=1).clamp(min=1e-30)) + top[:, 0])
    return torch.stack(found, dim=1)


def selector_tensors(network: SelectorNetwork) -> Tensors:
    """The tensors of a selector, named `selector.*`: half precision is enough for scores."""
    tensors: Tensors = {}
    for name, parameter in network.named_parameters():
        stored = name.replace("_", ".").removesuffix(".weight")
        tensors[f"selector.{stored}"] = parameter.detach().numpy().astype(np.float16)
    return tensors
