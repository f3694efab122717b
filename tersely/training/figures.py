"""Beside the flow: the figures that a bundle carries: of its models as trained, and of the bundle as stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.bundle import Bundle
from tersely.scoring.lstm import LanguageModel
from tersely.training.corpus import Encoded
from tersely.training.network import Network
from tersely.training.run import torch_model
from tersely.training.validate import Model, by_length, measure, preferences
from tersely.vocab import END_ID

MOST_LINES = 2_000  # of each validation set


def model_figures(networks: Mapping[str, Network], valid: Mapping[str, Encoded]) -> dict[str, Any]:
    """Perplexity and log Z of each direction, and how often real lines win, for each set of lines."""
    figures: dict[str, Any] = {}
    for name, lines in valid.items():
        some = lines.part(0, min(MOST_LINES, lines.n_lines))
        qualities = {
            direction: measure(torch_model(network), some, backward=direction == "backward")
            for direction, network in networks.items()
        }
        first = some.part(0, min(MOST_LINES // 2, some.n_lines))
        shares = preferences([torch_model(network) for network in networks.values()], first, np.random.default_rng(1))
        figures[name] = {
            "models": {direction: _rounded(asdict(quality)) for direction, quality in qualities.items()},
            "prefers the original": _rounded(shares),
        }
    return figures


def int8_gaps(bundle: Bundle, networks: Mapping[str, Network], lines: Encoded) -> dict[str, dict[str, float]]:
    """How far the scores of the stored bundle, int8 rows and numpy, are from those of the models, in nats per word."""
    some = lines.part(0, min(MOST_LINES // 4, lines.n_lines))
    gaps = {}
    for direction, network in networks.items():
        stored, trained = stored_model(bundle.language_model(direction)), torch_model(network)
        by_line, by_word = [], []
        for numbers in by_length(some):
            batch = np.stack([some.line(i) for i in numbers])
            batch = np.ascontiguousarray(batch[:, ::-1]) if direction == "backward" else batch
            gap = stored(batch, exact=False)[0] - trained(batch, exact=False)[0]
            by_line.append(np.abs(gap.mean(axis=1)))
            by_word.append(np.abs(gap).ravel())
        lines_apart, words_apart = np.concatenate(by_line), np.concatenate(by_word)
        gaps[direction] = _rounded(
            {
                "mean per line": lines_apart.mean(),
                "largest per line": lines_apart.max(),
                "mean per word": words_apart.mean(),
            }
        )
    return gaps


def stored_model(model: LanguageModel) -> Model:
    """The numpy model of a bundle as a function that `validate` can use; it knows no exact log Z."""

    def scores(lines: NDArray[np.int32], *, exact: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        assert not exact, "the exact softmax is measured on the models as trained"
        words = np.unique(lines).astype(np.int64)
        projected, rows = model.project(words), model.output.gather(words)
        end_row, end_bias = model.output.gather(np.array([END_ID]))[0], model.output_bias[END_ID]
        state = model.begin().take(np.zeros(len(lines), np.intp))
        right = []
        for column in lines.T:
            at = np.searchsorted(words, column)
            features = model.features(state)
            right.append(np.einsum("be,be->b", features, rows[at]) + model.output_bias[column])
            state = model.step(projected[at], state)
        right.append(model.features(state) @ end_row + end_bias)
        return np.stack(right, axis=1), np.zeros((len(lines), 1))

    return scores


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in figures.items()}
