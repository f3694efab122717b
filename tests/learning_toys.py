"""Invented shortenings and a tiny random encoder, in the layout of a pretrained one."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

SHIPS, PLACES = "ship ferry tanker boat trawler yacht".split(), "havre dover bremen oslo cork bergen".split()
WORDS = "a the ran aground at entrance to port of police said on monday tuesday after storm , . # ' s".split()
WIDTH, WIDE, LAYERS, POSITIONS = 16, 32, 2, 64
TREES = [
    f"A/2/det {ship}/3/nsubj ran/0/root aground/3/advmod at/6/case {place}/3/obl ./3/punct"
    for ship, place in product(SHIPS, PLACES)
]


def shortenings() -> list[dict]:
    """Sources that all have the same main clause, with two shortenings each."""
    return [
        {
            "text": f"A {ship} ran aground at the entrance to the port of {place} after a storm, police said on {day}.",
            "short": [f"{ship} ran aground at port of {place}", f"{ship} ran aground"],
        }
        for ship, place, day in product(SHIPS, PLACES, ("Monday", "Tuesday"))
    ]


def write_pairs(path: Path, rows: list[dict] | None = None) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows or shortenings()), encoding="utf-8")
    return path


def write_tiny_encoder(folder: Path) -> Path:
    """A BERT of random weights: model.safetensors, config.json, vocab.txt."""
    rng = np.random.default_rng(3)
    vocabulary = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", *SHIPS, *PLACES, *WORDS, "мир"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(vocabulary), WIDTH),
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        linear = {f"attention.self.{role}": (WIDTH, WIDTH) for role in ("query", "key", "value")}
        linear |= {"attention.output.dense": (WIDTH, WIDTH), "intermediate.dense": (WIDE, WIDTH)}
        linear["output.dense"] = (WIDTH, WIDE)
        for name, shape in linear.items():
            shapes |= {f"{layer}.{name}.weight": shape, f"{layer}.{name}.bias": shape[:1]}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    tensors = {name: rng.normal(scale=0.3, size=shape).astype(np.float32) for name, shape in shapes.items()}
    for norm in norms:
        tensors |= {f"{norm}.weight": np.ones(WIDTH, np.float32), f"{norm}.bias": np.zeros(WIDTH, np.float32)}
    folder.mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    config = {"num_hidden_layers": LAYERS, "num_attention_heads": 2}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder
