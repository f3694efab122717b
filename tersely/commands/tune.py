"""`tersely tune`: development pairs in, weights of an objective in the bundle out."""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from pathlib import Path

from tersely.errors import InputError, missing_extra
from tersely.evaluation.datasets import read_dataset
from tersely.files import write_text
from tersely.summarizer import Summarizer

EPILOG = """\
DATASET holds sources with summaries that people wrote: a folder in the headline layout, a .jsonl or a .tsv file, as
for `tersely evaluate`. Of several datasets each counts as much as another. One half of each is tuned on, the other
chooses between the rounds, and its figures are printed: ROUGE-1 / 2 / L of headlines, or the token F1 of summaries
made by deletion, at the length of each.

The name may be new. Fluency has the weight 1; --fixed keeps others beside it as they are, where reading and not the
measure has to decide.

examples:
  tersely tune dev/gigaword --bundle my-bundle --objective headline --words 8 10
  tersely tune dev/gigaword --bundle my-bundle --objective headline --fixed grammar=3
  tersely tune pairs.jsonl --bundle my-bundle --objective minutes --for deletions
  tersely --bundle my-bundle --objective minutes --words 12 "A long sentence ..."
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("datasets", metavar="DATASET", nargs="+", help="sources with summaries that people wrote")
    add("--bundle", metavar="DIR", type=Path, required=True, help="the bundle whose weights are tuned and stored")
    add("--objective", metavar="NAME", required=True, help="the name that the weights are stored under")
    line = "what the summaries are good for (default: deletions for the objective sentence, headlines for others)"
    add("--for", dest="goal", choices=("headlines", "deletions"), help=line)
    add("--words", metavar="N", type=int, nargs="+", default=[8, 10], help="lengths of headlines (default: 8 10)")
    add("--factors", metavar="FACTOR", nargs="+", help="tune these alone (default: all; no clauses for headlines)")
    add("--fixed", metavar="FACTOR=WEIGHT", nargs="+", default=[], help="keep these weights, beside a fluency of 1")
    add("--rounds", metavar="N", type=int, default=2, help="pool candidates and search so often (default: %(default)s)")
    add("--limit", metavar="N", type=int, help="at most so many sources of each half")
    add("--swap", action="store_true", help="tune on the second half and measure on the first")
    add("--out", metavar="FILE", type=Path, help="write weights and figures to this JSON file, not into the bundle")


def run(args: argparse.Namespace) -> int:
    """Tune; progress on stderr, figures on stdout, the weights in the bundle or in a file."""
    _check(args)
    try:
        from tersely.training.tune import goal_for, show, tune
    except ModuleNotFoundError:
        raise missing_extra("train", "scipy") from None
    from tersely.bundle import set_objective

    tuned = tune(
        Summarizer.load(args.bundle),
        [read_dataset(path) for path in args.datasets],
        args.objective,
        args.goal or goal_for(args.objective),
        functools.partial(print, flush=True),
        sizes=args.words,
        factors=args.factors,
        fixed=dict(map(_fixed, args.fixed)),
        rounds=args.rounds,
        limit=args.limit,
        swapped=args.swap,
    )
    if args.out is not None:
        found = {"objective": args.objective, "weights": tuned.weights, "held out": tuned.measured}
        write_text(args.out, json.dumps(found, indent=1) + "\n")
    else:
        set_objective(args.bundle, args.objective, tuned.weights)
    print(f"{args.objective}: {show(tuned.weights)}")
    print(f"stored in {args.out or args.bundle}", file=sys.stderr)
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse before the tuning, which may take an hour, what would be refused after it."""
    if args.objective == "paper":
        raise InputError("the weights of paper are the paper's: tune under another name")
    for option in ("rounds", "limit", "words"):
        value = getattr(args, option)
        for number in value if isinstance(value, list) else [value]:
            if number is not None and number < 1:
                raise InputError(f"--{option} is at least 1, not {number}")
    if args.out is None and args.bundle.is_dir() and not os.access(args.bundle, os.W_OK):
        raise InputError(f"{args.bundle} cannot be written: tune a copy of it, or give --out FILE")


def _fixed(text: str) -> tuple[str, float]:
    """The factor and the weight that `FACTOR=WEIGHT` means."""
    factor, _, weight = text.partition("=")
    try:
        return factor, float(weight)
    except ValueError:
        raise InputError(f"--fixed is FACTOR=WEIGHT, such as grammar=3, not {text!r}") from None
