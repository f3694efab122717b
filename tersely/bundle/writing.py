"""Stage 6: writing bundles, whole or not at all: new ones, and copies of others with some parts replaced."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.bundle.bundle import (
    CARD,
    DESCRIPTION,
    ENCODER,
    FORMAT_VERSION,
    LANGUAGE,
    VOCABULARY,
    WEIGHTS,
    WORDPIECES,
    Bundle,
    sha256,
    shipped_language,
)
from tersely.bundle.description import BadDescription, read_description
from tersely.errors import FileError, InputError
from tersely.sentence.language import BadLanguage, read_language
from tersely.system.files import replacing_folder
from tersely.text.vocabulary import Vocabulary

Tensors = Mapping[str, NDArray[Any]]

_IN_ENCODER = ("encoder.", "parser.", "editor.")  # prefixes of the tensors in that file


def write_bundle(
    folder: str | os.PathLike[str],
    *,
    vocabulary: Vocabulary,
    tensors: Tensors,
    description: Mapping[str, Any],
    card: str,
    wordpieces: Sequence[str] = (),
    language: bytes | None = None,
) -> None:
    """Write a bundle, whole or not at all: after a failure the folder is as it was before.

    Without a language it gets that of the bundle that ships.
    """
    from safetensors import SafetensorError  # imported here, because a summary does not need them
    from safetensors.numpy import save_file

    check_folder(folder)
    try:
        with replacing_folder(Path(folder).resolve()) as draft:
            vocabulary.write(draft / VOCABULARY)
            parts: dict[str, dict[str, NDArray[Any]]] = {WEIGHTS: {}}
            for name, tensor in tensors.items():
                part = ENCODER if name.startswith(_IN_ENCODER) else WEIGHTS
                parts.setdefault(part, {})[name] = np.ascontiguousarray(tensor)
            for part, stored in parts.items():
                save_file(stored, draft / part)
            (draft / CARD).write_text(card, encoding="utf-8", errors="replace")  # names of files may not be UTF-8
            if wordpieces:
                (draft / WORDPIECES).write_text("\n".join(wordpieces) + "\n", encoding="utf-8")
            (draft / LANGUAGE).write_bytes(shipped_language() if language is None else language)
            files = {file.name: sha256(file) for file in sorted(draft.iterdir())}
            content = {"format": FORMAT_VERSION, **description, "files": files}
            text = (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode(errors="replace")
            read_description(text)  # a bundle that nobody could open must not replace another
            (draft / DESCRIPTION).write_bytes(text)
            for file in draft.iterdir():
                file.chmod(0o644)  # safetensors makes its files readable for the owner alone
    except (OSError, SafetensorError, BadDescription) as error:
        raise FileError(f"cannot write the bundle {folder}: {error}; what was there before is intact") from None


def copy_bundle(
    bundle: Bundle,
    out: Path,
    *,
    tensors: Tensors | None = None,
    without: tuple[str, ...] = (),
    description: Mapping[str, Any] | None = None,
    card: str | None = None,
    wordpieces: Sequence[str] = (),
    language: bytes | None = None,
) -> None:
    """Write a copy of a bundle in which some parts are replaced; it is named after its folder.

    Tensors with a prefix in `without` are left out; `tensors` and the entries of `description` are added or replace old
    ones. An entry that is None is deleted.
    """
    kept = {name: tensor for name, tensor in bundle.tensors.items() if not (without and name.startswith(without))}
    name = bundle.description.get("name") if out.resolve() == bundle.folder.resolve() else out.resolve().name
    described = {**bundle.description, "name": name, **(description or {})}
    write_bundle(
        out,
        vocabulary=bundle.vocabulary,
        tensors={**kept, **(tensors or {})},
        description={key: value for key, value in described.items() if value is not None},
        language=bundle.language_file if language is None else language,
        wordpieces=(wordpieces or bundle.wordpieces) if described.get("encoder") else (),
        card=re.sub(r"\A# .*", f"# {name}", bundle.card if card is None else card),
    )


def read_language_file(path: Path) -> bytes:
    """The content of a language file, if it is a valid one."""
    try:
        content = path.read_bytes()
        read_language(content)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    except BadLanguage as error:
        raise InputError(f"{path} is no language file: {error}") from None
    return content


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Raise an error if a folder holds anything but a bundle, which a new bundle would delete."""
    path = Path(folder)
    if not path.exists():
        return
    found = {file.name for file in path.iterdir()} if path.is_dir() else {path.name}
    if found and (not path.is_dir() or DESCRIPTION not in found):
        raise InputError(f"{path} exists and is no bundle: give a new folder, or one with a bundle to replace")
    if others := sorted(found - {DESCRIPTION, VOCABULARY, WEIGHTS, ENCODER, WORDPIECES, LANGUAGE, CARD}):
        raise InputError(f"{path} has more in it than a bundle ({', '.join(others)}): give another folder")
    if path.samefile(os.curdir):
        raise InputError(f"{path} is the folder that you are in: give another")
