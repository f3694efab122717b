"""Stage 0: Zstandard streams, by pyarrow, which is in the extra `batch`.

It reads files of several frames, and notices a truncated file.
"""

from __future__ import annotations

import io
from typing import IO, Any

from tersely.errors import missing_extra

try:
    import pyarrow as pa
except ImportError:
    raise missing_extra("batch", "pyarrow") from None


def decompress_zst(stream: IO[bytes]) -> IO[bytes]:
    """The decompressed content of a stream; closing one closes the other."""
    return io.BufferedReader(pa.CompressedInputStream(stream, "zstd"), 1 << 16)


def compress_zst(stream: IO[bytes]) -> Any:
    """A stream that compresses what is written to it into another stream, which it leaves open."""
    return pa.CompressedOutputStream(_KeepOpen(stream), "zstd")


class _KeepOpen(io.RawIOBase):
    """A stream that is not closed with the one that compresses into it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return self._stream.write(content)

    def flush(self) -> None:
        self._stream.flush()
