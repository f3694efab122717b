from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.errors import FileError
from tersely.system.files import replacing, replacing_folder


def overwrite(path: Path, number: int = 1) -> None:
    with replacing(path) as stream:
        stream.write(b"new")
        stream.write(b"%d" % (1 // number))


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "good"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ZeroDivisionError):
        overwrite(path, number=0)
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(FileError, match="No space left on device; what was there before is intact"):
            overwrite(path)
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])
    overwrite(path)
    assert path.read_bytes() == b"new1"


_KILLED = """
import os, sys
from pathlib import Path
from tersely.system.files import replacing_folder
rename = Path.rename
def die(self, target):
    rename(self, target)
    os._exit(9)
Path.rename = die
with replacing_folder(Path(sys.argv[1])) as draft:
    (draft / "new").touch()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="not every system can exchange two folders")
def test_a_kill_between_two_renames_leaves_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "old").touch()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", _KILLED, str(folder)], env=environment)
    assert len(list(folder.iterdir())) == 1


def test_a_folder_is_replaced_where_two_cannot_be_exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.system.files._exchange", lambda one, other: False)
    for name in ("old", "new"):
        with replacing_folder(tmp_path / "bundle") as draft:
            (draft / name).touch()
    assert [file.name for file in tmp_path.rglob("*")] == ["bundle", "new"]
