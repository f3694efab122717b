"""Remote files: what a cluster reads and writes, on any file system that Arrow or fsspec knows (S3, GCS, HDFS ...).

A path without a scheme is on a disk, which all machines of the cluster must share.
"""

from __future__ import annotations

import fnmatch
import io
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from tersely.batch.formats import FileType, Reader
from tersely.batch.paths import is_hidden, nothing_to_read
from tersely.batch.row_blocks import TableSettings
from tersely.errors import FileError, InputError, missing_extra

try:
    import pyarrow as pa
    from pyarrow import fs
except ImportError:
    raise missing_extra("ray", "pyarrow") from None

_FAILURES = (OSError, pa.ArrowException, ImportError, ValueError)  # fsspec raises all of them


@dataclass(frozen=True)
class RemoteInput:
    """A file to read. `name` is its path in the folder that IN names; `version` changes with the content."""

    filesystem: Any  # a pyarrow.fs.FileSystem
    path: str
    name: str
    file_type: FileType
    size: int
    version: str

    def open(self, settings: TableSettings) -> AbstractContextManager[Reader]:
        """A reader of the file; errors in it are raised with its path."""
        return self.file_type.open(self._open_file, self.path, settings)

    def _open_file(self) -> Any:
        if self.file_type.format.needs_file:
            return self.filesystem.open_input_file(self.path)
        return io.BufferedReader(self.filesystem.open_input_stream(self.path, compression=None), 1 << 20)


class RemoteFolder:
    """A folder to write to. It is created when something is written."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.filesystem, self.path = _resolve(url)
        parent = os.path.dirname(self.path)
        if isinstance(self.filesystem, fs.LocalFileSystem) and not os.path.isdir(parent):
            raise FileError(f"no such folder: {parent}")
        with _access(url):
            if self.filesystem.get_file_info(self.path).type == fs.FileType.File:
                raise FileError(f"{url} is a file: with Ray, OUT is a folder")

    def sizes(self, subfolder: str = "") -> dict[str, int]:
        """The files in it, or in a subfolder, and their bytes."""
        with _access(self.url):
            selector = fs.FileSelector(self._join(subfolder), allow_not_found=True)
            return {info.base_name: info.size for info in self.filesystem.get_file_info(selector) if info.is_file}

    def write(self, name: str, content: bytes) -> None:
        path = self._join(name)
        with _access(f"{self.url} for writing"):
            self.filesystem.create_dir(os.path.dirname(path), recursive=True)
            with self.filesystem.open_output_stream(path, compression=None) as stream:
                stream.write(content)

    def write_json(self, name: str, value: object) -> None:
        self.write(name, json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n")

    def read_json(self, name: str) -> Any:
        """The value in a file; None if the file does not exist or is incomplete."""
        with _access(self.url):
            if not self.filesystem.get_file_info(self._join(name)).is_file:
                return None
            with self.filesystem.open_input_stream(self._join(name), compression=None) as stream:
                content = stream.read()
        try:
            return json.loads(content)
        except ValueError:
            return None

    def delete(self, name: str) -> None:
        """Delete a file or a folder if it exists."""
        with _access(self.url):
            kind = self.filesystem.get_file_info(self._join(name)).type
            if kind == fs.FileType.File:
                self.filesystem.delete_file(self._join(name))
            elif kind == fs.FileType.Directory:
                self.filesystem.delete_dir(self._join(name))

    def _join(self, name: str) -> str:
        return f"{self.path}/{name}" if name else self.path


def find_remote(source: str, file_type: FileType | None = None) -> list[RemoteInput]:
    """The files that IN means, sorted by name; `file_type` overrides what their suffixes say."""
    start, pattern = _split_pattern(source)
    filesystem, folder = _resolve(start)
    with _access(source):
        info = filesystem.get_file_info(folder)
        if pattern or info.type == fs.FileType.Directory:
            found = filesystem.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
            found = [
                one for one in found if one.is_file and FileType.of(one.path) and _is_in(one.path, folder, pattern)
            ]
        elif info.is_file:
            folder, found = os.path.dirname(folder), [info]
        else:
            raise FileError(f"no such file: {source}")
    inputs = []
    for one in found:
        name, known = os.path.relpath(one.path, folder), file_type or FileType.required(one.path, "--from")
        version = f"{known.name}, {one.size} bytes of {one.mtime}"
        if not is_hidden(name):
            inputs.append(RemoteInput(filesystem, one.path, name, known, one.size, version))
    if not inputs:
        raise nothing_to_read(source)
    return sorted(inputs, key=lambda one: one.name)


def is_in(path: str, source: str) -> bool:
    """Whether a path is among those that a folder or a pattern means."""
    start, pattern = _split_pattern(source)
    return _is_in(path, _resolve(start)[1], pattern)


def _is_in(path: str, folder: str, pattern: str) -> bool:
    if pattern:
        return _matches(path.split("/"), [*folder.split("/"), *pattern.split("/")])
    return path.startswith(f"{folder}/")


def _split_pattern(source: str) -> tuple[str, str]:
    """A path before the first part with a wildcard, and the pattern from there.

    >>> _split_pattern("s3://news/2026-0?/*.csv"), _split_pattern("*.csv"), _split_pattern("news")
    (('s3://news', '2026-0?/*.csv'), ('.', '*.csv'), ('news', ''))
    """
    wildcards = [source.find(sign) for sign in "*?[" if sign in source]
    if not wildcards or ("://" not in source and os.path.exists(source)):
        return source, ""
    start, _, rest = source[: min(wildcards)].rpartition("/")
    return start or ("/" if source.startswith("/") else "."), rest + source[min(wildcards) :]


def _matches(path: list[str], pattern: list[str]) -> bool:
    """Whether the parts of a path match those of a pattern, in which ** stands for any number of folders.

    >>> [_matches(path.split("/"), ["a", "**", "*.csv"]) for path in ("a/b.csv", "a/b/c/d.csv", "a/b.txt")]
    [True, True, False]
    """
    if pattern[:1] == ["**"]:
        return any(_matches(path[k:], pattern[1:]) for k in range(len(path) + 1))
    if not path or not pattern:
        return path == pattern
    return fnmatch.fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])


def _resolve(url: str) -> tuple[Any, str]:
    """The file system of a URL or a path, and the path in it."""
    if url == "-":
        raise InputError("Ray reads and writes files: - works only without Ray")
    if "://" not in url:
        return fs.LocalFileSystem(), os.path.abspath(url)
    with _access(url):
        try:
            filesystem, path = fs.FileSystem.from_uri(url)
        except _FAILURES as error:
            if "scheme" not in str(error).lower():
                raise
            import fsspec  # comes with ray[data]

            other, path = fsspec.core.url_to_fs(url)
            filesystem = fs.PyFileSystem(fs.FSSpecHandler(other))
    return filesystem, path.rstrip("/")


@contextmanager
def _access(url: str) -> Iterator[None]:
    """Turn a failure of a file system into a one-line error that names the URL."""
    try:
        yield
    except (InputError, FileError):
        raise
    except _FAILURES as error:
        first = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
        raise FileError(f"cannot access {url}: {first}") from None
