"""Zstandard files: several frames, and files that were cut off."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import zstandard

from tersely.errors import FileError, MissingExtra
from tersely.files import packing, reading

LINES = [f"line {number}\n".encode() for number in range(50_000)]


def test_all_frames_are_read(tmp_path: Path) -> None:
    pack = zstandard.ZstdCompressor().compress
    (tmp_path / "a.zst").write_bytes(pack(b"".join(LINES[:30_000])) + pack(b"") + pack(b"".join(LINES[30_000:])))
    with reading(tmp_path / "a.zst") as stream:
        assert stream.readlines() == LINES


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst", ".txt"])
def test_packed_and_unpacked(suffix: str, tmp_path: Path) -> None:
    contents = []
    for _ in range(2):
        raw = io.BytesIO()
        with packing(raw, suffix) as stream:
            stream.write(b"".join(LINES))
        contents.append(raw.getvalue())
    assert contents[0] == contents[1]
    (tmp_path / f"a{suffix}").write_bytes(contents[0])
    with reading(tmp_path / f"a{suffix}") as stream:
        assert stream.readlines() == LINES
    with reading(tmp_path / f"a{suffix}", "") as stream:
        assert stream.read() == contents[0]


def test_a_file_that_was_cut_off_or_is_something_else(tmp_path: Path) -> None:
    content = zstandard.ZstdCompressor().compress(b"".join(LINES))
    for end, message in ((-5, "it was cut off"), (3, "it was cut off")):
        (tmp_path / "a.zst").write_bytes(content[:end])
        with pytest.raises(FileError, match=message), reading(tmp_path / "a.zst") as stream:
            stream.read()
    (tmp_path / "a.zst").write_bytes(b"plain text")
    with pytest.raises(FileError, match="not a zst file"), reading(tmp_path / "a.zst") as stream:
        stream.read()


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.zst").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tersely\[batch\]'"), reading(tmp_path / "a.zst"):
        pass
