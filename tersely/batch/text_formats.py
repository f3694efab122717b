"""Text formats: plain lines, csv, tsv and jsonl, parsed from a stream and encoded as bytes.

Everything here streams. A row that cannot be parsed is still a row: it keeps the cells that could be read and has an
error. What makes all later rows doubtful, such as a quote that is never closed, stops the run with an InputError.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import IO, Any

from tersely.batch.row_blocks import Cells, Outcome, RowBlock, TableSettings, Text, text_of
from tersely.errors import InputError
from tersely.system.files import decoded_lines

MAX_LINE_BYTES = 1 << 24  # a longer line is no row of a table, and would cost memory
MAX_BLOCK_CHARS = 1 << 20  # long texts make short blocks, so that memory stays flat
_TOO_LONG = f"the line has more than {MAX_LINE_BYTES:,} bytes"

Row = tuple[Cells, Text]
Table = tuple[list[str], Iterator[Row]]  # the columns, as far as they are known, and the rows
Parse = Callable[[IO[bytes], TableSettings], Table]
Encode = Callable[[Iterable[Cells], Sequence[str], TableSettings], bytes]  # of rows and columns


class TextReader:
    """The rows of a text file, in blocks."""

    def __init__(self, parse: Parse, stream: IO[bytes], name: str, settings: TableSettings) -> None:
        self.columns, self._rows = parse(stream, settings)
        self._name = name
        self._count = 0

    def read(self, max_rows: int) -> RowBlock:
        rows: list[Row] = []
        chars = 0
        while len(rows) < max_rows and chars < MAX_BLOCK_CHARS and (row := next(self._rows, None)):
            rows.append(row)
            chars += sum(len(cell) for cell in row[0].values() if isinstance(cell, str))
        first, self._count = self._count + 1, self._count + len(rows)
        return RowBlock(self._name, first, [text for _, text in rows], [cells for cells, _ in rows], self.columns)


class TextWriter:
    """The rows of one output as text. Parts have no header, so that they can be concatenated."""

    def __init__(
        self,
        encode: Encode,
        has_columns: bool,
        has_header: bool,
        settings: TableSettings,
        columns: Sequence[str] | None,
    ) -> None:
        self._encode, self._settings = encode, settings
        self._has_columns, self._has_header = has_columns, has_header
        self._columns = columns  # of the input; if they are not known, those of the first block
        self._pieces: list[bytes] = []
        self.size = 0

    def add(self, block: RowBlock, outcomes: Sequence[Outcome]) -> None:
        rows = block.rows()
        names = dict.fromkeys(chain(block.columns, *rows))
        if self._columns is None:
            self._columns = block.columns
        if self._has_columns:
            self._settings.check_names(names, block.source)
        if self._has_header:
            check_header(names, self._columns, block.source)
        new = [self._settings.new_cells(outcome) for outcome in outcomes]
        self._pieces.append(self._encoded([{**cells, **more} for cells, more in zip(rows, new, strict=True)]))
        self.size += len(self._pieces[-1])

    def _encoded(self, rows: Iterable[Cells]) -> bytes:
        return self._encode(rows, self._written, self._settings)

    @property
    def _written(self) -> list[str]:
        new = self._settings.new_columns
        return [*(self._columns or ()), *new] if self._has_columns else new[:1]

    def take(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces, self.size = [], 0
        return content

    def resume(self, parts: Iterable[IO[bytes]]) -> None:
        pass  # any part can follow any other

    def join(self, parts: Iterable[IO[bytes]], stream: IO[bytes]) -> None:
        if self._has_header:
            stream.write(self._encoded([{name: name for name in self._written}]))
        for part in parts:
            shutil.copyfileobj(part, stream, 1 << 20)


def check_header(columns: Iterable[str], header: Sequence[str], source: str) -> None:
    """Raise an error for a column that the header, which is written once, does not have."""
    for name in columns:
        if name not in header:
            raise InputError(
                f"{source} has a column {name!r} that the header lacks: write jsonl, parquet, or to a folder"
            )


def count_lines(has_header: bool, stream: IO[bytes]) -> int:
    """The lines of a text without the header: its rows, unless cells have several lines."""
    count, last = 0, b"\n"
    while piece := stream.read(1 << 20):
        count, last = count + piece.count(b"\n"), piece
    return max(0, count + (not last.endswith(b"\n")) - has_header)


def parse_lines(stream: IO[bytes], settings: TableSettings) -> Table:
    lines = decoded_lines(stream, MAX_LINE_BYTES, _TOO_LONG)
    rows = ((line.rstrip("\r\n"), problem) for line, problem in lines)
    return [settings.column], (({settings.column: line}, problem or line) for line, problem in rows)


def encode_lines(rows: Iterable[Cells], columns: Sequence[str], settings: TableSettings) -> bytes:
    return "".join(f"{cell_text(row[columns[0]])}\n" for row in rows).encode("utf-8", "replace")


def parse_jsonl(stream: IO[bytes], settings: TableSettings) -> Table:
    rows = _json_rows(stream, settings.column)
    start = list(islice(rows, 100))
    columns = next((list(cells) for cells, _ in start if cells), [])
    return columns, chain(start, rows)


def _json_rows(stream: IO[bytes], column: str) -> Iterator[Row]:
    for line, problem in decoded_lines(stream, MAX_LINE_BYTES, _TOO_LONG):
        if not line.strip() and not problem:
            continue
        try:
            cells = json.loads(line)
        except (ValueError, RecursionError):
            cells, problem = {}, problem or InputError("the line is not JSON")
        if not isinstance(cells, dict):
            cells, problem = {}, problem or InputError("the line is not a JSON object")
        if column not in cells:
            problem = problem or InputError(f"the row has no {column!r}")
        yield cells, problem or text_of(cells.get(column))


def encode_jsonl(rows: Iterable[Cells], columns: Sequence[str], settings: TableSettings) -> bytes:
    return b"".join(map(_json_line, rows))


def _json_line(row: Cells) -> bytes:
    try:
        return f"{json.dumps(row, ensure_ascii=False, default=str)}\n".encode()
    except UnicodeEncodeError:  # half of a surrogate pair has no UTF-8, but JSON can spell it
        return f"{json.dumps(row, default=str)}\n".encode()


def parse_separated(separator: str, stream: IO[bytes], settings: TableSettings) -> Table:
    """The table in a csv file with this separator."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    lines = _Lines(stream)
    quoting: Any = csv.QUOTE_MINIMAL if settings.quotes else csv.QUOTE_NONE
    records = lines.records(csv.reader(lines, delimiter=separator, quoting=quoting))
    header, problem = next(records, (None, None))
    if header is None:
        raise InputError("the file is empty: expected a header")
    if problem:
        raise InputError(f"the header cannot be read: {problem}")
    if repeated := [name for name in header if header.count(name) > 1]:
        raise InputError(f"two columns are called {repeated[0]!r}")
    check_text_column(settings.column, header)
    return header, (_csv_row(header, record, problem, settings.column) for record, problem in records)


def check_text_column(column: str, columns: Sequence[str]) -> None:
    if column not in columns:
        raise InputError(f"there is no column {column!r}: set --column to one of {', '.join(columns)}")


def _csv_row(header: list[str], record: list[str], problem: InputError | None, column: str) -> Row:
    cells: Cells = dict.fromkeys(header)
    cells.update(zip(header, record, strict=False))
    if extra := record[len(header) :]:
        shown = ", ".join(map(repr, extra))[:200]
        problem = problem or InputError(f"the row has {len(record)} cells and the header {len(header)}: {shown}")
    return cells, problem or text_of(cells[column])


class _Lines:
    """The lines of a stream for a csv reader. Remembers the first problem in the lines of each record."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._lines = decoded_lines(stream, MAX_LINE_BYTES, _TOO_LONG)
        self._problem: InputError | None = None
        self._ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line, problem = next(self._lines, ("", None))
        if not line:
            self._ended = True
            raise StopIteration
        self._problem = self._problem or problem
        return line

    def records(self, reader: Any) -> Iterator[tuple[list[str], InputError | None]]:
        """The records of a csv reader, without blank lines, each with its problem, if any."""
        while not self._ended:
            record: list[str] = []
            self._problem = None
            try:
                record = next(reader, record)
            except csv.Error as error:
                if "limit" in str(error):
                    raise _unclosed(reader) from None
                self._problem = self._problem or InputError(f"not valid csv: {error}")
            if record and self._ended:  # the reader asked for more lines to end the record
                raise _unclosed(reader)
            if record or self._problem:
                yield record, self._problem


def _unclosed(reader: Any) -> InputError:
    return InputError(f"a quote is open at line {reader.line_num} and never closed: --no-quotes reads quotes literally")


def encode_separated(separator: str, rows: Iterable[Cells], columns: Sequence[str], settings: TableSettings) -> bytes:
    """Rows as csv with this separator."""
    breaks, buffer = re.compile(f"[{re.escape(separator)}\\r\\n]+"), io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    for row in rows:
        cells = [cell_text(row.get(name)) for name in columns]
        if settings.quotes:
            writer.writerow(cells)
        else:
            buffer.write(separator.join(breaks.sub(" ", cell) for cell in cells) + "\n")
    return buffer.getvalue().encode("utf-8", "replace")


def cell_text(cell: object) -> str:
    """A cell as text: empty for null, JSON for lists, dicts and booleans."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    nested = isinstance(cell, bool | list | tuple | dict)
    return json.dumps(cell, ensure_ascii=False, default=str) if nested else str(cell)
