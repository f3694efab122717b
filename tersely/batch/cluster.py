"""A batch on a Ray cluster, by Ray Data: inputs in waves, each read, shortened by a pool of actors, and written.

    read_datasource -> map_batches (an actor for each core, which loads the bundle once) -> write_datasink

Ray repeats the work of a machine or a worker that was lost. If the program itself is stopped, the same command resumes
after the last wave: for each wave, OUT/_run has a record of the inputs that are done and of their parts.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import socket
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tersely import errors
from tersely.batch.formats import FileType
from tersely.batch.job import BatchReport, Job, JobSettings, check_same_settings
from tersely.batch.ray_tasks import BlockSource, BlockSummarizer, PartSink, RayRun
from tersely.batch.remote_files import RemoteFolder, RemoteInput, find_remote, is_in
from tersely.errors import FileError, InputError, TerselyError, WorkerLost, missing_extra
from tersely.summary.summarizer import Summarizer
from tersely.system.progress import progress
from tersely.system.workers import checked_workers

try:
    import ray
    import ray.data
except ImportError:
    raise missing_extra("ray", "ray[data]") from None

WAVE_SECONDS = 900.0  # what a wave should take, and so the work that is lost if the driver is killed
FIRST_WAVE_BYTES = 1 << 18  # of input for each worker, before it is known how long they take
_RUN, _MANIFEST, _SETTINGS = "_run", "_manifest.json", "settings.json"
WaveRecord = dict[str, Any]  # the inputs of a wave, its parts with their bytes, rows, errors


def run(
    job: Job,
    source: str,
    target: str,
    file_types: tuple[FileType | None, FileType | None],
    address: str | None,
    summarizer: Summarizer,
) -> BatchReport:
    """Run a job, or the rest of it. `source` and `target` are IN and OUT, `file_types` those of --from and --to."""
    summarizer.check(job.options)
    workers = None if job.workers is None else checked_workers(job.workers)
    inputs = find_remote(source, file_types[0])
    file_type = file_types[1] or FileType.of(target.rstrip("/")) or inputs[0].file_type
    with inputs[0].open(job.table) as reader:
        columns = reader.columns
    file_type.format.check(job.table, {inputs[0].path: columns})
    folder = RemoteFolder(target)
    if is_in(f"{folder.path}/part-0.{file_type.name}", source) or is_in(inputs[0].path, target):
        raise InputError(f"{target} is in {source}, which is read: give another OUT")
    settings = job.settings(summarizer, {one.name: one.version for one in inputs}, [file_type])
    if job.restart:
        for name in [_RUN, _MANIFEST, *_parts(folder)]:
            folder.delete(name)
    if (report := _finished_before(folder, settings)) is not None:
        return report
    records = _finished_waves(folder, settings)
    before, start = sum(record["rows"] for record in records), time.monotonic()
    with _connected(address, workers):
        workers = workers or int(ray.cluster_resources().get("CPU", 1))
        waves = _waves(RayRun(job, file_type, columns, folder, workers, pickle.dumps(summarizer)), inputs, records)
        for _ in progress(waves, "summarised", size=lambda new: int(new["rows"]), done=before, log=True):
            pass
    rows = sum(record["rows"] for record in records)
    kinds = sum((Counter(record["errors"]) for record in records), Counter[str]())
    report = BatchReport(rows, before, kinds, time.monotonic() - start)
    folder.write_json(_MANIFEST, report.manifest(settings, _sizes(records)))
    folder.delete(_RUN)
    return report


def _finished_before(folder: RemoteFolder, settings: JobSettings) -> BatchReport | None:
    """The report of a run that has done the same and is complete."""
    if (manifest := folder.read_json(_MANIFEST)) is None:
        return None
    check_same_settings(manifest["settings"], settings, f"{folder.url} was made by another command")
    _check_unchanged(folder, manifest["bytes"])
    return BatchReport.of_manifest(manifest)


def _finished_waves(folder: RemoteFolder, settings: JobSettings) -> list[WaveRecord]:
    """The records of the waves that are done; parts of a wave that was not finished are deleted."""
    if (before := folder.read_json(f"{_RUN}/{_SETTINGS}")) is None:
        if existing := folder.sizes():
            raise FileError(
                f"{folder.url} has {min(existing)} already: give another OUT, or --restart to replace parts"
            )
        folder.write_json(f"{_RUN}/{_SETTINGS}", settings)
        return []
    check_same_settings(before, settings, f"{folder.url} holds an unfinished run of another command")
    names = sorted(name for name in folder.sizes(_RUN) if name != _SETTINGS)
    records = [record for name in names if (record := folder.read_json(f"{_RUN}/{name}")) is not None]
    sizes = _sizes(records)
    _check_unchanged(folder, sizes)
    for name in _parts(folder):
        if name not in sizes:
            folder.delete(name)
    return records


def _parts(folder: RemoteFolder) -> list[str]:
    return [name for name in folder.sizes() if name.startswith("part-")]


def _sizes(records: Sequence[WaveRecord]) -> dict[str, int]:
    """The bytes of all parts of some waves."""
    return {name: size for record in records for name, size in record["parts"].items()}


def _check_unchanged(folder: RemoteFolder, parts: dict[str, int]) -> None:
    """Raise an error if a part was complete and has been deleted or changed."""
    found = folder.sizes()
    for name, size in parts.items():
        if found.get(name) != size:
            raise FileError(f"{folder.url}/{name} was complete, but is gone or has changed: use --restart")


def _waves(run: RayRun, inputs: Sequence[RemoteInput], records: list[WaveRecord]) -> Iterator[WaveRecord]:
    """Run the waves that are left; the record of each is appended to `records`."""
    done = {name for record in records for name in record["inputs"]}
    left = [one for one in inputs if one.name not in done]
    wanted = float(FIRST_WAVE_BYTES * run.workers)
    while left:
        count, size, start = 0, 0, time.monotonic()
        while count < len(left) and (not count or size + left[count].size <= wanted):
            size, count = size + left[count].size, count + 1
        number = len(records)
        record = _wave(run, left[:count], number)
        run.folder.write_json(f"{_RUN}/{number:06}.json", record)
        records.append(record)
        left = left[count:]
        wanted = min(8 * wanted, WAVE_SECONDS * size / (time.monotonic() - start))
        yield record


def _wave(run: RayRun, inputs: Sequence[RemoteInput], number: int) -> WaveRecord:
    context = ray.data.DataContext.get_current()
    context.target_max_block_size = 1  # byte: every row block is a block of Ray, and so a task
    context.enable_progress_bars = sys.stderr.isatty()
    # Reading and writing mostly wait for files. They reserve no core, so that the actors can have them all.
    blocks, sink = ray.data.read_datasource(BlockSource(run, inputs), num_cpus=0), PartSink(run, number)
    with _worker_errors():
        blocks.map_batches(
            BlockSummarizer,
            fn_constructor_args=(run,),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=run.workers),
            num_cpus=1,
        ).write_datasink(sink, ray_remote_args={"num_cpus": 0})
    found = run.folder.sizes()
    for part in sink.written:
        if found.get(part.name) != part.bytes:
            raise FileError(
                f"{part.name} was written, but is not in {run.folder.url}: use an OUT that all machines share"
            )
    return {
        "inputs": [one.name for one in inputs],
        "parts": {part.name: part.bytes for part in sink.written},
        "rows": sum(part.rows for part in sink.written),
        "errors": sum((part.errors for part in sink.written), Counter[str]()),
    }


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[None]:
    """Connect to Ray: to that of this process, to the one at the address, or to one that is started here."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # failures are raised, and Ray has its own logs
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    options: dict[str, Any] = {"address": address, "logging_level": logging.CRITICAL, "log_to_driver": False}
    if address == "local" or not (address or os.environ.get("RAY_ADDRESS")):
        options |= {"address": "local", "num_cpus": workers, "include_dashboard": False}
    try:
        if address and re.fullmatch(r"[^/]+:\d+", address):  # Ray would try for minutes
            socket.create_connection((address.rpartition(":")[0], int(address.rpartition(":")[2])), 10).close()
        with _silent_stderr():
            ray.init(**options)
    except (OSError, RuntimeError, ValueError) as error:
        where = f" at {address}" if address else ""
        raise FileError(f"cannot reach Ray{where}: {str(error).splitlines()[0]}") from None
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """Suppress what Ray writes to stderr outside Python while it starts."""
    sys.stderr.flush()
    stderr, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(null)


_RAISED = re.compile(r"^tersely\.errors\.(\w+): (.+)", re.MULTILINE)


@contextmanager
def _worker_errors() -> Iterator[None]:
    """Raise what a worker raised. Ray passes on only the text of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray warns of few inputs for many workers
            yield
    except Exception as error:
        if found := _RAISED.search(str(error)):
            raise getattr(errors, found[1], TerselyError)(found[2]) from None
        last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise WorkerLost(f"the work on Ray failed: {last[0]}") from error
