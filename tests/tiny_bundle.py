"""A tiny bundle made by code (a few dozen words, random weights), so that every test runs without a trained one.

As a program, `python tests/tiny_bundle.py FOLDER`, it writes that bundle: `make demo` falls back on it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tersely.bundle import write_bundle
from tersely.scoring.table import quantize
from tersely.vocab import Vocabulary

WORDS = (
    "the a of to in at on and but for with ship container german french port ran aground early tuesday authorities "
    "said there were no casualties entrance havre le registered was is 's n't did # ## #.# $ percent billion minister "
    "paid storm killed people cuba u.s. president talks new plan"
).split()


def write_tiny_bundle(
    folder: Path, *, hidden: int = 8, width: int = 6, layers: int = 1, norm: bool = False, seed: int = 7
) -> Path:
    """A complete bundle with random weights."""
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
    write_bundle(
        folder,
        vocabulary=vocabulary,
        tensors=tensors,
        description={
            "name": "tiny",
            "recipe": "random",
            "counts": {side: {"lines": 1000, "words": 9000} for side in ("titles", "articles")},
        },
        card="# tiny\n\nRandom weights, for tests.\n",
    )
    return folder


if __name__ == "__main__":
    write_tiny_bundle(Path(sys.argv[1]))
