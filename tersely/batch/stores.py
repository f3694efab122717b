"""Where the finished rows of an output go: into parts that become a file, or to stdout at once."""

from __future__ import annotations

import hashlib
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import IO

from tersely.batch.job import Job, count_errors
from tersely.batch.journal import Journal, OutputState
from tersely.batch.paths import Output
from tersely.batch.row_blocks import Outcome, RowBlock
from tersely.errors import FileError, InputError
from tersely.system.files import compressing

PART_BYTES = 1 << 22  # a part is written when it has this size, or is older than the job allows


class FileStore:
    """Writes the rows of an output to parts, and joins the parts to a file when all rows are there."""

    def __init__(self, journal: Journal, number: int, output: Output, job: Job) -> None:
        self.output, self.state = output, journal.state(number)
        self._journal, self._number, self._job = journal, number, job
        self._writer = output.file_type.format.writer(job.table)
        self._rows, self._errors, self._since = 0, Counter[str](), 0.0  # not in a part yet
        self._digest, self._checksum = hashlib.sha256(), ""

    def skip(self, block: RowBlock) -> None:
        """Take note of rows that are done: those that follow must be the next ones."""
        self._writer.skip(block)
        self.note(block)

    def note(self, block: RowBlock) -> None:
        """Add rows to the checksum."""
        if len(block):
            self._digest.update(block.content())
            self._checksum = self._digest.hexdigest()

    def add(self, block: RowBlock, outcomes: Sequence[Outcome]) -> None:
        """Add the next rows."""
        if not self._rows:
            self._since = time.monotonic()
            if self._checksum != self.state.checksum:
                raise InputError(f"{block.source} does not start with the rows that are done: use --restart")
        # An interrupt before the block is counted must not save it: its rows would come twice.
        rows, self._rows = self._rows, 0
        self._writer.add(block, outcomes)
        self.note(block)
        count_errors(self._errors, outcomes)
        self._rows = rows + len(block)
        if self._writer.size >= PART_BYTES or time.monotonic() - self._since >= self._job.save_every:
            self.flush()

    def flush(self) -> None:
        """Save the rows that are in no part yet."""
        if self._rows:
            rows, errors = self._rows, self._errors
            self._rows, self._errors = 0, Counter()
            self._journal.write_part(self._number, self._writer.take(), rows, errors, self._checksum)

    def finish(self) -> None:
        """Write the file."""
        self.flush()
        path = self.output.path
        assert path is not None
        with (
            self._journal.writing(path) as raw,
            compressing(raw, self.output.file_type.compression) as stream,
        ):
            self._writer.join(self._journal.parts(self._number), stream)
        if (info := self.output.files.info(path)) is None:
            raise FileError(f"{path} was written and is gone")
        self._journal.complete(self._number, info.size)
        del self._writer


class StdoutStore:
    """Writes rows to stdout as they come. Nothing is saved, so a run cannot be resumed."""

    def __init__(self, output: Output, job: Job) -> None:
        if output.file_type.format.needs_file:
            raise InputError(f"{output.file_type} cannot be written to stdout: give a file")
        self.output, self.state = output, OutputState()
        self._writer = output.file_type.format.writer(job.table)
        self._compressing = compressing(sys.stdout.buffer, output.file_type.compression)
        self._stream: IO[bytes] | None = None

    def skip(self, block: RowBlock) -> None:
        raise AssertionError("nothing was done before")

    def add(self, block: RowBlock, outcomes: Sequence[Outcome]) -> None:
        self._writer.add(block, outcomes)
        if self._stream is None:
            self._stream = self._compressing.__enter__()
            self._writer.join([], self._stream)  # the header
        self._stream.write(self._writer.take())
        self._stream.flush()
        self.state.rows += len(block)
        count_errors(self.state.errors, outcomes)

    def flush(self) -> None:
        pass

    def finish(self) -> None:
        self._compressing.__exit__(None, None, None)


Store = FileStore | StdoutStore
