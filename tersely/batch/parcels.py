"""What the machines of a cluster do: read parcels, shorten them, write them; as Ray Data wants it.

A parcel is a block of rows, and for Ray a row with one cell. So rows are read and written by the very same code as on
one machine, bad ones included, and Ray never has to find a schema that fits them all.
"""

from __future__ import annotations

import io
import json
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from tersely.batch.anywhere import Folder, RemoteInput
from tersely.batch.job import Job, refuse_errors
from tersely.batch.places import Form
from tersely.batch.rows import Block
from tersely.batch.sinks import TextSink, sink_for
from tersely.batch.stores import count_errors
from tersely.batch.text_formats import Dialect
from tersely.batch.work import Memory
from tersely.errors import InputError, missing_extra
from tersely.files import packing
from tersely.summarizer import Summarizer

try:
    import pyarrow as pa
    import ray.data
    from ray.data.block import BlockMetadata
except ImportError:
    raise missing_extra("ray", "ray[data]") from None

ROWS_IN_A_PART = 100_000  # about, in a file of the output: some ten megabytes


class Reading(ray.data.Datasource):  # type: ignore[misc]
    """The rows of files as parcels: a task of Ray for each file, which hands on parcels as it reads them."""

    def __init__(self, inputs: Sequence[RemoteInput], dialect: Dialect, rows: int) -> None:
        super().__init__()
        self._inputs, self._dialect, self._rows = inputs, dialect, rows

    def get_read_tasks(self, parallelism: int, *more: Any, **others: Any) -> list[ray.data.ReadTask]:
        return [
            ray.data.ReadTask(
                partial(parcels, one, self._dialect, self._rows),
                BlockMetadata(num_rows=None, size_bytes=one.size, input_files=(one.path,), exec_stats=None),
            )
            for one in self._inputs
        ]

    def estimate_inmemory_data_size(self) -> int:
        return sum(one.size for one in self._inputs)


def parcels(one: RemoteInput, dialect: Dialect, rows: int) -> Iterator[pa.Table]:
    """The rows of a file, so many in a parcel."""
    with one.opened(dialect) as reader:
        while len(block := reader.read(rows)):
            yield pa.table({"parcel": [pickle.dumps(block)]})


@dataclass(frozen=True)
class Target:
    """What is written: the form of the files, and, where they have a header, its columns."""

    form: Form
    columns: Sequence[str]


class Shortening:
    """What a worker is: a summariser that is loaded once and shortens parcel after parcel."""

    def __init__(self, summarizer: bytes, job: Job, target: Target) -> None:
        self._pickled, self._job, self._target = summarizer, job, target
        self._memory = Memory()

    @cached_property
    def summarizer(self) -> Summarizer:
        """Loaded with the first parcel: if that fails, Ray stops, while an actor that cannot be made it makes again."""
        made: Summarizer = pickle.loads(self._pickled)
        return made

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        done = [self.shortened(pickle.loads(parcel)) for parcel in batch["parcel"]]
        return {name: [getattr(one, name) for one in done] for name in Shortened._fields}

    def shortened(self, block: Block) -> Shortened:
        """The rows of a block as they are written; equal texts are shortened once by each worker."""
        outcomes = []
        for text in block.texts:
            if isinstance(text, InputError):
                outcomes.append(self._job.added.outcome(text))
                continue
            place, _ = self._memory.place(text)
            if not place:
                place.append(self._job.added.outcome(self.summarizer.attempt(text, self._job.options)))
            outcomes.append(place[0])
        if self._job.strict:
            refuse_errors(block, outcomes)
        errors = Counter[str]()
        count_errors(errors, outcomes)
        sink = sink_for(self._target.form.format, self._job.added, self._job.dialect)
        if isinstance(sink, TextSink):
            sink.expect(self._target.columns)
        sink.add(block, outcomes)
        return Shortened(sink.take(), len(block), json.dumps(errors))


class Shortened(NamedTuple):
    """A parcel that is done: a part without its head, its rows, and its errors by kind as JSON."""

    content: bytes
    rows: int
    errors: str


class Written(NamedTuple):
    """What a task of Ray has written: a file of the output."""

    name: str
    bytes: int
    rows: int
    errors: Counter[str]


class Writing(ray.data.Datasink):  # type: ignore[misc]
    """Parcels that are done become files, `part-WAVE-NUMBER`. A task that is done again writes the same file again."""

    def __init__(self, folder: Folder, job: Job, target: Target, wave: int, rows: int) -> None:
        self._folder, self._job, self._target, self._wave = folder, job, target, wave
        self._parcels = max(1, ROWS_IN_A_PART // rows)
        self.written: list[Written] = []

    @property
    def min_rows_per_write(self) -> int:
        return self._parcels  # for Ray, a parcel is a row

    def write(self, blocks: Iterable[pa.Table], ctx: Any) -> Written | None:
        done = [Shortened(**row) for block in blocks for row in block.to_pylist()]
        if not done:
            return None
        form = self._target.form
        name = f"part-{self._wave:06}-{ctx.task_idx:06}.{form.format}{form.packing}"
        content = joined([one.content for one in done], self._job, self._target)
        self._folder.write(name, content)
        errors = sum((Counter(json.loads(one.errors)) for one in done), Counter[str]())
        return Written(name, len(content), sum(one.rows for one in done), errors)

    def on_write_complete(self, write_result: Any) -> None:
        self.written = [one for one in write_result.write_returns if one is not None]


def joined(contents: Sequence[bytes], job: Job, target: Target) -> bytes:
    """Parts as the content of a file."""
    sink, raw = sink_for(target.form.format, job.added, job.dialect), io.BytesIO()
    if isinstance(sink, TextSink):
        sink.expect(target.columns)
    sink.resume(map(io.BytesIO, contents))
    with packing(raw, target.form.packing) as stream:
        sink.join(map(io.BytesIO, contents), stream)
    return raw.getvalue()
