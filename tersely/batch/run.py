"""A batch job: inputs to row blocks, through the workers, into parts and files.

    reader -> row blocks -> engine (equal texts once) -> outcomes in order -> writer -> parts -> file

Only a few blocks for each worker, the current part and the outcomes of the last texts are in memory: it does not grow
with the input.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tersely.batch.engines import Engine, local_engine, ray_engine
from tersely.batch.job import BatchReport, Job, JobSettings, check_no_errors, check_same_settings
from tersely.batch.journal import Journal
from tersely.batch.paths import Input, Output, shown
from tersely.batch.pipeline import summarize_blocks, summarize_texts
from tersely.batch.row_blocks import RowBlock, TableSettings
from tersely.batch.storage import LocalFiles, locate
from tersely.batch.stores import FileStore, StdoutStore, Store
from tersely.errors import FileError, InputError, TerselyError
from tersely.summary.summarizer import Summarizer
from tersely.system.files import decompressing
from tersely.system.progress import progress
from tersely.system.workers import checked_workers


def run(job: Job, target: str, outputs: list[Output], summarizer: Summarizer) -> BatchReport:
    """Run a job, or the rest of it. `target` is OUT as it was given, `outputs` are the files that it means."""
    summarizer.check(job.options)
    checked_workers(job.workers)
    for output in outputs:
        output.file_type.format.check(job.table, {})
    inputs = [one for output in outputs for one in output.inputs]
    surveys = {one.path: _survey(one, job.table, one is inputs[0]) for one in inputs}
    for output in outputs:
        known = {one.name: columns for one in output.inputs if (columns := surveys[one.path].columns)}
        output.file_type.format.check(job.table, known)
    if target == "-":
        return _work(job, [StdoutStore(outputs[0], job)], summarizer, surveys)
    settings = {
        **{f"input {one.relative or one.name}": surveys[one.path].identity for one in inputs},  # as no other is called
        **job.settings(summarizer),
        **{f"format of output {number}": str(output.file_type) for number, output in enumerate(outputs, start=1)},
    }
    files, (folder, manifest) = outputs[0].files, _run_paths(target, outputs)
    started = job.restart or files.names(folder)
    if not started and (report := _finished_before(outputs, manifest, settings, target)) is not None:
        files.delete(folder)  # it is empty, and left if the run was killed at its end
        return report
    with Journal(files, folder, job.restart) as journal:
        journal.start(settings)
        for number, output in enumerate(outputs):
            _check_unchanged(output, journal.state(number).bytes)
        stores = [FileStore(journal, number, output, job) for number, output in enumerate(outputs)]
        report = _work(job, stores, summarizer, surveys)
        sizes = [store.state.bytes for store in stores]
        content = {"settings": settings, "rows": report.rows, "errors": report.errors, "bytes": sizes}
        with journal.writing(manifest) as stream:
            stream.write(json.dumps(content, indent=1).encode() + b"\n")
        journal.delete()
    return report


def _work(
    job: Job, stores: Sequence[Store], summarizer: Summarizer, surveys: Mapping[str | None, Survey]
) -> BatchReport:
    before, warned = sum(store.state.rows for store in stores), Counter[str]()
    counts = [survey.rows for survey in surveys.values()]
    total = None if None in counts else sum(filter(None, counts))
    engine_of = partial(ray_engine, address=job.address) if job.ray else local_engine
    with engine_of(partial(summarize_texts, job), summarizer, job.workers) as engine:
        start = time.monotonic()
        results = summarize_blocks(_blocks(job, stores, surveys, engine), engine, job)
        try:
            for store, block, outcomes in progress(
                results, "summarised", total, size=lambda result: len(result[1]), done=before, log=True
            ):
                if job.strict:
                    check_no_errors(block, outcomes)
                store.add(block, outcomes)
                warned.update(warning for outcome in outcomes for warning in outcome.warnings)
                if not len(block):
                    store.finish()
        except BaseException:
            with contextlib.suppress(TerselyError):  # the error that ended the run is reported, not one after it
                for store in stores:
                    store.flush()
            raise
    errors = sum((store.state.errors for store in stores), Counter[str]())
    return BatchReport(sum(store.state.rows for store in stores), before, errors, time.monotonic() - start, warned)


def _blocks(
    job: Job, stores: Sequence[Store], surveys: Mapping[str | None, Survey], engine: Engine
) -> Iterator[tuple[Store, RowBlock]]:
    """The rows that are not done yet, in blocks, each with its store; an empty block ends an output."""
    for store in stores:
        if store.state.bytes is not None:
            continue
        left = store.state.rows  # to be skipped
        for one in store.output.inputs:
            version = surveys[one.path].version or one.version()
            with one.open(job.table) as reader:
                while len(block := reader.read(min(left, engine.max_block_rows) or engine.block_rows)):
                    if left:
                        store.skip(block)
                        left -= len(block)
                    else:
                        yield store, block
            if one.version() != version:
                raise InputError(f"{one.name} has changed while it was read: run it again when nothing writes to it")
        yield store, block


@dataclass(frozen=True)
class Survey:
    """What is known of an input before its rows are read: identity, columns, and about how many rows it has.

    The identity of a local file is a checksum, which takes one more pass over it. But no time stamp is as reliable, and
    a summary takes a thousand times as long as reading its row. Elsewhere it is what a list of the files says.
    """

    identity: str
    version: str | None = None
    columns: Sequence[str] = ()
    rows: int | None = None


def _survey(one: Input, settings: TableSettings, first: bool) -> Survey:
    """The survey of an input. Streams are not opened, and of remote files only the first is."""
    kind, is_local, columns = one.file_type.name, isinstance(one.files, LocalFiles), list[str]()
    if one.is_stream:
        return Survey(f"{kind}, a stream")
    assert one.info is not None
    if is_local or first:
        with one.open(settings) as reader:
            columns = reader.columns
    if not is_local:
        return Survey(f"{kind}, {one.info.version}", None, columns)
    digest = hashlib.sha256()
    with decompressing(one.open_raw, "", one.name) as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    with decompressing(one.open_raw, one.file_type.compression, one.name) as stream:
        rows = one.file_type.format.count_rows(stream)
    return Survey(f"{kind}, {digest.hexdigest()}", one.info.version, columns, rows)


def _run_paths(target: str, outputs: list[Output]) -> tuple[str, str]:
    """The folder of the run and the manifest: beside OUT if it is a file, inside if it is a folder.

    Inside, their names start with `_`, which programs that read folders of data skip.
    """
    files, path = locate(target)
    parent = os.path.dirname(os.path.abspath(path))
    if isinstance(files, LocalFiles) and not os.path.isdir(parent):
        raise FileError(f"no such folder: {shown(parent)}")
    if outputs[0].path == path:
        return f"{path}.run", f"{path}.manifest.json"
    return f"{path}/_run", f"{path}/_manifest.json"


def _finished_before(outputs: list[Output], path: str, settings: JobSettings, target: str) -> BatchReport | None:
    """The report of a run that has done the same; raises an error if a file exists that is not from such a run."""
    files = outputs[0].files
    existing = [one for one in (*(output.path for output in outputs), path) if one is not None and files.info(one)]
    if not existing:
        return None
    exists = FileError(f"{shown(existing[0])} exists already: give another OUT, or --restart to replace it")
    try:
        with files.open(path) as stream:
            manifest = json.loads(stream.read())
        before, sizes = dict(manifest["settings"]), [int(size) for size in manifest["bytes"]]
        rows, errors = int(manifest["rows"]), {kind: int(count) for kind, count in manifest["errors"].items()}
    except (OSError, ArithmeticError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise exists from None
    if existing == [path]:  # what the run has made was deleted
        return None
    check_same_settings(before, settings, f"{shown(target)} was made by another command")
    if len(sizes) != len(outputs):
        raise exists
    for output, size in zip(outputs, sizes, strict=True):
        _check_unchanged(output, size)
    return BatchReport(rows, rows, Counter(errors), 0.0)


def _check_unchanged(output: Output, size: int | None) -> None:
    """Raise an error if an output was complete and has been deleted or changed."""
    if output.path is not None and size is not None:
        info = output.files.info(output.path)
        if info is None or info.size != size:
            name = shown(output.path)
            raise FileError(f"{name} was complete, but is gone or has changed: use --restart to make it again")
