"""Searches compared on the same sentences and bundle, in one run, on one thread: `make bench`.

    python benchmarks/search.py [--input FILE] [--sentences 20] [--words 10] [--out FILE]

(a) reference: the authors' program: all restarts in a batch, every candidate recomputed, exact softmax
(b) plain: the same without the exact softmax, and hill_climbing: the same steps with all caches; `paper` is without
    the cap on words read
(c) lattice, and (d) annealing

The reference takes minutes for one sentence. Each of its steps costs the same, so it is timed on a few steps of a few
sentences and scaled to the paper's number of steps. The machine's speed varies: compare ratios within a run.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import json
import platform
import resource
import sys
import time
from pathlib import Path

import numpy as np
from sentences import ROOT, add_options, read_lines

sys.path.insert(0, str(ROOT / "tests"))
from reference import ReferenceObjective

from tersely.candidates.length import Budget
from tersely.candidates.space import CandidateSpace
from tersely.scoring.objective import BoundObjective
from tersely.search import SEARCHES, search_named
from tersely.search.hill_climbing import TIE, paper
from tersely.search.local import local_search
from tersely.sentence.sentence import Sentence
from tersely.summary.summarizer import Summarizer
from tersely.system.progress import progress
from tersely.text.words import tokenize

EFFORT = 10  # no bound plays a part for sources of ordinary length
COMPARED = ("hill_climbing", "lattice", "annealing")


class Bench:
    """The sentences of a run, bound to sources."""

    def __init__(self, summarizer: Summarizer, lines: list[str], pretokenized: bool) -> None:
        self.summarizer = summarizer
        self.objective = summarizer.bundle.objectives.objective("paper")
        self.lines, self.pretokenized = lines, pretokenized

    @property
    def sources(self) -> list[Sentence]:
        """The sentences, read anew: a sentence remembers what a search of it has computed."""
        return [self.summarizer.bundle.sentence(tokenize(line, pretokenized=self.pretokenized)) for line in self.lines]

    def bind(self, source: Sentence, space: CandidateSpace) -> BoundObjective:
        return self.objective.bind(source, space.budget)

    def space(self, source: Sentence, words: int | None) -> CandidateSpace:
        """The candidates of `words` words, or of half the words."""
        size = round(len(source) / 2) if words is None else min(words, len(source))
        return CandidateSpace(Budget.of_words(len(source), size), needs=source.needs)

    def run(self, name: str, words: int | None) -> dict[str, list[float]]:
        """Seconds, evaluations and score of one search on every sentence."""
        rows: dict[str, list[float]] = {"seconds": [], "evaluations": [], "score": []}
        for source in progress(self.sources, name, len(self.lines)):
            begin = time.perf_counter()
            space = self.space(source, words)
            find = search_named(name, effort=EFFORT)
            result = find(self.bind(source, space), space, np.random.default_rng(0))
            rows["seconds"].append(time.perf_counter() - begin)
            rows["evaluations"].append(result.evaluations)
            rows["score"].append(result.score)
        return rows

    def reference(self, words: int | None, exact_softmax: bool, sentences: int, steps: int) -> float:
        """Mean seconds of a sentence without caches, from a few steps scaled to the paper's number of them."""
        total = 0.0
        for source in self.sources[:sentences]:
            space = self.space(source, words)
            all_steps, restarts = paper.budget(space.n, space.budget.n_words)
            objective = ReferenceObjective(
                source,
                self.summarizer.bundle.language_model("forward"),
                self.summarizer.bundle.language_model("backward"),
                self.bind(source, space).factors["similarity"],
                exact_softmax=exact_softmax,
            )
            objective.log_scores(space.random(np.random.default_rng(0), 1))  # unpacks the output table once
            begin = time.perf_counter()
            local_search(
                objective,
                space,
                np.random.default_rng(0),
                None,
                chains=restarts,
                steps=steps,
                accept=lambda step, current, proposed: proposed >= current,
            )
            total += (time.perf_counter() - begin) / (steps + 1) * (all_steps + 1)
        return total / min(sentences, len(self.lines))


def growth(bench: Bench) -> list[dict[str, float]]:
    """Seconds of the lattice for sources of 10 to 400 words, at 8 words and at half of them."""
    pieces = np.concatenate([source.piece_ids[: len(source)] for source in bench.sources])
    rows = []
    for n in (10, 20, 40, 80, 160, 400):
        for size in sorted({min(8, n // 2), n // 2}):
            ids = np.resize(pieces, n)
            no_needs = np.zeros((0, 2), dtype=np.int64)
            source = Sentence((), (), ids, np.arange(n), no_needs, np.zeros(n, dtype=np.int64))
            object.__setattr__(source, "words", (None,) * n)  # the search knows no words; only their number counts
            begin = time.perf_counter()
            space = CandidateSpace(Budget.of_words(n, size))
            result = search_named("lattice")(bench.bind(source, space), space, np.random.default_rng(0))
            seconds = time.perf_counter() - begin
            rows.append({"n": n, "s": size, "seconds": seconds, "evaluations": result.evaluations})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, sentences=20)
    parser.add_argument("--around", type=int, default=0, metavar="N", help="only sources of N-5 to N+5 words")
    parser.add_argument("--words", default="10", help="a number, or half (default: %(default)s)")
    known = sorted(SEARCHES.keys() - {"chain"})  # which needs another objective
    parser.add_argument("--searches", nargs="+", default=COMPARED, choices=known)
    parser.add_argument("--reference-sentences", type=int, default=2)
    parser.add_argument("--reference-steps", type=int, default=3)
    parser.add_argument("--climber", type=Path, help="take (b)'s scores from the --out of an earlier run")
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--out", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    words = None if args.words == "half" else int(args.words)

    bench = Bench(Summarizer.load(args.bundle), read_lines(args.input), args.pretokenized)
    if args.around:
        pairs = zip(bench.lines, bench.sources, strict=True)
        bench.lines = [line for line, source in pairs if abs(len(source) - args.around) <= 5]
    bench.lines = bench.lines[: args.sentences]
    runs = {name: bench.run(name, words) for name in args.searches}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    table: dict[str, dict[str, float]] = {}
    for label, exact in (("reference", True), ("plain", False)):
        seconds = bench.reference(words, exact, args.reference_sentences, args.reference_steps)
        table[label] = {"seconds": seconds}
    climber = np.array(runs["hill_climbing"]["score"]) if "hill_climbing" in runs else None
    if args.climber:
        earlier = json.loads(args.climber.read_text(encoding="utf-8"))
        if (earlier["bundle"], earlier["words"]) != (bench.summarizer.bundle.signature, args.words):
            parser.error(f"{args.climber} is of another bundle or length")
        climber = np.array(earlier["scores"]["hill_climbing"])
    for name, run in runs.items():
        table[name] = {key: float(np.mean(values)) for key, values in run.items()}
        if climber is not None:
            table[name]["at_or_above_climber"] = float(np.mean(np.array(run["score"]) >= climber - TIE))
    report = {
        "bundle": bench.summarizer.bundle.signature,
        "words": args.words,
        "sentences": len(bench.lines),
        "source_words": float(np.mean([len(source) for source in bench.sources])),
        "machine": platform.machine(),
        "peak_memory_mb": memory,
        "searches": table,
        "scores": {name: run["score"] for name, run in runs.items()},
    }
    _print(report)
    if not args.no_growth:
        report["growth"] = growth(bench)
        for row in report["growth"]:
            print("n {n:4} s {s:4} {seconds:8.3f} s {evaluations:8} evaluations".format(**row))
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _print(report: dict[str, object]) -> None:
    line = "{bundle}: {sentences} sentences of {source_words:.1f} words to {words}; {peak_memory_mb:.0f} MB"
    print(line.format(**report))
    print(f"{'search':<14}{'seconds':>10}{'evaluations':>13}{'mean log f':>12}{'>= climber':>12}{'x reference':>13}")
    searches = report["searches"]
    assert isinstance(searches, dict)
    reference = searches["reference"]["seconds"]
    for name, row in searches.items():
        cells = [f"{name:<14}{row['seconds']:>10.3f}"]
        cells.append(f"{row['evaluations']:>13,.0f}" if "evaluations" in row else " " * 13)
        cells.append(f"{row['score']:>12.4f}" if "score" in row else " " * 12)
        cells.append(f"{row['at_or_above_climber']:>12.1%}" if "at_or_above_climber" in row else " " * 12)
        print("".join(cells) + f"{reference / row['seconds']:>13,.0f}")


if __name__ == "__main__":
    main()
