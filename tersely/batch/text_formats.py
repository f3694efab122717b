"""Text formats: rows from a stream in blocks, and rows to bytes; plain lines, csv and tsv.

Everything here streams. A row that cannot be parsed is still a row: it keeps what could be read and has an error. What
makes all later rows doubtful, such as a quote that is never closed, stops the run with an InputError.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from types import SimpleNamespace
from typing import IO, Any

from tersely.batch.row_blocks import Cells, NoSuchColumn, Outcome, RowBlock, TableSettings, Text, text_of
from tersely.errors import InputError
from tersely.system.files import decoded_lines

MAX_LINE_CHARS = 1 << 24  # a longer line is no row of a table, and would cost memory
MAX_BLOCK_CHARS = 1 << 20  # long rows make short blocks, so that memory stays flat
_INVALID_BYTES = re.compile("[\udc80-\udcff]+")  # as they are decoded with `surrogateescape`
_RETURN = "\ud8ff"  # stands for a carriage return in the middle of a line: no decoder makes it
_UTF16_MARKS = ("\udcff\udcfe", "\udcfe\udcff")  # as they look if they are read as UTF-8

Row = tuple[Any, Text, int]  # cells, text, and about how many characters the row has
Table = tuple[list[str], Iterator[Row]]  # the columns, as far as they are known, and the rows
Parse = Callable[[IO[bytes], TableSettings], Table]
Encode = Callable[[RowBlock, list[Cells], Sequence[str], TableSettings], str]  # of rows, their new cells, all columns


class TextReader:
    """The rows of a text file, in blocks."""

    def __init__(
        self, parse: Parse, block_type: type[RowBlock], stream: IO[bytes], name: str, settings: TableSettings
    ) -> None:
        self.columns, self._rows = parse(stream, settings)
        self._name, self._block_type = name, block_type
        self._count = 0

    def read(self, max_rows: int) -> RowBlock:
        rows: list[Row] = []
        chars = 0
        while len(rows) < max_rows and chars < MAX_BLOCK_CHARS and (row := next(self._rows, None)):
            rows.append(row)
            chars += row[2]
        first, self._count = self._count + 1, self._count + len(rows)
        return self._block_type(self._name, first, [row[1] for row in rows], [row[0] for row in rows], self.columns)


class TextWriter:
    """The rows of one output as text. Parts have no header, so that they can be concatenated."""

    def __init__(self, encode: Encode, has_columns: bool, has_header: bool, settings: TableSettings) -> None:
        self._encode, self._settings = encode, settings
        self._has_columns, self._has_header = has_columns, has_header
        self._columns: Sequence[str] | None = None  # of the input: those of the first block, in this run or before
        self._pieces: list[bytes] = []
        self.size = 0

    def add(self, block: RowBlock, outcomes: Sequence[Outcome]) -> None:
        self.skip(block)
        if self._has_columns:
            self._settings.check_names(block.names(), block.source)
        if self._has_header:
            check_header(block.names(), self._columns or (), block.source)
        new = [self._settings.new_cells(outcome) for outcome in outcomes]
        self._pieces.append(self._bytes(self._encode(block, new, self._written, self._settings)))
        self.size += len(self._pieces[-1])

    def _bytes(self, text: str) -> bytes:
        """Text in the encoding of the settings. A byte that was invalid in the input is written as it was."""
        encoding = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(self._settings.encoding, self._settings.encoding)
        try:
            return text.encode(encoding, "surrogateescape")
        except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell, or what the encoding lacks
            invalid = [part.encode("ascii", "surrogateescape") for part in _INVALID_BYTES.findall(text)]
            valid = [part.encode(encoding, "replace") for part in _INVALID_BYTES.split(text)]
            return b"".join(chain.from_iterable(zip_longest(valid, invalid, fillvalue=b"")))

    @property
    def _written(self) -> list[str]:
        new = self._settings.new_columns
        return [*(self._columns or ()), *new] if self._has_columns else new[:1]

    def take(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces, self.size = [], 0
        return content

    def skip(self, block: RowBlock) -> None:
        if self._columns is None:
            self._columns = block.columns

    def join(self, parts: Iterable[IO[bytes]], stream: IO[bytes]) -> None:
        stream.write({"utf-16": codecs.BOM_UTF16_LE, "utf-32": codecs.BOM_UTF32_LE}.get(self._settings.encoding, b""))
        if self._has_header:
            names = {name: name for name in self._written}
            stream.write(self._bytes(self._encode(RowBlock("", 1, [""], [names]), [{}], self._written, self._settings)))
        for part in parts:
            shutil.copyfileobj(part, stream, 1 << 20)


def check_header(columns: Iterable[str], header: Sequence[str], source: str) -> None:
    """Raise an error for a column that the header, which is written once, does not have."""
    known = frozenset(header)  # a table may have a hundred thousand columns
    for name in columns:
        if name not in known:
            raise InputError(
                f"{source} has a column {name!r} that the header lacks: write jsonl, parquet, or to a folder"
            )


def count_lines(has_header: bool, stream: IO[bytes]) -> int:
    """The lines of a text without the header: its rows, unless cells have several lines."""
    count, last = 0, b"\n"
    while piece := stream.read(1 << 20):
        count, last = count + piece.count(b"\n"), piece
    return max(0, count + (not last.endswith(b"\n")) - has_header)


def lines_of(stream: IO[bytes], settings: TableSettings) -> Iterator[tuple[str, InputError | None]]:
    """The decoded lines of a text file, each with its problem, if any."""
    too_long = f"the line has more than {MAX_LINE_CHARS:,} characters"
    for number, (line, problem) in enumerate(decoded_lines(stream, MAX_LINE_CHARS, too_long, settings.encoding)):
        if settings.encoding == "utf-8":
            if number == 0 and (line.startswith(_UTF16_MARKS) or "\0" in line):
                raise InputError("the text looks like UTF-16: add --encoding utf-16")
            if problem and line != "\n":
                problem = InputError(f"{problem}: --encoding cp1252 reads text of old Windows programs")
        yield line, problem


def parse_lines(stream: IO[bytes], settings: TableSettings) -> Table:
    rows = ((line.rstrip("\r\n"), problem) for line, problem in lines_of(stream, settings))
    return [settings.column], (({settings.column: line}, problem or line, len(line)) for line, problem in rows)


def encode_lines(block: RowBlock, new: list[Cells], columns: Sequence[str], settings: TableSettings) -> str:
    return "".join(" ".join(cell_text(cells[columns[0]]).splitlines()) + "\n" for cells in new)  # a line for each row


def parse_separated(separator: str, stream: IO[bytes], settings: TableSettings) -> Table:
    """The table in a csv file with this separator."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_CHARS))
    lines = _Lines(stream, settings)
    quoting: Any = csv.QUOTE_MINIMAL if settings.quotes else csv.QUOTE_NONE
    records = lines.records(csv.reader(lines, delimiter=settings.delimiter or separator, quoting=quoting))
    header, problem = next(records, (None, None))
    if header is None:
        raise InputError("the file is empty: expected a header")
    if problem:
        raise InputError(f"the header cannot be read: {problem}")
    if any("\r" in name for name in header):
        raise InputError("the header has a carriage return in it: end lines with a line feed")
    check_unique(header)
    if settings.column not in header and len(header) == 1:
        for other in ";\t|,":
            if settings.column in header[0].split(other):
                raise NoSuchColumn(f"the cells seem to be separated by {other!r}: add --delimiter {other!r}")
    check_text_column(settings.column, header)
    return header, (_csv_row(header, record, problem, settings.column) for record, problem in records)


def check_unique(columns: Sequence[str], what: str = "columns") -> None:
    for name, count in Counter(columns).items():
        if count > 1:
            raise InputError(f"two {what} are called {name!r}: rename one")


def check_text_column(column: str, columns: Sequence[str]) -> None:
    if column not in columns:
        raise NoSuchColumn(f"there is no column {column!r}: set --column to one of {', '.join(columns)[:200]}")


def _csv_row(header: list[str], record: list[str], problem: InputError | None, column: str) -> Row:
    cells: Cells = dict.fromkeys(header)
    cells.update(zip(header, record, strict=False))
    if extra := record[len(header) :]:
        shown = ", ".join(map(repr, extra))[:200]
        problem = problem or InputError(f"the row has {len(record)} cells and the header {len(header)}: {shown}")
    return cells, problem or text_of(cells[column]), sum(map(len, record))


class _Lines:
    """The lines of a stream for a csv reader. Remembers the first problem in the lines of each record."""

    def __init__(self, stream: IO[bytes], settings: TableSettings) -> None:
        self._lines = lines_of(stream, settings)
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
        if "\r" in line[:-2]:  # the csv reader takes it as the end of a row
            line = line[:-2].replace("\r", _RETURN) + line[-2:]
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
                yield [cell.replace(_RETURN, "\r") for cell in record], self._problem


def _unclosed(reader: Any) -> InputError:
    return InputError(f"a quote is open at line {reader.line_num} and never closed: --no-quotes reads quotes literally")


def encode_separated(
    separator: str, block: RowBlock, new: list[Cells], columns: Sequence[str], settings: TableSettings
) -> str:
    """Rows as csv with this separator."""
    separator = settings.delimiter or separator
    breaks, lines = re.compile(f"[{re.escape(separator)}\\r\\n]+"), list[str]()
    # The writer encloses what would end its own lines in quotes, so these end with both.
    stream = SimpleNamespace(write=lambda line: lines.append(line[:-2] + "\n"))
    writer = csv.writer(stream, delimiter=separator, lineterminator="\r\n")
    for row, more in zip(block.rows(), new, strict=True):
        cells = [cell_text(more[name] if name in more else row.get(name)) for name in columns]
        if settings.quotes:
            writer.writerow(cells)
        else:
            lines.append(separator.join(breaks.sub(" ", cell) for cell in cells) + "\n")
    return "".join(lines)


def cell_text(cell: object) -> str:
    """A cell as text: empty for null, JSON for lists, dicts and booleans."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    nested = isinstance(cell, bool | list | tuple | dict)
    return json.dumps(cell, ensure_ascii=False, default=str) if nested else str(cell)
