"""What a limit of characters costs and how well it is used, on the same sentences as a number of words.

    python benchmarks/lengths.py --input FILE [--sentences 500] [--chars 60] [--words 10] [--out FILE]
    python benchmarks/lengths.py --input FILE --references FILE --weights 0 2 3 10 --pretokenized
    python benchmarks/lengths.py --input FILE --every 3 --sentences 200 --pretokenized

The second form is how the weight of the factor `use` was tuned: ROUGE F1 and use of the limit for each weight. The
third compares the best of every length from one pass with searches for a few lengths of each sentence, drawn by chance.
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

from tersely.evaluation.rouge import Rouge
from tersely.measure import count_chars
from tersely.progress import progress
from tersely.scoring import use
from tersely.summarizer import Summarizer
from tersely.summary import Summary
from tersely.text import MAX_WORDS


def measure(summarizer: Summarizer, lines: list[str], label: str, **options: object) -> list[Summary]:
    """The summaries of all lines."""
    return [summarizer(line, **options) for line in progress(lines, label, len(lines))]


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
    """Print by how much the best of a length, of all lengths from one pass, is below that of a search for it alone."""
    rng = np.random.default_rng(0)
    for unit, most in (("words", MAX_WORDS), ("chars", args.chars)):
        gaps, pass_seconds, alone_seconds = [], 0.0, 0.0
        for line in progress(lines, unit, len(lines)):
            begin = time.perf_counter()
            found = summarizer.lengths(line, pretokenized=args.pretokenized, **{unit: most})
            pass_seconds += time.perf_counter() - begin
            if unit == "words":
                sizes = [len(one.kept) for one in found]
            else:
                sizes = [int(one.signature.rpartition(":")[2]) for one in found if "|every:" in one.signature]
            for size in rng.integers(sizes[0], min(sizes[-1], most) + 1, args.every).tolist():
                begin = time.perf_counter()
                alone = summarizer(line, pretokenized=args.pretokenized, **{unit: size}).score
                alone_seconds += time.perf_counter() - begin
                at = max(i for i, own in enumerate(sizes) if own <= size)  # what is shorter uses a share of the limit
                best = found[at].score + (unit == "chars") * use.WEIGHT * np.log(sizes[at] / size)
                gaps.append((alone - best) / abs(alone))
        print(
            f"{unit}: {len(gaps)} lengths of {len(lines)} sentences, {np.mean(gaps):.3%} below a search for one alone "
            f"on average, {np.mean(np.array(gaps) < 1e-6):.1%} equal; one pass {pass_seconds / len(lines):.2f} s, "
            f"one search {alone_seconds / len(gaps):.2f} s",
            flush=True,
        )


def tune(summarizer: Summarizer, lines: list[str], references: list[str], args: argparse.Namespace) -> None:
    """Print ROUGE F1 and use of the limit for each weight."""
    rouge = Rouge()
    print(f"{'weight':>8}{'use':>8}{'words':>8}{'R-1':>8}{'R-2':>8}{'R-L':>8}")
    for weight in args.weights:
        use.WEIGHT = weight
        texts = measure(summarizer, lines, f"{weight:g}", chars=args.chars, pretokenized=args.pretokenized)
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
    parser.add_argument("--weights", type=float, nargs="+", default=[use.WEIGHT], help="of the factor use")
    parser.add_argument("--every", type=int, metavar="K", help="compare K lengths of each sentence with every length")
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
