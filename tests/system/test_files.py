from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tersely.errors import FileError
from tersely.system.files import replacing


def overwrite(path: Path, number: int = 1) -> None:
    with replacing(path) as stream:
        stream.write(b"new")
        stream.write(b"%d" % (1 // number))


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "good"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError, match="No space left on device; what was there before is intact"):
        overwrite(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_any_error_inside_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "good"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        overwrite(path, number=0)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    overwrite(path)
    assert path.read_bytes() == b"new1"
