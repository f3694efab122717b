"""`tersely srt IN OUT`: subtitles that can be read in their time."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tersely.commands.batch import checked_encoding
from tersely.commands.common import add_bundle, add_workers, given_options
from tersely.commands.summarize import add_options
from tersely.errors import FileError, InputError
from tersely.subtitles.cues import clock_time
from tersely.subtitles.files import SubtitleFile, reports, speech_options
from tersely.subtitles.limits import Limits
from tersely.subtitles.report import COLUMNS, CueReport
from tersely.summary.summarizer import Summarizer
from tersely.system.files import replacing
from tersely.system.progress import progress, supports_color

EPILOG = """\
IN is an SRT or WebVTT file or a folder with such files, OUT a file or a folder for the same names. With --check or
--diff, OUT can be left out. A cue within the limits is written byte for byte as it was; so are numbers, times, cue
settings, comments and styles. Fillers ("um", "you know") go first. A sentence that runs over several cues is shortened
as one. A cue that cannot be brought under the limits without losing a denying word ("not") or one of --keep is left
and named, and the exit code is 1.

examples:
  tersely srt talk.srt short.srt
  tersely srt talk.vtt short.vtt --cps 15 --keep names --report cues.csv
  tersely srt talk.srt --check
  tersely srt season/ short/ --workers 8
"""
_SUFFIXES = (".srt", ".vtt")
_OPTIONS = ("objective", "fast", "keep", "drop", "prefer", "effort")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add, limits = parser.add_argument, Limits()
    add("input", metavar="IN", help="an .srt or .vtt file, or a folder with some")
    add("output", metavar="OUT", nargs="?", help="a file, or a folder if IN is one")
    add("--cps", type=float, default=limits.cps, metavar="X", help="characters a second (default: %(default)g)")
    add("--line", type=int, default=limits.line, metavar="N", help="characters in a line (default: %(default)s)")
    add("--lines", type=int, default=limits.lines, metavar="N", help="lines in a cue (default: %(default)s)")
    line = "a sentence over several cues as one, or each cue for itself (default: %(default)s)"
    add("--cues", choices=("sentence", "alone"), default="sentence", help=line)
    add("--check", action="store_true", help="only say which cues are over a limit; then the exit code is 1")
    add("--diff", action="store_true", help="show each changed cue, old and new")
    add("--report", metavar="FILE", help="write a csv with a row for each cue that was over a limit or is changed")
    line = "of files without a byte order mark: cp1252, utf-16-le (default: %(default)s)"
    add("--encoding", default="utf-8", metavar="NAME", help=line)
    add_options(parser, _OPTIONS)
    add_bundle(parser)
    add_workers(parser)


def run(args: argparse.Namespace) -> int:
    """Shorten and write; what was done goes to stderr. Exit code 1 if a cue is over a limit."""
    limits = Limits(args.cps, args.line, args.lines)
    files = _files(args)
    _check_report(args.report, files)
    total = sum(1 for file, _ in files for _ in file.cues())  # refuses a bad file before anything is written
    if args.check:
        return _check(files, limits)
    if args.output is None and not args.diff:
        raise InputError("OUT is missing: where should the subtitles be written? (--check and --diff do not need it)")
    summarizer = Summarizer.load(args.bundle)
    options = speech_options(summarizer, **given_options(args, _OPTIONS))
    make = partial(reports, summarizer=summarizer, limits=limits, options=options, cues=args.cues, workers=args.workers)
    changed, left = 0, 0
    with _table(args.report) as write:
        made = (
            (file, one)
            for file, target in files
            for one in (make(file.cues()) if target is None else file.write(target, make))
        )
        for file, one in progress(made, "cues", total, log=True):
            if not one.over and not one.changed:
                continue
            write([str(file.path), *one.row()])
            changed += one.changed
            if args.diff and one.changed:
                print(one.diff(colour=supports_color(sys.stdout)) + "\n", flush=True)
            if not one.fits:
                left += 1
                print(f"tersely: {_place(file, one)}{one.status}", file=sys.stderr)
    print(f"tersely: {total:,} cues, {changed:,} changed, {left:,} left over a limit", file=sys.stderr)
    return 1 if left else 0


def _files(args: argparse.Namespace) -> list[tuple[SubtitleFile, Path | None]]:
    """The files to read, each with the one to write."""
    encoding = checked_encoding(args.encoding)
    source, target = Path(args.input), Path(args.output) if args.output and not args.check else None
    if not source.is_dir():
        if not source.exists():
            raise FileError(f"no such file: {source}")
        if target is not None and target.is_dir():
            target = target / source.name
        if target is not None and {source.suffix.lower(), target.suffix.lower()} == set(_SUFFIXES):
            raise InputError(f"{target} would have another format than {source}: use the same suffix")
        return [(SubtitleFile.of(source, encoding), target)]
    found = sorted(path for path in source.rglob("*") if path.suffix.lower() in _SUFFIXES and path.is_file())
    if not found:
        raise InputError(f"no .srt or .vtt file in {source}")
    if target is not None and target.is_file():
        raise InputError(f"{source} is a folder, and {target} is a file: give a folder")
    return [
        (SubtitleFile.of(path, encoding), None if target is None else target / path.relative_to(source))
        for path in found
    ]


def _check_report(report: str | None, files: list[tuple[SubtitleFile, Path | None]]) -> None:
    """Raise an error if the report would replace a file of subtitles, read or written."""
    taken = {os.path.realpath(path) for file, target in files for path in (file.path, target) if path is not None}
    if report is not None and os.path.realpath(report) in taken:
        raise InputError(f"--report would replace {report}, which has subtitles: give another file")


def _check(files: list[tuple[SubtitleFile, Path | None]], limits: Limits) -> int:
    """Say which cues are over a limit, and by how much."""
    over = 0
    for file, _ in files:
        for cue in file.cues():
            one = CueReport(cue, cue.text, limits)
            over += bool(one.over)
            for problem in one.over:
                print(f"{_place(file, one)}{problem}", flush=True)
    return 1 if over else 0


def _place(file: SubtitleFile, report: CueReport) -> str:
    return f"{file.path}, cue {report.cue.number} ({clock_time(report.cue.start)}): "


@contextlib.contextmanager
def _table(path: str | None) -> Iterator[Callable[[list[str]], object]]:
    """What writes a row of the report; without a path, nothing."""
    if path is None:
        yield lambda row: None
        return
    with replacing(Path(path)) as stream:
        text = io.TextIOWrapper(stream, "utf-8", newline="", write_through=True)
        write = csv.writer(text).writerow
        write(["file", *COLUMNS])
        yield write
        text.detach()
