"""Rows as the content of a file: gathered for the next part, and parts joined to the whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from typing import IO, Protocol

from tersely.batch.rows import Added, Block, Outcome
from tersely.batch.text_formats import TEXT_FORMATS, Cells, Dialect
from tersely.errors import InputError


class Sink(Protocol):
    """Where the rows of one output go. `size` is how many bytes wait to be taken."""

    size: int

    def add(self, block: Block, outcomes: Sequence[Outcome]) -> None:
        """Take the rows of a block, with what became of them."""

    def take(self) -> bytes:
        """What was added since the last time, as the content of a part."""

    def resume(self, parts: Iterable[IO[bytes]]) -> None:
        """Know of parts that an earlier process has taken."""

    def join(self, parts: Iterable[IO[bytes]], stream: IO[bytes]) -> None:
        """Write the whole, made from its parts."""


def sink_for(format: str, added: Added, dialect: Dialect) -> Sink:
    """The sink of a format."""
    if format != "parquet":
        return TextSink(format, added, dialect)
    from tersely.batch.parquet import ParquetSink

    return ParquetSink(added, dialect)


class TextSink:
    """The rows of one output as text. Parts have no header, so that they can be put one after the other."""

    def __init__(self, format: str, added: Added, dialect: Dialect) -> None:
        self._name, self._format = format, TEXT_FORMATS[format]
        self._added, self._dialect = added, dialect
        self._columns: Sequence[str] | None = None  # those of the first block
        self._pieces: list[bytes] = []
        self.size = 0

    def expect(self, columns: Sequence[str]) -> None:
        """Know the columns of the whole, where the first block need not be the first of all."""
        self._columns = columns

    def add(self, block: Block, outcomes: Sequence[Outcome]) -> None:
        if self._columns is None:
            self._columns = block.columns
        elif self._format.has_header:
            refuse_new_columns(block.columns, self._columns, block.source)
        rows = []
        for cells, outcome in zip(dicts(block), outcomes, strict=True):
            if self._name != "txt":
                self._added.refuse_taken(cells, block.source)
            rows.append({**cells, **self._added.cells(outcome)})
        self._pieces.append(self._format.write(rows, self._written, self._dialect))
        self.size += len(self._pieces[-1])

    @property
    def _written(self) -> list[str]:
        return [self._added.names[0]] if self._name == "txt" else [*(self._columns or ()), *self._added.names]

    def take(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces, self.size = [], 0
        return content

    def resume(self, parts: Iterable[IO[bytes]]) -> None:
        pass  # every part can follow every other

    def head(self) -> bytes:
        """What stands before all rows."""
        names = self._written
        return (
            self._format.write([dict(zip(names, names, strict=True))], names, self._dialect)
            if self._format.has_header
            else b""
        )

    def join(self, parts: Iterable[IO[bytes]], stream: IO[bytes]) -> None:
        stream.write(self.head())
        for part in parts:
            shutil.copyfileobj(part, stream, 1 << 20)


def refuse_new_columns(columns: Sequence[str], known: Sequence[str], where: str) -> None:
    """Refuse columns that the header, which is written once, has no place for."""
    for name in columns:
        if name not in known:
            raise InputError(
                f"{where} has a column {name!r} that the first input has not: write jsonl, parquet, or to a folder"
            )


def dicts(block: Block) -> list[Cells]:
    """The cells of each row of a block by the names of their columns."""
    if isinstance(block.cells, list):
        return block.cells
    from tersely.batch.parquet import dicts_of

    return dicts_of(block.cells)
