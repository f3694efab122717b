"""`tersely batch IN OUT`: files in, files out, with any number of rows."""

from __future__ import annotations

import argparse
import codecs
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tersely.batch.formats import FORMATS, FileType
from tersely.batch.job import SAVE_SECONDS, BatchReport, Job
from tersely.batch.paths import find_inputs, find_outputs
from tersely.batch.row_blocks import NoSuchColumn, TableSettings, is_unicode
from tersely.batch.run import run as run_job
from tersely.commands.common import add_bundle, add_workers
from tersely.commands.summarize import add_summary_options, summary_options
from tersely.errors import InputError, one_line
from tersely.summary.summarizer import Summarizer
from tersely.system.progress import clock

EPILOG = """\
IN is one or several of: a file, a folder, a pattern such as 'news/*.csv'; or - for stdin. OUT is a file for all rows, a
folder with a file for each input, or - for stdout. Both may be URLs such as s3://bucket/news/. Suffixes say the format:
.txt (one text per line), .csv, .tsv, .jsonl, .parquet, and .gz, .xz or .zst after a text format.

Every row and column is kept, in order, and columns are added: summary, error, and on request score and kept. A row
that cannot be shortened has an error and no summary. Equal texts are shortened once.

examples:
  tersely batch news.csv short.csv --words 10
  tersely batch news.jsonl.gz short.parquet --column doc.body --chars 60 --score --workers 8
  tersely batch news/*.parquet short/ --words 10 --prefix short_
  zcat news.tsv.gz | tersely batch --from tsv - - --words 10 | head
  tersely batch s3://bucket/news/ s3://bucket/short/ --words 10 --engine ray --address auto

The exit code is 1 if a row has an error (or the run failed), and 2 if all rows have one or no row has the column.

The same command resumes a run that was stopped, killed or out of disk space, and writes the same bytes as a run without
interruption. Finished rows are in OUT.run until the run is complete; then OUT.manifest.json says how OUT was made.
--engine ray distributes the work over a cluster and writes the same: docs/scale.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("input", metavar="IN", nargs="+", help="what to read: files, folders, patterns, or -")
    add("output", metavar="OUT", help="what to write: a file, a folder or -")
    line = "the column with the texts; doc.body is a field inside another (default: %(default)s)"
    add("--column", default="text", metavar="NAME", help=line)
    add("--score", action="store_true", help="add a column with the score")
    add("--kept", action="store_true", help="add a column with the positions of the kept words")
    add("--prefix", default="", metavar="P", help="put P before the names of the columns that are added")
    add("--from", dest="source", metavar="FORMAT", help=f"format of IN: {', '.join(FORMATS)}, or csv.gz and the like")
    add("--to", dest="target", metavar="FORMAT", help="format of OUT, such as csv or jsonl.gz")
    line = "of text files, IN and OUT: cp1252, utf-16 (default: %(default)s)"
    add("--encoding", default="utf-8", metavar="NAME", help=line)
    add("--delimiter", metavar="C", help="the character between cells of csv and tsv, IN and OUT")
    add("--no-quotes", action="store_true", help="read and write quotes in csv and tsv as ordinary characters")
    add_workers(parser, default=None)
    add("--engine", choices=("local", "ray"), default="local", help="this machine, or a Ray cluster (default: local)")
    add("--address", metavar="A", help="the Ray cluster: auto, or host:port (default: one that is started here)")
    add("--strict", action="store_true", help="stop at the first row that cannot be shortened")
    add("--errors-ok", action="store_true", help="exit code 0 even if rows have errors")
    add("--restart", action="store_true", help="start again, over an unfinished run or an existing OUT")
    line = "about how much work a kill may cost (default: %(default)g)"
    add("--save-every", type=float, default=SAVE_SECONDS, metavar="SECONDS", help=line)
    add_bundle(parser)
    add_summary_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the job; the report goes to stderr. Exit code 1 if a row has an error, 2 if no row could be shortened."""
    job = _job(args)
    source_type, target_type = (name and FileType.parse(name) for name in (args.source, args.target))
    try:
        with _stopped_by_sigterm():
            inputs = find_inputs(args.input, source_type)
            outputs = find_outputs(args.output, args.input, inputs, target_type)
            report = run_job(job, args.output, outputs, Summarizer.load(args.bundle))
    except NoSuchColumn as error:
        print(f"tersely: {one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        if args.output != "-":
            print("tersely: stopped; finished rows are saved, and the same command goes on from them", file=sys.stderr)
        return int(stop.args[0]) if stop.args else 130
    print(f"tersely: {report_line(report)}", file=sys.stderr)
    failed = report.errors.total()
    return 0 if args.errors_ok or not failed else 2 if failed == report.rows else 1


def _job(args: argparse.Namespace) -> Job:
    """The job that the arguments describe."""
    options, out = summary_options(args), args.output
    for name in ("column", "prefix", "delimiter"):
        if not is_unicode(getattr(args, name) or ""):
            raise InputError(f"--{name} is not valid UTF-8")
    if args.address is not None and args.engine != "ray":
        raise InputError("--address is for a Ray cluster: add --engine ray")
    ours = not os.path.isfile(out) or os.path.exists(f"{out}.manifest.json")
    if args.restart and len(args.input) > 1 and not ours:
        raise InputError(f"{out} was not made by tersely batch, and --restart would replace it: is OUT missing?")
    table = TableSettings(
        args.column,
        not args.no_quotes,
        args.score,
        args.kept,
        options.n_best > 1,
        args.prefix,
        checked_encoding(args.encoding),
        checked_delimiter(args.delimiter),
    )
    on_ray = args.engine == "ray"
    return Job(options, table, args.workers, args.strict, args.restart, args.save_every, on_ray, args.address)


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM stop a run as Ctrl-C does: finished rows are saved."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt(128 + number)

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def checked_encoding(name: str) -> str:
    """The name of an encoding as Python has it.

    >>> checked_encoding("UTF8"), checked_encoding("windows-1252")
    ('utf-8', 'cp1252')
    """
    try:
        "".encode(name)
        return codecs.lookup(name).name.removesuffix("-sig")
    except LookupError:
        raise InputError(f"unknown encoding {name!r}: common ones are utf-8, cp1252, latin-1 and utf-16") from None


def checked_delimiter(delimiter: str | None) -> str | None:
    """One character; `\\t` stands for a tab."""
    found = {"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter)
    if found is not None and (len(found) != 1 or found in '"\r\n'):
        raise InputError(f"a delimiter is one character, not {found!r}")
    return found


def report_line(report: BatchReport) -> str:
    """A report as one line.

    >>> from collections import Counter
    >>> print(report_line(BatchReport(2000, 500, Counter({"the text is empty": 3}), 60.0)))
    2,000 rows (500 done before), 25.0 a second, in 1:00; 3 with an error: 3 the text is empty
    """
    if report.rows_before == report.rows and not report.seconds:
        parts = [f"{report.rows:,} rows, all done before: nothing left to do"]
    else:
        before = f" ({report.rows_before:,} done before)" if report.rows_before else ""
        rate = (report.rows - report.rows_before) / max(report.seconds, 1e-9)
        parts = [f"{report.rows:,} rows{before}, {rate:,.1f} a second, in {clock(report.seconds)}"]
    if report.errors:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in report.errors.most_common())
        parts.append(f"{report.errors.total():,} with an error: {kinds}")
    if report.warnings:
        kinds = ", ".join(f"{count:,} {warning}" for warning, count in report.warnings.most_common())
        parts.append(f"{report.warnings.total():,} warnings: {kinds}")
    if any(kind.startswith("not valid UTF-8") for kind in report.errors):
        parts.append("--encoding cp1252 reads text of old Windows programs")
    return "; ".join(parts)
