"""Files by path: those of this machine, and, by Arrow or fsspec, those behind URLs (s3://, gs://, hdfs:// ...)."""

from __future__ import annotations

import fnmatch
import glob
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from tersely.errors import FileError, TerselyError, missing_extra
from tersely.system.files import replacing


class FileInfo(NamedTuple):
    """What is known of a path without reading it. `version` changes with the content."""

    kind: str  # file, folder, or stream, which can be read only once
    size: int
    version: str


class LocalFiles:
    """The files of this machine."""

    def info(self, path: str) -> FileInfo | None:
        """What a path is; None if there is nothing."""
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        kind = "folder" if stat.S_ISDIR(found.st_mode) else "file" if stat.S_ISREG(found.st_mode) else "stream"
        return FileInfo(kind, found.st_size, f"{found.st_size} bytes of {found.st_mtime_ns}")

    def glob(self, pattern: str) -> list[str]:
        """The paths that match a pattern, in which ** stands for any number of folders."""
        return glob.glob(pattern, recursive=True)

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder; none if there is no such folder."""
        with suppress(FileNotFoundError):
            return [entry.name for entry in os.scandir(folder) if entry.is_file()]
        return []

    def walk(self, folder: str) -> list[str]:
        """The paths of all files in a folder and its subfolders."""
        return [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]

    def open(self, path: str) -> IO[bytes]:
        return open(path, "rb")

    def replacing(self, path: str, draft: str) -> AbstractContextManager[IO[bytes]]:
        """A stream whose content is at `path` when the block ends without an error; until then it is in `draft`."""
        return replacing(Path(path), Path(draft))

    def delete(self, path: str) -> None:
        """Delete a file, or a folder if it is empty."""
        with suppress(OSError):
            (os.rmdir if os.path.isdir(path) else os.unlink)(path)


class RemoteFiles:
    """The files of an Arrow file system, with the methods of `LocalFiles`."""

    def __init__(self, filesystem: Any) -> None:
        self._fs = filesystem

    def info(self, path: str) -> FileInfo | None:
        with _access(path):
            found = self._fs.get_file_info(path)
        if found.type.name not in ("File", "Directory"):
            return None
        kind = "file" if found.is_file else "folder"
        return FileInfo(kind, found.size or 0, f"{found.size} bytes of {found.mtime_ns or found.mtime}")

    def glob(self, pattern: str) -> list[str]:
        return [path for path in self.walk(fixed_part(pattern)) if _matches(path.split("/"), pattern.split("/"))]

    def names(self, folder: str) -> list[str]:
        return [os.path.basename(path) for path in self._list(folder, recursive=False)]

    def walk(self, folder: str) -> list[str]:
        return self._list(folder, recursive=True)

    def _list(self, folder: str, recursive: bool) -> list[str]:
        from pyarrow.fs import FileSelector

        with _access(folder):
            selector = FileSelector(folder, recursive=recursive, allow_not_found=True)
            return [found.path for found in self._fs.get_file_info(selector) if found.is_file]

    def open(self, path: str) -> IO[bytes]:
        with _access(path):
            return io.BufferedReader(self._fs.open_input_file(path), 1 << 20)

    @contextmanager
    def replacing(self, path: str, draft: str) -> Iterator[IO[bytes]]:
        """Without the draft: a store shows a file only when it is complete."""
        with _access(path):
            self._fs.create_dir(os.path.dirname(path), recursive=True)
            try:
                with self._fs.open_output_stream(path, compression=None) as stream:
                    yield stream
            except BaseException:
                self.delete(path)
                raise

    def delete(self, path: str) -> None:
        with suppress(OSError):
            if self._fs.get_file_info(path).is_file:
                self._fs.delete_file(path)
            elif not self.walk(path):
                self._fs.delete_dir(path)


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
    try:
        from pyarrow import fs
    except ImportError:
        raise missing_extra("batch", "pyarrow") from None
    with _access(url):
        try:
            filesystem, path = fs.FileSystem.from_uri(url)
        except Exception as error:
            if "scheme" not in str(error).lower():
                raise
            import fsspec  # comes with ray[data]

            other, path = fsspec.core.url_to_fs(url)
            filesystem = fs.PyFileSystem(fs.FSSpecHandler(other))
    return RemoteFiles(filesystem), path.rstrip("/")


def fixed_part(pattern: str) -> str:
    """The folders of a pattern before its first wildcard; a path without wildcards is a folder.

    >>> fixed_part("news/2026-0?/*.csv"), fixed_part("*.csv"), fixed_part("news")
    ('news', '', 'news')
    """
    wildcard = re.search(r"[*?[]", pattern)
    return pattern[: wildcard.start()].rpartition("/")[0] if wildcard else pattern


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
