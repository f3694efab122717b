"""Files by path: those of this machine, and, by fsspec, those behind URLs (s3://, gs://, hdfs:// ...)."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from tersely.errors import FileError, TerselyError, missing_extra
from tersely.system.files import replacing


class FileInfo(NamedTuple):
    """What is known of a path without reading it. `version` changes with the content."""

    kind: str  # file, folder, stream, which can be read only once, or missing: a link to nothing
    size: int
    version: str


_MISSING = FileInfo("missing", 0, "")


class LocalFiles:
    """The files of this machine."""

    def info(self, path: str) -> FileInfo | None:
        """What a path is; None if there is nothing."""
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        kind = "folder" if stat.S_ISDIR(found.st_mode) else "file" if stat.S_ISREG(found.st_mode) else "stream"
        return FileInfo(kind, found.st_size, f"{found.st_size} bytes of {found.st_mtime_ns}, {found.st_ctime_ns}")

    def glob(self, pattern: str) -> dict[str, FileInfo]:
        """What matches a pattern, in which ** stands for any number of folders."""
        return {path: self.info(path) or _MISSING for path in glob.glob(pattern, recursive=True)}

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder; none if there is no such folder."""
        with suppress(FileNotFoundError):
            return [entry.name for entry in os.scandir(folder) if entry.is_file()]
        return []

    def walk(self, folder: str) -> dict[str, FileInfo]:
        """All files in a folder and its subfolders."""
        found = os.walk(folder, onerror=_raise)  # by itself it would leave out a folder that it may not read
        paths = [os.path.join(where, name) for where, _, names in found for name in names]
        return {path: self.info(path) or _MISSING for path in paths}

    def open(self, path: str) -> IO[bytes]:
        return open(path, "rb")

    def replacing(self, path: str, draft: str) -> AbstractContextManager[IO[bytes]]:
        """A stream whose content is at `path` when the block ends without an error; until then it is in `draft`."""
        return replacing(Path(path), Path(draft))

    def delete(self, path: str) -> None:
        """Delete a file, or a folder if it is empty."""
        with suppress(OSError):
            (os.rmdir if os.path.isdir(path) else os.unlink)(path)


def _raise(error: OSError) -> None:
    raise error


class RemoteFiles:
    """The files of an fsspec file system, with the methods of `LocalFiles`."""

    def __init__(self, filesystem: Any) -> None:
        self._fs = filesystem

    def info(self, path: str) -> FileInfo | None:
        with _access(path), suppress(FileNotFoundError):
            return _remote_info(self._fs.info(path))
        return None

    def glob(self, pattern: str) -> dict[str, FileInfo]:
        with _access(pattern):
            return {path: _remote_info(found) for path, found in self._fs.glob(pattern, detail=True).items()}

    def names(self, folder: str) -> list[str]:
        with _access(folder), suppress(FileNotFoundError):
            found = self._fs.ls(folder, detail=True)
            return [os.path.basename(one["name"]) for one in found if one["type"] == "file"]
        return []

    def walk(self, folder: str) -> dict[str, FileInfo]:
        with _access(folder):
            return {path: _remote_info(found) for path, found in self._fs.find(folder, detail=True).items()}

    def open(self, path: str) -> IO[bytes]:
        with _access(path):
            return self._fs.open(path, "rb")  # type: ignore[no-any-return]

    @contextmanager
    def replacing(self, path: str, draft: str) -> Iterator[IO[bytes]]:
        """Without the draft: a store shows a file only when it is complete."""
        with _access(path):
            self._fs.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                with self._fs.open(path, "wb") as stream:
                    yield stream
            except BaseException:
                self.delete(path)
                raise

    def delete(self, path: str) -> None:
        with suppress(OSError):
            if self._fs.isfile(path):
                self._fs.rm_file(path)
            elif not self._fs.ls(path):
                self._fs.rmdir(path)


def _remote_info(found: Mapping[str, Any]) -> FileInfo:
    """Stores differ in what they say of a file, but all of it changes only with the file."""
    version = hashlib.sha256(repr(sorted(found.items())).encode("utf-8", "replace")).hexdigest()
    return FileInfo("folder" if found["type"] == "directory" else "file", found["size"] or 0, version)


Files = LocalFiles | RemoteFiles


def locate(url: str) -> tuple[Files, str]:
    """The file system of a URL or a path, and the path in it, without a slash at the end."""
    if "://" not in url:
        return LocalFiles(), url.rstrip("/") or url
    scheme, _, rest = url.partition("://")
    start = fixed_part(rest)
    files, path = _remote(f"{scheme}://{start}")
    return files, (path + rest[len(start) :]).rstrip("/")


@cache
def _remote(url: str) -> tuple[RemoteFiles, str]:
    """By Arrow, which has drivers for the common stores, or else by a package for fsspec."""
    try:
        import fsspec
        from fsspec.implementations.arrow import ArrowFSWrapper
        from pyarrow import fs
    except ImportError:
        raise missing_extra("batch", "pyarrow and fsspec") from None
    with _access(url):
        try:
            filesystem, path = fs.FileSystem.from_uri(url)
            filesystem = ArrowFSWrapper(filesystem)
        except Exception as error:
            if "scheme" not in str(error).lower():
                raise
            filesystem, path = fsspec.core.url_to_fs(url)
    return RemoteFiles(filesystem), path.rstrip("/")


def fixed_part(pattern: str) -> str:
    """The folders of a pattern before its first wildcard; a path without wildcards is a folder.

    >>> fixed_part("news/2026-0?/*.csv"), fixed_part("*.csv"), fixed_part("news")
    ('news', '', 'news')
    """
    wildcard = re.search(r"[*?[]", pattern)
    return pattern[: wildcard.start()].rpartition("/")[0] if wildcard else pattern


@contextmanager
def _access(url: str) -> Iterator[None]:
    """Turn a failure of a file system into a one-line error that names the path."""
    try:
        yield
    except TerselyError:
        raise
    except Exception as error:  # a file system of fsspec may raise anything
        first = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
        raise FileError(f"cannot access {url}: {first}") from None
