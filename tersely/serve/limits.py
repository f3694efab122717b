"""What one request may ask for. Past a limit there is a clear refusal; each is an option of the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely.errors import InputError
from tersely.text import MAX_CHARS
from tersely.web.refusals import Refused


def _limit(default: Any, help: str) -> Any:
    return dataclasses.field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Limits:
    """The limits of a service.

    >>> Limits(max_texts=1).check(["a", "b"])
    Traceback (most recent call last):
        ...
    tersely.web.refusals.Refused: a request has at most 1 texts, not 2
    """

    max_chars: int = _limit(10_000, f"characters of a text, at most {MAX_CHARS:,}")
    max_texts: int = _limit(64, "texts of a request")
    max_summaries: int = _limit(1_000, "summaries of a request: its texts times n_best")
    max_body: int = _limit(1_000_000, "bytes of a request")
    max_waiting: int = _limit(64, "requests that wait for a worker")
    max_per_client: int = _limit(64, "requests of one client at a time")
    max_seconds: float = _limit(30.0, "seconds for a request")

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not 0 < value < float("inf"):
                raise InputError(f"{name} must be above 0, not {value}")
        if self.max_chars > MAX_CHARS:
            raise InputError(f"max_chars must be at most {MAX_CHARS:,}, not {self.max_chars:,}")

    def check(self, texts: Sequence[str], n_best: int = 1) -> None:
        """Refuse too many texts or summaries, and texts that are too long."""
        if len(texts) > self.max_texts:
            message = f"a request has at most {self.max_texts:,} texts, not {len(texts):,}"
            raise Refused(413, "too_many", message, "text")
        if len(texts) * n_best > self.max_summaries:
            message = f"a request has at most {self.max_summaries:,} summaries, not {len(texts) * n_best:,}"
            raise Refused(413, "too_many", message, "n_best")
        for index, text in enumerate(texts):
            if len(text) > self.max_chars:
                message = f"the text has {len(text):,} characters, the limit is {self.max_chars:,}"
                raise Refused(413, "too_long", message, "text" if len(texts) == 1 else f"text.{index}")
