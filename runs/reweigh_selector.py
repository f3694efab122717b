"""Teach a selector that the weight of `style` has changed since it learned, without distilling it anew.

    python runs/reweigh_selector.py BUNDLE OBJECTIVE CHANGE OUT

Style is a mean over the words of a summary, so with another weight each word's score changes by a multiple of its own.
Two more units of the selector's first layer, for positive and for negative style, add just that, over the sharpness at
which it learned; all else stays. The selector that ships has it for `headline`, 0.8: results/tuning.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tersely.bundle import open_bundle, write_bundle
from tersely.training.selector import SelectorRecipe

_STYLE = 2  # the clue of a word, in `Clues.words`
_PER_WORD = 2  # of `aims`: 4 / size


def main(bundle_folder: str, objective: str, change: str, out: str) -> None:
    bundle = open_bundle(Path(bundle_folder))
    tensors = dict(bundle.tensors)
    first = np.zeros((2, tensors["selector.word.hidden"].shape[1]))
    first[:, bundle.parser().parse([]).states.shape[1] + _STYLE] = 1, -1
    word = np.zeros((len(bundle.styles), tensors["selector.word"].shape[1], 2))
    word[bundle.styles.index(objective), _PER_WORD] = np.array([1, -1]) * float(change) / SelectorRecipe().sharpness / 4
    more = {"word.hidden": (0, first), "word.hidden.bias": (0, np.zeros(2)), "word": (2, word)}
    more |= {side: (1, np.zeros((len(tensors[f"selector.{side}"]), 2))) for side in ("left", "right")}
    for name, (axis, values) in more.items():
        old = tensors[f"selector.{name}"]
        tensors[f"selector.{name}"] = np.concatenate([old, values.astype(old.dtype)], axis=axis)
    write_bundle(
        Path(out), vocabulary=bundle.vocabulary, tensors=tensors, description=bundle.description, card=bundle.card
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
