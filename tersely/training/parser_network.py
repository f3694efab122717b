"""Training: the parser in torch, and its tensors for a bundle.

Embeddings of piece, suffix and shape, two bidirectional LSTM layers, and a biaffine score for every pair of tokens
(Dozat and Manning 2017). A token that is its own head is a root, so a line of two sentences has two roots and needs no
symbol for them. `tersely.sentence.parser` computes the same in numpy.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tersely.sentence.labels import LABELS, coarse
from tersely.sentence.lexicon import HIDDEN, N_SHAPES, N_SUFFIXES, Lexicon, normal_form, shape, suffix
from tersely.text.vocabulary import UNKNOWN_ID
from tersely.training.export import Tensors, table_tensors
from tersely.training.recipes import ParserRecipe
from tersely.training.treebank import LONGEST, TreebankSentence, joined, unended


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

    def loss(self, states: Tensor, trees: Sequence[TreebankSentence]) -> Tensor:
        """The mean cross-entropy of heads and labels, over the tokens of a padded batch."""
        heads: NDArray[np.int64] = np.full(states.shape[:2], -100)
        labels = heads.copy()
        for row, label_row, tree in zip(heads, labels, trees, strict=True):
            row[: len(tree.heads)] = tree.heads
            label_row[: len(tree.heads)] = [coarse(relation) for relation in tree.relations]
        arc_dependent, arc_head, label_dependent, label_head = self.split(states)
        word, target = torch.from_numpy(heads >= 0), torch.from_numpy(heads)
        scores = self.arcs(arc_dependent, arc_head).masked_fill(~word.unsqueeze(1), -1e9)
        arcs = functional.cross_entropy(scores.flatten(0, 1), target.flatten())
        rows, places = word.nonzero(as_tuple=True)
        of_labels = self.labels(label_dependent[rows, places], label_head[rows, target[rows, places]])
        return arcs + functional.cross_entropy(of_labels, torch.from_numpy(labels)[rows, places])


class ParserNetwork(ParserHeads):
    """A parser with layers of its own, and how it learns from trees.

    In half of them the shapes are hidden, so that text without capitals can be parsed too, and some pieces are replaced
    by the unknown symbol, rare ones more often.
    """

    name = "parser"
    equal = True  # an LSTM would be slow on padded texts
    optimizer: Mapping[str, Any] = {"betas": (0.9, 0.99), "weight_decay": 0.0}

    def __init__(self, lexicon: Lexicon, recipe: ParserRecipe, trees: Sequence[TreebankSentence]) -> None:
        super().__init__(2 * recipe.hidden, recipe.arc, recipe.label)
        self.recipe, self.features = recipe, cache(partial(_features, lexicon))
        self.piece = nn.Embedding(len(lexicon), recipe.piece)
        self.suffix = nn.Embedding(N_SUFFIXES, recipe.suffix)
        self.shape = nn.Embedding(N_SHAPES, recipe.shape)
        for table in (self.piece, self.suffix, self.shape):
            nn.init.normal_(table.weight, std=0.3)
        width = recipe.piece + recipe.suffix + recipe.shape
        self.lstm = nn.LSTM(width, recipe.hidden, recipe.layers, bidirectional=True, batch_first=True)
        counts = np.zeros(len(lexicon))
        for form, count in Counter(form for tree in trees for form in tree.forms).items():
            counts[self.features(form)[0]] += count
        self.unknown = recipe.unknown + (1 - recipe.unknown) * recipe.rare / np.maximum(recipe.rare + counts, 1)

    @property
    def rates(self) -> list[tuple[nn.Module, float]]:
        return [(self, self.recipe.rate)]

    def size(self, tree: TreebankSentence) -> int:
        return len(tree.forms)

    def tree_loss(self, trees: Sequence[TreebankSentence], rng: np.random.Generator) -> Tensor:
        """The loss on trees of one length."""
        trees = self._varied(trees, rng.random())
        ids, _, shapes = features = self.batch(trees)
        shapes[rng.random(len(trees)) < self.recipe.hidden_shapes] = HIDDEN
        ids[rng.random(ids.shape) < self.unknown[ids]] = UNKNOWN_ID
        return self.loss(self.states(features), trees)

    def _varied(self, trees: Sequence[TreebankSentence], draw: float) -> Sequence[TreebankSentence]:
        """The trees joined to pairs, without their full stops, or as they are; of one length in any case."""
        if draw < self.recipe.joined and 2 * len(trees[0].forms) <= LONGEST:
            return [joined(tree, trees[i - 1]) for i, tree in enumerate(trees)]
        if draw > 1 - self.recipe.unended:
            return [short for tree in trees if (short := unended(tree)) is not tree] or trees
        return trees

    def batch(self, trees: Sequence[TreebankSentence]) -> NDArray[np.int64]:
        """The ids, suffixes and shapes of trees of one length, (3, trees, tokens)."""
        rows = [[self.features(form) for form in tree.forms] for tree in trees]
        return np.array(rows, np.int64).transpose(2, 0, 1).copy()

    def states(self, features: NDArray[np.int64]) -> Tensor:
        """The states of the tokens, (batch, tokens, 2 hidden)."""
        ids, suffixes, shapes = torch.from_numpy(features)
        inputs = torch.cat([self.piece(ids), self.suffix(suffixes), self.shape(shapes)], dim=2)
        states: Tensor = self.lstm(inputs)[0]
        return states


def _features(lexicon: Lexicon, form: str) -> tuple[int, int, int]:
    piece = normal_form(form)
    return lexicon.id(piece), suffix(piece), shape(form)


def parser_tensors(state: Mapping[str, Tensor], lexicon: Lexicon) -> tuple[Tensors, dict[str, Any]]:
    """The tensors of a `ParserNetwork`, named `parser.*`, from its state, and its description for the bundle."""
    arrays = {name: weights.detach().numpy() for name, weights in state.items()}
    layers = [name.removeprefix("lstm.weight_ih_") for name in arrays if re.fullmatch(r"lstm\.weight_ih_l\d+", name)]
    rows = {name: arrays[f"{name}.weight"] for name in ("piece", "suffix", "shape", "roles")}
    rows |= {"arc": arrays["arc"], "label": arrays["label"]}
    tensors: Tensors = {"parser.roles.bias": arrays["roles.bias"]}
    tensors |= {"parser.arc.head": arrays["arc_head"], "parser.arc.root": arrays["arc_root"]}
    for i, layer in enumerate(layers):
        # Both directions of a layer, one below the other.
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        both = [np.concatenate([arrays[f"lstm.{kind}_{layer}{end}"] for end in ("", "_reverse")]) for kind in kinds]
        rows |= {f"lstm.{i}.input": both[0], f"lstm.{i}.recurrent": both[1]}
        tensors[f"parser.lstm.{i}.bias"] = both[2] + both[3]
    for name, matrix in rows.items():
        tensors |= table_tensors(f"parser.{name}", matrix)
    tensors["parser.extra"] = np.frombuffer("\n".join(lexicon.extra).encode(), np.int8)  # text, a piece a line
    return tensors, {"layers": len(layers), "pieces": lexicon.n_shared, "labels": list(LABELS)}
