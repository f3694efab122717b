"""`tersely TEXT | FILE | -`: one summary for each input line.

Shorten sentences to exactly the length asked for, using only their own words, in order.

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
from collections.abc import Iterator
from typing import BinaryIO

from tersely.errors import FileError, InputError
from tersely.length import check_length
from tersely.progress import progress
from tersely.search import DEFAULT_SEARCH, SEARCHES
from tersely.summarizer import Summarizer, Summary
from tersely.text import MAX_CHARS

_MAX_LINE_BYTES = 4 * MAX_CHARS + 2  # no line with fewer bytes than this can be over the limit of characters
_LOOKS_LIKE_A_FILE = re.compile(r"\S*(/\S*|\.[A-Za-z]{2,5})|.*\.(txt|csv|tsv|jsonl?)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `tersely`."""
    parser.add_argument(
        "text", nargs="?", metavar="TEXT|FILE|-", help="a sentence, a file with one a line, or - for stdin"
    )
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--words", type=int, metavar="N", help="exactly N words")
    length.add_argument("--ratio", type=float, metavar="R", help="this share of the words, above 0 and at most 1")
    parser.add_argument(
        "--objective", metavar="NAME", help="what is maximised (default: headline, or paper if the bundle has none)"
    )
    parser.add_argument(
        "--search", default=DEFAULT_SEARCH, metavar="NAME", help=f"{', '.join(SEARCHES)} (default: %(default)s)"
    )
    # Not nargs="+": that would swallow the text behind it.
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="WORD",
        help="a word that must be in the summary; can be repeated",
    )
    parser.add_argument(
        "--drop", action="append", default=[], metavar="WORD", help="a word that must not be in it; can be repeated"
    )
    parser.add_argument(
        "--n-best", type=int, default=1, metavar="K", help="the K best summaries (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the search (default: %(default)s)")
    parser.add_argument("--pretokenized", action="store_true", help="split on white space alone (benchmark corpora)")
    parser.add_argument("--bundle", metavar="DIR", help="a model folder (default: the one in the package)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with all evidence")
    parser.add_argument("--explain", action="store_true", help="show the kept words and the factors of each summary")


def run(args: argparse.Namespace) -> int:
    """Summarise and print, a line for each line that comes in."""
    check_length(args.words, args.ratio)
    if args.n_best < 1:
        raise InputError(f"n-best must be at least 1, not {args.n_best}")
    lines, total = _open(args.text)
    summarizer = Summarizer.load(args.bundle)
    # Refuse unknown names before any line is read.
    summarizer.check(args.objective, args.search)
    blank = count = 0
    for name, text in progress(lines, "summarised", total):
        count += 1
        if not text.strip():
            blank += 1  # a blank line stays blank, so that line i of the output belongs to line i of the input
            print("null" if args.json else "", flush=True)
            continue
        try:
            summary = summarizer(
                text,
                words=args.words,
                ratio=args.ratio,
                objective=args.objective,
                search=args.search,
                keep=args.keep,
                drop=args.drop,
                n_best=args.n_best,
                seed=args.seed,
                pretokenized=args.pretokenized,
            )
        except InputError as error:
            raise InputError(f"{name}{error}") from None
        _print(summary, args.json, args.explain)
    if blank == count:
        raise InputError("the input is empty: there is nothing to shorten")
    if blank:
        print(f"tersely: {blank} blank of {count} lines left blank", file=sys.stderr)
    return 0


def _open(text: str | None) -> tuple[Iterator[tuple[str, str]], int | None]:
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
        try:
            total = _count_lines(text) if os.path.isfile(text) else None  # a named pipe can be read only once
            return _lines(open(text, "rb"), text), total
        except OSError as error:
            raise FileError(f"cannot read {text}: {error.strerror}") from None
    if _LOOKS_LIKE_A_FILE.fullmatch(text):
        raise FileError(f"no such file: {text} (to shorten it as a text, send it through stdin with -)")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the text is not valid UTF-8") from None
    if not text.strip():
        raise InputError("the text is empty: there is nothing to shorten")
    return iter([("", text)]), 1


def _no_stdin() -> bool:
    return sys.stdin is None or sys.stdin.isatty()


def _count_lines(path: str) -> int:
    count, block = 0, b"\n"
    with open(path, "rb") as file:
        while more := file.read(1 << 20):
            block = more
            count += block.count(b"\n")
    return count + (not block.endswith(b"\n"))


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[str, str]]:
    """The lines of a file as they come in; a pipe is not read ahead."""
    number = 0
    while raw := file.readline(_MAX_LINE_BYTES):
        number += 1
        place = f"{name}, line {number}: "
        if len(raw) == _MAX_LINE_BYTES and not raw.endswith(b"\n"):
            raise InputError(
                f"{place}the line has more than {MAX_CHARS:,} characters, the limit: split it into sentences"
            )
        try:
            yield place, raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{place}not valid UTF-8 (byte {error.start + 1})") from None


def _print(summary: Summary, as_json: bool, explain: bool) -> None:
    if as_json:
        print(json.dumps(summary.to_dict(), ensure_ascii=False), flush=True)
        return
    for one in (summary, *summary.others):
        print(one.text, flush=True)
        if explain:
            kept = set(one.kept)
            print("  " + " ".join(f"[{token}]" if i in kept else token for i, token in enumerate(one.tokens)))
            print(f"  log f = {one.score:.4f}")
            for name, value in one.factors.items():
                print(f"    {name:<12} {value:9.4f}")
            print(f"  {one.evaluations:,} evaluations, {one.signature}", flush=True)
