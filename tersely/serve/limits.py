"""The limits of a request. Each is an option of the command line; a request beyond one gets an error response."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely.errors import InputError
from tersely.text.words import MAX_CHARS
from tersely.web.errors import ApiError
from tersely.web.listener import MAX_CONNECTIONS


def _limit(default: Any, help: str) -> Any:
    return dataclasses.field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Limits:
    """The limits of a service.

    >>> Limits(max_texts=1).check(["a", "b"])
    Traceback (most recent call last):
        ...
    tersely.web.errors.ApiError: a request has at most 1 texts, not 2
    """

    max_chars: int = _limit(10_000, f"characters of a text, at most {MAX_CHARS:,}")
    max_texts: int = _limit(64, "texts of a request")
    max_summaries: int = _limit(1_000, "summaries of a request: its texts times n_best")
    max_body: int = _limit(1_000_000, "bytes of a request")
    max_response: int = _limit(4_000_000, "characters of a response")
    max_waiting: int = _limit(64, "requests that wait for a worker")
    max_connections: int = _limit(MAX_CONNECTIONS, "connections at a time, half of them for one client")
    max_seconds: float = _limit(30.0, "seconds for a request")

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not 0 < value < float("inf"):
                raise InputError(f"{name} must be above 0, not {value}")
        if self.max_chars > MAX_CHARS:
            raise InputError(f"max_chars must be at most {MAX_CHARS:,}, not {self.max_chars:,}")

    def check(self, texts: Sequence[str], n_best: int = 1) -> None:
        """Raise an error for too many texts or summaries, and for texts that are too long."""
        n_summaries = len(texts) * n_best
        if len(texts) > self.max_texts:
            raise ApiError("too_many", "text", what="texts", n=len(texts), limit=self.max_texts)
        if n_summaries > self.max_summaries:
            raise ApiError("too_many", "n_best", what="summaries", n=n_summaries, limit=self.max_summaries)
        for index, text in enumerate(texts):
            if len(text) > self.max_chars:
                field = "text" if len(texts) == 1 else f"text.{index}"
                raise ApiError("too_long", field, n=len(text), limit=self.max_chars)
