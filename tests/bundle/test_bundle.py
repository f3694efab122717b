"""A bundle: written and read, and refused where it is not what it should be."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save
from tiny_bundle import WORDS, write_tiny_bundle

import tersely.bundle.bundle
from tersely.bundle.bundle import FORMAT_VERSION, open_bundle, sha256
from tersely.bundle.writing import copy_bundle, write_bundle
from tersely.candidates.negation import negation_needs
from tersely.errors import BundleError, FileError
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import load
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import tokenize


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
        "idf": np.array([0.5, 1.5, 2.5, 3.5], dtype=np.float32),
        "half": np.array([[1.5]], dtype=np.float16),
        "long": np.array([1 << 40]),
    }
    write(tmp_path / "new" / "bundle", tensors, name="mine", figures={"dev": {"models": {}}})
    bundle = open_bundle(tmp_path / "new" / "bundle")
    for name, tensor in tensors.items():
        assert name in bundle
        assert bundle.tensor(name).dtype == tensor.dtype
        assert (bundle.tensor(name) == tensor).all()
    assert bundle.table("rows").gather(np.array([3])).tolist() == [[24.0, 28.0]]
    assert bundle.table("idf").scale is None
    assert bundle.vocabulary.pieces == ("<unk>", "<s>", "</s>", "a")
    assert bundle.description["format"] == FORMAT_VERSION
    assert bundle.description["figures"] == {"dev": {"models": {}}}
    assert bundle.signature.startswith("mine@")
    assert sorted(p.name for p in bundle.folder.iterdir()) == [
        "README.md",
        "bundle.json",
        "language.json",
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
    bundle, tokens = open_bundle(tiny_bundle), tokenize("The ship ran aground.")
    assert bundle.parser is bundle.parser
    assert len(bundle.sentence(tokens).tree) == 5
    without = open_bundle(write_tiny_bundle(tmp_path / "b", parser=False))
    assert without.parser is without.sentence(tokens).tree is None
    copy_bundle(bundle, tmp_path / "c", description={"parser": {**bundle.description["parser"], "labels": ["root"]}})
    with pytest.raises(BundleError, match="other labels"):
        _ = open_bundle(tmp_path / "c").parser


def test_a_copy_with_some_parts_exchanged(tiny_bundle: Path, tmp_path: Path) -> None:
    bundle = open_bundle(tiny_bundle)
    idf = np.ones_like(bundle.tensor("idf"))
    changes = {"editor": None, "objectives": {"mine": {"position": 1.0}}}
    copy_bundle(bundle, tmp_path / "mine", tensors={"idf": idf}, without=("editor.",), description=changes)
    made = open_bundle(tmp_path / "mine")
    assert (made.tensor("idf") == idf).all()
    assert {name for name in bundle.tensors if name not in made.tensors} == {
        name for name in bundle.tensors if name.startswith("editor.")
    }
    assert made.description.items() >= {"name": "mine", "objectives": {"mine": {"position": 1.0}}}.items()
    assert bundle.description.keys() - made.description.keys() == {"editor"}
    assert made.card == bundle.card.replace("# tiny", "# mine")


SWEDISH = """{"lists": {"negation": "inte, aldrig", "opinion": "tror"},
    "needs": [{"kind": "hjälpverb", "cost": 3, "path": "up aux", "example": "Skeppet *har* [sjunkit]."}]}"""


def test_a_language_is_one_file(tiny_bundle: Path, tmp_path: Path) -> None:
    bundle = open_bundle(tiny_bundle)
    copy_bundle(bundle, tmp_path / "swedish", language=SWEDISH.encode())
    made = open_bundle(tmp_path / "swedish")
    assert [kind.name for kind in made.language.kinds] == ["hjälpverb"]
    assert made.signature.partition("@")[2] != bundle.signature.partition("@")[2]
    tokens = tokenize("Skeppet ska inte segla idag, not ever.")
    assert negation_needs(Sentence.of(tokens, made.vocabulary, language=made.language)).tolist() == [[3, 2]]
    copy_bundle(made, tmp_path / "copy")
    assert open_bundle(tmp_path / "copy").language_file == SWEDISH.encode()


def test_an_older_bundle_without_a_language_has_the_shipped_one(copy: Path) -> None:
    before = open_bundle(copy)
    (copy / "language.json").unlink()
    files = {name: digest for name, digest in before.description["files"].items() if name != "language.json"}
    describe(copy, files=files)
    assert open_bundle(copy).language.lists == before.language.lists
    assert open_bundle(copy).signature == before.signature


@pytest.mark.parametrize("content", ["", "[]", SWEDISH.replace("up aux", "up auxiliary"), SWEDISH.replace("3", "-3")])
def test_a_wrong_language_is_refused(tiny_bundle: Path, tmp_path: Path, content: str) -> None:
    copy_bundle(open_bundle(tiny_bundle), tmp_path / "wrong", language=content.encode())
    with pytest.raises(BundleError, match=r"language\.json") as caught:
        open_bundle(tmp_path / "wrong")
    assert "\n" not in str(caught.value)


def test_a_missing_folder() -> None:
    with pytest.raises(BundleError, match="no bundle at nowhere: there is no such folder"):
        open_bundle("nowhere")


@pytest.mark.parametrize("name", ["bundle.json", "vocab.txt", "weights.safetensors"])
def test_an_incomplete_folder(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(BundleError, match=f"is incomplete: {name} missing"):
        open_bundle(copy)


@pytest.mark.parametrize("name", ["encoder.safetensors", "language.json"])
def test_a_pipe_in_the_place_of_a_file(copy: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (copy / name).unlink()
    os.mkfifo(copy / name)

    def read(path: Path) -> str:
        assert path.is_file(), "it would be read for ever"
        return sha256(path)

    monkeypatch.setattr(tersely.bundle.bundle, "sha256", read)
    with pytest.raises(BundleError, match=f"is incomplete: {name} missing"):
        open_bundle(copy)


def test_a_card_that_is_not_utf_8_can_be_copied(copy: Path, tmp_path: Path) -> None:
    (copy / "README.md").write_bytes(b"# caf\xe9\n\nmine\n")
    copy_bundle(open_bundle(copy), tmp_path / "next")
    assert open_bundle(tmp_path / "next").card == "# next\n\nmine\n"


@pytest.mark.parametrize("name", ["vocab.txt", "weights.safetensors", "language.json"])
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


DEEP = "[" * 100_000 + "]" * 100_000
WRONG = [
    ({"files": {}}, "files.vocab.txt is missing"),
    ({"files": {"vocab.txt": 5, "weights.safetensors": ""}}, "files.vocab.txt must be a text, not 5"),
    ({"name": ["tiny"]}, r"name must be a text, not \['tiny'\]"),
    ({"aliases": {"a": None}}, "aliases.a must be a text, not None"),
    ({"objectives": 5}, "objectives must be an object, not 5"),
    ({"objectives": {"headline": ["fluency"]}}, "objectives.headline must be an object"),
    (
        {"objectives": {"headline": {"fluency": "1"}}},
        "objectives.headline.fluency must be a number of at most 1,000,000",
    ),
    ({"objectives": {"headline": {"fluency": float("nan")}}}, "must be a number of at most 1,000,000, not nan"),
    ({"objectives": {"headline": {"fluency": float("inf")}}}, "must be a number of at most 1,000,000, not inf"),
    ({"objectives": {"headline": {"fluency": 1e300}}}, r"must be a number of at most 1,000,000, not 1e\+300"),
    ({"objectives": {"headline": {"fluency": True}}}, "must be a number of at most 1,000,000, not True"),
    ({"counts": {"titles": 3}}, "counts.titles must be an object, not 3"),
    ({"counts": {"titles": {"lines": 1}}}, "counts.titles.words is missing"),
    ({"counts": {"titles": {"lines": 1, "words": -1}}}, "counts.titles.words must be a finite number"),
    ({"counts": {}}, "has no totals of counts.titles"),
    ({"parser": {"layers": 2, "pieces": 3}}, "parser.labels is missing"),
    (
        {"parser": {"layers": 2.5, "pieces": 3, "labels": []}},
        "parser.layers must be a whole number from 1 to 100, not 2.5",
    ),
    (
        {"parser": {"layers": 30_000_000, "pieces": 3, "labels": []}},
        "parser.layers must be a whole number from 1 to 100",
    ),
    (
        {"encoder": {"layers": 30_000_000, "heads": 1, "window": 9, "most_pieces": 9}},
        "encoder.layers must be a whole number from 1 to 100",
    ),
    ({"corpora": {"titles": [{"name": "a"}]}}, r"corpora.titles\[0\].lines is missing"),
    ({"figures": {"dev": {"models": {"forward": 3}}}}, "figures.dev.models.forward must be an object, not 3"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_description_is_validated_on_opening(copy: Path, changes: dict[str, object], message: str) -> None:
    describe(copy, **changes)
    with pytest.raises(BundleError, match=message):
        open_bundle(copy)


def test_deep_nesting_is_refused(copy: Path) -> None:
    (copy / "bundle.json").write_text('{"format": 1, "files": ' + DEEP + "}")
    with pytest.raises(BundleError, match="it is not JSON"):
        open_bundle(copy)


def rewrite(folder: Path, name: str, content: bytes) -> None:
    """Another content with its right checksum."""
    (folder / name).write_bytes(content)
    files = json.loads((folder / "bundle.json").read_text())["files"]
    describe(folder, files={**files, name: sha256(folder / name)})


def test_a_vocabulary_that_is_not_utf8(copy: Path) -> None:
    rewrite(copy, "vocab.txt", b"<unk>\n<s>\n</s>\ncaf\xe9\n")
    with pytest.raises(BundleError, match="is not UTF-8"):
        open_bundle(copy)


def test_a_vocabulary_of_another_size(copy: Path) -> None:
    rewrite(copy, "vocab.txt", b"<unk>\n<s>\n</s>\n")
    with pytest.raises(BundleError, match=r"has the shape .*: expected .* of the 3 pieces"):
        open_bundle(copy)


def test_a_table_in_the_place_of_another(copy: Path) -> None:
    tensors = load_file(copy / "weights.safetensors")
    rewrite(copy, "weights.safetensors", save({**tensors, "vectors": tensors["idf"]}))
    with pytest.raises(BundleError, match=r"vectors has the shape \(\d+,\): expected 2 dimensions"):
        open_bundle(copy)


@pytest.mark.parametrize("path", [5, b"x", 2.5, ["a"], "a" * 5_000, "a/" * 5_000, "\0", "", "a\nb", [10**5000]])
def test_what_is_no_path_of_a_bundle(path: Any) -> None:
    with pytest.raises(BundleError) as refused:
        load(path)
    assert len(str(refused.value)) < 300
    assert "\n" not in str(refused.value)


def test_an_unreadable_folder(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(BundleError, match="cannot be read: Permission denied"):
        open_bundle(copy)


@pytest.mark.parametrize("version", [FORMAT_VERSION + 1, "next"])
def test_a_newer_format(copy: Path, version: object) -> None:
    describe(copy, format=version)
    with pytest.raises(BundleError, match=rf"has format {version}, this tersely reads up to 1: pip install -U tersely"):
        open_bundle(copy)


@pytest.mark.parametrize("version", ["\n", "x" * 100_000])
def test_a_newer_format_is_named_in_one_short_line(copy: Path, version: str) -> None:
    describe(copy, format=version)
    with pytest.raises(BundleError, match="this tersely reads up to 1") as raised:
        open_bundle(copy)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300 + len(str(copy))


def test_weights_that_are_not_safetensors(copy: Path) -> None:
    rewrite(copy, "weights.safetensors", b"x" * 20)
    with pytest.raises(BundleError, match="not safetensors of a known kind"):
        open_bundle(copy)


def test_a_file_that_cannot_be_read(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tersely.bundle.bundle, "sha256", refuse)
    with pytest.raises(BundleError, match="cannot be read: Permission denied"):
        open_bundle(copy)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 3e38])
def test_weights_that_are_no_numbers(copy: Path, value: float) -> None:
    write(copy, {"idf": np.array([1, value, 1, 1], dtype=np.float32)})
    with pytest.raises(BundleError, match="idf has values that are no numbers, or above a billion"):
        open_bundle(copy)


def test_a_failed_write_leaves_what_was_there(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {p.name: p.read_bytes() for p in copy.iterdir()}
    with pytest.raises(FileError, match="what was there before is intact"):
        write(copy, {"idf": np.array(["not", "numbers"])})

    monkeypatch.setattr("tersely.system.files._exchange", lambda one, other: False)  # as on a system that cannot
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


def test_a_bundle_that_could_not_be_opened_is_not_written(copy: Path) -> None:
    before = {file.name: sha256(file) for file in copy.iterdir()}
    with pytest.raises(FileError, match=r"objectives\.mine\.style must be a number of at most 1,000,000"):
        copy_bundle(open_bundle(copy), copy, description={"objectives": {"mine": {"style": 1e9}}})
    assert {file.name: sha256(file) for file in copy.iterdir()} == before


def test_a_bundle_is_replaced(copy: Path) -> None:
    write(copy, {"idf": np.ones(4, dtype=np.float32)}, name="second")
    assert open_bundle(copy).signature.startswith("second@")
    assert [p.name for p in copy.parent.iterdir()] == ["copy"]
