"""Stage 0: text files read, and files and folders written so that a failure leaves what was there.

What is written is made beside its final name and renamed when it is complete: after a full disk or a kill there is the
old content or the new, never a half.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, Any

from tersely.errors import FileError, InputError


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A stream whose content takes the place of `path` when the block ends without an error.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers"
    >>> with replacing(path) as stream:
    ...     _ = stream.write(b"1 2 3")
    >>> path.read_bytes()
    b'1 2 3'
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
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
    """Write a UTF-8 file, whole or not at all."""
    with replacing(path) as stream:
        stream.write(text.encode())


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """An empty folder whose content takes the place of `folder` when the block ends without an error."""
    import shutil  # here and not above: a summary has no use for them, and they take a while to import
    import tempfile

    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    draft, old = work / "new", work / "old"
    try:
        draft.mkdir()
        yield draft
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


PACKINGS = (".gz", ".xz", ".zst")


def is_packed(path: Path) -> bool:
    """Whether a file is unpacked when it is read: its name ends in `.gz`, `.xz` or `.zst`."""
    return path.suffix in PACKINGS


@contextmanager
def reading(path: Path, packing: str | None = None) -> Iterator[IO[bytes]]:
    """The content of a file, unpacked if it is packed; a failure within the block is a FileError with its name.

    `packing`, a suffix or "", says how it is packed where its name does not.
    """
    with unpacking(partial(open, path, "rb"), path.suffix if packing is None else packing, str(path)) as stream:
        yield stream


@contextmanager
def unpacking(opened: Callable[[], Any], packing: str, name: str) -> Iterator[IO[bytes]]:
    """The same of any stream, given by what opens it, and closed with the block."""
    unpack: Callable[[Any], Any] = nullcontext
    failures: tuple[type[Exception], ...] = (OSError,)
    if packing in PACKINGS:
        import gzip  # here and not above: they take a while to import
        import lzma
        import zlib

        from tersely.zst import unpack_zst

        unpackers: dict[str, Callable[[Any], Any]] = {".gz": gzip.open, ".xz": lzma.open, ".zst": unpack_zst}
        unpack = unpackers[packing]
        failures = (OSError, EOFError, lzma.LZMAError, zlib.error)
    try:
        with opened() as raw, unpack(raw) as stream:
            yield stream
    except failures as error:
        raise FileError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def packing(stream: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    """A stream whose content is packed into another as the suffix says; with any other suffix it is that one.

    The same content always gives the same bytes: no name and no time is stored.
    """
    if suffix not in PACKINGS:
        yield stream
        return
    import gzip
    import lzma

    from tersely.zst import pack_zst

    packers: dict[str, Callable[[], Any]] = {
        ".gz": partial(gzip.GzipFile, "", "wb", 6, stream, mtime=0),
        ".xz": partial(lzma.LZMAFile, stream, "wb"),
        ".zst": partial(pack_zst, stream),
    }
    with packers[suffix]() as packed:
        yield packed


def packed_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file as bytes, each with its newline; unpacked if it is packed."""
    with reading(path) as stream:
        yield from stream


def decoded_lines(stream: IO[bytes], most: int, too_long: str) -> Iterator[tuple[str, InputError | None]]:
    """The lines of a UTF-8 stream as they come in, newlines included, each with what is wrong with it.

    What is no UTF-8 is replaced, and a line of more than `most` bytes is left out, so that it costs no memory. A pipe
    is not read ahead.

    >>> import io
    >>> list(decoded_lines(io.BytesIO(b"one\\nt\\xffwo"), 100, "too long"))
    [('one\\n', None), ('t\ufffdwo', InputError('not valid UTF-8 (byte 2)'))]
    """
    encoding = "utf-8-sig"  # some programs begin a file with a mark
    while raw := stream.readline(most):
        if len(raw) == most and not raw.endswith(b"\n"):
            while (rest := stream.readline(most)) and not rest.endswith(b"\n"):
                pass
            yield "\n", InputError(too_long)
            continue
        try:
            yield raw.decode(encoding), None
        except UnicodeDecodeError as error:
            yield raw.decode(encoding, "replace"), InputError(f"not valid UTF-8 (byte {error.start + 1})")
        encoding = "utf-8"


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, ended by newlines alone: a text may well contain U+2028 or a form feed."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    lines = raw.removesuffix(b"\n").split(b"\n") if raw else []
    decoded = []
    for number, line in enumerate(lines, start=1):
        try:
            decoded.append(line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\r"))
        except UnicodeDecodeError as error:
            seen = f"byte 0x{line[error.start]:02x} at column {error.start + 1}"
            raise InputError(f"{path}, line {number}: not UTF-8 ({seen}); convert the file first") from None
    return decoded
