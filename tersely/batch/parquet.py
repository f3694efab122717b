"""Parquet, by pyarrow (the extra `batch`). Columns other than the text keep their types.

Rows that come as dicts, from jsonl for example, get the types of their values. Parts of one output are joined under one
schema; a column whose values fit no single type stops the run.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from tersely.batch.row_blocks import Cells, Outcome, RowBlock, TableSettings, Text, text_of
from tersely.batch.text_formats import MAX_BLOCK_CHARS, cell_text, check_text_column, check_unique
from tersely.errors import InputError, missing_extra

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError:
    raise missing_extra("batch", "pyarrow") from None

ROWS_PER_GROUP = 10_000  # of an output: the same for the same rows, however often the run was stopped
_MAX_BLOCK_ROWS = 1024
_NO_VALUE = (ValueError, OverflowError, pa.ArrowException)  # what `as_py` raises
_TYPES = {
    "summary": pa.string(),
    "score": pa.float64(),
    "kept": pa.list_(pa.int32()),
    "others": pa.list_(pa.string()),
    "error": pa.string(),
}


class ArrowBlock(RowBlock):
    """A block whose cells are an Arrow table."""

    def rows(self) -> list[Cells]:
        return dicts_of(self.cells)

    def names(self) -> Iterable[str]:
        return self.columns


class ParquetReader:
    """The rows of a Parquet file, in blocks."""

    def __init__(self, stream: IO[bytes], name: str, settings: TableSettings) -> None:
        with _arrow_errors_as_os_errors():
            file = pq.ParquetFile(stream, buffer_size=1 << 20, pre_buffer=False)
        self.columns: list[str] = file.schema_arrow.names
        check_unique(self.columns)
        for field in file.schema_arrow:
            _check_fields(field)
        empty = file.schema_arrow.empty_table()
        if _column_at(empty, settings.column) is None:
            check_text_column(settings.column, self.columns)
        groups = [file.metadata.row_group(k) for k in range(file.num_row_groups)]
        largest = max((group.total_byte_size / max(1, group.num_rows) for group in groups), default=1)  # mean of a row
        self._max_rows = max(1, min(_MAX_BLOCK_ROWS, int(MAX_BLOCK_CHARS / max(1, largest))))
        self._name, self._column, self._count = name, settings.column, 0
        self._batches = file.iter_batches(batch_size=self._max_rows)
        self._rest = empty

    def read(self, max_rows: int) -> RowBlock:
        with _arrow_errors_as_os_errors():
            while not len(self._rest) and (batch := next(self._batches, None)) is not None:
                self._rest = pa.Table.from_batches([batch])
        rows = min(max_rows, len(self._rest))
        while rows > 1 and self._rest[:rows].nbytes > MAX_BLOCK_CHARS:  # some rows may be far larger than the mean
            rows //= 2
        table, self._rest = self._rest[:rows], self._rest[rows:]
        first, self._count = self._count + 1, self._count + len(table)
        return ArrowBlock(self._name, first, texts_of(table, self._column), table, self.columns)


def count_rows(stream: IO[bytes]) -> int:
    """The rows of a file, from its metadata."""
    return int(pq.read_metadata(stream).num_rows)


@contextmanager
def _arrow_errors_as_os_errors() -> Iterator[None]:
    """Raise what Arrow raises for a damaged file as an OSError, as other formats do."""
    try:
        yield
    except pa.ArrowException as error:
        raise OSError(str(error)) from None


def texts_of(table: pa.Table, column: str) -> list[Text]:
    """The texts in a column. Bytes are read as UTF-8: some programs store text that way."""
    cells = _column_at(table, column)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if not (_is_string(cells.type) or pa.types.is_binary(cells.type) or pa.types.is_large_binary(cells.type)):
        return [text_of(cell) for cell in _values(cells)]
    return [_decoded(cell) for cell in cells.cast(pa.large_binary()).to_pylist()]  # the cast does not validate


def _column_at(table: pa.Table, column: str) -> Any:
    """A column, or a field of structs by a path of names such as `doc.body`; None if there is none."""
    if column in table.column_names:
        return table.column(column)
    first, *names = column.split(".")
    found = table.column(first) if first in table.column_names else None
    for name in names:
        if found is None or not pa.types.is_struct(found.type) or found.type.get_field_index(name) < 0:
            return None
        found = pc.struct_field(found, name)
    return found


def _decoded(cell: bytes | None) -> Text:
    try:
        return text_of(cell if cell is None else cell.decode())
    except UnicodeDecodeError as error:
        return InputError(f"not valid UTF-8 (byte {error.start + 1})")


def dicts_of(table: pa.Table) -> list[Cells]:
    """The rows of a table as dicts. Invalid UTF-8 is replaced, and a time that Python does not have becomes text."""
    columns = [_values(column) for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(column: pa.ChunkedArray) -> list[Any]:
    """The cells of a column as Python values."""
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except _NO_VALUE:
        return [_value(cell) for cell in column]


def _value(cell: Any) -> Any:
    """A cell as a Python value, its parts one by one if it has none as a whole."""
    try:
        return cell.as_py()
    except _NO_VALUE:
        pass
    if isinstance(cell, pa.StructScalar):
        return {field.name: _value(cell[field.name]) for field in cell.type}
    if isinstance(cell, pa.MapScalar):
        return [(_value(pair["key"]), _value(pair["value"])) for pair in cell.values]
    if isinstance(cell, pa.ListScalar):
        return [_value(one) for one in cell.values]
    if isinstance(cell, pa.DictionaryScalar):
        return _value(cell.value)
    if _is_string(cell.type):
        return cell.as_buffer().to_pybytes().decode(errors="replace")
    return cell.cast(pa.string()).as_py()  # a time of more than six decimals, or beyond the year 9999


def _check_fields(field: Any) -> None:
    """Refuse a nested column with two fields of one name: no dict holds both."""
    inside = [field.type.field(i) for i in range(field.type.num_fields)]
    check_unique([one.name for one in inside], f"fields of {field.name!r}")
    for one in inside:
        _check_fields(one)


def _is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def table_of(block: RowBlock, outcomes: Sequence[Outcome], settings: TableSettings) -> pa.Table:
    """The rows of a block and the new columns, as a table."""
    table = block.cells if isinstance(block, ArrowBlock) else _table(block, settings.column)
    settings.check_names(table.column_names, block.source)
    for field, name in zip(settings.fields, settings.new_columns, strict=True):
        cells = [getattr(outcome, field) for outcome in outcomes]
        table = table.append_column(pa.field(name, _TYPES[field]), [pa.array(cells, _TYPES[field])])
    return table


def _table(block: RowBlock, column: str) -> pa.Table:
    """Dicts as a table with the types of their values. Columns are in the order in which they first appear."""
    rows, arrays = block.rows(), dict[str, Any]()
    for name in dict.fromkeys([*block.columns, *(name for row in rows for name in row)]):
        cells = [row.get(name) for row in rows]
        if name == column:  # a row whose cell is no text has an error, and the cell is written as text
            cells = [cell if cell is None else cell_text(cell) for cell in cells]
        try:
            arrays[name] = pa.array(cells)
        except UnicodeEncodeError:
            arrays[name] = pa.array([_valid(cell_text(cell)) for cell in cells])
        except (pa.ArrowException, OverflowError) as error:
            raise _mixed_types(f"the column {name!r} of rows {error}") from None
    return pa.table({_valid(name): cells for name, cells in arrays.items()})


def _valid(text: str) -> str:
    """A text without lone surrogates, which stand for invalid bytes or come from JSON: Arrow takes none."""
    return text.encode("utf-8", "backslashreplace").decode()


class ParquetWriter:
    """The rows of one output: parts of any number of rows, joined in row groups of a fixed size."""

    def __init__(self, settings: TableSettings) -> None:
        self._settings = settings
        self._tables: list[pa.Table] = []
        self._schema: pa.Schema | None = None  # fits all parts so far
        self.size = 0

    def add(self, block: RowBlock, outcomes: Sequence[Outcome]) -> None:
        self._tables.append(self._unified(table_of(block, outcomes, self._settings)))
        self.size += self._tables[-1].nbytes

    def take(self) -> bytes:
        content = io.BytesIO()
        pq.write_table(_concatenated(self._tables), content)
        self._tables, self.size = [], 0
        return content.getvalue()

    def skip(self, block: RowBlock) -> None:
        self._unified(table_of(block, [Outcome()] * len(block), self._settings))

    def join(self, parts: Iterable[IO[bytes]], stream: IO[bytes]) -> None:
        assert self._schema is not None
        fields = sorted(self._schema, key=lambda field: field.name in self._settings.new_columns)  # the new ones last
        schema = pa.schema(fields, self._schema.metadata)
        with pq.ParquetWriter(stream, schema) as writer:
            for group in _groups(_concatenated([schema.empty_table(), pq.read_table(part)]) for part in parts):
                writer.write_table(group.combine_chunks())

    def _unified(self, table: pa.Table) -> pa.Table:
        """The table, its schema noted. The metadata of the first one is kept: pandas has the index there."""
        try:
            schemas = [self._schema or table.schema, table.schema]
            self._schema = pa.unify_schemas(schemas, promote_options="permissive")
        except pa.ArrowException as error:
            raise _mixed_types(str(error)) from None
        return table


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of tables in tables of ROWS_PER_GROUP rows; the last may have fewer."""
    rest = pa.table({})
    for table in tables:
        rest = pa.concat_tables([rest, table]) if len(rest) else table
        while len(rest) >= ROWS_PER_GROUP:
            yield rest[:ROWS_PER_GROUP]
            rest = rest[ROWS_PER_GROUP:]
    if len(rest):
        yield rest


def _concatenated(tables: list[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise _mixed_types(str(error)) from None


def _mixed_types(cause: str) -> InputError:
    return InputError(f"a Parquet column has one type: {cause}; write jsonl instead")
