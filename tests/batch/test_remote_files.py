"""Remote files: what IN means, errors, and a folder to write to."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tersely.batch.formats import FileType
from tersely.batch.remote_files import RemoteFolder, find_remote
from tersely.batch.row_blocks import TableSettings
from tersely.errors import FileError, InputError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.csv", "b/c.csv", "b/d/e.csv", "b/notes.md", "_SUCCESS", "_run/f.csv", ".g.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text,n\nship ran aground,1\n")
    return tmp_path


@pytest.mark.parametrize("scheme", ["", "file://", "local://"])  # a path, Arrow's, and one that only fsspec knows
@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("", ["a.csv", "b/c.csv", "b/d/e.csv"]),
        ("/a.csv", ["a.csv"]),
        ("/*.csv", ["a.csv"]),
        ("/b/*.csv", ["c.csv"]),
        ("/**/*.csv", ["a.csv", "b/c.csv", "b/d/e.csv"]),
        ("/?/c.csv", ["b/c.csv"]),
    ],
)
def test_what_in_means(tree: Path, scheme: str, where: str, names: list[str]) -> None:
    found = find_remote(f"{scheme}{tree}{where}")
    assert [one.name for one in found] == names
    with found[0].open(TableSettings()) as reader:
        assert reader.columns == ["text", "n"]
        assert list(reader.read(10).texts) == ["ship ran aground"]


def test_compressed_files_and_parquet(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"text": "ship"}\n'))
    pq.write_table(pa.table({"text": ["port"]}), tmp_path / "b.parquet")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b'{"text": "ship"}\n')[:-9])
    (tmp_path / "d.parquet").write_bytes(b"PAR1")
    first, second, cut, damaged = find_remote(str(tmp_path))
    for one, text in ((first, "ship"), (second, "port")):
        with one.open(TableSettings()) as reader:
            assert list(reader.read(10).texts) == [text]
    for one in (cut, damaged):
        with pytest.raises(FileError, match=f"cannot read {one.path}: "), one.open(TableSettings()) as reader:
            reader.read(10)


def test_a_file_that_changes_has_another_version(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ship")
    versions = [find_remote(str(tmp_path))[0].version]
    (tmp_path / "a.txt").write_text("ships")
    versions.append(find_remote(str(tmp_path))[0].version)
    assert versions[0] != versions[1]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("{}/nowhere.csv", "no such file: "),
        ("{}/no*.csv", "there is nothing to read in "),
        ("{}/b/notes.md", "unknown format of .*notes.md: .* --from"),
        ("-", "Ray reads and writes files: - works only"),
        ("nosuch://bucket/a.csv", "cannot access nosuch://bucket/a.csv: "),
    ],
)
def test_errors(tree: Path, where: str, message: str) -> None:
    with pytest.raises((FileError, InputError), match=message):
        find_remote(where.format(tree))


def test_an_option_gives_the_format_if_the_suffix_does_not(tree: Path) -> None:
    (one,) = find_remote(str(tree / "b" / "notes.md"), FileType("csv"))
    assert one.file_type == FileType("csv")


def test_a_folder_is_written_and_read(tmp_path: Path) -> None:
    folder = RemoteFolder(str(tmp_path / "out"))
    folder.write("a", b"abc")
    folder.write_json("_run/b.json", {"é": 1})
    assert (folder.sizes(), folder.sizes("_run")) == ({"a": 3}, {"b.json": 13})
    assert (folder.read_json("_run/b.json"), folder.read_json("nothing"), folder.read_json("a")) == (
        {"é": 1},
        None,
        None,
    )
    for name in ("a", "_run", "nothing"):
        folder.delete(name)
    assert list((tmp_path / "out").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is a file: with Ray, OUT is a folder"):
        RemoteFolder(str(tmp_path / "file"))
    with pytest.raises(FileError, match="no such folder: "):
        RemoteFolder(str(tmp_path / "no" / "out"))
