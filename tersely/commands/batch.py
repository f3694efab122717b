"""`tersely batch IN OUT`: files in, files out, as many rows as there are."""

from __future__ import annotations

import argparse
import sys

from tersely.batch.job import PART_SECONDS, Job, Report
from tersely.batch.local import run as run_here
from tersely.batch.places import FORMATS, Form, find_inputs, find_outputs
from tersely.batch.rows import Added
from tersely.batch.text_formats import Dialect
from tersely.commands.summarize import add_summary_options, summary_options
from tersely.errors import InputError
from tersely.progress import clock
from tersely.summarizer import Summarizer

EPILOG = """\
IN is a file, a folder, a quoted pattern such as 'news/*.csv', or - for stdin. OUT is a file for all rows, a folder with
a file for each input, or - for stdout. Names tell formats: .txt (a text a line), .csv, .tsv, .jsonl, .parquet, and
.gz, .xz or .zst after the text formats.

Every row and column is kept, in order, and columns are added: summary, error, and on request score and kept. A row
that cannot be shortened has an error and no summary. Equal texts are shortened once.

examples:
  tersely batch news.csv short.csv --words 10
  tersely batch news.jsonl.gz short.parquet --column body --chars 60 --score --workers 8
  tersely batch 'news/*.parquet' short/ --words 10 --prefix short_
  zcat news.tsv.gz | tersely batch --from tsv - - --words 10 | head
  tersely batch s3://bucket/news/ s3://bucket/short/ --from parquet --words 10 --engine ray --address auto

A run that was stopped, killed or out of disk goes on with the same command, and gives the same bytes as one that was
not. What it has done is in OUT.run until it is finished; OUT.manifest.json then says how OUT was made.

With --engine ray, IN and OUT are on disks that all machines share or in a store such as S3, OUT is a folder of parts,
and rows come in any order: docs/scale.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("input", metavar="IN", help="what is read: a file, a folder, a pattern or -")
    add("output", metavar="OUT", help="what is written: a file, a folder or -")
    add("--column", default="text", metavar="NAME", help="the column with the texts (default: %(default)s)")
    add("--score", action="store_true", help="add a column with the score")
    add("--kept", action="store_true", help="add a column with the positions of the kept words")
    add("--prefix", default="", metavar="P", help="put P before the names of the columns that are added")
    add("--from", dest="source", type=Form.read, metavar="FORMAT", help=f"the format of IN: {', '.join(FORMATS)}")
    add("--to", dest="target", type=Form.read, metavar="FORMAT", help="the format of OUT, as csv or jsonl.gz")
    add("--no-quotes", action="store_true", help="quotes in csv and tsv are ordinary characters")
    add("--workers", type=int, metavar="N", help="processes (default: one for each core)")
    add("--engine", choices=("local", "ray"), default="local", help="this machine, or a Ray cluster (default: local)")
    add("--address", metavar="A", help="the Ray cluster: auto, or host:port (default: one that is started here)")
    add("--strict", action="store_true", help="stop at the first row that cannot be shortened")
    add("--restart", action="store_true", help="begin anew, over an unfinished run or an existing OUT")
    add(
        "--save-every", type=float, default=PART_SECONDS, metavar="SECONDS",
        help="how much work a kill may cost (default: %(default)g)",
    )  # fmt: skip
    add("--bundle", metavar="DIR", help="a model folder (default: the one in the package)")
    add_summary_options(parser)


def run(args: argparse.Namespace) -> int:
    """Do the job; what there is to say goes to stderr."""
    options = summary_options(args)
    added = Added(args.score, args.kept, options.n_best > 1, args.prefix)
    dialect = Dialect(args.column, not args.no_quotes)
    job = Job(options, added, dialect, args.workers, args.strict, args.restart, args.save_every)
    if args.engine == "ray":
        from tersely.batch.cluster import run as run_on_ray  # here and not above: ray takes seconds to import

        forms = (args.source, args.target)
        report = run_on_ray(job, args.input, args.output, forms, args.address, Summarizer.load(args.bundle))
    elif args.address is not None:
        raise InputError("--address is where a Ray cluster is: give --engine ray as well")
    else:
        outputs = find_outputs(args.output, args.input, find_inputs(args.input, args.source), args.target)
        report = run_here(job, args.output, outputs, Summarizer.load(args.bundle))
    print(f"tersely: {told(report)}", file=sys.stderr)
    return 0


def told(report: Report) -> str:
    """A report as a line.

    >>> from collections import Counter
    >>> print(told(Report(2000, 500, Counter({"the text is empty": 3}), 60.0)))
    2,000 rows (500 of them before), 25.0 a second, in 1:00; 3 with an error: 3 the text is empty
    """
    if report.before == report.rows and not report.seconds:
        parts = [f"{report.rows:,} rows, all done before: nothing was left to do"]
    else:
        before = f" ({report.before:,} of them before)" if report.before else ""
        rate = (report.rows - report.before) / max(report.seconds, 1e-9)
        parts = [f"{report.rows:,} rows{before}, {rate:,.1f} a second, in {clock(report.seconds)}"]
    if report.errors:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in report.errors.most_common())
        parts.append(f"{report.errors.total():,} with an error: {kinds}")
    return "; ".join(parts)
