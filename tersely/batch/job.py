"""The settings of a batch job and the report of it, wherever it runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tersely.batch.row_blocks import Outcome, RowBlock, TableSettings
from tersely.errors import InputError
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer

SAVE_SECONDS = 10.0
MAX_ERROR_KINDS = 20
MAX_SHOWN = 120  # characters of a setting in a message
JobSettings = Mapping[str, str]  # everything that decides the output, by the names that messages use


@dataclass(frozen=True)
class Job:
    """What to do with every row, and how."""

    options: Options
    table: TableSettings = field(default_factory=TableSettings)
    workers: int | None = None
    strict: bool = False
    restart: bool = False
    save_every: float = SAVE_SECONDS  # about how many seconds of work a kill may cost
    ray: bool = False
    address: str | None = None  # of the Ray cluster

    def settings(self, summarizer: Summarizer) -> dict[str, str]:
        """Everything that decides the summaries and how they are written, by the names that messages use."""
        return {
            **summarizer.identity(self.options),
            "n_best": str(self.options.n_best),
            "diverse": str(self.options.diverse),
            "column": self.table.column,
            "quotes": str(self.table.quotes),
            "encoding": self.table.encoding,
            "delimiter": str(self.table.delimiter),
            "new columns": ", ".join(self.table.new_columns),
        }


@dataclass(frozen=True)
class BatchReport:
    """What was done: all rows, those that an earlier run did, errors by kind, seconds and warnings of this run."""

    rows: int
    rows_before: int
    errors: Counter[str]
    seconds: float
    warnings: Counter[str] = field(default_factory=Counter)


def check_same_settings(before: JobSettings, now: JobSettings, what: str) -> None:
    """Raise an error that names the first difference between two commands, if there is one."""
    for key in dict.fromkeys([*before, *now]):
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        difference = f"{_short(key)}: {_short(old)} before, {_short(new)} now"
        if key.startswith("input "):
            difference = f"{_short(key)} {'is new' if old is None else 'is gone' if new is None else 'has changed'}"
        raise InputError(f"{what} ({difference}): repeat the first command, give another OUT, or --restart")


def _short(value: object) -> str:
    """A setting in a message of one line: that of a damaged file may be anything."""
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def check_no_errors(block: RowBlock, outcomes: Sequence[Outcome]) -> None:
    """Raise the first error of a block, for `--strict`."""
    for number, outcome in enumerate(outcomes, start=block.first):
        if outcome.error is not None:
            raise InputError(f"{block.source}, row {number}: {outcome.error}")


def count_errors(errors: Counter[str], outcomes: Sequence[Outcome]) -> None:
    """Add the errors of some rows to the counts by kind."""
    for outcome in outcomes:
        if outcome.error is not None:
            kind = error_kind(outcome.error)
            errors[kind if kind in errors or len(errors) < MAX_ERROR_KINDS else "other errors"] += 1


def error_kind(error: str) -> str:
    """An error message without what is specific to one row.

    >>> error_kind("the text has 5,000 words, the limit is 1,000: split it into sentences")
    'the text has N words, the limit is N'
    """
    return re.sub(r"(?<![\w-])\d(?:[\d,.]*\d)?", "N", error.partition(": ")[0])
