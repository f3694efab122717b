"""Stage 0: text files are read, and files and folders are replaced as a whole.

New content is written beside the final name and renamed when it is complete: after a full disk or a kill there is the
old content or the new, never a mixture.
"""

from __future__ import annotations

import codecs
import contextlib
import importlib
import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, Any

from tersely.errors import FileError, InputError, missing_extra

# The encoding that each says.
BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
COMPRESSIONS = (".gz", ".xz", ".zst")
_INVALID = re.compile("[\ud800-\udfff]")  # what decoders make of invalid bytes


@contextmanager
def replacing(path: Path, draft: Path | None = None) -> Iterator[IO[bytes]]:
    """A stream whose content replaces `path` when the block ends without an error; until then it is in `draft`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers"
    >>> with replacing(path) as stream:
    ...     _ = stream.write(b"1 2 3")
    >>> path.read_bytes()
    b'1 2 3'
    """
    partial = draft or path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}; what was there before is intact") from error
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file as a whole: a failure leaves the old one. Of names that are not UTF-8 a "?" is written."""
    with replacing(path) as stream:
        stream.write(text.encode(errors="replace"))


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """An empty folder whose content replaces `folder` when the block ends without an error."""
    import shutil  # here and not above: a summary does not need them, and they take a while to import
    import tempfile

    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    draft, old = work / "new", work / "old"
    try:
        draft.mkdir()
        yield draft
        if folder.exists() and _exchange(draft, folder):
            return
        if folder.exists():
            folder.rename(old)
        try:
            draft.rename(folder)
        except BaseException:
            if old.exists():
                old.rename(folder)
            raise
    finally:
        if folder.exists() or not old.exists():
            shutil.rmtree(work, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, so that neither is missing if the process is killed; False if that fails.

    Linux and macOS can do this, but not all of their file systems.
    """
    if os.name != "posix":
        return False
    import ctypes

    system, (a, b), swap = ctypes.CDLL(None), map(os.fsencode, (one, other)), 2
    if hasattr(system, "renameat2"):
        return bool(system.renameat2(-100, a, -100, b, swap) == 0)  # -100: paths are relative to the current folder
    return bool(hasattr(system, "renamex_np") and system.renamex_np(a, b, swap) == 0)


def _codec(suffix: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any], tuple[type[Exception], ...]]:
    """What decompresses a stream, what compresses one, and what is raised for damaged content.

    The same content always gives the same bytes: no name and no time is stored.
    """
    if suffix == ".gz":
        import gzip  # here and not above: these modules take a while to import
        import zlib

        return gzip.open, lambda raw: gzip.GzipFile("", "wb", 6, raw, mtime=0), (OSError, EOFError, zlib.error)
    if suffix == ".xz":
        import lzma

        return lzma.open, lambda raw: lzma.open(raw, "wb"), (OSError, EOFError, lzma.LZMAError)
    if suffix == ".zst":
        zstd = _zstd()
        return zstd.open, lambda raw: zstd.open(raw, "wb"), (OSError, EOFError, zstd.ZstdError)
    return nullcontext, nullcontext, (OSError,)


def _zstd() -> Any:
    """The module for Zstandard: in the standard library since Python 3.14, before that in the extra `batch`."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("compression.zstd")
    try:
        return importlib.import_module("backports.zstd")
    except ImportError:
        raise missing_extra("batch", "backports.zstd") from None


@contextmanager
def decompressing(open_file: Callable[[], Any], suffix: str, name: str) -> Iterator[IO[bytes]]:
    """The content of the file that `open_file` opens, decompressed as the suffix says; closed at the end of the block.

    A failure to read within the block is a FileError with the name.
    """
    decompress, _, failures = _codec(suffix)
    try:
        with open_file() as raw, decompress(raw) as stream:
            yield stream
    except failures as error:
        raise FileError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


def reading(path: Path, compression: str | None = None) -> AbstractContextManager[IO[bytes]]:
    """The content of a file, decompressed as its name says, or as `compression`, a suffix or "", says."""
    return decompressing(partial(open, path, "rb"), path.suffix if compression is None else compression, str(path))


@contextmanager
def compressing(stream: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    """A stream that compresses into another as the suffix says; with any other suffix, that stream itself."""
    with _codec(suffix)[1](stream) as compressed:  # not before the block begins: gzip writes its header at once
        yield compressed


def iter_byte_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file as bytes, each with its newline; a compressed file is decompressed."""
    with reading(path) as stream:
        yield from stream


def decoded_lines(
    stream: IO[bytes], max_chars: int = -1, too_long: str = "", encoding: str = "utf-8"
) -> Iterator[tuple[str, InputError | None]]:
    """The lines of a stream as they come in, newlines included, each with its problem, if any.

    Invalid bytes become lone surrogates (`surrogateescape`), so that they can be written as they were. A line of more
    than `max_chars` is left out, so that it costs no memory. A pipe is not read ahead.

    >>> import io
    >>> list(decoded_lines(io.BytesIO(b"one\\nt\\xffwo")))
    [('one\\n', None), ('t\\udcffwo', InputError('not valid UTF-8 (byte 2)'))]
    """
    # Some programs begin a file with a byte order mark.
    codec, name = ("utf-8-sig", "UTF-8") if encoding == "utf-8" else (encoding, encoding)
    text = io.TextIOWrapper(stream, codec, "surrogateescape", newline="\n")
    try:
        while line := text.readline(max_chars):
            if len(line) == max_chars and not line.endswith("\n"):
                while (rest := text.readline(max_chars)) and not rest.endswith("\n"):
                    pass
                yield "\n", InputError(too_long)
            elif line.isascii() or (bad := _INVALID.search(line)) is None:
                yield line, None
            else:
                place = len(line[: bad.start()].encode(encoding, "surrogateescape")) + 1
                yield line, InputError(f"not valid {name} (byte {place})")
    except UnicodeDecodeError as error:  # in UTF-16 the bytes after a bad one are lost as well
        raise InputError(f"not valid {name}: {error.reason}") from None
    finally:
        with contextlib.suppress(ValueError):  # it is closed already
            text.detach()  # whoever opened the stream closes it


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, ended by newlines alone: a text may well contain U+2028 or a form feed."""
    lines = []
    with reading(path) as stream:
        for number, (line, problem) in enumerate(decoded_lines(stream), start=1):
            if problem is not None:
                raise InputError(f"{path}, line {number}: {problem}; convert the file first")
            lines.append(line.removesuffix("\n").removesuffix("\r"))
    return lines
