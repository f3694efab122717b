"""Stage 4: a word-level LSTM language model in numpy (the paper's section 3.1, its fluency model).

Any number of layers, with or without layer normalisation in the manner of Ba et al. (2016): the input's and the
state's contributions to the gates are normalised apart, and the cell before its output. Two ways to score a word:
*exact*, by a softmax over the vocabulary, and *self-normalised*, where the model was trained so that log Z is near 0
and the plain dot product is the log-probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tersely.system.arrays import IntArray
from tersely.system.table import Table
from tersely.text.vocabulary import BEGIN_ID

Array = NDArray[np.float32]
Rows = IntArray | slice
_ALL = slice(None)  # each row by itself
_EPSILON = np.float32(1e-5)  # torch's default in LayerNorm


@dataclass(frozen=True)
class Norm:
    """Layer normalisation over the last axis, with a learned gain and shift."""

    gain: Array
    shift: Array

    def __call__(self, x: Array) -> Array:
        """`x` with mean 0 and variance 1 along its last axis, then scaled and shifted."""
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.mean(centred * centred, axis=-1, keepdims=True)
        return np.asarray(centred / np.sqrt(variance + _EPSILON) * self.gain + self.shift, dtype=np.float32)


@dataclass(frozen=True)
class Layer:
    """The weights of one LSTM layer; gates in torch's order: input, forget, cell, output."""

    input: Array  # (4 hidden, width of the input)
    recurrent: Array  # (4 hidden, hidden)
    bias: Array  # (4 hidden,)
    norm_input: Norm | None = None
    norm_recurrent: Norm | None = None
    norm_cell: Norm | None = None

    @property
    def hidden(self) -> int:
        return int(self.recurrent.shape[1])

    def project(self, x: Array) -> Array:
        """What the inputs, (batch, width), add to the gates, (batch, 4 hidden): it needs no state."""
        projected = x @ self.input.T
        return (projected if self.norm_input is None else self.norm_input(projected)) + self.bias

    def step(self, projected: Array, h: Array, c: Array, parents: Rows = _ALL) -> tuple[Array, Array]:
        """The next state from projected inputs, (batch, hidden), and the states that they go on from.

        `parents` says which of the states each input goes on from: those that share one share its product.
        """
        recurrent = h @ self.recurrent.T
        gates = projected + (recurrent if self.norm_recurrent is None else self.norm_recurrent(recurrent))[parents]
        width = self.hidden
        # tanh(x) = 2 sigmoid(2x) - 1: one exponential over all gates, which numpy vectorises where it has no fast tanh
        gates[:, 2 * width : 3 * width] *= 2
        _sigmoid(gates)
        i, f, o = gates[:, :width], gates[:, width : 2 * width], gates[:, 3 * width :]
        g = 2 * gates[:, 2 * width : 3 * width] - 1
        c = f * c[parents] + i * g
        squashed = 2 * (c if self.norm_cell is None else self.norm_cell(c))
        _sigmoid(squashed)
        return o * (2 * squashed - 1), c


def _sigmoid(x: Array) -> None:
    """Replace every entry by its logistic function, in place."""
    with np.errstate(over="ignore"):  # exp(89) is infinite in float32, and its reciprocal is the right 0
        np.negative(x, out=x)
        np.exp(x, out=x)
        x += 1
        np.reciprocal(x, out=x)


@dataclass(frozen=True)
class State:
    """The state after a batch of prefixes: for each layer the output and the cell."""

    h: tuple[Array, ...]  # layers of (batch, hidden)
    c: tuple[Array, ...]

    def take(self, rows: IntArray | NDArray[np.bool_] | slice) -> State:
        return State(tuple(h[rows] for h in self.h), tuple(c[rows] for c in self.c))


@dataclass(frozen=True)
class LanguageModel:
    """A language model of one direction: log p(w | h) = (projection h + bias) · output[w] + output_bias[w] − log Z."""

    embedding: Table
    layers: tuple[Layer, ...]
    output: Table
    output_bias: Array
    projection: Array | None = None  # (width of the output table, hidden)
    projection_bias: Array | None = None

    def start(self, batch: int = 1) -> State:
        zeros = tuple(np.zeros((batch, layer.hidden), dtype=np.float32) for layer in self.layers)
        return State(zeros, zeros)

    @cached_property
    def begin(self) -> State:
        """The state after the begin symbol, before any piece."""
        return self.step(self.project(np.array([BEGIN_ID])), self.start())

    def project(self, ids: IntArray) -> Array:
        """What each piece adds to the first layer's gates, (pieces, 4 hidden): once per sentence, not per step."""
        return self.layers[0].project(self.embedding.gather(ids))

    def step(self, projected: Array, state: State, parents: Rows = _ALL) -> State:
        """The states one piece further: rows of `project`, and which row of the state each of them goes on from."""
        hs: list[Array] = []
        cs: list[Array] = []
        for depth, layer in enumerate(self.layers):
            inputs = projected if depth == 0 else layer.project(hs[-1])
            h, c = layer.step(inputs, state.h[depth], state.c[depth], parents)
            hs.append(h)
            cs.append(c)
        return State(tuple(hs), tuple(cs))

    def features(self, state: State) -> Array:
        """What the output rows are multiplied with, (batch, width of the output table)."""
        h = state.h[-1]
        if self.projection is None:
            return h
        features = h @ self.projection.T
        return features if self.projection_bias is None else features + self.projection_bias

    def output_of(self, ids: IntArray) -> tuple[Array, Array]:
        """What a state's output is multiplied with for the scores of these pieces, (hidden, pieces), and their bias.

        The projection is multiplied in here, once per sentence, and not at every step.
        """
        rows, bias = self.output.gather(ids), self.output_bias[ids]
        if self.projection_bias is not None:
            bias = bias + rows @ self.projection_bias
        return np.ascontiguousarray((rows if self.projection is None else rows @ self.projection).T), bias

    @cached_property
    def _whole_output(self) -> Array:
        return self.output.gather(slice(None))

    def log_z(self, features: Array) -> NDArray[np.float64]:
        """The logarithm of the softmax's denominator over the whole vocabulary, (batch,)."""
        logits = features @ self._whole_output.T + self.output_bias
        largest = logits.max(axis=1)
        total = np.exp(logits - largest[:, None]).sum(axis=1, dtype=np.float64)
        return np.asarray(np.log(total) + largest, dtype=np.float64)
