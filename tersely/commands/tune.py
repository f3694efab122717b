"""`tersely tune`: development pairs in, a bundle with new weights of an objective out."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from tersely.bundle.bundle import open_bundle
from tersely.bundle.description import MOST_WEIGHT
from tersely.bundle.writing import check_folder
from tersely.commands.common import add_bundle
from tersely.errors import InputError, missing_extra
from tersely.evaluation.datasets import read_dataset
from tersely.scoring.objective import in_a_line

EPILOG = """\
DATASET holds sources with summaries that people wrote: a folder in the headline layout, a .jsonl or a .tsv file, as
for `tersely evaluate`. Of several datasets each counts the same. The weights are tuned on one half of each. The other
half chooses between the rounds, and its figures are printed: ROUGE-1 / 2 / L of headlines, or the token F1 of summaries
made by deletion, at the length of each.

The result is a copy of the bundle; where no better weights are found, nothing is written. The objective may be new.
Fluency has the weight 1. --fixed keeps other weights as they are, where readers and not the measure should decide.

examples:
  tersely tune dev/gigaword --bundle my-bundle --objective headline --out tuned
  tersely tune dev/gigaword --bundle my-bundle --objective headline --fixed grammar=3 --out tuned
  tersely tune pairs.jsonl --bundle my-bundle --objective minutes --for deletions --out tuned
  tersely --bundle tuned --objective minutes --words 12 "A long sentence ..."
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("datasets", metavar="DATASET", nargs="+", help="sources with summaries that people wrote")
    add_bundle(parser, "the bundle whose weights are tuned", type=Path, required=True)
    add("--objective", metavar="NAME", required=True, help="the name that the weights are stored under")
    line = "what to tune for (default: deletions for the objective sentence, headlines for others)"
    add("--for", dest="goal", choices=("headlines", "deletions"), help=line)
    add("--words", metavar="N", type=int, nargs="+", default=[8, 10], help="lengths of headlines (default: 8 10)")
    add("--factors", metavar="FACTOR", nargs="+", help="tune only these (default: all; no clauses for headlines)")
    add("--fixed", metavar="FACTOR=WEIGHT", nargs="+", default=[], help="weights to keep, relative to a fluency of 1")
    add("--rounds", metavar="N", type=int, default=2, help="pool candidates and search N times (default: %(default)s)")
    add("--limit", metavar="N", type=int, help="use at most N sources of each half")
    add("--swap", action="store_true", help="tune on the second half and measure on the first")
    add("--out", metavar="DIR", type=Path, required=True, help="folder of the bundle with the new weights")


def run(args: argparse.Namespace) -> int:
    """Tune and write the bundle; progress and warnings on stderr, figures on stdout."""
    _check(args)
    try:
        from tersely.training.tune import goal_for, store, tune, warnings
    except ModuleNotFoundError:
        raise missing_extra("train", "scipy") from None

    bundle = open_bundle(args.bundle)
    tuned = tune(
        bundle,
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
    print(f"{args.objective}: {in_a_line(tuned.weights)}")
    for line in warnings(tuned):
        print(f"warning: {line}", file=sys.stderr)
    if tuned.stored:
        print("no better weights were found: nothing is written", file=sys.stderr)
        return 0
    store(bundle, args.out, args.objective, tuned.weights)
    print(f"stored in {args.out}", file=sys.stderr)
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse bad options before the tuning, which may take an hour."""
    if args.objective == "paper":
        raise InputError("the weights of paper cannot be tuned: give the objective another name")
    for option in ("rounds", "limit", "words"):
        value = getattr(args, option)
        for number in value if isinstance(value, list) else [value]:
            if number is not None and number < 1:
                raise InputError(f"invalid --{option} {number}: expected at least 1")
    check_folder(args.out)


def _fixed(text: str) -> tuple[str, float]:
    """The factor and the weight that `FACTOR=WEIGHT` means."""
    factor, _, weight = text.partition("=")
    try:
        number = float(weight)
    except ValueError:
        raise InputError(f"invalid --fixed {text!r}: expected FACTOR=WEIGHT, such as grammar=3") from None
    if abs(number) > MOST_WEIGHT:
        raise InputError(f"invalid --fixed {text!r}: expected a weight of at most {MOST_WEIGHT:,.0f}")
    return factor, number
