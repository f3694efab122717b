"""`tersely fit FILE ...`: what is over its limit in files with many texts, and the same files with nothing over."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tersely.commands.common import add_bundle, add_workers
from tersely.errors import FileError
from tersely.fit.document import Document
from tersely.fit.limits import Limits, read_limits
from tersely.fit.shorten import Fitted, over, shorten
from tersely.fit.value import Value
from tersely.summary.options import Options
from tersely.summary.summarizer import Summarizer
from tersely.system.progress import progress, supports_color

EPILOG = """the file of limits has a key or a pattern of keys a line, with a limit in any unit:
  "store.title" = "30 chars"
  "push.*" = "178 bytes"
  "*.sms" = { sms = 1, keep = ["Fernhill"] }

examples:
  tersely fit strings.json --limits limits.toml            what is over, exit code 1
  tersely fit strings.json --limits limits.toml --diff     what --write would drop
  tersely fit fastlane/metadata locales/*.po --write       shortens what is over, every other byte stays
"""
_Over = tuple[Document, Value, Options]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(wrong_usage=parser.error)
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a folder of .txt (fastlane), or json, yaml, properties, po, xliff, csv",
    )
    parser.add_argument(
        "--limits", default="limits.toml", metavar="FILE", help="a limit for each key (default: %(default)s)"
    )
    parser.add_argument(
        "--check", action="store_true", help="only say what is over; then the exit code is 1 (the default)"
    )
    parser.add_argument("--write", action="store_true", help="shorten what is over, in the files")
    parser.add_argument("--diff", action="store_true", help="show the words that are or would be dropped")
    parser.add_argument("--objective", metavar="NAME", help="what is maximised (default: sentence)")
    parser.add_argument("--fast", action="store_true", help="by the learned editor alone, in milliseconds")
    parser.add_argument(
        "--language", default="en", metavar="CODE", help="the language of the bundle; translations into others are left"
    )
    add_bundle(parser)
    add_workers(parser)


def run(args: argparse.Namespace) -> int:
    """Check, or shorten. Nothing is written before all files have been read and every new one has been checked."""
    if args.check and args.write:
        args.wrong_usage("--check writes nothing: leave out --write")
    more = {"objective": args.objective, "fast": args.fast}
    limits = read_limits(Path(args.limits), **{name: given for name, given in more.items() if given})
    documents = [Document.read(path) for path in _paths(args.files)]
    found = list(_over(documents, limits))
    _name_unknown(args.limits, limits, documents)
    if not found or not (args.write or args.diff):
        for document, value, options in found:
            print(f"{document.place(value)}{over(value, options)}")
        return 1 if found else 0
    return _shorten(args, found)


def _paths(files: list[str]) -> Iterator[Path]:
    """The files; of a folder, all texts in it."""
    for path in map(Path, files):
        if not path.exists():
            raise FileError(f"no such file: {path}")
        yield from sorted(path.rglob("*.txt")) if path.is_dir() else [path]


def _over(documents: list[Document], limits: Limits) -> Iterator[_Over]:
    for document in documents:
        for value in document.values:
            options = limits.of(value)
            if options is not None and over(value, options):
                yield document, value, options


def _name_unknown(path: str, limits: Limits, documents: list[Document]) -> None:
    """A key that no file has is perhaps misspelt."""
    names = {name for document in documents for value in document.values for name in value.names}
    if unknown := [key for key in limits.keys if key not in names]:
        print(f"tersely: {path}: no value has the key {', '.join(unknown)}", file=sys.stderr)


def _shorten(args: argparse.Namespace, found: list[_Over]) -> int:
    summarizer = Summarizer.load(args.bundle)
    for *_, options in found:
        summarizer.check(options)
    work = partial(_work, language=args.language, colour=supports_color(sys.stdout))
    made = summarizer.spread(work, [(value, options) for _, value, options in found], args.workers)
    fitted = list(progress(made, "shortened", len(found)))
    changes: dict[Document, dict[Value, str]] = {document: {} for document, *_ in found}
    for (document, value, _), one in zip(found, fitted, strict=True):
        if one.text is not None:
            changes[document][value] = one.text
    written = [(document, document.rewritten(new)) for document, new in changes.items() if new]
    for (document, value, options), one in zip(found, fitted, strict=True):
        _show(document.place(value), one, over(value, options), diff=args.diff)
    for document, data in written if args.write else ():
        document.write(data)
    left = sum(one.text is None for one in fitted)
    if left:
        print(
            f"tersely: {left} of {len(found)} values that are over their limit could not be shortened", file=sys.stderr
        )
    return 1 if left or not args.write else 0


def _work(summarizer: Summarizer, item: tuple[Value, Options], language: str, colour: bool) -> Fitted:
    return shorten(summarizer, *item, language, colour)


def _show(place: str, one: Fitted, problem: str, *, diff: bool) -> None:
    if one.text is None:
        print(f"tersely: {place}left as it is: {one.why_not} ({problem})", file=sys.stderr)
        return
    print(f"{place}{' '.join(one.text.split())}")
    if diff:
        print(f"  {one.diff}")
