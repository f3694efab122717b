"""A batch on a Ray cluster, by Ray Data: inputs in waves, each read, shortened by a pool of actors, and written.

    read_datasource -> map_batches (an actor for each core, which loads the bundle once) -> write_datasink

Ray does the work of a machine or a worker that was lost again. Should the program itself be stopped, the same command
goes on after the last wave: for every wave OUT/_run has a record of the inputs that are done, and of their parts.
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
from tersely.batch.anywhere import Folder, RemoteInput, find_anywhere, is_in
from tersely.batch.job import Asked, Job, Report, refuse_other
from tersely.batch.parcels import Reading, Shortening, Target, Writing
from tersely.batch.places import Form
from tersely.errors import FileError, InputError, TerselyError, WorkerLost, missing_extra
from tersely.progress import progress
from tersely.summarizer import Summarizer
from tersely.workers import checked_workers

try:
    import ray
    import ray.data
except ImportError:
    raise missing_extra("ray", "ray[data]") from None

# A parcel takes some seconds: a task of Ray costs the driver milliseconds, and a lost worker loses one or two parcels.
ROWS, FAST_ROWS = 64, 1024
WAVE_SECONDS = 900.0  # what a wave should take, and so the work that is lost if the driver is killed
FIRST_WAVE = 1 << 18  # bytes of input for each worker, before it is known how long they take
LOG_SECONDS = 60.0  # between two lines of progress where there is no terminal
_RUN, _MANIFEST, _ASKED = "_run", "_manifest.json", "asked.json"
Record = dict[str, Any]  # of a wave: its inputs, its parts with their bytes, rows, errors


def run(
    job: Job, source: str, place: str, forms: tuple[Form | None, Form | None], address: str | None, made: Summarizer
) -> Report:
    """Do a job, or what is left of it. `source` and `place` are IN and OUT, `forms` are what --from and --to say."""
    made.check(job.options)
    workers = None if job.workers is None else checked_workers(job.workers)
    inputs = find_anywhere(source, forms[0])
    target = _target(job, inputs, forms[1] or Form.of(place.rstrip("/")) or inputs[0].form)
    folder = Folder(place)
    if is_in(f"{folder.path}/part-0.{target.form.format}", source) or is_in(inputs[0].path, place):
        raise InputError(f"{place} lies in {source}, which is read: give another OUT")
    asked = job.asked(made, {one.name: one.state for one in inputs}, [target.form])
    if job.restart:
        for name in [_RUN, _MANIFEST, *(name for name in folder.sizes() if name.startswith("part-"))]:
            folder.delete(name)
    if (done := _done_before(folder, asked)) is not None:
        return done
    records = _begun(folder, asked)
    before, begin = sum(record["rows"] for record in records), time.monotonic()
    with _connected(address, workers):
        size = workers or int(ray.cluster_resources().get("CPU", 1))
        waves = _waves(job, inputs, target, folder, size, pickle.dumps(made), records)
        for _ in progress(waves, "summarised", size=lambda new: int(new["rows"]), done=before, log=LOG_SECONDS):
            pass
    rows = sum(record["rows"] for record in records)
    kinds = sum((Counter(record["errors"]) for record in records), Counter[str]())
    parts = {name: size for record in records for name, size in record["parts"].items()}
    folder.write_json(_MANIFEST, {"asked": asked, "rows": rows, "errors": kinds, "bytes": parts})
    folder.delete(_RUN)
    return Report(rows, before, kinds, time.monotonic() - begin)


def _target(job: Job, inputs: Sequence[RemoteInput], form: Form) -> Target:
    job.added.refuse_no_place(form.format)
    with inputs[0].opened(job.dialect) as reader:
        columns = reader.columns
    if form.format != "txt":
        job.added.refuse_taken(columns, inputs[0].path)
    return Target(form, columns)


def _done_before(folder: Folder, asked: Asked) -> Report | None:
    """The report of a run that has done all this before."""
    if (manifest := folder.read_json(_MANIFEST)) is None:
        return None
    refuse_other(manifest["asked"], asked, f"{folder.where} was made by another command")
    _refuse_changed(folder, manifest["bytes"])
    return Report(manifest["rows"], manifest["rows"], Counter(manifest["errors"]), 0.0)


def _begun(folder: Folder, asked: Asked) -> list[Record]:
    """The waves that are done; parts of a wave that was not finished are deleted."""
    if (before := folder.read_json(f"{_RUN}/{_ASKED}")) is None:
        if there := folder.sizes():
            raise FileError(f"{folder.where} has {min(there)} already: give another OUT, or --restart to replace parts")
        folder.write_json(f"{_RUN}/{_ASKED}", asked)
        return []
    refuse_other(before, asked, f"{folder.where} holds an unfinished run of another kind")
    names = sorted(name for name in folder.sizes(_RUN) if name != _ASKED)
    records = [record for name in names if (record := folder.read_json(f"{_RUN}/{name}")) is not None]
    known = {name: size for record in records for name, size in record["parts"].items()}
    _refuse_changed(folder, known)
    for name in folder.sizes().keys() - known.keys():
        if name.startswith("part-"):
            folder.delete(name)
    return records


def _refuse_changed(folder: Folder, parts: dict[str, int]) -> None:
    there = folder.sizes()
    for name, size in parts.items():
        if there.get(name) != size:
            raise FileError(f"{folder.where}/{name} was complete, but is gone or has changed: --restart makes it anew")


def _waves(
    job: Job,
    inputs: Sequence[RemoteInput],
    target: Target,
    folder: Folder,
    workers: int,
    made: bytes,
    records: list[Record],
) -> Iterator[Record]:
    """Do what is left, wave after wave; the record of each is added to those that there are."""
    done = {name for record in records for name in record["inputs"]}
    left = [one for one in inputs if one.name not in done]
    wanted = float(FIRST_WAVE * workers)
    while left:
        count, size, begin = 0, 0, time.monotonic()
        while count < len(left) and (not count or size + left[count].size <= wanted):
            size, count = size + left[count].size, count + 1
        number = len(records)
        record = _wave(job, left[:count], target, folder, workers, made, number)
        folder.write_json(f"{_RUN}/{number:06}.json", record)
        records.append(record)
        left = left[count:]
        wanted = min(8 * wanted, WAVE_SECONDS * size / (time.monotonic() - begin))
        yield record


def _wave(
    job: Job, inputs: Sequence[RemoteInput], target: Target, folder: Folder, workers: int, made: bytes, number: int
) -> Record:
    rows = FAST_ROWS if job.options.fast else ROWS
    context = ray.data.DataContext.get_current()
    context.target_max_block_size = 1  # byte: every parcel is a block of its own, and so a task
    context.enable_progress_bars = sys.stderr.isatty()
    # What reads and writes waits for files most of the time. It takes no core: the actors may have them all.
    parcels = ray.data.read_datasource(Reading(inputs, job.dialect, rows), num_cpus=0)
    writing = Writing(folder, job, target, number, rows)
    with _errors_told():
        parcels.map_batches(
            Shortening,
            fn_constructor_args=(made, job, target),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=workers),
            num_cpus=1,
        ).write_datasink(writing, ray_remote_args={"num_cpus": 0})
    there = folder.sizes()
    for part in writing.written:
        if there.get(part.name) != part.bytes:
            raise FileError(
                f"{part.name} was written, but is not in {folder.where}: with several machines, OUT has to be a place "
                "that they share"
            )
    return {
        "inputs": [one.name for one in inputs],
        "parts": {part.name: part.bytes for part in writing.written},
        "rows": sum(part.rows for part in writing.written),
        "errors": sum((part.errors for part in writing.written), Counter[str]()),
    }


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[None]:
    """A Ray to work on: the one that this process has, the one at the address, or one that is started here."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what fails is raised, and Ray keeps logs of its own
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    quiet: dict[str, Any] = {"logging_level": logging.CRITICAL, "log_to_driver": False}
    here = not (address or os.environ.get("RAY_ADDRESS")) or address == "local"
    more = {"address": "local", "num_cpus": workers, "include_dashboard": False} if here else {"address": address}
    try:
        if address and re.fullmatch(r"[^/]+:\d+", address):  # Ray would try for minutes
            socket.create_connection((address.rpartition(":")[0], int(address.rpartition(":")[2])), 10).close()
        with _muted():
            ray.init(**quiet, **more)
    except (OSError, RuntimeError, ValueError) as error:
        where = f" at {address}" if address else ""
        raise FileError(f"cannot reach Ray{where}: {str(error).splitlines()[0]}") from None
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _muted() -> Iterator[None]:
    """What Ray says beside Python while it starts, that it says less, is not said."""
    sys.stderr.flush()
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)


_RAISED = re.compile(r"^tersely\.errors\.(\w+): (.+)", re.MULTILINE)


@contextmanager
def _errors_told() -> Iterator[None]:
    """What was raised on a worker is raised here as it was. Of its cause, Ray hands on only the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray's, of few inputs for many workers
            yield
    except Exception as error:
        if found := _RAISED.search(str(error)):
            raise getattr(errors, found[1], TerselyError)(found[2]) from None
        last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise WorkerLost(f"the work on Ray failed: {last[0]}") from error
