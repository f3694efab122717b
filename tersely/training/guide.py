"""Beside the flow: trains the guide: what a language model expects beside a word, from the word alone.

The language models read summaries; after each piece they have features, whose products with the output rows are
log-probabilities. A small network learns to guess these log-probabilities from the piece before, whatever stands before
that (`tersely.scoring.guide`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tersely.bundle import Bundle
from tersely.scoring.lstm import LanguageModel
from tersely.source import IntArray
from tersely.training.export import Tensors
from tersely.vocab import BEGIN_ID

HIDDEN = 192
STEPS = 1_500
_READ = 9_000  # summaries that the models read
_BATCH, _WORDS = 512, 256  # pieces of a step, and words whose log-probabilities are compared
_RATE = 3e-3
_POWER = 0.75  # words are drawn by their count to this power, as negatives are elsewhere


def train_guide(bundle: Bundle, summaries: Sequence[IntArray]) -> tuple[Tensors, float]:
    """The tensors of a guide, `selector.after.*` and `selector.before.*`, and its error in nats, on pieces held out."""
    tensors: Tensors = {}
    errors = []
    for direction, name in (("forward", "after"), ("backward", "before")):
        model = bundle.language_model(direction)
        read = [ids if direction == "forward" else ids[::-1] for ids in summaries[:_READ]]
        network, error = _fit(model, *_features(model, read), STEPS)
        errors.append(error)
        parts = zip(("hidden", "hidden.bias", "features", "features.bias"), network.parameters(), strict=True)
        tensors |= {f"selector.{name}.{part}": weight.detach().numpy().astype(np.float16) for part, weight in parts}
    return tensors, float(np.mean(errors))


def _features(model: LanguageModel, summaries: Sequence[IntArray]) -> tuple[IntArray, NDArray[np.float32]]:
    """Every piece that the model reads, the begin symbol as well, and its features after it."""
    pieces, features = [], []
    ordered = sorted(summaries, key=len)
    for begin in range(0, len(ordered), 256):
        part = ordered[begin : begin + 256]
        lengths = np.array([len(ids) + 1 for ids in part])
        rows = np.full((len(part), lengths.max()), BEGIN_ID)
        for row, ids in zip(rows, part, strict=True):
            row[1 : len(ids) + 1] = ids
        state = model.start(len(part))
        for t in range(rows.shape[1]):
            state = model.step(model.project(rows[:, t]), state)
            pieces.append(rows[lengths > t, t])
            features.append(model.features(state)[lengths > t])
    return np.concatenate(pieces), np.concatenate(features)


def _fit(
    model: LanguageModel, pieces: IntArray, features: NDArray[np.float32], steps: int
) -> tuple[nn.Sequential, float]:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    output = torch.from_numpy(model.output.gather(slice(None)))
    shares = np.bincount(pieces, minlength=len(output)) ** _POWER
    held_out = np.arange(len(pieces)) % 20 == 0
    rest = np.flatnonzero(~held_out)
    network = nn.Sequential(nn.Linear(model.embedding.width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, features.shape[1]))
    optimizer = torch.optim.Adam(network.parameters(), _RATE)

    def loss(rows: IntArray) -> torch.Tensor:
        words = torch.from_numpy(rng.choice(len(output), _WORDS, p=shares / shares.sum()))
        guess = network(torch.from_numpy(model.embedding.gather(pieces[rows])))
        error: torch.Tensor = (guess - torch.from_numpy(features[rows])) @ output[words].T
        return (error * error).mean()

    for step in range(steps):
        optimizer.param_groups[0]["lr"] = _RATE * (1 - step / steps)
        optimizer.zero_grad()
        loss(rest[rng.integers(0, len(rest), _BATCH)]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    with torch.no_grad():
        return network, float(loss(np.flatnonzero(held_out)).sqrt())
