"""Training: recipes, the settings of a training run: by name, from a file, or set on the command line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tersely.errors import InputError

T = TypeVar("T")


def _value(default: T, meaning: str) -> T:
    """A setting with its default and, for the help of the command line, its meaning."""
    made: T = dataclasses.field(default=default, metadata={"help": meaning})
    return made


@dataclass(frozen=True)
class Recipe:
    """All settings of a training run; the defaults are those of the recipe `default`.

    >>> override(Recipe(), {"hidden": "384"}).hidden
    384
    """

    # the vocabulary
    vocabulary: int = _value(40_000, "largest number of words")
    min_count: int = _value(5, "rarer words become the unknown symbol")
    # the language models
    lm_side: str = _value("titles", "corpora they are trained on: titles or articles")
    longest: int = _value(20, "longer sentences are left out")
    embedding: int = _value(256, "width of the word vectors, in and out")
    hidden: int = _value(512, "LSTM units in each layer")
    layers: int = _value(1, "LSTM layers")
    layer_norm: bool = _value(False, "layer normalisation")
    dropout: float = _value(0.0, "dropout on the inputs of every layer and of the output")
    tied: bool = _value(True, "one vector per word for input and output")
    shared: bool = _value(True, "one vector per word for both directions")
    # how they are trained
    optimizer: str = _value("adam", "adam, or sgd with momentum and a rate that falls at plateaus")
    rate: float = _value(0.004, "learning rate")
    warmup: float = _value(0.02, "share of the budget in which the rate rises to its full value")
    clip: float = _value(1.0, "largest norm of a gradient, without word vectors")
    momentum: float = _value(0.9, "momentum of sgd")
    batch: int = _value(1536, "tokens in a batch")
    tokens: int = _value(30_000_000, "budget of each direction in tokens, unless --hours is given")
    finish: float = _value(0.25, "share of the budget, at its end, with more of the corpus of the largest weight")
    head: int = _value(512, "number of frequent words in every estimate of Z")
    negatives: int = _value(512, "number of other words drawn for it; 0 is the full softmax")
    power: float = _value(0.75, "they are drawn by their counts to this power")
    penalty: float = _value(1.0, "on (log Z)^2")
    # the vectors: sent2vec's unigram model
    vector_side: str = _value("both", "corpora of the vectors: titles, articles or both")
    vector_size: int = _value(256, "dimensions of the vectors")
    vector_epochs: int = _value(6, "epochs of the vectors")
    vector_negatives: int = _value(10, "negative samples for each word of the vectors")
    vector_min_count: int = _value(5, "rarer words have no vector")
    vector_rate: float = _value(0.15, "learning rate of the vectors")
    vector_subsample: float = _value(1e-5, "subsampling threshold of frequent words")
    vector_whitened: bool = _value(True, "whitened vectors: no mean, the same variance in all directions")
    idf_side: str = _value("articles", "lines for idf: articles, titles, or vectors (the lines of the vectors)")
    # the run
    held_out: int = _value(1_000, "lines held out for validation, at most a tenth")
    checkpoint_minutes: float = _value(5.0, "minutes between two checkpoints")
    seed: int = _value(1, "random seed")

    def __post_init__(self) -> None:
        choices = {
            "lm_side": ("titles", "articles"),
            "optimizer": ("adam", "sgd"),
            "vector_side": ("titles", "articles", "both"),
            "idf_side": ("titles", "articles", "vectors"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"invalid {name} {getattr(self, name)!r}: expected {' or '.join(allowed)}")
        for name in ("vocabulary", "min_count", "longest", "embedding", "hidden", "layers", "batch", "tokens"):
            if getattr(self, name) < 1:
                raise InputError(f"invalid {name} {getattr(self, name)}: expected at least 1")
        for name in ("dropout", "warmup", "finish"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"invalid {name} {getattr(self, name)}: expected at least 0 and below 1")
        if not self.rate > 0:
            raise InputError(f"invalid rate {self.rate}: expected a number above 0")


# The recipes by name: what differs from `default`, which made the bundle that ships in an hour and a half on two cores.
# `paper`: sizes, optimiser and vectors as published (section 4.1 and the authors' program). It needs a GPU: on two CPU
# cores one epoch of 3.8 million titles takes days. "Batch 256" is sentences there, tokens here; the budget is 50 epochs
# of 3.8 million titles of about nine words and the end symbol.
# `tiny`: seconds, for tests, or to see whether a corpus can be read.
RECIPES: dict[str, dict[str, Any]] = {
    "default": {},
    "paper": {
        "vocabulary": 70_000, "longest": 20, "embedding": 1024, "hidden": 1024, "layers": 2, "layer_norm": True,
        "dropout": 0.5, "tied": False, "shared": False, "optimizer": "sgd", "rate": 0.1, "warmup": 0.0, "clip": 15.0,
        "momentum": 0.9, "batch": 2_560, "tokens": 1_900_000_000, "finish": 0.0, "negatives": 0, "penalty": 0.0,
        "vector_side": "titles", "vector_size": 700, "vector_epochs": 20, "vector_negatives": 10,
        "vector_min_count": 5, "vector_rate": 0.2, "vector_subsample": 5e-6, "vector_whitened": False,
        "idf_side": "vectors",
    },
    "tiny": {
        "vocabulary": 2_000, "min_count": 1, "embedding": 16, "hidden": 24, "rate": 0.02, "batch": 256,
        "tokens": 20_000, "head": 50, "negatives": 50, "vector_size": 16, "vector_min_count": 1, "held_out": 20,
        "checkpoint_minutes": 0.05,
    },
}  # fmt: skip


@dataclass(frozen=True)
class ParserRecipe:
    """How a parser is trained; `tokens` is the budget, unless hours are given."""

    tokens: int = 20_000_000
    pieces: int = 30_000  # of the bundle's vocabulary
    extra: int = 6_000  # pieces that are frequent in the trees and not among those
    # widths; they make 7.1 MB with 36,000 pieces
    piece: int = 128
    suffix: int = 32
    shape: int = 8
    hidden: int = 208
    layers: int = 2
    arc: int = 160
    label: int = 64
    batch: int = 1_200  # tokens
    rate: float = 2e-3
    warmup: float = 0.01
    clip: float = 5.0
    hidden_shapes: float = 0.5
    unknown: float = 0.02  # share of the pieces that become the unknown symbol,
    rare: float = 2.0  # plus about so many occurrences of each piece
    joined: float = 0.08  # share of the batches whose sentences are joined to pairs,
    unended: float = 0.1  # and of those without full stops
    mean_steps: int = 1  # no moving average of the weights
    held_out: int = 1_000
    checkpoint_minutes: float = 4.0
    seed: int = 1


# The recipes of the parser, by the name of the recipe; the default is that of the parser that ships.
PARSER_RECIPES = {
    "tiny": ParserRecipe(
        tokens=10_000, pieces=2_000, extra=200, piece=16, suffix=8, shape=4, hidden=16, arc=16, label=8,
        batch=200, rate=1e-2, held_out=20, checkpoint_minutes=0.05,
    )
}  # fmt: skip


@dataclass(frozen=True)
class LearnRecipe:
    """How an editor is learned; the budget is `rounds` over the shortenings, unless hours are given."""

    rounds: float = 8.0
    tokens: int = 0  # what the rounds come to, trees included
    rate: float = 1e-4  # of the encoder's highest layer
    decay: float = 0.85  # of the rate from each layer to the one below
    heads_rate: float = 1e-3  # of the parser and the editor
    warmup: float = 0.05
    clip: float = 2.0
    batch: int = 560  # pieces
    trees: float = 0.7  # batches of trees for each one of shortenings
    trees_first: float = 0.3  # share of the budget that a new parser has for itself
    compressions: float = 0.35  # batches of sentence compressions, at the end; at the beginning 1
    arc: int = 256  # widths of a new parser
    label: int = 96
    far_needs: float = 0.5  # of a new editor: how much the needs count that a chain does not see
    mean_steps: int = 250  # that the moving average remembers, about
    held_out_trees: int = 500
    checkpoint_minutes: float = 5.0
    seed: int = 1


def recipe(name: str) -> Recipe:
    """The recipe of that name, or in that JSON file; a file may leave out what it does not change.

    >>> recipe("paper").hidden
    1024
    """
    try:
        values = RECIPES[name] if name in RECIPES else json.loads(Path(name).read_text(encoding="utf-8"))
    except OSError:
        raise InputError(f"unknown recipe {name!r}: give a JSON file or one of {', '.join(RECIPES)}") from None
    except (ValueError, RecursionError):
        raise InputError(f"the recipe {name} is not JSON") from None
    if not isinstance(values, dict):
        raise InputError(f"the recipe {name} is not a JSON object of settings")
    return override(Recipe(), values)


def override(base: Recipe, values: Mapping[str, Any]) -> Recipe:
    """`base` with some values replaced; text is turned into the type of the setting."""
    kinds = {field.name: type(getattr(base, field.name)) for field in dataclasses.fields(base)}
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if name not in kinds:
            raise InputError(f"unknown setting {name!r} of a recipe: known are {', '.join(kinds)}")
        try:
            changes[name] = _convert(value, kinds[name])
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(f"invalid {name} {value!r}: expected {_KINDS[kinds[name]]}") from None
    return dataclasses.replace(base, **changes)


_KINDS: dict[type, str] = {int: "a whole number", float: "a number", bool: "yes or no", str: "a word"}


def _convert(value: Any, kind: type) -> Any:
    if kind is bool:
        return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[str(value).lower()]
    if kind is int and float(value) != int(float(value)):
        raise ValueError
    return kind(float(value)) if kind is int else kind(value)
