"""Training: a pretrained encoder, a parser and an editor on it as torch modules, and their tensors for a bundle.

`tersely.sentence.encoder`, `tersely.sentence.parser` and `tersely.scoring.editor` compute the same in numpy. The tables
of pieces and positions stay as they were pretrained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tersely.scoring.editor import N_ASKED, N_GAP, N_LENGTH, N_LINKS, N_PAIR, Editor
from tersely.sentence.encoder import Encoder, Pieces, pieces_of
from tersely.sentence.labels import LABELS
from tersely.sentence.parser import Parser
from tersely.sentence.states import Lookup, States, floats
from tersely.sentence.tree import Tree
from tersely.sentence.wordpiece import BEGIN, END, UNKNOWN, WordPiece
from tersely.system.table import quantize
from tersely.text.words import Word
from tersely.training.export import Tensors
from tersely.training.parser_network import ParserHeads
from tersely.training.recipes import LearnRecipe
from tersely.training.shortenings import Shortened, token_words
from tersely.training.treebank import LONGEST, TreebankSentence

DROPOUT, HEADS_DROPOUT, EDITOR_DROPOUT = 0.1, 0.2, 0.15
HIDDEN = 0.06  # share of the pieces that are unknown in training
SMALL = 8_192  # a matrix of fewer entries is not worth the rounding error of int8
_HALF = torch.ops.mkldnn._is_mkldnn_bf16_supported()


class Layer(nn.Module):
    """Attention and a feed-forward part, each with a residual and a norm."""

    def __init__(self, width: int, heads: int, wide: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, wide), nn.Linear(wide, width)
        self.output_norm, self.down_norm = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, states: Tensor, read: Tensor) -> Tensor:
        batch, n, width = states.shape
        query, key, value = self.attention(states).view(batch, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=read[:, None, None])
        mixed = self.output(mixed.transpose(1, 2).reshape(batch, n, width))
        states = self.output_norm(states + self.dropout(mixed))
        found: Tensor = self.down_norm(states + self.dropout(self.down(functional.gelu(self.up(states)))))
        return found


class EncoderNetwork(nn.Module):
    """A pretrained encoder: pieces in, states of tokens and of words out."""

    piece: Tensor
    position: Tensor

    def __init__(self, tensor: Lookup, description: Mapping[str, Any], vocabulary: Sequence[str]) -> None:
        super().__init__()
        self.description, self.vocabulary = description, vocabulary
        self.wordpiece, self.most_pieces = WordPiece(vocabulary), int(description["most_pieces"])
        self.ends = [self.wordpiece.numbers[piece] for piece in (BEGIN, END)]
        for name in ("piece", "position"):
            self.register_buffer(name, torch.tensor(floats(tensor, name), dtype=torch.float32))
        self.width, wide = self.piece.shape[1], tensor("layer.0.up").shape[0]
        self.norm, self.dropout = nn.LayerNorm(self.width, eps=1e-12), nn.Dropout(DROPOUT)
        layers = [Layer(self.width, int(description["heads"]), wide) for _ in range(int(description["layers"]))]
        self.layer = nn.ModuleList(layers)
        load_tensors(self, tensor)

    def pieces(self, words: Sequence[Word]) -> Pieces:
        return pieces_of(words, self.wordpiece, self.most_pieces)

    def forward(self, texts: Sequence[Pieces]) -> tuple[Tensor, Tensor]:
        """The states of tokens, (batch, tokens, width), and of words, (batch, words, width), padded."""
        longest = max(len(text.ids) for text in texts) + 2
        ids = np.zeros((len(texts), longest), np.int64)
        for row, text in zip(ids, texts, strict=True):
            row[: len(text.ids) + 2] = [self.ends[0], *text.ids, self.ends[1]]
        read = torch.arange(longest) < torch.tensor([[len(text.ids) + 2] for text in texts])
        pieces = torch.from_numpy(ids)
        if self.training:
            pieces = torch.where(torch.rand(pieces.shape) < HIDDEN, self.wordpiece.numbers[UNKNOWN], pieces)
        states = self.dropout(self.norm(self.piece[pieces] + self.position[:longest]))
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training and _HALF):
            for layer in self.layer:
                states = layer(states, read)
        states = states.float()
        of_words = [np.add.reduceat(text.of_tokens, np.cumsum(text.of_words) - text.of_words) for text in texts]
        return _means([text.of_tokens for text in texts], longest) @ states, _means(of_words, longest) @ states


def _means(sizes: Sequence[NDArray[np.int64]], longest: int) -> Tensor:
    """Matrices that average groups of pieces of these sizes, (batch, groups, pieces); the first piece is in none."""
    means = np.zeros((len(sizes), max(map(len, sizes)), longest), np.float32)
    for matrix, some in zip(means, sizes, strict=True):
        groups = np.repeat(np.arange(len(some)), some)
        matrix[groups, 1 + np.arange(len(groups))] = 1 / some[groups]
    return torch.from_numpy(means)


class EditorNetwork(nn.Module):
    """Scores of kept words and neighbours, and the needs between words, given the tree and the number of words."""

    def __init__(self, width: int, role: int = 64, word: int = 128, gap: int = 24) -> None:
        super().__init__()
        self.roles = nn.Linear(width, 4 * role)  # before and after a gap, needing and needed
        self.border = nn.Parameter(torch.randn(2, role) * 0.02)  # before the first word, after the last
        self.word, self.word_asked = nn.Linear(width + len(LABELS) + 1, word), nn.Linear(N_ASKED, word, bias=False)
        self.word_out = nn.Linear(word, 1)
        self.gap, self.gap_out = nn.Linear(N_GAP + N_ASKED, gap), nn.Linear(gap, 1)
        self.link, self.link_label = nn.Linear(width, N_LINKS), nn.Linear(len(LABELS), N_LINKS * N_ASKED, bias=False)
        self.pair = nn.Linear(N_PAIR, 1)
        self.dropout = nn.Dropout(EDITOR_DROPOUT)
        nn.init.normal_(self.roles.weight, std=0.03)
        for module in (self.link, self.link_label):
            nn.init.zeros_(module.weight)
        nn.init.constant_(self.pair.bias, -3.0)  # at first no word needs another
        for module in (self.word_asked, self.gap):  # a style that is never learned has no effect
            nn.init.zeros_(module.weight[:, N_LENGTH - N_ASKED :])

    def prepare(self, states: Tensor, above: Tensor, labels: Tensor) -> tuple[Tensor, ...]:
        """What does not depend on the number of words: words, neighbours, needs, links along the tree."""
        states = self.dropout(states)
        before, after, needing, needed = self.roles(states).chunk(4, dim=1)
        scale = before.shape[1] ** -0.5
        before, after = torch.cat([self.border[:1], before]), torch.cat([after, self.border[1:]])
        word = self.word(torch.cat([states, labels, above.diagonal().unsqueeze(1)], 1))
        return word, before @ after.T * scale, needing @ needed.T * scale, self.link(states), self.link_label(labels)

    def forward(
        self, prepared: tuple[Tensor, ...], above: Tensor, gaps: Tensor, pairs: Tensor, asked: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The edges, (n + 1, n + 1), and the needs, (n, n), for a number of words."""
        inner, edges, needs, links, link_labels = prepared
        n = len(inner)
        word = self.word_out(functional.gelu(inner + self.word_asked(asked))).squeeze(1)
        of_gaps, of_asked = self.gap.weight[:, :N_GAP], self.gap.weight[:, N_GAP:]
        gap = gaps @ of_gaps.T + (of_asked @ asked + self.gap.bias)
        gap = self.gap_out(functional.gelu(gap)).squeeze(2)
        links = links + (link_labels.view(n, N_LINKS, N_ASKED) * asked).sum(2)
        up, down, to_after, to_before = (above * links[:, k : k + 1] for k in range(N_LINKS))
        edges = edges + gap + functional.pad(word, (0, 1)) + functional.pad(to_after + to_before.T, (0, 1, 1, 0))
        needs = functional.softplus(needs + self.pair(pairs).squeeze(2) + up + down.T)
        return edges, needs * (1 - torch.eye(n))


class Frozen(nn.Module):
    """An editor that learns on the states of a bundle's parser, which stays as it is."""

    name = "editor"
    equal = False  # texts of a batch may have different lengths
    longest = LONGEST
    optimizer: Mapping[str, Any] = {"weight_decay": 0.01}

    def __init__(self, editor: EditorNetwork, parser: Parser, recipe: LearnRecipe, far_needs: float) -> None:
        super().__init__()
        self.editor, self.of_bundle, self.recipe, self.far_needs = editor, parser, recipe, far_needs

    @property
    def rates(self) -> list[tuple[nn.Module, float]]:
        """The parts that learn, with their highest rates."""
        return [(self.editor, self.recipe.heads_rate)]

    def size(self, item: Shortened) -> int:
        """How much of a batch an item takes."""
        return len(item.words)

    def read(self, sources: Sequence[Shortened]) -> Iterator[tuple[Tensor, Tree]]:
        """The states of each source's words, (words, width), and its tree, which the editor takes as given."""
        for source in sources:
            tree = self.of_bundle.parse(source.words)
            yield torch.from_numpy(tree.states), tree

    def numpy_models(self, tensors: Tensors) -> tuple[Parser, Editor]:
        """The parser, with its encoder, and the editor in numpy, as a bundle with these tensors has them."""
        return self.of_bundle, Editor(part(tensors, "editor"), self.far_needs)


class EditorOnEncoder(nn.Module):
    """An encoder with a parser and an editor on it, all of which learn; the methods are as in `Frozen`."""

    name, equal, optimizer = Frozen.name, Frozen.equal, Frozen.optimizer

    def __init__(
        self,
        encoder: EncoderNetwork,
        parser: ParserHeads,
        editor: EditorNetwork,
        recipe: LearnRecipe,
        far_needs: float,
    ) -> None:
        super().__init__()
        self.encoder, self.parser, self.editor = encoder, parser, editor
        self.recipe, self.far_needs, self.longest = recipe, far_needs, int(encoder.description["window"])

    @property
    def rates(self) -> list[tuple[nn.Module, float]]:
        """The lower a layer of the encoder, the lower its rate."""
        layers = [*reversed(self.encoder.layer), self.encoder.norm]
        of_layers = [(layer, self.recipe.rate * self.recipe.decay**below) for below, layer in enumerate(layers)]
        return [(self.parser, self.recipe.heads_rate), (self.editor, self.recipe.heads_rate), *of_layers]

    def size(self, item: Shortened | TreebankSentence) -> int:
        return len(self.encoder.pieces(item.words).ids) + 2

    def read(self, sources: Sequence[Shortened]) -> Iterator[tuple[Tensor, Tree]]:
        heads = Parser(_NoReader(), stored_tensors(self.parser.state_dict(), small=False).__getitem__)
        pieces = [self.encoder.pieces(source.words) for source in sources]
        tokens, states = self.encoder(pieces)
        for k, (source, text) in enumerate(zip(sources, pieces, strict=True)):
            n = len(source.words)
            of_tokens, of_words = tokens[k, : len(text.of_tokens)].detach(), states[k, :n].detach()
            read = States(of_tokens.numpy(), of_words.numpy(), text.of_words, ((0, n),))
            yield states[k, :n], heads.tree(read, source.punctuation)

    def tree_loss(self, trees: Sequence[TreebankSentence], rng: np.random.Generator) -> Tensor:
        """The loss of the parser on trees; every word is one token."""
        masked = rng.random() < 0.15  # as in benchmark corpora
        texts = [token_words(re.sub(r"\d", "#", form) if masked else form for form in tree.forms) for tree in trees]
        tokens, _ = self.encoder([self.encoder.pieces(words) for words in texts])
        return self.parser.loss(tokens, trees)

    def numpy_models(self, tensors: Tensors) -> tuple[Parser, Editor]:
        lookup = part(tensors, "encoder")
        encoder = Encoder.from_tensors(lookup, self.encoder.description, self.encoder.vocabulary)
        return Parser(encoder, part(tensors, "parser")), Editor(part(tensors, "editor"), self.far_needs)


class _NoReader:
    def read(self, words: Sequence[Word]) -> States:
        raise NotImplementedError  # the texts were read by torch


def stored_name(name: str, dimensions: int) -> str:
    """The name in a bundle of a tensor of these modules.

    >>> stored_name("encoder.layer.0.output_norm.weight", 1), stored_name("editor.word.weight", 2)
    ('encoder.layer.0.output.norm.weight', 'editor.word')
    """
    name = name.replace("_norm.", ".norm.").replace("arc_", "arc.")
    return name.removesuffix(".weight") if dimensions == 2 else name


@torch.no_grad()
def load_tensors(module: nn.Module, tensor: Lookup) -> None:
    """Give a module the weights of a bundle."""
    for name, weights in module.state_dict().items():
        weights.copy_(torch.tensor(floats(tensor, stored_name(name, weights.ndim))))


@torch.no_grad()
def load_editor(editor: EditorNetwork, tensor: Lookup) -> None:
    """Give an editor the weights of a bundle. Those of an older one know fewer styles: the others begin at zero."""

    def widened(name: str) -> NDArray[Any]:
        stored = floats(tensor, name)
        missing = N_ASKED - tensor("word_asked").shape[1]
        if name == "link_label":
            by_link = stored.reshape(N_LINKS, -1, len(LABELS))
            return np.pad(by_link, ((0, 0), (0, missing), (0, 0))).reshape(-1, len(LABELS))
        return np.pad(stored, ((0, 0), (0, missing))) if name in ("word_asked", "gap") else stored

    load_tensors(editor, widened)


def stored_tensors(state: Mapping[str, Tensor], *, small: bool = True) -> Tensors:
    """The tensors of a module's state for a bundle: matrices as int8 with a scale for each row, or float if not small.

    The table of pieces is int8 in any case: one sentence reads a few of its rows.
    """
    tensors: Tensors = {}
    for name, weights in state.items():
        rows, stored = weights.detach().numpy(), stored_name(name, weights.ndim)
        if rows.ndim == 2 and ((small and rows.size > SMALL) or stored == "encoder.piece"):
            tensors[stored], tensors[f"{stored}.scale"] = quantize(rows)
        else:
            tensors[stored] = rows
    return tensors


def part(tensors: Mapping[str, NDArray[Any]], name: str) -> Lookup:
    """The tensors of a part by their names in it."""
    return lambda tensor: tensors[f"{name}.{tensor}"]
