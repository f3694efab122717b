"""Stage 5: a bundle, the folder that holds everything learned, and the objects made from it.

    bundle.json           format version, recipe, corpora, figures, weights of the objectives, SHA-256 of every file
    vocab.txt             one piece a line
    weights.safetensors   the tensors, memory-mapped; big tables as int8 rows with a scale
    selector.safetensors  those of the selector, if there is one: it can be made anew without touching the others
    README.md             the model card

A bundle that is missing, incomplete, damaged or of a newer format is refused with one clear line.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely import shapes
from tersely.description import BadDescription, read_description
from tersely.errors import BundleError, FileError, InputError, seen
from tersely.files import replacing_folder, write_text
from tersely.scoring.lstm import LanguageModel, Layer, Norm
from tersely.scoring.objective import PAPER
from tersely.scoring.parser import Parser
from tersely.scoring.priors import Counts
from tersely.scoring.selector import Selector, make_selector
from tersely.scoring.similarity import Similarity
from tersely.scoring.table import Table
from tersely.tensors import map_tensors
from tersely.vocab import Vocabulary

FORMAT_VERSION = 1
_DESCRIPTION, _VOCABULARY, _WEIGHTS, _CARD = "bundle.json", "vocab.txt", "weights.safetensors", "README.md"
_SELECTOR = "selector.safetensors"


@dataclass(frozen=True)
class Bundle:
    """An open bundle. Tensors stay in the memory-mapped file until they are used."""

    folder: Path
    description: Mapping[str, Any]
    tensors: Mapping[str, NDArray[Any]]
    _models: dict[str, LanguageModel] = field(default_factory=dict, repr=False)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary.read(self.folder / _VOCABULARY)

    def __contains__(self, tensor: str) -> bool:
        return self._stored_name(tensor) in self.tensors

    def _stored_name(self, tensor: str) -> str:
        # Tables that are shared (input and output, forward and backward) are stored once.
        aliases: Mapping[str, str] = self.description.get("aliases", {})
        return aliases.get(tensor, tensor)

    def tensor(self, name: str) -> NDArray[Any]:
        stored = self._stored_name(name)
        if stored not in self.tensors:
            raise BundleError(f"the bundle {self.folder} has no {name}: it was trained without it")
        return self.tensors[stored]

    def table(self, name: str) -> Table:
        scale = self._stored_name(name) + ".scale"
        return Table(self.tensor(name), self.tensors.get(scale))

    @cached_property
    def signature(self) -> str:
        """The name of the bundle and the first digits of its weights' checksum."""
        return f"{self.description.get('name', self.folder.name)}@{self.description['files'][_WEIGHTS][:8]}"

    @property
    def selector_signature(self) -> str:
        """The first digits of the selector's checksum."""
        return str(self.description["files"].get(_SELECTOR, ""))[:8]

    @property
    def objectives(self) -> dict[str, Mapping[str, float]]:
        """The named objectives with their weights: the paper's, and those that were tuned for this bundle."""
        return {"paper": PAPER, **self.description.get("objectives", {})}

    @property
    def prose(self) -> Mapping[str, Mapping[str, float]]:
        """The weights that take the place of an objective's own in text with capitals, as prose has them."""
        found: Mapping[str, Mapping[str, float]] = self.description.get("prose", {})
        return found

    def language_model(self, direction: str) -> LanguageModel:
        """The language model of a direction, `forward` or `backward`; made once."""
        if direction not in self._models:
            self._models[direction] = self._language_model(direction)
        return self._models[direction]

    def _language_model(self, direction: str) -> LanguageModel:
        if f"{direction}.lstm.0.input" not in self:
            raise BundleError(f"the bundle {self.folder} has no {direction} language model")
        self._check(shapes.language_model(self, direction, len(self.vocabulary)))
        layers: list[Layer] = []
        while f"{direction}.lstm.{len(layers)}.input" in self:
            layers.append(self._layer(f"{direction}.lstm.{len(layers)}"))
        return LanguageModel(
            embedding=self.table(f"{direction}.embedding"),
            layers=tuple(layers),
            output=self.table(f"{direction}.output"),
            output_bias=self.tensor(f"{direction}.output.bias"),
            projection=self._optional(f"{direction}.projection"),
            projection_bias=self._optional(f"{direction}.projection.bias"),
        )

    def _layer(self, prefix: str) -> Layer:
        norms = {
            norm: Norm(self.tensor(f"{prefix}.{norm}.gain"), self.tensor(f"{prefix}.{norm}.shift"))
            for norm in ("norm_input", "norm_recurrent", "norm_cell")
            if f"{prefix}.{norm}.gain" in self
        }
        return Layer(
            self.tensor(f"{prefix}.input"), self.tensor(f"{prefix}.recurrent"), self.tensor(f"{prefix}.bias"), **norms
        )

    def _optional(self, name: str) -> NDArray[Any] | None:
        return self.tensor(name) if name in self else None

    def parser(self) -> Parser:
        return self._parser

    @cached_property
    def _parser(self) -> Parser:
        if "parser" not in self.description:
            raise BundleError(f"the bundle {self.folder} has no parser: it was trained without trees")
        made = self.description["parser"]
        self._check(shapes.parser(self, made["layers"], len(made["labels"])))
        return Parser.from_tensors(self.tensor, made, self.vocabulary)

    @property
    def styles(self) -> tuple[str, ...]:
        """The objectives that its selector has learned; none without a selector."""
        has_selector = "selector" in self.description and _SELECTOR in self.description["files"]
        return tuple(self.description["selector"]["objectives"]) if has_selector else ()

    @cached_property
    def selector(self) -> Selector:
        if not self.styles:
            raise BundleError(
                f"the bundle {self.folder} has no selector, which fast needs: make one with tersely distill"
            )
        made = make_selector(self, self.styles)
        self._check(shapes.selector(self, self.styles, self.description.get("parser", {"layers": 1})["layers"]))
        return made

    def _check(self, wanted: shapes.Wanted) -> None:
        """Refuse tensors that do not fit each other."""
        if wrong := shapes.misfit(self, wanted):
            raise _damaged(self.folder, f"{wrong}; train it again")

    @property
    def card(self) -> str:
        path = self.folder / _CARD
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def similarity(self, *, shifted: bool = True) -> Similarity:
        return Similarity(self.table("vectors"), self.tensor("idf"), shifted)

    def counts(self) -> Counts:
        """In how many title and article lines each piece stands."""
        titles, articles = self.tensor("counts.titles"), self.tensor("counts.articles")
        totals = self.description["counts"]
        return Counts(titles, articles, float(totals["titles"]["words"]), float(totals["articles"]["words"]))


def open_bundle(folder: str | os.PathLike[str]) -> Bundle:
    """The bundle in a folder, checked against its checksums."""
    try:
        path = Path(folder)
    except TypeError:
        raise BundleError(f"a bundle is named by the path of its folder, not by {seen(folder)}") from None
    try:
        if not path.is_dir():
            raise BundleError(f"no bundle at {_shown(path)}: there is no such folder")
        missing = [name for name in (_DESCRIPTION, _VOCABULARY, _WEIGHTS) if not (path / name).is_file()]
        if missing:
            raise BundleError(
                f"the bundle {_shown(path)} is incomplete: {', '.join(missing)} missing; copy or train it again"
            )
        return _checked(path)
    except OSError as error:
        raise BundleError(f"the bundle {_shown(path)} cannot be read: {error.strerror}") from None


def _shown(path: Path) -> str:
    text = str(path).replace("\n", " ")
    return text if len(text) <= 200 else f"{text[:200]}..."


def _damaged(path: Path, reason: str) -> BundleError:
    return BundleError(f"the bundle {_shown(path)} is damaged: {reason}")


def _checked(path: Path) -> Bundle:
    try:
        description = read_description((path / _DESCRIPTION).read_bytes())
    except BadDescription as error:
        raise _damaged(path, f"{_DESCRIPTION} cannot be read, {error}; copy or train it again") from None
    version = description["format"]
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise BundleError(
            f"the bundle {path} has format {version}, this tersely reads up to {FORMAT_VERSION}: pip install -U tersely"
        )
    parts = [name for name in (_WEIGHTS, _SELECTOR) if name in description["files"]]
    for name in (_VOCABULARY, *parts):
        if description["files"][name] != _sha256(path / name):
            raise _damaged(path, f"{name} does not match its checksum; copy or train it again")
    try:
        tensors = {name: tensor for part in parts for name, tensor in map_tensors(path / part).items()}
    except ValueError as error:  # the checksum was right, so it was written like this
        raise _damaged(path, f"{error}; train it again") from None
    bundle = Bundle(path, description, tensors)
    _check_parts(bundle)
    return bundle


def _check_parts(bundle: Bundle) -> None:
    """Refuse tensors that do not fit the vocabulary, and counts without their totals."""
    wanted = len(bundle.vocabulary)
    for name, dimensions in shapes.BY_PIECE.items():
        shape = bundle.tensor(name).shape if name in bundle else (wanted,) * dimensions
        if len(shape) != dimensions or shape[0] != wanted:
            asked = f"{dimensions} dimensions and a row for each of the {wanted:,} pieces of the vocabulary"
            raise _damaged(bundle.folder, f"{name} has the shape {shape}, and not {asked}; train it again")
    bundle._check(shapes.scales(bundle.tensors))
    for side in ("titles", "articles"):
        if f"counts.{side}" in bundle and side not in bundle.description.get("counts", {}):
            raise _damaged(bundle.folder, f"{_DESCRIPTION} has no totals of counts.{side}; train it again")


def write_bundle(
    folder: str | os.PathLike[str],
    *,
    vocabulary: Vocabulary,
    tensors: Mapping[str, NDArray[Any]],
    description: Mapping[str, Any],
    card: str,
) -> None:
    """Write a bundle, whole or not at all: a failure leaves what was there."""
    from safetensors import SafetensorError  # here and not above: a summary has no use for them
    from safetensors.numpy import save_file

    check_place(folder)
    try:
        with replacing_folder(Path(folder).resolve()) as draft:
            vocabulary.write(draft / _VOCABULARY)
            parts: dict[str, dict[str, NDArray[Any]]] = {_WEIGHTS: {}}
            for name, tensor in tensors.items():
                part = _SELECTOR if name.startswith("selector.") else _WEIGHTS
                parts.setdefault(part, {})[name] = np.ascontiguousarray(tensor)
            for part, stored in parts.items():
                save_file(stored, draft / part)
            (draft / _CARD).write_text(card, encoding="utf-8")
            files = {name: _sha256(draft / name) for name in (_VOCABULARY, *parts, _CARD)}
            _describe(draft, {"format": FORMAT_VERSION, **description, "files": files})
            for file in draft.iterdir():
                file.chmod(0o644)  # safetensors makes its files readable for their owner alone
    except (OSError, SafetensorError) as error:
        raise FileError(f"cannot write the bundle {folder}: {error}; what was there before is intact") from None


def check_place(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that a new bundle cannot replace without loss: it holds something other than a bundle."""
    path = Path(folder)
    if not path.exists():
        return
    found = {file.name for file in path.iterdir()} if path.is_dir() else {path.name}
    if found and (not path.is_dir() or _DESCRIPTION not in found):
        raise InputError(f"{path} exists and is no bundle: give a new folder, or one with a bundle to replace")
    if others := sorted(found - {_DESCRIPTION, _VOCABULARY, _WEIGHTS, _SELECTOR, _CARD}):
        raise InputError(f"{path} has more in it than a bundle ({', '.join(others)}): give another folder")
    if path.samefile(os.curdir):
        raise InputError(f"{path} is the folder that you are in: give another")


def set_objective(folder: str | os.PathLike[str], name: str, weights: Mapping[str, float]) -> None:
    """Store the weights of an objective in a bundle's description. They are for all text, prose or not."""
    content = dict(open_bundle(folder).description)
    for kind in {"objectives from", "prose"} & content.keys():
        content[kind] = {key: value for key, value in content[kind].items() if key != name}
    _describe(Path(folder), {**content, "objectives": {**content.get("objectives", {}), name: dict(weights)}})


def _describe(folder: Path, content: Mapping[str, Any]) -> None:
    write_text(folder / _DESCRIPTION, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
