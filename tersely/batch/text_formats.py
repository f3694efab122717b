"""Rows from and to text: plain lines, csv, tsv, jsonl. Everything here streams, and every bad row is a row.

A row that cannot be read keeps the cells that could be. What makes all later rows doubtful, a quote that is never
closed for one, stops the reading with an InputError.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import IO, Any

from tersely.batch.rows import Text, text_of
from tersely.errors import InputError
from tersely.files import decoded_lines

MOST_BYTES = 1 << 24  # in a line: one that is longer is no row of a table, and would cost memory
_TOO_LONG = f"the line has more than {MOST_BYTES:,} bytes"

Cells = dict[str, Any]
Row = tuple[Cells, Text]
Table = tuple[list[str], Iterator[Row]]  # the columns, as far as they are known, and the rows


@dataclass(frozen=True)
class Dialect:
    """How a text is found in a row: the name of its column, and whether quotes enclose cells of csv and tsv."""

    column: str = "text"
    quotes: bool = True


@dataclass(frozen=True)
class TextFormat:
    """A format: how rows are read from a stream of bytes, and how they are written."""

    read: Callable[[IO[bytes], Dialect], Table]
    write: Callable[[Iterable[Cells], Sequence[str], Dialect], bytes]  # rows and columns
    has_header: bool = False


def _read_lines(stream: IO[bytes], dialect: Dialect) -> Table:
    lines = decoded_lines(stream, MOST_BYTES, _TOO_LONG)
    rows = ((line.rstrip("\r\n"), problem) for line, problem in lines)
    return [dialect.column], (({dialect.column: line}, problem or line) for line, problem in rows)


def _read_jsonl(stream: IO[bytes], dialect: Dialect) -> Table:
    rows = _json_rows(stream, dialect.column)
    begin = list(islice(rows, 100))
    columns = next((list(cells) for cells, _ in begin if cells), [])
    return columns, chain(begin, rows)


def _json_rows(stream: IO[bytes], column: str) -> Iterator[Row]:
    for line, problem in decoded_lines(stream, MOST_BYTES, _TOO_LONG):
        if not line.strip() and not problem:
            continue
        try:
            cells = json.loads(line)
        except (ValueError, RecursionError):
            cells, problem = {}, problem or InputError("the line is not JSON")
        if not isinstance(cells, dict):
            cells, problem = {}, problem or InputError("the line is no JSON object")
        if column not in cells:
            problem = problem or InputError(f"the row has no {column!r}")
        yield cells, problem or text_of(cells.get(column))


def _read_separated(separator: str, stream: IO[bytes], dialect: Dialect) -> Table:
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))
    lines = _Lines(stream)
    records = lines.records(
        csv.reader(lines, delimiter=separator)
        if dialect.quotes
        else csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
    )
    header, problem = next(records, (None, None))
    if header is None:
        raise InputError("the file is empty, it has no header")
    if problem:
        raise InputError(f"the header cannot be read: {problem}")
    if repeated := [name for name in header if header.count(name) > 1]:
        raise InputError(f"two columns are called {repeated[0]!r}")
    if dialect.column not in header:
        raise InputError(f"there is no column {dialect.column!r}: --column takes one of {', '.join(header)}")
    return header, (_row(header, record, problem, dialect.column) for record, problem in records)


def _row(header: list[str], record: list[str], problem: InputError | None, column: str) -> Row:
    cells: Cells = dict.fromkeys(header)
    cells.update(zip(header, record, strict=False))
    if more := record[len(header) :]:
        shown = ", ".join(map(repr, more))[:200]
        problem = problem or InputError(f"the row has {len(record)} cells and the header {len(header)}: {shown}")
    return cells, problem or text_of(cells[column])


class _Lines:
    """The lines of a stream for a csv reader, with an eye on what is wrong with those of one record."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._lines = decoded_lines(stream, MOST_BYTES, _TOO_LONG)
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
        """The records of a csv reader, without blank lines, each with what is wrong with it."""
        while not self._ended:
            record: list[str] = []
            self._problem = None
            try:
                record = next(reader, record)
            except csv.Error as error:
                if "limit" in str(error):
                    raise _unclosed(reader) from None
                self._problem = self._problem or InputError(f"no csv: {error}")
            if record and self._ended:  # there is a record, and still the reader asked for more
                raise _unclosed(reader)
            if record or self._problem:
                yield record, self._problem


def _unclosed(reader: Any) -> InputError:
    return InputError(f"a quote is open at line {reader.line_num} and never closed; --no-quotes takes them literally")


def _write_lines(rows: Iterable[Cells], columns: Sequence[str], dialect: Dialect) -> bytes:
    (column,) = columns  # a line has room for one
    return "".join(f"{shown(row[column])}\n" for row in rows).encode("utf-8", "replace")


def _write_jsonl(rows: Iterable[Cells], columns: Sequence[str], dialect: Dialect) -> bytes:
    return b"".join(_json_line(row) for row in rows)


def _json_line(row: Cells) -> bytes:
    try:
        return f"{json.dumps(row, ensure_ascii=False, default=str)}\n".encode()
    except UnicodeEncodeError:  # half of a surrogate pair has no UTF-8, but JSON can spell it
        return f"{json.dumps(row, default=str)}\n".encode()


def _write_separated(separator: str, rows: Iterable[Cells], columns: Sequence[str], dialect: Dialect) -> bytes:
    known, breaks, buffer = set(columns), re.compile(f"[{separator}\\r\\n]+"), io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    for row in rows:
        if not known.issuperset(row):
            new = next(name for name in row if name not in known)
            raise InputError(f"a row has a column {new!r} that the first one has not: write jsonl or parquet instead")
        cells = [shown(row.get(name)) for name in columns]
        if dialect.quotes:
            writer.writerow(cells)
        else:
            buffer.write(separator.join(breaks.sub(" ", cell) for cell in cells) + "\n")
    return buffer.getvalue().encode("utf-8", "replace")


def shown(cell: object) -> str:
    """A cell as text: nothing for null, JSON for lists and the like."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    nested = isinstance(cell, bool | list | tuple | dict)
    return json.dumps(cell, ensure_ascii=False, default=str) if nested else str(cell)


TEXT_FORMATS = {
    "txt": TextFormat(_read_lines, _write_lines),
    "csv": TextFormat(partial(_read_separated, ","), partial(_write_separated, ","), has_header=True),
    "tsv": TextFormat(partial(_read_separated, "\t"), partial(_write_separated, "\t"), has_header=True),
    "jsonl": TextFormat(_read_jsonl, _write_jsonl),
}
