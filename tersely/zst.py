"""Stage 0: Zstandard files, by the package `zstandard`, which the extra `batch` brings.

Its own reader stops after the first of several frames, and takes a file that was cut off for a whole one. Here all
frames are read, and a cut is an error.
"""

from __future__ import annotations

import io
from typing import IO, Any

from tersely.errors import missing_extra

_BLOCK = 1 << 16


def unpack_zst(stream: IO[bytes]) -> IO[bytes]:
    """The unpacked content of a stream; closing the one closes the other."""
    _zstandard()
    return io.BufferedReader(_Frames(stream), _BLOCK)


def pack_zst(stream: IO[bytes]) -> Any:
    """A stream that packs what is written to it into another one, which it leaves open."""
    return _zstandard().ZstdCompressor(level=3).stream_writer(stream, closefd=False)


class _Frames(io.RawIOBase):
    """All frames of a stream, one after the other."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._unpacker: Any = None  # of the frame that is being read
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        while not self._ready:
            raw = self._stream.read(_BLOCK)
            if not raw:
                if self._unpacker is not None:
                    raise EOFError("the file ends in the middle of a frame, it was cut off")
                return 0
            self._ready = self._unpack(raw)
        size = min(len(view), len(self._ready))
        view[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _unpack(self, raw: bytes) -> bytes:
        zstandard, parts = _zstandard(), []
        try:
            while raw:
                self._unpacker = self._unpacker or zstandard.ZstdDecompressor().decompressobj()
                parts.append(self._unpacker.decompress(raw))
                if not self._unpacker.eof:
                    break
                raw, self._unpacker = self._unpacker.unused_data, None
        except zstandard.ZstdError as error:
            raise OSError(f"not a zst file, or damaged ({error})") from None
        return b"".join(parts)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise missing_extra("batch", "zstandard") from None
    return zstandard
