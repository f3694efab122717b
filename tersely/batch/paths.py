"""The files that IN and OUT of the command mean, and their formats.

IN is a file, a folder, a pattern such as `news/*.csv`, or `-`. OUT is a file for all rows, a folder with a file for
each input, or `-`. The suffixes of a file say its format: `news.csv`, `news.jsonl.gz`.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tersely.batch.formats import STDIN_TYPE, FileType, Reader, suffixes
from tersely.batch.row_blocks import TableSettings
from tersely.errors import FileError, InputError


@dataclass(frozen=True)
class Input:
    """A file to read; without a path it is stdin. `relative` is its path in the folder that IN names."""

    path: Path | None
    file_type: FileType
    relative: Path = Path()

    def __post_init__(self) -> None:
        if self.is_stream and self.file_type.format.needs_file:
            raise InputError(f"{self.file_type} cannot be read from {self.name}: give a file")

    @property
    def name(self) -> str:
        return "stdin" if self.path is None else str(self.path)

    @property
    def is_stream(self) -> bool:
        """Whether it can be read only once."""
        return self.path is None or not self.path.is_file()

    def open(self, settings: TableSettings) -> AbstractContextManager[Reader]:
        """A reader of the rows; errors in the file are raised with its name."""
        return self.file_type.open(self._open_file, self.name, settings)

    def _open_file(self) -> AbstractContextManager[IO[bytes]]:
        if self.path is not None:
            return self.path.open("rb")
        if sys.stdin is None:
            raise OSError("it is closed")
        return nullcontext(sys.stdin.buffer)


@dataclass(frozen=True)
class Output:
    """A file to write, and the inputs whose rows it gets; without a path it is stdout."""

    path: Path | None
    file_type: FileType
    inputs: tuple[Input, ...]


def find_inputs(source: str, file_type: FileType | None = None) -> list[Input]:
    """The files that IN means, sorted by name; `file_type` overrides what their suffixes say."""
    if source == "-":
        return [Input(None, file_type or STDIN_TYPE)]
    path, folder = Path(source), Path(source)
    found: Iterable[Path]
    if path.is_dir():
        found = (file for file in path.rglob("*") if FileType.of(file) and not is_hidden(file.relative_to(path)))
    elif path.exists():
        return [Input(path, file_type or FileType.required(path, "--from"), Path(path.name))]
    elif glob.has_magic(source):
        folder, found = Path(*_fixed_parts(path)), map(Path, glob.glob(source, recursive=True))
    else:
        raise FileError(f"no such file: {source}")
    files = sorted(file for file in found if file.is_file())
    if not files:
        raise nothing_to_read(source)
    return [Input(file, file_type or FileType.required(file, "--from"), file.relative_to(folder)) for file in files]


def nothing_to_read(source: str) -> FileError:
    return FileError(f"there is nothing to read in {source}: expected files that end in {', '.join(suffixes())}")


def find_outputs(target: str, source: str, inputs: list[Input], file_type: FileType | None = None) -> list[Output]:
    """The files that OUT means for the inputs of IN; `file_type` overrides what the suffixes of OUT say."""
    if target == "-":
        return [Output(None, file_type or inputs[0].file_type, tuple(inputs))]
    path = Path(target)
    one_file = FileType.of(target) is not None or (len(inputs) == 1 and inputs[0].relative.parent == Path())
    if path.is_dir() or target.endswith(("/", os.sep)) or not one_file:
        outputs = [
            Output(
                path / (file_type.renamed(one.relative) if file_type else one.relative),
                file_type or one.file_type,
                (one,),
            )
            for one in inputs
        ]
    else:
        outputs = [Output(path, file_type or FileType.required(path, "--to"), tuple(inputs))]
    _check_clashes(source, path, outputs)
    return outputs


def _check_clashes(source: str, target: Path, outputs: list[Output]) -> None:
    """Raise an error if outputs overwrite each other or an input, or would be read as inputs the next time."""
    if Path(source).is_dir() and Path(source).resolve() in (target.resolve(), *target.resolve().parents):
        raise InputError(f"{target} is in {source}, which is read: give another OUT")
    taken: set[Path | None] = set()
    for output in outputs:
        if output.path in taken:
            raise InputError(f"two inputs would be written to {output.path}: use two commands")
        taken.add(output.path)
        if output.path is not None and (
            fnmatch.fnmatch(str(output.path), source)
            or any(one.path and output.path.exists() and output.path.samefile(one.path) for one in output.inputs)
        ):
            raise InputError(f"{output.path} is an input and cannot be written: give another OUT")


def is_hidden(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that other programs keep beside their data: `_SUCCESS`, `.part.crc`."""
    return any(part.startswith((".", "_")) for part in Path(path).parts)


def _fixed_parts(pattern: Path) -> list[str]:
    """The folders of a pattern before its first wildcard."""
    parts = list(pattern.parts[:-1])
    return parts[: next((k for k, part in enumerate(parts) if glob.has_magic(part)), len(parts))]
