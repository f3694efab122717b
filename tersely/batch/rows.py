"""Rows on their way: what is read, what becomes of it, and the columns that are added.

A `Block` is a run of rows of one input. Its cells stay as their format reads them, a list of dicts or an Arrow table:
only the text is looked at, all else is handed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tersely.errors import InputError
from tersely.summary import Summary

Text = str | InputError  # what is to be shortened, or why there is nothing


@dataclass
class Block:
    """Consecutive rows of an input, of which the first is its row number `first`, from 1."""

    source: str  # the name of the input, for messages
    first: int
    texts: Sequence[Text]
    cells: Any  # list[dict[str, Any]], or a pyarrow.Table
    columns: Sequence[str] = ()  # of all rows; where each row has its own, of the first

    def __len__(self) -> int:
        return len(self.texts)

    def place(self, index: int) -> str:
        return f"{self.source}, row {self.first + index}"


def text_of(cell: object) -> Text:
    """The text in a cell, or why it has none.

    >>> text_of("A ship"), str(text_of(None)), str(text_of(5))
    ('A ship', 'the cell is null', 'the cell holds no text but int')
    """
    if isinstance(cell, str):
        return cell if cell.isascii() or _is_unicode(cell) else InputError("the text is not valid Unicode")
    return InputError("the cell is null" if cell is None else f"the cell holds no text but {type(cell).__name__}")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
        return True
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell
        return False


class Outcome(NamedTuple):
    """What became of a text: a summary with some of its evidence, or an error. Small, for there are many."""

    summary: str | None = None
    score: float | None = None
    kept: tuple[int, ...] | None = None
    others: tuple[str, ...] | None = None
    error: str | None = None


@dataclass(frozen=True)
class Added:
    """The columns that are added to those of the input.

    >>> Added(score=True, prefix="short_").names
    ['short_summary', 'short_score', 'short_error']
    """

    score: bool = False
    kept: bool = False
    others: bool = False
    prefix: str = ""

    @property
    def fields(self) -> list[str]:
        """The fields of an outcome that become columns."""
        asked = {"score": self.score, "kept": self.kept, "others": self.others}
        return [field for field in Outcome._fields if asked.get(field, True)]

    @property
    def names(self) -> list[str]:
        return [self.prefix + field for field in self.fields]

    def outcome(self, found: Summary | InputError) -> Outcome:
        """What is kept of a summary."""
        if isinstance(found, InputError):
            return Outcome(error=str(found))
        return Outcome(
            found.text,
            found.score if self.score else None,
            found.kept if self.kept else None,
            tuple(other.text for other in found.others) if self.others else None,
        )

    def cells(self, outcome: Outcome) -> dict[str, Any]:
        return {self.prefix + field: getattr(outcome, field) for field in self.fields}

    def refuse_no_place(self, format: str) -> None:
        """Refuse columns for a format that has none."""
        if format == "txt" and (self.score or self.kept or self.prefix):
            raise InputError("plain text has a line for the summary and no columns: write csv, tsv, jsonl or parquet")

    def refuse_taken(self, columns: Iterable[str], where: str) -> None:
        """Refuse rows with a column of a name that is to be added: nothing of it may be lost."""
        for name in set(self.names).intersection(columns):
            raise InputError(f"{where} has a column {name!r} already: --prefix short_ calls the new one short_{name}")
