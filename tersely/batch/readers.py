"""Inputs opened: blocks of rows, whatever the format."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import IO, Protocol

from tersely.batch.places import Input
from tersely.batch.rows import Block, Text
from tersely.batch.text_formats import TEXT_FORMATS, Cells, Dialect, Table
from tersely.errors import FileError, InputError
from tersely.files import reading, unpacking

MOST_CHARS = 1 << 20  # in a block: long texts make short blocks, so that memory stays flat


class Reader(Protocol):
    """An open input. `columns` are those of all rows, or, where each row has its own, of the first."""

    columns: list[str]

    def read(self, most: int) -> Block:
        """The next rows, at most so many; none at the end."""


class TextReader:
    """The rows of a text format."""

    def __init__(self, name: str, table: Table) -> None:
        self.columns, self._rows = table
        self._name = name
        self._count = 0

    def read(self, most: int) -> Block:
        cells: list[Cells] = []
        texts: list[Text] = []
        chars = 0
        while len(texts) < most and chars < MOST_CHARS and (row := next(self._rows, None)):
            cells.append(row[0])
            texts.append(row[1])
            chars += sum(len(cell) for cell in row[0].values() if isinstance(cell, str))
        block = Block(self._name, self._count + 1, texts, cells, self.columns)
        self._count += len(texts)
        return block


@contextmanager
def opened(one: Input, dialect: Dialect) -> Iterator[Reader]:
    """An input, ready to be read; what is wrong with it is an error with its name.

    Only read in here: what else fails in the block would be taken for a failure of the input.
    """
    with named(one.name):
        if one.form.format == "parquet":
            from tersely.batch.parquet import ParquetReader

            yield ParquetReader(one.name, dialect)
        else:
            with _stream(one) as stream:
                yield TextReader(one.name, TEXT_FORMATS[one.form.format].read(stream, dialect))


@contextmanager
def named(name: str) -> Iterator[None]:
    """What is wrong with an input is told with its name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


@contextmanager
def _stream(one: Input) -> Iterator[IO[bytes]]:
    if one.path is not None:
        with reading(one.path, one.form.packing) as stream:
            yield stream
    elif sys.stdin is None:
        raise FileError("cannot read stdin: it is closed")
    else:
        with unpacking(lambda: nullcontext(sys.stdin.buffer), one.form.packing, "stdin") as stream:
            yield stream


@dataclass(frozen=True)
class Survey:
    """What is known of an input before its rows are read: a checksum, its columns, and about how many rows it has.

    A checksum takes one more pass over the file, but no time stamp is as sure, and a summary takes a thousand times as
    long as reading its row.
    """

    checksum: str
    columns: list[str]
    rows: int


def survey(one: Input, dialect: Dialect) -> Survey:
    """Look at an input that is no stream."""
    assert one.path is not None
    with opened(one, dialect) as reader:
        columns = reader.columns
        rows = getattr(reader, "n_rows", None)
    digest = hashlib.sha256()
    with reading(one.path, "") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return Survey(digest.hexdigest(), columns, _count_lines(one) if rows is None else rows)


def _count_lines(one: Input) -> int:
    """The lines of a text, which are its rows but for a header and for cells of several lines."""
    count, last = 0, b"\n"
    with _stream(one) as stream:
        while piece := stream.read(1 << 20):
            count, last = count + piece.count(b"\n"), piece
    lines = count + (not last.endswith(b"\n"))
    return max(0, lines - TEXT_FORMATS[one.form.format].has_header)
