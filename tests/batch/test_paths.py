"""IN and OUT as files: suffixes, folders, patterns, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tersely.batch.formats import FileType
from tersely.batch.paths import Output, find_inputs, find_outputs
from tersely.errors import InputError


@pytest.mark.parametrize(
    ("name", "file_type"),
    [
        ("a.csv", FileType("csv")),
        ("b/a.b.TSV", FileType("tsv")),
        ("a.ndjson.zst", FileType("jsonl", ".zst")),
        ("a.txt.gz", FileType("txt", ".gz")),
        ("a.parquet", FileType("parquet")),
        ("a.parquet.gz", None),
        ("a.json", None),
        ("gz", None),
        ("a.gz", None),
    ],
)
def test_the_type_of_a_path(name: str, file_type: FileType | None) -> None:
    assert FileType.of(name) == file_type


def test_a_type_as_an_option() -> None:
    assert FileType.parse("jsonl.gz") == FileType("jsonl", ".gz")
    with pytest.raises(InputError, match=r"unknown format 'xml': expected one of txt, csv"):
        FileType.parse("xml")


@pytest.mark.parametrize(
    ("before", "after"), [("a.csv.gz", "a.jsonl.zst"), ("a.b.csv", "a.b.jsonl.zst"), ("x/a", "x/a.jsonl.zst")]
)
def test_a_path_with_another_type(before: str, after: str) -> None:
    assert FileType("jsonl", ".zst").renamed(before) == after


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names = ["b.csv", "a.csv", "day=1/c.csv", "day=2/c.csv", "notes.md", "_SUCCESS", ".a.csv.crc", "_run/x.csv"]
    for name in names:
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text("text\nship\n")
    return tmp_path


def relative(found: list[Output], root: Path) -> list[str]:
    return [Path(str(one.path)).relative_to(root).as_posix() for one in found]


def outputs(where: object, source: object, file_type: FileType | None = None) -> list[Output]:
    return find_outputs(str(where), [str(source)], find_inputs([str(source)]), file_type)


def test_a_folder_is_all_that_it_holds(folder: Path) -> None:
    source, out = folder / "in", folder / "out"
    assert len(outputs(folder / "all.csv", source)) == 1
    assert relative(outputs(out, source), out) == ["a.csv", "b.csv", "day=1/c.csv", "day=2/c.csv"]
    assert relative(outputs(out, source, FileType("parquet")), out)[2:] == ["day=1/c.parquet", "day=2/c.parquet"]


def test_one_file(folder: Path) -> None:
    source = folder / "in" / "a.csv"
    assert [one.path for one in outputs(folder / "x.jsonl", source)] == [str(folder / "x.jsonl")]
    assert [one.path for one in outputs(f"{folder}/out/", source)] == [str(folder / "out" / "a.csv")]
    assert [one.path for one in outputs(folder, source)] == [str(folder / "a.csv")]
    assert outputs(folder / "x", source, FileType("csv"))[0].path == str(folder / "x")
    with pytest.raises(InputError, match="unknown format of"):
        outputs(folder / "x", source)
    assert outputs("-", source)[0].file_type == FileType("csv")


def test_outputs_that_clash_and_other_errors(folder: Path) -> None:
    source = folder / "in"
    for clash, read in [
        (source / "a.csv", source / "a.csv"), (source, source), (source / "new.jsonl", source),
        (source / "new.csv", source / "*.csv"), (source, source / "*.csv"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match="give another OUT"):
            outputs(clash, read)
    (source / "a.jsonl").write_text("{}")
    with pytest.raises(InputError, match="two inputs would be written to"):
        outputs(folder / "out", source, FileType("txt"))
    with pytest.raises(InputError, match="parquet cannot be read from stdin"):
        find_inputs(["-"], FileType("parquet"))
