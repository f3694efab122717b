"""Files on any file system that Arrow or fsspec knows (disks, S3, GCS, HDFS ...): what a cluster reads and writes.

A path without a scheme is one on a disk, and then a disk that all machines of the cluster share.
"""

from __future__ import annotations

import fnmatch
import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from tersely.batch.places import FORMATS, SUFFIXES, Form, is_hidden
from tersely.batch.readers import Reader, TextReader, named
from tersely.batch.text_formats import TEXT_FORMATS, Dialect
from tersely.errors import FileError, InputError, missing_extra
from tersely.files import unpacking

try:
    import pyarrow as pa
    from pyarrow import fs
except ImportError:
    raise missing_extra("ray", "pyarrow") from None

_FAILURES = (OSError, pa.ArrowException, ImportError, ValueError)  # fsspec raises all of them


@dataclass(frozen=True)
class RemoteInput:
    """A file to read. `name` is where it lies in the folder that was named, `state` changes with its content."""

    files: Any  # a pyarrow.fs.FileSystem
    path: str
    name: str
    form: Form
    size: int
    state: str

    @contextmanager
    def opened(self, dialect: Dialect) -> Iterator[Reader]:
        """The file, ready to be read; what is wrong with it is an error with its name."""
        with named(self.path):
            if self.form.format == "parquet":
                from tersely.batch.parquet import ParquetReader

                with reaching(self.path):
                    stream = self.files.open_input_file(self.path)
                with stream:
                    yield ParquetReader(self.path, dialect, stream)
            else:
                with unpacking(self._stream, self.form.packing, self.path) as stream:
                    yield TextReader(self.path, TEXT_FORMATS[self.form.format].read(stream, dialect))

    def _stream(self) -> io.BufferedReader:
        return io.BufferedReader(self.files.open_input_stream(self.path, compression=None), 1 << 20)


class Folder:
    """A folder to write to. It is made when something is written."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.files, self.path = _located(where)
        parent = os.path.dirname(self.path)
        if isinstance(self.files, fs.LocalFileSystem) and not os.path.isdir(parent):
            raise FileError(f"no such folder: {parent}")
        with reaching(where):
            if self.files.get_file_info(self.path).type == fs.FileType.File:
                raise FileError(f"{where} is a file: with Ray, OUT is a folder")

    def sizes(self, below: str = "") -> dict[str, int]:
        """The files that lie in it, or in a folder below, and their bytes."""
        with reaching(self.where):
            selector = fs.FileSelector(self._at(below), allow_not_found=True)
            return {one.base_name: one.size for one in self.files.get_file_info(selector) if one.is_file}

    def write(self, name: str, content: bytes) -> None:
        with reaching(f"{self.where}, which is written"):
            self.files.create_dir(os.path.dirname(self._at(name)), recursive=True)
            with self.files.open_output_stream(self._at(name), compression=None) as stream:
                stream.write(content)

    def write_json(self, name: str, value: object) -> None:
        self.write(name, json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n")

    def read_json(self, name: str) -> Any:
        """The value in a file; None if there is no such file, or only a half of it."""
        with reaching(self.where):
            if not self.files.get_file_info(self._at(name)).is_file:
                return None
            with self.files.open_input_stream(self._at(name), compression=None) as stream:
                content = stream.read()
        try:
            return json.loads(content)
        except ValueError:
            return None

    def delete(self, name: str) -> None:
        """Delete a file or a folder, if it is there."""
        with reaching(self.where):
            kind = self.files.get_file_info(self._at(name)).type
            if kind == fs.FileType.File:
                self.files.delete_file(self._at(name))
            elif kind == fs.FileType.Directory:
                self.files.delete_dir(self._at(name))

    def _at(self, name: str) -> str:
        return f"{self.path}/{name}" if name else self.path


def find_anywhere(where: str, form: Form | None = None) -> list[RemoteInput]:
    """The files that IN means, in the order of their names; `form` in the place of what their names tell."""
    fixed, pattern = _fixed(where)
    files, base = _located(fixed)
    with reaching(where):
        seen = files.get_file_info(base)
        if pattern or seen.type == fs.FileType.Directory:
            found = files.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
        elif seen.is_file:
            base, found = os.path.dirname(base), [seen]
        else:
            raise FileError(f"no such file: {where}")
    if pattern:
        wanted = [*base.split("/"), *pattern.split("/")]
        found = [one for one in found if _matches(one.path.split("/"), wanted)]
    make = partial(_input, files, base, form)
    told = [make(one) for one in found if one.is_file and (seen.is_file or Form.of(one.path))]
    inputs = sorted((one for one in told if not is_hidden(one.name)), key=lambda one: one.name)
    if not inputs:
        raise FileError(f"there is nothing to read in {where}: known are {', '.join(SUFFIXES)}")
    return inputs


def is_in(path: str, where: str) -> bool:
    """Whether a file would be among those that a folder or a pattern means."""
    fixed, pattern = _fixed(where)
    _, base = _located(fixed)
    if pattern:
        return _matches(path.split("/"), [*base.split("/"), *pattern.split("/")])
    return path.startswith(f"{base}/")


def _fixed(where: str) -> tuple[str, str]:
    """A path before its first folder or name with a wildcard, and the pattern from there: in an address, ? is none.

    >>> _fixed("s3://news/2026-0?/*.csv"), _fixed("*.csv"), _fixed("news")
    (('s3://news', '2026-0?/*.csv'), ('.', '*.csv'), ('news', ''))
    """
    signs = [where.find(sign) for sign in "*?[" if sign in where]
    if not signs or ("://" not in where and os.path.exists(where)):
        return where, ""
    fixed, _, rest = where[: min(signs)].rpartition("/")
    return fixed or ("/" if where.startswith("/") else "."), rest + where[min(signs) :]


def _matches(path: list[str], pattern: list[str]) -> bool:
    """Whether the folders and the name of a path are those of a pattern, in which ** is any number of folders.

    >>> [_matches(path.split("/"), ["a", "**", "*.csv"]) for path in ("a/b.csv", "a/b/c/d.csv", "a/b.txt")]
    [True, True, False]
    """
    if pattern[:1] == ["**"]:
        return any(_matches(path[k:], pattern[1:]) for k in range(len(path) + 1))
    if not path or not pattern:
        return path == pattern
    return fnmatch.fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])


def _input(files: Any, base: str, form: Form | None, seen: Any) -> RemoteInput:
    told = form or Form.of(seen.path)
    if told is None:
        raise InputError(f"the name {seen.path} tells no format: give it with --from {' | '.join(FORMATS)}")
    name = os.path.relpath(seen.path, base)
    return RemoteInput(files, seen.path, name, told, seen.size, f"{told.format}, {seen.size} bytes of {seen.mtime}")


def _located(where: str) -> tuple[Any, str]:
    """The file system of a path, and the path there."""
    if where == "-":
        raise InputError("Ray reads and writes files: - is for one machine")
    if "://" not in where:
        return fs.LocalFileSystem(), os.path.abspath(where)
    try:
        files, path = fs.FileSystem.from_uri(where)
        return files, path.rstrip("/")
    except _FAILURES as error:
        if "scheme" not in str(error).lower():
            raise _unreachable(where, error) from None
    try:
        import fsspec  # comes with ray[data]

        files, path = fsspec.core.url_to_fs(where)
    except _FAILURES as error:
        raise _unreachable(where, error) from None
    return fs.PyFileSystem(fs.FSSpecHandler(files)), path.rstrip("/")


@contextmanager
def reaching(where: str) -> Iterator[None]:
    """A failure of a file system is one line with the place."""
    try:
        yield
    except (InputError, FileError):
        raise
    except _FAILURES as error:
        raise _unreachable(where, error) from None


def _unreachable(where: str, error: Exception) -> FileError:
    first = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
    return FileError(f"cannot reach {where}: {first}")
