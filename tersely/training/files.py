"""Beside the flow: writing a file so that nothing good is lost when the disk fills up or the process is killed.

A file is written beside its final name, flushed to the disk and renamed: readers see the old file or the new one,
never a half.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tersely.errors import FileError


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
