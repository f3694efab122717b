"""`tersely judge`: which of two systems do people prefer?"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import webbrowser
from dataclasses import asdict
from pathlib import Path

import numpy as np

from tersely.errors import InputError
from tersely.evaluation.datasets import read_dataset
from tersely.evaluation.judge import Item, Judge
from tersely.evaluation.judge_sheet import read_sheet, write_sheet
from tersely.evaluation.store import read_texts
from tersely.system.files import read_lines

EPILOG = """\
The page shows a source and the two summaries in random order and asks for fidelity and fluency. Answers are saved at
once in the database file. Several people can answer, each under a name; the same call continues where they stopped.

examples:
  tersely judge gigaword/input.txt HC=hc.txt lead.txt --sample 100
  tersely judge --report
  tersely judge gigaword/input.txt HC=hc.txt lead.txt --sample 50 --sheet sheet.txt --reader Ann
  tersely judge --answers sheet.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sources", nargs="?", metavar="SOURCES", help="file with one source a line, or a dataset")
    add(
        "system_a",
        nargs="?",
        metavar="A",
        help="file with one summary a line or of kept outputs (.jsonl), or NAME=FILE",
    )
    add("system_b", nargs="?", metavar="B", help="the same, of the other system")
    add("--db", default="judge.sqlite", metavar="FILE", help="database of the answers (default: judge.sqlite)")
    add("--sample", type=int, metavar="N", help="judge N sources, drawn at random with the seed")
    add("--seed", type=int, default=0, help="seed of the sample and the order (default: 0)")
    add("--host", default="127.0.0.1", help="address to serve on (default: 127.0.0.1)")
    add("--port", type=int, default=8765, help="port to serve on (default: 8765)")
    add("--no-browser", action="store_true", help="do not open the page")
    add(
        "--sheet",
        metavar="FILE",
        type=Path,
        help="write a text file to fill in, instead of serving a page",
    )
    add("--reader", metavar="NAME", default="reader", help="the annotator of the sheet (default: reader)")
    add("--answers", metavar="FILE", type=Path, help="read the answers from a sheet")
    add("--report", action="store_true", help="print the statistics of the answers so far")
    add("--json", action="store_true", help="print the statistics as JSON")


def run(args: argparse.Namespace) -> int:
    """Serve the page, print the report, or write or read a sheet."""
    if args.answers:
        n_answers = read_sheet(Judge(args.db), args.answers)
        print(f"{n_answers} answers read from {args.answers} into {args.db}", file=sys.stderr)
        return 0
    if args.report:
        print(format_report(Judge(args.db), as_json=args.json))
        return 0
    if args.system_b is None:
        raise InputError("missing files: give the sources and two files of summaries, or --report")
    if args.sheet:
        write_sheet(_open_judge(args), args.reader, args.sheet)
        print(f"wrote {args.sheet}; read the answers with --answers {args.sheet}", file=sys.stderr)
        return 0
    from tersely.evaluation.judge_server import create_app  # needs the extra, and a report does not
    from tersely.web.server import address_of, bind, make_server

    with bind(args.host, args.port) as bound:
        judge = _open_judge(args)
        address = address_of(bound)
        print(f"{judge.n_items} items, answers in {args.db}; open {address} and stop with Ctrl-C", file=sys.stderr)
        if not args.no_browser:
            threading.Timer(1.0, webbrowser.open, [address]).start()
        make_server(create_app(judge, args.host)).run(sockets=[bound])
    return 0


def _open_judge(args: argparse.Namespace) -> Judge:
    """The comparison of these files, new or with its answers so far."""
    names, items = read_items(args.sources, args.system_a, args.system_b)
    if args.sample is not None:
        items = draw_sample(items, args.sample, args.seed)
    return Judge.create(args.db, names, items, args.seed)


def read_items(sources: str, system_a: str, system_b: str) -> tuple[tuple[str, str], list[Item]]:
    """The names of the two systems and the items to judge."""
    path = Path(sources)
    texts = read_lines(path) if path.suffix == ".txt" else read_dataset(path).sources
    named = []
    for spec in (system_a, system_b):
        name, equals, file = spec.partition("=")
        file_path = Path(file if equals else spec)
        lines = read_texts(file_path) if file_path.suffix == ".jsonl" else read_lines(file_path)
        if len(lines) != len(texts):
            raise InputError(f"{file_path} has {len(lines)} lines, but {path} has {len(texts)} sources")
        named.append((name if equals else file_path.stem, lines))
    (name_a, lines_a), (name_b, lines_b) = named
    if name_a == name_b:
        raise InputError(f"both systems are called {name_a}: name them, as in A={system_a}")
    return (name_a, name_b), [Item(*row) for row in zip(texts, lines_a, lines_b, strict=True)]


def draw_sample(items: list[Item], size: int, seed: int) -> list[Item]:
    """A random sample of the items, in their order."""
    if not 1 <= size <= len(items):
        raise InputError(f"cannot draw a sample of {size}: there are {len(items)} sources")
    drawn = np.random.default_rng(seed).choice(len(items), size=size, replace=False)
    return [items[index] for index in sorted(drawn.tolist())]


def format_report(judge: Judge, *, as_json: bool = False) -> str:
    """The statistics of the answers so far, as a table or as JSON."""
    report, annotators = judge.report(), judge.annotators()
    if as_json:
        about = {"first": judge.name_a, "second": judge.name_b, "items": judge.n_items, "annotators": annotators}
        questions = {name: {**asdict(found), "tally": found.tally._asdict()} for name, found in report.items()}
        return json.dumps({**about, "questions": questions}, ensure_ascii=False, indent=1)
    lines = [
        f"{judge.name_a} against {judge.name_b}, {judge.n_items} items, {len(annotators)} annotators",
        f"{'question':<10}{'items':>7}{'answers':>9}{'wins':>6}{'ties':>6}{'losses':>8}{'score':>8}{'alpha':>8}",
    ]
    for question, found in report.items():
        alpha = "-" if found.alpha is None else f"{found.alpha:.3f}"
        tally = "{:>6}{:>6}{:>8}".format(*found.tally)
        lines.append(f"{question:<10}{found.n_items:>7}{found.n_answers:>9}{tally}{found.score:>+8.3f}{alpha:>8}")
    lines += [
        f"wins, ties, losses: items by majority vote, for {judge.name_a}",
        f"score: mean of all answers, +1 for {judge.name_a}, 0 for equal, -1 for {judge.name_b}",
        "alpha: Krippendorff's, nominal; 1 is agreement, 0 is chance",
    ]
    return "\n".join(lines)
