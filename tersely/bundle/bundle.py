"""Stage 6: a bundle, the folder that holds everything learned, and the objects that are made from it.

    bundle.json           format version, recipe, corpora, figures, weights of the objectives, SHA-256 of every file
    vocab.txt             one piece a line
    weights.safetensors   language models, vectors, counts, memory-mapped; big tables as int8 rows with a scale
    encoder.safetensors   encoder, parser and editor; each can be trained again without the others
    wordpieces.txt        the pieces that a pretrained encoder reads, if there is one
    language.json         word lists and kinds of needs; a bundle without it has those of the bundle that ships
    README.md             the model card

`open_bundle` raises an error of one line if a bundle is missing, incomplete, damaged or of a newer format.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tersely.bundle import shapes
from tersely.bundle.description import BadDescription, read_description
from tersely.bundle.language_models import language_model
from tersely.bundle.objectives import Objectives
from tersely.errors import BundleError, one_line, short_repr
from tersely.scoring.editor import EDITED, STYLES, Editor
from tersely.scoring.lstm import LanguageModel
from tersely.scoring.priors import Counts
from tersely.scoring.similarity import Similarity
from tersely.sentence.bilstm import BiLstm
from tersely.sentence.encoder import Encoder
from tersely.sentence.labels import LABELS
from tersely.sentence.language import BadLanguage, Language, read_language
from tersely.sentence.parser import Parser
from tersely.sentence.sentence import Sentence
from tersely.sentence.states import Lookup, Reader
from tersely.sentence.wordpiece import BEGIN, END, UNKNOWN
from tersely.system.table import Table
from tersely.system.tensors import map_tensors
from tersely.text.vocabulary import Vocabulary
from tersely.text.words import Word

FORMAT_VERSION = 1
DESCRIPTION, VOCABULARY, WEIGHTS, CARD = "bundle.json", "vocab.txt", "weights.safetensors", "README.md"
ENCODER, WORDPIECES, LANGUAGE = "encoder.safetensors", "wordpieces.txt", "language.json"
DEFAULT_BUNDLE = Path(__file__).parent.parent / "models" / "headlines-en"


@dataclass(frozen=True)
class Bundle:
    """An open bundle. Tensors stay in the memory-mapped file until they are used."""

    folder: Path
    description: Mapping[str, Any]
    tensors: Mapping[str, NDArray[Any]]
    _models: dict[str, LanguageModel] = field(default_factory=dict, repr=False)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary.read(self.folder / VOCABULARY)

    def __contains__(self, tensor: str) -> bool:
        return self._stored_name(tensor) in self.tensors

    def _stored_name(self, tensor: str) -> str:
        # Tables that are shared (input and output, forward and backward) are stored once.
        aliases: Mapping[str, str] = self.description.get("aliases", {})
        return aliases.get(tensor, tensor)

    def tensor(self, name: str) -> NDArray[Any]:
        """The tensor of that name."""
        stored = self._stored_name(name)
        if stored not in self.tensors:
            raise BundleError(f"the bundle {self.folder} has no {name}: it was trained without it")
        return self.tensors[stored]

    def table(self, name: str) -> Table:
        """The table of that name, with the scales of its rows."""
        scale = self._stored_name(name) + ".scale"
        return Table(self.tensor(name), self.tensors.get(scale))

    @cached_property
    def signature(self) -> str:
        """The name of the bundle, and the first digits of a checksum over all that decides a summary.

        The checksum is over all files but the card, and the entries of the description that say how to read them. The
        weights of objectives are not in it: `Objectives.identity` has those that are used.
        """
        files = {name: digest for name, digest in self.description["files"].items() if name != CARD}
        files[LANGUAGE] = hashlib.sha256(self.language_file).hexdigest()  # also where it is not its own
        entries = {name: self.description.get(name) for name in ("aliases", "counts", "encoder", "parser", "editor")}
        digest = hashlib.sha256(json.dumps([files, entries], sort_keys=True).encode()).hexdigest()
        return f"{self.description.get('name', self.folder.name)}@{digest[:8]}"

    @cached_property
    def objectives(self) -> Objectives:
        """The objectives that the bundle has."""
        return Objectives.of(self, self.description)

    def sentence(self, tokens: Sequence[Word]) -> Sentence:
        """The sentence of a tokenised text, with the bundle's vocabulary, parser and language."""
        return Sentence.of(tokens, self.vocabulary, self.parser, self.language)

    @cached_property
    def language(self) -> Language:
        """The word lists and kinds of needs."""
        try:
            return read_language(self.language_file)
        except BadLanguage as error:
            raise _damaged(self.folder, f"{LANGUAGE} cannot be used, {error}") from None

    @cached_property
    def language_file(self) -> bytes:
        """The content of the language file; a bundle that has none, an older one, has the shipped one."""
        return (self.folder / LANGUAGE).read_bytes() if LANGUAGE in self.description["files"] else shipped_language()

    def language_model(self, direction: str) -> LanguageModel:
        """The language model of a direction, `forward` or `backward`; made once."""
        if direction not in self._models:
            self._models[direction] = self._language_model(direction)
        return self._models[direction]

    def _language_model(self, direction: str) -> LanguageModel:
        if f"{direction}.lstm.0.input" not in self:
            raise BundleError(f"the bundle {self.folder} has no {direction} language model")
        self._check(shapes.language_model(self, direction, len(self.vocabulary)))
        return language_model(self, direction)

    @cached_property
    def parser(self) -> Parser | None:
        """The parser; None if the bundle was trained without trees."""
        if "parser" not in self.description:
            return None
        made = self.description["parser"]
        if tuple(made["labels"]) != LABELS:
            raise BundleError("the parser of this bundle has other labels than this version of tersely: train it again")
        encoder = self.encoder
        self._check(shapes.parser(self, self._width, len(LABELS)))
        return Parser(encoder, self.part("parser"))

    @cached_property
    def encoder(self) -> Reader:
        """The encoder for the parser and the editor: the pretrained one, or the parser's own layers."""
        if "encoder" in self.description:
            made = self.description["encoder"]
            if missing := {UNKNOWN, BEGIN, END} - set(self.wordpieces):
                raise _damaged(self.folder, f"{WORDPIECES} has no {min(missing)}; train it again")
            wanted = shapes.encoder(self, made["layers"], made["heads"], made["window"], len(self.wordpieces))
            self._check(wanted)
            return Encoder.from_tensors(self.part("encoder"), made, self.wordpieces)
        made = self.description["parser"]
        if missing := {"layers", "pieces"} - made.keys():
            raise _damaged(self.folder, f"{DESCRIPTION} has no {min(missing)} of the parser; train it again")
        self._check(shapes.bilstm(self, made["layers"]))
        return BiLstm.from_tensors(self.part("parser"), made, self.vocabulary)

    @property
    def _width(self) -> int:
        """The width of the encoder's states."""
        if "encoder" in self.description:
            return int(self.tensor("encoder.position").shape[-1])
        return 2 * int(self.tensor(f"parser.lstm.{self.description['parser']['layers'] - 1}.recurrent").shape[-1])

    @cached_property
    def wordpieces(self) -> tuple[str, ...]:
        """The pieces that the pretrained encoder knows; empty without one."""
        path = self.folder / WORDPIECES
        return tuple(path.read_text(encoding="utf-8").split("\n")[:-1]) if path.is_file() else ()

    def part(self, name: str) -> Lookup:
        """A lookup for the tensors of a part, by their names without that of the part."""
        return lambda tensor: self.tensor(f"{name}.{tensor}")

    def editor(self, style: int = EDITED) -> Editor:
        """The editor in a style; made once."""
        return self._editors[style]

    @cached_property
    def _editors(self) -> list[Editor]:
        if self.parser is None or "editor" not in self.description:
            raise _damaged(self.folder, f"{DESCRIPTION} does not describe the editor and its parser; train it again")
        self._check(shapes.editor(self, self._width, len(LABELS)))
        far_needs = float(self.description["editor"]["far_needs"])
        return [Editor(self.part("editor"), far_needs, style) for style in STYLES]

    def _check(self, wanted: shapes.Wanted) -> None:
        """Raise an error for tensors whose shapes do not fit each other."""
        if wrong := shapes.misfit(self, wanted):
            raise _damaged(self.folder, f"{wrong}; train it again")

    @property
    def card(self) -> str:
        """The text of the model card; empty without one."""
        path = self.folder / CARD
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""  # whoever wrote it

    def similarity(self, *, shifted: bool = True) -> Similarity:
        """The factor `similarity`."""
        return Similarity(self.table("vectors"), self.tensor("idf"), shifted)

    def counts(self) -> Counts:
        """How many title and article lines contain each piece."""
        titles, articles = self.tensor("counts.titles"), self.tensor("counts.articles")
        totals = self.description["counts"]
        return Counts(titles, articles, float(totals["titles"]["words"]), float(totals["articles"]["words"]))


def open_bundle(folder: str | os.PathLike[str]) -> Bundle:
    """The bundle in a folder, checked against its checksums."""
    try:
        path = Path(folder)
    except TypeError:
        raise BundleError(f"invalid bundle {short_repr(folder)}: expected the path of a folder") from None
    try:
        if not path.is_dir():
            raise BundleError(f"no bundle at {_shown(path)}: there is no such folder")
        _check_files(path, (DESCRIPTION, VOCABULARY, WEIGHTS))
        return _checked(path)
    except OSError as error:
        raise BundleError(f"the bundle {_shown(path)} cannot be read: {error.strerror}") from None


def _shown(path: Path) -> str:
    text = str(path).replace("\n", " ")
    return text if len(text) <= 200 else f"{text[:200]}..."


def _check_files(path: Path, names: Sequence[str]) -> None:
    """Raise an error for what is missing or is no file: a pipe would be read for ever."""
    if missing := ", ".join(name for name in names if not (path / name).is_file()):
        raise BundleError(f"the bundle {_shown(path)} is incomplete: {missing} missing; copy or train it again")


def _damaged(path: Path, reason: str) -> BundleError:
    return BundleError(f"the bundle {_shown(path)} is damaged: {reason}")


def _checked(path: Path) -> Bundle:
    try:
        description = read_description((path / DESCRIPTION).read_bytes())
    except BadDescription as error:
        raise _damaged(path, f"{DESCRIPTION} cannot be read, {error}; copy or train it again") from None
    version = description["format"]
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise BundleError(
            f"the bundle {_shown(path)} has format {one_line(version)[:80]}, "
            f"this tersely reads up to {FORMAT_VERSION}: pip install -U tersely"
        )
    parts = [name for name in (WEIGHTS, ENCODER) if name in description["files"]]
    names = (VOCABULARY, *parts, *sorted({WORDPIECES, LANGUAGE} & description["files"].keys()))
    _check_files(path, names)
    for name in names:
        if description["files"][name] != sha256(path / name):
            raise _damaged(path, f"{name} does not match its checksum; copy or train it again")
    try:
        tensors = {name: tensor for part in parts for name, tensor in map_tensors(path / part).items()}
    except ValueError as error:  # the checksum is right, so it was written like this
        raise _damaged(path, f"{error}; train it again") from None
    bundle = Bundle(path, description, tensors)
    _check_parts(bundle)
    return bundle


def _check_parts(bundle: Bundle) -> None:
    """Raise an error for a wrong language, tensors that do not fit the vocabulary, and counts without totals."""
    _ = bundle.language  # raises an error for a wrong file
    wanted = len(bundle.vocabulary)
    for name, dimensions in shapes.BY_PIECE.items():
        shape = bundle.tensor(name).shape if name in bundle else (wanted,) * dimensions
        if len(shape) != dimensions or shape[0] != wanted:
            asked = f"{dimensions} dimensions and a row for each of the {wanted:,} pieces of the vocabulary"
            raise _damaged(bundle.folder, f"{name} has the shape {shape}: expected {asked}; train it again")
    bundle._check(shapes.scales(bundle.tensors))
    for side in ("titles", "articles"):
        if f"counts.{side}" in bundle and side not in bundle.description.get("counts", {}):
            raise _damaged(bundle.folder, f"{DESCRIPTION} has no totals of counts.{side}; train it again")


def sha256(path: Path) -> str:
    """The checksum of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def shipped_language() -> bytes:
    """The language file of the bundle that comes with the package; an empty one without it."""
    path = DEFAULT_BUNDLE / LANGUAGE
    return path.read_bytes() if path.is_file() else b'{"lists": {}}'


def default_bundle() -> Path:
    """The folder of the bundle that comes with the package."""
    if not DEFAULT_BUNDLE.is_dir():
        raise BundleError(
            "this installation has no default bundle: give one with --bundle, or train one: tersely train"
        )
    return DEFAULT_BUNDLE
