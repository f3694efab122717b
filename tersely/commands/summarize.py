"""`tersely TEXT | FILE | -`: one summary for each input line.

Shorten sentences to exactly the length asked for, using only their own words, in order.

  tersely --chars 60 "A German container ship ran aground early Tuesday, but there were no casualties at all."
  tersely --words 8 "A German container ship ran aground early Tuesday, but there were no casualties."
  tersely --ratio 0.5 sentences.txt > summaries.txt
  cat sentences.txt | tersely --words 10 --json -
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from tersely.candidates.length import UNITS, Size
from tersely.commands.common import add_bundle, add_workers, given_options, utf8
from tersely.errors import FileError, InputError, short_repr
from tersely.search import SEARCHES
from tersely.summary.check import over_limit
from tersely.summary.diff import diff
from tersely.summary.joining import options_of_each
from tersely.summary.options import Options, fields
from tersely.summary.reading import read_text
from tersely.summary.summarizer import Summarizer
from tersely.summary.summary import Summary
from tersely.system.files import COMPRESSIONS, decoded_lines, reading
from tersely.system.progress import progress, supports_color
from tersely.text.sentences import sentences
from tersely.text.words import MAX_CHARS, tokenize

Line = tuple[str, str | InputError]  # where it stands, and its text, or why there is none
Asked = tuple[str, str | InputError, Options]  # a line or a sentence of it, and what is asked of it
_MAX_LINE_BYTES = 4 * MAX_CHARS + 2  # no line with fewer bytes than this can be over the limit of characters
_TOO_LONG = f"the line has more than {MAX_CHARS:,} characters, the limit: split it into sentences"
_LOOKS_LIKE_A_FILE = re.compile(r"\S*(/\S*|\.[A-Za-z]{2,5})|.*\.(txt|csv|tsv|jsonl?)")
_TABLE = re.compile(r"\.(csv|tsv|jsonl)(\.gz|\.xz|\.zst)?$", re.IGNORECASE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", nargs="?", metavar="TEXT|FILE|-", help="a sentence, a file with one a line, or - for stdin"
    )
    add_summary_options(parser)
    parser.add_argument(
        "--all-lengths", action="store_true", help="the best summary of every length up to the one given, one a line"
    )
    add_bundle(parser)
    add_workers(parser)
    parser.add_argument("--strict", action="store_true", help="stop at the first line that cannot be shortened")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with all evidence")
    parser.add_argument("--check", action="store_true", help="only say what is over the limit; then the exit code is 1")
    parser.add_argument("--diff", action="store_true", help="show the words of the source that were dropped")
    parser.add_argument(
        "--explain", action="store_true", help="show what each word does to the score, the factors, and what was lost"
    )


def add_summary_options(parser: argparse.ArgumentParser) -> None:
    """Everything that a summary can be asked, from the tables of units and options."""
    parser.set_defaults(wrong_usage=parser.error)
    words = parser.add_mutually_exclusive_group()
    for unit in UNITS.values():
        if unit.budget:
            (parser if unit.count else words).add_argument(
                f"--{unit.name}", type=_reader(unit.read, unit.help), metavar=unit.metavar, help=unit.help
            )
    add_options(parser, fields())


def add_options(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """The options of a summary that have these names."""
    for name in names:
        field = fields()[name]
        flag, default, help = f"--{name.replace('_', '-')}", field.default, field.metadata["help"]
        if name == "search":
            help = ", ".join(SEARCHES)
        if isinstance(default, bool):  # what is on by default is switched off by --no-...
            off = flag.replace("--", "--no-", 1)
            parser.add_argument(
                off if default else flag, action=f"store_{not default}".lower(), dest=name, default=default, help=help
            )
        elif isinstance(default, tuple):  # not nargs="+": that would swallow the text after it
            parser.add_argument(flag, action="append", default=[], metavar=field.metadata["metavar"], help=help)
        else:
            shown = "" if default is None else " (default: %(default)s)"
            parser.add_argument(
                flag, type=field.metadata["read"], default=default, metavar=field.metadata["metavar"], help=help + shown
            )


def _reader(read: Callable[[str], Size], help: str) -> Callable[[str], Size]:
    """A reading of a length that says what it can be: argparse would name the function."""

    def length(text: str) -> Size:
        try:
            return read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid value {short_repr(text)}: {help}") from None

    return length


def summary_options(args: argparse.Namespace) -> Options:
    """The options of a summary among the arguments."""
    given = given_options(args, [*UNITS, *fields()])
    if all(given.get(name) is None for name in UNITS):
        args.wrong_usage(
            "a length is needed: " + " or ".join(f"--{unit.name}" for unit in UNITS.values() if unit.budget)
        )
    return Options.of(**given)


def run(args: argparse.Namespace) -> int:
    """Summarise and print, a line for each line that comes in.

    A line that cannot be shortened does not cost the others: it becomes an empty line, so that line i of the output
    belongs to line i of the input, and is named on stderr.
    """
    options = summary_options(args)
    lines, total = _open(args.text)
    if args.check:
        return _check(lines, options)
    summarizer = Summarizer.load(args.bundle)
    summarizer.check(options)  # refuses unknown names before any line is read
    # Split here, so that each sentence has its own place in JSON, errors and lengths.
    asked, total = _with_pins(summarizer, lines, options), None if options.split else total
    blank = count = failed = 0
    warned: set[str] = set()
    work = _Work(args.all_lengths, args.json, args.explain, args.diff, supports_color(sys.stdout))
    for place, found, warnings in progress(summarizer.spread(work, asked, args.workers), "summarised", total):
        count += 1
        for message in [message for message in warnings if message not in warned]:  # once, not for each line
            print(f"tersely: {place}{message}", file=sys.stderr)
            warned.add(message)
        if isinstance(found, InputError):
            if args.strict or not place:
                raise InputError(f"{place}{found}") from None
            failed += 1
            print(f"tersely: {place}{found}", file=sys.stderr)
            print(json.dumps({"error": str(found)}, ensure_ascii=False) if args.json else "", flush=True)
            continue
        if not found:
            blank += 1
            print("null" if args.json else "", flush=True)
        for shown in found:
            print(shown, flush=True)
        if found and place and options.n_best > 1 and not args.json and not args.all_lengths:
            print(flush=True)  # an empty line ends the summaries of each line
    if blank == count:
        raise InputError("the input is empty: there is nothing to shorten")
    if blank:
        print(f"tersely: {blank} of {count} lines are left blank", file=sys.stderr)
    if failed:
        print(f"tersely: {failed} of {count} lines could not be shortened", file=sys.stderr)
    return 1 if failed else 0


def _open(text: str | None) -> tuple[Iterator[Line], int | None]:
    """The lines to summarise, each with the place to name in an error, and their number where it is known."""
    if text == "-" or (text is None and not _no_stdin()):
        if sys.stdin is None:
            raise FileError("cannot read stdin: it is closed")
        return _lines(sys.stdin.buffer, "stdin"), None
    if text is None:
        raise InputError("nothing to shorten: give a text, a file or - for stdin")
    if os.path.isdir(text):
        raise FileError(f"{text} is a folder: give a file with one sentence a line")
    if os.path.exists(text):
        return _open_file(Path(text))
    if _LOOKS_LIKE_A_FILE.fullmatch(text):
        raise FileError(f"no such file: {text} (to shorten it as a text, send it through stdin with -)")
    text = utf8(text)
    if not text.strip():
        raise InputError("the text is empty: there is nothing to shorten")
    return iter([("", text)]), 1


def _open_file(path: Path) -> tuple[Iterator[Line], int | None]:
    if kind := _TABLE.search(path.name):
        print(
            f"tersely: {path} is read as plain text, one sentence a line: tersely batch reads {kind[1]}",
            file=sys.stderr,
        )
    try:
        countable = path.is_file() and path.suffix not in COMPRESSIONS  # a named pipe can be read only once
        return _lines_of(path), _count_lines(path) if countable else None
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None


def _lines_of(path: Path) -> Iterator[Line]:
    with reading(path) as stream:
        yield from _lines(stream, str(path))


def _sentences(text: str | InputError, options: Options) -> list[str | InputError]:
    """The sentences of a line if they are asked for and there are some, or the line itself."""
    return (options.split and isinstance(text, str) and [*sentences(read_text(text, options))]) or [text]


def _of_a_sentence(options: Options) -> Options:
    """The options for what `_sentences` returns, which has been read."""
    return replace(options, split=False, html=False, lead=False) if options.split else options


def _with_pins(summarizer: Summarizer, lines: Iterator[Line], options: Options) -> Iterator[Asked]:
    """The lines, or their sentences, each with the pins whose words it has."""
    alone = _of_a_sentence(options)
    for place, text in lines:
        if not options.split or isinstance(text, InputError) or not text.strip():
            yield place, text, alone
            continue
        parts = [str(part) for part in _sentences(text, options)]
        read = [summarizer.bundle.sentence(tokenize(part, pretokenized=options.pretokenized)) for part in parts]
        try:
            yield from ((place, part, own) for part, own in zip(parts, options_of_each(read, alone), strict=True))
        except InputError as error:
            yield place, error, alone


def _check(lines: Iterator[Line], options: Options) -> int:
    """Say which lines, or which of their sentences, are over the limit, and by how much."""
    over = 0
    for place, part in ((place, part) for place, text in lines for part in _sentences(text, options)):
        problems = [str(part)] if isinstance(part, InputError) else over_limit(part, _of_a_sentence(options))
        over += bool(problems)
        for problem in problems:
            print(f"{place}{problem}", flush=True)
    return 1 if over else 0


def _no_stdin() -> bool:
    return sys.stdin is None or sys.stdin.isatty()


def _count_lines(path: Path) -> int:
    count, block = 0, b"\n"
    with open(path, "rb") as file:
        while more := file.read(1 << 20):
            block = more
            count += block.count(b"\n")
    return count + (not block.endswith(b"\n"))


def _lines(file: IO[bytes], name: str) -> Iterator[Line]:
    for number, (line, problem) in enumerate(decoded_lines(file, _MAX_LINE_BYTES, _TOO_LONG), start=1):
        yield f"{name}, line {number}: ", problem or line.rstrip("\r\n")


@dataclass(frozen=True)
class _Work:
    """How a line is shortened and shown. Workers do both: a summary is explained where it was made."""

    all_lengths: bool
    as_json: bool
    explain: bool
    diff: bool
    colour: bool

    def __call__(self, summarizer: Summarizer, asked: Asked) -> tuple[str, list[str] | InputError, tuple[str, ...]]:
        """Where a line stands, its summaries, none if it is blank, or why there are none; and warnings."""
        place, text, options = asked
        try:
            if isinstance(text, InputError):
                raise text
            if not text.strip():
                return place, [], ()
            make = summarizer.every_length if self.all_lengths else summarizer.shorten
            made = make(text, options)
            found = made if isinstance(made, list) else [made]
            source = read_text(text, options)
            return (
                place,
                [self.shown(one, source, options.pretokenized) for one in found],
                tuple(w for one in found[:1] for w in one.warnings),
            )
        except InputError as error:
            return place, error, ()

    def shown(self, summary: Summary, source: str, pretokenized: bool) -> str:
        if self.as_json:
            why = {"explanation": summary.explain().to_dict()} if self.explain else {}
            return json.dumps({**summary.to_dict(), **why}, ensure_ascii=False)
        lines = []
        for one in (summary, *summary.others):
            lines.append(one.text)
            if self.diff:
                lines.append("  " + diff(source, one.kept, pretokenized=pretokenized, colour=self.colour))
            if self.explain:
                lines.append(textwrap.indent(one.explain().table(colour=self.colour), "  "))
        return "\n".join(lines)
