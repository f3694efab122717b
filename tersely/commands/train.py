"""`tersely train`: text in, bundle out."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
import sys
from pathlib import Path

from tersely.errors import missing_extra
from tersely.training.corpus import CorpusFile
from tersely.training.plan import DEVICES, Plan
from tersely.training.recipes import PARSER_RECIPES, ParserRecipe, Recipe, override, recipe

EPILOG = """\
A corpus is a file with one sentence a line: plain text, .gz or .xz. FILE=2 gives it twice the weight of the others.
FILE=2,1 does so for the language models, and counts its lines once for information and style.

examples:
  tersely train --titles headlines.txt.xz --articles leads.txt.xz --out my-bundle --hours 2
  tersely train --titles a.txt=4 b.txt=1 --articles c.txt --out my-bundle --valid dev.txt
  tersely train --recipe tiny --titles a.txt --out try-it
  tersely train --titles a.txt --articles c.txt --trees en_ewt-train.conllu --out my-bundle
  tersely train --trees en_ewt-train.conllu --start-from my-bundle --out with-a-parser
  tersely train --vectors-from leads.txt.xz --start-from my-bundle --out other-vectors
  tersely --bundle my-bundle --words 8 "A long sentence ..."

Trees are in CoNLL-U (plain, .gz or .xz), the format of every Universal Dependencies treebank. Without them the bundle
has no parser and lacks the factors that need one. With --start-from and no titles or articles, only a parser is
trained, and everything else is copied from that bundle. With --vectors-from instead of trees, only vectors and idf are
made.

The same command resumes a run that was stopped. All values of a recipe can be set, e.g. --hidden 384.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--titles", metavar="FILE", nargs="+", default=[], help="headlines, or other short texts of the wanted style")
    add("--articles", metavar="FILE", nargs="+", default=[], help="sentences of the kind that will be shortened")
    add("--out", metavar="DIR", type=Path, required=True, help="folder of the bundle")
    add("--run", dest="run_folder", metavar="DIR", type=Path, help="folder of the run (default: OUT.run)")
    add("--recipe", default="default", help="default, paper, tiny or a JSON file (default: %(default)s)")
    add("--hours", type=float, help="budget of the language models in hours, instead of the recipe's --tokens")
    add("--start-from", metavar="DIR", type=Path, help="a bundle whose language models are trained further")
    add("--trees", metavar="FILE", nargs="+", type=Path, default=[], help="dependency trees in CoNLL-U, for the parser")
    add("--parser-hours", metavar="HOURS", type=float, help="budget of the parser (default: 20 million tokens)")
    add("--vectors-from", metavar="FILE", nargs="+", default=[], help="train the vectors on these files")
    add("--valid", metavar="FILE", nargs="+", default=[], help="files for validation; they are not trained on")
    add("--pretokenized", action="store_true", help="the corpora are already split into tokens by spaces")
    add("--valid-pretokenized", action="store_true", help="the files of --valid are already split into tokens")
    line = "device of the language models; auto: an accelerator if there is one (default: auto)"
    add("--device", choices=DEVICES, default="auto", help=line)
    add("--processes", type=int, metavar="N", help="1 or 2 (default: 2 where there are two cores)")
    group = parser.add_argument_group("values of the recipe")
    for field in dataclasses.fields(Recipe):
        default = {"True": "yes", "False": "no"}.get(str(field.default), field.default)
        line = f"{field.metadata['help']} (default recipe: {default})"
        group.add_argument(f"--{field.name.replace('_', '-')}", metavar="VALUE", help=line)


def run(args: argparse.Namespace) -> int:
    """Train and write the bundle; progress on stderr, the folder of the bundle on stdout."""
    changes = {f.name: getattr(args, f.name) for f in dataclasses.fields(Recipe) if getattr(args, f.name) is not None}
    corpus = functools.partial(CorpusFile.parse, pretokenized=args.pretokenized)
    valid = functools.partial(CorpusFile.parse, pretokenized=args.valid_pretokenized)
    plan = Plan(
        out=args.out,
        run=args.run_folder or Path(f"{args.out}.run"),
        recipe=override(recipe(args.recipe), changes),
        titles=tuple(map(corpus, args.titles)),
        articles=tuple(map(corpus, args.articles)),
        vectors_from=tuple(map(corpus, args.vectors_from)),
        valid=tuple(map(valid, args.valid)),
        hours=args.hours,
        start_from=args.start_from,
        trees=tuple(args.trees),
        parser_recipe=PARSER_RECIPES.get(args.recipe, ParserRecipe()),
        parser_hours=args.parser_hours,
        device=args.device,
        processes=max(1, min(2, args.processes or os.cpu_count() or 1)),
    )
    try:
        from tersely.training.build import build
    except ModuleNotFoundError as error:
        raise missing_extra("train", str(error.name)) from None
    folder = build(plan, lambda line: print(line, file=sys.stderr, flush=True))
    print(folder)
    return 0
