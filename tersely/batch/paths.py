"""The files that IN and OUT of the command mean, and their formats.

IN is one or several of: a file, a folder, a pattern such as `news/*.csv`; or `-`. OUT is a file for all rows, a folder
with a file for each input, or `-`. The suffixes of a file say its format: `news.csv`, `news.jsonl.gz`.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tersely.batch.formats import FORMATS, FileType, Reader, suffixes
from tersely.batch.row_blocks import TableSettings
from tersely.batch.storage import FileInfo, Files, LocalFiles, fixed_part, locate
from tersely.errors import FileError, InputError


@dataclass(frozen=True)
class Input:
    """A file to read; without a path it is stdin. `relative` is its path in the folder that IN names."""

    path: str | None
    file_type: FileType
    relative: str = ""
    files: Files = field(default_factory=LocalFiles)
    info: FileInfo | None = None

    def __post_init__(self) -> None:
        if self.is_stream and self.file_type.format.needs_file:
            raise InputError(f"{self.file_type} cannot be read from {self.name}: give a file")

    @property
    def name(self) -> str:
        """Its name in messages and settings: characters that are not valid are escaped."""
        return "stdin" if self.path is None else shown(self.path)

    @property
    def is_stream(self) -> bool:
        """Whether it can be read only once."""
        return self.path is None or (self.info is not None and self.info.kind == "stream")

    def version(self) -> str | None:
        """Something that changes with the content of a file; None for a stream, or if the file is gone."""
        info = None if self.path is None or self.is_stream else self.files.info(self.path)
        return info and info.version

    def open(self, settings: TableSettings) -> AbstractContextManager[Reader]:
        """A reader of the rows; errors in the file are raised with its name."""
        return self.file_type.open(self.open_raw, self.name, settings)

    @contextmanager
    def open_raw(self) -> Iterator[Any]:
        """The bytes of the input."""
        if self.path is not None:
            with self.files.open(self.path) as stream:
                yield stream
        elif sys.stdin is None:
            raise OSError("it is closed")
        else:
            yield sys.stdin.buffer


@dataclass(frozen=True)
class Output:
    """A file to write, and the inputs whose rows it gets; without a path it is stdout."""

    path: str | None
    file_type: FileType
    inputs: tuple[Input, ...]
    files: Files = field(default_factory=LocalFiles)


def shown(path: str) -> str:
    """A path as text that can be written, whatever bytes the path has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def find_inputs(sources: Sequence[str], file_type: FileType | None = None) -> list[Input]:
    """The files that IN means, sorted by name; `file_type` overrides what their suffixes say."""
    if "-" in sources:
        if len(sources) > 1:
            raise InputError("- is stdin, and cannot be read together with files")
        if file_type is None:
            raise InputError(f"stdin has no suffix: say its format with --from, one of {', '.join(FORMATS)}")
        return [Input(None, file_type)]
    found = {one.path: one for source in sources for one in _found(source, file_type)}
    if len(sources) == 1:
        return list(found.values())
    folder = os.path.commonpath([os.path.dirname(os.path.abspath(path or "")) for path in found])
    return [replace(one, relative=os.path.relpath(os.path.abspath(path or ""), folder)) for path, one in found.items()]


def _found(source: str, file_type: FileType | None) -> list[Input]:
    files, path = locate(source)
    info = files.info(path)
    folder = path
    if info is not None and info.kind == "folder":
        paths = {one: info for one, info in files.walk(path).items() if FileType.of(one)}
    elif info is not None:
        return [Input(path, file_type or FileType.required(path, "--from"), os.path.basename(path), files, info)]
    elif glob.has_magic(source):
        folder, paths = fixed_part(path), files.glob(path)
    else:
        raise FileError(f"no such file: {shown(source)}")
    names = {one: os.path.relpath(one, folder or ".") for one in sorted(paths)}
    names = {one: name for one, name in names.items() if not _is_hidden(name)}
    if missing := [one for one in names if paths[one].kind == "missing"]:
        raise FileError(f"{shown(missing[0])} is gone, or a link to nothing: delete it, or give the others by name")
    names = {one: name for one, name in names.items() if paths[one].kind == "file"}
    if not names:
        expected = ", ".join(suffixes())
        raise FileError(f"there is nothing to read in {shown(source)}: expected files that end in {expected}")
    types = {one: file_type or FileType.required(one, "--from") for one in names}
    return [Input(one, types[one], name, files, paths[one]) for one, name in names.items()]


def find_outputs(
    target: str, sources: Sequence[str], inputs: list[Input], file_type: FileType | None = None
) -> list[Output]:
    """The files that OUT means for the inputs of IN; `file_type` overrides what the suffixes of OUT say."""
    if target == "-":
        return [Output(None, file_type or inputs[0].file_type, tuple(inputs))]
    files, path = locate(target)
    info = files.info(path)
    one_file = FileType.of(target) is not None or (len(inputs) == 1 and os.sep not in inputs[0].relative)
    if target.endswith("/") or (info is not None and info.kind == "folder") or not one_file:
        outputs = [
            Output(
                os.path.join(path, file_type.renamed(one.relative) if file_type else one.relative),
                file_type or one.file_type,
                (one,),
                files,
            )
            for one in inputs
        ]
    else:
        outputs = [Output(path, file_type or FileType.required(path, "--to"), tuple(inputs), files)]
    _check_clashes(sources, outputs)
    return outputs


def _check_clashes(sources: Sequence[str], outputs: list[Output]) -> None:
    """Raise an error if outputs overwrite each other or an input, or would be read as inputs the next time."""
    taken: set[str] = set()
    read = {_key(one.files, one.path) for output in outputs for one in output.inputs if one.path is not None}
    for output in outputs:
        assert output.path is not None
        key = _key(output.files, output.path)
        if (info := output.files.info(output.path)) is not None and info.kind == "stream":
            raise InputError(f"{shown(output.path)} is a pipe or a device: give a file, or - for stdout")
        if key in taken:
            raise InputError(f"two inputs would be written to {output.path}: use two commands")
        taken.add(key)
        if key in read:
            raise InputError(f"{output.path} is an input and cannot be written: give another OUT")
        for source in sources:
            files, path = locate(source)
            inside = key.startswith(_key(files, path) + "/") or fnmatch.fnmatch(output.path, path)
            if inside and type(files) is type(output.files):
                raise InputError(f"{output.path} is in {source}, which is read: give another OUT")


def _key(files: Files, path: str) -> str:
    return os.path.realpath(path) if isinstance(files, LocalFiles) else path


def _is_hidden(path: str) -> bool:
    """Whether a file is one that other programs keep beside their data: `_SUCCESS`, `.part.crc`."""
    return any(part.startswith((".", "_")) for part in path.split(os.sep))
