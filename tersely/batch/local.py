"""A batch on this machine: inputs to blocks, through the workers, into parts and files.

    reader -> row blocks -> workers (equal texts once) -> outcomes in order -> writer -> parts -> file

Only a few blocks for each worker, the current part and the outcomes of the last texts are in memory: it does not grow
with the input.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tersely.batch.job import BatchReport, Job, JobSettings, check_no_errors, check_same_settings
from tersely.batch.journal import Journal
from tersely.batch.paths import Input, Output
from tersely.batch.pipeline import MAX_BLOCK_ROWS, BlockSize, OutcomeCache, summarize_blocks
from tersely.batch.row_blocks import RowBlock, TableSettings
from tersely.batch.stores import FileStore, StdoutStore, Store
from tersely.errors import FileError, TerselyError
from tersely.summary.summarizer import Summarizer
from tersely.system.files import reading, write_text
from tersely.system.progress import progress
from tersely.system.workers import checked_workers


def run(job: Job, target: str, outputs: list[Output], summarizer: Summarizer) -> BatchReport:
    """Run a job, or the rest of it. `target` is OUT as it was given, `outputs` are the files that it means."""
    summarizer.check(job.options)
    checked_workers(job.workers)
    for output in outputs:
        output.file_type.format.check(job.table, {})
    inputs = [one for output in outputs for one in output.inputs]
    surveys = {one.name: _survey(one, job.table) for one in inputs if not one.is_stream}
    for output in outputs:
        columns = {one.name: surveys[one.name].columns for one in output.inputs if one.name in surveys}
        output.file_type.format.check(job.table, columns)
    total = sum(one.rows for one in surveys.values()) if all(one.name in surveys for one in inputs) else None
    if target == "-":
        return _work(job, [StdoutStore(outputs[0], job)], summarizer, total)
    settings = _settings(job, outputs, summarizer, surveys)
    folder, manifest = _run_paths(Path(target), outputs)
    if not job.restart and not folder.exists() and (report := _finished_before(outputs, manifest, settings, target)):
        return report
    with Journal(folder, job.restart) as journal:
        journal.start(settings)
        for number, output in enumerate(outputs):
            _check_unchanged(output.path, journal.state(number).bytes)
        stores = [FileStore(journal, number, output, job) for number, output in enumerate(outputs)]
        report = _work(job, stores, summarizer, total)
        sizes = {str(number): store.state.bytes for number, store in enumerate(stores)}
        write_text(manifest, json.dumps(report.manifest(settings, sizes), indent=1, ensure_ascii=False) + "\n")
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _work(job: Job, stores: Sequence[Store], summarizer: Summarizer, total: int | None) -> BatchReport:
    start, size = time.monotonic(), BlockSize()
    before = sum(store.state.rows for store in stores)
    results = summarize_blocks(_blocks(job, stores, size), summarizer, job, OutcomeCache(), size)
    try:
        for store, block, outcomes in progress(
            results, "summarised", total, size=lambda result: len(result[1]), done=before, log=True
        ):
            if job.strict:
                check_no_errors(block, outcomes)
            store.add(block, outcomes)
            if not len(block):
                store.finish()
    except BaseException:
        with contextlib.suppress(TerselyError):  # the error that ended the run is reported, not one that follows it
            for store in stores:
                store.flush()
        raise
    errors = sum((store.state.errors for store in stores), Counter[str]())
    return BatchReport(sum(store.state.rows for store in stores), before, errors, time.monotonic() - start)


def _blocks(job: Job, stores: Sequence[Store], size: BlockSize) -> Iterator[tuple[Store, RowBlock]]:
    """The rows that are not done yet, in blocks, each with its store; an empty block ends an output."""
    for store in stores:
        if store.state.bytes is not None:
            continue
        left = store.state.rows  # to be skipped
        for one in store.output.inputs:
            with one.open(job.table) as reader:
                while len(block := reader.read(min(left, MAX_BLOCK_ROWS) or size.rows)):
                    if left:
                        store.note(block)
                        left -= len(block)
                    else:
                        yield store, block
        yield store, block


@dataclass(frozen=True)
class Survey:
    """What is known of a file before its rows are read: a checksum, its columns, and about how many rows it has.

    The checksum takes one more pass over the file. But no time stamp is as reliable, and a summary takes a thousand
    times as long as reading its row.
    """

    checksum: str
    columns: list[str]
    rows: int


def _survey(one: Input, settings: TableSettings) -> Survey:
    """The survey of an input that is a file, not a stream."""
    assert one.path is not None
    with one.open(settings) as reader:
        columns = reader.columns
    digest = hashlib.sha256()
    with reading(one.path, "") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    with reading(one.path, one.file_type.compression) as stream:
        return Survey(digest.hexdigest(), columns, one.file_type.format.count_rows(stream))


def _settings(job: Job, outputs: list[Output], summarizer: Summarizer, surveys: Mapping[str, Survey]) -> JobSettings:
    inputs = {}
    for one in (one for output in outputs for one in output.inputs):
        content = surveys[one.name].checksum if one.name in surveys else "a stream"
        inputs[str(one.relative if one.path else one.name)] = f"{one.file_type.name}, {content}"
    return job.settings(summarizer, inputs, [output.file_type for output in outputs])


def _run_paths(target: Path, outputs: list[Output]) -> tuple[Path, Path]:
    """The folder of the run and the manifest: beside OUT if it is a file, inside if it is a folder.

    Inside, their names start with `_`, which programs that read folders of data skip.
    """
    if not target.absolute().parent.is_dir():
        raise FileError(f"no such folder: {target.absolute().parent}")
    if outputs[0].path == target:
        return target.with_name(f"{target.name}.run"), target.with_name(f"{target.name}.manifest.json")
    return target / "_run", target / "_manifest.json"


def _finished_before(outputs: list[Output], path: Path, settings: JobSettings, target: str) -> BatchReport | None:
    """The report of a run that has done the same; raises an error if an output exists that is not from that run."""
    existing = [output.path for output in outputs if output.path and output.path.exists()]
    if not existing:
        return None
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        before, sizes, report = manifest["settings"], manifest["bytes"], BatchReport.of_manifest(manifest)
    except (OSError, ValueError, KeyError, TypeError):
        raise FileError(f"{existing[0]} exists already: give another OUT, or --restart to replace it") from None
    check_same_settings(before, settings, f"{target} was made by another command")
    for number, output in enumerate(outputs):
        _check_unchanged(output.path, sizes[str(number)])
    return report


def _check_unchanged(path: Path | None, size: int | None) -> None:
    """Raise an error if an output was complete and has been deleted or changed."""
    if path is not None and size is not None and (not path.is_file() or path.stat().st_size != size):
        raise FileError(f"{path} was complete, but is gone or has changed: use --restart to make it again")
