"""What the machines of a cluster do, as Ray Data wants it: read row blocks, shorten them, write them.

For Ray, a whole row block is one row with one cell. So rows are read and written by the same code as on one machine,
including bad rows, and Ray never has to find a schema that fits them all.
"""

from __future__ import annotations

import io
import json
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from tersely.batch.formats import FileType, Writer
from tersely.batch.job import Job, check_no_errors, count_errors
from tersely.batch.pipeline import BlockSize, OutcomeCache, summarize_blocks
from tersely.batch.remote_files import RemoteFolder, RemoteInput
from tersely.batch.row_blocks import RowBlock, TableSettings
from tersely.errors import missing_extra
from tersely.summary.summarizer import Summarizer
from tersely.system.files import compressing

try:
    import pyarrow as pa
    import ray.data
    from ray.data.block import BlockMetadata
except ImportError:
    raise missing_extra("ray", "ray[data]") from None

# A block takes some seconds: a Ray task costs the driver milliseconds, and a lost worker loses one or two blocks.
BLOCK_ROWS, FAST_BLOCK_ROWS = 64, 1024
PART_ROWS = 100_000  # about, in a file of the output: some ten megabytes


@dataclass(frozen=True)
class RayRun:
    """What all tasks of a run share."""

    job: Job
    file_type: FileType  # of the files that are written
    columns: Sequence[str]  # of the input
    folder: RemoteFolder
    workers: int
    summarizer: bytes  # pickled

    @property
    def block_rows(self) -> int:
        return FAST_BLOCK_ROWS if self.job.options.fast else BLOCK_ROWS

    def writer(self) -> Writer:
        return self.file_type.format.writer(self.job.table, self.columns)


class BlockSource(ray.data.Datasource):  # type: ignore[misc]
    """The rows of files as row blocks: one Ray task per file, which emits blocks as it reads them."""

    def __init__(self, run: RayRun, inputs: Sequence[RemoteInput]) -> None:
        super().__init__()
        self._run, self._inputs = run, inputs

    def get_read_tasks(self, parallelism: int, *more: Any, **others: Any) -> list[ray.data.ReadTask]:
        return [
            ray.data.ReadTask(
                partial(read_blocks, one, self._run.job.table, self._run.block_rows),
                BlockMetadata(num_rows=None, size_bytes=one.size, input_files=(one.path,), exec_stats=None),
            )
            for one in self._inputs
        ]

    def estimate_inmemory_data_size(self) -> int:
        return sum(one.size for one in self._inputs)


def read_blocks(one: RemoteInput, settings: TableSettings, block_rows: int) -> Iterator[pa.Table]:
    """The rows of a file in pickled blocks."""
    with one.open(settings) as reader:
        while len(block := reader.read(block_rows)):
            yield pa.table({"block": [pickle.dumps(block)]})


class FinishedBlock(NamedTuple):
    """A block that is done: a part without a header, its number of rows, and its errors by kind as JSON."""

    content: bytes
    rows: int
    errors: str


class BlockSummarizer:
    """A worker: loads a summariser once and shortens block after block."""

    def __init__(self, run: RayRun) -> None:
        self._run, self._job, self._cache = run, replace(run.job, workers=1), OutcomeCache()

    @cached_property
    def summarizer(self) -> Summarizer:
        """Loaded with the first block. If that fails, Ray stops; it would recreate an actor that fails to start."""
        return pickle.loads(self._run.summarizer)  # type: ignore[no-any-return]

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        done = [self.summarized(pickle.loads(block)) for block in batch["block"]]
        return {name: [getattr(one, name) for one in done] for name in FinishedBlock._fields}

    def summarized(self, block: RowBlock) -> FinishedBlock:
        """A block as it is written. Each worker shortens equal texts once."""
        results = summarize_blocks([(None, block)], self.summarizer, self._job, self._cache, BlockSize())
        outcomes = next(results)[2]
        if self._job.strict:
            check_no_errors(block, outcomes)
        errors = Counter[str]()
        count_errors(errors, outcomes)
        writer = self._run.writer()
        writer.add(block, outcomes)
        return FinishedBlock(writer.take(), len(block), json.dumps(errors))


class WrittenPart(NamedTuple):
    """A file of the output that a Ray task has written."""

    name: str
    bytes: int
    rows: int
    errors: Counter[str]


class PartSink(ray.data.Datasink):  # type: ignore[misc]
    """Writes finished blocks to files, `part-WAVE-NUMBER`. A task that is repeated writes the same file again."""

    def __init__(self, run: RayRun, wave: int) -> None:
        self._run, self._wave = run, wave
        self.written: list[WrittenPart] = []

    @property
    def min_rows_per_write(self) -> int:
        return max(1, PART_ROWS // self._run.block_rows)  # for Ray, a block is a row

    def write(self, blocks: Iterable[pa.Table], ctx: Any) -> WrittenPart | None:
        done = [FinishedBlock(**row) for block in blocks for row in block.to_pylist()]
        if not done:
            return None
        name = f"part-{self._wave:06}-{ctx.task_idx:06}.{self._run.file_type}"
        content = self._joined([one.content for one in done])
        self._run.folder.write(name, content)
        errors = sum((Counter(json.loads(one.errors)) for one in done), Counter[str]())
        return WrittenPart(name, len(content), sum(one.rows for one in done), errors)

    def _joined(self, parts: Sequence[bytes]) -> bytes:
        writer, raw = self._run.writer(), io.BytesIO()
        writer.resume(map(io.BytesIO, parts))
        with compressing(raw, self._run.file_type.compression) as stream:
            writer.join(map(io.BytesIO, parts), stream)
        return raw.getvalue()

    def on_write_complete(self, write_result: Any) -> None:
        self.written = [one for one in write_result.write_returns if one is not None]
