"""Training: the quality of a language model on lines that it was not trained on.

Perplexity by the exact softmax over the vocabulary, with the end symbol; and how far log Z is from 0, which is the
error of the unnormalised scores that the search uses. Models are functions here, so that the torch models in training
and the numpy models of a finished bundle are measured by the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.bundle.bundle import Bundle
from tersely.scoring.lstm import LanguageModel
from tersely.text.vocabulary import END_ID
from tersely.training.corpus import Encoded

if TYPE_CHECKING:
    from tersely.training.lm_network import Network  # needs torch, which a bundle does not

LINES_AT_ONCE = 64  # (lines, length, vocabulary) floats have to fit into memory
MOST_LINES = 2_000  # of each set, for the figures of a bundle


class Model(Protocol):
    """A language model of one direction; `Network.score` is one."""

    def __call__(self, lines: NDArray[np.int32], *, exact: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """The scores (lines, length + 1) of words and end symbols, and log Z of each: exact, or taken to be 0."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The perplexity and log Z of a model on some lines."""

    n_tokens: int
    perplexity: float
    log_z: float  # mean
    abs_log_z: float  # mean of the absolute value

    def __str__(self) -> str:
        return f"perplexity {self.perplexity:.1f}, log Z {self.log_z:+.3f}, |log Z| {self.abs_log_z:.3f}"


def by_length(corpus: Encoded) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Batches of lines of one length: their numbers, and their words (lines, length)."""
    lengths = corpus.lengths
    for length in np.unique(lengths[lengths > 0]):
        alike = np.flatnonzero(lengths == length)
        for start in range(0, len(alike), LINES_AT_ONCE):
            numbers = alike[start : start + LINES_AT_ONCE]
            yield numbers, corpus.ids[corpus.offsets[numbers, None] + np.arange(length)]


def measure(model: Model, corpus: Encoded, *, backward: bool) -> Quality:
    """The perplexity and log Z of one direction on the lines of `corpus`.

    >>> def certain(lines, exact):
    ...     return np.zeros((len(lines), lines.shape[1] + 1)), np.full((len(lines), 1), np.log(2.0))
    >>> print(measure(certain, Encoded(np.array([5, 6], np.int32), np.array([0, 2])), backward=False))
    perplexity 2.0, log Z +0.693, |log Z| 0.693
    """
    n_tokens, total, sum_log_z, sum_abs_log_z = 0, 0.0, 0.0, 0.0
    for _, lines in by_length(corpus):
        right, log_z = model(lines[:, ::-1] if backward else lines, exact=True)
        log_z = np.broadcast_to(log_z, right.shape)
        n_tokens += right.size
        total += float((right - log_z).sum())
        sum_log_z += float(log_z.sum())
        sum_abs_log_z += float(np.abs(log_z).sum())
    n = max(n_tokens, 1)
    return Quality(n_tokens, float(np.exp(-total / n)), sum_log_z / n, sum_abs_log_z / n)


def stored_model(model: LanguageModel) -> Model:
    """The numpy model of a bundle as a function for this module; it has no exact log Z."""

    def scores(lines: NDArray[np.int32], *, exact: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        assert not exact, "the exact softmax is measured on the models as trained"
        words = np.unique(lines).astype(np.int64)
        projected, rows = model.project(words), model.output.gather(words)
        end_row, end_bias = model.output.gather(np.array([END_ID]))[0], model.output_bias[END_ID]
        state = model.begin.take(np.zeros(len(lines), np.intp))
        right = []
        for column in lines.T:
            at = np.searchsorted(words, column)
            features = model.features(state)
            right.append(np.einsum("be,be->b", features, rows[at]) + model.output_bias[column])
            state = model.step(projected[at], state)
        right.append(model.features(state) @ end_row + end_bias)
        return np.stack(right, axis=1), np.zeros((len(lines), 1))

    return scores


def model_figures(networks: Mapping[str, Network], valid: Mapping[str, Encoded]) -> dict[str, Any]:
    """Perplexity and log Z of each direction, for each set of lines."""
    figures: dict[str, Any] = {}
    for name, lines in valid.items():
        some = lines.part(0, MOST_LINES)
        qualities = {
            direction: measure(network.score, some, backward=direction == "backward")
            for direction, network in networks.items()
        }
        figures[name] = {"models": {direction: _rounded(asdict(of)) for direction, of in qualities.items()}}
    return figures


def int8_gaps(bundle: Bundle, networks: Mapping[str, Network], lines: Encoded) -> dict[str, dict[str, float]]:
    """How far the scores of the stored bundle, int8 rows and numpy, are from those of the models, in nats per word."""
    some = lines.part(0, MOST_LINES // 4)
    gaps = {}
    for direction, network in networks.items():
        stored = stored_model(bundle.language_model(direction))
        by_line, by_word = [], []
        for _, batch in by_length(some):
            batch = batch[:, ::-1] if direction == "backward" else batch
            gap = stored(batch, exact=False)[0] - network.score(batch, exact=False)[0]
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


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in figures.items()}
