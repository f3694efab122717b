"""`tersely batch IN OUT`: files in, files out, with any number of rows."""

from __future__ import annotations

import argparse
import sys

from tersely.batch.formats import FORMATS, FileType
from tersely.batch.job import SAVE_SECONDS, BatchReport, Job
from tersely.batch.local import run as run_locally
from tersely.batch.paths import find_inputs, find_outputs
from tersely.batch.row_blocks import TableSettings
from tersely.commands.common import add_bundle, add_workers
from tersely.commands.summarize import add_summary_options, summary_options
from tersely.errors import InputError
from tersely.summary.summarizer import Summarizer
from tersely.system.progress import clock

EPILOG = """\
IN is a file, a folder, a quoted pattern such as 'news/*.csv', or - for stdin. OUT is a file for all rows, a folder with
a file for each input, or - for stdout. Suffixes say the format: .txt (one text per line), .csv, .tsv, .jsonl, .parquet,
and .gz, .xz or .zst after a text format.

Every row and column is kept, in order, and columns are added: summary, error, and on request score and kept. A row
that cannot be shortened has an error and no summary. Equal texts are shortened once.

examples:
  tersely batch news.csv short.csv --words 10
  tersely batch news.jsonl.gz short.parquet --column body --chars 60 --score --workers 8
  tersely batch 'news/*.parquet' short/ --words 10 --prefix short_
  zcat news.tsv.gz | tersely batch --from tsv - - --words 10 | head
  tersely batch s3://bucket/news/ s3://bucket/short/ --from parquet --words 10 --engine ray --address auto

The same command resumes a run that was stopped, killed or out of disk space, and writes the same bytes as a run without
interruption. Finished rows are in OUT.run until the run is complete; then OUT.manifest.json says how OUT was made.

With --engine ray, IN and OUT are on disks that all machines share or in a store such as S3, OUT is a folder of parts,
and rows come in any order: docs/scale.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("input", metavar="IN", help="what to read: a file, a folder, a pattern or -")
    add("output", metavar="OUT", help="what to write: a file, a folder or -")
    add("--column", default="text", metavar="NAME", help="the column with the texts (default: %(default)s)")
    add("--score", action="store_true", help="add a column with the score")
    add("--kept", action="store_true", help="add a column with the positions of the kept words")
    add("--prefix", default="", metavar="P", help="put P before the names of the columns that are added")
    add("--from", dest="source", metavar="FORMAT", help=f"format of IN: {', '.join(FORMATS)}, or csv.gz and the like")
    add("--to", dest="target", metavar="FORMAT", help="format of OUT, such as csv or jsonl.gz")
    add("--no-quotes", action="store_true", help="read and write quotes in csv and tsv as ordinary characters")
    add_workers(parser, default=None)
    add("--engine", choices=("local", "ray"), default="local", help="this machine, or a Ray cluster (default: local)")
    add("--address", metavar="A", help="the Ray cluster: auto, or host:port (default: one that is started here)")
    add("--strict", action="store_true", help="stop at the first row that cannot be shortened")
    add("--restart", action="store_true", help="start again, over an unfinished run or an existing OUT")
    line = "about how much work a kill may cost (default: %(default)g)"
    add("--save-every", type=float, default=SAVE_SECONDS, metavar="SECONDS", help=line)
    add_bundle(parser)
    add_summary_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the job; the report goes to stderr."""
    options = summary_options(args)
    table = TableSettings(args.column, not args.no_quotes, args.score, args.kept, options.n_best > 1, args.prefix)
    job = Job(options, table, args.workers, args.strict, args.restart, args.save_every)
    source_type, target_type = (name and FileType.parse(name) for name in (args.source, args.target))
    if args.engine == "ray":
        from tersely.batch.cluster import run as run_on_ray  # here and not above: ray takes seconds to import

        file_types = (source_type, target_type)
        report = run_on_ray(job, args.input, args.output, file_types, args.address, Summarizer.load(args.bundle))
    elif args.address is not None:
        raise InputError("--address is for a Ray cluster: add --engine ray")
    else:
        outputs = find_outputs(args.output, args.input, find_inputs(args.input, source_type), target_type)
        report = run_locally(job, args.output, outputs, Summarizer.load(args.bundle))
    print(f"tersely: {report_line(report)}", file=sys.stderr)
    return 0


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
    return "; ".join(parts)
