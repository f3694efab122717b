"""What is read and what is written: IN and OUT of the command as lists of files with their formats.

A name says its format: `news.csv`, `news.jsonl.gz`. IN is a file, a folder, a pattern such as `news/*.csv`, or `-`; OUT
is a file that takes all rows, a folder with a file for each input, or `-`.
"""

from __future__ import annotations

import fnmatch
import glob
import os
from dataclasses import dataclass
from pathlib import Path

from tersely.errors import FileError, InputError
from tersely.files import PACKINGS

SUFFIXES = {
    ".txt": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))


@dataclass(frozen=True)
class Form:
    """A format, and how a file of it is packed.

    >>> Form.of("news/May.jsonl.gz"), Form.of("news/May")
    (Form(format='jsonl', packing='.gz'), None)
    """

    format: str
    packing: str = ""

    @classmethod
    def of(cls, name: str | os.PathLike[str]) -> Form | None:
        """The form that a name tells; None if it tells none."""
        stem, last = os.path.splitext(os.fspath(name))
        packing = last if last in PACKINGS else ""
        suffix = os.path.splitext(stem)[1] if packing else last
        form = SUFFIXES.get(suffix.lower())
        return None if form is None or (form == "parquet" and packing) else cls(form, packing)

    @classmethod
    def read(cls, text: str) -> Form:
        """The form of an option, `csv` or `csv.gz`."""
        form = cls.of(f"x.{text}")
        if form is None:
            raise InputError(
                f"unknown format {text!r}: known are {', '.join(FORMATS)}, and .gz, .xz or .zst after them"
            )
        return form

    def renamed(self, path: Path) -> Path:
        """The name of a file in this form, in the place of the form that its name tells."""
        name = path.name.removesuffix(path.suffix) if path.suffix in PACKINGS else path.name
        stem = os.path.splitext(name)[0] if os.path.splitext(name)[1].lower() in SUFFIXES else name
        return path.with_name(f"{stem}.{self.format}{self.packing}")


@dataclass(frozen=True)
class Input:
    """A file to read; without a path it is stdin. `relative` is where it lies in the folder that was named."""

    path: Path | None
    form: Form
    relative: Path = Path()

    @property
    def name(self) -> str:
        return "stdin" if self.path is None else str(self.path)

    @property
    def is_stream(self) -> bool:
        """Whether it can be read only once."""
        return self.path is None or not self.path.is_file()


@dataclass(frozen=True)
class Output:
    """A file to write, and the inputs whose rows it takes; without a path it is stdout."""

    path: Path | None
    form: Form
    inputs: tuple[Input, ...]


def find_inputs(where: str, form: Form | None = None) -> list[Input]:
    """The files that IN means, in the order of their names; `form` in the place of what their names tell."""
    if where == "-":
        return [_refuse_streamed(Input(None, form or Form("txt")))]
    path = Path(where)
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.is_file() and not is_hidden(file.relative_to(path)))
        inputs = [Input(file, form or told, file.relative_to(path)) for file in found if (told := Form.of(file))]
    elif path.exists():
        inputs = [Input(path, form or _told(path), Path(path.name))]
    elif glob.has_magic(where):
        base = Path(*_fixed(path))
        found = sorted(file for file in map(Path, glob.glob(where, recursive=True)) if file.is_file())
        inputs = [Input(file, form or _told(file), file.relative_to(base)) for file in found]
    else:
        raise FileError(f"no such file: {where}")
    if not inputs:
        raise FileError(f"there is nothing to read in {where}: known are {', '.join(SUFFIXES)}")
    return [_refuse_streamed(one) for one in inputs]


def find_outputs(where: str, source: str, inputs: list[Input], form: Form | None = None) -> list[Output]:
    """The files that OUT means for the inputs of IN, `source`; `form` in the place of what its name tells."""
    if where == "-":
        return [Output(None, form or inputs[0].form, tuple(inputs))]
    path, told = Path(where), form or Form.of(where)
    whole = Form.of(where) is not None or (len(inputs) == 1 and inputs[0].relative.parent == Path())
    if path.is_dir() or where.endswith(("/", os.sep)) or not whole:
        outputs = [
            Output(path / (form.renamed(one.relative) if form else one.relative), form or one.form, (one,))
            for one in inputs
        ]
    elif told is None:
        raise InputError(f"the name {where} tells no format: end it in one of {', '.join(SUFFIXES)}, or give --to")
    else:
        outputs = [Output(path, told, tuple(inputs))]
    _refuse_clashes(source, path, outputs)
    return outputs


def _refuse_clashes(where: str, path: Path, outputs: list[Output]) -> None:
    """Refuse outputs that overwrite each other or an input, or that would be inputs the next time."""
    if Path(where).is_dir() and Path(where).resolve() in (path.resolve(), *path.resolve().parents):
        raise InputError(f"{path} lies in {where}, which is read: give another OUT")
    taken: set[Path | None] = set()
    for output in outputs:
        if output.path in taken:
            raise InputError(f"two inputs would be written to {output.path}: give them in two commands")
        taken.add(output.path)
        if output.path is not None and (
            fnmatch.fnmatch(str(output.path), where)
            or any(one.path and output.path.exists() and output.path.samefile(one.path) for one in output.inputs)
        ):
            raise InputError(f"{output.path} is read and cannot be written: give another OUT")


def _refuse_streamed(one: Input) -> Input:
    if one.is_stream and one.form.format == "parquet":
        raise InputError(f"parquet cannot be read from {one.name}: give a file")
    return one


def _told(path: Path) -> Form:
    form = Form.of(path)
    if form is None:
        raise InputError(f"the name {path} tells no format: give it with --from {' | '.join(FORMATS)}")
    return form


def is_hidden(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that other programs keep beside their data: `_SUCCESS`, `.part.crc`."""
    return any(part.startswith((".", "_")) for part in Path(path).parts)


def _fixed(pattern: Path) -> list[str]:
    """The folders of a pattern before its first wildcard."""
    parts = list(pattern.parts[:-1])
    return parts[: next((k for k, part in enumerate(parts) if glob.has_magic(part)), len(parts))]
