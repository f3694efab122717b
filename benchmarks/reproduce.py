"""Make the outputs behind docs/reproduction.md, and store what may be stored of them.

    python benchmarks/reproduce.py [--dev FOLDER] [--state FOLDER] [--only PART ...] [--bundle NAME=DIR ...]

It resumes where it was stopped: every summary is written to the state folder at once. That folder holds text of the
data, so it stays outside the repository. After each part the figures are written to results/reproduction.
--store-only makes no outputs and stores the figures of complete ones. --systems makes only some rows and keeps the
others. --sheets 50 writes pairs to be read blind, one sheet for each of three readers; `--only judgements` reads the
answers from the sheets. `runs/reproduce.sh` does everything, and says how many hours it takes.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

from reproduction import judgements
from reproduction.parts import PARTS, SHORT_EACH, SHORT_SEARCHES, Part, SystemFactory, short_sources
from reproduction.stored import FOLDER, make_row, merged, read_part, rows_of, write_part

from tersely.errors import InputError, TerselyError
from tersely.evaluation.baselines import lead_share, lead_words, word_rule
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.store import OutputStore
from tersely.evaluation.studies.lead_curves import N_WORDS, PERCENTS, curve
from tersely.evaluation.studies.positional_bias import reference_shares
from tersely.evaluation.systems import Output, Resources, System

SEARCH, LEAD = "search", "lead"


def outputs_of(system: System, dataset: Dataset, folder: Path, args: argparse.Namespace) -> list[Output] | None:
    """The outputs of a system; None if they are not complete and --store-only forbids to make them."""
    store = OutputStore(folder)
    return store.finished(system, dataset) if args.store_only else store.run(system, dataset)


def do_part(name: str, part: Part, systems: SystemFactory, args: argparse.Namespace) -> None:
    """Run the missing systems of a part, and store the figures after each of them."""
    dataset, numbers = part.read(args.dev, args.limit)
    wanted = list(part.entries(systems))
    new = []
    for entry in wanted:
        if args.systems and entry.label not in args.systems:
            continue
        outputs = outputs_of(entry.system, dataset, args.state / name, args)
        if outputs is None:
            print(f"{name}: {entry.label}, {entry.length}: not complete", file=sys.stderr)
            continue
        new.append(make_row(entry, outputs, dataset, part.rouge, numbers=numbers, positions=part.positions))
        old = rows_of(read_part(args.out, name))
        content = {
            "dataset": dataset.name,
            "sources": len(dataset),
            "signature": part.rouge.signature(dataset.n_references),
        }
        write_part(args.out, name, {**content, "rows": merged(old, new, wanted)})


def do_lead(args: argparse.Namespace) -> None:
    """Store the scores of Lead by length, and the quarters of the source that reference words come from."""
    dataset, _ = PARTS["gigaword"].read(args.dev, args.limit)
    content: dict[str, Any] = {
        "sources": len(dataset),
        "words": list(N_WORDS),
        "by_words": curve(dataset, N_WORDS, lambda n: word_rule(partial(lead_words, n_words=n))),
        "percent": list(PERCENTS),
        "by_percent": curve(dataset, PERCENTS, lambda p: word_rule(partial(lead_share, ratio=p / 100))),
        "references": [round(float(share), 5) for share in reference_shares(dataset)],
    }
    write_part(args.out, LEAD, content)


def do_search(systems: SystemFactory, args: argparse.Namespace) -> None:
    """Compare exhaustive search, hill climbing and the default search on short sources, for the paper's objective."""
    dataset, _ = PARTS["gigaword"].read(args.dev)
    sizes = []
    for size, short in short_sources(dataset, args.limit or SHORT_EACH).items():
        found = {}
        for label, search in SHORT_SEARCHES.items():
            options = {"words": size, **({"search": search} if search else {})}
            entry = systems.objective(label, f"{size} words", "paper", **options)
            outputs = outputs_of(entry.system, short, args.state / f"{SEARCH}-{size}", args)
            if outputs is not None:
                found[label] = {
                    "log_f": [round(output.score or 0.0, 6) for output in outputs],
                    "evaluations": [output.evaluations for output in outputs],
                    "seconds": [round(output.seconds or 0.0, 4) for output in outputs],
                }
        if len(found) == len(SHORT_SEARCHES):
            n_words = [len(short.words(source)) for source in short.sources]
            sizes.append({"words": size, "source_words": n_words, "found": found})
            write_part(args.out, SEARCH, {"sizes": sizes})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--dev", type=Path, default=os.environ.get("TERSELY_DEV"), help="folder of the development data")
    add("--state", type=Path, default="work/reproduction", help="where outputs are kept (default: work/reproduction)")
    add("--out", type=Path, default=FOLDER, help="where figures are stored (default: results/reproduction)")
    known = [LEAD, *PARTS, SEARCH, "judgements"]
    add("--only", nargs="+", choices=known, metavar="PART", default=known, help=f"of {', '.join(known)}")
    add("--shipped", metavar="DIR", help="the bundle that is reproduced (default: the one in the package)")
    add("--bundle", nargs="+", default=[], metavar="NAME=DIR", help="more bundles, e.g. HC_article=work/articles")
    add("--systems", nargs="+", metavar="LABEL", help="only these rows of the tables, e.g. headline HC_article")
    add("--limit", type=int, metavar="N", help="use at most N sources of each part")
    add("--workers", type=int, default=1, help="processes (default: 1)")
    add("--sheets", type=int, metavar="N", help="only write blind sheets of N pairs to the state folder")
    add("--store-only", action="store_true", help="make no outputs: store the figures of complete ones")
    args = parser.parse_args()
    try:
        if args.dev is None:
            raise InputError("no development data: give its folder with --dev or TERSELY_DEV")
        others = dict(pair.split("=", 1) for pair in args.bundle)
        systems = SystemFactory(Resources(args.shipped, args.workers), others)
        if args.sheets:
            print(*judgements.make_sheets(systems, args.dev, args.state, args.sheets), sep="\n")
            return 0
        for name in args.only:
            if name == LEAD:
                do_lead(args)
            elif name == SEARCH:
                do_search(systems, args)
            elif name == "judgements":
                judgements.store(args.state, args.out)
            else:
                do_part(name, PARTS[name], systems, args)
    except TerselyError as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
