"""Rows from and to Parquet, by pyarrow (the extra `batch`). Columns that are not the text keep their types.

Rows that come as dicts (from jsonl, say) get the types that they show. Parts of one output are joined under one schema;
where no type fits two of them, the first that does not fit stops the run.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from tersely.batch.rows import Added, Block, Outcome, Text, text_of
from tersely.batch.text_formats import Cells, Dialect, shown
from tersely.errors import FileError, InputError, missing_extra

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    raise missing_extra("batch", "pyarrow") from None

ROWS_IN_A_GROUP = 10_000  # of an output: the same for the same rows, however often the run was stopped
_READ = 1024  # rows at once: few, for a cell can be big
_TYPES = {
    "summary": pa.string(),
    "score": pa.float64(),
    "kept": pa.list_(pa.int32()),
    "others": pa.list_(pa.string()),
    "error": pa.string(),
}


class ParquetReader:
    """The rows of a Parquet file, as Arrow tables. `stream` is the file where `name` does not lead to it."""

    def __init__(self, name: str, dialect: Dialect, stream: Any = None) -> None:
        try:
            self._file = pq.ParquetFile(name if stream is None else stream, buffer_size=1 << 20, pre_buffer=False)
        except (OSError, pa.ArrowException) as error:
            raise FileError(f"cannot read {name}: {error}") from None
        self.columns: list[str] = self._file.schema_arrow.names
        self.n_rows: int = self._file.metadata.num_rows
        if dialect.column not in self.columns:
            raise InputError(f"there is no column {dialect.column!r}: --column takes one of {', '.join(self.columns)}")
        self._name, self._column, self._count = name, dialect.column, 0
        self._batches = self._file.iter_batches(batch_size=_READ)
        self._rest = self._file.schema_arrow.empty_table()

    def read(self, most: int) -> Block:
        try:
            while not len(self._rest) and (batch := next(self._batches, None)) is not None:
                self._rest = pa.Table.from_batches([batch])
        except (OSError, pa.ArrowException) as error:
            raise FileError(f"cannot read {self._name}: {error}") from None
        table, self._rest = self._rest[:most], self._rest[most:]
        block = Block(self._name, self._count + 1, texts_of(table, self._column), table, self.columns)
        self._count += len(table)
        return block


def texts_of(table: pa.Table, column: str) -> list[Text]:
    """The texts in a column. Bytes are taken for UTF-8, as some programs store text."""
    cells = table.column(column)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if not (_is_string(cells.type) or _is_binary(cells.type)):
        return [text_of(cell) for cell in cells.to_pylist()]
    raw = cells if _is_binary(cells.type) else cells.cast(pa.large_binary())  # a cast that does not look at the bytes
    return [_decoded(cell) for cell in raw.to_pylist()]


def _decoded(cell: bytes | None) -> Text:
    try:
        return text_of(cell if cell is None else cell.decode())
    except UnicodeDecodeError as error:
        return InputError(f"not valid UTF-8 (byte {error.start + 1})")


def dicts_of(table: pa.Table) -> list[Cells]:
    """The rows of a table; what is no UTF-8 in them is replaced."""
    try:
        rows: list[Cells] = table.to_pylist()
        return rows
    except UnicodeDecodeError:
        pass
    for k, field in enumerate(table.schema):
        if _is_string(field.type):
            cells = table.column(k).cast(pa.large_binary()).to_pylist()
            texts = [cell if cell is None else cell.decode(errors="replace") for cell in cells]
            table = table.set_column(k, field.name, pa.array(texts, pa.large_string()))
    return table.to_pylist()  # type: ignore[no-any-return]


def _is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_binary(kind: Any) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def table_of(block: Block, outcomes: Sequence[Outcome], added: Added, column: str) -> pa.Table:
    """The rows of a block with what was added to them, as a table; `column` is that of the texts."""
    table = _table(block.cells, block.columns, column) if isinstance(block.cells, list) else block.cells
    added.refuse_taken(table.column_names, block.source)
    for field, name in zip(added.fields, added.names, strict=True):
        cells = [getattr(outcome, field) for outcome in outcomes]
        table = table.append_column(pa.field(name, _TYPES[field]), [pa.array(cells, _TYPES[field])])
    return table


def _table(rows: list[Cells], columns: Sequence[str], column: str) -> pa.Table:
    """Rows as a table with the types that they show; every column in the order in which it first appears."""
    names = dict.fromkeys([*columns, *(name for row in rows for name in row)])
    arrays = {}
    for name in names:
        cells = [row.get(name) for row in rows]
        if name == column:  # where there is no text, the row has an error, and what it has is shown
            cells = [cell if cell is None else shown(cell) for cell in cells]
        try:
            arrays[name] = pa.array(cells)
        except UnicodeEncodeError:
            arrays[name] = pa.array([shown(cell).encode("utf-8", "replace").decode() for cell in cells])
        except (pa.ArrowException, OverflowError) as error:
            raise _mixed(f"the column {name!r} of rows {error}") from None
    return pa.table(arrays)


class ParquetSink:
    """The rows of one output: parts of any number of rows, joined in groups of always the same number."""

    def __init__(self, added: Added, dialect: Dialect) -> None:
        self._added, self._dialect = added, dialect
        self._tables: list[pa.Table] = []
        self._schema = pa.schema([])  # that fits all parts so far
        self.size = 0

    def add(self, block: Block, outcomes: Sequence[Outcome]) -> None:
        table = table_of(block, outcomes, self._added, self._dialect.column)
        self._schema = _unified([self._schema, table.schema])
        self._tables.append(table)
        self.size += table.nbytes

    def take(self) -> bytes:
        """What was added since the last time, as a Parquet file of its own."""
        content = io.BytesIO()
        pq.write_table(_joined(self._tables), content)
        self._tables, self.size = [], 0
        return content.getvalue()

    def resume(self, parts: Iterable[IO[bytes]]) -> None:
        """Know of parts that an earlier process has taken."""
        self._schema = _unified([self._schema, *(pq.read_schema(part) for part in parts)])

    def join(self, parts: Iterable[IO[bytes]], stream: IO[bytes]) -> None:
        """Write the parts as one file."""
        fields = sorted(self._schema, key=lambda field: field.name in self._added.names)  # the added ones are the last
        schema = pa.schema(fields, self._schema.metadata)
        with pq.ParquetWriter(stream, schema) as writer:
            for group in _groups(_joined([schema.empty_table(), pq.read_table(part)]) for part in parts):
                writer.write_table(group.combine_chunks())


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of tables in tables of ROWS_IN_A_GROUP rows, and the rest."""
    rest: pa.Table | None = None
    for table in tables:
        rest = table if rest is None else pa.concat_tables([rest, table])
        while len(rest) >= ROWS_IN_A_GROUP:
            yield rest[:ROWS_IN_A_GROUP]
            rest = rest[ROWS_IN_A_GROUP:]
    if rest is not None and len(rest):
        yield rest


def _joined(tables: list[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise _mixed(str(error)) from None


def _unified(schemas: list[pa.Schema]) -> pa.Schema:
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise _mixed(str(error)) from None


def _mixed(seen: str) -> InputError:
    return InputError(f"a column of parquet has one type: {seen}; write jsonl instead")
