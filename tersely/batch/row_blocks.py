"""Blocks of rows: the rows that are read, the outcome of each text, and the columns that are added.

The cells of a block stay as their format reads them (dicts, lines of JSON, an Arrow table): only the texts are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from tersely.errors import InputError
from tersely.summary.summary import Summary

Cells = dict[str, Any]  # one row: cells by the names of their columns
Text = str | InputError  # the text of a row, or why it has none


class NoSuchColumn(InputError):
    """No row of an input has the column that was asked for."""


@dataclass
class RowBlock:
    """Consecutive rows of one input. `first` is the number of the first row, counted from 1."""

    source: str  # the name of the input, for messages
    first: int
    texts: Sequence[Text]
    cells: Any  # list[Cells], unless a subclass overrides `rows`
    columns: Sequence[str] = ()  # of all rows; where each row has its own columns, of the first row

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self) -> list[Cells]:
        """The rows as dicts."""
        return self.cells  # type: ignore[no-any-return]

    def names(self) -> Iterable[str]:
        """The columns that any of the rows has."""
        return dict.fromkeys(chain(self.columns, *self.rows()))

    def content(self) -> bytes:
        """Everything that is in the rows, for a checksum: the same however rows are put into blocks."""
        return "".join(f"{row!r}\n" for row in self.rows()).encode("utf-8", "surrogatepass")


def text_of(cell: object) -> Text:
    """The text in a cell, or why it has none.

    >>> text_of("A ship"), str(text_of(None)), str(text_of(5))
    ('A ship', 'the cell is null', 'the cell has type int: expected text')
    """
    if isinstance(cell, str):
        return cell if cell.isascii() or is_unicode(cell) else InputError("the text is not valid Unicode")
    return InputError("the cell is null" if cell is None else f"the cell has type {type(cell).__name__}: expected text")


def is_unicode(text: str) -> bool:
    """Whether a text can be encoded, having no half of a surrogate pair, which JSON and an invalid byte can make."""
    try:
        text.encode()
        return True
    except UnicodeEncodeError:
        return False


def text_at(cells: Cells, column: str) -> Text:
    """The text in a column of a row. A column in dicts within dicts is a path of names.

    >>> text_at({"doc": {"body": "A ship"}}, "doc.body")
    'A ship'
    """
    if column in cells:
        return text_of(cells[column])
    found: Any = cells
    for name in column.split("."):
        if not isinstance(found, dict) or name not in found:
            return InputError(f"the row has no {column!r}: it has {', '.join(cells)[:200] or 'nothing'}")
        found = found[name]
    return text_of(found)


class Outcome(NamedTuple):
    """The outcome of a text: a summary with some of its evidence, or an error. Small, because there are many."""

    summary: str | None = None
    score: float | None = None
    kept: tuple[int, ...] | None = None
    others: tuple[str, ...] | None = None
    error: str | None = None
    warnings: tuple[str, ...] = ()  # counted, and in no column


@dataclass(frozen=True)
class TableSettings:
    """How rows are read and written: the column with the texts, details of text files, the columns that are added.

    >>> TableSettings(score=True, prefix="short_").new_columns
    ['short_summary', 'short_score', 'short_error']
    """

    column: str = "text"
    quotes: bool = True  # whether quotes enclose cells of csv and tsv
    score: bool = False
    kept: bool = False
    others: bool = False
    prefix: str = ""
    encoding: str = "utf-8"
    delimiter: str | None = None  # between cells of csv and tsv, if it is not that of the format

    @property
    def fields(self) -> list[str]:
        """The fields of an outcome that become columns."""
        optional = {"score": self.score, "kept": self.kept, "others": self.others, "warnings": False}
        return [field for field in Outcome._fields if optional.get(field, True)]

    @property
    def new_columns(self) -> list[str]:
        return [self.prefix + field for field in self.fields]

    def outcome(self, found: Summary | InputError) -> Outcome:
        """The part of a summary that is written."""
        if isinstance(found, InputError):
            return Outcome(error=str(found))
        return Outcome(
            found.text,
            found.score if self.score else None,
            found.kept if self.kept else None,
            tuple(other.text for other in found.others) if self.others else None,
            warnings=found.warnings,
        )

    def new_cells(self, outcome: Outcome) -> Cells:
        return {self.prefix + field: getattr(outcome, field) for field in self.fields}

    def check_names(self, columns: Iterable[str], source: str) -> None:
        """Raise an error if the input already has a column with the name of a new one, which would overwrite it."""
        for name in set(self.new_columns).intersection(columns):
            raise InputError(f"{source} has a column {name!r} already: --prefix short_ calls the new one short_{name}")
