"""Zstandard files: several frames, and truncated files."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import zstandard

from tersely.errors import FileError, MissingExtra
from tersely.system.files import compressing, reading

LINES = [f"line {number}\n".encode() for number in range(50_000)]


def test_all_frames_are_read(tmp_path: Path) -> None:
    compress = zstandard.ZstdCompressor().compress
    (tmp_path / "a.zst").write_bytes(
        compress(b"".join(LINES[:30_000])) + compress(b"") + compress(b"".join(LINES[30_000:]))
    )
    with reading(tmp_path / "a.zst") as stream:
        assert stream.readlines() == LINES


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst", ".txt"])
def test_compressed_and_decompressed(suffix: str, tmp_path: Path) -> None:
    contents = []
    for _ in range(2):
        raw = io.BytesIO()
        with compressing(raw, suffix) as stream:
            stream.write(b"".join(LINES))
        contents.append(raw.getvalue())
    assert contents[0] == contents[1]
    (tmp_path / f"a{suffix}").write_bytes(contents[0])
    with reading(tmp_path / f"a{suffix}") as stream:
        assert stream.readlines() == LINES
    with reading(tmp_path / f"a{suffix}", "") as stream:
        assert stream.read() == contents[0]


def test_a_file_that_is_truncated_or_something_else(tmp_path: Path) -> None:
    content = zstandard.ZstdCompressor().compress(b"".join(LINES))
    for end in (-5, 3):
        (tmp_path / "a.zst").write_bytes(content[:end])
        with pytest.raises(FileError, match="ended before"), reading(tmp_path / "a.zst") as stream:
            stream.read()
    (tmp_path / "a.zst").write_bytes(b"plain text")
    with pytest.raises(FileError, match="cannot read"), reading(tmp_path / "a.zst") as stream:
        stream.read()


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.zst").write_bytes(b"")
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'tersely\[batch\]'"), reading(tmp_path / "a.zst"):
        pass
