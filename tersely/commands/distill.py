"""`tersely distill`: a bundle and unlabelled sentences in, the bundle with its fast path out."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from tersely.bundle import open_bundle
from tersely.errors import missing_extra
from tersely.summarizer import default_bundle

EPILOG = """\
Lets the search shorten sentences to several lengths, and trains a small selector on what it finds: scores for words
that become neighbours, on the parser's encoder. With it, `--fast` and fast=True choose in milliseconds, without the
language models. No references are needed, only sentences of the kind that will be shortened, one a line: plain text,
.gz or .xz. The bundle has to have a parser. It needs pip install 'tersely[train]'.

The lessons and the training are kept in the folder of the run (--run, by default beside OUT): the same command goes on
where it was. A sentence takes about a third of a second of one core, and 100 kB of memory while it is learned from.

examples:
  tersely distill --sentences news.txt.xz more.txt --out fast-bundle
  tersely distill --bundle our-bundle --sentences ours.txt --out our-fast-bundle --count 20000 --workers 8
  tersely --bundle fast-bundle --fast --words 8 "A long sentence ..."
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--sentences", metavar="FILE", nargs="+", type=Path, required=True, help="text, a sentence or more a line")
    add("--out", metavar="DIR", type=Path, required=True, help="the folder of the new bundle")
    add("--bundle", metavar="DIR", help="the model folder to learn from (default: the one in the package)")
    add("--objectives", metavar="NAME", nargs="+", help="what to learn (default: headline and sentence)")
    add("--count", metavar="N", type=int, default=10_000, help="sentences to learn from (default: %(default)s)")
    add("--workers", metavar="N", type=int, default=1, help="processes that search (default: %(default)s)")
    add("--run", dest="run_folder", metavar="DIR", type=Path, help="the folder of the run (default: OUT.run)")


def run(args: argparse.Namespace) -> int:
    """Write the bundle; progress on stderr, the folder of the bundle on stdout."""
    try:
        from tersely.training.distill import DistillPlan, distill
        from tersely.training.run import watching_for_stop
    except ModuleNotFoundError as error:
        raise missing_extra("train", str(error.name)) from None
    bundle = open_bundle(default_bundle() if args.bundle is None else args.bundle)
    plan = DistillPlan(
        bundle=bundle,
        out=args.out,
        run=args.run_folder or Path(f"{args.out}.run"),
        files=tuple(args.sentences),
        objectives=tuple(args.objectives or [name for name in ("headline", "sentence") if name in bundle.objectives]),
        count=args.count,
        workers=args.workers,
    )
    with watching_for_stop() as stop:
        print(distill(plan, functools.partial(print, file=sys.stderr, flush=True), stop))
    return 0
