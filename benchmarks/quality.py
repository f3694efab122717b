"""The figures that the objectives are held to, on the halves of the development sets that no weight was tuned on.

    python benchmarks/quality.py --dev FOLDER [--limit N] [--out results/quality.json]

Headlines: ROUGE F1 and the mean log fluency of Lead, `paper`, `headline` and
`telegraph`, if the bundle has it, at 8 and 10 words. Sentences: token F1
against the words that people kept, at the length that each of them chose, of Lead, `headline` and `sentence`.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import functools
import json
import multiprocessing
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tersely.evaluation.datasets import Example, read_dataset
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.token_f1 import kept_words, token_f1
from tersely.progress import progress
from tersely.source import Source
from tersely.summarizer import Summarizer
from tersely.text import tokenize

Row = list[float]


@functools.cache
def summarizer() -> Summarizer:
    """One for each process."""
    return Summarizer.load(os.environ.get("TERSELY_BENCH_BUNDLE"))


def shortened(example: Example, system: str, words: int) -> tuple[Source, list[int]]:
    """The source, and the positions that a system keeps."""
    source = Source.of(tokenize(example.source, pretokenized=True), summarizer().bundle.vocabulary)
    if system == "lead":
        return source, list(range(min(words, len(source))))
    return source, list(summarizer()(example.source, words=words, objective=system, pretokenized=True).kept)


def headline_row(example: Example, system: str, words: int) -> Row:
    """ROUGE-1, 2, L and log fluency of one source."""
    source, kept = shortened(example, system, words)
    mask = np.isin(np.arange(len(source)), kept)
    fluency = summarizer().objective({"fluency": 1.0}).bind(source).log_scores(mask[None])
    scorer = _rouge()
    score = scorer.score(" ".join(source.words[i].text for i in kept), example.references)
    return [100 * scorer.value(score[metric]) for metric in METRICS] + [float(fluency[0])]


@functools.cache
def _rouge() -> Rouge:
    return Rouge()


def sentence_row(example: Example, system: str) -> Row:
    """The token F1 of one source, summed over the people who deleted something, and how many they are."""
    n = len(kept_words(example.source))
    references = [reference for reference in map(kept_words, example.references) if 0 < len(reference) < n]
    total = 0.0
    for reference in references:
        source, kept = shortened(example, system, len(reference))
        total += token_f1([piece for i in kept for piece in source.words[i].pieces], reference)
    return [100 * total, len(references)]


def rows(task: Callable[[Example], Row], examples: Sequence[Example], processes: int, label: str) -> np.ndarray:
    """The rows of all examples, in order."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return np.array(list(progress(pool.imap(task, examples, chunksize=4), label, len(examples))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    dev = os.environ.get("TERSELY_DEV")
    parser.add_argument("--dev", type=Path, default=dev, help="development data (default: TERSELY_DEV)")
    parser.add_argument("--bundle", help="default: the one in the package")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, help="at most so many sources, for a quick look")
    parser.add_argument("--out", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    if args.dev is None or not (args.dev / "gigaword").is_dir():
        parser.exit(1, f"no development data in {args.dev}: name its folder, --dev or TERSELY_DEV\n")
    if args.bundle:
        os.environ["TERSELY_BENCH_BUNDLE"] = args.bundle  # for the processes to come
    report: dict[str, object] = {"bundle": summarizer().bundle.signature, "limit": args.limit}
    objectives = {name: dict(weights) for name, weights in summarizer().bundle.objectives.items()}
    report["objectives"] = objectives

    pairs = read_dataset(args.dev / "gigaword").examples
    pairs = pairs[len(pairs) // 2 :][: args.limit]
    print(f"{report['bundle']}: {len(pairs)} sources with headlines, hard length")
    print(f"{'words':<7}{'system':<10}{'R-1':>8}{'R-2':>8}{'R-L':>8}{'log fluency':>13}")
    for words in (8, 10):
        for system in ("lead", *(name for name in ("paper", "headline", "telegraph") if name in objectives)):
            task = functools.partial(headline_row, system=system, words=words)
            mean = rows(task, pairs, args.processes, f"{system} {words}").mean(axis=0)
            report[f"{system}, {words} words"] = dict(zip(("R-1", "R-2", "R-L", "fluency"), mean.tolist(), strict=True))
            print(f"{words:<7}{system:<10}" + "".join(f"{x:>8.2f}" for x in mean[:3]) + f"{mean[3]:>13.3f}", flush=True)

    spoken = read_dataset(args.dev / "broadcast").examples
    spoken = spoken[len(spoken) // 2 :][: args.limit]
    print(f"{len(spoken)} broadcast sentences, at the length of each reference")
    for system in ("lead", *(name for name in ("headline", "sentence") if name in objectives)):
        task = functools.partial(sentence_row, system=system)
        total, count = rows(task, spoken, args.processes, system).sum(axis=0)
        report[f"{system}, broadcast"] = {"token F1": total / count, "references": int(count)}
        print(f"{system:<17}token F1 {total / count:6.2f}   ({count:.0f} references)", flush=True)
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
