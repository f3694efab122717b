"""Parquet in and out: types are kept, bad cells are rows, and parts of any size join to the same bytes."""

from __future__ import annotations

import datetime
import io
import itertools
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tersely.batch import parquet
from tersely.batch.formats import FileType
from tersely.batch.parquet import ArrowBlock, ParquetReader, ParquetWriter, dicts_of, table_of, texts_of
from tersely.batch.paths import Input
from tersely.batch.row_blocks import Outcome, RowBlock, TableSettings
from tersely.batch.text_formats import MAX_BLOCK_CHARS
from tersely.errors import FileError, InputError

BROKEN = pa.array([b"ship", b"b\xffd", None], pa.binary()).view(pa.string())


def shown(texts: list[object]) -> list[str]:
    return [f"! {text}" if isinstance(text, InputError) else str(text) for text in texts]


def test_texts_of_every_kind_of_column() -> None:
    table = pa.table(
        {
            "string": BROKEN,
            "binary": BROKEN.view(pa.binary()),
            "large": pa.array(["a", None, "c"], pa.large_string()),
            "dictionary": pa.array(["a", "a", None]).dictionary_encode(),
            "number": pa.array([1, None, 3]),
        }
    )
    bad = "! not valid UTF-8 (byte 2)"
    assert shown(texts_of(table, "string")) == ["ship", bad, "! the cell is null"]
    assert shown(texts_of(table, "binary")) == ["ship", bad, "! the cell is null"]
    assert shown(texts_of(table, "large")) == ["a", "! the cell is null", "c"]
    assert shown(texts_of(table, "dictionary")) == ["a", "a", "! the cell is null"]
    assert shown(texts_of(table, "number"))[0] == "! the cell has type int: expected text"
    assert [row["string"] for row in dicts_of(table)] == ["ship", "b\ufffdd", None]


def test_reading_in_blocks_of_any_size(tmp_path: Path) -> None:
    table = pa.table({"n": range(3000), "text": [f"ship {k}" for k in range(3000)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=700)
    with Input(str(tmp_path / "a.parquet"), FileType("parquet")).open(TableSettings()) as reader:
        assert reader.columns == ["n", "text"]
        seen: list[int] = []
        while len(block := reader.read(7 if len(seen) < 100 else 5000)):
            assert block.first == len(seen) + 1
            assert list(block.texts) == [f"ship {k}" for k in block.cells.column("n").to_pylist()]
            seen += block.cells.column("n").to_pylist()
    assert seen == list(range(3000))
    assert block.cells.schema == table.schema
    with (tmp_path / "a.parquet").open("rb") as stream:
        assert parquet.count_rows(stream) == 3000


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"no parquet")
    pq.write_table(pa.table({"n": [1]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"text": ["ship " * k for k in range(999)]}), tmp_path / "c.parquet")
    content = (tmp_path / "c.parquet").read_bytes()
    (tmp_path / "c.parquet").write_bytes(content[:100] + b"x" * 200 + content[300:])  # the pages, not the footer
    for name, kind, message in [
        ("a.parquet", FileError, r"^cannot read .*a\.parquet: [^\n]+$"),
        ("b.parquet", InputError, r"b\.parquet: there is no column 'text': set --column to one of n"),
        ("c.parquet", FileError, r"^cannot read .*c\.parquet: "),
    ]:
        one = Input(str(tmp_path / name), FileType("parquet"))
        with pytest.raises(kind, match=message), one.open(TableSettings()) as reader:
            reader.read(1000)


def test_a_block_of_few_large_rows_among_small_ones_is_short(tmp_path: Path) -> None:
    path = tmp_path / "mixed.parquet"
    texts = ["A ship sank."] * 900 + [f"A ship {'sank ' * 100_000}{number}" for number in range(9)]
    pq.write_table(pa.table({"text": texts}), path)
    reader = ParquetReader(path.open("rb"), "mixed", TableSettings())
    sizes = list(itertools.takewhile(bool, (len(reader.read(1000)) for _ in texts)))
    assert sum(sizes) == len(texts)
    assert max(sizes[-4:]) * 500_000 <= 2 * MAX_BLOCK_CHARS


def test_types_are_kept_and_added() -> None:
    cells = pa.table(
        {
            "text": pa.array(["a b c"]),
            "when": pa.array([datetime.date(2020, 5, 17)]),
            "nested": pa.array([{"x": [1, 2]}]),
            "kind": pa.array(["k"]).dictionary_encode(),
        }
    )
    block = ArrowBlock("in", 1, ["a b c"], cells, cells.column_names)
    table = table_of(
        block, [Outcome("a", -1.5, (0,), ("b",))], TableSettings(score=True, kept=True, others=True, prefix="s_")
    )
    assert table.schema.types[:4] == cells.schema.types
    assert table.schema.names[4:] == ["s_summary", "s_score", "s_kept", "s_others", "s_error"]
    added = {"s_summary": "a", "s_score": -1.5, "s_kept": [0], "s_others": ["b"], "s_error": None}
    assert {name: cell for name, cell in table.to_pylist()[0].items() if name.startswith("s_")} == added
    taken = ArrowBlock("in", 1, ["a"], pa.table({"text": ["a"], "summary": ["b"]}))
    with pytest.raises(InputError, match="in has a column 'summary' already"):
        table_of(taken, [Outcome()], TableSettings())


ROWS = [
    {"text": "one", "n": 1},
    {"text": "two", "n": 2.5, "new": None},
    {"text": 3, "n": None, "new": {"a": 1}},
    {"text": None, "new": {"b": "x"}, "last": [True]},
] * 3


def joined(sizes: list[int], tmp_path: Path) -> bytes:
    """The rows above, in parts of these sizes, as one file."""
    writer, again, parts, start = ParquetWriter(TableSettings()), ParquetWriter(TableSettings()), [], 0
    for number, size in enumerate(sizes):
        rows = ROWS[start : start + size]
        for row in rows:
            block = RowBlock("in", 1, [""], [row], ["text", "n"])
            writer.add(block, [Outcome("s")])
            again.skip(block)
        start += size
        parts.append(tmp_path / f"{len(sizes)}-{number}")
        parts[-1].write_bytes(writer.take())
    content = io.BytesIO()
    again.join(parts, content)
    return content.getvalue()


def test_parts_of_any_size_join_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_PER_GROUP", 5)
    whole = joined([12], tmp_path)
    assert joined([1] * 12, tmp_path) == joined([2, 3, 7], tmp_path) == whole
    file = pq.ParquetFile(io.BytesIO(whole))
    assert file.schema_arrow.names == ["text", "n", "new", "last", "summary", "error"]
    assert [file.metadata.row_group(k).num_rows for k in range(3)] == [5, 5, 2]
    rows = file.read().to_pylist()
    assert [row["n"] for row in rows[:3]] == [1.0, 2.5, None]
    assert [row["text"] for row in rows[:4]] == ["one", "two", "3", None]
    assert rows[3]["new"] == {"a": None, "b": "x"}


@pytest.mark.parametrize("together", [True, False])
def test_cells_that_no_type_fits(together: bool) -> None:
    writer = ParquetWriter(TableSettings())
    rows = [{"text": "a", "n": 1}, {"text": "b", "n": "one"}]
    *before, last = [rows] if together else [rows[:1], rows[1:]]
    for some in before:
        writer.add(RowBlock("in", 1, ["a"], some, ["text", "n"]), [Outcome()])
    with pytest.raises(InputError, match="column has one type"):
        writer.add(RowBlock("in", 1, ["a"] * len(last), last, ["text", "n"]), [Outcome()] * len(last))


def test_half_a_surrogate_pair() -> None:
    rows = [{"text": "a", "note": "\ud800"}]
    table = table_of(RowBlock("in", 1, ["a"], rows, ["text", "note"]), [Outcome()], TableSettings())
    assert table.to_pylist()[0]["note"] == "\\ud800"


def test_cells_without_a_value_in_python() -> None:
    text = pa.array([b"b\xffd"], pa.binary()).view(pa.string())
    offsets = pa.array([0, 1], pa.int32())
    table = pa.table(
        {
            "far": pa.array([10**15], pa.timestamp("s")),
            "date": pa.array([10**7], pa.int32()).cast(pa.date32()),
            "struct": pa.StructArray.from_arrays([text, pa.array([1])], ["x", "n"]),
            "list": pa.ListArray.from_arrays(offsets, text),
            "map": pa.MapArray.from_arrays(offsets, pa.array(["k"]), text),
            "dictionary": pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), text),
        }
    )
    row = dicts_of(table)[0]
    assert "1000000000000000" in row.pop("far")
    assert row == {
        "date": "29349-01-26",
        "struct": {"x": "b\ufffdd", "n": 1},
        "list": ["b\ufffdd"],
        "map": [("k", "b\ufffdd")],
        "dictionary": "b\ufffdd",
    }
    assert ArrowBlock("in", 1, [""], table, table.column_names).content()
    assert shown(texts_of(table, "far")) != []


def test_nanoseconds_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(cell: object) -> None:
        raise ValueError("Nanosecond resolution temporal type is not safely convertible: install pandas")

    column = pa.array([1], pa.timestamp("ns"))
    fake = type("Column", (), {"to_pylist": refuse, "__iter__": lambda self: iter([Cell()])})

    class Cell:
        type = column.type
        as_py = refuse
        cast = staticmethod(column[0].cast)

    assert parquet._values(fake()) == ["1970-01-01 00:00:00.000000001"]
