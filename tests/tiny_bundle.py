"""A tiny bundle made by code (a few dozen words, random weights), so that every test runs without a trained one.

As a program, `python tests/tiny_bundle.py FOLDER`, it writes that bundle: `make demo` falls back on it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tersely.bundle.writing import write_bundle
from tersely.scoring.editor import N_ASKED, N_GAP, N_LINKS, N_PAIR
from tersely.sentence.labels import LABELS
from tersely.sentence.lexicon import N_SHAPES, N_SUFFIXES
from tersely.system.table import quantize
from tersely.text.vocabulary import Vocabulary

WORDS = (
    "the a of to in at on and but for with ship container german french port ran aground early tuesday authorities "
    "said there were no casualties entrance havre le registered was is 's n't did # ## #.# $ percent billion minister "
    "paid storm killed people cuba u.s. president talks new plan"
).split()


TINY_HIDDEN = 5  # units of the tiny parser, in each direction


def write_tiny_bundle(
    folder: Path,
    *,
    hidden: int = 8,
    width: int = 6,
    layers: int = 1,
    norm: bool = False,
    parser: bool = True,
    editor: bool = True,
    objectives: Mapping[str, Mapping[str, float]] | None = None,
    seed: int = 7,
) -> Path:
    """A complete bundle with random weights; without a parser or an editor if none is asked for."""
    rng = np.random.default_rng(seed)
    vocabulary = Vocabulary.of(WORDS)
    tensors: dict[str, np.ndarray] = {}

    def table(name: str, columns: int) -> None:
        tensors[name], tensors[f"{name}.scale"] = quantize(rng.normal(size=(len(vocabulary), columns)))

    def floats(name: str, *shape: int, scale: float = 0.5) -> None:
        tensors[name] = rng.normal(scale=scale, size=shape).astype(np.float32)

    for direction in ("forward", "backward"):
        table(f"{direction}.embedding", width)
        for k in range(layers):
            prefix = f"{direction}.lstm.{k}"
            floats(f"{prefix}.input", 4 * hidden, width if k == 0 else hidden)
            floats(f"{prefix}.recurrent", 4 * hidden, hidden)
            floats(f"{prefix}.bias", 4 * hidden)
            for name, size in (("norm_input", 4 * hidden), ("norm_recurrent", 4 * hidden), ("norm_cell", hidden)):
                if norm:
                    floats(f"{prefix}.{name}.gain", size)
                    floats(f"{prefix}.{name}.shift", size)
        floats(f"{direction}.projection", width, hidden)
        floats(f"{direction}.projection.bias", width)
        table(f"{direction}.output", width)
        tensors[f"{direction}.output.bias"] = np.full(len(vocabulary), -4, dtype=np.float32)
    table("vectors", 5)
    tensors["idf"] = rng.uniform(1, 8, size=len(vocabulary)).astype(np.float32)
    tensors["counts.titles"] = rng.integers(1, 100, size=len(vocabulary)).astype(np.float32)
    tensors["counts.articles"] = rng.integers(1, 100, size=len(vocabulary)).astype(np.float32)
    if parser:
        tensors |= tiny_parser(len(vocabulary), rng)
    if parser and editor:
        tensors |= tiny_editor(2 * TINY_HIDDEN, np.random.default_rng(seed))
    write_bundle(
        folder,
        vocabulary=vocabulary,
        tensors=tensors,
        description={
            "name": "tiny",
            "recipe": "random",
            **({"objectives": objectives} if objectives else {}),
            **({"editor": {"far_needs": 0.5}} if parser and editor else {}),
            "counts": {side: {"lines": 1000, "words": 9000} for side in ("titles", "articles")},
            **({"parser": {"layers": 2, "pieces": len(vocabulary), "labels": list(LABELS)}} if parser else {}),
        },
        card="# tiny\n\nRandom weights, for tests.\n",
    )
    return folder


def tiny_parser(n_pieces: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The tensors of a parser with random weights: it gives every word some head."""
    hidden, arc, label = TINY_HIDDEN, 4, 3
    marks = ",.:"
    shapes = {
        "piece": (n_pieces + len(marks), 6),
        "suffix": (N_SUFFIXES, 3),
        "shape": (N_SHAPES, 2),
        "lstm.0.input": (8 * hidden, 11),
        "lstm.1.input": (8 * hidden, 2 * hidden),
        "lstm.0.recurrent": (8 * hidden, hidden),
        "lstm.1.recurrent": (8 * hidden, hidden),
        "roles": (2 * arc + 2 * label, 2 * hidden),
        "arc": (arc, arc),
        "label": (label + 1, len(LABELS) * (label + 1)),
    }
    sizes = {"lstm.0.bias": 8 * hidden, "lstm.1.bias": 8 * hidden, "roles.bias": 2 * arc + 2 * label}
    sizes |= {"arc.head": arc, "arc.root": arc}
    tensors = {f"parser.{name}": rng.normal(size=size).astype(np.float32) for name, size in sizes.items()}
    for name, shape in shapes.items():
        tensors[f"parser.{name}"], tensors[f"parser.{name}.scale"] = quantize(rng.normal(size=shape))
    tensors["parser.extra"] = np.frombuffer("\n".join(marks).encode(), np.int8)
    return tensors


def tiny_editor(width: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The tensors of an editor with random weights, on states of that width."""
    role, word, gap = 4, 6, 3
    matrices = {
        "border": (2, role), "roles": (4 * role, width), "word": (word, width + len(LABELS) + 1),
        "word_asked": (word, N_ASKED), "word_out": (1, word), "gap": (gap, N_GAP + N_ASKED), "gap_out": (1, gap),
        "link": (N_LINKS, width), "link_label": (N_LINKS * N_ASKED, len(LABELS)), "pair": (1, N_PAIR),
    }  # fmt: skip
    without_bias = ("border", "word_asked", "link_label")
    biases = {f"{name}.bias": shape[:1] for name, shape in matrices.items() if name not in without_bias}
    shapes = {**matrices, **biases}
    return {f"editor.{name}": rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


if __name__ == "__main__":
    write_tiny_bundle(Path(sys.argv[1]))
