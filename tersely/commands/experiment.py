"""`tersely experiment`: the paper's tables and figures on a dataset."""

from __future__ import annotations

import argparse
from pathlib import Path

from tersely.commands.common import add_bundle, add_workers
from tersely.evaluation.datasets import read_dataset
from tersely.evaluation.experiments import STUDIES, run_experiment
from tersely.evaluation.studies.setting import Setting
from tersely.evaluation.systems import Resources

EPILOG = """\
The report folder holds report.md, report.json, figures/ (SVG and PNG), scores/ and outputs/. Each claim of the paper
gets a verdict. scores/ has figures and kept positions, but no word of the data. The same command resumes a run that was
stopped. Outputs are made again only if something has changed that decides them.

examples:
  tersely experiment gigaword --limit 20
  tersely experiment duc2004 --out reports/duc --search paper --only duc cases
  tersely experiment gigaword --systems NAUS=naus.txt:words=10 HC_article=paper:words=10,bundle=articles
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("dataset", metavar="DATASET", help="folder with input.txt and task1_ref0.txt, or .jsonl or .tsv")
    add("--out", metavar="DIR", help="report folder (default: report-NAME)")
    add("--scores", metavar="DIR", help="folder of the figures that are stored (default: scores, in the report folder)")
    add("--skip", type=int, default=0, metavar="N", help="leave out the first N sources")
    add("--limit", type=int, metavar="N", help="use the first N sources only, of those not left out")
    add("--only", nargs="+", choices=list(STUDIES), metavar="STUDY", help=f"only these, of {', '.join(STUDIES)}")
    add("--systems", nargs="+", default=[], metavar="SYSTEM", help="more systems, as for `evaluate`")
    line = "search of the summarisers; paper: the paper's own, slow (default: lattice)"
    add("--search", metavar="NAME", help=line)
    add_bundle(parser)
    add_workers(parser)
    line = "weights were tuned on the first N sources: figures of the others are also shown"
    add("--tuned", type=int, default=0, metavar="N", help=line)
    line = "sources in the comparison with exhaustive search (default: 48)"
    add("--exhaustive", type=int, default=48, metavar="N", help=line)
    line = "sources in the comparison with the paper's search at each length (default: 20)"
    add("--climbing", type=int, default=20, metavar="N", help=line)
    add("--cases", type=int, default=10, metavar="N", help="case studies (default: 10)")
    line = "also show what others reported, marked: measured on other data, so not compared"
    add("--published", action="store_true", help=line)
    add("--seed", type=int, default=0, help="seed of searches, bootstrap and cases (default: 0)")


def run(args: argparse.Namespace) -> int:
    """Run the studies and print the path of the report."""
    dataset = read_dataset(args.dataset).slice(args.skip, args.limit)
    setting = Setting(
        dataset=dataset,
        resources=Resources(args.bundle, args.workers),
        folder=Path(args.out or f"report-{dataset.name}"),
        search=args.search,
        extra_systems=args.systems,
        n_tuned=args.tuned,
        n_exhaustive=args.exhaustive,
        n_climbing=args.climbing,
        n_cases=args.cases,
        seed=args.seed,
    )
    folder = Path(args.scores) if args.scores else None
    print(run_experiment(setting, args.only, folder=folder, published=args.published))
    return 0
