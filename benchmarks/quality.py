"""The figures that the objectives are held to, on development data that no weight was tuned on.

    python benchmarks/quality.py [--dev FOLDER] [--objectives NAME ...] [--limit N] [--out FILE]

Headlines (`gigaword`, its second half): ROUGE F1 and the mean log fluency at 8 and 10 words. Sentences: token F1
against the words that people kept, in speech (`broadcast`, its second half) at the length that each of them chose, in
news (`compression/google400.jsonl`) at 11 words. The data is in the folder `--dev`, or TERSELY_DEV.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import functools
import json
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tersely.bundle.objectives import FAST
from tersely.candidates.length import Budget
from tersely.errors import InputError, TerselyError
from tersely.evaluation.datasets import Example, read_dataset
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.token_f1 import kept_words, token_f1
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer
from tersely.system.progress import progress
from tersely.text.words import tokenize

Row = list[float]


@dataclass(frozen=True)
class Corpus:
    """A part of the development data, and what is measured on it unless objectives are chosen."""

    path: str
    lengths: tuple[int | None, ...]  # in words; None: as many as each reference has
    objectives: tuple[str, ...]
    rouge: bool = False  # else token F1
    pretokenized: bool = True
    half: bool = True  # weights were tuned on the first half


CORPORA = {
    "gigaword": Corpus("gigaword", (8, 10), ("paper", "headline", "telegraph", FAST), rouge=True),
    "broadcast": Corpus("broadcast", (None,), ("headline", "sentence", "telegraph", FAST)),
    "google": Corpus("compression/google400.jsonl", (11,), ("sentence",), pretokenized=False, half=False),
}


@dataclass(frozen=True)
class Job:
    """One source for one system; a process does one after another."""

    corpus: str
    system: str  # "lead", or an objective
    words: int | None
    example: Example


@functools.cache
def summarizer(bundle: str | None) -> Summarizer:
    """One for each process."""
    return Summarizer.load(bundle)


@functools.cache
def rouge() -> Rouge:
    return Rouge()


def row(job: Job, bundle: str | None) -> Row:
    """The figures of one source."""
    found, corpus = summarizer(bundle), CORPORA[job.corpus]
    tokens = tokenize(job.example.source, pretokenized=corpus.pretokenized)
    source = found.bundle.sentence(tokens)

    @functools.cache
    def kept(words: int) -> list[int]:
        if job.system == "lead":
            return list(range(min(words, len(source))))
        objective: dict[str, Any] = {"fast": True} if job.system == FAST else {"objective": job.system}
        return list(found(job.example.source, words=words, pretokenized=corpus.pretokenized, **objective).kept)

    if corpus.rouge:
        return _headline(found, source, kept(job.words or 1), job.example.references)
    references = [kept_words(reference, pretokenized=corpus.pretokenized) for reference in job.example.references]
    if job.words is None:  # people who deleted nothing, or all, say nothing
        references = [reference for reference in references if 0 < len(reference) < sum(len(w.pieces) for w in tokens)]
    total = 0.0
    for reference in references:
        pieces = [piece for i in kept(job.words or len(reference)) for piece in source.words[i].pieces]
        total += token_f1(pieces, reference)
    return [100 * total, len(references)]


def _headline(found: Summarizer, source: Sentence, kept: Sequence[int], references: Sequence[str]) -> Row:
    mask = np.isin(np.arange(len(source)), kept)
    objective = found.bundle.objectives.objective({"fluency": 1.0})
    fluency = objective.bind(source, Budget.of_words(len(source), len(kept))).log_scores(mask[None])
    score = rouge().score(" ".join(source.words[i].text for i in kept), references)
    return [100 * rouge().value(score[metric]) for metric in METRICS] + [float(fluency[0])]


def figures(rows: Sequence[Row], corpus: Corpus) -> dict[str, float]:
    """What the rows of all sources say together."""
    if corpus.rouge:
        return dict(zip(("R-1", "R-2", "R-L", "fluency"), np.mean(rows, axis=0).tolist(), strict=True))
    total, count = np.sum(rows, axis=0)
    return {"token F1": float(total / count), "references": int(count)}


def development_data(dev: str | None, limit: int | None) -> dict[str, list[Example]]:
    """The examples of each corpus that is there."""
    folder = Path(dev or "")
    there = {name: corpus for name, corpus in CORPORA.items() if dev and (folder / corpus.path).exists()}
    if not there:
        paths = ", ".join(corpus.path for corpus in CORPORA.values())
        seen = f"{dev} has none of {paths}" if dev else "no development data"
        raise InputError(f"{seen}: name its folder with --dev or TERSELY_DEV")
    found = {}
    for name, corpus in there.items():
        examples = read_dataset(folder / corpus.path).examples
        found[name] = list(examples[len(examples) // 2 if corpus.half else 0 :][:limit])
    return found


def chosen(corpus: Corpus, known: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Lead, and the objectives to measure on a corpus."""
    for name in asked or ():
        if name not in known:
            raise InputError(f"the bundle has no objective {name!r}: it has {', '.join(known)}")
    return ["lead", *(asked or [name for name in corpus.objectives if name in known])]


def measure(args: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each figure with its name, as soon as it is there. One pool of processes does everything."""
    data = development_data(args.dev, args.limit)
    bundle = summarizer(args.bundle).bundle
    known = list(bundle.objectives.named)
    groups = [
        [Job(name, system, words, example) for example in examples]
        for name, examples in data.items()
        for words in CORPORA[name].lengths
        for system in chosen(CORPORA[name], known, args.objectives)
    ]
    jobs = [job for group in groups for job in group]
    with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
        task = functools.partial(row, bundle=args.bundle)
        rows = progress(pool.imap(task, jobs, chunksize=4), "sources", len(jobs))
        for group in groups:
            corpus = CORPORA[group[0].corpus]
            label = f"{group[0].words} words" if corpus.rouge else group[0].corpus
            yield f"{group[0].system}, {label}", figures([next(rows) for _ in group], corpus)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", default=os.environ.get("TERSELY_DEV"), help="folder of the development data")
    parser.add_argument("--bundle", help="default: the one in the package")
    parser.add_argument("--objectives", nargs="+", metavar="NAME", help="on all data (default: those meant for it)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, help="at most so many sources, for a quick look")
    parser.add_argument("--json", action="store_true", help="print the figures as json")
    parser.add_argument("--out", type=Path, help="also write them to this file, as json")
    args = parser.parse_args()
    try:
        bundle = summarizer(args.bundle).bundle
        objectives = {name: dict(weights) for name, weights in bundle.objectives.named.items()}
        report: dict[str, Any] = {"bundle": bundle.signature, "limit": args.limit, "objectives": objectives}
        for name, found in measure(args):
            report[name] = found
            if not args.json:
                shown = "".join(f"{key} {value:.2f}   " for key, value in found.items() if key != "references")
                print(f"{name:<24}{shown}".rstrip(), flush=True)
    except TerselyError as error:
        print(f"quality: {error}", file=sys.stderr)
        return 1
    text = json.dumps(report, indent=1) + "\n"
    if args.json:
        sys.stdout.write(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
