"""Tensors that do not fit each other are refused by name, and those of real bundles fit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file, save_file
from tiny_bundle import write_tiny_bundle

from tersely.bundle.bundle import DEFAULT_BUNDLE, open_bundle, sha256
from tersely.errors import BundleError
from tersely.summary.summarizer import load

TEXT = "The German ship ran aground, authorities said"
WEIGHTS, ENCODER = "weights.safetensors", "encoder.safetensors"
GRAMMAR = {"objective": {"grammar": 1.0}}


def change(folder: Path, file: str, name: str, turn: Any) -> None:
    """Another tensor in a bundle, with its right checksum."""
    tensors = load_file(folder / file)
    tensors[name] = turn(tensors[name]).copy()
    save_file(tensors, folder / file)
    description = json.loads((folder / "bundle.json").read_text())
    description["files"][file] = sha256(folder / file)
    (folder / "bundle.json").write_text(json.dumps(description))


@pytest.mark.parametrize(
    ("file", "name", "options"),
    [
        (WEIGHTS, "forward.embedding.scale", {}),
        (WEIGHTS, "forward.lstm.0.input", {}),
        (WEIGHTS, "backward.lstm.0.recurrent", {}),
        (WEIGHTS, "forward.lstm.0.bias", {}),
        (WEIGHTS, "backward.projection", {}),
        (ENCODER, "parser.lstm.1.input", GRAMMAR),
        (ENCODER, "parser.roles.bias", GRAMMAR),
        (ENCODER, "parser.suffix", GRAMMAR),
        (ENCODER, "parser.label", GRAMMAR),
        (ENCODER, "parser.arc.head", GRAMMAR),
        (ENCODER, "parser.lstm.1.bias", GRAMMAR),
        *((ENCODER, f"editor.{name}", {"fast": True}) for name in "roles border word word_asked gap.bias pair".split()),
        (ENCODER, "editor.link_label", {"fast": True}),
    ],
)
@pytest.mark.parametrize("turn", [lambda tensor: tensor[:-1], lambda tensor: tensor[None]], ids=["cut", "deeper"])
def test_a_tensor_that_does_not_fit_is_named(
    tiny_bundle: Path, tmp_path: Path, file: str, name: str, options: dict[str, Any], turn: Any
) -> None:
    folder = Path(shutil.copytree(tiny_bundle, tmp_path / "copy"))
    change(folder, file, name, turn)
    if name == "parser.suffix":
        change(folder, file, f"{name}.scale", turn)
    with pytest.raises(BundleError, match=r"is damaged: .* has the shape .*; train it again"):
        load(folder)(TEXT, words=3, **options)


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_bundles_of_all_kinds_fit(tmp_path: Path, layers: int, norm: bool) -> None:
    folder = write_tiny_bundle(tmp_path / "made", layers=layers, norm=norm)
    assert load(folder)(TEXT, words=3).split()
    assert load(folder)(TEXT, words=3, fast=True).split()


@pytest.mark.skipif(not DEFAULT_BUNDLE.is_dir(), reason="no bundle in this copy")
def test_the_bundle_that_ships_fits() -> None:
    bundle = open_bundle(DEFAULT_BUNDLE)
    assert bundle.language_model("forward")
    assert bundle.language_model("backward")
    assert bundle.parser
