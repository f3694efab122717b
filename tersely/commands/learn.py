"""`tersely learn`: sources with shortenings in, a bundle with an editor out."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

from tersely.bundle.bundle import default_bundle
from tersely.errors import missing_extra
from tersely.training.recipes import LearnRecipe

EPILOG = """\
PAIRS is a .jsonl file (also .gz, .xz), an object a line: {"text": "A long sentence ...", "short": ["A sentence"]}. A
shortening has words of the text in their order; punctuation and capitals do not count. One source of thirteen is held
out, for ever the same ones.

examples:
  tersely learn our-edits.jsonl --out our-bundle
  tersely learn our-edits.jsonl --out our-bundle --frozen --rounds 20
  tersely learn edits.jsonl --bundle my-bundle --encoder minilm/model --trees en_ewt-train.conllu --out with-an-encoder
  tersely --bundle our-bundle --fast --words 8 "A long sentence ..."

An encoder is the folder of a pretrained BERT without capitals: model.safetensors, config.json, vocab.txt. Trees are in
CoNLL-U. In a bundle without an encoder the editor learns on the states of the parser, which stays as it is.

The same command resumes a run that was stopped.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add, defaults = parser.add_argument, LearnRecipe()
    add("pairs", metavar="PAIRS", nargs="+", type=Path, help="sources with shortenings by deletion, .jsonl")
    add("--bundle", metavar="DIR", type=Path, help="the bundle to start from (default: the shipped one)")
    add("--out", metavar="DIR", type=Path, required=True, help="the folder of the bundle with the new editor")
    add("--run", dest="run_folder", metavar="DIR", type=Path, help="the folder of the run (default: OUT.run)")
    budget = parser.add_mutually_exclusive_group()
    line = f"how often the shortenings are read (default: {defaults.rounds:g})"
    budget.add_argument("--rounds", metavar="N", type=float, default=defaults.rounds, help=line)
    budget.add_argument("--hours", type=float, help="learn for so long instead")
    add("--frozen", action="store_true", help="let the editor alone learn; encoder and parser stay")
    add("--encoder", metavar="DIR", type=Path, help="a pretrained encoder to put into the bundle; needs --trees")
    add("--trees", metavar="FILE", nargs="+", type=Path, default=[], help="dependency trees in CoNLL-U, for the parser")
    add("--seed", type=int, default=defaults.seed, help="of everything random (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Learn and write the bundle; progress on stderr, the folder of the bundle on stdout."""
    try:
        from tersely.training.learned_bundle import LearnPlan, learn
    except ModuleNotFoundError as error:
        raise missing_extra("train", str(error.name)) from None
    plan = LearnPlan(
        pairs=tuple(args.pairs),
        bundle=args.bundle or default_bundle(),
        out=args.out,
        run=args.run_folder or Path(f"{args.out}.run"),
        recipe=dataclasses.replace(LearnRecipe(), rounds=args.rounds, seed=args.seed),
        hours=args.hours,
        encoder=args.encoder,
        trees=tuple(args.trees),
        frozen=args.frozen,
    )
    print(learn(plan, lambda line: print(line, file=sys.stderr, flush=True)))
    return 0
