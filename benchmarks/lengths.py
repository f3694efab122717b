"""What a limit of characters costs and how well it is used, on the same sentences as a number of words.

    python benchmarks/lengths.py --input FILE [--sentences 500] [--chars 60] [--words 10] [--out FILE]
    python benchmarks/lengths.py --input FILE --references FILE --weights 0 2 3 10 --pretokenized
    python benchmarks/lengths.py --input FILE --every --sentences 200 --pretokenized

The second form is how the weight of the factor `use` was tuned: ROUGE F1 and use of the limit for each weight. The
third measures what all lengths of a sentence cost beside one of them.
"""

from __future__ import annotations

import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"  # before numpy is imported

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sentences import add_options, read_lines

from tersely.candidates.measure import count_chars
from tersely.evaluation.rouge import Rouge
from tersely.summary.summarizer import Summarizer
from tersely.system.progress import progress
from tersely.text.words import MAX_WORDS


def compare(summarizer: Summarizer, lines: list[str], args: argparse.Namespace) -> dict[str, object]:
    """Use of a limit of characters, and its time beside that of a number of words: line by line, in turn."""
    seconds: dict[str, float] = {"words": 0.0, "chars": 0.0}
    used = []
    for line in progress(lines, "sentences", len(lines)):
        for unit, size in (("words", args.words), ("chars", args.chars)):
            begin = time.perf_counter()
            summary = summarizer(line, pretokenized=args.pretokenized, **{unit: size})
            seconds[unit] += time.perf_counter() - begin
        used.append(count_chars(summary))
    return {
        "bundle": summarizer.bundle.signature,
        "sentences": len(lines),
        "chars": args.chars,
        "mean_use": float(np.mean(used) / args.chars),
        "over": int((np.array(used) > args.chars).sum()),
        "seconds_chars": seconds["chars"] / len(lines),
        "seconds_words": seconds["words"] / len(lines),
        "ratio": seconds["chars"] / seconds["words"],
    }


def every(summarizer: Summarizer, lines: list[str], args: argparse.Namespace) -> None:
    """Print how long all lengths of a sentence take, and one of them."""
    for unit, most, one in (("words", MAX_WORDS, args.words), ("chars", args.chars, args.chars)):
        seconds, count = {"all": 0.0, "one": 0.0}, 0
        for line in progress(lines, unit, len(lines)):
            begin = time.perf_counter()
            count += len(summarizer.lengths(line, pretokenized=args.pretokenized, **{unit: most}))
            middle = time.perf_counter()
            summarizer(line, pretokenized=args.pretokenized, **{unit: one})
            seconds["all"] += middle - begin
            seconds["one"] += time.perf_counter() - middle
        each = {name: total / len(lines) for name, total in seconds.items()}
        print(
            f"{unit}: {count / len(lines):.1f} lengths of a sentence in {each['all']:.2f} s, one {each['one']:.3f} s:"
            f" {each['all'] / each['one']:.1f} times as long",
            flush=True,
        )


def tune(summarizer: Summarizer, lines: list[str], references: list[str], args: argparse.Namespace) -> None:
    """Print ROUGE F1 and use of the limit for each weight."""
    rouge = Rouge()
    print(f"{'weight':>8}{'use':>8}{'words':>8}{'R-1':>8}{'R-2':>8}{'R-L':>8}")
    weights = summarizer.bundle.objectives.weights(None)
    options = {"chars": args.chars, "pretokenized": args.pretokenized}
    for weight in args.weights:
        objective = {**weights, "use": weight}
        shown = progress(lines, f"{weight:g}", len(lines))
        texts = [summarizer(line, objective=objective, **options) for line in shown]
        scores = [rouge.score(text, [reference]) for text, reference in zip(texts, references, strict=True)]
        means = [100 * np.mean([score[name].f1 for score in scores]) for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")]
        words = np.mean([len(text.split()) for text in texts])
        used = np.mean([count_chars(text) for text in texts]) / args.chars
        cells = "".join(f"{mean:8.2f}" for mean in means)
        print(f"{weight:8g}{used:8.1%}{words:8.2f}{cells}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, sentences=500)
    parser.add_argument("--chars", type=int, default=60)
    parser.add_argument("--words", type=int, default=10)
    parser.add_argument("--references", type=Path, help="one reference a line")
    parser.add_argument("--weights", type=float, nargs="+", default=[0, 2, 6, 10], help="of the factor use")
    parser.add_argument("--every", action="store_true", help="what all lengths of a sentence cost")
    parser.add_argument("--out", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    summarizer = Summarizer.load(args.bundle)
    lines = read_lines(args.input)[: args.sentences]
    if args.references:
        tune(summarizer, lines, read_lines(args.references)[: len(lines)], args)
        return
    if args.every:
        every(summarizer, lines, args)
        return
    lines = [line for line in lines if count_chars(line) > args.chars]  # a shorter one comes back whole
    summarizer(lines[0], words=args.words)  # what is loaded at the first call is not timed
    report = compare(summarizer, lines, args)
    print(
        "{sentences} sentences at {chars} characters: mean use {mean_use:.1%}, {over} over; "
        "{seconds_chars:.3f} s each, {ratio:.2f} times {seconds_words:.3f} s".format(**report),
        f"of {args.words} words",
    )
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
