"""Stage 6: the shapes that the tensors of a bundle must have to fit each other.

Checksums show that a bundle is as it was written, not that its tensors fit. Tensors that do not fit would raise an
error of numpy in the middle of a summary, or be broadcast and give a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from tersely.scoring.editor import N_ASKED, N_GAP, N_LENGTH, N_LINKS, N_PAIR
from tersely.sentence.lexicon import N_SHAPES, N_SUFFIXES

# Tensors with a row for each piece, and their number of dimensions.
BY_PIECE = {"vectors": 2, "idf": 1, "counts.titles": 1, "counts.articles": 1}
for _side in ("forward", "backward"):
    BY_PIECE |= {f"{_side}.embedding": 2, f"{_side}.output": 2, f"{_side}.output.bias": 1}

Shape = tuple[int, ...]
Wanted = Iterator[tuple[str, Shape]]


class Parts(Protocol):
    """A bundle, as far as this module needs it: tensors by name."""

    def __contains__(self, tensor: str) -> bool: ...

    def tensor(self, name: str) -> NDArray[Any]: ...


def misfit(parts: Parts, wanted: Wanted) -> str:
    """What is wrong with the first tensor that has not the expected shape; empty if all that are there fit."""
    for name, shape in wanted:
        if name in parts and parts.tensor(name).shape != shape:
            return f"{name} has the shape {parts.tensor(name).shape}: expected {shape}"
    return ""


def scales(tensors: Mapping[str, NDArray[Any]]) -> Wanted:
    """The shapes of the scales: one for each row of a table that is stored as int8."""
    for name in tensors:
        if f"{name}.scale" in tensors:
            yield f"{name}.scale", tensors[name].shape[:1]


def language_model(parts: Parts, direction: str, n_pieces: int) -> Wanted:
    """The shapes of the language model of a direction."""
    width, depth = _columns(parts, f"{direction}.embedding"), 0
    yield f"{direction}.embedding", (n_pieces, width)
    while f"{direction}.lstm.{depth}.input" in parts:
        layer = f"{direction}.lstm.{depth}"
        hidden = _columns(parts, f"{layer}.recurrent")
        yield from _layer(layer, 4 * hidden, hidden, width)
        for norm, size in (("norm_input", 4 * hidden), ("norm_recurrent", 4 * hidden), ("norm_cell", hidden)):
            yield from ((f"{layer}.{norm}.{part}", (size,)) for part in ("gain", "shift"))
        width, depth = hidden, depth + 1
    if f"{direction}.projection" in parts:
        width, hidden = _columns(parts, f"{direction}.output"), width
        yield f"{direction}.projection", (width, hidden)
        yield f"{direction}.projection.bias", (width,)
    yield f"{direction}.output", (n_pieces, width)
    yield f"{direction}.output.bias", (n_pieces,)


def encoder(parts: Parts, n_layers: int, n_heads: int, window: int, n_pieces: int) -> Wanted:
    """The shapes of a pretrained encoder, which reads two pieces more than a window."""
    width = _columns(parts, "encoder.position")
    wide = _rows(parts, "encoder.layer.0.up")
    yield "encoder.piece", (n_pieces, width)
    yield "encoder.position", (max(_rows(parts, "encoder.position"), window + 2), width)
    yield from ((f"encoder.norm.{part}", (width,)) for part in ("weight", "bias"))
    for layer in (f"encoder.layer.{i}" for i in range(n_layers)):
        yield from _linear(f"{layer}.attention", 3 * (width - width % n_heads), width)
        yield from _linear(f"{layer}.output", width, width)
        yield from _linear(f"{layer}.up", wide, width)
        yield from _linear(f"{layer}.down", width, wide)
        for norm in ("output.norm", "down.norm"):
            yield from ((f"{layer}.{norm}.{part}", (width,)) for part in ("weight", "bias"))


def bilstm(parts: Parts, n_layers: int) -> Wanted:
    """The shapes of a parser's own layers, if there is no pretrained encoder."""
    yield "parser.suffix", (N_SUFFIXES, _columns(parts, "parser.suffix"))
    yield "parser.shape", (N_SHAPES, _columns(parts, "parser.shape"))
    width = sum(_columns(parts, f"parser.{seen}") for seen in ("piece", "suffix", "shape"))
    for depth in range(n_layers):
        hidden = _columns(parts, f"parser.lstm.{depth}.recurrent")
        yield from _layer(f"parser.lstm.{depth}", 8 * hidden, hidden, width)
        width = 2 * hidden


def parser(parts: Parts, width: int, n_labels: int) -> Wanted:
    """The shapes of the parser for states of that width."""
    arc, roles = _rows(parts, "parser.arc.head"), _rows(parts, "parser.roles.bias")
    label = (roles - 2 * arc) // 2 + 1
    yield "parser.roles", (roles, width)
    yield "parser.roles.bias", (2 * arc + 2 * (label - 1),)
    yield "parser.arc", (arc, arc)
    yield "parser.arc.head", (arc,)
    yield "parser.arc.root", (arc,)
    yield "parser.label", (label, n_labels * label)


def editor(parts: Parts, width: int, n_labels: int) -> Wanted:
    """The shapes of the editor for states of that width."""
    role, word, gap = _columns(parts, "editor.border"), _rows(parts, "editor.word"), _rows(parts, "editor.gap")
    n_asked = min(max(_columns(parts, "editor.word_asked"), N_LENGTH + 1), N_ASKED)  # older ones know fewer styles
    yield "editor.border", (2, role)
    yield from _linear("editor.roles", 4 * role, width)
    yield from _linear("editor.word", word, width + n_labels + 1)
    yield "editor.word_asked", (word, n_asked)
    yield from _linear("editor.word_out", 1, word)
    yield from _linear("editor.gap", gap, N_GAP + n_asked)
    yield from _linear("editor.gap_out", 1, gap)
    yield from _linear("editor.link", N_LINKS, width)
    yield "editor.link_label", (N_LINKS * n_asked, n_labels)
    yield from _linear("editor.pair", 1, N_PAIR)


def _linear(name: str, rows: int, columns: int) -> Wanted:
    yield name, (rows, columns)
    yield f"{name}.bias", (rows,)


def _layer(name: str, gates: int, hidden: int, width: int) -> Wanted:
    yield f"{name}.recurrent", (gates, hidden)
    yield f"{name}.input", (gates, width)
    yield f"{name}.bias", (gates,)


def _rows(parts: Parts, name: str) -> int:
    return int(parts.tensor(name).shape[0]) if name in parts and parts.tensor(name).ndim else 0


def _columns(parts: Parts, name: str) -> int:
    return int(parts.tensor(name).shape[-1]) if name in parts and parts.tensor(name).ndim == 2 else 0
