"""Stage 3: a small dependency parser in numpy: which word of a source belongs to which.

Two bidirectional LSTM layers read the tokens, a biaffine form scores every pair of token and head (Dozat and Manning
2017); `tersely.training.parser` trains it from trees. The paper has no syntax: this is for the factor that asks whether
a summary still says what the source says.

A long text is read in windows of at most `WINDOW` tokens, so time and memory grow with its length and not with its
square. A window ends after the last full stop in its second half or, if there is none, at the last other mark, or
where it is full; no word hangs on one of another window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.errors import BundleError
from tersely.scoring.labels import LABELS, PUNCTUATION, ROOT
from tersely.scoring.lexicon import Features, Lexicon, tokens_of
from tersely.scoring.table import Table
from tersely.scoring.tree import Array, Tree, best_heads, word_probabilities
from tersely.source import IntArray
from tersely.text import Word
from tersely.vocab import Vocabulary

WINDOW = 160
_REMEMBERED = 8  # trees: two factors of one objective ask for the same
_ENDS = frozenset(".?!…;") | {"...", "?!", "!!", "!!!", "??"}
_SLOPE = np.float32(0.1)  # of the leaky rectifier

Lookup = Callable[[str], NDArray[Any]]


@dataclass(frozen=True)
class Reading:
    """What the parser makes of some tokens: each one's heads, and what it is as a dependent and as a head."""

    probabilities: Array  # (tokens, heads); on the diagonal that of being a root
    dependents: Array  # (tokens, width + 1)
    heads: Array
    states: Array  # (tokens, 2 * hidden)


@dataclass(frozen=True)
class Parser:
    """A dependency parser: words in, `Tree` out."""

    lexicon: Lexicon
    tables: Mapping[str, Table]
    vectors: Mapping[str, Array]
    n_layers: int
    _parsed: dict[tuple[Word, ...], Tree] = field(default_factory=dict, repr=False)

    @classmethod
    def from_tensors(cls, tensor: Lookup, description: Mapping[str, Any], vocabulary: Vocabulary) -> Parser:
        """The parser of a bundle: its tensors are named `parser.*`, its vocabulary is the bundle's and a few more."""
        if tuple(description["labels"]) != LABELS:
            raise BundleError("the parser of this bundle has other labels than this version of tersely: train it anew")
        n_layers = int(description["layers"])
        layers = [f"lstm.{i}" for i in range(n_layers)]
        names = ["piece", "suffix", "shape", "roles", "arc", "label"]
        names += [f"{layer}.{side}" for layer in layers for side in ("input", "recurrent")]
        tables = {name: Table(tensor(f"parser.{name}"), tensor(f"parser.{name}.scale")) for name in names}
        others = ["roles.bias", "arc.head", "arc.root", *(f"{layer}.bias" for layer in layers)]
        try:
            extra = tuple(tensor("parser.extra").tobytes().decode().split("\n"))
        except UnicodeDecodeError:
            raise BundleError("the pieces of this bundle's parser are not UTF-8: damaged, train it anew") from None
        lexicon = Lexicon(vocabulary, int(description["pieces"]), extra)
        if len(tables["piece"].rows) != len(lexicon):
            raise BundleError(
                f"the parser of this bundle has vectors for {len(tables['piece'].rows):,} pieces and names "
                f"{len(lexicon):,}: the bundle is damaged, fetch or train it anew"
            )
        return cls(lexicon, tables, {name: tensor(f"parser.{name}") for name in others}, n_layers)

    def parse(self, words: Sequence[Word]) -> Tree:
        """The tree of a text, given all its words, punctuation included; the last few are remembered."""
        key = tuple(words)
        if key not in self._parsed:
            while len(self._parsed) >= _REMEMBERED:
                self._parsed.pop(next(iter(self._parsed)), None)
            self._parsed[key] = self._parse(words)
        return self._parsed[key]

    def _parse(self, words: Sequence[Word]) -> Tree:
        n = len(words)
        heads, labels = np.arange(n), np.full(n, ROOT)
        probabilities = np.zeros((n, n), np.float32)
        of_labels = np.zeros((n, len(LABELS)), np.float32)
        states = np.zeros((n, self._layers[-1].width), np.float32)
        tokens, normal, sizes = tokens_of(words)
        features = self.lexicon.features(tokens, normal)
        punctuation = np.array([word.punctuation for word in words], bool)
        for begin, end, first, last in _windows(normal, sizes):
            part = slice(begin, end)
            reading = self.read(Features(*(field[first:last] for field in features)))
            rows, by = word_probabilities(reading.probabilities, np.array(sizes[part]))
            _hang_marks(rows, punctuation[part])
            best = best_heads(rows)
            heads[part], probabilities[part, part] = best + begin, rows
            of_labels[part] = self._labels(reading, best, by, punctuation[part])
            states[part] = reading.states[by]
        labels = of_labels.argmax(1) if n else labels
        return Tree(heads, labels, probabilities, of_labels, states)

    def read(self, features: Features) -> Reading:
        states = np.concatenate(
            [self.tables[name].gather(ids) for name, ids in zip(("piece", "suffix", "shape"), features, strict=True)], 1
        )
        for layer in self._layers:
            states = layer(states)
        roles = states @ self._matrices["roles"].T + self.vectors["roles.bias"]
        roles = np.maximum(roles, _SLOPE * roles)
        arc, label = len(self.vectors["arc.head"]), (roles.shape[1] - 2 * len(self.vectors["arc.head"])) // 2
        dependent, head, label_dependent, label_head = np.split(roles, [arc, 2 * arc, 2 * arc + label], axis=1)
        scores = dependent @ self._matrices["arc"] @ head.T + head @ self.vectors["arc.head"]
        scores[np.diag_indices(len(scores))] += dependent @ self.vectors["arc.root"]
        one = np.ones((len(roles), 1), np.float32)
        return Reading(_softmax(scores), np.hstack([label_dependent, one]), np.hstack([label_head, one]), states)

    def label_probabilities(self, reading: Reading, dependents: IntArray, heads: IntArray) -> Array:
        """How likely each label is, (pairs, labels), for pairs of token and head."""
        right = reading.heads[heads]
        left = (reading.dependents[dependents] @ self._matrices["label"]).reshape(len(heads), -1, right.shape[1])
        return _softmax(np.einsum("plw,pw->pl", left, right))

    def _labels(self, reading: Reading, heads: IntArray, by: IntArray, punctuation: NDArray[np.bool_]) -> Array:
        """The labels of words; roots and punctuation have theirs, and no other word may have those."""
        probabilities = self.label_probabilities(reading, by, by[heads])
        probabilities[:, [ROOT, PUNCTUATION]] = 0
        probabilities /= probabilities.sum(1, keepdims=True)
        for label, rows in ((PUNCTUATION, punctuation), (ROOT, heads == np.arange(len(heads)))):
            probabilities[rows] = 0
            probabilities[rows, label] = 1
        return probabilities

    @cached_property
    def _matrices(self) -> dict[str, Array]:
        """The matrices as floats, made once: a sentence uses all of them."""
        return {name: self.tables[name].gather(slice(None)) for name in ("roles", "arc", "label")}

    @cached_property
    def _layers(self) -> list[_Layer]:
        def layer(name: str) -> _Layer:
            return _Layer.of(
                self.tables[f"{name}.input"], self.tables[f"{name}.recurrent"], self.vectors[f"{name}.bias"]
            )

        return [layer(f"lstm.{i}") for i in range(self.n_layers)]


@dataclass(frozen=True)
class _Layer:
    """A bidirectional LSTM layer; both directions take a step at once.

    Torch's gates are input, forget, candidate, output, and three of them are sigmoids. As sigmoid(x) is
    (1 + tanh(x / 2)) / 2, their weights are halved here, and one tanh does for all four. The candidate comes last, so
    that one addition does for the three. States are kept doubled while they are read, and the weights that meet them
    are halved once more: a step takes few calls, and on a sentence they are what takes the time.
    """

    inputs: Array  # (width, 2 directions * 4 hidden)
    recurrent: Array  # (2, hidden, 4 hidden)
    bias: Array  # (2 directions * 4 hidden,)

    @property
    def width(self) -> int:
        """That of the states."""
        return 2 * int(self.recurrent.shape[1])

    @classmethod
    def of(cls, inputs: Table, recurrent: Table, bias: Array) -> _Layer:
        """The layer of torch's matrices, those of both directions one below the other."""
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


def _softmax(scores: Array) -> Array:
    odds = np.exp(scores - scores.max(-1, keepdims=True))
    probabilities: Array = odds / odds.sum(-1, keepdims=True)
    return probabilities


def _hang_marks(probabilities: Array, punctuation: NDArray[np.bool_]) -> None:
    """Let nothing hang on punctuation, nor punctuation be a root, unless there is nothing else."""
    if punctuation.all():
        return
    probabilities[:, punctuation] = 0
    total = probabilities.sum(1, keepdims=True)
    word = ~punctuation
    probabilities[:, word] = np.where(total > 1e-6, probabilities[:, word] / np.maximum(total, 1e-6), 1 / word.sum())


def _windows(normal: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """The windows of a text: their first word, the word after them, their first token, and the token after them."""
    ends = np.cumsum(sizes)
    begin = first = 0
    while begin < len(sizes):
        full = max(begin + 1, int(np.searchsorted(ends, first + WINDOW, side="right")))
        end = full
        if full < len(sizes):
            half = (begin + full) // 2
            marks = [i + 1 for i in range(half, full) if normal[ends[i] - 1] in _ENDS]
            marks = marks or [i + 1 for i in range(half, full) if not normal[ends[i] - 1].strip(",:-—()\"'")]
            end = marks[-1] if marks else full
        yield begin, end, first, int(ends[end - 1])
        begin, first = end, int(ends[end - 1])
