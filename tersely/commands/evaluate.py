"""`tersely evaluate`: systems against references, in one table."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tersely.commands.common import add_bundle, add_workers
from tersely.evaluation.datasets import Dataset, read_dataset
from tersely.evaluation.results import evaluate, run_system
from tersely.evaluation.rouge import MEASURES, Rouge
from tersely.evaluation.rouge_tokens import STEMMERS, TOKENIZERS
from tersely.evaluation.specs import parse_system
from tersely.evaluation.store import OutputStore
from tersely.evaluation.systems import Resources
from tersely.evaluation.table_formats import FORMATS, format_evaluation
from tersely.evaluation.token_f1 import own_lengths
from tersely.system.progress import supports_color

EPILOG = """\
systems:
  lead-8  lead-50%  lead-75c       the first 8 words, half of the words, 75 characters (lead-75c:hard cuts words)
  random-8  style-8                random words; the first words that are more frequent in titles than in articles
  headline:words=10                an objective of the bundle with a length (words, ratio, chars, bytes) and options of
  paper:ratio=50%,search=lattice   the summariser, such as search and seed
  "headline without style:words=8" the same without one of its factors
  paper:words=8,bundle=DIR         the same with another bundle; HC=paper:words=8,bundle=DIR is shown as HC
  outputs.txt  NAUS=naus.txt       a file with one summary a line, and the name to show
  NAUS=naus.txt:words=8            its length (words, ratio, chars or bytes), where the average should not decide

examples:
  tersely evaluate --dataset gigaword --systems lead-8 headline:words=8 outputs.txt
  tersely evaluate --dataset duc2004 --measure recall --cut-bytes 75 --systems lead-75c headline:bytes=75
  tersely evaluate --dataset gigaword --systems paper:words=8,search=paper --workers 2 --outputs kept
  tersely evaluate --dataset gigaword --systems lead-8 headline:words=8 --published
  tersely evaluate --dataset pairs.tsv --systems lead-10 headline:words=10 --format latex
  tersely evaluate --dataset edits.jsonl --systems lead headline fast:search=chain

A jsonl file with "text" and "short" holds shortenings by deletion, as for `tersely learn`. Systems are then named
without a length: each is asked for the length of every shortening, and its token F1 and the share that is identical are
printed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--dataset", required=True, metavar="PATH", help="folder with input.txt and task1_ref0.txt, or .jsonl or .tsv")
    add("--systems", required=True, nargs="+", metavar="SYSTEM", help="systems to compare, see below")
    add("--measure", choices=MEASURES, default="f1", help="ROUGE figure to show (default: f1)")
    add("--cut-bytes", type=int, metavar="N", help="cut summaries and references at N bytes (DUC: 75)")
    line = "words of ROUGE: perl as in ROUGE-1.5.5, unicode for text outside ASCII (default: perl)"
    add("--tokenizer", choices=list(TOKENIZERS), default="perl", help=line)
    line = "stems of ROUGE; porter: without WordNet's irregular forms (default: porter+wordnet, as in ROUGE-1.5.5)"
    add("--stemmer", choices=list(STEMMERS), default="porter+wordnet", help=line)
    add("--hard", action="store_true", help="let lead-75c cut inside a word, as the DUC baseline does")
    add("--skip", type=int, default=0, metavar="N", help="leave out the first N sources")
    add("--limit", type=int, metavar="N", help="use the first N sources only, of those not left out")
    line = "search of the summarisers that do not name one; paper: the paper's, to the letter, slow (default: lattice)"
    add("--search", metavar="NAME", help=line)
    add_bundle(parser, "the model folder for the objectives")
    add_workers(parser)
    add("--outputs", metavar="DIR", help="keep the summaries here; the same command resumes a run that was stopped")
    line = "also show what others reported in these brackets, marked: measured on other data, so not compared"
    add("--published", action="store_true", help=line)
    add("--seed", type=int, default=0, help="seed of the bootstrap (default: 0)")
    add("--format", choices=list(FORMATS), default="text", help="format of the table (default: text)")
    add("--json", action="store_const", const="json", dest="format", help="the same as --format json")


def run(args: argparse.Namespace) -> int:
    """Print the table. Warnings also go to stderr, because tables are often copied without their notes."""
    dataset = read_dataset(args.dataset).slice(args.skip, args.limit)
    resources = Resources(args.bundle, args.workers)
    if dataset.by_deletion:
        return _agreement(args, dataset, resources)
    systems = [parse_system(spec, resources, hard=args.hard, search=args.search) for spec in args.systems]
    rouge = Rouge(tokenizer=args.tokenizer, stemmer=args.stemmer, limit_bytes=args.cut_bytes, measure=args.measure)
    runner = OutputStore(Path(args.outputs)).run if args.outputs else run_system
    evaluation = evaluate(dataset, systems, rouge, runner=runner, seed=args.seed, published=args.published)
    for warning in evaluation.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    sys.stdout.write(format_evaluation(evaluation, args.format, color=supports_color(sys.stdout)))
    return 0


def _agreement(args: argparse.Namespace, dataset: Dataset, resources: Resources) -> int:
    """Print how far each system agrees with shortenings, at their own lengths."""
    found = {spec: own_lengths(dataset, spec, resources) for spec in args.systems}
    if args.format == "json":
        print(json.dumps({"dataset": dataset.name, "systems": {s: a._asdict() for s, a in found.items()}}, indent=1))
        return 0
    for spec, agreed in found.items():
        print(f"{spec:<{max(map(len, found))}}  {agreed}")
    return 0
