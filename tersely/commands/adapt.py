"""`tersely adapt`: a copy of a bundle with the word counts of your own text, or with your own word lists."""

from __future__ import annotations

import argparse
import functools
import sys
from dataclasses import replace
from pathlib import Path

from tersely.bundle.bundle import default_bundle, open_bundle
from tersely.commands.common import add_bundle
from tersely.training.adapt import PRIOR, adapt
from tersely.training.corpus import CorpusFile

EPILOG = """\
Counts the words of your titles and articles, for the factors information and style, and writes a new bundle. Language
models, vectors and vocabulary stay the same. It takes minutes and needs no extra.

A corpus is a file with one sentence a line: plain text, .gz or .xz. The two sides need not be pairs, and one is enough.
FILE=2 counts each of its lines twice. With FILE=2,1, as for `tersely train`, the second number is used here.

examples:
  tersely adapt --titles our-headlines.txt --articles our-leads.txt.gz --out our-bundle
  tersely adapt --titles new.txt old.txt=0.2 --out our-bundle --prior 200000
  tersely adapt --bundle my-bundle --language language.json --out my-swedish-bundle
  tersely --bundle our-bundle --words 8 "A long sentence ..."
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--titles", metavar="FILE", nargs="+", default=[], help="headlines, or other short texts of the wanted style")
    add("--articles", metavar="FILE", nargs="+", default=[], help="sentences of the kind that will be shortened")
    add("--language", metavar="FILE", type=Path, help="word lists and kinds of needs, as language.json of a bundle")
    add("--out", metavar="DIR", type=Path, required=True, help="folder of the new bundle")
    add_bundle(parser, "the bundle to adapt")
    line = f"weight of the bundle's own counts, in words; 0 drops them (default: {PRIOR:,.0f})"
    add("--prior", metavar="WORDS", type=float, default=PRIOR, help=line)
    add("--pretokenized", action="store_true", help="the corpora are already split into tokens by spaces")
    add("--processes", metavar="N", type=int, default=1, help="processes that read the text (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Write the bundle; progress on stderr, the folder of the bundle on stdout."""
    corpora = {
        side: [_file(text, args.pretokenized) for text in getattr(args, side)] for side in ("titles", "articles")
    }
    bundle = open_bundle(default_bundle() if args.bundle is None else args.bundle)
    log = functools.partial(print, file=sys.stderr, flush=True)
    options = {"prior": args.prior, "processes": max(1, args.processes), "language": args.language}
    print(adapt(bundle, args.out, corpora, log, **options))
    return 0


def _file(text: str, pretokenized: bool) -> CorpusFile:
    """The corpus of `FILE`, `FILE=WEIGHT` or `FILE=WEIGHT,COUNT_WEIGHT`; here a single weight is for counts."""
    file = CorpusFile.parse(text, pretokenized=pretokenized)
    return file if "," in text.rpartition("=")[2] else replace(file, count_weight=file.weight)
