"""Where rows go: parts that become files, or stdout at once."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import IO, Protocol

from tersely.batch.job import PART_SECONDS
from tersely.batch.journal import Done, Journal
from tersely.batch.places import Output
from tersely.batch.rows import Added, Block, Outcome
from tersely.batch.sinks import Sink, TextSink, sink_for
from tersely.batch.text_formats import Dialect
from tersely.errors import InputError
from tersely.files import packing

PART_BYTES = 1 << 22  # a part is written when it has so many bytes, or is older than the job allows
MOST_KINDS = 20  # of errors are told apart


class Store(Protocol):
    """Where the rows of the outputs go, one output after the other; an output is known by its number."""

    def done(self, output: int) -> Done:
        """How much of an output is there."""

    def skip(self, output: int, block: Block) -> None:
        """See rows again that are there already."""

    def add(self, output: int, block: Block, outcomes: Sequence[Outcome]) -> None:
        """Take the next rows of an output."""

    def finish(self, output: int) -> None:
        """Complete an output: it has all its rows."""

    def flush(self) -> None:
        """Save what there is."""


class FileStore:
    """Rows become parts, and the parts of an output, when it has all its rows, a file."""

    def __init__(
        self,
        journal: Journal,
        outputs: Sequence[Output],
        added: Added,
        dialect: Dialect,
        part_seconds: float = PART_SECONDS,
    ) -> None:
        self._journal, self._outputs, self._added, self._dialect = journal, outputs, added, dialect
        self._part_seconds = part_seconds
        self._current: _Current | None = None

    def done(self, output: int) -> Done:
        return self._journal.done(output)

    def skip(self, output: int, block: Block) -> None:
        self._writing(output).see(block)

    def add(self, output: int, block: Block, outcomes: Sequence[Outcome]) -> None:
        current = self._writing(output)
        if not current.rows and current.checksum != self.done(output).checksum:
            raise InputError(f"{block.source} does not begin with the rows that are done: --restart begins anew")
        current.sink.add(block, outcomes)
        current.see(block)
        current.rows += len(block)
        count_errors(current.errors, outcomes)
        if current.sink.size >= PART_BYTES or time.monotonic() - current.since >= self._part_seconds:
            self.flush()

    def flush(self) -> None:
        if (current := self._current) and current.rows:
            content, rows, errors = current.sink.take(), current.rows, current.errors
            current.rows, current.errors, current.since = 0, Counter(), time.monotonic()
            self._journal.write_part(current.number, content, rows, errors, current.checksum)

    def finish(self, output: int) -> None:
        self.flush()
        path, whole = self._outputs[output].path, self._journal.folder / "whole"
        assert path is not None
        with self._journal.saving():
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole.open("wb") as raw:
                with packing(raw, self._outputs[output].form.packing) as stream:
                    self._writing(output).sink.join(self._journal.parts(output), stream)
                raw.flush()
                os.fsync(raw.fileno())
            size = whole.stat().st_size
            os.replace(whole, path)
        self._journal.complete(output, size)
        self._current = None

    def _writing(self, number: int) -> _Current:
        if self._current is None:
            output = self._outputs[number]
            sink = sink_for(output.form.format, self._added, self._dialect)
            sink.resume(self._journal.parts(number))
            self._current = _Current(number, sink, any(one.is_stream for one in output.inputs))
        return self._current


class _Current:
    """The output that is being written, and what of it is not in a part yet."""

    def __init__(self, number: int, sink: Sink, is_stream: bool) -> None:
        self.number, self.sink = number, sink
        self.rows, self.errors, self.since = 0, Counter[str](), time.monotonic()
        self._digest = hashlib.sha256() if is_stream else None
        self._seen = 0

    def see(self, block: Block) -> None:
        """Remember rows of a stream, which cannot be looked at beforehand as a file can."""
        self._seen += len(block)
        if self._digest:
            for cells in block.cells:
                self._digest.update(repr(cells).encode("utf-8", "replace"))

    @property
    def checksum(self) -> str:
        return self._digest.hexdigest() if self._digest and self._seen else ""


class StreamStore:
    """Rows go to stdout as they come. Nothing is kept, so that nothing can be resumed."""

    def __init__(self, output: Output, added: Added, dialect: Dialect) -> None:
        if output.form.format == "parquet":
            raise InputError("parquet cannot be written to stdout: give a file")
        self._done = Done()
        self._sink = TextSink(output.form.format, added, dialect)
        self._packing = packing(sys.stdout.buffer, output.form.packing)
        self._stream: IO[bytes] | None = None

    def done(self, output: int) -> Done:
        return self._done

    def skip(self, output: int, block: Block) -> None:
        raise AssertionError("nothing was done before")

    def add(self, output: int, block: Block, outcomes: Sequence[Outcome]) -> None:
        self._sink.add(block, outcomes)
        if self._stream is None:
            self._stream = self._packing.__enter__()
            self._stream.write(self._sink.head())
        self._stream.write(self._sink.take())
        self._stream.flush()
        self._done.rows += len(block)
        count_errors(self._done.errors, outcomes)

    def finish(self, output: int) -> None:
        self._packing.__exit__(None, None, None)

    def flush(self) -> None:
        pass


def count_errors(errors: Counter[str], outcomes: Sequence[Outcome]) -> None:
    """Count the errors by their kinds."""
    for outcome in outcomes:
        if outcome.error is not None:
            kind = kind_of(outcome.error)
            errors[kind if kind in errors or len(errors) < MOST_KINDS else "other errors"] += 1


def kind_of(error: str) -> str:
    """An error without what is particular to one row.

    >>> kind_of("the text has 5,000 words, the limit is 1,000: split it into sentences")
    'the text has N words, the limit is N'
    """
    return re.sub(r"(?<![\w-])\d(?:[\d,.]*\d)?", "N", error.partition(": ")[0])
