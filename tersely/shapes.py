"""Stage 5: the shapes that the tensors of a bundle must have to fit each other.

Checksums say that a bundle is as it was written, not that what was written makes sense. A part whose tensors do not
fit would end in an error of numpy in the middle of a summary, or be stretched to fit and give a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from tersely.scoring.clues import N_EDGE, N_WORD
from tersely.scoring.lexicon import N_SHAPES, N_SUFFIXES
from tersely.scoring.selector import N_AIMS

# Tensors with a row for each piece, and how many dimensions they have.
BY_PIECE = {"vectors": 2, "idf": 1, "counts.titles": 1, "counts.articles": 1}
for _side in ("forward", "backward"):
    BY_PIECE |= {f"{_side}.embedding": 2, f"{_side}.output": 2, f"{_side}.output.bias": 1}

Shape = tuple[int, ...]
Wanted = Iterator[tuple[str, Shape]]


class Parts(Protocol):
    """What has tensors by name: a bundle."""

    def __contains__(self, tensor: str) -> bool: ...

    def tensor(self, name: str) -> NDArray[Any]: ...


def misfit(parts: Parts, wanted: Wanted) -> str:
    """What is wrong with the first tensor of another shape than is wanted; nothing if all fit, or are not there."""
    for name, shape in wanted:
        if name in parts and parts.tensor(name).shape != shape:
            return f"{name} has the shape {parts.tensor(name).shape}, and {shape} fits the others"
    return ""


def scales(tensors: Mapping[str, NDArray[Any]]) -> Wanted:
    """A scale for each row of a table that is stored as small numbers."""
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


def parser(parts: Parts, n_layers: int, n_labels: int) -> Wanted:
    """The shapes of the parser."""
    yield "parser.suffix", (N_SUFFIXES, _columns(parts, "parser.suffix"))
    yield "parser.shape", (N_SHAPES, _columns(parts, "parser.shape"))
    width = sum(_columns(parts, f"parser.{seen}") for seen in ("piece", "suffix", "shape"))
    for depth in range(n_layers):
        hidden = _columns(parts, f"parser.lstm.{depth}.recurrent")
        yield from _layer(f"parser.lstm.{depth}", 8 * hidden, hidden, width)
        width = 2 * hidden
    arc, roles = _rows(parts, "parser.arc.head"), _rows(parts, "parser.roles.bias")
    label = (roles - 2 * arc) // 2 + 1
    yield "parser.roles", (roles, width)
    yield "parser.roles.bias", (2 * arc + 2 * (label - 1),)
    yield "parser.arc", (arc, arc)
    yield "parser.arc.head", (arc,)
    yield "parser.arc.root", (arc,)
    yield "parser.label", (label, n_labels * label)


def selector(parts: Parts, styles: Sequence[str], n_layers: int) -> Wanted:
    """The shapes of the selector, which sees the states of the parser's last layer."""
    states = 2 * _columns(parts, f"parser.lstm.{n_layers - 1}.recurrent")
    hidden, pair, edge = (_rows(parts, f"selector.{name}") for name in ("word.hidden", "left", "edge.hidden"))
    n = len(styles)
    shapes: dict[str, Shape] = {
        "word.hidden": (hidden, states + N_WORD), "word.hidden.bias": (hidden,), "word": (n, N_AIMS, hidden),
        "left": (pair, hidden), "left.bias": (pair,), "right": (pair, hidden), "right.bias": (pair,),
        "start": (pair,), "end": (pair,), "pair": (n, pair),
        "edge.hidden": (edge, N_EDGE), "edge.hidden.bias": (edge,), "edge.aims": (n, edge, N_AIMS), "edge": (n, edge),
        "linear": (n, N_AIMS, N_EDGE),
    }  # fmt: skip
    for name, direction in (("after", "forward"), ("before", "backward")):
        seen = _rows(parts, f"selector.{name}.hidden")
        output = _columns(parts, f"{direction}.output")
        shapes |= {f"{name}.hidden": (seen, _columns(parts, f"{direction}.embedding")), f"{name}.hidden.bias": (seen,)}
        shapes |= {f"{name}.features": (output, seen), f"{name}.features.bias": (output,)}
    yield from ((f"selector.{name}", shape) for name, shape in shapes.items())


def _layer(name: str, gates: int, hidden: int, width: int) -> Wanted:
    yield f"{name}.recurrent", (gates, hidden)
    yield f"{name}.input", (gates, width)
    yield f"{name}.bias", (gates,)


def _rows(parts: Parts, name: str) -> int:
    return int(parts.tensor(name).shape[0]) if name in parts and parts.tensor(name).ndim else 0


def _columns(parts: Parts, name: str) -> int:
    return int(parts.tensor(name).shape[-1]) if name in parts and parts.tensor(name).ndim == 2 else 0
