"""A batch on this machine: inputs to blocks, through the workers, into parts and files.

    reader -> blocks -> workers (equal texts once) -> outcomes in order -> sink -> parts -> file

Nothing is held but a few blocks for each worker, the part that is being filled, and the outcomes of the texts that were
seen last: memory does not grow with the input.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from tersely.batch.job import Asked, Job, Report, refuse_errors, refuse_other
from tersely.batch.journal import Journal
from tersely.batch.places import Output
from tersely.batch.readers import Survey, opened, survey
from tersely.batch.rows import Added
from tersely.batch.sinks import refuse_new_columns
from tersely.batch.stores import FileStore, Store, StreamStore
from tersely.batch.text_formats import TEXT_FORMATS
from tersely.batch.work import MOST_ROWS, Pace, Tagged, summarised
from tersely.errors import FileError, TerselyError
from tersely.files import write_text
from tersely.progress import progress
from tersely.summarizer import Summarizer
from tersely.workers import checked_workers

LOG_SECONDS = 60.0  # between two lines of progress where there is no terminal


def run(job: Job, place: str, outputs: list[Output], summarizer: Summarizer) -> Report:
    """Do a job, or what is left of it. `place` is OUT as it was given, `outputs` what it means."""
    summarizer.check(job.options)
    checked_workers(job.workers)
    for output in outputs:
        job.added.refuse_no_place(output.form.format)
    files = [one for output in outputs for one in output.inputs if not one.is_stream]
    surveys = {one.name: survey(one, job.dialect) for one in files}
    for output in outputs:
        _refuse_columns(output, surveys, job.added)
    total = None
    if all(one.name in surveys for output in outputs for one in output.inputs):
        total = sum(seen.rows for seen in surveys.values())
    if place == "-":
        return _work(job, outputs, summarizer, StreamStore(outputs[0], job.added, job.dialect), total)
    asked = _asked(job, outputs, summarizer, surveys)
    folder, manifest = _beside(place, outputs)
    if not job.restart and not folder.exists() and (done := _done_before(place, outputs, manifest, asked)):
        return done
    with Journal(folder, anew=job.restart) as journal:
        journal.begin(asked)
        for number, output in enumerate(outputs):
            _refuse_changed(output.path, journal.done(number).bytes)
        store = FileStore(journal, outputs, job.added, job.dialect, job.save_every)
        report = _work(job, outputs, summarizer, store, total)
        sizes = {str(number): journal.done(number).bytes for number in range(len(outputs))}
        content = {"asked": asked, "rows": report.rows, "errors": report.errors, "bytes": sizes}
        write_text(manifest, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        journal.remove()
    return report


def _work(job: Job, outputs: list[Output], summarizer: Summarizer, store: Store, total: int | None) -> Report:
    begin, pace, numbers = time.monotonic(), Pace(), range(len(outputs))
    before = sum(store.done(number).rows for number in numbers)
    results = summarised(_blocks(job, outputs, store, pace), summarizer, job.options, job.added, job.workers, pace)
    try:
        shown = progress(results, "summarised", total, size=lambda result: len(result[1]), done=before, log=LOG_SECONDS)
        for number, block, outcomes in shown:
            if job.strict:
                refuse_errors(block, outcomes)
            store.add(number, block, outcomes)
            if not len(block):
                store.finish(number)
    except BaseException:
        with contextlib.suppress(TerselyError):  # what ended the run is told, not what it led to
            store.flush()
        raise
    done = [store.done(number) for number in numbers]
    errors = sum((one.errors for one in done), Counter[str]())
    return Report(sum(one.rows for one in done), before, errors, time.monotonic() - begin)


def _blocks(job: Job, outputs: list[Output], store: Store, pace: Pace) -> Iterator[Tagged]:
    """The rows that are not done yet, each block with the number of its output; an empty one ends an output."""
    for number, output in enumerate(outputs):
        done = store.done(number)
        if done.bytes is not None:
            continue
        left = done.rows  # to be skipped
        for one in output.inputs:
            with opened(one, job.dialect) as reader:
                while len(block := reader.read(min(left, MOST_ROWS) or pace.rows)):
                    if left:
                        store.skip(number, block)
                        left -= len(block)
                    else:
                        yield number, block
        yield number, block


def _refuse_columns(output: Output, surveys: Mapping[str, Survey], added: Added) -> None:
    """Refuse columns that have no place in an output, before anything is done."""
    seen = [(one.name, surveys[one.name].columns) for one in output.inputs if one.name in surveys]
    for name, columns in seen:
        if output.form.format != "txt":
            added.refuse_taken(columns, name)
        if output.form.format in TEXT_FORMATS and TEXT_FORMATS[output.form.format].has_header:
            refuse_new_columns(columns, seen[0][1], name)


def _asked(job: Job, outputs: list[Output], summarizer: Summarizer, surveys: Mapping[str, Survey]) -> Asked:
    inputs = {}
    for one in (one for output in outputs for one in output.inputs):
        content = surveys[one.name].checksum if one.name in surveys else "a stream"
        inputs[str(one.relative if one.path else one.name)] = f"{one.form.format}, {content}"
    return job.asked(summarizer, inputs, [output.form for output in outputs])


def _beside(where: str, outputs: list[Output]) -> tuple[Path, Path]:
    """The folder of a run and the manifest: beside an output that is a file, and in one that is a folder.

    There they have names that begin with `_`, which programs that read folders of data pass over.
    """
    place = Path(where)
    one_file = outputs[0].path == place
    if not place.absolute().parent.is_dir():
        raise FileError(f"no such folder: {place.absolute().parent}")
    if one_file:
        return place.with_name(f"{place.name}.run"), place.with_name(f"{place.name}.manifest.json")
    return place / "_run", place / "_manifest.json"


def _done_before(place: str, outputs: list[Output], manifest: Path, asked: Asked) -> Report | None:
    """The report of a run that has done all this before; an output that is not from it is not overwritten."""
    existing = [output.path for output in outputs if output.path and output.path.exists()]
    if not existing:
        return None
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        before, sizes, rows = content["asked"], content["bytes"], content["rows"]
    except (OSError, ValueError, KeyError, TypeError):
        raise FileError(f"{existing[0]} exists already: give another OUT, or --restart to replace it") from None
    refuse_other(before, asked, f"{place} was made by another command")
    for number, output in enumerate(outputs):
        _refuse_changed(output.path, sizes[str(number)])
    return Report(rows, rows, Counter(content["errors"]), 0.0)


def _refuse_changed(path: Path | None, size: int | None) -> None:
    """Refuse an output that was complete, and is not any more."""
    if path is not None and size is not None and (not path.is_file() or path.stat().st_size != size):
        raise FileError(f"{path} was complete, but is gone or has changed: --restart makes it anew")
