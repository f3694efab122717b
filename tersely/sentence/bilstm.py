"""Stage 2: an encoder for languages without a pretrained one: bidirectional LSTM layers, trained with the parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tersely.errors import BundleError
from tersely.sentence.lexicon import Features, Lexicon, tokens_of
from tersely.sentence.states import Array, Lookup, States, windows
from tersely.system.table import Table
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word

WINDOW = 160  # tokens


@dataclass(frozen=True)
class BiLstm:
    """Bidirectional LSTM layers over pieces, suffixes and shapes: words in, states out."""

    lexicon: Lexicon
    tables: Mapping[str, Table]
    biases: Sequence[Array]  # one of each layer

    @classmethod
    def from_tensors(cls, tensor: Lookup, description: Mapping[str, Any], vocabulary: Vocabulary) -> BiLstm:
        """The encoder of a bundle, which knows the pieces of the bundle's vocabulary and a few more."""
        layers = [f"lstm.{i}" for i in range(int(description["layers"]))]
        names = [
            "piece",
            "suffix",
            "shape",
            *(f"{layer}.{side}" for layer in layers for side in ("input", "recurrent")),
        ]
        tables = {name: Table(tensor(name), tensor(f"{name}.scale")) for name in names}
        try:
            extra = tuple(tensor("extra").tobytes().decode().split("\n"))
        except UnicodeDecodeError:
            raise BundleError(
                "the pieces of this bundle's parser are not UTF-8: the bundle is damaged, train it again"
            ) from None
        lexicon = Lexicon(vocabulary, int(description["pieces"]), extra)
        if len(tables["piece"].rows) != len(lexicon):
            raise BundleError(
                f"the parser of this bundle has vectors for {len(tables['piece'].rows):,} pieces and names "
                f"{len(lexicon):,}: the bundle is damaged, copy or train it again"
            )
        return cls(lexicon, tables, [tensor(f"{layer}.bias") for layer in layers])

    def read(self, words: Sequence[Word]) -> States:
        """The states of a text, given all its words, punctuation included."""
        tokens, normal, counts = tokens_of(words)
        sizes = np.array(counts, dtype=np.int64)
        ends = np.append(0, sizes.cumsum())
        features = self.lexicon.features(tokens, normal)
        states = np.zeros((len(tokens), self._layers[-1].width), np.float32)
        parts = tuple(windows(sizes, [normal[end - 1] for end in ends[1:]], WINDOW))
        for begin, end in parts:
            part = slice(ends[begin], ends[end])
            states[part] = self.layers(Features(*(field[part] for field in features)))
        sums = np.add.reduceat(states, ends[:-1]) if len(words) else states
        return States(states, (sums / sizes[:, None]).astype(np.float32), sizes, parts)

    def layers(self, features: Features) -> Array:
        """The last layer's states of some tokens, (tokens, width)."""
        states = np.concatenate(
            [self.tables[name].gather(ids) for name, ids in zip(("piece", "suffix", "shape"), features, strict=True)], 1
        )
        for layer in self._layers:
            states = layer(states)
        return states

    @cached_property
    def _layers(self) -> list[_Layer]:
        return [
            _Layer.of(self.tables[f"lstm.{i}.input"], self.tables[f"lstm.{i}.recurrent"], bias)
            for i, bias in enumerate(self.biases)
        ]


@dataclass(frozen=True)
class _Layer:
    """A bidirectional LSTM layer; both directions take a step at once.

    Torch's gates are input, forget, candidate and output; all but the candidate are sigmoids. As sigmoid(x) is
    (1 + tanh(x / 2)) / 2, their weights are halved here, so that one tanh serves all four. The candidate comes last, so
    that one addition serves the other three. States are doubled while a text is read, and the weights that multiply
    them are halved once more. All this makes a step few calls, and for one sentence calls are what takes time.
    """

    inputs: Array  # (width, 2 directions * 4 hidden)
    recurrent: Array  # (2, hidden, 4 hidden)
    bias: Array  # (2 directions * 4 hidden,)

    @property
    def width(self) -> int:
        """The width of the states."""
        return 2 * int(self.recurrent.shape[1])

    @classmethod
    def of(cls, inputs: Table, recurrent: Table, bias: Array) -> _Layer:
        """The layer made from torch's matrices, in which one direction is below the other."""
        hidden = recurrent.width
        half = np.full((2, 4, hidden), 0.5, np.float32)
        half[:, 2] = 1
        rows = half.ravel()
        order = np.arange(8 * hidden).reshape(2, 4, hidden)[:, [0, 1, 3, 2]].ravel()
        across = recurrent.scaled(rows * np.float32(0.5)).gather(order).reshape(2, 4 * hidden, hidden)
        return cls(
            inputs.scaled(rows).gather(order).T,
            np.ascontiguousarray(across.transpose(0, 2, 1)),
            (bias * rows)[order],
        )

    def __call__(self, inputs: Array) -> Array:
        """The states (tokens, 2 * hidden) for inputs (tokens, width)."""
        n, hidden = len(inputs), self.recurrent.shape[1]
        gates = (inputs @ self.inputs + self.bias).reshape(n, 2, 1, 4 * hidden)
        gates[:, 1] = gates[::-1, 1].copy()  # the second direction reads from the end
        sigmoids, candidates = gates[:, :, 0, : 3 * hidden], gates[:, :, 0, 3 * hidden :]
        states = np.zeros((n, 2, 1, hidden), np.float32)  # doubled
        state, cell = states[0], np.zeros((2, hidden), np.float32)
        across = np.empty_like(gates[0])
        for t in range(n):
            gate, sigmoid = gates[t], sigmoids[t]
            gate += np.matmul(state, self.recurrent, out=across)
            np.tanh(gate, out=gate)
            sigmoid += 1
            keep = sigmoid[:, :hidden]
            keep *= candidates[t]
            cell *= sigmoid[:, hidden : 2 * hidden]
            cell += keep
            cell *= 0.5
            state = states[t]
            np.tanh(cell, out=state[:, 0])
            state[:, 0] *= sigmoid[:, 2 * hidden :]
        both = states[:, :, 0] / 2
        return np.concatenate([both[:, 0], both[::-1, 1]], axis=1)
