"""A bundle: written and read, and refused where it is not what it should be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tiny_bundle import WORDS, write_tiny_bundle

import tersely.bundle
from tersely.bundle import FORMAT_VERSION, open_bundle, write_bundle
from tersely.errors import BundleError, FileError
from tersely.text import tokenize
from tersely.vocab import Vocabulary


@pytest.fixture
def copy(tiny_bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_bundle, tmp_path / "copy"))


def describe(folder: Path, **changes: object) -> None:
    path = folder / "bundle.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def write(folder: Path, tensors: dict[str, np.ndarray], **description: object) -> None:
    write_bundle(folder, vocabulary=Vocabulary.of(["a"]), tensors=tensors, description=description, card="# card\n")


def test_round_trip(tmp_path: Path) -> None:
    tensors = {
        "rows": np.arange(8, dtype=np.int8).reshape(4, 2),
        "rows.scale": np.array([1, 2, 3, 4], dtype=np.float32),
        "idf": np.array([0.5, 1.5], dtype=np.float32),
        "half": np.array([[1.5]], dtype=np.float16),
        "long": np.array([1 << 40]),
    }
    write(tmp_path / "new" / "bundle", tensors, name="mine", figures={"perplexity": 99.5})
    bundle = open_bundle(tmp_path / "new" / "bundle")
    for name, tensor in tensors.items():
        assert name in bundle
        assert bundle.tensor(name).dtype == tensor.dtype
        assert (bundle.tensor(name) == tensor).all()
    assert bundle.table("rows").gather(np.array([3])).tolist() == [[24.0, 28.0]]
    assert bundle.table("idf").scale is None
    assert bundle.vocabulary.pieces == ("<unk>", "<s>", "</s>", "a")
    assert bundle.description["format"] == FORMAT_VERSION
    assert bundle.description["figures"] == {"perplexity": 99.5}
    assert bundle.signature.startswith("mine@")
    assert sorted(p.name for p in bundle.folder.iterdir()) == [
        "README.md",
        "bundle.json",
        "vocab.txt",
        "weights.safetensors",
    ]
    assert [p.name for p in bundle.folder.parent.iterdir()] == ["bundle"]
    assert {p.stat().st_mode & 0o777 for p in bundle.folder.iterdir()} == {0o644}  # others may read it


@pytest.mark.parametrize(("layers", "norm"), [(1, False), (2, True)])
def test_language_models_have_their_layers(tmp_path: Path, layers: int, norm: bool) -> None:
    model = open_bundle(write_tiny_bundle(tmp_path / "b", layers=layers, norm=norm)).language_model("forward")
    assert len(model.layers) == layers
    assert all((layer.norm_cell is not None) == norm for layer in model.layers)
    assert model.embedding.rows.shape == (len(WORDS) + 3, 6)


def test_a_shared_table_is_stored_once(tmp_path: Path) -> None:
    tensors = {"rows": np.ones((4, 2), dtype=np.int8), "rows.scale": np.full(4, 0.5, dtype=np.float32)}
    write(tmp_path / "b", tensors, aliases={"output": "rows"})
    bundle = open_bundle(tmp_path / "b")
    assert "output" in bundle
    assert bundle.table("output").gather(np.array([0])).tolist() == [[0.5, 0.5]]


def test_what_a_bundle_was_trained_without_is_named(tmp_path: Path) -> None:
    write(tmp_path / "b", {"idf": np.ones(4, dtype=np.float32)})
    bundle = open_bundle(tmp_path / "b")
    with pytest.raises(BundleError, match="has no forward language model"):
        bundle.language_model("forward")
    with pytest.raises(BundleError, match="has no vectors: it was trained without it"):
        bundle.similarity()


def test_the_parser_is_made_once(tiny_bundle: Path, tmp_path: Path) -> None:
    bundle = open_bundle(tiny_bundle)
    assert bundle.parser() is bundle.parser()
    assert len(bundle.parser().parse(tokenize("The ship ran aground."))) == 5
    with pytest.raises(BundleError, match="has no parser: it was trained without trees"):
        open_bundle(write_tiny_bundle(tmp_path / "b", parser=False)).parser()


def test_a_missing_folder() -> None:
    with pytest.raises(BundleError, match="no bundle at nowhere: there is no such folder"):
        open_bundle("nowhere")


@pytest.mark.parametrize("name", ["bundle.json", "vocab.txt", "weights.safetensors"])
def test_an_incomplete_folder(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(BundleError, match=f"is incomplete: {name} missing"):
        open_bundle(copy)


@pytest.mark.parametrize("name", ["vocab.txt", "weights.safetensors"])
def test_a_damaged_byte(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(BundleError, match=f"is damaged: {name} does not match its checksum"):
        open_bundle(copy)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": 1}', b'{"format": 1, "files": 3}', b"\xff"])
def test_a_damaged_description(copy: Path, content: bytes) -> None:
    (copy / "bundle.json").write_bytes(content)
    with pytest.raises(BundleError, match=r"bundle.json cannot be read"):
        open_bundle(copy)


@pytest.mark.parametrize("version", [FORMAT_VERSION + 1, "next"])
def test_a_newer_format(copy: Path, version: object) -> None:
    describe(copy, format=version)
    with pytest.raises(BundleError, match=rf"has format {version}, this tersely reads up to 1: pip install -U tersely"):
        open_bundle(copy)


def test_weights_that_are_not_safetensors(copy: Path) -> None:
    (copy / "weights.safetensors").write_bytes(b"x" * 20)
    checksum = tersely.bundle._sha256(copy / "weights.safetensors")
    files = json.loads((copy / "bundle.json").read_text())["files"]
    describe(copy, files={**files, "weights.safetensors": checksum})
    with pytest.raises(BundleError, match="not safetensors of a known kind"):
        open_bundle(copy)


def test_a_file_that_cannot_be_read(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tersely.bundle, "_sha256", refuse)
    with pytest.raises(BundleError, match="cannot be read: Permission denied"):
        open_bundle(copy)


def test_a_failed_write_leaves_what_was_there(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {p.name: p.read_bytes() for p in copy.iterdir()}
    with pytest.raises(FileError, match="what was there before is intact"):
        write(copy, {"idf": np.array(["not", "numbers"])})

    rename = Path.rename

    def fail_for_drafts(self: Path, target: Path) -> Path:
        if Path(target) == copy and self.name == "new":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_drafts)
    with pytest.raises(OSError, match="No space left"):
        write(copy, {"idf": np.ones(4, dtype=np.float32)})
    assert {p.name: p.read_bytes() for p in copy.iterdir()} == before
    assert [p.name for p in copy.parent.iterdir()] == ["copy"]  # and no drafts


def test_a_bundle_is_replaced(copy: Path) -> None:
    write(copy, {"idf": np.ones(4, dtype=np.float32)}, name="second")
    assert open_bundle(copy).signature.startswith("second@")
    assert [p.name for p in copy.parent.iterdir()] == ["copy"]
