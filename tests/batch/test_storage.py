"""Files by path and by URL: what is found, what is written, and errors."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tersely.batch.formats import FileType
from tersely.batch.paths import find_inputs
from tersely.batch.row_blocks import TableSettings
from tersely.batch.storage import locate
from tersely.errors import FileError, InputError

SCHEMES = ["", "file://", "local://"]  # a path, Arrow's, and one that only fsspec knows


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.csv", "b/c.csv", "b/d/e.csv", "b/notes.md", "_SUCCESS", "_run/f.csv", ".g.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text,n\nship ran aground,1\n")
    return tmp_path


@pytest.mark.parametrize("scheme", SCHEMES)
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
    found = find_inputs([f"{scheme}{tree}{where}"])
    assert [one.relative for one in found] == names
    with found[0].open(TableSettings()) as reader:
        assert reader.columns == ["text", "n"]
        assert list(reader.read(10).texts) == ["ship ran aground"]


def test_several_inputs(tree: Path) -> None:
    found = find_inputs([str(tree / "b"), str(tree / "a.csv"), str(tree / "a.*")])
    assert [one.relative for one in found] == ["b/c.csv", "b/d/e.csv", "a.csv"]
    with pytest.raises(InputError, match="together with files"):
        find_inputs(["-", str(tree)])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_compressed_files_and_parquet(tmp_path: Path, scheme: str) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"text": "ship"}\n'))
    pq.write_table(pa.table({"text": ["port"]}), tmp_path / "b.parquet")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b'{"text": "ship"}\n')[:-9])
    (tmp_path / "d.parquet").write_bytes(b"PAR1")
    first, second, cut, damaged = find_inputs([f"{scheme}{tmp_path}"])
    for one, text in ((first, "ship"), (second, "port")):
        with one.open(TableSettings()) as reader:
            assert list(reader.read(10).texts) == [text]
    for one in (cut, damaged):
        with pytest.raises(FileError, match=f"cannot read {one.path}: "), one.open(TableSettings()) as reader:
            reader.read(10)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_file_is_written_as_a_whole_and_deleted(tmp_path: Path, scheme: str) -> None:
    files, folder = locate(f"{scheme}{tmp_path}/out/")
    assert (files.names(folder), files.info(folder)) == ([], None)
    (tmp_path / "out").mkdir()
    for content in (b"abc", b"abcd"):
        with files.replacing(f"{folder}/a", f"{folder}/draft") as stream:
            stream.write(content)
    assert files.names(folder) == ["a"]
    info = files.info(f"{folder}/a")
    assert info is not None
    assert (info.kind, info.size) == ("file", 4)
    (tmp_path / "out" / "a").write_bytes(b"abcde")
    assert info.version != files.info(f"{folder}/a").version  # type: ignore[union-attr]
    with files.open(f"{folder}/a") as opened:
        assert opened.read() == b"abcde"
    files.delete(folder)  # there is something in it
    assert files.names(folder) == ["a"]
    for path in (f"{folder}/a", folder, f"{folder}/nothing"):
        files.delete(path)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("{}/nowhere.csv", "no such file: "),
        ("{}/no*.csv", "there is nothing to read in "),
        ("{}/b/notes.md", "unknown format of .*notes.md: .* --from"),
        ("{}/b/*.md", "unknown format of .*notes.md: .* --from"),
        ("nosuch://bucket/a.csv", "cannot access nosuch://bucket/a.csv: "),
        ("-", "--from"),
    ],
)
def test_errors(tree: Path, where: str, message: str) -> None:
    with pytest.raises((FileError, InputError), match=message):
        find_inputs([where.format(tree)])


def test_an_option_gives_the_format_if_the_suffix_does_not(tree: Path) -> None:
    (one,) = find_inputs([str(tree / "b" / "notes.md")], FileType("csv"))
    assert one.file_type == FileType("csv")
