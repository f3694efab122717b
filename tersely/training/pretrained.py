"""Training: a pretrained encoder of the BERT family, read from its folder.

The folder holds model.safetensors, config.json and vocab.txt, as published encoders do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.sentence.states import Lookup
from tersely.sentence.wordpiece import BEGIN, END, UNKNOWN, is_latin
from tersely.system.tensors import map_tensors
from tersely.training.encoder_network import stored_name
from tersely.training.export import Tensors

WINDOW, MOST_PIECES = 160, 24  # pieces read at once, and of one token: a web address need not be read to its end


def read_pretrained(folder: Path) -> tuple[Lookup, dict[str, Any], tuple[str, ...]]:
    """The tensors of a pretrained encoder by their names in a bundle, its description, and its pieces.

    A vocabulary that is mostly in the Latin script is cut to it.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
        saved = {name.removeprefix("bert."): rows for name, rows in map_tensors(folder / "model.safetensors").items()}
    except (OSError, ValueError) as error:
        raise InputError(f"--encoder {folder} is not a pretrained encoder: {error}") from None
    if any(piece != piece.lower() for piece in vocabulary if not piece.startswith("[")):
        raise InputError(f"the encoder in {folder} tells capitals apart: give an uncased one")
    if missing := {UNKNOWN, BEGIN, END} - set(vocabulary):
        raise InputError(f"the vocabulary of the encoder in {folder} has no {min(missing)}")
    latin = [i for i, piece in enumerate(vocabulary) if is_latin(piece)]
    chosen = latin if 2 * len(latin) > len(vocabulary) else list(range(len(vocabulary)))
    try:
        tensors = _renamed(saved, chosen, int(config["num_hidden_layers"]))
        sizes = {"layers": int(config["num_hidden_layers"]), "heads": int(config["num_attention_heads"])}
    except (KeyError, IndexError) as error:
        raise InputError(f"the encoder in {folder} is not a BERT: it has no {error}") from None
    window = min(WINDOW, len(tensors["position"]) - 2)
    description = {**sizes, "window": window, "most_pieces": MOST_PIECES, "from": folder.resolve().name}
    return tensors.__getitem__, description, tuple(vocabulary[i] for i in chosen)


def _renamed(saved: Mapping[str, NDArray[Any]], pieces: Sequence[int], n_layers: int) -> Tensors:
    kinds = saved["embeddings.token_type_embeddings.weight"][0]  # there is one kind of text here
    names = {"norm": ["embeddings.LayerNorm"]}
    for i in range(n_layers):
        new, old = f"layer.{i}", f"encoder.layer.{i}"
        names[f"{new}.attention"] = [f"{old}.attention.self.{role}" for role in ("query", "key", "value")]
        names |= {f"{new}.output": [f"{old}.attention.output.dense"], f"{new}.up": [f"{old}.intermediate.dense"]}
        names |= {f"{new}.output.norm": [f"{old}.attention.output.LayerNorm"], f"{new}.down": [f"{old}.output.dense"]}
        names[f"{new}.down.norm"] = [f"{old}.output.LayerNorm"]
    tensors = {
        "piece": saved["embeddings.word_embeddings.weight"][pieces],
        "position": saved["embeddings.position_embeddings.weight"] + kinds,
    }
    for new, old_names in names.items():
        for kind in ("weight", "bias"):
            rows = np.concatenate([saved[f"{old}.{kind}"] for old in old_names])
            tensors[stored_name(f"{new}.{kind}", rows.ndim)] = rows
    return {name: rows.astype(np.float32) for name, rows in tensors.items()}
