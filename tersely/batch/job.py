"""What a batch is asked and what came of it, wherever it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tersely.batch.places import Form
from tersely.batch.rows import Added, Block, Outcome
from tersely.batch.text_formats import Dialect
from tersely.errors import InputError
from tersely.options import Options
from tersely.summarizer import Summarizer

PART_SECONDS = 10.0
Asked = Mapping[str, str]  # everything that decides the output, each under a name for messages


@dataclass(frozen=True)
class Job:
    """What is to be done with every row, and how."""

    options: Options
    added: Added = field(default_factory=Added)
    dialect: Dialect = field(default_factory=Dialect)
    workers: int | None = None
    strict: bool = False
    restart: bool = False
    save_every: float = PART_SECONDS  # seconds: no more work than that of some such time is lost with a kill

    def asked(self, summarizer: Summarizer, inputs: Asked, forms: list[Form]) -> Asked:
        """Everything that decides the output, by the names that a message gives it; `forms` are those of the output."""
        asked = {f"input {name}": content for name, content in inputs.items()}
        asked |= summarizer.identity(self.options)
        asked |= {"n_best": str(self.options.n_best), "diverse": str(self.options.diverse)}
        asked |= {"column": self.dialect.column, "quotes": str(self.dialect.quotes)}
        asked |= {"new columns": ", ".join(self.added.names)}
        for number, form in enumerate(forms):
            asked[f"format of output {number + 1}"] = f"{form.format}{form.packing}"
        return asked


@dataclass(frozen=True)
class Report:
    """What was done: all rows, those that an earlier run had done, errors by kind, and seconds of this run."""

    rows: int
    before: int
    errors: Counter[str]
    seconds: float


def refuse_other(before: Asked, now: Asked, what: str) -> None:
    """Refuse a command that asks for something else than the one before; the first difference is named."""
    for key in dict.fromkeys([*before, *now]):
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        seen = f"{key}: {old} then, {new} now"
        if key.startswith("input "):
            seen = f"{key} is new" if old is None else f"{key} is gone" if new is None else f"{key} has changed"
        raise InputError(f"{what} ({seen}): give the command as it was, another OUT, or --restart to begin anew")


def refuse_errors(block: Block, outcomes: list[Outcome]) -> None:
    """Refuse a block with an error, as `--strict` asks."""
    for index, outcome in enumerate(outcomes):
        if outcome.error is not None:
            raise InputError(f"{block.place(index)}: {outcome.error}")
